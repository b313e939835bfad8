//! The words of streets, from `data/personal_streets.txt`.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};

use crate::case::with_lower;

/// Words in small letters.
pub(super) struct Words {
    /// Sorted.
    all: Vec<&'static str>,
    /// The first characters, which nearly all other words lack: those in ASCII, and others.
    letters: [bool; 128],
    others: Vec<char>,
    longest: usize,
}

impl Words {
    fn new(mut words: Vec<&'static str>) -> Self {
        words.sort_unstable();
        words.dedup();
        let mut letters = [false; 128];
        let mut others = Vec::new();
        for first in words.iter().filter_map(|word| word.chars().next()) {
            match letters.get_mut(first as usize) {
                Some(has) => *has = true,
                None => others.push(first),
            }
        }
        Self {
            longest: words.iter().map(|word| word.len()).max().unwrap_or(0),
            all: words,
            letters,
            others,
        }
    }

    /// Whether one of them may begin as a word does; a quick check before [`Words::have`].
    pub(super) fn may_have(&self, word: &str) -> bool {
        word.chars().next().is_some_and(|first| {
            if first.is_ascii() {
                self.letters[first.to_ascii_lowercase() as usize]
            } else {
                let first = first.to_lowercase().next();
                first.is_some_and(|first| self.others.contains(&first))
            }
        })
    }

    /// Whether a word is one of them, without regard to capitals.
    pub(super) fn have(&self, word: &str) -> bool {
        // Letters in both cases may have different lengths.
        word.len() <= 2 * self.longest
            && self.may_have(word)
            && with_lower(word, |key| self.all.binary_search(&key).is_ok())
    }

    /// The length of the first of them with which a word in small letters ends.
    pub(super) fn ending(&self, word: &str) -> Option<usize> {
        let ending = self.all.iter().find(|ending| word.ends_with(**ending))?;
        Some(ending.len())
    }
}

pub(super) struct Streets {
    pub(super) after: Words,
    pub(super) after_weak: Words,
    pub(super) never: Words,
    pub(super) between: Words,
    pub(super) before: Words,
    pub(super) ends: Words,
    pub(super) ends_weak: Words,
    pub(super) small: Words,
    pub(super) inside: Words,
}

impl Streets {
    pub(super) fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../../data/personal_streets.txt");
        let file = Lexicon::parse("personal_streets.txt", TEXT)?;
        let set = |section| file.words(section).map(Words::new);
        Ok(Self {
            after: set("after")?,
            after_weak: set("after-weak")?,
            never: set("never")?,
            between: set("between")?,
            before: set("before")?,
            ends: set("ends")?,
            ends_weak: set("ends-weak")?,
            small: set("small")?,
            inside: set("inside")?,
        })
    }
}

pub(super) fn streets() -> &'static Streets {
    static STREETS: LazyLock<Streets> =
        LazyLock::new(|| Streets::load().expect("a test loads the data file"));
    &STREETS
}
