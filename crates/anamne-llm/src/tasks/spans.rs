//! Locates names and values from a model's answer in the original text.

use std::ops::Range;

/// A text that is searched regardless of white space, and of case if necessary.
pub(super) struct Searched<'text> {
    text: &'text str,
    exact: NormalisedText,
    lower: NormalisedText,
}

/// A normalised text, with the original position of each byte's character.
struct NormalisedText {
    text: String,
    places: Vec<usize>,
}

impl<'text> Searched<'text> {
    /// O(bytes).
    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text,
            exact: NormalisedText::new(text, |character, out| out.push(character)),
            lower: NormalisedText::new(text, |character, out| out.extend(character.to_lowercase())),
        }
    }

    /// Occurrences of a name as a separate word: with exact case, or if there are none, with any case.
    pub(super) fn occurrences(&self, name: &str) -> Vec<Range<usize>> {
        let exact = self.occurrences_in(&self.exact, &single_blanks(name));
        if exact.is_empty() {
            self.occurrences_in(&self.lower, &folded(name))
        } else {
            exact
        }
    }

    /// Whether `wanted` occurs within `span`, in any case.
    pub(super) fn holds(&self, span: &Range<usize>, wanted: &str) -> bool {
        let wanted = folded(wanted);
        !wanted.is_empty() && folded(&self.text[span.clone()]).contains(&wanted)
    }

    fn occurrences_in(&self, folded: &NormalisedText, name: &str) -> Vec<Range<usize>> {
        if name.is_empty() {
            return Vec::new();
        }
        folded
            .text
            .match_indices(name)
            .filter_map(|(at, found)| folded.span(at..at + found.len()))
            .filter(|span| self.is_word(span))
            .collect()
    }

    /// Whether the span begins and ends at word boundaries. Scripts without spaces between words have none.
    fn is_word(&self, span: &Range<usize>) -> bool {
        let inside = &self.text[span.clone()];
        let before = self.text[..span.start].chars().next_back();
        let behind = self.text[span.end..].chars().next();
        !joins(before, inside.chars().next()) && !joins(inside.chars().next_back(), behind)
    }
}

fn joins(left: Option<char>, right: Option<char>) -> bool {
    let in_word = |side: Option<char>| {
        side.is_some_and(|character| character.is_alphanumeric() && !is_unspaced(character))
    };
    in_word(left) && in_word(right)
}

/// Whether a character belongs to a script without spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{a4cf}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '\u{ac00}'..='\u{d7af}')
}

impl NormalisedText {
    fn new(text: &str, fold: impl Fn(char, &mut String)) -> Self {
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            places: Vec::with_capacity(text.len() + 1),
        };
        let mut blank = false;
        for (place, character) in text.char_indices() {
            if character.is_whitespace() {
                if !blank {
                    folded.text.push(' ');
                }
            } else {
                fold(character, &mut folded.text);
            }
            blank = character.is_whitespace();
            folded.places.resize(folded.text.len(), place);
        }
        folded.places.push(text.len());
        folded
    }

    /// The range in the original; `None` if an end lies within the folding of one character.
    fn span(&self, found: Range<usize>) -> Option<Range<usize>> {
        let splits = |at: usize| at > 0 && self.places[at - 1] == self.places[at];
        if splits(found.start) || splits(found.end) {
            return None;
        }
        Some(self.places[found.start]..self.places[found.end])
    }
}

/// Collapses white space to single spaces, and trims.
pub(super) fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The normalised form by which names are compared.
pub(super) fn folded(text: &str) -> String {
    single_blanks(text)
        .chars()
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_words_of_their_own() {
        let check = |text: &str, name: &str, expected: &[&str]| {
            let searched = Searched::new(text);
            let found: Vec<_> = searched
                .occurrences(name)
                .into_iter()
                .map(|span| &text[span])
                .collect();
            assert_eq!(found, expected, "{name:?} in {text:?}");
        };
        check("Ann met Anna and Ann.", "Ann", &["Ann", "Ann"]);
        check("the US told us", "US", &["US"]);
        check("we use rust", "Rust", &["rust"]);
        check("New\n  York is big", "New York", &["New\n  York"]);
        check("Müller wohnt in ÖDENBURG", "Ödenburg", &["ÖDENBURG"]);
        check("東京都に住む", "東京", &["東京"]);
        check("İstanbul", "istanbul", &[]);
        check("İstanbul", "İstanbul", &["İstanbul"]);
        check("🦀 Ferris🦀", "Ferris", &["Ferris"]);
        check("C++ and C", "C++", &["C++"]);
        check("nothing", "Ann", &[]);
        check("nothing", "  ", &[]);
        check("", "Ann", &[]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_found_is_what_was_looked_for(text in "[aAbB İßǅ東\n\u{301}🦀.]{0,30}", name in "[aAbB İßǅ東\u{301}]{0,4}") {
            let searched = Searched::new(&text);
            for span in searched.occurrences(&name) {
                proptest::prop_assert_eq!(folded(&text[span.clone()]), folded(&name));
                proptest::prop_assert!(searched.holds(&span, &name));
            }
        }
    }
}
