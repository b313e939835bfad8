//! When the text of a memory last changed.

use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_store::{SpaceSource, StoreError};
use anamne_types::{Memory, MemoryId, Seq, Version};
use jiff::Timestamp;

/// Maximum number of versions that are compared; the text of a memory with more counts as unchanged.
const MOST_VERSIONS: u32 = 64;

/// A log in which `updated_at` of a memory is when its text last changed, not its tags or what else it has.
pub(crate) struct WordingFeed<'space, Feed> {
    pub(crate) feed: &'space Feed,
    pub(crate) source: &'space SpaceSource,
}

impl<Feed: MemoryFeed> MemoryFeed for WordingFeed<'_, Feed> {
    fn head(&self) -> Result<Seq, ViewError> {
        self.feed.head()
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        let mut states = self.feed.states_since(after, limit)?;
        for memory in states.iter_mut().filter_map(|state| state.memory.as_mut()) {
            memory.updated_at = worded_at(self.source, memory)?;
        }
        Ok(states)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        let mut memories = self.feed.memories(ids)?;
        for memory in &mut memories {
            memory.updated_at = worded_at(self.source, memory)?;
        }
        Ok(memories)
    }
}

/// When the text of a memory last changed. O(versions) if it was edited. If an earlier version is damaged in both
/// copies, the text counts as unchanged.
pub(crate) fn worded_at(source: &SpaceSource, memory: &Memory) -> Result<Timestamp, StoreError> {
    if !(2..=MOST_VERSIONS).contains(&memory.version) {
        return Ok(memory.created_at);
    }
    match source.history(memory.id) {
        Ok(versions) => Ok(last_wording(memory, &versions)),
        // Erased meanwhile: the log has an event of that.
        Err(StoreError::NoMemory { .. }) => Ok(memory.created_at),
        Err(error) if error.is_unrepaired_damage() => Ok(memory.created_at),
        Err(error) => Err(error),
    }
}

fn last_wording(memory: &Memory, versions: &[Version]) -> Timestamp {
    let states = versions
        .iter()
        .filter_map(|version| version.memory.as_ref());
    let mut states = states.take_while(|state| state.version <= memory.version);
    let Some(first) = states.next() else {
        return memory.created_at;
    };
    let begin = (memory.created_at, &first.content);
    let (at, _) = states.fold(begin, |(at, content), state| {
        let at = if state.content == *content {
            at
        } else {
            state.updated_at
        };
        (at, &state.content)
    });
    at
}
