//! Decides whether two memories say the same.

use anamne_types::Memory;

use super::form::{Form, denies};
use crate::summaries::words::Weights;
use crate::vectors::dot;

/// The relation of two memories.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MergeVerdict {
    /// Unrelated.
    Unrelated,
    /// They say the same, apart from form.
    Same,
    /// The later one says all that the earlier one says, and more.
    Contained,
    /// Similar, but different for this reason.
    Differ(String),
}

/// The similarity of two memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Likeness {
    /// The cosine of their vectors.
    pub(crate) cosine: f32,
    /// The longest common subsequence of words, as a share of the shorter text.
    pub(crate) held: f32,
    /// The same as a share of the longer text.
    pub(crate) overlap: f32,
}

/// Minimum [`Likeness::held`] of related memories.
const ALIKE: f32 = 0.6;

/// Minimum cosine of a memory and a later one that contains it.
const NEAR: f32 = 0.5;

/// Maximum number of words compared between the common ends of two texts, and of their particulars.
const COMPARED: usize = 256;

/// The relation of the earlier and the later of two memories. O(words²), bounded.
pub(crate) fn verdict(earlier: &Form, later: &Form) -> (MergeVerdict, Likeness) {
    let common = in_order(&earlier.words, &later.words);
    let (few, many) = (
        earlier.words.len().min(later.words.len()),
        earlier.words.len().max(later.words.len()),
    );
    let likeness = Likeness {
        cosine: dot(&earlier.vector, &later.vector),
        held: share(common, few),
        overlap: share(common, many),
    };
    (judge(earlier, later, common, &likeness), likeness)
}

/// The similarity of a memory and a later one that says the same: the cosine of their texts. `None` if they differ in
/// kind, category, person, negation, or any number, date or name. O(words).
pub fn rewording(known: &Memory, told: &Memory) -> Option<f32> {
    let mut weights = Weights::builtin();
    let (known, told) = (Form::of(known, &mut weights), Form::of(told, &mut weights));
    let is_same = known.sort == told.sort
        && known.own == told.own
        && (!known.own || known.author == told.author)
        && known.denials == told.denials
        && known.particulars.len() <= COMPARED
        && sorted(&known.particulars) == sorted(&told.particulars);
    let decides = !few_words(&known) && !few_words(&told);
    (is_same && decides).then(|| dot(&known.vector, &told.vector))
}

fn sorted(words: &[String]) -> Vec<&String> {
    let mut words: Vec<_> = words.iter().collect();
    words.sort_unstable();
    words
}

fn judge(earlier: &Form, later: &Form, common: usize, likeness: &Likeness) -> MergeVerdict {
    if earlier.sort != later.sort || few_words(earlier) || few_words(later) || likeness.held < ALIKE
    {
        return MergeVerdict::Unrelated;
    }
    if earlier.own != later.own || (earlier.own && earlier.author != later.author) {
        return MergeVerdict::Differ("they speak of different people".to_owned());
    }
    if earlier.denials != later.denials {
        return MergeVerdict::Differ("one of them denies what the other says".to_owned());
    }
    let particulars = earlier.particulars.len().max(later.particulars.len());
    if particulars > COMPARED && earlier.particulars != later.particulars {
        return MergeVerdict::Differ("they hold too many numbers and names to compare".to_owned());
    }
    if earlier.particulars != later.particulars && lacks(&earlier.particulars, &later.particulars) {
        return MergeVerdict::Differ(
            "the later one lacks a number, date or name of the earlier one".to_owned(),
        );
    }
    if common == earlier.words.len() && common == later.words.len() {
        return MergeVerdict::Same;
    }
    if common < earlier.words.len() {
        return MergeVerdict::Differ("each has words that the other lacks".to_owned());
    }
    if likeness.cosine < NEAR || !goes_on(earlier, later) {
        return MergeVerdict::Differ("the later one is about more than that".to_owned());
    }
    if later.words[earlier.words.len()..]
        .iter()
        .any(|word| limits(word))
    {
        return MergeVerdict::Differ("the later one limits what the earlier one says".to_owned());
    }
    MergeVerdict::Contained
}

/// Whether the later memory repeats the earlier one, and then continues with a phrase or clause of its own.
///
/// Words added in front or in the middle change what a sentence is about, and so does a noun added after its last one.
fn goes_on(earlier: &Form, later: &Form) -> bool {
    let said = earlier.words.len();
    later.words.starts_with(&earlier.words) && (later.parted[said] || leads_on(&later.words[said]))
}

fn leads_on(word: &str) -> bool {
    one_of!(
        word,
        "and" "because" "since" "which" "where" "when" "as" "at" "in" "on" "for" "with" "from" "by"
        "about" "during" "after" "before" "through" "via" "to" "of" "that" "who" "while"
    )
}

/// Whether a text is too short to decide: one word.
fn few_words(form: &Form) -> bool {
    form.words.len() < 2
}

fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 {
        0.0
    } else {
        part as f32 / whole as f32
    }
}

/// Whether the later memory lacks one of the particulars of the earlier one.
fn lacks(earlier: &[String], later: &[String]) -> bool {
    let mut left: Vec<&String> = later.iter().collect();
    earlier
        .iter()
        .any(|word| match left.iter().position(|other| *other == word) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        })
}

/// Words by which an addition retracts or limits a statement.
fn limits(word: &str) -> bool {
    denies(word)
        || one_of!(
            word,
            "but" "except" "unless" "only" "instead" "until" "formerly" "previously" "used"
            "stopped" "longer" "anymore" "rather" "however" "if" "might" "maybe" "perhaps" "was"
            "were"
        )
}

/// Length of the longest common subsequence of the words of two texts.
///
/// Between the common ends of long texts, only the first words are compared.
fn in_order(a: &[String], b: &[String]) -> usize {
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let (a, b) = (&a[..a.len().min(COMPARED)], &b[..b.len().min(COMPARED)]);
    let mut above = vec![0usize; b.len() + 1];
    for word in a {
        let mut corner = 0;
        for (at, other) in b.iter().enumerate() {
            let kept = above[at + 1];
            above[at + 1] = if word == other {
                corner + 1
            } else {
                kept.max(above[at])
            };
            corner = kept;
        }
    }
    begin + end + above[b.len()]
}
