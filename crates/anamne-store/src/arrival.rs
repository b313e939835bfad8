//! What an import brings: drafts, and memories as another store exported them.

use anamne_types::{Draft, MemoryId};
use jiff::Timestamp;

/// Something that is told on the word of another store.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// What is told.
    pub draft: Draft,
    /// What the other store knew of it beyond that; `None` where it is told for the first time.
    pub origin: Option<Origin>,
}

/// What a memory was where it came from, and stays here.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Its identity.
    pub id: MemoryId,
    /// When it was learned.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was forgotten, if it was.
    pub deleted_at: Option<Timestamp>,
    /// The memory that took its place.
    pub superseded_by: Option<MemoryId>,
}
