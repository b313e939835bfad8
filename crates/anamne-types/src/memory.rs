//! The universal record.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::draft::{check_metadata, check_tags};
use crate::limits::check_some;
use crate::{Assertion, Body, InvalidValue, Kind, MemoryId, Row, Seq};

/// Free metadata: JSON values under names, in the order of the names.
pub type Metadata = BTreeMap<String, serde_json::Value>;

/// Names of metadata that only the engine writes: what stands there is believed, so nobody else may put it there.
pub const RESERVED_METADATA: [&str; 2] = [Assertion::KEY, "anamne."];

/// Whether only the engine writes metadata of this name: `knowledge`, and everything that begins with `anamne.`,
/// whatever the case of its letters.
pub fn is_reserved_metadata(name: &str) -> bool {
    let name = name.trim();
    let [assertion, prefix] = RESERVED_METADATA;
    name.eq_ignore_ascii_case(assertion)
        || name
            .get(..prefix.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Refuses metadata with a reserved name.
pub fn check_unreserved(metadata: &Metadata) -> Result<(), InvalidValue> {
    let reserved = metadata.keys().find(|name| is_reserved_metadata(name));
    check_some(reserved, |name| {
        let accepts =
            "a different name: `knowledge` and names that begin with `anamne.` are reserved";
        Err(InvalidValue::new("metadata", accepts, format!("{name:?}")))
    })
}

/// A memory as it stands in its space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its identity.
    pub id: MemoryId,
    /// Its number in its space, by which people and models may cite it: `m12`.
    pub row: Row,
    /// The space in which it lives.
    #[serde(default)]
    pub space: String,
    /// Its kind and what it holds beside the content.
    #[serde(flatten)]
    pub body: Body,
    /// What was told, word for word.
    pub content: String,
    /// The ordered run of memories to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Its place in that thread, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// The session of the agent in which it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// How far its origin is to be trusted, 0 to 1.
    pub trust: f32,
    /// How much it matters, 1 to 10.
    pub importance: u8,
    /// How sure its author was, 0 to 1.
    pub confidence: f32,
    /// Words under which it is filed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Anything else that its author wished to keep with it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The id that it had where it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// When we learned it.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// After this it is no longer recalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was forgotten, if it was; it can be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// The memory that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// How many times it was written: 1 when new.
    pub version: u32,
    /// The event that last changed it.
    pub seq: Seq,
}

impl Memory {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.body.kind()
    }

    /// Checks what grows with every edit: tags and metadata against [`Limits`](crate::Limits).
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_tags(&self.tags)?;
        check_metadata(&self.metadata)
    }

    /// The short name by which it is cited inside its space: `m` and its row.
    pub fn citation(&self) -> String {
        format!("m{}", self.row)
    }
}

/// An earlier state of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// Which state: 1 is the first.
    pub version: u32,
    /// The event that made it.
    pub seq: Seq,
    /// When that was.
    pub at: Timestamp,
    /// What happened: the word of the event's kind.
    pub change: crate::EventKind,
    /// Who did it.
    pub actor: crate::Actor,
    /// The memory as it stood then; absent where its content was erased or only a link changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}
