//! Date expressions: absolute and relative days, months and years.

mod forms;

use self::forms::{is_decade, is_dotted, is_iso};
use crate::reading::gazetteer::Class;
use crate::reading::tokens::{Shape, Tokens};

/// The number of tokens of the date expression that starts at `at`, if any: a day, time or longer period.
pub(super) fn date_at(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    match token.shape {
        Shape::Digit => digits(tokens, at),
        Shape::Lower | Shape::Capital | Shape::Upper => words(tokens, at),
        _ => None,
    }
}

fn before<'a>(tokens: &'a Tokens<'_>, at: usize) -> &'a str {
    tokens.lower(at.wrapping_sub(1))
}

fn words(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    let next = tokens.lower(at + 1);
    match &*token.lower {
        "today" | "tomorrow" | "yesterday" | "tonight" | "tmrw" | "tmr" | "heute" | "gestern"
        | "aujourd'hui" | "demain" | "hier" | "samedi" | "dimanche" | "lundi" | "mardi"
        | "mercredi" | "jeudi" | "vendredi" | "mañana" | "ayer" | "overmorrow" | "übermorgen"
        | "vorgestern" => return Some(1),
        "next" | "last" | "this" | "coming" | "past" | "nächsten" | "letzten" => {
            let long = one_of!(
                next,
                "week" "month" "year" "quarter" "weekend" "summer" "winter" "spring" "autumn" "fall"
                "semester" "decade" "century"
            );
            let part_of_day = matches!(
                (&*token.lower, next),
                ("this", "morning" | "afternoon" | "evening") | ("last", "night" | "evening")
            );
            let day = tokens.class(at + 1).is(Class::WEEKDAY)
                || (tokens.class(at + 1).is(Class::MONTH) && next != "mar");
            // "the last month of the project" and "this fall back" are not dates.
            let counts =
                before(tokens, at) == "the" && matches!(&*token.lower, "last" | "next" | "past");
            let verb = next == "fall" && tokens.lower(at + 2) == "back";
            if (long && !counts && !verb) || part_of_day || day {
                return Some(2);
            }
        }
        "first" | "second" | "third" if next == "of" && is_month(tokens, at + 2) => {
            return Some(3 + year_after(tokens, at + 3));
        }
        "in" | "within" => {
            let count = count_length(tokens, at + 1)?;
            let unit = tokens.get(at + 1 + count)?;
            let days = matches!(
                &*unit.lower,
                "days" | "day" | "weeks" | "week" | "months" | "month" | "years" | "year"
            );
            let goes_on = matches!(
                tokens.lower(at + 2 + count),
                "of" | "without" | "or" | "than" | "after" | "from"
            );
            return (token.lower == "in" && days && !goes_on && !is_past(tokens, at))
                .then_some(2 + count);
        }
        "the"
            if next == "day"
                && matches!(tokens.lower(at + 2), "before" | "after")
                && matches!(tokens.lower(at + 3), "yesterday" | "tomorrow") =>
        {
            return Some(4);
        }
        "summer" | "winter" | "spring" | "autumn" | "fall" => {
            let of = usize::from(next == "of");
            return is_year(tokens, at + 1 + of).then_some(2 + of);
        }
        "q1" | "q2" | "q3" | "q4" | "h1" | "h2"
            if token.shape != Shape::Lower || is_year(tokens, at + 1) =>
        {
            return Some(1 + year_after(tokens, at + 1));
        }
        _ => {}
    }
    if let Some(count) = count_length(tokens, at) {
        return ago(tokens, at, count);
    }
    if token.class.is(Class::WEEKDAY) {
        return weekday(tokens, at);
    }
    if is_month(tokens, at) {
        return Some(month(tokens, at));
    }
    None
}

/// Whether `in three days` is a duration, because the verb before it is in the past.
fn is_past(tokens: &Tokens<'_>, at: usize) -> bool {
    let sentence = tokens.sentence_of(at);
    tokens.all[sentence.start..at]
        .iter()
        .rev()
        .take(4)
        .any(|token| {
            token.lower.ends_with("ed")
                || one_of!(
                    &*token.lower,
                    "done" "built" "took" "was" "were" "made" "lost" "times" "once" "twice"
                )
        })
}

/// The number of tokens of a count: `3`, `two`, `a couple of`.
fn count_length(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    let next = tokens.lower(at + 1);
    match &*token.lower {
        "a" if matches!(next, "few") => Some(2),
        "a" if next == "couple" => Some(if tokens.lower(at + 2) == "of" { 3 } else { 2 }),
        "a" | "an" | "one" | "two" | "three" | "four" | "five" | "six" | "seven" | "eight"
        | "nine" | "ten" | "eleven" | "twelve" | "several" | "few" | "many" => Some(1),
        digits
            if token.shape == Shape::Digit
                && digits.len() <= 3
                && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            Some(1)
        }
        _ => None,
    }
}

fn ago(tokens: &Tokens<'_>, at: usize, count: usize) -> Option<usize> {
    let unit = tokens
        .get(at + count)
        .filter(|unit| unit.class.is(Class::UNIT_OF_TIME))?;
    let long = !matches!(
        &*unit.lower,
        "hour" | "hours" | "minute" | "minutes" | "second" | "seconds"
    );
    let after = tokens.lower(at + count + 1);
    let from_now = after == "from" && matches!(tokens.lower(at + count + 2), "now" | "today");
    match after {
        "ago" if long => Some(count + 2),
        "from" if from_now && long => Some(count + 3),
        _ => None,
    }
}

fn is_month(tokens: &Tokens<'_>, at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.class.is(Class::MONTH)) else {
        return false;
    };
    let near_number =
        is_day(tokens, at + 1) || is_year(tokens, at + 1) || is_day(tokens, at.wrapping_sub(1));
    let previous = before(tokens, at);
    let led = one_of!(
        previous,
        "in" "since" "until" "till" "by" "early" "late" "mid" "last" "next" "this" "of" "from"
        "through" "before" "after" "every" "during"
    );
    match &*token.lower {
        "may" | "march" | "mar" | "jan" | "sep" | "dec" | "nov" | "oct" | "jun" | "jul" | "feb"
        | "apr" | "aug" | "sept" | "mai" | "juni" | "juli" | "april" | "june" | "august" => {
            near_number
                || (token.shape == Shape::Capital
                    && (led
                        || (!token.begins
                            && !matches!(&*token.lower, "may" | "april" | "june" | "jan" | "mai"))))
                || (token.shape == Shape::Lower && led && token.lower.len() > 3)
        }
        _ => true,
    }
}

/// Whether a token is a day of a month: `3`, `22nd`, `3-5`.
fn is_day(tokens: &Tokens<'_>, at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.shape == Shape::Digit) else {
        return false;
    };
    let first = token.lower.split(['-', '–']).next().unwrap_or("");
    let digits = first.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let suffix = &first[digits.len()..];
    digits
        .parse::<u8>()
        .is_ok_and(|day| (1..=31).contains(&day))
        && matches!(suffix, "" | "st" | "nd" | "rd" | "th")
}

fn is_year(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.get(at).is_some_and(|token| {
        token.lower.len() == 4
            && token
                .lower
                .parse::<u16>()
                .is_ok_and(|year| (1500..2100).contains(&year))
    })
}

/// The number of tokens of the year after a date: `2024`, `, 2024`, `of 2024`.
fn year_after(tokens: &Tokens<'_>, at: usize) -> usize {
    if is_year(tokens, at) {
        return 1;
    }
    let joined = matches!(tokens.lower(at), "," | "of");
    if joined && is_year(tokens, at + 1) {
        2
    } else {
        0
    }
}

fn month(tokens: &Tokens<'_>, at: usize) -> usize {
    if is_year(tokens, at + 1) {
        return 2;
    }
    if is_day(tokens, at + 1) && !followed_by_unit(tokens, at + 2) {
        return 2 + year_after(tokens, at + 2);
    }
    if tokens.lower(at + 1) == "of" && is_year(tokens, at + 2) {
        return 3;
    }
    1
}

fn followed_by_unit(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(
        tokens.lower(at),
        "%" | "people" | "times" | "percent" | "km" | "kg" | "hours" | "€" | "$"
    )
}

fn weekday(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    let short = matches!(
        &*token.lower,
        "mon" | "tue" | "tues" | "wed" | "thu" | "thur" | "thurs" | "fri" | "sat" | "sun"
    );
    let comma = usize::from(tokens.lower(at + 1) == ",");
    let rest = at + 1 + comma;
    let the = usize::from(tokens.lower(rest) == "the");
    let date = if is_month(tokens, rest) {
        Some(month(tokens, rest))
            .filter(|length| *length > 1)
            .map(|length| rest - at + length)
    } else if the == 1
        && ["th", "st", "nd"]
            .iter()
            .any(|ending| tokens.lower(rest + 1).ends_with(ending))
        && day_then_month(tokens, rest + 1).is_none()
        && is_day(tokens, rest + 1)
    {
        Some(rest + 2 - at)
    } else if is_day(tokens, rest + the) {
        day_then_month(tokens, rest + the).map(|length| rest + the - at + length)
    } else {
        None
    };
    if date.is_some() {
        return date;
    }
    if short
        && (token.shape == Shape::Lower || token.begins)
        && !matches!(before(tokens, at), "on" | "next" | "last" | "by" | "until")
    {
        return None;
    }
    Some(1)
}

fn day_then_month(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let gap = usize::from(matches!(tokens.lower(at + 1), "." | "of"));
    let month = at + 1 + gap;
    (is_day(tokens, at) && tokens.class(month).is(Class::MONTH))
        .then(|| 2 + gap + year_after(tokens, month + 1))
}

fn digits(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let text = &*tokens.get(at)?.lower;
    if is_iso(text) || is_dotted(text) || is_decade(text) {
        return Some(1);
    }
    if let Some(length) = day_then_month(tokens, at) {
        return Some(length);
    }
    // "8 to 12 June"
    if is_day(tokens, at)
        && matches!(tokens.lower(at + 1), "to" | "-" | "–" | "and" | "bis")
        && let Some(length) = day_then_month(tokens, at + 2)
    {
        return Some(2 + length);
    }
    if let Some(length) = clock(tokens, at) {
        return Some(length);
    }
    if let Some(count) = count_length(tokens, at)
        && let Some(length) = ago(tokens, at, count)
    {
        return Some(length);
    }
    if is_year(tokens, at) && is_year_in_context(tokens, at) {
        return Some(1);
    }
    let ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .any(|ending| text.ends_with(ending));
    (ordinal && is_day_in_context(tokens, at)).then_some(1)
}

/// `6:40 am`, `2pm`, `21h`, and `21:15` after a word such as `at`.
fn clock(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let text = &*tokens.get(at)?.lower;
    let split = tokens.get(at + 1).is_some_and(|mark| {
        mark.is_mark(":")
            && !mark.spaced
            && tokens
                .get(at + 2)
                .is_some_and(|minutes| !minutes.spaced && minutes.text.len() == 2)
    });
    let length = if split { 3 } else { 1 };
    let half = |word: &str| matches!(word, "am" | "pm" | "uhr");
    let (hours, suffix) = text.split_at(
        text.find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    if !hours.parse::<u8>().is_ok_and(|hour| hour < 25) {
        return None;
    }
    let minutes = suffix.strip_prefix(':').is_some_and(|minutes| {
        minutes.len() == 2 && minutes.bytes().all(|byte| byte.is_ascii_digit())
    });
    if half(tokens.lower(at + length)) && (suffix.is_empty() || minutes) {
        return Some(length + 1);
    }
    if !split && (half(suffix) || (suffix == "h" && before(tokens, at) == "à")) {
        return Some(1);
    }
    let led = one_of!(
        before(tokens, at),
        "at" "around" "until" "till" "by" "before" "after" "um" "gegen" "à" "from"
    );
    (led && (minutes || split)).then_some(length)
}

fn is_year_in_context(tokens: &Tokens<'_>, at: usize) -> bool {
    let led = one_of!(
        before(tokens, at),
        "in" "since" "until" "till" "by" "from" "during" "before" "after" "around" "early" "late"
        "mid" "year" "of" "(" "ca" "circa" "seit" "im" "en"
    );
    let next = tokens.get(at + 1);
    let counted = next.is_some_and(|next| {
        (next.is_word() && !next.class.is(Class::FUNCTION) && !next.class.is(Class::FOREIGN))
            || matches!(next.text, "%" | "€" | "$" | "°" | "-")
    });
    let amount = matches!(before(tokens, at), "of" | "from" | "by" | "after")
        && next.is_some_and(|next| next.lower == "to");
    led && !counted && !amount
}

fn is_day_in_context(tokens: &Tokens<'_>, at: usize) -> bool {
    let led = before(tokens, at) == "the"
        && at.checked_sub(2).is_some_and(|at| {
            one_of!(
                tokens.lower(at),
                "on" "by" "until" "is" "was" "from" "since" "before" "after" "to" ":" "."
            )
        });
    let first = before(tokens, at) == "the" && at == 1;
    let ends = tokens.get(at + 1).is_none_or(|next| {
        next.shape == Shape::Mark
            || matches!(
                &*next.lower,
                "and" | "becomes" | "at" | "or" | "to" | "because" | "for"
            )
    });
    is_day(tokens, at) && ((led && ends) || (first && tokens.lower(at + 1) == "becomes"))
}
