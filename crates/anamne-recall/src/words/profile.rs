//! What is known of a space, and the names of those who speak in it.

use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a space when a question is asked.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The authors of the space that have a name of their own, with their numbers.
    pub authors: Vec<(u32, String)>,
    /// The numbers of authors that speak for a person without a name, such as `user`.
    pub users: Vec<u32>,
    /// The numbers of authors that are programs, such as `assistant`.
    pub programs: Vec<u32>,
    /// The last thing that happened, microseconds since 1970.
    pub latest: i64,
    pub(super) names: AuthorNames,
}

/// Authors that are a person's part in a conversation and no name.
const USERS: [&str; 4] = ["user", "human", "me", "you"];

/// Authors that are programs.
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

impl Facts {
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

/// The words of a text as they stand there: runs of letters and digits, with apostrophes inside.
pub(super) fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '_')))
        .map(|word| word.trim_matches(['\'', '’']))
        .filter(|word| !word.is_empty())
}

pub(super) fn lower(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// The words of a text in lower case.
pub(super) fn words_of(text: &str) -> Vec<String> {
    raw_words(text).map(lower).collect()
}

/// The names of authors, word by word.
#[derive(Clone, Debug, Default)]
pub(super) struct AuthorNames {
    /// Whose name each word is a part of.
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
        let word = word.strip_suffix("'s").unwrap_or(word);
        self.words.contains_key(word)
    }

    /// The authors with one of these words in their names, ascending.
    pub(super) fn named_in(&self, words: &[String]) -> Vec<u32> {
        let mut named = Vec::new();
        for word in words {
            let word = word.strip_suffix("'s").unwrap_or(word);
            named.extend(self.words.get(word).into_iter().flatten());
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}
