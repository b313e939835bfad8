//! An in-memory log for extraction views, without a store.

use std::collections::BTreeMap;

use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_types::{Body, Memory, MemoryId, Row, Seq};
use jiff::Timestamp;

/// The latest state of each memory, by row.
#[derive(Default)]
pub(crate) struct Log {
    states: BTreeMap<u32, MemoryState>,
    head: u64,
}

/// A message for tests.
pub(crate) fn message(thread: &str, position: u32, author: &str, at: &str, text: &str) -> Memory {
    let at: Timestamp = at.parse().expect("an instant");
    Memory {
        id: MemoryId::from_bytes([0; 16]),
        row: Row(0),
        space: "core".to_owned(),
        body: Body::Message { role: None },
        content: text.to_owned(),
        thread: Some(thread.to_owned()),
        position: Some(position),
        session: None,
        author: (!author.is_empty()).then(|| author.to_owned()),
        trust: 1.0,
        importance: 5,
        confidence: 1.0,
        tags: Vec::new(),
        metadata: BTreeMap::new(),
        external_id: None,
        occurred_at: at,
        created_at: at,
        updated_at: at,
        expires_at: None,
        deleted_at: None,
        superseded_by: None,
        member: None,
        version: 1,
        seq: Seq(0),
    }
}

/// The numbers from 0, separated by spaces.
pub(crate) fn numbers(count: u32) -> String {
    let numbers: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    numbers.join(" ")
}

impl Log {
    pub(crate) fn add(&mut self, mut memory: Memory) -> MemoryId {
        let row = self.states.len() as u32 + 1;
        let mut bytes = [0; 16];
        bytes[12..].copy_from_slice(&row.to_be_bytes());
        memory.id = MemoryId::from_bytes(bytes);
        memory.row = Row(row);
        let id = memory.id;
        self.set(row, id, Some(memory));
        id
    }

    pub(crate) fn forget(&mut self, id: MemoryId) {
        self.set(row_of(id), id, None);
    }

    pub(crate) fn edit(&mut self, id: MemoryId, change: impl FnOnce(&mut Memory)) {
        if let Some(mut memory) = self.live(id).cloned() {
            change(&mut memory);
            self.set(row_of(id), id, Some(memory));
        }
    }

    pub(crate) fn live(&self, id: MemoryId) -> Option<&Memory> {
        self.states
            .get(&row_of(id))
            .and_then(|state| state.memory.as_ref())
    }

    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        self.states.values().map(|state| state.id).collect()
    }

    fn set(&mut self, row: u32, id: MemoryId, memory: Option<Memory>) {
        self.head += 1;
        let state = MemoryState {
            seq: Seq(self.head),
            row: Row(row),
            id,
            memory,
        };
        self.states.insert(row, state);
    }
}

fn row_of(id: MemoryId) -> u32 {
    let bytes = id.as_bytes();
    u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]])
}

impl MemoryFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.head))
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        let mut states: Vec<_> = self
            .states
            .values()
            .filter(|state| state.seq > after)
            .cloned()
            .collect();
        states.sort_by_key(|state| state.seq);
        states.truncate(limit);
        Ok(states)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        Ok(ids
            .iter()
            .filter_map(|id| self.live(*id).cloned())
            .collect())
    }
}
