//! The words of a text that are not in Latin letters, as the analyser's terms.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::scan::read_clusters;
use super::script::{Alphabet, Family, Kind, alphabet, is_han, is_mark, kind};
use super::words::{base_term, cut};
use super::{MAX_TERM_BYTES, normal_form};
use crate::lexicon::{Lexicon, LexiconError};

/// The first character after Latin letters and the marks that they combine with.
const AFTER_LATIN: char = '\u{370}';

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart<'text> {
    /// Latin words, numbers, signs and spaces, as they stand.
    Latin(&'text str),
    /// A word in another script as the term that [`Analyser::document`](super::Analyser::document) has for it, or two
    /// neighbouring letters where words are not separated.
    Term {
        /// The term.
        text: &'text str,
        /// Whether it has a grammatical role rather than a meaning.
        is_function_word: bool,
    },
}

/// Whether a text has a letter that is not Latin. O(bytes) up to the first one.
pub fn has_other_scripts(text: &str) -> bool {
    text.chars()
        .any(|character| character >= AFTER_LATIN && is_other_letter(character))
}

/// Passes the parts of a text to `emit`, in order: each word in another script as its term, and what is between them
/// unchanged, but in NFKC. O(bytes).
pub fn parts_by_script(text: &str, emit: &mut dyn FnMut(TextPart<'_>)) {
    let mut buffer = String::new();
    let mut reader = Reader {
        text: normal_form(text, &mut buffer),
        emit,
        lower: String::new(),
        folded: String::new(),
        term: String::new(),
        clusters: Vec::new(),
    };
    let (mut at, mut latin) = (0, 0);
    while let Some(character) = reader.text[at..].chars().next() {
        let kind = kind(character);
        if !matches!(kind, Kind::Unspaced(_)) && !is_other_letter(character) {
            at += character.len_utf8();
            continue;
        }
        reader.latin(latin, at);
        at = match kind {
            Kind::Unspaced(family) => reader.unspaced(at, family),
            _ => reader.word(at),
        };
        latin = at;
    }
    reader.latin(latin, at);
}

struct Reader<'text, 'emit> {
    text: &'text str,
    emit: &'emit mut dyn FnMut(TextPart<'_>),
    lower: String,
    folded: String,
    term: String,
    clusters: Vec<usize>,
}

impl Reader<'_, '_> {
    fn latin(&mut self, start: usize, end: usize) {
        if start < end {
            (self.emit)(TextPart::Latin(&self.text[start..end]));
        }
    }

    /// Passes the word at `start` on, and returns its end.
    fn word(&mut self, start: usize) -> usize {
        self.lower.clear();
        let mut end = start;
        for character in self.text[start..].chars() {
            match kind(character) {
                Kind::Ignorable => {}
                _ if is_mark(character) || is_other_letter(character) => {
                    self.lower.extend(character.to_lowercase());
                }
                _ => break,
            }
            end += character.len_utf8();
        }
        let lower = cut(&self.lower, MAX_TERM_BYTES);
        self.term.clear();
        base_term(lower, &mut self.folded, &mut self.term);
        (self.emit)(TextPart::Term {
            text: &self.term,
            is_function_word: function_words().contains(lower),
        });
        end
    }

    /// Passes the pairs of neighbouring letters of the run at `start` on, and each ideograph that stands alone.
    fn unspaced(&mut self, start: usize, family: Family) -> usize {
        let end = read_clusters(self.text, start, family, &mut self.clusters);
        let (text, clusters) = (self.text, &self.clusters);
        let count = clusters.len() - 1;
        let first = |at: usize| text[clusters[at]..].chars().next();
        let is_han = |at: usize| at < count && first(at).is_some_and(is_han);
        for at in 0..count {
            let stands_alone =
                is_han(at) && !is_han(at + 1) && !at.checked_sub(1).is_some_and(is_han);
            if at + 1 < count {
                let pair = &text[clusters[at]..clusters[at + 2]];
                (self.emit)(TextPart::Term {
                    text: cut(pair, MAX_TERM_BYTES),
                    is_function_word: pair.chars().all(is_hiragana),
                });
            }
            if count == 1 || stands_alone {
                let letter = &text[clusters[at]..clusters[at + 1]];
                (self.emit)(TextPart::Term {
                    text: cut(letter, MAX_TERM_BYTES),
                    is_function_word: letter.chars().all(is_hiragana),
                });
            }
        }
        end
    }
}

/// Whether a character is a letter of another alphabet, of one whose words are separated.
fn is_other_letter(character: char) -> bool {
    match kind(character) {
        Kind::Lower | Kind::Upper => {
            character >= AFTER_LATIN
                && alphabet(character.encode_utf8(&mut [0; 4])) != Alphabet::Latin
        }
        Kind::Unspaced(_) => true,
        _ => false,
    }
}

/// Hiragana write mostly endings and particles.
fn is_hiragana(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{309f}' | 'ー')
}

/// The function words of languages in other alphabets.
fn function_words() -> &'static FxHashSet<&'static str> {
    static WORDS: LazyLock<FxHashSet<&'static str>> =
        LazyLock::new(|| load().expect("a test loads the data file"));
    &WORDS
}

fn load() -> Result<FxHashSet<&'static str>, LexiconError> {
    const TEXT: &str = include_str!("../../data/function_words_other_scripts.txt");
    let file = Lexicon::parse("function_words_other_scripts.txt", TEXT)?;
    let mut words = FxHashSet::default();
    for section in file.sections() {
        words.extend(file.words(section)?);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyser::Analyser;

    fn parts(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        parts_by_script(text, &mut |part| {
            found.push(match part {
                TextPart::Latin(text) => format!("latin {text}"),
                TextPart::Term {
                    text,
                    is_function_word: true,
                } => format!("function {text}"),
                TextPart::Term { text, .. } => text.to_owned(),
            });
        });
        found
    }

    #[test]
    fn inflections_of_a_word_are_one_term() {
        assert_eq!(parts("книга"), parts("КНИГУ"));
        assert_eq!(parts("и книги"), ["function и", "latin  ", "книг"]);
    }

    #[test]
    fn text_between_is_unchanged() {
        assert_eq!(
            parts("Docker-образ v2"),
            ["latin Docker-", "образ", "latin  v2"]
        );
        assert_eq!(parts("naïve – 3 €"), ["latin naïve – 3 €"]);
        assert!(!has_other_scripts("naïve – 3 € ẞ"));
        assert!(has_other_scripts("x的"));
    }

    #[test]
    fn letters_without_spaces_are_pairs_and_lone_ideographs() {
        assert_eq!(parts("数据库"), ["数据", "据库"]);
        assert_eq!(parts("犬は"), ["犬は", "犬"]);
        assert_eq!(parts("ました"), ["function まし", "function した"]);
        assert_eq!(parts("물"), ["물"]);
    }

    #[test]
    fn terms_are_those_of_the_analyser() {
        let text = "Мастерская чинит скрипки, η βιβλιοθήκη, الكتاب, किताबें, 会議は東京で";
        let mut terms = Vec::new();
        Analyser::new().document(text, &mut |term, _| terms.push(term.to_owned()));
        parts_by_script(text, &mut |part| {
            if let TextPart::Term { text, .. } = part {
                assert!(terms.iter().any(|term| term == text), "{text}");
            }
        });
    }

    #[test]
    fn the_lists_are_lower_case_words_as_they_are_looked_up() {
        for word in load().unwrap() {
            assert!(has_other_scripts(word), "{word}");
            let found = parts(word);
            assert_eq!(found.len(), 1, "{word}: {found:?}");
            assert!(found[0].starts_with("function "), "{word}: {found:?}");
        }
    }
}
