//! Dates of birth: dates with a word that says so.

use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use std::collections::BTreeMap;

use super::number::{Gap, Number};
use super::scan::{Scan, end_of_digits, is_joined_after};
use super::words::Topic;
use crate::case::with_lower;

/// The longest name of a month, in bytes.
const MOST_MONTH: usize = 24;

/// The date of birth around a number. O(1).
pub(super) fn at(scan: &mut Scan, number: &Number) -> Option<Range<usize>> {
    if !matches!(number.length(0), 1 | 2 | 4 | 8) {
        return None;
    }
    let span = written(scan.text, number)
        .or_else(|| with_month_before(scan.text, number))
        .or_else(|| with_month_after(scan.text, number))?;
    scan.steps += 2 * MOST_MONTH;
    if is_recent_time(scan.text, &span) {
        return None;
    }
    scan.context
        .names(&span, |topic| topic == Topic::Birth)
        .then_some(span)
}

/// The date of a line in a log: `2026-03-14T09:26`.
fn is_recent_time(text: &str, span: &Range<usize>) -> bool {
    let rest = &text.as_bytes()[span.end..];
    let is_time = matches!(rest, [b'T' | b' ', one, two, b':', ..]
        if one.is_ascii_digit() && two.is_ascii_digit() && [*one, *two] != *b"00");
    let year = text.get(span.start..span.start + 4).unwrap_or_default();
    is_time && ("2020".."2100").contains(&year)
}

/// `1985-03-12`, `12.03.1985`, `3/12/85`, `19850312`, `1985年3月12日`.
fn written(text: &str, number: &Number) -> Option<Range<usize>> {
    let start = number.start();
    if let Some(end) = in_characters(text, number) {
        return Some(start..end);
    }
    let value = number.value(0);
    if number.length(0) == 8 && number.closes(text, 1) {
        return is_date(value / 10_000, value / 100 % 100, value % 100)
            .then(|| start..number.end_of(1));
    }
    let (first, second, third) = (number.value(0), number.value(1), number.value(2));
    let gap = number.only_gap(3)?;
    let is_short = |part: usize| (1..=2).contains(&number.length(part));
    let is_valid = match (number.length(0), number.length(2)) {
        (4, 1..=2) => is_short(1) && is_date(first, second, third),
        (1..=2, 4) => is_short(1) && is_day_of(third, first, second),
        (1..=2, 2) => is_short(1) && is_day_of(1900 + third, first, second),
        _ => false,
    };
    let is_split = matches!(gap, Gap::Dash | Gap::Dot | Gap::Slash);
    let end = number.end_of(3);
    let follows_time = text.as_bytes().get(end) == Some(&b'T');
    let closes = number.closes(text, 3) || follows_time;
    (is_valid && is_split && number.count() >= 3 && closes).then_some(start..end)
}

fn in_characters(text: &str, number: &Number) -> Option<usize> {
    let mut at = number.start();
    let mut values = [0; 3];
    for (value, mark) in values.iter_mut().zip(['年', '月', '日']) {
        let bound = text.len().min(at + 6);
        let end = end_of_digits(&text.as_bytes()[..bound], at);
        *value = text.get(at..end)?.parse().ok()?;
        at = end;
        at += text
            .get(at..)?
            .starts_with(mark)
            .then_some(mark.len_utf8())?;
    }
    is_date(values[0], values[1], values[2]).then_some(at)
}

/// `March 12, 1985`, `Mar 12th`.
fn with_month_before(text: &str, number: &Number) -> Option<Range<usize>> {
    let day = day_of(number)?;
    let before = text[..number.start()].strip_suffix(' ')?;
    let before = before.strip_suffix('.').unwrap_or(before);
    let from = before.len().saturating_sub(MOST_MONTH);
    let letters = before[ceil(before, from)..]
        .chars()
        .rev()
        .take_while(|one| one.is_alphabetic());
    let start = before.len() - letters.map(char::len_utf8).sum::<usize>();
    let month = month_of(&before[start..])?;
    let mut end = after_suffix(text, number.end_of(1));
    let comma = end + usize::from(text.as_bytes().get(end) == Some(&b','));
    let (year, year_end) =
        year_at(text, comma).map_or((2000, end), |(year, year_end)| (year, year_end));
    end = year_end;
    (is_date(year, month, day) && !is_joined_after(text.as_bytes(), end)).then_some(start..end)
}

/// `12 March 1985`, `12th of March, 1985`, `12. März 1985`, `12 de marzo de 1985`.
fn with_month_after(text: &str, number: &Number) -> Option<Range<usize>> {
    let day = day_of(number)?;
    let mut at = after_suffix(text, number.end_of(1));
    at += usize::from(text.as_bytes().get(at) == Some(&b'.'));
    at = after_small_word(text, after_blank(text, at));
    let rest = &text[at..floor(text, at + MOST_MONTH)];
    let length = rest
        .chars()
        .take_while(|one| one.is_alphabetic())
        .map(char::len_utf8)
        .sum::<usize>();
    let month = month_of(&rest[..length])?;
    let month_end = at + length;
    at = month_end;
    at += usize::from(matches!(text.as_bytes().get(at), Some(b'.' | b',')));
    let year = year_at(text, at).or_else(|| {
        let at = after_small_word(text, after_blank(text, at));
        year_at(text, at.checked_sub(1)?)
    });
    let (year, end) = year.unwrap_or((2000, month_end));
    is_date(year, month, day).then_some(number.start()..end)
}

fn day_of(number: &Number) -> Option<u64> {
    ((1..=2).contains(&number.length(0))).then(|| number.value(0))
}

/// Skips `st`, `nd`, `rd`, `th`, `er`, `º`.
fn after_suffix(text: &str, at: usize) -> usize {
    let found = ["st", "nd", "rd", "th", "er", "º", "°", "ª"]
        .iter()
        .find(|suffix| {
            let rest = &text[at..];
            let beyond = rest.as_bytes().get(suffix.len());
            rest.starts_with(**suffix) && !beyond.is_some_and(u8::is_ascii_alphabetic)
        });
    at + found.map_or(0, |suffix| suffix.len())
}

fn after_blank(text: &str, at: usize) -> usize {
    at + usize::from(matches!(text.as_bytes().get(at), Some(b' ' | b'-')))
}

fn after_small_word(text: &str, at: usize) -> usize {
    let small = ["of ", "de ", "del ", "d'", "d’"];
    let found = small.iter().find(|small| text[at..].starts_with(**small));
    at + found.map_or(0, |small| small.len())
}

/// The year after one blank.
fn year_at(text: &str, at: usize) -> Option<(u64, usize)> {
    let from = after_blank(text, at);
    let bound = text.len().min(from + 5);
    if from == at || from > bound {
        return None;
    }
    let end = end_of_digits(&text.as_bytes()[..bound], from);
    let year = (end - from == 4).then(|| text[from..end].parse().ok())??;
    (!is_joined_after(text.as_bytes(), end)).then_some((year, end))
}

/// A day and a month in either order.
fn is_day_of(year: u64, first: u64, second: u64) -> bool {
    is_date(year, second, first) || is_date(year, first, second)
}

fn is_date(year: u64, month: u64, day: u64) -> bool {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1880..2100).contains(&year) && (1..=days).contains(&day)
}

/// The nearest boundary of a character at or below a place.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The nearest boundary of a character at or above a place.
fn ceil(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

type Months = BTreeMap<&'static str, u64>;

fn load() -> Result<Months, LexiconError> {
    const TEXT: &str = include_str!("../../data/personal_months.txt");
    let file = Lexicon::parse("personal_months.txt", TEXT)?;
    let mut months = Months::new();
    for row in file.rows("months", 2)? {
        let number = row.cells[0]
            .parse()
            .map_err(|_| row.fault("expected a number"))?;
        months.extend(row.cells[1].split(' ').map(|name| (name, number)));
    }
    Ok(months)
}

fn month_of(name: &str) -> Option<u64> {
    static MONTHS: LazyLock<Months> = LazyLock::new(|| load().expect("a test loads the data file"));
    if name.len() < 3 {
        return None;
    }
    with_lower(name, |name| MONTHS.get(name).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personal::tests::{check, check_none};

    #[test]
    fn dates_of_birth_are_found() {
        load().expect("the months");
        for (text, value) in [
            ("DOB: 1985-03-12", "1985-03-12"),
            ("\"date_of_birth\":\"1985-03-12T00:00:00Z\"", "1985-03-12"),
            ("birthDate=12/03/1985,", "12/03/1985"),
            ("geboren am 12.3.1985 in Kiel", "12.3.1985"),
            ("geb. 12. März 1985", "12. März 1985"),
            ("She was born in Lisbon on 3 May 1985.", "3 May 1985"),
            ("born on the 3rd of May, 1985", "3rd of May, 1985"),
            ("Birthday: May 3, 1985", "May 3, 1985"),
            ("her birthday is March 12th", "March 12th"),
            ("née le 1er août 1990 à Lyon", "1er août 1990"),
            (
                "fecha de nacimiento: 3 de mayo de 1985",
                "3 de mayo de 1985",
            ),
            ("nato il 3 maggio 1985", "3 maggio 1985"),
            ("出生日期：1985年3月12日", "1985年3月12日"),
            ("dob 19850312", "19850312"),
            ("3 May 1985 (date of birth)", "3 May 1985"),
            ("May 3 is her birthday", "May 3"),
        ] {
            check(text, "birth-date", &[value]);
        }
    }

    #[test]
    fn other_dates_are_not() {
        for text in [
            "released 1985-03-12",
            "born 1985-13-42",
            "born in the year 85",
            "on 3 May 1985 we met",
            "2024-05-06 12:00 build started",
            "dob: **.**.1985",
            "born 31.02.1985",
        ] {
            check_none(text);
        }
    }
}
