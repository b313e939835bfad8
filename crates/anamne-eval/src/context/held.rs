//! Whether a block contains a record.

use std::collections::BTreeSet;

use anamne::Context;
use anamne::text::quote::MARK;

use crate::corpus::{Query, Record};

/// Minimum share of a shortened record's words that the passage must contain.
const MIN_WORD_SHARE: f64 = 2.0 / 3.0;

/// How much of a record a block contains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inclusion {
    /// Nothing, or too little.
    Not,
    /// A passage with most of its words, or with all its words of the answer.
    InPart,
    /// Verbatim.
    Whole,
}

/// How much of a record, cited as `citation`, a context contains.
pub(crate) fn held(context: &Context, citation: &str, record: &Record, query: &Query) -> Inclusion {
    let Some(entry) = context
        .entries
        .iter()
        .find(|entry| entry.citation == citation)
    else {
        return Inclusion::Not;
    };
    if !entry.shortened {
        return Inclusion::Whole;
    }
    let passages: Vec<String> = lines_of(&context.text, citation)
        .into_iter()
        .flat_map(|line| words(&line))
        .collect();
    let shown: BTreeSet<&str> = passages.iter().map(String::as_str).collect();
    let whole = words(&record.text);
    let kept = whole
        .iter()
        .filter(|word| shown.contains(word.as_str()))
        .count();
    if kept as f64 >= MIN_WORD_SHARE * whole.len() as f64 {
        return Inclusion::InPart;
    }
    let whole: BTreeSet<&str> = whole.iter().map(String::as_str).collect();
    let answer = words(&query.answer_text());
    let mut writing = answer
        .iter()
        .filter(|word| whole.contains(word.as_str()) && is_distinctive(word))
        .peekable();
    if writing.peek().is_some() && writing.all(|word| shown.contains(word.as_str())) {
        return Inclusion::InPart;
    }
    Inclusion::Not
}

/// The lines of an entry: from its citation at the start of a line to the next entry or heading.
fn lines_of(block: &str, citation: &str) -> Vec<String> {
    let begins = format!("[{citation}]");
    let mut found = Vec::new();
    let mut is_within = false;
    for line in block.lines() {
        if !line.starts_with(MARK) {
            is_within = line.starts_with(&begins);
        }
        if is_within {
            found.push(line.to_owned());
        }
    }
    found
}

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Words of up to three letters occur in every passage and don't count; numbers count at any length.
fn is_distinctive(word: &str) -> bool {
    word.chars().count() > 3 || word.chars().all(char::is_numeric)
}
