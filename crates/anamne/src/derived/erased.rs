//! Which memories were erased, for files that name memories.

use std::collections::HashSet;

use anamne_store::{SpaceSource, StoreError};
use anamne_types::MemoryId;

/// Memories that are looked up at a time.
const CHECKED_AT_A_TIME: usize = 500;

/// Of these memories, those that no longer exist.
pub(super) fn erased_of(
    source: &SpaceSource,
    memories: &[MemoryId],
) -> Result<Vec<MemoryId>, StoreError> {
    let mut erased = Vec::new();
    for ids in memories.chunks(CHECKED_AT_A_TIME) {
        let there = source.get_each(ids)?;
        let there: HashSet<MemoryId> = there.into_iter().map(|memory| memory.id).collect();
        erased.extend(ids.iter().filter(|id| !there.contains(id)));
    }
    Ok(erased)
}
