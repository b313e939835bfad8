//! Verb groups: negation, tense and modality from the auxiliaries and adverbs around a verb.

use super::sentence::Sentence;
use super::words::is_adverb;

/// The auxiliaries and adverbs before a verb.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Independent flags; any combination is possible.
pub(super) struct VerbGroup {
    /// The first item of the group; the subject comes before it.
    pub(super) start: usize,
    /// `not`, `never`, `don't`.
    pub(super) negated: bool,
    /// `no longer`, `not any more`.
    pub(super) ended: bool,
    /// `could`, `would`, `may`, `to`: the clause is not asserted.
    pub(super) unreal: bool,
    /// `will`.
    pub(super) future: bool,
    /// A form of be precedes the verb.
    pub(super) be: bool,
    /// `was`, `were`, `had`, `did`.
    pub(super) past: bool,
    /// `have`, `has`.
    pub(super) perfect: bool,
}

/// The group of the verb at an item.
pub(super) fn group(sentence: &Sentence<'_>, verb: usize) -> VerbGroup {
    let mut group = VerbGroup {
        start: verb,
        ..VerbGroup::default()
    };
    let mut at = verb;
    while let Some(before) = at.checked_sub(1) {
        let lower = sentence.lower(before);
        match lower {
            "not" | "never" | "n't" | "neither" | "hardly" | "rarely" => group.negated = true,
            "longer" if before >= 1 && sentence.lower(before - 1) == "no" => {
                group.negated = true;
                group.ended = true;
                at = before - 1;
                group.start = at;
                continue;
            }
            "isn't" | "aren't" | "wasn't" | "weren't" => {
                group.negated = true;
                group.be = true;
                group.past |= lower.starts_with("wa") || lower.starts_with("we");
            }
            "don't" | "doesn't" | "didn't" | "dont" | "doesnt" | "didnt" => {
                group.negated = true;
                group.past |= lower.starts_with("did");
            }
            "haven't" | "hasn't" | "hadn't" => {
                group.negated = true;
                group.perfect = true;
            }
            "won't" => {
                group.negated = true;
                group.future = true;
            }
            "can" | "could" | "would" | "might" | "may" | "should" | "must" | "shall" | "can't"
            | "couldn't" | "wouldn't" | "shouldn't" | "cannot" | "'d" | "to" | "let" | "lets"
            | "please" | "supposed" | "ought" => group.unreal = true,
            "will" | "'ll" | "gonna" => group.future = true,
            "am" | "is" | "are" | "'m" | "'re" | "be" | "been" | "being" | "im" => group.be = true,
            "'s" if is_verbal(sentence, before) => group.be = true,
            "was" | "were" => {
                group.be = true;
                group.past = true;
            }
            "got" | "gets" | "get" if group.start == verb => group.be = true,
            "has" | "have" | "'ve" | "ive" => group.perfect = true,
            "had" | "did" => group.past = true,
            "do" | "does" => {}
            _ if is_adverb(lower, sentence.class(before)) && sentence.mention(before).is_none() => {
            }
            _ => break,
        }
        at = before;
        group.start = at;
    }
    group.negated |= sentence.lower(verb + 1) == "not";
    group
}

/// Whether `'s` after a name or pronoun is a form of be.
fn is_verbal(sentence: &Sentence<'_>, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        matches!(
            sentence.lower(before),
            "he" | "she" | "it" | "that" | "who" | "what" | "there" | "here"
        )
    }) || (sentence.mention(at.wrapping_sub(1)).is_some()
        && (matches!(
            sentence.lower(at + 1),
            "a" | "an" | "the" | "my" | "from" | "in" | "on" | "not" | "now"
        ) || sentence.lower(at + 1).ends_with("ing")))
}

/// Whether the group is modal, future or conditional, so that its clause is not asserted.
pub(super) fn is_not_asserted(sentence: &Sentence<'_>, group: VerbGroup) -> bool {
    group.unreal || group.future || is_conditional(sentence, group.start)
}

/// Whether the clause at an item depends on a condition, wish or doubt before it.
pub(super) fn is_conditional(sentence: &Sentence<'_>, at: usize) -> bool {
    (0..at).any(|before| {
        one_of!(
            sentence.lower(before),
            "if" "unless" "whether" "suppose" "imagine" "assuming" "wish" "wished" "maybe" "perhaps"
            "possibly" "hypothetically" "ensure" "ensures" "given" "assume" "let's" "pretend"
            "wonder" "wondering" "should" "could" "would" "e.g" "example" "instance" "let" "lets"
            "wenn" "falls" "si"
        ) && !sentence.items[before].quoted
            && sentence.mention(before).is_none()
            && !is_closed(sentence, before, at)
    })
}

/// Whether a clause with `would` or another modal ends before an item.
fn is_closed(sentence: &Sentence<'_>, before: usize, at: usize) -> bool {
    let modal = matches!(sentence.lower(before), "would" | "could" | "should");
    modal
        && (before..at).any(|between| {
            matches!(
                sentence.lower(between),
                "," | ";" | "but" | ":" | "because" | "and"
            )
        })
}

/// The factor by which hedges such as `I think` before an item reduce confidence; 1 if there are none.
pub(super) fn doubt(sentence: &Sentence<'_>, at: usize) -> f32 {
    let doubted = (0..at).any(|before| {
        one_of!(
            sentence.lower(before),
            "think" "guess" "believe" "probably" "likely" "apparently" "seems" "heard" "assume"
            "suspect" "hopefully" "hope"
        )
    });
    if doubted { 0.7 } else { 1.0 }
}
