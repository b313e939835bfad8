//! Word lists.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::encodings::pick;
use crate::chance::Chance;

static LISTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut lists: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut list = "";
    for line in include_str!("../../../data/guard/words.txt").lines() {
        if let Some(name) = line.strip_prefix("## ") {
            list = name;
        } else if list.starts_with("sentence-") {
            lists.entry(list).or_default().push(line);
        } else {
            lists.entry(list).or_default().extend(line.split(' '));
        }
    }
    lists
});

/// A random entry of a list.
pub(super) fn from(list: &str, chance: &mut Chance) -> Option<&'static str> {
    LISTS.get(list).map(|entries| *pick(entries, chance))
}

/// A random noun.
pub(super) fn word(chance: &mut Chance) -> &'static str {
    from("word", chance).unwrap_or("thing")
}

/// A word with a capital.
pub(super) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// Two or three words, joined.
pub(super) fn joined(separator: &str, chance: &mut Chance) -> String {
    let words: Vec<&str> = (0..2 + chance.below(2)).map(|_| word(chance)).collect();
    words.join(separator)
}

/// A made-up domain.
pub(super) fn domain(chance: &mut Chance) -> String {
    let tld = from("tld", chance).unwrap_or("com");
    format!("{}{}.{tld}", word(chance), word(chance))
}

/// A host of a made-up domain.
pub(super) fn host(chance: &mut Chance) -> String {
    let name = match chance.below(4) {
        0 => format!("{}{}", word(chance), 1 + chance.below(9)),
        1 => format!("{}-{}", word(chance), word(chance)),
        2 => "api".to_owned(),
        _ => word(chance).to_owned(),
    };
    format!("{name}.{}", domain(chance))
}

/// A login.
pub(super) fn user(chance: &mut Chance) -> String {
    let first = from("first", chance).unwrap_or("Anna").to_lowercase();
    let last = from("last", chance).unwrap_or("Weber").to_lowercase();
    match chance.below(4) {
        0 => format!("{}{last}", &first[..1]),
        1 => format!("{first}_{}", &last[..1]),
        2 => format!("{}_svc", word(chance)),
        _ => first,
    }
}
