//! Possible starts and ends of a passage.

use crate::summaries::words::{Word, WordSort};

/// Maximum number of starts, and of ends, that are tried per sentence.
const PLACES: usize = 24;

/// The first word after greetings, forms of address, and openers such as `yeah, so`.
pub(super) fn first_informative(text: &str, words: &[Word]) -> Option<usize> {
    let first = words.iter().position(|word| word.weight > 0.0)?;
    let mut start = usize::from(numbers_a_list(text, words));
    let listed = start;
    for at in listed..words.len().min(first + 3) {
        let next = words.get(at + 1).map_or(text.len(), |next| next.span.start);
        let between = text[words[at].span.end..next].trim_start();
        let called = at < first + 2 && (start..=at).all(|at| is_address(words, at));
        if called && between.starts_with([',', '!', '.', '-', '…']) && at + 1 < words.len() {
            start = at + 1;
        }
    }
    while start < first && is_opener(&words[start]) {
        start += 1;
    }
    words[start..]
        .iter()
        .any(|word| word.weight > 0.0)
        .then_some(start)
}

/// Whether the first word is the number of an item in a list.
fn numbers_a_list(text: &str, words: &[Word]) -> bool {
    let after = |mark| text[words[0].span.end..].starts_with(mark);
    words.len() > 1
        && words[0].span.len() <= 2
        && words[0].sort == WordSort::Number
        && (after(". ") || after(") "))
}

/// Whether a word has no weight, or is a name after a greeting.
fn is_address(words: &[Word], at: usize) -> bool {
    let greeted = at > 0 && words[at - 1].sort == WordSort::Courtesy;
    words[at].weight == 0.0 || (words[at].sort == WordSort::Name && greeted)
}

fn is_opener(word: &Word) -> bool {
    word.sort == WordSort::Courtesy
        || one_of!(
            word.plain.as_str(),
            "and" "but" "so" "or" "well" "also" "then" "because" "plus" "just" "like" "that's"
        )
}

/// Possible starts: the first word, and the words after a mark or conjunction between clauses.
pub(super) fn starts(text: &str, words: &[Word], first: usize, last: usize) -> Vec<usize> {
    let mut starts = vec![first];
    for at in first + 1..=last {
        if (breaks(text, words, at) || joins(&words[at - 1].plain)) && !joins(&words[at].plain) {
            starts.push(at);
        }
    }
    starts.truncate(PLACES);
    starts
}

/// Possible ends: the end of the sentence, and before another clause or phrase.
pub(super) fn ends(text: &str, words: &[Word], first: usize) -> Vec<usize> {
    let mut ends = vec![words.len()];
    for at in first + 2..words.len() {
        let whole = words[at - 1].sort != WordSort::Grammar;
        let called = words[at..].iter().all(|word| word.weight == 0.0) && breaks(text, words, at);
        if (whole || called)
            && (breaks(text, words, at) || joins(&words[at].plain) || leads_on(&words[at].plain))
        {
            ends.push(at);
        }
    }
    ends.truncate(PLACES);
    ends
}

/// Whether a mark between two words separates clauses.
fn breaks(text: &str, words: &[Word], at: usize) -> bool {
    text[words[at - 1].span.end..words[at].span.start].contains([
        ',', ';', ':', '(', ')', '–', '—', '-', '、', '，', '；', '|', '\n', '"',
    ])
}

pub(super) fn joins(plain: &str) -> bool {
    one_of!(
        plain,
        "and" "but" "so" "because" "cause" "cuz" "which" "who" "while" "although" "though" "where"
        "when" "if" "since" "or" "plus" "that" "then" "und" "aber" "weil" "et" "mais" "y" "pero"
    )
}

fn leads_on(plain: &str) -> bool {
    one_of!(
        plain,
        "in" "on" "at" "for" "with" "from" "by" "about" "during" "after" "before" "until" "into"
        "over" "through" "than" "as" "like" "without" "to"
    )
}
