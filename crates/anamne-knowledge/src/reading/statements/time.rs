//! Validity periods that a sentence states.

use anamne_text::time::{WEEKDAYS, parse_range};
use anamne_types::EntityType;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::sentence::Sentence;

/// The time range of a date expression, relative to `at`; `ahead` prefers future dates.
pub(super) fn instants(
    date: &str,
    at: Timestamp,
    ahead: bool,
) -> Option<std::ops::Range<Timestamp>> {
    let plain = plain_date(date);
    if ahead && let Some(range) = in_future(&plain, at) {
        return Some(range);
    }
    parse_range(&plain, at, &TimeZone::UTC).ok()
}

/// The next occurrence of a past weekday, or of a past day without a year.
fn in_future(plain: &str, at: Timestamp) -> Option<std::ops::Range<Timestamp>> {
    let found = parse_range(plain, at, &TimeZone::UTC).ok()?;
    if found.end > at
        || plain
            .split(' ')
            .any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
        || plain.contains('-')
    {
        return None;
    }
    if plain.split(' ').count() == 1
        && let Ok(next) = parse_range(&format!("next {plain}"), at, &TimeZone::UTC)
        && next.start > at
    {
        return Some(next);
    }
    let year = at.to_zoned(TimeZone::UTC).year();
    [year, year + 1].into_iter().find_map(|year| {
        parse_range(&format!("{plain} {year}"), at, &TimeZone::UTC)
            .ok()
            .filter(|range| range.end > at)
    })
}

/// A simplified date, without its weekday, `of`, `the` and `on`: `first of May` becomes `1 may`.
fn plain_date(date: &str) -> String {
    let lower = date.to_lowercase().replace([',', '.'], " ");
    let lower = if date.contains('-') {
        date.to_lowercase()
    } else {
        lower
    };
    let mut words: Vec<&str> = lower
        .split_whitespace()
        .filter(|word| !matches!(*word, "of" | "the" | "on"))
        .collect();
    if words.len() > 2 && WEEKDAYS.contains(&words[0]) {
        words.remove(0);
    }
    for word in &mut words {
        *word = match *word {
            "first" => "1",
            "second" => "2",
            "third" => "3",
            "tonight" => "today",
            other => other,
        };
    }
    words.join(" ")
}

/// Start and end of the validity period, from the dates in a range of items.
pub(super) fn validity(
    sentence: &Sentence<'_>,
    items: std::ops::Range<usize>,
    at: Timestamp,
) -> (Option<Timestamp>, Option<Timestamp>) {
    let (mut from, mut to) = (None, None);
    for item in items {
        let Some(mention) = sentence
            .mention(item)
            .filter(|mention| mention.entity_type == EntityType::Date)
        else {
            continue;
        };
        let Some(before) = item.checked_sub(1) else {
            continue;
        };
        let lower = sentence.lower(before);
        let lower = if matches!(lower, "the" | "about" | "early" | "late") && before > 0 {
            sentence.lower(before - 1)
        } else {
            lower
        };
        match lower {
            "since" => from = instants(&mention.name, at, false).map(|range| range.start),
            "from" | "starting" => {
                from = instants(&mention.name, at, true).map(|range| range.start);
            }
            "of" if before >= 1 && sentence.lower(before - 1) == "as" => {
                from = instants(&mention.name, at, true).map(|range| range.start);
            }
            "until" | "till" | "through" => {
                to = instants(&mention.name, at, true).map(|range| range.end);
            }
            "to" if from.is_some() => to = instants(&mention.name, at, true).map(|range| range.end),
            _ => {}
        }
    }
    match (from, to) {
        (Some(start), Some(end)) if end < start => (
            Some(start),
            end.checked_add((366 * 24).hours())
                .ok()
                .filter(|end| *end > start),
        ),
        both => both,
    }
}
