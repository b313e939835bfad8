//! Consistency checks between memories.

use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_some, check_text};
use crate::{Contradiction, InvalidValue, Limits, MemoryId};

/// The memories to compare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ConsistencyRequest {
    /// These memories.
    #[serde(default)]
    pub memories: Vec<MemoryId>,
    /// Also the results of a recall of these words.
    pub topic: Option<String>,
    /// Maximum number of recalled memories, 1 to 1 000.
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

    /// Compares the memories about a topic.
    pub fn on(topic: impl Into<String>) -> Self {
        Self {
            topic: Some(topic.into()),
            ..Self::among(Vec::new())
        }
    }

    /// Checks the bounds and that there is something to compare.
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

/// A contradiction, and which side holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Inconsistency {
    /// The contradiction with its evidence.
    #[serde(flatten)]
    pub contradiction: Contradiction,
    /// The memory that holds: the resolved one, else the superseding one; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<MemoryId>,
}

/// Consistency checks between memories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsistencyReport {
    /// Number of memories compared pairwise.
    pub checked: u64,
    /// The contradictions, earliest first.
    pub contradictions: Vec<Inconsistency>,
    /// Memories not extracted yet: compared by their texts, but without later decisions.
    #[serde(alias = "not_woven")]
    pub not_extracted: u64,
}

impl ConsistencyReport {
    /// Whether no contradiction is open.
    pub fn is_consistent(&self) -> bool {
        self.contradictions
            .iter()
            .all(|found| found.holds.is_some())
    }
}
