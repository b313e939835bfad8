//! The uncased BERT wordpiece tokenizer.
//!
//! Control characters are removed, ideographs are separate words, accents and case are dropped, words end at white
//! space and punctuation, and each word is split greedily into the longest pieces of the vocabulary. A word that cannot
//! be split is unknown and has no token, unless the tokenizer marks unknown words. No allocation per call for ASCII text.
//!
//! The built-in model reads words in other scripts differently: see [`crate::hashed_words`].

mod characters;
mod vocabulary;
mod vocabulary_index;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::hashed_words::{self, Part};
use anamne_text::analyser::has_other_scripts;
use characters::{ASCII, CharacterClass, is_ideograph};
pub(crate) use vocabulary::LONGEST_WORD;
pub(crate) use vocabulary::Vocabulary;

/// A tokenizer: a vocabulary and the tokens recognised in the raw text.
#[derive(Debug)]
pub(crate) struct Wordpiece {
    vocabulary: Vocabulary,
    /// Tokens such as `[SEP]`, matched before any normalisation; each begins with `[`.
    added: Vec<(Cow<'static, str>, u16)>,
    /// The token of every unknown word; none if absent.
    unknown: Option<u16>,
    /// Whether words in other scripts are hashed instead of split.
    hashes_other_scripts: bool,
}

impl Wordpiece {
    /// `added` tokens are matched in the raw text, longest first; each begins with `[`.
    pub(crate) fn new(vocabulary: Vocabulary, mut added: Vec<(Cow<'static, str>, u16)>) -> Self {
        debug_assert!(added.iter().all(|(content, _)| content.starts_with('[')));
        added.sort_by_key(|(content, _)| std::cmp::Reverse(content.len()));
        Self {
            vocabulary,
            added,
            unknown: None,
            hashes_other_scripts: false,
        }
    }

    /// Hashes words in other scripts instead of splitting them.
    pub(crate) fn hashing_other_scripts(self) -> Self {
        Self {
            hashes_other_scripts: true,
            ..self
        }
    }

    /// Whether words in other scripts are hashed.
    pub(crate) fn hashes_other_scripts(&self) -> bool {
        self.hashes_other_scripts
    }

    /// For texts that must not contain tokens such as `[SEP]`, which are read like any other text, and for models that
    /// read unknown words as a token.
    pub(crate) fn of_plain_text(self) -> Self {
        Self {
            added: Vec::new(),
            unknown: self.vocabulary.unknown,
            ..self
        }
    }

    /// The token of this name: an added one, or a piece.
    pub(crate) fn token_named(&self, name: &str) -> Option<u16> {
        let mut added = self.added.iter();
        let added = added.find_map(|(content, token)| (content == name).then_some(*token));
        added.or_else(|| self.vocabulary.token(name.as_bytes()))
    }

    /// The vocabulary of the tokenizer.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Passes each token of `text` to `emit` in order, without unknown ones. O(bytes).
    pub(crate) fn each_token(&self, text: &str, mut emit: impl FnMut(u16)) {
        let mut word = Word::new();
        let mut rest = text;
        while let Some((start, end, token)) = self.next_added(rest) {
            self.plain_text(&rest[..start], &mut word, &mut emit);
            if Some(token) != self.vocabulary.unknown {
                emit(token);
            }
            rest = &rest[end..];
        }
        self.plain_text(rest, &mut word, &mut emit);
    }

    /// The first added token in `text`: start, end and token.
    fn next_added(&self, text: &str) -> Option<(usize, usize, u16)> {
        if self.added.is_empty() {
            return None;
        }
        text.match_indices('[').find_map(|(start, _)| {
            let found = self
                .added
                .iter()
                .find(|(content, _)| text[start..].starts_with(&**content));
            found.map(|(content, token)| (start, start + content.len(), *token))
        })
    }

    fn plain_text(&self, text: &str, word: &mut Word, emit: &mut impl FnMut(u16)) {
        let bytes = text.as_bytes();
        // The start of the current run: the byte after the last ASCII space or punctuation.
        let mut run = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let Some(class) = ASCII.get(usize::from(byte)) else {
                let end = run_end(bytes, at);
                word.clear();
                self.run(&text[run..end], word, emit);
                (run, at) = (end, end);
                continue;
            };
            at += 1;
            match class {
                CharacterClass::Space => {
                    self.end_word(word, emit);
                    run = at;
                }
                CharacterClass::Punctuation => {
                    self.end_word(word, emit);
                    self.split(&[byte], emit);
                    run = at;
                }
                CharacterClass::Dropped => {}
                _ => word.push_ascii(byte.to_ascii_lowercase()),
            }
        }
        self.end_word(word, emit);
    }

    fn run(&self, run: &str, word: &mut Word, emit: &mut impl FnMut(u16)) {
        if !(self.hashes_other_scripts && has_other_scripts(run)) {
            return self.unicode_run(run, word, emit);
        }
        hashed_words::each_part(run, &mut |part| match part {
            Part::Latin(text) => self.unicode_run(text, word, emit),
            Part::Token(token) => emit(token),
        });
    }

    /// A run between ASCII spaces and punctuation that contains non-ASCII characters. Canonical decomposition never
    /// moves a mark across such a boundary, so runs can be processed independently.
    fn unicode_run(&self, run: &str, word: &mut Word, emit: &mut impl FnMut(u16)) {
        let characters = run
            .chars()
            .filter(|&character| CharacterClass::of(character) != CharacterClass::Dropped)
            .flat_map(with_space_around_ideograph)
            .nfd()
            .filter(|&character| CharacterClass::of(character) != CharacterClass::Mark)
            .flat_map(char::to_lowercase);
        for character in characters {
            match CharacterClass::of(character) {
                CharacterClass::Space => self.end_word(word, emit),
                CharacterClass::Punctuation => {
                    self.end_word(word, emit);
                    word.push(character);
                    self.end_word(word, emit);
                }
                _ => word.push(character),
            }
        }
        self.end_word(word, emit);
    }

    fn end_word(&self, word: &mut Word, emit: &mut impl FnMut(u16)) {
        match word.bytes() {
            Some(bytes) => self.split(bytes, emit),
            None if word.characters > LONGEST_WORD => self.unknown.into_iter().for_each(emit),
            None => {}
        }
        word.clear();
    }

    fn split(&self, word: &[u8], emit: &mut impl FnMut(u16)) {
        if !self.vocabulary.split(word, emit)
            && let Some(unknown) = self.unknown
        {
            emit(unknown);
        }
    }
}

/// The end of the run at `at`: the next ASCII space or punctuation.
fn run_end(bytes: &[u8], at: usize) -> usize {
    let border = bytes[at..].iter().position(|&byte| {
        let class = ASCII.get(usize::from(byte));
        matches!(
            class,
            Some(CharacterClass::Space | CharacterClass::Punctuation)
        )
    });
    border.map_or(bytes.len(), |distance| at + distance)
}

fn with_space_around_ideograph(character: char) -> impl Iterator<Item = char> {
    let space = is_ideograph(character).then_some(' ');
    [space, Some(character), space].into_iter().flatten()
}

/// The word being read, normalised, in a buffer for the longest known word.
struct Word {
    bytes: [u8; LONGEST_WORD * 4],
    length: usize,
    characters: usize,
}

impl Word {
    fn new() -> Self {
        Self {
            bytes: [0; LONGEST_WORD * 4],
            length: 0,
            characters: 0,
        }
    }

    fn push_ascii(&mut self, byte: u8) {
        if self.characters < LONGEST_WORD {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        self.characters += 1;
    }

    fn push(&mut self, character: char) {
        if self.characters < LONGEST_WORD {
            let written = character.encode_utf8(&mut self.bytes[self.length..]);
            self.length += written.len();
        }
        self.characters += 1;
    }

    /// The word; `None` if it is empty or too long to be known.
    fn bytes(&self) -> Option<&[u8]> {
        (1..=LONGEST_WORD)
            .contains(&self.characters)
            .then(|| &self.bytes[..self.length])
    }

    fn clear(&mut self) {
        self.length = 0;
        self.characters = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> Wordpiece {
        let pieces = [
            "[UNK]", "[SEP]", "un", "##afford", "##able", "deja", "vu", "!", "\u{4e2d}", "[", "a",
        ];
        let vocabulary = Vocabulary::new(&pieces, Some(0)).expect("a small vocabulary");
        Wordpiece::new(vocabulary, vec![("[SEP]".into(), 1), ("[UNK]".into(), 0)])
    }

    fn check(text: &str, expected: &[&str]) {
        let wordpiece = tokenizer();
        let mut pieces = Vec::new();
        wordpiece.each_token(text, |token| {
            pieces.push(wordpiece.vocabulary().piece(token));
        });
        assert_eq!(pieces, expected, "{text:?}");
    }

    #[test]
    fn a_word_is_split_into_its_longest_pieces() {
        check("unaffordable", &["un", "##afford", "##able"]);
        check("UNaffordABLE vu!", &["un", "##afford", "##able", "vu", "!"]);
    }

    #[test]
    fn a_word_with_an_unknown_rest_gives_nothing() {
        check("unknown vu", &["vu"]);
        check("##able", &[]);
    }

    #[test]
    fn accents_case_and_controls_do_not_matter() {
        check("D\u{c9}J\u{c0}-vu", &["deja", "vu"]);
        check("de\u{301}\u{ad}ja\u{300} v\u{0}u", &["deja", "vu"]);
        check("v\u{b}u a\u{2003}a", &["vu", "a", "a"]);
    }

    #[test]
    fn ideographs_are_words() {
        check(
            "vu\u{4e2d}\u{4e2d}vu",
            &["vu", "\u{4e2d}", "\u{4e2d}", "vu"],
        );
    }

    #[test]
    fn added_tokens_are_found_inside_words_and_unknown_ones_leave() {
        check("un[SEP]vu", &["un", "[SEP]", "vu"]);
        check("[sep] [[SEP][UNK]a", &["[", "[", "[SEP]", "a"]);
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        let able = "able".repeat(24);
        check(
            &format!("un{able}"),
            &[&["un"][..], &["##able"; 24]].concat(),
        );
        check(&format!("un{able}able"), &[]);
        check(&format!("un{able}{} a", "e\u{301}".repeat(60)), &["a"]);
    }
}
