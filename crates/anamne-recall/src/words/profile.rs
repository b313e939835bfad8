//! The authors and the latest time of a space.

use rustc_hash::{FxHashMap, FxHashSet};

/// What a query needs to know about its space.
#[derive(Clone, Debug, Default)]
pub struct SpaceProfile {
    /// Authors with a name of their own, with their numbers.
    pub authors: Vec<(u32, String)>,
    /// The numbers of authors that stand for an unnamed person, such as `user`.
    pub users: Vec<u32>,
    /// The numbers of authors that are programs, such as `assistant`.
    pub programs: Vec<u32>,
    /// The latest time of a memory, microseconds since 1970.
    pub latest: i64,
    pub(super) names: AuthorNames,
}

/// Author names that are a person's role in a conversation.
const USERS: [&str; 4] = ["user", "human", "me", "you"];

/// Author names of programs.
const PROGRAMS: [&str; 8] = [
    "assistant",
    "agent",
    "system",
    "tool",
    "ai",
    "bot",
    "model",
    "unknown",
];

impl SpaceProfile {
    /// Sorts the authors of a space into persons, users and programs.
    pub fn new(authors: Vec<(u32, String)>, latest: i64) -> Self {
        let mut facts = Self {
            latest,
            ..Self::default()
        };
        for (number, author) in authors {
            let name = author.trim().to_lowercase();
            if USERS.contains(&name.as_str()) {
                facts.users.push(number);
            } else if PROGRAMS.contains(&name.as_str()) {
                facts.programs.push(number);
            } else {
                facts.authors.push((number, author));
            }
        }
        facts.names = AuthorNames::of(&facts.authors);
        facts
    }
}

/// The words of a text as written: runs of letters and digits, with inner apostrophes.
pub(super) fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '_')))
        .map(|word| word.trim_matches(['\'', '’']))
        .filter(|word| !word.is_empty())
}

pub(super) fn lower(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// The lower-cased words of a text.
pub(super) fn words_of(text: &str) -> Vec<String> {
    raw_words(text).map(lower).collect()
}

/// A word without its English possessive ending.
pub(super) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

/// The words of author names.
#[derive(Clone, Debug, Default)]
pub(super) struct AuthorNames {
    /// The authors whose name contains each word.
    words: FxHashMap<String, Vec<u32>>,
    pub(super) persons: FxHashSet<u32>,
}

impl AuthorNames {
    fn of(authors: &[(u32, String)]) -> Self {
        let mut names = Self::default();
        for (number, author) in authors {
            for word in words_of(author) {
                names.persons.insert(*number);
                names.words.entry(word).or_default().push(*number);
            }
        }
        names
    }

    /// Whether a word is part of a name.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.contains_key(without_possessive(word))
    }

    /// The authors with one of these words in their names, ascending.
    pub(super) fn named_in(&self, words: &[String]) -> Vec<u32> {
        let mut named = Vec::new();
        for word in words {
            named.extend(
                self.words
                    .get(without_possessive(word))
                    .into_iter()
                    .flatten(),
            );
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}
