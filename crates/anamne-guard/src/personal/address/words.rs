//! The words around a house number.

use super::MOST;
use super::lists::{self, streets};

const MOST_WORDS: usize = 6;

/// A word with its place.
#[derive(Clone, Copy, Default)]
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
    pub(super) fn is_in(&self, list: &lists::Words) -> bool {
        list.may_have(self.text) && list.have(self.bare())
    }

    pub(super) fn is_small(&self) -> bool {
        let is_elided = self.text.contains(['\'', '’']);
        let starts = ["d'", "l'", "d’", "l’"];
        self.is_in(&streets().small)
            || (is_elided && starts.iter().any(|start| self.text.starts_with(start)))
    }
}

/// A few words.
pub(super) struct Words<'text> {
    all: [Word<'text>; MOST_WORDS],
    count: usize,
}

impl<'text> Words<'text> {
    /// The first words, up to one that is empty.
    fn of(words: impl Iterator<Item = Word<'text>>) -> Self {
        let mut all = [Word::default(); MOST_WORDS];
        let mut count = 0;
        let words = words.take_while(|word| !word.text.is_empty());
        for (place, word) in all.iter_mut().zip(words) {
            *place = word;
            count += 1;
        }
        Self { all, count }
    }
}

impl<'text> std::ops::Deref for Words<'text> {
    type Target = [Word<'text>];

    fn deref(&self) -> &Self::Target {
        &self.all[..self.count]
    }
}

/// The next words on the line, split at single blanks.
pub(super) fn words_after(text: &str, from: usize) -> Words<'_> {
    let mut bound = text.len().min(from + MOST);
    while !text.is_char_boundary(bound) {
        bound -= 1;
    }
    let ends = |byte: &u8| {
        matches!(
            byte,
            b'\n' | b'\r' | b'\t' | b'"' | b'<' | b'|' | b';' | b'\\'
        )
    };
    let length = text.as_bytes()[from..bound].iter().position(ends);
    let rest = &text[from..length.map_or(bound, |length| from + length)];
    let mut start = from;
    Words::of(rest.split(' ').map(|text| {
        let word = Word { text, start };
        start += text.len() + 1;
        word
    }))
}

/// The words before a place on the line, nearest first.
pub(super) fn words_before(text: &str, to: usize) -> Words<'_> {
    let mut bound = to.saturating_sub(MOST);
    while !text.is_char_boundary(bound) {
        bound += 1;
    }
    let begins = |byte: &u8| {
        matches!(
            byte,
            b'\n' | b'\r' | b'\t' | b'(' | b'"' | b':' | b'=' | b';' | b'>'
        )
    };
    let before = text.as_bytes()[bound..to].iter().rposition(begins);
    let rest = &text[before.map_or(bound, |length| bound + length + 1)..to];
    let mut end = to;
    Words::of(rest.rsplit(' ').map(|text| {
        let start = end - text.len();
        end = start.saturating_sub(1);
        Word { text, start }
    }))
}
