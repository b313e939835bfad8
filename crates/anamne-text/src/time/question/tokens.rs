//! Splits a question into words, each with its time-related meaning.

use std::ops::Range;

use jiff::civil::Date;

use super::super::written::{clock, is_number};
use super::vocabulary::{Word, meaning};

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'q> {
    pub(super) text: &'q str,
    /// Its start in the question, in bytes.
    pub(super) start: usize,
    pub(super) word: Word,
    /// Whether a clause may end after it.
    pub(super) stop: bool,
    /// Whether only a comma follows.
    pub(super) comma: bool,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether it is one of these words, ignoring case.
    pub(super) fn is_one_of(&self, words: &str) -> bool {
        let mut listed = words.split(' ');
        listed.any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// The words of a question, in order. Text in double quotes or backticks is not parsed for times, unless all of it is a
/// time.
pub(super) fn tokens(question: &str) -> Vec<Token<'_>> {
    let mut found = Vec::with_capacity(question.len() / 5 + 2);
    let mut at = 0;
    for piece in question.split_inclusive(char::is_whitespace) {
        let stretch = piece.trim_end();
        if !stretch.is_empty() {
            chunk(question, at..at + stretch.len(), &mut found);
        }
        at += piece.len();
    }
    silence_quotes(question, &mut found);
    found
}

/// Splits a run without spaces into tokens.
fn chunk<'q>(question: &'q str, range: Range<usize>, found: &mut Vec<Token<'q>>) {
    let text = &question[range.clone()];
    if let Some((year, width)) = short_year(text) {
        let end = range.start + width;
        found.push(token(question, range.start..end, Word::Number(year, 4)));
        if let Some(last) = found.last_mut() {
            last.stop = end < range.end;
            last.comma = &text[width..] == ",";
        }
        return;
    }
    let front = text.trim_start_matches(is_border);
    let start = range.end - front.len();
    if front.len() < text.len()
        && text.starts_with(['–', '—', '-'])
        && let Some(before) = found.last_mut()
        && front.is_empty()
    {
        before.stop |= text.starts_with('—');
        found.push(token(question, range, Word::Dash));
        return;
    }
    let core = front.trim_end_matches(is_border);
    if core.is_empty() {
        if let Some(before) = found.last_mut() {
            before.stop = true;
        }
        return;
    }
    let behind = &front[core.len()..];
    if front.len() < text.len()
        && let Some(before) = found.last_mut()
    {
        before.stop = true;
    }
    words(question, start..start + core.len(), found);
    if let Some(last) = found.last_mut() {
        let abbreviates = behind.starts_with('.') && behind.len() == 1 && shortens(last);
        last.comma = behind == ",";
        last.stop = !behind.is_empty() && !abbreviates;
    }
}

/// `'25` with its length in bytes.
fn short_year(text: &str) -> Option<(u32, usize)> {
    let digits = text.strip_prefix(['\'', '’'])?;
    let two = digits.get(..2).filter(|two| is_number(two, 2))?;
    let ends = digits[2..]
        .chars()
        .all(|letter| matches!(letter, ',' | '.' | '?' | '!' | ';' | ':' | ')'));
    let year: u32 = two.parse().ok()?;
    let century = if year < 50 { 2000 } else { 1900 };
    ends.then(|| (century + year, text.len() - digits.len() + 2))
}

/// Whether a full stop marks an abbreviation: `Dec. 2024`, `3. März`, `a.m.`.
fn shortens(token: &Token<'_>) -> bool {
    match token.word {
        Word::Number(_, digits) => digits <= 2,
        Word::Month(..) | Word::Weekday(..) => token.text.len() <= 5,
        Word::Meridiem(_) => true,
        _ => false,
    }
}

fn is_border(letter: char) -> bool {
    !letter.is_alphanumeric() && !matches!(letter, '_' | '$' | '#' | '@' | '%' | '/' | '\\')
}

/// Words that are written together with the next one.
const ELIDED: [(&str, Word); 8] = [
    ("l'", Word::ForeignLead),
    ("L'", Word::ForeignLead),
    ("l’", Word::ForeignLead),
    ("L’", Word::ForeignLead),
    ("d'", Word::ForeignLead),
    ("d’", Word::ForeignLead),
    ("jusqu'", Word::Until),
    ("jusqu’", Word::Until),
];

fn words<'q>(question: &'q str, range: Range<usize>, found: &mut Vec<Token<'q>>) {
    let text = &question[range.clone()];
    let whole = word(text);
    if whole != Word::Other {
        found.push(token(question, range, whole));
        return;
    }
    for mark in ["'s", "’s"] {
        if let Some(owner) = text.strip_suffix(mark) {
            let word = meaning(owner);
            let word = match word {
                Word::Pronoun | Word::Now => Word::Function,
                word => word,
            };
            found.push(token(question, range, word));
            return;
        }
    }
    for (article, word) in ELIDED {
        if let Some(rest) = text.strip_prefix(article)
            && meaning(rest) != Word::Other
        {
            let border = range.end - rest.len();
            found.push(token(question, range.start..border, word));
            found.push(token(question, border..range.end, meaning(rest)));
            return;
        }
    }
    if let Some((mark, width)) = dash(text) {
        let (left, right) = (word(&text[..mark]), word(&text[mark + width..]));
        if joins(left, right) {
            let border = range.start + mark;
            found.push(token(question, range.start..border, left));
            if !matches!(left, Word::Mid | Word::Early | Word::Late) {
                found.push(token(question, border..border + width, Word::Dash));
            }
            found.push(token(question, border + width..range.end, right));
            return;
        }
    }
    found.push(token(question, range, Word::Other));
}

fn token(question: &str, range: Range<usize>, word: Word) -> Token<'_> {
    Token {
        start: range.start,
        text: &question[range],
        word,
        stop: false,
        comma: false,
    }
}

/// The position and length of the first inner dash, in bytes.
fn dash(text: &str) -> Option<(usize, usize)> {
    let at = text.find(['-', '–', '—'])?;
    let width = text[at..].chars().next()?.len_utf8();
    (at > 0 && at + width < text.len()).then_some((at, width))
}

fn joins(left: Word, right: Word) -> bool {
    let is_time = |word| is_word!(word, Month(..) Weekday(..) Quarter(_) Date(_));
    let is_part = |word| matches!(word, Word::Season(..) | Word::Unit(..) | Word::Number(_, 4));
    match (left, right) {
        (Word::Mid | Word::Early | Word::Late, right) => is_time(right) || is_part(right),
        (Word::Number(low, digits), Word::Number(high, width)) => {
            low < high && ((digits == 4 && width == 4) || (digits <= 2 && width <= 2))
        }
        (left, right) => is_time(left) && is_time(right),
    }
}

fn word(text: &str) -> Word {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        digits(text)
    } else {
        meaning(text)
    }
}

fn digits(text: &str) -> Word {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(length);
    if length > 9 {
        return Word::Other;
    }
    let value: u32 = number.parse().unwrap_or_default();
    match rest {
        "" => Word::Number(value, length as u8),
        "st" | "nd" | "rd" | "th" if (1..=31).contains(&value) => Word::OrdinalDigits(value as u8),
        "er" if value == 1 => Word::OrdinalDigits(1),
        "s" if length == 4 && value.is_multiple_of(10) && (1700..2100).contains(&value) => {
            Word::Decade(value as i16)
        }
        "s" if length == 2 && value.is_multiple_of(10) && value >= 50 => {
            Word::Decade(1900 + value as i16)
        }
        _ => clock(text).map_or_else(|| date(text), Word::Clock),
    }
}

/// `2026-03-01`, `2026-03`, `2026-Q1`, `1.3.2026`, and `25/12/2026` if only one order is possible.
fn date(text: &str) -> Word {
    if let Some((year, rest)) = text.split_once('-')
        && is_number(year, 4)
    {
        let year: i16 = year.parse().unwrap_or_default();
        if !(1900..2100).contains(&year) {
            return Word::Other;
        }
        if let Some(quarter) = rest.strip_prefix(['q', 'Q']) {
            let quarter = quarter.parse().unwrap_or(0);
            return match quarter {
                1..=4 => Word::QuarterOfYear(year, quarter),
                _ => Word::Other,
            };
        }
        return match rest.len() {
            2 => match rest.parse() {
                Ok(month @ 1..=12) => Word::YearMonth(year, month),
                _ => Word::Other,
            },
            5 => text.parse::<Date>().map_or(Word::Other, Word::Date),
            _ if text.parse::<jiff::civil::DateTime>().is_ok() => Word::Instant,
            _ => Word::Other,
        };
    }
    let Some(mark @ ('.' | '/')) = text.chars().find(|letter| !letter.is_ascii_digit()) else {
        return Word::Other;
    };
    let mut fields = text.split(mark);
    let (Some(first), Some(second), Some(year), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Word::Other;
    };
    if first.len() > 2 || second.len() > 2 || !is_number(year, 4) {
        return Word::Other;
    }
    let (Ok(first), Ok(second), Ok(year)) = (first.parse(), second.parse(), year.parse()) else {
        return Word::Other;
    };
    let (day, month) = match mark {
        '.' => (first, second),
        _ if first == second || first > 12 => (first, second),
        _ if second > 12 => (second, first),
        _ if (1..=12).contains(&first) && (1..=12).contains(&second) => return Word::AmbiguousDate,
        _ => return Word::Other,
    };
    match Date::new(year, month, day) {
        Ok(date) if (1900..2100).contains(&year) => Word::Date(date),
        _ => Word::Other,
    }
}

fn silence_quotes(question: &str, tokens: &mut [Token<'_>]) {
    if !question.contains(['"', '`', '“']) {
        return;
    }
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return;
    };
    let (first, last) = (first.start, last.start);
    let mut marks = question
        .char_indices()
        .filter(|(_, letter)| matches!(letter, '"' | '`' | '“' | '”'))
        .map(|(at, _)| at);
    let mut next = 0;
    while let (Some(open), Some(close)) = (marks.next(), marks.next()) {
        if open <= first && close >= last {
            return;
        }
        while tokens.get(next).is_some_and(|token| token.start < open) {
            next += 1;
        }
        while tokens.get(next).is_some_and(|token| token.start < close) {
            tokens[next].word = Word::Other;
            next += 1;
        }
    }
}
