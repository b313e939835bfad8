//! Numbers in a sentence: amounts with units, ages, versions.

use super::sentence::{Kind, Sentence};
use crate::reading::Term;

/// A number with its unit, in its original wording.
pub(super) struct Amount {
    pub(super) text: String,
    pub(super) end: usize,
    pub(super) money: bool,
    pub(super) unit: bool,
}

pub(super) fn amount(sentence: &Sentence<'_>, at: usize) -> Option<Amount> {
    let mut start = at;
    while one_of!(
        sentence.lower(start),
        "about" "around" "roughly" "approximately" "at" "only" "~" "just" "now" "currently" "nearly"
        "almost"
    ) && start < at + 3
    {
        start += 1;
    }
    let sign = matches!(sentence.lower(start), "$" | "€" | "£" | "−" | "-" | "¥");
    let number = start + usize::from(sign);
    if !sentence.is(number, Kind::Number) {
        return None;
    }
    let mut end = number + 1;
    let mut money = matches!(sentence.lower(start), "$" | "€" | "£" | "¥");
    let mut unit = money || sentence.lower(number).ends_with(char::is_alphabetic);
    while end < number + 4 && is_unit(sentence.lower(end)) {
        money |= matches!(
            sentence.lower(end),
            "€" | "$" | "£" | "euro" | "euros" | "dollars" | "usd" | "eur" | "cents" | "francs"
        );
        unit = true;
        end += 1;
    }
    let per = (matches!(sentence.lower(end), "a" | "an" | "per" | "each" | "every")
        && is_unit(sentence.lower(end + 1)))
        || (matches!(sentence.lower(end), "/") && end + 1 < sentence.items.len());
    if per {
        end += 2;
    }
    let end = end.min(sentence.items.len());
    Some(Amount {
        text: sentence.text(start..end),
        end,
        money,
        unit,
    })
}

fn is_unit(lower: &str) -> bool {
    one_of!(
        lower,
        "%" "€" "$" "£" "°" "ms" "s" "sec" "second" "seconds" "min" "minute" "minutes" "hour"
        "hours" "h" "day" "days" "week" "weeks" "month" "months" "year" "years" "kb" "mb" "gb" "tb"
        "kg" "g" "mg" "ml" "l" "km" "m" "cm" "mm" "px" "percent" "euro" "euros" "dollars" "usd"
        "eur" "cents" "pounds" "rows" "requests" "users" "people" "points" "bytes" "cores" "°c" "c"
        "mph" "kb/s" "rpm" "bpm" "kcal" "calories" "francs"
    )
}

/// Whether a name ends with a measured quantity: `timeout`, `rent`.
pub(super) fn is_measure(name: &str) -> bool {
    let last = name.rsplit(' ').next().unwrap_or(name);
    one_of!(
        last,
        "port" "timeout" "limit" "size" "threshold" "interval" "rate" "version" "budget" "price"
        "rent" "salary" "weight" "height" "temperature" "score" "default" "value" "id" "code"
        "count" "ttl" "latency" "p50" "p95" "p99" "quota" "retention" "distance" "dose" "dosage"
        "target" "capacity" "length" "duration" "balance" "fee" "cost" "level" "coverage" "speed"
        "age" "income" "goal" "maximum" "minimum" "max" "min" "pressure" "gpa" "deposit" "mortgage"
        "median" "mean" "average" "frequency" "window" "delay" "lifetime" "memory" "ram" "usage"
        "accuracy" "width" "depth" "area"
    )
}

/// Whether a number after `Anna is` is her age.
pub(super) fn is_age(sentence: &Sentence<'_>, number: usize, end: usize) -> bool {
    let years = sentence
        .lower(number)
        .parse::<u16>()
        .is_ok_and(|years| (1..=110).contains(&years));
    let said = sentence.lower(end) == "old" || sentence.lower(number + 1) == "years";
    let alone = end == number + 1
        && one_of!(
            sentence.lower(end),
            "," "." "" "!" ";" ")" "and" "now" "today" "on" "last" "this" "yesterday" "in"
        );
    years && (said || alone)
}

/// `3.2` of `PostgreSQL 3.2`.
pub(super) fn version_number(name: &str) -> Term {
    Term::Value(name.rsplit(' ').next().unwrap_or(name).to_owned())
}
