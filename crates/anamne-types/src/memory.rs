//! The stored memory.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::draft::{check_metadata, check_tags};
use crate::limits::check_some;
use crate::{Assertion, Body, InvalidValue, Kind, Membership, MemoryId, Row, Seq};

/// Free metadata: JSON values under names, in the order of the names.
pub type Metadata = BTreeMap<String, serde_json::Value>;

/// Metadata names that only the engine writes, because it trusts their content.
pub const RESERVED_METADATA: [&str; 2] = [Assertion::KEY, "anamne."];

/// Whether a metadata name is reserved for the engine: `knowledge` and names that begin with `anamne.`, ignoring case.
pub fn is_reserved_metadata(name: &str) -> bool {
    let name = name.trim();
    let [assertion, prefix] = RESERVED_METADATA;
    name.eq_ignore_ascii_case(assertion)
        || name
            .get(..prefix.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Rejects metadata with a reserved name.
pub fn check_unreserved(metadata: &Metadata) -> Result<(), InvalidValue> {
    let reserved = metadata.keys().find(|name| is_reserved_metadata(name));
    check_some(reserved, |name| {
        let accepts =
            "a different name: `knowledge` and names that begin with `anamne.` are reserved";
        Err(InvalidValue::new("metadata", accepts, format!("{name:?}")))
    })
}

/// A stored memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Memory {
    /// Its identity.
    pub id: MemoryId,
    /// Its row in its space; cited as `m12`.
    pub row: Row,
    /// The space that contains it.
    #[serde(default)]
    pub space: String,
    /// Its kind and typed fields.
    #[serde(flatten)]
    pub body: Body,
    /// The text.
    pub content: String,
    /// Its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Its position in the thread, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// The agent session that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Trust in its origin, 0 to 1.
    pub trust: f32,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// The author's confidence, 0 to 1.
    pub confidence: f32,
    /// Tags, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Free metadata.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Metadata,
    /// Its external id, if imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was forgotten, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// The memory that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// How it is a member of this space, if its home is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Box<Membership>>,
    /// Its version: 1 when new.
    pub version: u32,
    /// The event that last changed it.
    pub seq: Seq,
}

impl Memory {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.body.kind()
    }

    /// Whether it has expired at this time.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= now)
    }

    /// Checks tags and metadata, which grow with edits, against [`Limits`](crate::Limits).
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_tags(&self.tags)?;
        check_metadata(&self.metadata)
    }

    /// Its citation inside its space: `m` and its row.
    pub fn citation(&self) -> String {
        format!("m{}", self.row)
    }
}

/// A version of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Version {
    /// The version: 1 is the first.
    pub version: u32,
    /// The event that made it.
    pub seq: Seq,
    /// When that was.
    pub at: Timestamp,
    /// The kind of the event.
    pub change: crate::EventKind,
    /// The actor.
    pub actor: crate::Actor,
    /// The memory at that version; `None` if erased or if only a link changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}
