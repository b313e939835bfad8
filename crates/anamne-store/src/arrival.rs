//! Imported items: drafts, and memories exported by another store.

use anamne_types::{Draft, MemoryId};
use jiff::Timestamp;

/// An imported item.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// What is told.
    pub draft: Draft,
    /// The fields kept from the other store; `None` for a new memory.
    pub origin: Option<Origin>,
}

/// Fields of an exported memory that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Its identity.
    pub id: MemoryId,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was forgotten, if it was.
    pub deleted_at: Option<Timestamp>,
    /// The memory that took its place.
    pub superseded_by: Option<MemoryId>,
}
