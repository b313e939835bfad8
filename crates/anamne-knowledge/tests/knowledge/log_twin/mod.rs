//! An in-memory log for tests.

use std::sync::Mutex;

use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_types::{Assertion, Body, Memory, MemoryId, Metadata, Row, Seq};
use jiff::Timestamp;

/// Memories by row, each with its last event.
#[derive(Default)]
pub(crate) struct Log {
    rows: Mutex<Vec<MemoryState>>,
}

/// The given day of the tests, counted from 2026-01-01.
pub(crate) fn day(number: i64) -> Timestamp {
    let first: Timestamp = "2026-01-01T09:00:00Z".parse().expect("an instant");
    first + jiff::SignedDuration::from_hours(24 * number)
}

impl Log {
    /// Appends a message; `place` is its thread and position.
    pub(crate) fn say(
        &self,
        author: &str,
        on: i64,
        text: &str,
        place: Option<(&str, u32)>,
    ) -> MemoryId {
        self.add(author, on, text, place, Metadata::new())
    }

    /// Appends a manual assertion.
    pub(crate) fn assert(&self, on: i64, assertion: &Assertion) -> MemoryId {
        assertion.check().expect("it is accepted");
        let stored = serde_json::to_value(assertion).expect("it is JSON");
        let metadata = Metadata::from([(Assertion::KEY.to_owned(), stored)]);
        self.add("", on, &assertion.sentence(), None, metadata)
    }

    fn add(
        &self,
        author: &str,
        on: i64,
        text: &str,
        place: Option<(&str, u32)>,
        metadata: Metadata,
    ) -> MemoryId {
        let mut rows = self.rows.lock().expect("no test panics with it");
        let (row, seq) = (Row(rows.len() as u32), next(&rows));
        let id = MemoryId::from_bytes((u128::from(row.0) + 1).to_be_bytes());
        let memory = Memory {
            id,
            row,
            space: "tests".to_owned(),
            body: Body::Message { role: None },
            content: text.to_owned(),
            thread: place.map(|(thread, _)| thread.to_owned()),
            position: place.map(|(_, position)| position),
            session: None,
            author: (!author.is_empty()).then(|| author.to_owned()),
            trust: 1.0,
            importance: 5,
            confidence: 1.0,
            tags: Vec::new(),
            metadata,
            external_id: None,
            occurred_at: day(on),
            created_at: day(on),
            updated_at: day(on),
            expires_at: None,
            deleted_at: None,
            superseded_by: None,
            member: None,
            version: 1,
            seq,
        };
        rows.push(MemoryState {
            seq,
            row,
            id,
            memory: Some(memory),
        });
        id
    }

    /// Changes the text of a memory, or forgets it.
    pub(crate) fn change(&self, id: MemoryId, text: Option<&str>) {
        let mut rows = self.rows.lock().expect("no test panics with it");
        let seq = next(&rows);
        let state = rows
            .iter_mut()
            .find(|state| state.id == id)
            .expect("it is there");
        state.seq = seq;
        state.memory = state.memory.take().zip(text).map(|(memory, text)| Memory {
            content: text.to_owned(),
            ..memory
        });
    }

    /// Changes the text of a memory on a day.
    pub(crate) fn correct(&self, id: MemoryId, on: i64, text: &str) {
        self.change(id, Some(text));
        self.alter(id, |memory| memory.updated_at = day(on));
    }

    /// Sets when a memory was stored, as opposed to when it occurred.
    pub(crate) fn set_stored_at(&self, id: MemoryId, at: Timestamp) {
        self.alter(id, |memory| memory.created_at = at);
    }

    /// Sets when a memory expires.
    pub(crate) fn expire(&self, id: MemoryId, at: Timestamp) {
        self.alter(id, |memory| memory.expires_at = Some(at));
    }

    fn alter(&self, id: MemoryId, change: impl FnOnce(&mut Memory)) {
        let mut rows = self.rows.lock().expect("no test panics with it");
        let seq = next(&rows);
        let state = rows
            .iter_mut()
            .find(|state| state.id == id)
            .expect("it is there");
        state.seq = seq;
        if let Some(memory) = &mut state.memory {
            change(memory);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.lock().expect("no test panics with it").len()
    }

    pub(crate) fn id_of(&self, row: usize) -> MemoryId {
        self.rows.lock().expect("no test panics with it")[row].id
    }
}

fn next(rows: &[MemoryState]) -> Seq {
    Seq(rows.iter().map(|state| state.seq.0).max().unwrap_or(0) + 1)
}

impl MemoryFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        let rows = self.rows.lock().expect("no test panics with it");
        Ok(rows.iter().map(|state| state.seq).max().unwrap_or(Seq(0)))
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        let rows = self.rows.lock().expect("no test panics with it");
        let mut states: Vec<_> = rows
            .iter()
            .filter(|state| state.seq > after)
            .cloned()
            .collect();
        states.sort_by_key(|state| state.seq);
        states.truncate(limit);
        Ok(states)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        let rows = self.rows.lock().expect("no test panics with it");
        let of = |id: &MemoryId| rows.iter().find(|state| state.id == *id)?.memory.clone();
        Ok(ids.iter().filter_map(of).collect())
    }
}
