//! A log of outcomes in memory.

use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_types::{ActionOutcome, Body, Experience, Memory, MemoryId, Row, Seq};
use jiff::Timestamp;

/// Outcomes of which the view has not been told, after those of which it has.
#[derive(Default)]
pub(crate) struct Log {
    head: u64,
    waiting: Vec<MemoryState>,
}

impl Log {
    /// Adds an outcome of `agent`, one second after the one before.
    pub(crate) fn add(&mut self, agent: &str, outcome: ActionOutcome) {
        self.head += 1;
        self.waiting.push(state(self.head, agent, outcome));
    }

    /// Forgets what was told.
    pub(crate) fn told(&mut self) {
        self.waiting.clear();
    }

    /// The time of the last outcome.
    pub(crate) fn now(&self) -> Timestamp {
        at(self.head)
    }
}

fn at(number: u64) -> Timestamp {
    Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(number as i64)
}

fn state(number: u64, agent: &str, outcome: ActionOutcome) -> MemoryState {
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    let id = MemoryId::from_bytes(bytes);
    let row = Row(number as u32);
    let memory = Memory {
        id,
        row,
        space: "runs".to_owned(),
        body: Body::Experience {
            experience: Box::new(Experience::Outcome(outcome)),
        },
        content: String::new(),
        thread: None,
        position: None,
        session: None,
        author: Some(agent.to_owned()),
        trust: 1.0,
        importance: 5,
        confidence: 1.0,
        tags: Vec::new(),
        metadata: anamne_types::Metadata::default(),
        external_id: None,
        occurred_at: at(number),
        created_at: at(number),
        updated_at: at(number),
        expires_at: None,
        deleted_at: None,
        superseded_by: None,
        member: None,
        version: 1,
        seq: Seq(number),
    };
    MemoryState {
        seq: Seq(number),
        row,
        id,
        memory: Some(memory),
    }
}

impl MemoryFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.head))
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        let first = self.waiting.partition_point(|state| state.seq <= after);
        let states = self.waiting[first..].iter().take(limit);
        Ok(states.cloned().collect())
    }

    fn memories(&self, _: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        Ok(Vec::new())
    }
}
