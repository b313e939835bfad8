//! A person's own list of names to look for.

use aho_corasick::{AhoCorasick, MatchKind};

/// Names of people. Matches whole words, without regard to ASCII case.
#[derive(Clone, Debug, Default)]
pub struct Names {
    automaton: Option<AhoCorasick>,
}

impl Names {
    /// The most names of a list.
    pub const MAX: usize = 10_000;

    /// A list of names; empty ones, and those after the first [`Names::MAX`], are ignored.
    pub fn new<'name>(names: impl IntoIterator<Item = &'name str>) -> Self {
        let names = names
            .into_iter()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let names: Vec<_> = names.take(Self::MAX).collect();
        if names.is_empty() {
            return Self::default();
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(names);
        Self {
            automaton: automaton.ok(),
        }
    }

    /// The places of the names in a text, in bytes. O(bytes).
    pub(crate) fn places(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        let Some(automaton) = &self.automaton else {
            return Vec::new();
        };
        let found = automaton.find_iter(text).map(|found| found.range());
        found.filter(|place| is_whole(text, place)).collect()
    }
}

/// Whether no letter or digit touches the place.
pub(crate) fn is_whole(text: &str, place: &std::ops::Range<usize>) -> bool {
    let before = text[..place.start].chars().next_back();
    let after = text[place.end..].chars().next();
    ![before, after]
        .into_iter()
        .flatten()
        .any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_whole_words() {
        let names = Names::new(["Ada Lind", "Ada", " "]);
        assert_eq!(names.places("ada lind and Adam, ADA."), [0..8, 19..22]);
        assert!(Names::default().places("Ada").is_empty());
    }
}
