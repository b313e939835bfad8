//! Whether memories agree with each other.

use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_some, check_text};
use crate::{Contradiction, InvalidValue, Limits, MemoryId};

/// Which memories are compared with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyRequest {
    /// These memories.
    #[serde(default)]
    pub memories: Vec<MemoryId>,
    /// And what a recall of these words finds.
    pub topic: Option<String>,
    /// Memories that the recall brings at most, 1 to 1 000.
    #[serde(default = "fifty")]
    pub limit: usize,
}

fn fifty() -> usize {
    50
}

impl ConsistencyRequest {
    /// Compares these memories.
    pub fn among(memories: Vec<MemoryId>) -> Self {
        Self {
            memories,
            topic: None,
            limit: fifty(),
        }
    }

    /// Compares what is remembered on a topic.
    pub fn on(topic: impl Into<String>) -> Self {
        Self {
            topic: Some(topic.into()),
            ..Self::among(Vec::new())
        }
    }

    /// Checks that there is something to compare, and the bounds.
    pub fn check(&self) -> Result<(), InvalidValue> {
        Limits::check_results(self.limit)?;
        let is_told = self.topic.is_some() || !self.memories.is_empty();
        accept(
            is_told,
            "memories",
            "at least one memory, or a topic",
            "none",
        )?;
        check_some(self.topic.as_ref(), |topic| {
            check_text("topic", topic, Limits::QUERY_BYTES)
        })?;
        let (count, accepts) = (
            self.memories.len(),
            format_args!("at most {} memories", Limits::RESULTS),
        );
        accept(count <= Limits::RESULTS, "memories", accepts, count)
    }
}

/// Two statements that can't both hold, and which one does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inconsistency {
    /// The two, with their evidence.
    #[serde(flatten)]
    pub contradiction: Contradiction,
    /// The memory that holds: the one that someone decided for, else the one that took the other one's place; nobody knows
    /// where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<MemoryId>,
}

/// Whether memories agree with each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsistencyReport {
    /// How many memories were compared, each with each.
    pub checked: u64,
    /// What can't be true together, from the earliest.
    pub contradictions: Vec<Inconsistency>,
    /// Memories among them that are not extracted into the graph yet: they were judged by their texts all the same, but what
    /// someone decided about them since is not known.
    pub not_extracted: u64,
}

impl ConsistencyReport {
    /// Whether nothing among them is left that nobody can tell.
    pub fn is_consistent(&self) -> bool {
        self.contradictions
            .iter()
            .all(|found| found.holds.is_some())
    }
}
