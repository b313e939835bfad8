//! Typed, directed, weighted, explained edges between memories.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::string_enum;
use crate::limits::{accept, check_text, check_unit};
use crate::{InvalidValue, Limits, MemoryId};

string_enum! {
    /// The type of a link: `from` *extends* `to`, `from` *contradicts* `to`, and so on.
    LinkType as "link type" {
        /// Extends it.
        Extends = 1 "extends",
        /// Contradicts it.
        Contradicts = 2 "contradicts",
        /// Implements it.
        Implements = 3 "implements",
        /// References it.
        References = 4 "references",
        /// Supersedes it.
        Supersedes = 5 "supersedes",
        /// Supports it.
        Supports = 6 "supports",
        /// Requires it.
        Requires = 7 "requires",
        /// Is related to it.
        Related = 8 "related",
        /// Causes it.
        Causes = 9 "causes",
        /// Is derived from it.
        DerivedFrom = 10 "derived_from",
    }
}

/// An edge from one memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Where it starts.
    pub from: MemoryId,
    /// Where it ends.
    pub to: MemoryId,
    /// The link type.
    #[serde(rename = "type")]
    pub link_type: LinkType,
    /// Weight, 0 to 1.
    pub weight: f32,
    /// The reason; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it was written.
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
