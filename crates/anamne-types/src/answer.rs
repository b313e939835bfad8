//! Answers of the engine.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Clarification, ConflictKind, GuardNote, Memory, MemoryId, Seq, Tier};

/// The result of storing a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Remembered {
    /// The id of the new memory, or of the existing duplicate.
    pub id: MemoryId,
    /// Its citation inside its space, such as `m12`. Empty from a server older than this field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub citation: String,
    /// The event that stored it.
    pub seq: Seq,
    /// The space that contains it.
    pub space: String,
    /// Whether it was a duplicate; then nothing changed, unless it is a rewording.
    pub duplicate: bool,
    /// The memory that keeps the words of a rewording, in a space with semantic duplicates: `id` supersedes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewording: Option<MemoryId>,
    /// The secrets and personal data found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guard: Vec<GuardNote>,
}

/// The unweighted signals of a result; unused ones are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScoreParts {
    /// BM25 of the memory's text, divided by the query's maximum: 0 to about 1.
    pub lexical: f32,
    /// Cosine between the query and the memory's best vector: −1 to 1.
    pub semantic: f32,
    /// How well each query word is matched by some word of the memory, weighted by rarity: 0 to 1.
    pub words: f32,
    /// The same over the memory and its neighbours in the thread: 0 to 1.
    pub neighbours: f32,
    /// How well the candidates of its thread match the query: 0 to 1.
    pub thread: f32,
    /// `exp(-Δt/τ)` of its age: 0 to 1.
    pub recency: f32,
    /// Importance over ten: 0.1 to 1.
    pub importance: f32,
    /// Trust in its origin: 0 to 1.
    pub trust: f32,
}

/// Machine-readable explanation of a result: where it was found, and every feature.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Explanation {
    /// The stages that found it: `lexical`, `vectors`, `neighbours`, `graph`, `asked again`.
    pub found_by: Vec<String>,
    /// The query words that it contains.
    pub matched: Vec<String>,
    /// Name, value and weight of each feature of the final score; includes `reranker` if one scored the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<(Cow<'static, str>, f32, f32)>,
    /// Similarity to a preceding result, 0 to 1, if diversity affected its rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f32>,
    /// Name and value of every input of its confidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged_by: Vec<(Cow<'static, str>, f32)>,
}

/// Another memory that contradicts a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Dispute {
    /// The other memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The kind of contradiction.
    pub kind: ConflictKind,
    /// Which one holds: this result (`true`), the other (`false`), or unresolved (`None`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// The reason, as a sentence.
    pub reason: String,
}

/// One result of a recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// The final score; comparable within one answer only.
    pub score: f32,
    /// The probability that this memory is relevant, 0 to 1.
    pub confidence: f32,
    /// The unweighted signals.
    pub scores: ScoreParts,
    /// The reason, as a sentence.
    pub reasoning: String,
    /// The machine-readable explanation.
    pub explanation: Explanation,
    /// The preceding and following memory in its thread, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surroundings: Vec<Memory>,
    /// The memories that contradict it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputes: Vec<Dispute>,
    /// The path from a direct result, if it was not found directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
    /// The entities that it mentions, if requested, and for depth beyond shallow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Entities related to those that it mentions, if requested; at most [`Hit::RELATED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related_entities: Vec<RelatedName>,
    /// Memories connected with it, closest first, if requested; at most [`Hit::RELATED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related_memories: Vec<RelatedMemory>,
    /// Its space, if several were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The other searched spaces that found it: those of which it is a member, or its home.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
}

impl Hit {
    /// The maximum number of entities, related entities and related memories where they are requested.
    pub const RELATED: usize = 5;
}

/// An entity related to one that a result mentions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RelatedName {
    /// Its name.
    pub name: String,
    /// The relation: `works_at`, backwards `works_at of`.
    pub relation: String,
    /// The entity that the result mentions.
    pub of: String,
}

/// A memory connected with a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RelatedMemory {
    /// The memory.
    pub id: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The link (`supersedes`, backwards `superseded_by`), or the shared entity: `mentions Rust`.
    pub by: String,
    /// The beginning of its text, on one line.
    pub excerpt: String,
}

/// One step of the path to a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// The type of the step: `found`, or `named` by the query; `mentions`, `mentioned_in`, `said_in` (a memory states
    /// the relation); a relation (`works_at`, backwards `works_at of`) or a link type (`supersedes`, backwards
    /// `superseded_by`); `next` or `previous` in the thread; `asked again` (a second query).
    pub by: String,
    /// The target: a memory's citation or an entity's name; for `asked again` the words.
    pub to: String,
    /// The target memory, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
}

/// The best candidate of an answer that abstains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NearestMiss {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The probability that it is relevant.
    pub confidence: f32,
    /// Its text, shortened to one line.
    pub excerpt: String,
}

/// How far a narrow query was widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The session answered.
    Session,
    /// The spaces that were asked, without `core`.
    Space,
    /// `core` too.
    Core,
}

impl Reached {
    /// Its spelling in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Space => "space",
            Self::Core => "core",
        }
    }
}

/// Why no result reaches the confidence threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Abstention {
    /// The threshold.
    pub threshold: f32,
    /// What was searched, as a sentence.
    pub looked_at: String,
    /// The best candidate, if any.
    pub nearest: Option<NearestMiss>,
}

/// A time expression in a query, and how it was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnderstoodTime {
    /// The words.
    pub words: String,
    /// Start; `None` is unbounded.
    pub since: Option<Timestamp>,
    /// End, exclusive; `None` is unbounded.
    pub until: Option<Timestamp>,
    /// The memory of the event that the time refers to: "the week before the release".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryId>,
}

/// A time expression in a query that had no effect on the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IgnoredTime {
    /// The words.
    pub words: String,
    /// Why it had none.
    pub reason: TimeProblem,
}

/// Why a time expression has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TimeProblem {
    /// It is unclear which time is meant: `except in March`, `on 3/4/2026`.
    Unclear,
    /// No memory of the event was found that it refers to.
    EventNotFound,
}

impl IgnoredTime {
    /// Why it has no effect, for a person.
    pub fn why(&self) -> &'static str {
        match self.reason {
            TimeProblem::Unclear => "it is unclear which time is meant",
            TimeProblem::EventNotFound => "no memory of the event was found",
        }
    }
}

/// The work of a recall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RecallWork))]
pub struct Work {
    /// Tiers that were searched.
    pub tiers: u32,
    /// Rows in the searched views.
    pub rows: u64,
    /// Bytes read, estimated from the views' sizes.
    pub bytes: u64,
    /// Edges followed, for depth beyond shallow.
    #[serde(default)]
    pub edges: u64,
}

/// The plan of a recall and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Plan {
    /// Whether the planner was used.
    pub planned: bool,
    /// The searched tiers, in order.
    pub tiers: Vec<Tier>,
    /// The tiers that were skipped.
    pub left_out: Vec<Tier>,
    /// The expected work.
    pub expected: Work,
    /// The actual work.
    pub work: Work,
    /// Whether more was searched because the first answer was weak.
    pub widened: bool,
    /// The reasons, as sentences.
    pub reasons: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The answer to a recall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Answer {
    /// The results, best first.
    pub results: Vec<Hit>,
    /// The probability that the store has an answer, 0 to 1; a factor of every result's confidence. With a single
    /// signal, the highest confidence.
    #[serde(default)]
    pub answered: f32,
    /// The views that were unavailable, `source restored` if a damaged database was restored during this answer, and
    /// [`Answer::DAMAGED`] if it lacks memories; normally empty.
    pub degraded: Vec<String>,
    /// How time expressions were understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<UnderstoodTime>,
    /// Time expressions that had no effect on the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_times: Vec<IgnoredTime>,
    /// Number of results that were dropped because their confidence is below the threshold.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// Why there is no result, if none reaches the requested confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstained: Option<Abstention>,
    /// How far a narrow query was widened; `None` for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// What the query may mean, if it may mean several things and none of them dominates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_clarification: Option<Clarification>,
    /// The plan, if requested, or if the search was widened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
}

/// A memory in a context block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContextEntry {
    /// The memory's id.
    pub id: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// Its space, if several were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The probability that it is relevant; 0 without a query.
    pub confidence: f32,
    /// Its tokens in the block.
    pub tokens: usize,
    /// Whether its text was shortened.
    pub shortened: bool,
    /// The entry that it accompanies: the question of a short answer, or the other side of a dispute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<MemoryId>,
}

/// A memory that didn't fit into a context block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OmittedMemory {
    /// The memory's id.
    pub id: MemoryId,
    /// Why: `over_budget` or `duplicate`.
    pub reason: String,
    /// The tokens it needs.
    pub tokens: usize,
}

impl OmittedMemory {
    /// The reason of a memory for which the budget is too small.
    pub const OVER_BUDGET: &str = "over_budget";

    /// The reason of a memory with the words of one that is shown.
    pub const DUPLICATE: &str = "duplicate";
}

impl Answer {
    /// The entry in `degraded` of an answer that lacks memories, because they are damaged in both copies.
    pub const DAMAGED: &str = "damaged memories";
}

/// A block of recalled text for a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Context {
    /// The block; quoted data, never an instruction.
    pub text: String,
    /// Estimated tokens of the block.
    pub tokens: usize,
    /// The memories in it, in reading order.
    pub entries: Vec<ContextEntry>,
    /// The memories that were left out, best first, each with the reason.
    pub left_out: Vec<OmittedMemory>,
    /// Number of memories that were dropped because their confidence is below the threshold.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// Why there is no block, if nothing reaches the requested confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstained: Option<Abstention>,
    /// How time expressions were understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<UnderstoodTime>,
    /// Time expressions that had no effect on the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_times: Vec<IgnoredTime>,
    /// How far a narrow query was widened; `None` for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// The views that were unavailable, and `source restored` if a damaged database was restored during this answer.
    pub degraded: Vec<String>,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
}

impl Context {
    /// Memories that a larger budget would add. The others that were left out repeat one that is shown.
    pub fn over_budget(&self) -> usize {
        let over = |left: &&OmittedMemory| left.reason == OmittedMemory::OVER_BUDGET;
        self.left_out.iter().filter(over).count()
    }
}
