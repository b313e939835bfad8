//! Typed, directed, weighted, explained edges between memories.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::words;
use crate::limits::{accept, check_text, check_unit};
use crate::{InvalidValue, Limits, MemoryId};

words! {
    /// What one memory is to another: `from` *extends* `to`, `from` *contradicts* `to`, and so on.
    LinkType as "link type" {
        /// Adds to it.
        Extends = 1 "extends",
        /// Can't be true beside it.
        Contradicts = 2 "contradicts",
        /// Carries it out.
        Implements = 3 "implements",
        /// Mentions it.
        References = 4 "references",
        /// Takes its place.
        Supersedes = 5 "supersedes",
        /// Is evidence for it.
        Supports = 6 "supports",
        /// Needs it.
        Requires = 7 "requires",
        /// Has to do with it.
        Related = 8 "related",
        /// Brings it about.
        Causes = 9 "causes",
        /// Was made from it.
        DerivedFrom = 10 "derived_from",
    }
}

/// An edge from one memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Where it starts.
    pub from: MemoryId,
    /// Where it ends.
    pub to: MemoryId,
    /// What the start is to the end.
    #[serde(rename = "type")]
    pub link_type: LinkType,
    /// How strong it is, 0 to 1.
    pub weight: f32,
    /// Why it is there; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it was told.
    pub created_at: Timestamp,
}

impl Link {
    /// Checks weight, reason and that the two ends differ.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_unit("weight", self.weight)?;
        if !self.reason.is_empty() {
            check_text("reason", &self.reason, Limits::REASON_BYTES)?;
        }
        let accepts = "a memory other than the link's start";
        accept(self.from != self.to, "to", accepts, self.to)
    }
}
