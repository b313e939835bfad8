//! The words that name values, from `data/personal_words.txt`.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};

use crate::literals::Literals;

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Phone,
    Call,
    Birth,
    Address,
    Card,
    Ip,
    Version,
    Remote,
    Other,
    /// An identity number of a country, `any` for all.
    National(&'static str),
}

/// The words, and what each names.
pub(super) struct Words {
    pub(super) literals: Literals,
    topics: Vec<Vec<Topic>>,
}

impl Words {
    /// The length of the longest word, in bytes.
    pub(super) const MOST: usize = 48;

    /// The words in a part of a text that don't overlap: the leftmost, and of these the longest. O(bytes).
    pub(super) fn leftmost(&self, bytes: &[u8], part: Range<usize>) -> Vec<Named> {
        let mut all = Vec::new();
        self.literals
            .visit(bytes, part, |word, span| all.push(Named { span, word }));
        if all.len() > 1 {
            all.sort_by_key(|named| (named.span.start, Reverse(named.span.end)));
            let mut done = 0;
            all.retain(|named| {
                let is_apart = named.span.start >= done;
                done = if is_apart { named.span.end } else { done };
                is_apart
            });
        }
        all
    }

    pub(super) fn topics(&self, word: usize) -> &[Topic] {
        self.topics.get(word).map_or(&[], Vec::as_slice)
    }
}

/// A word in a text.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) span: Range<usize>,
    pub(super) word: usize,
}

/// All words.
pub(super) fn words() -> &'static Words {
    static WORDS: LazyLock<Words> = LazyLock::new(|| load().expect("a test loads the data file"));
    &WORDS
}

const SECTIONS: [(&str, Topic); 8] = [
    ("phone", Topic::Phone),
    ("call", Topic::Call),
    ("birth", Topic::Birth),
    ("address", Topic::Address),
    ("card", Topic::Card),
    ("ip", Topic::Ip),
    ("version", Topic::Version),
    ("remote", Topic::Remote),
];

/// A word, and with capitals where the search does not see to them.
fn spellings(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    if !word.is_ascii() {
        let mut rest = word.chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        all.push(first.chain(rest).collect());
        all.push(word.to_uppercase());
    }
    all
}

fn load() -> Result<Words, LexiconError> {
    const TEXT: &str = include_str!("../../data/personal_words.txt");
    let file = Lexicon::parse("personal_words.txt", TEXT)?;
    let mut by_word = std::collections::BTreeMap::<String, Vec<Topic>>::new();
    let mut add = |word: &str, topic: Topic| {
        for blank in [" ", "_", "-", ""] {
            for word in spellings(&word.replace(' ', blank)) {
                let topics = by_word.entry(word).or_default();
                if !topics.contains(&topic) {
                    topics.push(topic);
                }
            }
        }
    };
    for (section, topic) in SECTIONS {
        for word in file.names(section)? {
            add(word, topic);
        }
    }
    for row in file.rows("national", 2)? {
        for word in row.cells[1].split(", ") {
            add(word, Topic::National(row.cells[0]));
        }
    }
    // A word that names two things names an identity number rather than nothing personal.
    for word in file.names("other")? {
        add(word, Topic::Other);
    }
    let (words, topics): (Vec<_>, Vec<_>) = by_word.into_iter().unzip();
    Ok(Words {
        literals: Literals::ignoring_case(words.iter().map(String::as_str)),
        topics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_loads_and_no_word_is_too_long() {
        let words = load().expect("the words");
        assert!(words.literals.longest() <= Words::MOST);
        let found = words.leftmost(b"on Date_Of_Birth", 0..16);
        assert_eq!(found.len(), 1);
        assert_eq!(words.topics(found[0].word), [Topic::Birth]);
    }
}
