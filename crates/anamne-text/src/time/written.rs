//! Counts and clock times as written.

use jiff::civil::Time;

pub(super) fn is_number(word: &str, digits: usize) -> bool {
    word.len() == digits && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn number(word: &str) -> Option<i16> {
    word.parse().ok()
}

/// A count in digits (at most nine) or as an English word.
pub(super) fn count_of(word: &str) -> Option<i64> {
    const WORDS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    let named = WORDS
        .iter()
        .position(|name| *name == word)
        .map(|at| at as i64 + 1);
    let digits =
        !word.is_empty() && word.len() <= 9 && word.bytes().all(|byte| byte.is_ascii_digit());
    named.or_else(|| if digits { word.parse().ok() } else { None })
}

/// `3d` as `3` and `d`.
pub(super) fn split_count(word: &str) -> Option<(&str, &str)> {
    let border = word.find(|letter: char| !letter.is_ascii_digit())?;
    (border > 0).then(|| word.split_at(border))
}

/// `9:30`, `14:00`, `14:00:05`, `2pm`, `2:30pm`.
pub(super) fn clock(word: &str) -> Option<Time> {
    let lower = word.to_ascii_lowercase();
    let (digits, afternoon) = match (lower.strip_suffix("pm"), lower.strip_suffix("am")) {
        (Some(digits), _) => (digits, Some(true)),
        (_, Some(digits)) => (digits, Some(false)),
        _ => (lower.as_str(), None),
    };
    let fields: Vec<&str> = digits.trim_end().split(':').collect();
    let lone_hour = fields.len() == 1 && afternoon.is_none();
    if lone_hour
        || fields.len() > 3
        || fields
            .iter()
            .any(|field| field.is_empty() || field.len() > 2)
    {
        return None;
    }
    let mut values = [0_i8; 3];
    for (value, field) in values.iter_mut().zip(&fields) {
        *value = field
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| field.parse().ok())??;
    }
    let hour = match afternoon {
        Some(_) if !(1..=12).contains(&values[0]) => return None,
        Some(afternoon) => values[0] % 12 + if afternoon { 12 } else { 0 },
        None => values[0],
    };
    Time::new(hour, values[1], values[2], 0).ok()
}
