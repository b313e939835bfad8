//! Imported items: drafts, and memories exported by another store; and drafts whose id was chosen before.

use anamne_types::{Draft, InvalidValue, MemoryId};
use jiff::Timestamp;

/// An imported item.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportItem {
    /// The content.
    pub draft: Draft,
    /// The fields kept from the other store; `None` for a new memory.
    pub origin: Option<Origin>,
    /// When a new memory was deleted where it comes from: it is imported as a forgotten one.
    pub deleted_at: Option<Timestamp>,
    /// When its file was last changed: when a new memory happened that doesn't say so itself.
    pub file_changed_at: Option<Timestamp>,
}

impl ImportItem {
    /// A new memory.
    pub fn new(draft: Draft) -> Self {
        Self {
            draft,
            origin: None,
            deleted_at: None,
            file_changed_at: None,
        }
    }
}

/// Fields of an exported memory that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Its identity.
    pub id: MemoryId,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// When it was forgotten; `None` if it is live.
    pub deleted_at: Option<Timestamp>,
    /// The memory that supersedes it.
    pub superseded_by: Option<MemoryId>,
}

/// A memory that a copy with another draft replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    /// The memory.
    pub original: MemoryId,
    /// Its version from which the draft was made; with another one it is not replaced.
    pub version: u32,
    /// The content of the copy.
    pub draft: Draft,
}

/// A draft whose memory gets an id that was chosen before.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedDraft {
    /// The id.
    pub id: MemoryId,
    /// The draft, or why it is rejected unless an earlier attempt stored it.
    pub draft: Result<Draft, InvalidValue>,
}
