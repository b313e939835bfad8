//! What is kept in memory so that it need not be read again, or not written at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_recall::SpaceProfile;
use anamne_store::SpaceSource;
use anamne_types::{Kind, MemoryId, Seq};
use jiff::Timestamp;

use crate::ask::past::KnownPast;

/// So many facts and skills are remembered as used before the background notes them.
const MANY_USES: usize = 500;

/// What recall knows of a space, and the replacement of the database and the event as of which it knows it.
type KnownFacts = ((u64, Seq), Arc<SpaceProfile>);

/// What is kept in memory of one space.
#[derive(Default)]
pub(crate) struct Caches {
    pub(crate) facts: Mutex<Option<KnownFacts>>,
    /// What differed at the instant as of which was last asked.
    pub(crate) past: Mutex<Option<KnownPast>>,
    /// What was handed out and when, until it is noted in the source.
    uses: Mutex<HashMap<MemoryId, Timestamp>>,
}

impl Caches {
    fn uses(&self) -> MutexGuard<'_, HashMap<MemoryId, Timestamp>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that memories were handed out at an instant. Only facts and skills are kept by their use.
    pub(crate) fn used(
        &self,
        memories: impl IntoIterator<Item = (MemoryId, Kind)>,
        now: Timestamp,
    ) {
        let lasting = memories
            .into_iter()
            .filter(|(_, kind)| matches!(kind, Kind::Fact | Kind::Skill));
        let mut lasting = lasting.peekable();
        if lasting.peek().is_some() {
            self.uses().extend(lasting.map(|(id, _)| (id, now)));
        }
    }

    /// Whether so much was used that it should be noted.
    pub(crate) fn has_many_uses(&self) -> bool {
        self.uses().len() >= MANY_USES
    }

    /// Notes in the source what was used. Where that fails it is forgotten: it decides nothing but where a memory lies.
    pub(crate) fn note_uses(&self, source: &SpaceSource) {
        let uses: Vec<_> = std::mem::take(&mut *self.uses()).into_iter().collect();
        if !uses.is_empty() {
            let _ = source.note_uses(&uses);
        }
    }
}
