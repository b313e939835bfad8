//! Is one goal the opposite of another? Such goals are the most similar of all by their vectors.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::FxHashSet;

use crate::same_request::{Difference, Verdict, same_request};

/// The first words of a goal, among which the one that says what to do is looked for.
const FIRST_WORDS: usize = 4;

/// Words that say that something is not to be done.
const NEGATIONS: [&str; 11] = [
    "not", "never", "don't", "dont", "cannot", "can't", "nicht", "niemals", "jamais", "nunca",
    "non",
];

/// Beginnings that turn a verb to its opposite, and the fewest letters of the verb.
const TURNING: [&str; 3] = ["un", "dis", "de"];
const FEWEST_LETTERS: usize = 3;

/// Words that turn each other to their opposite, in both orders.
static OPPOSITES: LazyLock<FxHashSet<(&'static str, &'static str)>> =
    LazyLock::new(|| opposites().expect("a test loads the data file"));

fn opposites() -> Result<FxHashSet<(&'static str, &'static str)>, LexiconError> {
    const TEXT: &str = include_str!("../data/opposite_words.txt");
    let file = Lexicon::parse("opposite_words.txt", TEXT)?;
    let mut pairs = FxHashSet::default();
    for row in file.rows("opposites", 2)? {
        let (one, other) = (row.cells[0], row.cells[1]);
        pairs.extend([(one, other), (other, one)]);
    }
    Ok(pairs)
}

/// Whether one goal says not to do what the other says to do, to undo it, or to do it the other way round. O(bytes).
pub fn is_opposite(one: &str, other: &str) -> bool {
    let (first, second) = (beginning(one), beginning(other));
    if is_negated(&first) != is_negated(&second) {
        return true;
    }
    let is_in_both = |word: &String| first.contains(word) && second.contains(word);
    let is_turned = first.iter().any(|left| {
        let mut others = second.iter();
        !is_in_both(left) && others.any(|right| !is_in_both(right) && are_opposite(left, right))
    });
    is_turned || is_reversed(one, other)
}

/// The first words, in lower case.
fn beginning(goal: &str) -> Vec<String> {
    let is_separator =
        |character: char| !character.is_alphanumeric() && !matches!(character, '\'' | '’');
    let words = goal.split(is_separator).filter(|word| !word.is_empty());
    let lower = words.map(|word| word.to_lowercase().replace('’', "'"));
    lower.take(FIRST_WORDS).collect()
}

fn is_negated(words: &[String]) -> bool {
    words.iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

fn are_opposite(one: &str, other: &str) -> bool {
    let turns = |turned: &str, verb: &str| {
        let mut beginnings = TURNING.into_iter();
        let is_long = verb.chars().count() >= FEWEST_LETTERS;
        is_long && beginnings.any(|start| turned.strip_prefix(start) == Some(verb))
    };
    OPPOSITES.contains(&(one, other)) || turns(one, other) || turns(other, one)
}

/// Whether the same words have exchanged roles, as in the direction from one place to another.
fn is_reversed(one: &str, other: &str) -> bool {
    let words = |goal: &str| {
        let mut words: Vec<String> = goal.split_whitespace().map(str::to_lowercase).collect();
        words.sort_unstable();
        words
    };
    let is_exchange = |difference| matches!(difference, Difference::Operators | Difference::Places);
    one.len() == other.len()
        && words(one) == words(other)
        && matches!(same_request(one, other), Verdict::Different(difference) if is_exchange(difference))
}

#[cfg(test)]
mod tests {
    use super::is_opposite;

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        assert_eq!(is_opposite(one, other), expected, "{one} / {other}");
        assert_eq!(is_opposite(other, one), expected, "{other} / {one}");
    }

    #[test]
    fn negated_undone_and_reversed_goals_are_opposite() {
        for (one, other) in [
            ("start the database", "stop the database"),
            ("stop the database", "Please do not stop the database"),
            ("restart the server", "Don’t restart the server"),
            ("install numpy", "uninstall numpy"),
            ("turn on the alarm", "turn off the alarm"),
            ("please enable the cache", "disable the cache"),
            ("migrate from python to rust", "migrate from rust to python"),
            ("Benutzer löschen", "Benutzer erstellen"),
        ] {
            check(one, other, true);
        }
    }

    #[test]
    fn similar_goals_are_not_opposite() {
        for (one, other) in [
            ("publish the release", "publish a new release"),
            ("deploy to staging", "deploy to production"),
            ("start and stop the database", "stop and start the server"),
            (
                "add a test for the open button",
                "add a test for the close button",
            ),
            (
                "find out why the parser does not accept tabs",
                "make the parser accept tabs",
            ),
            ("fix issue 12", "fix issue 13"),
            ("", "start"),
        ] {
            check(one, other, false);
        }
        check(&"un".repeat(50_000), &"a ".repeat(50_000), false);
    }
}
