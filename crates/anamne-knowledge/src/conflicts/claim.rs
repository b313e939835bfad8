//! Claims of memories, in a form that can be stored and compared.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A claim made by one sentence of a memory.
///
/// It serialises to a few hundred bytes and contains all that [`judge`](super::judge) needs, so that texts needn't be read
/// again. That form has no field names; it is part of the format of `views/knowledge.db`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "StoredClaim", from = "StoredClaim")]
pub struct Claim {
    /// The sentence, as a byte range of the memory's text.
    pub span: Range<usize>,
    /// The words of the claim, at most [`Claim::QUOTE_BYTES`] bytes, for display.
    pub quote: String,
    /// The author, in lower case; empty if unknown.
    pub author: String,
    /// When it was said.
    pub at: Timestamp,
    /// The terms of the subject, of a value the head first; empty for the speaker.
    pub subject: Vec<String>,
    /// The topic, the head first.
    pub about: Vec<Topic>,
    /// Terms of this sentence and the previous one that are not in `about`, sorted, distinct.
    pub context: Vec<String>,
    /// Whether the words state a change: `now`, `new`, `increased to`.
    pub changed: bool,
    /// The content of the claim.
    pub content: Content,
}

/// The serialised form of a claim: the beginning and the end of its span, then its fields in order.
#[derive(Serialize, Deserialize)]
struct StoredClaim(
    usize,
    usize,
    String,
    String,
    Timestamp,
    Vec<String>,
    Vec<(String, u8)>,
    Vec<String>,
    bool,
    Content,
);

impl From<Claim> for StoredClaim {
    fn from(claim: Claim) -> Self {
        let about = claim.about.into_iter();
        Self(
            claim.span.start,
            claim.span.end,
            claim.quote,
            claim.author,
            claim.at,
            claim.subject,
            about.map(|topic| (topic.term, topic.weight)).collect(),
            claim.context,
            claim.changed,
            claim.content,
        )
    }
}

impl From<StoredClaim> for Claim {
    fn from(stored: StoredClaim) -> Self {
        let StoredClaim(start, end, quote, author, at, subject, about, context, changed, content) =
            stored;
        let about = about.into_iter();
        Self {
            span: start..end,
            quote,
            author,
            at,
            subject,
            about: about.map(|(term, weight)| Topic { term, weight }).collect(),
            context,
            changed,
            content,
        }
    }
}

impl Claim {
    /// Maximum length of a quote, in bytes.
    pub const QUOTE_BYTES: usize = 120;
}

/// A term of a claim's topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The term, as the lexical index has it.
    pub term: String,
    /// Its weight, in tenths: names weigh most, words like `project` little.
    pub weight: u8,
}

/// The content of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Somebody does, did or never did something.
    Action(Action),
    /// Something has a value.
    Quantity(Quantity),
}

/// An action or a state, or its denial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The base form of the verb.
    pub verb: String,
    /// The verb's groups as a bit set; verbs of one group may stand for each other.
    pub groups: u64,
    /// Its aspect.
    pub aspect: Aspect,
    /// The earliest date in the sentence, as days since 1970; `None` without a date.
    pub day: Option<i64>,
}

/// How an action relates to the time of speaking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aspect {
    /// It was done: `I have sent`, `I sent`.
    Done,
    /// It is the case: `I use`, `I am using`.
    Ongoing,
    /// It was begun, and the memory contains code for it: `I am trying to build`.
    Underway,
    /// It was never done: `I have never sent`.
    Never,
    /// It is not done yet: `I have not sent`.
    NotDone,
    /// It is not the case: `I do not use`.
    NotOngoing,
    /// It has ended: `I no longer use`, `I stopped using`.
    Ceased,
}

impl Aspect {
    /// Whether it is a denial.
    pub fn is_negative(self) -> bool {
        !matches!(self, Self::Done | Self::Ongoing | Self::Underway)
    }
}

/// A value of a property.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// What is measured or counted: `percent`, `time`, `count:boat`, `date`.
    pub dimension: String,
    /// The value, in the base unit of its dimension.
    pub value: f64,
    /// The value as it is written.
    pub written: String,
    /// Whether the value is approximate: `about`.
    pub approximate: bool,
    /// Whether the value is a target rather than the actual one.
    pub target: bool,
    /// The verb that governs the value, in its base form; may be empty.
    pub verb: String,
    /// The previous value, if stated (`from 3 to 5`).
    pub before: Option<f64>,
    /// The noun phrases that name what has the value, the counted one first: of each the head, then its other terms, sorted.
    pub phrases: Vec<Vec<String>>,
    /// Terms that distinguish it from similar values: ordinals, numbers, days, names of other things; sorted.
    pub qualifiers: Vec<String>,
    /// The days and months in the sentence, sorted.
    pub period: Vec<String>,
    /// Whether the property has one value at a time, like a deadline.
    pub single: bool,
    /// Whether it is a cumulative result so far: `I have completed 10`.
    pub cumulative: bool,
}
