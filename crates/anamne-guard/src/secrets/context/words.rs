//! What the words around a value are about.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::FxHashMap;

use super::tokens::is_joined;

/// The sections of `context_words.txt`, in the order of the bits of [`Topics`].
pub(super) const SECTIONS: [&str; 11] = [
    "passwords",
    "codes",
    "keys",
    "logins",
    "places",
    "changes",
    "links",
    "others",
    "talk",
    "units",
    "times",
];

/// The first sections, one of which a value needs near it.
pub(super) const NAMING: usize = 5;

/// A bit for each section that has a word.
pub(super) type Topics = u16;

/// The longest ending that `*` stands for, and the longest word that is looked up, in bytes.
const MOST_ENDING: usize = 6;
const MOST_WORD: usize = 48;

struct Words {
    whole: FxHashMap<&'static str, Topics>,
    /// Beginnings of words.
    stems: FxHashMap<&'static str, Topics>,
    /// Words of scripts without blanks, by their first character.
    joined: FxHashMap<char, Vec<(&'static str, Topics)>>,
}

fn words() -> &'static Words {
    static WORDS: LazyLock<Words> = LazyLock::new(|| load().expect("a test loads the data file"));
    &WORDS
}

fn load() -> Result<Words, LexiconError> {
    const TEXT: &str = include_str!("../../../data/context_words.txt");
    let file = Lexicon::parse("context_words.txt", TEXT)?;
    let mut words = Words {
        whole: FxHashMap::default(),
        stems: FxHashMap::default(),
        joined: FxHashMap::default(),
    };
    for (section, name) in SECTIONS.iter().enumerate() {
        let topic = 1 << section;
        for word in file.words(name)? {
            let first = word.chars().next().filter(|first| is_joined(*first));
            if let Some(first) = first {
                words.joined.entry(first).or_default().push((word, topic));
            } else if let Some(stem) = word.strip_suffix('*') {
                *words.stems.entry(stem).or_default() |= topic;
            } else {
                *words.whole.entry(word).or_default() |= topic;
            }
        }
    }
    Ok(words)
}

/// What a word is about. O(bytes), for at most [`MOST_WORD`].
pub(super) fn topics(word: &str, lower: &mut String) -> Topics {
    if word.len() > MOST_WORD {
        return 0;
    }
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
    let mut found = about(lower);
    let is_joint = |one: char| matches!(one, '_' | '-' | '.' | '/');
    if lower.contains(is_joint) {
        found |= lower.split(is_joint).fold(0, |all, part| all | about(part));
    }
    found
}

/// What a word in lower case is about: the word itself, or what it begins with. O(bytes).
fn about(word: &str) -> Topics {
    let words = words();
    let mut found = words.whole.get(word).copied().unwrap_or(0);
    for length in word.len().saturating_sub(MOST_ENDING).max(2)..=word.len() {
        if let Some(stem) = word.get(..length) {
            found |= words.stems.get(stem).copied().unwrap_or(0);
        }
    }
    found
}

/// What characters of a script without blanks are about. O(bytes).
pub(super) fn joined_topics(text: &str) -> Topics {
    let at_each = text
        .char_indices()
        .filter_map(|(at, first)| Some((at, words().joined.get(&first)?)));
    at_each.fold(0, |all, (at, candidates)| {
        let here = candidates
            .iter()
            .filter(|(word, _)| text[at..].starts_with(word));
        here.fold(all, |all, (_, topic)| all | topic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_topics() {
        let of = |word: &str| topics(word, &mut String::new());
        assert_eq!(of("Passwort"), 1);
        assert_eq!(of("Passwords"), 1);
        assert_ne!(of("smtp_password") & 1, 0);
        assert_ne!(of("PIN") & 2, 0);
        assert_eq!(of("passwordlesslogins") & 1, 0);
        assert_eq!(of("cloud"), 0);
        assert_ne!(joined_topics("新しいパスワードは") & 1, 0);
        assert_eq!(joined_topics("こんにちは"), 0);
    }
}
