//! The words around a house number.

use std::collections::BTreeSet;

use super::MOST;
use super::lists::streets;
use crate::case::with_lower;

const MOST_WORDS: usize = 6;

/// A word with its place.
#[derive(Clone, Copy)]
pub(super) struct Word<'text> {
    pub(super) text: &'text str,
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is_capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Without its stop, comma or other sign at the end.
    pub(super) fn bare(&self) -> &str {
        self.text
            .trim_end_matches(|one: char| !one.is_alphanumeric())
    }

    /// Whether a list has it, without regard to capitals and signs at its end.
    pub(super) fn is_in(&self, list: &BTreeSet<&str>) -> bool {
        with_lower(self.bare(), |key| list.contains(key))
    }

    pub(super) fn is_small(&self) -> bool {
        let is_elided = self.text.contains(['\'', '’']);
        let starts = ["d'", "l'", "d’", "l’"];
        self.is_in(&streets().small)
            || (is_elided && starts.iter().any(|start| self.text.starts_with(start)))
    }
}

/// The next words on the line, split at single blanks.
pub(super) fn words_after(text: &str, from: usize) -> Vec<Word<'_>> {
    let mut bound = text.len().min(from + MOST);
    while !text.is_char_boundary(bound) {
        bound -= 1;
    }
    let rest = &text[from..bound];
    let rest = rest
        .split(['\n', '\r', '\t', '"', '<', '|', ';', '\\'])
        .next()
        .unwrap_or_default();
    let mut start = from;
    let words = rest.split(' ').map(|text| {
        let word = Word { text, start };
        start += text.len() + 1;
        word
    });
    words
        .take_while(|word| !word.text.is_empty())
        .take(MOST_WORDS)
        .collect()
}

/// The words before a place on the line, nearest first.
pub(super) fn words_before(text: &str, to: usize) -> Vec<Word<'_>> {
    let mut bound = to.saturating_sub(MOST);
    while !text.is_char_boundary(bound) {
        bound += 1;
    }
    let rest = &text[bound..to];
    let rest = rest
        .rsplit(['\n', '\r', '\t', '(', '"', ':', '=', ';', '>'])
        .next()
        .unwrap_or_default();
    let mut end = to;
    let words = rest.rsplit(' ').map(|text| {
        let start = end - text.len();
        end = start.saturating_sub(1);
        Word { text, start }
    });
    words
        .take_while(|word| !word.text.is_empty())
        .take(MOST_WORDS)
        .collect()
}
