//! What a memory claims, in a form that can be stored and compared.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something that one sentence of a memory says is so.
///
/// It serialises to a few hundred bytes and holds all that [`judge`](super::judge) needs, so that texts needn't be read
/// again. Its form belongs to [`CLAIMS_VERSION`](super::CLAIMS_VERSION).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The sentence that makes it, in bytes of the memory's text.
    pub span: Range<usize>,
    /// The words that make it, at most [`Claim::QUOTE_BYTES`] bytes, for people to read.
    pub quote: String,
    /// Who says it, in lower case; empty when not known.
    pub author: String,
    /// When it was said.
    pub at: Timestamp,
    /// Whom or what it is about: the speaker where it is empty, else the terms of the subject.
    pub subject: Vec<String>,
    /// What it is about, the head first.
    pub about: Vec<Topic>,
    /// The terms of the whole sentence that are not in `about`, sorted, each once.
    pub context: Vec<String>,
    /// Whether the words say that something became so or otherwise than it was: `now`, `new`, `increased to`.
    pub changed: bool,
    /// What is claimed.
    pub content: Content,
}

impl Claim {
    /// The longest quote, in bytes.
    pub const QUOTE_BYTES: usize = 120;
}

/// A term of what a claim is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// The term, as the lexical index has it.
    pub term: String,
    /// What it says, in tenths: names most, words like `project` little.
    pub weight: u8,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Somebody does, did or never did something.
    Action(Action),
    /// Something has a value.
    Quantity(Quantity),
}

/// An action or a state, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The base form of the verb.
    pub verb: String,
    /// The verbs that it may stand for, a bit a group.
    pub groups: u64,
    /// How the action stands.
    pub aspect: Aspect,
    /// The earliest day that the clause names, as a day before which it was said; `None` without a date.
    pub day: Option<i64>,
}

/// How an action stands to the time of speaking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aspect {
    /// It was done: `I have sent`, `I sent`.
    Done,
    /// It is so: `I use`, `I am using`.
    Ongoing,
    /// It was begun, and the memory shows how far: `I am trying to build`, with the code.
    Underway,
    /// It was never done: `I have never sent`.
    Never,
    /// It is not done so far: `I have not sent`.
    NotDone,
    /// It is not so: `I do not use`.
    NotOngoing,
    /// It was so and is no more: `I no longer use`, `I stopped using`.
    Ceased,
}

impl Aspect {
    /// Whether it says that there is none.
    pub fn is_negative(self) -> bool {
        !matches!(self, Self::Done | Self::Ongoing | Self::Underway)
    }
}

/// A value of a property.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that the words tell or not"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// What is measured or counted: `percent`, `time`, `count:boat`, `date`.
    pub dimension: String,
    /// The value, in the base unit of its dimension.
    pub value: f64,
    /// The value as it is written.
    pub written: String,
    /// Whether the words say `about` or the like.
    pub approximate: bool,
    /// What is aimed at rather than so.
    pub target: bool,
    /// The verb that brings the value, in its base form; may be empty.
    pub verb: String,
    /// The value before, where the words tell (`from 3 to 5`).
    pub before: Option<f64>,
    /// The noun phrases that say what has the value, the counted one first: of each its head, then the terms beside it, sorted.
    pub phrases: Vec<Vec<String>>,
    /// What parts it from its like: ordinals, numbers, days, names of other things; sorted.
    pub qualifiers: Vec<String>,
    /// The days and months that the sentence names, sorted.
    pub period: Vec<String>,
    /// Whether the property has one value at a time, as a deadline has.
    pub single: bool,
    /// Whether the words tell of a result so far, which grows: `I have completed 10`.
    pub cumulative: bool,
}
