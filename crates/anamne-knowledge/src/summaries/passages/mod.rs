//! Passages: the most informative part of each sentence for its length, verbatim.

mod borders;

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

use self::borders::{ends, first_informative, joins, starts};
use super::pieces::{announces, code_of, is_markup, is_phrase_of_courtesy, pieces};
use super::words::{Word, WordSort};

/// A verbatim part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passage {
    /// Its byte range in the text.
    pub(crate) span: Range<usize>,
    /// The byte range of its sentence, without leading greetings.
    pub(crate) sentence: Range<usize>,
    /// The total weight of its words.
    pub(crate) says: f32,
    /// The words with a weight, as distinct hashes with weights, by rising hash.
    pub(crate) words: Vec<(u64, f32)>,
    /// Whether it is a question.
    pub(crate) asks: bool,
    /// Whether it is in brackets: a side note.
    pub(crate) aside: bool,
    /// Whether it is in the first person: `I`, `my`, `we`.
    pub(crate) own: bool,
}

/// Maximum length of a passage, in bytes.
const LONGEST: usize = 240;

/// Maximum number of words considered per sentence.
const MOST_WORDS: usize = 64;

/// Maximum length of closing marks that are kept, in bytes.
const LONGEST_END: usize = 8;

/// Exponent of the weight of a passage, against its length: slightly less than proportional.
const GAIN: f32 = 0.8;

/// Fixed cost of a passage in addition to its length, in bytes.
const FIXED: f32 = 30.0;

/// The passages of a text in order, one per sentence with content. Linear in the text.
pub(crate) fn passages(text: &str, words: &[Word]) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut next = 0;
    let code = code_of(text);
    for piece in pieces(text, words) {
        let block = code.partition_point(|block| block.end <= piece.start);
        let is_code = code.get(block).is_some_and(|block| block.start < piece.end);
        if is_code || is_markup(&text[piece.clone()]) {
            continue;
        }
        let from = next + words[next..].partition_point(|word| word.span.end <= piece.start);
        let to = from + words[from..].partition_point(|word| word.span.start < piece.end);
        next = to;
        found.extend(best_of(text, &piece, &words[from..to]));
    }
    found
}

/// The most informative part of a sentence for its length.
fn best_of(text: &str, piece: &Range<usize>, words: &[Word]) -> Option<Passage> {
    let words = &words[..words.len().min(MOST_WORDS)];
    let first = first_informative(text, words)?;
    let last = words.iter().rposition(|word| word.weight > 0.0)?;
    if is_phrase_of_courtesy(words) || announces(text, piece, words) {
        return None;
    }
    let ends_asking = text[piece.clone()].trim_end().ends_with(['?', '？']);
    let starts = starts(text, words, first, last);
    let ends = ends(text, words, first);
    let sums = Sums::of(words);
    let mut best: Option<(f32, Range<usize>)> = None;
    for &start in &starts {
        for &end in ends.iter().filter(|&&end| end > start) {
            let part = &words[start..end];
            let says = sums.says(words, start..end);
            let Some(mut worth) = worth(part, says, start == first, end == words.len()) else {
                continue;
            };
            if ends_asking && asks(part, end == words.len()) {
                worth *= 0.5;
            }
            if best.as_ref().is_none_or(|(most, _)| worth > *most) {
                best = Some((worth, start..end));
            }
        }
    }
    let chosen = within(words, best?.1);
    let start = beginning(text, &words[chosen.start]);
    let span = start..clipped(text, start, ending(text, piece, words, chosen.end));
    let sentence = beginning(text, &words[first])..piece.end.max(span.end);
    let to_end = chosen.end == words.len();
    let said = &words[chosen.clone()];
    Some(Passage {
        span,
        sentence: sentence.start..sentence.start + text[sentence].trim_end().len(),
        says: sums.says(words, chosen),
        asks: ends_asking && asks(said, to_end),
        words: distinct(said),
        aside: text[piece.start..].starts_with(['[', '(']),
        own: said.iter().any(|word| is_own(&word.plain)),
    })
}

/// The start of a passage, including an opening mark before its first word.
fn beginning(text: &str, word: &Word) -> usize {
    let start = word.span.start;
    let opens = text[..start]
        .chars()
        .next_back()
        .filter(|mark| OPENING.contains(mark));
    start - opens.map_or(0, char::len_utf8)
}

/// Opening marks.
const OPENING: [char; 9] = ['[', '(', '"', '“', '«', '‘', '„', '「', '$'];

/// The end of a passage. At the end of its sentence it includes the closing marks, except full stops and exclamation marks.
fn ending(text: &str, piece: &Range<usize>, words: &[Word], end: usize) -> usize {
    let at = words[end - 1].span.end;
    if end < words.len() {
        return at;
    }
    let tail = text[at..piece.end.max(at)].trim_end();
    if tail.len() > LONGEST_END || tail.contains(char::is_whitespace) {
        return at;
    }
    at + tail.trim_end_matches(['.', '!', '。']).len()
}

/// The previous occurrence of each word of a sentence.
struct Sums {
    before: Vec<Option<usize>>,
}

impl Sums {
    fn of(words: &[Word]) -> Self {
        let last_before = |at: usize| {
            words[..at]
                .iter()
                .rposition(|other| other.plain == words[at].plain)
        };
        Self {
            before: (0..words.len()).map(last_before).collect(),
        }
    }

    /// The total weight of a range of words, each counted once, with emphasis on names, numbers, times and changes.
    fn says(&self, words: &[Word], range: Range<usize>) -> f32 {
        let is_first = |at: &usize| self.before[*at].is_none_or(|before| before < range.start);
        let weight = |at: usize| words[at].weight * emphasis(words[at].sort);
        range.clone().filter(is_first).map(weight).sum()
    }
}

/// The end of a passage, cut to the maximum length.
fn clipped(text: &str, start: usize, end: usize) -> usize {
    if end - start <= LONGEST + LONGEST_END {
        end
    } else {
        text.floor_char_boundary(start + LONGEST)
    }
}

fn emphasis(sort: WordSort) -> f32 {
    match sort {
        WordSort::Grammar | WordSort::Courtesy => 0.0,
        WordSort::Time | WordSort::Number | WordSort::Name => 1.4,
        WordSort::Change => 1.3,
        WordSort::Plain => 1.0,
    }
}

/// Whether a part of a sentence that ends with a question mark is itself a question.
fn asks(words: &[Word], to_end: bool) -> bool {
    to_end
        || matches!(
            words[0].plain.split('\'').next(),
            Some(
                "what"
                    | "how"
                    | "why"
                    | "when"
                    | "where"
                    | "who"
                    | "which"
                    | "do"
                    | "does"
                    | "did"
                    | "is"
                    | "are"
                    | "was"
                    | "were"
                    | "can"
                    | "could"
                    | "would"
                    | "will"
                    | "have"
                    | "has"
                    | "should"
                    | "any"
                    | "whose"
            )
        )
}

/// Whether words can stand alone: two of them have weight, or one within a longer clause. What begins in the middle of a
/// sentence must be slightly longer, so that it isn't a fragment.
fn is_statement(words: &[Word], from_start: bool) -> bool {
    let weighty = words.iter().filter(|word| word.weight > 0.0).count();
    let unparted = words[0].span.len() > UNPARTED;
    match weighty {
        0 => false,
        1 => unparted || (from_start && words.len() >= 4),
        _ => unparted || words.len() >= if from_start { 3 } else { 4 },
    }
}

/// Longer runs of letters, in bytes, are sentences of a script without spaces.
const UNPARTED: usize = 24;

/// The worth of a part of a sentence: its weight against its length, more if it is a complete clause.
fn worth(words: &[Word], says: f32, from_start: bool, to_end: bool) -> Option<f32> {
    let length = words[words.len() - 1].span.end - words[0].span.start;
    if says == 0.0 || !is_statement(words, from_start) {
        return None;
    }
    let length = length.min(LONGEST);
    let mut whole = 1.0;
    if from_start {
        whole += 0.15;
    }
    if to_end {
        whole += 0.05;
    } else if joins(&words[0].plain) {
        // `Since we met` alone is incomplete.
        whole -= 0.4;
    }
    Some(whole * says.powf(GAIN) / (length as f32 + FIXED))
}

/// As many of the words as fit into a passage.
fn within(words: &[Word], range: Range<usize>) -> Range<usize> {
    let limit = words[range.start].span.start + LONGEST;
    let fitting = words[range.clone()].partition_point(|word| word.span.end <= limit);
    range.start..range.start + fitting.max(1)
}

/// The words with a weight, as distinct hashes with weights, by rising hash.
pub(crate) fn distinct(words: &[Word]) -> Vec<(u64, f32)> {
    let mut hashed: Vec<(u64, f32)> = words
        .iter()
        .filter(|word| word.weight > 0.0)
        .map(|word| (hash(&word.plain), word.weight * emphasis(word.sort)))
        .collect();
    hashed.sort_by_key(|word| word.0);
    hashed.dedup_by_key(|word| word.0);
    hashed
}

/// A hash of a word's approximate stem, without endings of number and tense.
fn hash(plain: &str) -> u64 {
    let stem = ["'s", "ing", "ed", "es", "s"]
        .into_iter()
        .find_map(|ending| plain.strip_suffix(ending).filter(|stem| stem.len() >= 4))
        .unwrap_or(plain);
    let mut hasher = FxHasher::default();
    stem.hash(&mut hasher);
    hasher.finish()
}

fn is_own(plain: &str) -> bool {
    one_of!(
        plain.split('\'').next().unwrap_or(plain),
        "i" "my" "me" "mine" "myself" "we" "our" "us" "im" "ive" "ich" "mein" "meine" "wir" "je"
        "nous" "yo" "nosotros"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summaries::words::Weights;

    fn check(text: &str, expected: &[&str]) {
        let words = Weights::builtin().words(text);
        let found = passages(text, &words);
        let shown: Vec<&str> = found
            .iter()
            .map(|passage| &text[passage.span.clone()])
            .collect();
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn greetings_and_cheers_give_no_passage() {
        check("", &[]);
        check("Hey! Good to see you. How are you?", &[]);
        check("Wow, that's awesome! Thanks a lot!", &[]);
        check("Talk to you soon.", &[]);
        check("\u{1f980}\u{1f980}", &[]);
    }

    #[test]
    fn the_part_that_says_most_is_kept() {
        check(
            "Yeah, I sold the tractor yesterday!",
            &["I sold the tractor yesterday"],
        );
        check(
            "1. Replace the gasket of pump 7.",
            &["Replace the gasket of pump 7"],
        );
        check(
            "We sold the tractor, which was kind of a pity for all of us.",
            &["We sold the tractor"],
        );
    }

    #[test]
    fn only_who_is_greeted_is_left_out() {
        check("Hey Carla, I sold the tractor!", &["I sold the tractor"]);
        check(
            "In Graz, Carla sold the tractor.",
            &["In Graz, Carla sold the tractor"],
        );
    }

    #[test]
    fn code_and_headings_give_no_passage() {
        check(
            "## Setup\n```\nlet kiln = Kiln::new(1240);\n```\nThe kiln reached 1240 degrees.",
            &["The kiln reached 1240 degrees"],
        );
        check("let kiln = Kiln::new(1240);", &[]);
        check("Next steps:", &[]);
    }

    #[test]
    fn a_statement_before_a_question_does_not_ask() {
        let text = "I moved the anvil to the north hall, can you update the plan?";
        let words = Weights::builtin().words(text);
        let asks: Vec<bool> = passages(text, &words)
            .iter()
            .map(|passage| passage.asks)
            .collect();
        assert_eq!(asks, [false]);
    }
}
