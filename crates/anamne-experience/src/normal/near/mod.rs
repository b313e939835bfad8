//! Errors whose normal forms differ, and that are still the same: with a prefix, a place, other quotes or more words after it.
//!
//! Another form of an error adds words before or after it; it doesn't exchange any. So the words of one have to be in the other, in
//! their order, and no negation may be without its counterpart.

mod words;

use std::collections::BTreeSet;

use words::{Word, words};

/// The likeness from which two errors are the same: in the middle of 0.50 to 0.80, which all give the same figures on the pairs
/// of `anamne-eval errors`.
pub const NEAR: f64 = 0.65;

/// The fewest words that two errors share.
const FEWEST: usize = 2;

/// What a word that only one error has costs, in words: in an addition, which a mark sets off; at an end; and within.
const ADDED: f64 = 0.1;
const AT_END: f64 = 1.0;
const WITHIN: f64 = 3.0;

/// What a word costs in the place of a quoted value, which lost its quotes.
const UNQUOTED: f64 = 0.25;

/// An error that others are compared with.
#[derive(Clone, Debug)]
pub struct Compared<'form> {
    words: Vec<Word<'form>>,
    set: BTreeSet<&'form str>,
}

impl<'form> Compared<'form> {
    /// From the normal form of an error. O(bytes).
    pub fn of(form: &'form str) -> Self {
        let words = words(form);
        let set = words.iter().map(|word| word.text).collect();
        Self { words, set }
    }

    /// The different words by which it can be found: those that stand for a value or negate say too little.
    pub fn distinct_words(&self) -> BTreeSet<&'form str> {
        let telling = |word: &&Word<'_>| !word.is_value() && !word.is_negation();
        let words = self.words.iter().filter(telling);
        words.map(|word| word.text).collect()
    }

    /// How alike two errors are, from 0 to 1: the share of their words that they have in common, by what the others cost. 0 if each
    /// has words of its own. O(words of one · words of the other).
    pub fn likeness(&self, other: &Self) -> f64 {
        let (one, other) = if self.words.len() <= other.words.len() {
            (self, other)
        } else {
            (other, self)
        };
        if one.words.is_empty() || one.shares_too_little(other) {
            return 0.0;
        }
        let forwards = likeness(&one.words, &other.words);
        let turned = one.turned().map(|turned| likeness(&turned, &other.words));
        forwards.max(turned.unwrap_or(0.0))
    }

    /// Whether more words are missing in the other than values there could stand for.
    fn shares_too_little(&self, other: &Self) -> bool {
        let values = other.words.iter().filter(|word| word.is_value()).count();
        let is_missing = |word: &&Word<'_>| !word.is_value() && !other.set.contains(word.text);
        self.words.iter().filter(is_missing).count() > values
    }

    /// With the last part first, as shells name the program before or after what happened.
    fn turned(&self) -> Option<Vec<Word<'form>>> {
        let last = self.words.last()?.part;
        let start = self.words.iter().position(|word| word.part == last)?;
        let mut words = self.words.clone();
        words.rotate_left(start);
        (start > 0).then_some(words)
    }
}

/// The likeness of two lists of words, of which the first is no longer than the other.
fn likeness(one: &[Word<'_>], other: &[Word<'_>]) -> f64 {
    let pairs = common(one, other);
    let equal = pairs.iter().filter(|(left, right)| {
        let left = &one[*left];
        !left.is_value() && left.text == other[*right].text
    });
    let shared = equal.count();
    let swapped = pairs
        .iter()
        .filter(|(left, right)| one[*left].text != other[*right].text);
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
        return 0.0;
    };
    let left = Unpaired::of(one, pairs.iter().map(|pair| pair.0), first.0, last.0);
    let right = Unpaired::of(other, pairs.iter().map(|pair| pair.1), first.1, last.1);
    let is_exchanged = left.words > 0 && right.words > 0;
    if is_exchanged || left.negations + right.negations > 0 || shared < FEWEST {
        return 0.0;
    }
    let cost = left.cost + right.cost + swapped.count() as f64 * UNQUOTED;
    shared as f64 / (shared as f64 + cost)
}

/// The words of one error that the other lacks.
#[derive(Default)]
struct Unpaired {
    words: usize,
    negations: usize,
    cost: f64,
}

impl Unpaired {
    fn of(
        words: &[Word<'_>],
        paired: impl Iterator<Item = usize>,
        first: usize,
        last: usize,
    ) -> Self {
        let paired: BTreeSet<usize> = paired.collect();
        let mut unpaired = Self::default();
        for (number, word) in words.iter().enumerate() {
            if paired.contains(&number) || word.is_value() {
                continue;
            }
            let is_within = first < number && number < last;
            let is_added = word.part != words[if number < first { first } else { last }].part;
            unpaired.words += 1;
            unpaired.negations += usize::from(word.is_negation());
            unpaired.cost += match (is_within, is_added) {
                (true, _) => WITHIN,
                (false, true) => ADDED,
                (false, false) => AT_END,
            };
        }
        unpaired
    }
}

/// The longest common subsequence, as pairs of numbers; a word in the place of a value counts less than an equal one.
fn common(one: &[Word<'_>], other: &[Word<'_>]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    let mut best = vec![0_u32; (one.len() + 1) * width];
    for left in (0..one.len()).rev() {
        for right in (0..other.len()).rev() {
            let skipped = best[(left + 1) * width + right].max(best[left * width + right + 1]);
            let paired = best[(left + 1) * width + right + 1] + worth(&one[left], &other[right]);
            best[left * width + right] = skipped.max(paired);
        }
    }
    let mut pairs = Vec::new();
    let (mut left, mut right) = (0, 0);
    while left < one.len() && right < other.len() {
        let here = best[left * width + right];
        let worth = worth(&one[left], &other[right]);
        if worth > 0 && here == best[(left + 1) * width + right + 1] + worth {
            pairs.push((left, right));
            (left, right) = (left + 1, right + 1);
        } else if here == best[(left + 1) * width + right] {
            left += 1;
        } else {
            right += 1;
        }
    }
    pairs
}

/// What a pair of words is worth; 0 if they are none.
fn worth(one: &Word<'_>, other: &Word<'_>) -> u32 {
    let is_swap = one.is_value() != other.is_value() && !one.is_negation() && !other.is_negation();
    if one.text != other.text {
        u32::from(is_swap)
    } else if one.is_value() {
        2
    } else {
        4
    }
}

#[cfg(test)]
mod tests {
    use super::words::MOST_WORDS;
    use super::*;
    use crate::normal::error;

    fn likeness(one: &str, other: &str) -> f64 {
        let (one, other) = (error(one), error(other));
        let (one, other) = (Compared::of(&one), Compared::of(&other));
        let likeness = one.likeness(&other);
        assert!((likeness - other.likeness(&one)).abs() < 1e-9);
        likeness
    }

    #[test]
    fn another_form_of_an_error_is_near() {
        let message = "cannot open file '/a/b.rs': permission denied";
        for form in [
            "error: cannot open file '/c': permission denied",
            "E   Can't open file /c: Permission denied",
            "2031-03-04 09:15:00 worker: cannot open file \"c\": permission denied; see the log",
            "main.py:3:4: cannot open\n   file '/c': permission denied (at line 5)",
        ] {
            assert!(likeness(message, form) >= NEAR, "{form}");
        }
        let turned = likeness(
            "zsh: command not found: jq",
            "bash: line 1: jq: command not found",
        );
        assert!(turned >= NEAR, "{turned}");
        assert!(
            likeness(
                "library 1.2.3 is missing here",
                "library v2.0.0-rc1 is missing here"
            ) >= NEAR
        );
    }

    #[test]
    fn other_words_another_order_or_a_negation_make_another_error() {
        for (one, other) in [
            (
                "cannot open '/a': permission denied",
                "cannot open '/a': no such file",
            ),
            (
                "expected u32, found i64 here",
                "expected i64, found u32 here",
            ),
            (
                "the assertion left == right failed",
                "the assertion left != right failed",
            ),
            ("text is valid in 'a'", "text is not valid in 'a'"),
            (
                "process exited with status 137",
                "process exited with status 1",
            ),
            ("failed", "error: failed"),
            ("", "permission denied"),
        ] {
            assert!(likeness(one, other) < NEAR, "{one} / {other}");
        }
    }

    #[test]
    fn hostile_forms_are_bounded() {
        for text in [
            "<".repeat(600),
            "n't".repeat(200),
            "a:".repeat(300),
            "<value>".repeat(90),
            "é.-".repeat(100),
        ] {
            assert!(Compared::of(&text).words.len() <= MOST_WORDS + 1);
            assert!(likeness(&text, "permission denied") < NEAR);
        }
    }
}
