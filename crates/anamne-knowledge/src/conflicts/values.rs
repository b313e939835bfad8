//! Numbers, amounts, dates and times in a sentence.

use std::ops::Range;

use anamne_text::time::{WEEKDAYS, month_of};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::tokens::{Kind, Token, is_at, says};
use super::words::{Stems, is_function_word, is_past_form};

/// A value and its tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    /// The tokens, unit included.
    pub(super) tokens: Range<usize>,
    /// What is measured or counted; `number` if unknown.
    pub(super) dimension: String,
    /// The amount in the base unit of its dimension: seconds, grams, metres, bytes, days since 1970, minutes of the day.
    pub(super) amount: f64,
    /// Whether it is approximate: `about`.
    pub(super) approximate: bool,
    /// The tokens of what is counted, its noun last.
    pub(super) counted: Range<usize>,
}

/// A unit: its names, its dimension, its size in the base unit.
const UNITS: &[(&str, &str, f64)] = &[
    ("% percent pct", "percent", 1.0),
    ("ms millisecond milliseconds", "time", 0.001),
    ("s sec secs second seconds", "time", 1.0),
    ("min mins minute minutes", "time", 60.0),
    ("h hr hrs hour hours", "time", 3600.0),
    ("day days", "time", 86_400.0),
    ("week weeks", "time", 604_800.0),
    ("month months", "time", 2_629_800.0),
    ("year years yrs", "time", 31_557_600.0),
    ("g gram grams", "mass", 1.0),
    ("kg kilo kilos kilogram kilograms", "mass", 1000.0),
    ("lb lbs", "mass", 453.592),
    ("cm centimeters centimetres", "length", 0.01),
    ("m meters metres", "length", 1.0),
    ("km kms kilometers kilometres", "length", 1000.0),
    ("mile miles mi", "length", 1609.344),
    ("kb", "bytes", 1e3),
    ("mb megabytes", "bytes", 1e6),
    ("gb gigabytes", "bytes", 1e9),
    ("tb terabytes", "bytes", 1e12),
    ("dollar dollars usd bucks", "money:$", 1.0),
    ("euro euros eur", "money:€", 1.0),
    ("pounds gbp", "money:£", 1.0),
    ("°c celsius", "temperature:c", 1.0),
    ("°f fahrenheit", "temperature:f", 1.0),
    ("mg", "dose", 1.0),
];

const NUMBER_WORDS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty";

/// Verbs that often precede a value, and aren't nouns there.
pub(super) const PRESENT_VERBS: &str = "takes costs runs listens holds weighs needs requires lasts pays serves covers contains includes uses
    charges employs measures stands sits starts ends begins opens closes goes supports allows handles looks comes means";

const PLURALS: &str = "people women men children kids feet teeth mice";

/// Whether values of a dimension are scheduled times.
pub(super) fn is_schedule(dimension: &str) -> bool {
    matches!(dimension, "date" | "clock" | "weekday")
}

/// The month that a word names, counted from 1.
pub(super) fn month(token: &Token<'_>) -> Option<i8> {
    if !token.is_capitalised() {
        return None;
    }
    month_of(&token.lower)
}

/// All values of a sentence, in order. Ranges (`5-7`, `5 to 7`) are excluded.
pub(super) fn values(tokens: &[Token<'_>], said_at: Timestamp, stems: &mut Stems) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let value = date(tokens, at, said_at)
            .or_else(|| weekday(tokens, at))
            .or_else(|| quantity(tokens, at, stems));
        match value {
            Some(value) => {
                at = value.tokens.end;
                if !is_in_range(tokens, &value) {
                    found.push(value);
                }
            }
            None => at += 1,
        }
    }
    found
}

/// `April 5`, `April 5th, 2024`, `5 April`, `2024-04-05`.
fn date(tokens: &[Token<'_>], at: usize, said_at: Timestamp) -> Option<Value> {
    let token = &tokens[at];
    let (day, month, end) = if let Some(month) = month(token) {
        (day_number(tokens.get(at + 1)?)?, month, at + 2)
    } else if let Some(day) = day_number(token) {
        let skip = usize::from(tokens.get(at + 1)?.is("of"));
        (day, month(tokens.get(at + 1 + skip)?)?, at + 2 + skip)
    } else {
        let date: Date = token
            .lower
            .parse()
            .ok()
            .filter(|_| token.lower.len() == 10)?;
        return Some(dated(date, at..at + 1));
    };
    let comma = usize::from(tokens.get(end).is_some_and(|mark| mark.is(",")));
    let year = tokens
        .get(end + comma)
        .and_then(|token| token.lower.parse::<i16>().ok());
    let year = year.filter(|year| (1900..2200).contains(year));
    let end = if year.is_some() { end + comma + 1 } else { end };
    let year = year.unwrap_or_else(|| said_at.to_zoned(TimeZone::UTC).year());
    Some(dated(Date::new(year, month, day).ok()?, at..end))
}

/// `on Tuesday`, `to Thursday`.
fn weekday(tokens: &[Token<'_>], at: usize) -> Option<Value> {
    let token = &tokens[at];
    let day = WEEKDAYS
        .iter()
        .position(|day| token.lower.trim_end_matches('s') == *day)?;
    let is_time = at > 0
        && token.is_capitalised()
        && tokens[at - 1].is_one_of("on to until till for is every from next");
    is_time.then(|| Value {
        counted: at + 1..at + 1,
        tokens: at..at + 1,
        dimension: "weekday".to_owned(),
        amount: day as f64,
        approximate: false,
    })
}

fn dated(date: Date, tokens: Range<usize>) -> Value {
    Value {
        counted: tokens.end..tokens.end,
        tokens,
        dimension: "date".to_owned(),
        amount: day_of(date) as f64,
        approximate: false,
    }
}

/// Days since 1970.
fn day_of(date: Date) -> i64 {
    date.to_zoned(TimeZone::UTC)
        .map_or(0, |zoned| zoned.timestamp().as_second().div_euclid(86_400))
}

fn day_number(token: &Token<'_>) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| token.lower.strip_suffix(end))
        .unwrap_or(&token.lower);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn quantity(tokens: &[Token<'_>], at: usize, stems: &mut Stems) -> Option<Value> {
    let token = &tokens[at];
    let (number, suffix) = number(token)?;
    let approximate = token.lower.ends_with('+') || (at > 0 && is_hedge(&tokens[at - 1]));
    let value = |tokens: Range<usize>, dimension: &str, amount: f64| Value {
        counted: tokens.end..tokens.end,
        tokens,
        dimension: dimension.to_owned(),
        amount,
        approximate,
    };
    if let Some(minutes) = clock(token, tokens.get(at + 1), number, &suffix) {
        let spelled = !suffix.ends_with('m') && is_at(tokens, at + 1, "am pm a.m p.m");
        return Some(value(at..at + 1 + usize::from(spelled), "clock", minutes));
    }
    if suffix.starts_with(['$', '€', '£', '¥']) {
        return Some(value(at..at + 1, &format!("money:{suffix}"), number));
    }
    if suffix.contains(['/', '-', ':']) || (token.kind == Kind::Number && suffix.contains('.')) {
        return None;
    }
    if let Some((dimension, size)) = unit(&suffix) {
        return Some(value(at..at + 1, dimension, number * size));
    }
    if !suffix.is_empty() {
        return None;
    }
    let next = tokens
        .get(at + 1)
        .filter(|next| next.is_said() || next.is("%"));
    if let Some((dimension, size)) = next.and_then(|next| unit(&next.lower)).filter(|_| {
        !next.is_some_and(|next| next.is_capitalised() && next.text.chars().any(char::is_lowercase))
    }) {
        let single_letter =
            next.is_some_and(|next| next.lower.len() == 1 && next.kind == Kind::Word);
        if !single_letter || token.kind == Kind::Number {
            return Some(value(at..at + 2, dimension, number * size));
        }
    }
    if is_port(tokens, at) {
        return Some(value(at..at + 1, PORT, number));
    }
    if is_label(tokens, at) {
        return None;
    }
    let counted = counted(tokens, at + 1);
    if counted.is_empty() {
        let stands_alone = token.kind == Kind::Number && is_said_to_be(tokens, at);
        return stands_alone.then(|| value(at..at + 1, "number", number));
    }
    let noun = stems.of(&tokens[counted.end - 1].lower);
    Some(Value {
        counted: counted.clone(),
        ..value(at..counted.end, &format!("count:{noun}"), number)
    })
}

/// Whether a number is part of a name: `day 3`, `Phase 1`.
fn is_label(tokens: &[Token<'_>], at: usize) -> bool {
    const LABELLED: &str = "day week phase step chapter sprint version level part stage round episode section page room unit task milestone
        scene shot option number no question item line figure table season grade class route track exercise lesson module point
        python java windows ios android";
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else {
        return false;
    };
    let name = before.is_capitalised()
        && at > 1
        && !is_function_word(&before.lower)
        && !is_past_form(&before.lower);
    tokens[at].kind == Kind::Number && (before.is_one_of(LABELLED) || name)
}

/// The dimension of port numbers.
pub(super) const PORT: &str = "port";

/// Whether a number is that of a port: `port 8471`, `listens on 8471`.
fn is_port(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).map(|place| &tokens[place]);
    let listens =
        before(2).is_some_and(|token| token.is_one_of("listen listens listening listened"));
    tokens[at].kind == Kind::Number
        && before(1).is_some_and(|token| token.is("port") || (token.is("on") && listens))
}

/// Whether a bare number is a value rather than part of a name: `is now 7`, `reached 90`, but not `chapter 3`.
fn is_said_to_be(tokens: &[Token<'_>], at: usize) -> bool {
    let hedges = "about around roughly approximately nearly almost over under now currently just only already";
    let before = tokens[..at]
        .iter()
        .rev()
        .find(|token| !token.is_one_of(hedges));
    let brings = before.is_some_and(|token| {
        token.is_one_of("is was are were reached hit to at from equals totals be being became totaled exceeded passed 's") || token.is("=")
    });
    let names = tokens
        .get(at + 1)
        .is_some_and(|next| next.kind != Kind::Mark && !is_function_word(&next.lower));
    brings && !names
}

/// Whether it makes a number approximate: `about`, `more than`, `~`.
fn is_hedge(token: &Token<'_>) -> bool {
    token.is("~")
        || token.is_one_of(
            "about around roughly approximately nearly almost over under approx some than",
        )
}

fn unit(name: &str) -> Option<(&'static str, f64)> {
    UNITS
        .iter()
        .find(|(names, ..)| names.split_ascii_whitespace().any(|known| known == name))
        .map(|&(_, dimension, size)| (dimension, size))
}

/// The nouns after a number, up to the first plural.
fn counted(tokens: &[Token<'_>], start: usize) -> Range<usize> {
    for at in start..tokens.len().min(start + 5) {
        let token = &tokens[at];
        let allowed = token.is_one_of("new more other different additional extra");
        let joins = token.is_one_of("and or")
            && at > start
            && tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == Kind::Word && !is_function_word(&next.lower));
        if joins {
            continue;
        }
        let verb = token.is_one_of(PRESENT_VERBS) && at == start;
        if token.kind != Kind::Word || verb || (is_function_word(&token.lower) && !allowed) {
            break;
        }
        let plural = (token.lower.ends_with('s')
            && !token.lower.ends_with("ss")
            && !token.lower.ends_with("us"))
            || token.is_one_of(PLURALS);
        if plural {
            return start..at + 1;
        }
        if is_past_form(&token.lower) && at > start {
            break;
        }
    }
    start..start
}

/// The number that a token begins with (or names), and the rest of the token.
fn number(token: &Token<'_>) -> Option<(f64, String)> {
    if token.kind == Kind::Word {
        let value = NUMBER_WORDS
            .split_ascii_whitespace()
            .position(|word| word == token.lower)?;
        return (value > 0).then(|| (value as f64, String::new()));
    }
    if token.kind == Kind::Mark {
        return None;
    }
    let (currency, rest) = match token.lower.chars().next() {
        Some(sign @ ('$' | '€' | '£' | '¥')) => (Some(sign), &token.lower[sign.len_utf8()..]),
        _ => (None, token.lower.as_str()),
    };
    let length = rest
        .find(|character: char| !(character.is_ascii_digit() || matches!(character, ',' | '.')))
        .unwrap_or(rest.len());
    let number: f64 = rest[..length].replace(',', "").parse().ok()?;
    let (scale, suffix) = match &rest[length..] {
        "k" => (1e3, ""),
        "m" if currency.is_some() => (1e6, ""),
        suffix => (1.0, suffix),
    };
    let suffix = currency.map_or_else(|| suffix.to_owned(), |sign| sign.to_string());
    Some((number * scale, suffix))
}

/// Minutes since midnight.
fn clock(token: &Token<'_>, next: Option<&Token<'_>>, hours: f64, suffix: &str) -> Option<f64> {
    let half = ["am", "pm", "a.m", "p.m"]
        .into_iter()
        .find(|half| suffix.ends_with(half))
        .or_else(|| {
            next.filter(|next| next.is_one_of("am pm a.m p.m") && suffix.len() <= 3)
                .map(|next| {
                    if next.lower.starts_with('p') {
                        "pm"
                    } else {
                        "am"
                    }
                })
        });
    let minutes = suffix
        .strip_prefix(':')
        .and_then(|rest| rest.get(..2))
        .and_then(|minutes| minutes.parse::<f64>().ok());
    let whole = hours.fract() == 0.0 && (0.0..=24.0).contains(&hours);
    let only_clock = minutes.is_none_or(|minutes| minutes < 60.0) && token.kind == Kind::Number;
    if !whole || !only_clock || (half.is_none() && (minutes.is_none() || suffix.len() != 3)) {
        return None;
    }
    let hours = match half {
        Some(half) if half.starts_with('p') && hours < 12.0 => hours + 12.0,
        Some(half) if half.starts_with('a') && hours >= 12.0 => hours - 12.0,
        _ => hours,
    };
    Some(hours * 60.0 + minutes.unwrap_or(0.0))
}

/// Whether a value is part of a range: `5 or 6`, `between 5 and 7`, `5 to 7` (unless `from` marks a change).
fn is_in_range(tokens: &[Token<'_>], value: &Value) -> bool {
    let is_number = |at: usize| {
        tokens
            .get(at)
            .is_some_and(|token| number(token).is_some() || month(token).is_some())
    };
    let before = value.tokens.start.checked_sub(1).map(|at| &tokens[at]);
    let joined_before = before
        .is_some_and(|word| word.is_one_of("or to and") || word.is_one_of("-") || word.is("–"))
        && value.tokens.start >= 2
        && {
            let lower = value.tokens.start - 2;
            is_number(lower) || (is_unit_word(&tokens[lower]) && lower > 0 && is_number(lower - 1))
        };
    let after = tokens.get(value.tokens.end);
    let joined_after = after.is_some_and(|word| word.is_one_of("or to") || word.is("–"))
        && is_number(value.tokens.end + 1);
    let from = says(
        &tokens[value.tokens.start.saturating_sub(5)..value.tokens.start],
        "from",
    );
    let between = says(
        &tokens[value.tokens.start.saturating_sub(6)..value.tokens.start],
        "between",
    );
    between || ((joined_before || joined_after) && !from)
}

fn is_unit_word(token: &Token<'_>) -> bool {
    unit(&token.lower).is_some()
}

/// The dates in a sentence, as days since 1970.
pub(super) fn days(values: &[Value]) -> impl Iterator<Item = i64> {
    values
        .iter()
        .filter(|value| value.dimension == "date")
        .map(|value| value.amount as i64)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn check(text: &str, expected: &[(&str, f64)]) {
        let tokens = tokens(text, 0..text.len());
        let at = "2024-03-01T00:00:00Z".parse().unwrap();
        let found: Vec<(String, f64)> = values(&tokens, at, &mut Stems::default())
            .into_iter()
            .map(|value| (value.dimension, value.amount))
            .collect();
        let expected: Vec<(String, f64)> = expected
            .iter()
            .map(|(dimension, value)| ((*dimension).to_owned(), *value))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_come_to_base_units() {
        check("It takes 250ms or so", &[("time", 0.25)]);
        check(
            "We have 40 % now and 12 parking tickets",
            &[("percent", 40.0), ("count:ticket", 12.0)],
        );
        check(
            "due April 5th, 2024 at 3 PM",
            &[("date", 19_818.0), ("clock", 900.0)],
        );
        check(
            "due 5 April at 15:00",
            &[("date", 19_818.0), ("clock", 900.0)],
        );
        check(
            "on 2024-04-05 we pay $1,200",
            &[("date", 19_818.0), ("money:$", 1200.0)],
        );
        check("three red boats", &[("count:boat", 3.0)]);
    }

    #[test]
    fn ranges_and_versions_are_no_values() {
        check("between 5 and 7 boats", &[]);
        check("5 to 7 boats", &[]);
        check("from 5 to 7 boats", &[("number", 5.0), ("count:boat", 7.0)]);
        check("version 1.2.3 of 3.x", &[]);
        check("5-7 boats", &[]);
    }
}
