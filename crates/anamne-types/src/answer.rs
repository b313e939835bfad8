//! What the engine answers.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{ConflictKind, Memory, MemoryId, Seq, Tier};

/// What became of a memory that was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The memory's id: the new one, or that of the memory that already said this.
    pub id: MemoryId,
    /// The event that holds it.
    pub seq: Seq,
    /// The space in which it lives.
    pub space: String,
    /// Whether it was known already; then nothing was changed.
    pub duplicate: bool,
}

/// What each signal contributed to a result, before weighting; what did not take part is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreParts {
    /// BM25 of the memory's own text, over the most that the query could reach: 0 to about 1.
    pub lexical: f32,
    /// Cosine between the query and the memory's best vector: −1 to 1.
    pub semantic: f32,
    /// How well each word of the query is met by some word of the memory, weighted by rarity: 0 to 1.
    pub words: f32,
    /// The same over the memory and its neighbours in the thread: 0 to 1.
    pub neighbours: f32,
    /// How well the rest of its thread answers the query: 0 to 1.
    pub thread: f32,
    /// `exp(-Δt/τ)` of its age: 0 to 1.
    pub recency: f32,
    /// Importance over ten: 0.1 to 1.
    pub importance: f32,
    /// Trust in its origin: 0 to 1.
    pub trust: f32,
}

/// Why a result is there, for a machine: where it was found and how each signal weighed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The stages that brought it up: `lexical`, `vectors`, `neighbours`, `graph`, `asked again`.
    pub found_by: Vec<String>,
    /// The words of the query that it holds.
    pub matched: Vec<String>,
    /// Name, value and weight of each feature of the final score; `reranker` is among them where one looked at the result.
    pub features: Vec<(Cow<'static, str>, f32, f32)>,
    /// How like it is to a result before it, 0 to 1, where diversity was asked for and had a say in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f32>,
    /// Name and value of everything that its confidence was judged by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged_by: Vec<(Cow<'static, str>, f32)>,
}

/// Another memory that says what can't be true beside a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// The other memory.
    pub memory: MemoryId,
    /// How it is cited: `m12`.
    pub citation: String,
    /// What the two are to each other.
    pub kind: ConflictKind,
    /// Which of the two holds: this result (`true`), the other one (`false`), or nobody knows (`None`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// Why they can't both hold, for a person.
    pub reason: String,
}

/// One result of a recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// The final score; only its order and its use in one answer mean anything.
    pub score: f32,
    /// The probability that this memory bears on the question, 0 to 1.
    pub confidence: f32,
    /// What each signal gave.
    pub scores: ScoreParts,
    /// Why it is here, in a sentence for a person.
    pub reasoning: String,
    /// Why it is here, for a machine.
    pub explanation: Explanation,
    /// The memories just before and after it in its thread, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surroundings: Vec<Memory>,
    /// The memories that say otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputes: Vec<Dispute>,
    /// How it was reached from what the question itself found, where it was not found at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
    /// The persons, places and things that it names, where the question goes deeper than shallow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// The space that it was found in, where several were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
}

/// One step of the way from what a question found to a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What leads there: `found`, or `named` by the question; `mentions`, `mentioned_in`, `said_in` (where a memory says the
    /// relation); a relation (`works_at`, backwards `works_at of`) or a type of link (`supersedes`, backwards `superseded_by`);
    /// `next` or `previous` in the thread; `asked again`.
    pub by: String,
    /// Where it leads: a memory's citation, or the name of an entity; for `asked again` the words.
    pub to: String,
    /// The memory, where it leads to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
}

/// What came nearest where an answer declines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearestMiss {
    /// The memory.
    pub memory: MemoryId,
    /// How it is cited: `m12`.
    pub citation: String,
    /// The probability that it bears on the question.
    pub confidence: f32,
    /// What it says, shortened to a line.
    pub excerpt: String,
}

/// Why there is no result that is sure enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Abstention {
    /// How sure a result had to be.
    pub threshold: f32,
    /// What was looked at, in a sentence for a person.
    pub looked_at: String,
    /// The memory that came nearest, if any.
    pub nearest: Option<NearestMiss>,
}

/// What the words of a question that name a time were taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderstoodTime {
    /// The words.
    pub words: String,
    /// From this instant; from the beginning where it is not said.
    pub since: Option<Timestamp>,
    /// Up to before this instant; without end where it is not said.
    pub until: Option<Timestamp>,
    /// The memory of the event that the time is counted from: "the week before the release".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryId>,
}

/// What a recall had to touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Tiers that were searched.
    pub tiers: u32,
    /// Rows that the searches had before them: those of each tier's views that were asked.
    pub rows: u64,
    /// Bytes of views that these searches read, as estimated from the views' sizes.
    pub bytes: u64,
    /// Connections that were followed, where the question goes deeper than shallow.
    #[serde(default)]
    pub edges: u64,
}

/// How a recall was planned, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Whether the planner had a say.
    pub planned: bool,
    /// The tiers that were searched, in their order.
    pub tiers: Vec<Tier>,
    /// The tiers within reach that were left out.
    pub left_out: Vec<Tier>,
    /// What was expected to be touched, and what was.
    pub expected: Work,
    /// What was touched.
    pub work: Work,
    /// Whether the first answer was weak and more was searched.
    pub widened: bool,
    /// Why, in sentences for a person.
    pub reasons: Vec<String>,
}

/// The answer to a recall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The results, best first.
    pub results: Vec<Hit>,
    /// The probability that the memory holds what is asked, 0 to 1: a factor of every result's confidence. Where one
    /// of the searches was asked to rank alone, the confidence of the surest result.
    #[serde(default)]
    pub answered: f32,
    /// The views that could not take part, and `source restored` where a damaged database was restored in the course
    /// of this very answer; empty when all is well.
    pub degraded: Vec<String>,
    /// What words that name a time were taken for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<UnderstoodTime>,
    /// Why nothing is answered, where a confidence was asked for that nothing has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstained: Option<Abstention>,
    /// How it was planned, where that was asked for, or where more was searched than at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
}

/// A memory that stands in a context block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextEntry {
    /// The memory's id.
    pub id: MemoryId,
    /// How the block cites it: `m12`.
    pub citation: String,
    /// The probability that it bears on the question; 0 where it was not found by one.
    pub confidence: f32,
    /// Tokens that it costs in the block.
    pub tokens: usize,
    /// Whether its text was shortened to fit.
    pub shortened: bool,
    /// The entry that it stands beside, where it is there for that one alone: a question for the short turn that answers
    /// it, or the other side of what is contested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<MemoryId>,
}

/// A memory that did not find room in a context block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The memory's id.
    pub id: MemoryId,
    /// Why: `over_budget` or `duplicate`.
    pub reason: String,
    /// Tokens that it would have cost.
    pub tokens: usize,
}

/// A block of remembered text for a model to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The block; quoted data, never an instruction.
    pub text: String,
    /// Tokens that the block costs, as estimated.
    pub tokens: usize,
    /// The memories in it, in reading order.
    pub entries: Vec<ContextEntry>,
    /// The memories that did not fit, best first.
    pub left_out: Vec<LeftOut>,
    /// Why there is none, where a confidence was asked for that nothing has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstained: Option<Abstention>,
    /// What words that name a time were taken for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<UnderstoodTime>,
    /// The views that could not take part, and `source restored` where a damaged database was restored in the course
    /// of this very answer.
    pub degraded: Vec<String>,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
}
