//! In-memory caches and write buffers of a space.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_recall::SpaceProfile;
use anamne_store::SpaceSource;
use anamne_types::{Kind, MemoryId, Seq};
use jiff::Timestamp;

use crate::experience::SearchMemory;
use crate::query::past::KnownPast;

/// Number of used facts and skills that are buffered before the background records them.
const MANY_USES: usize = 500;

/// The profile of a space, with the database generation and event it belongs to.
type KnownFacts = ((u64, Seq), Arc<SpaceProfile>);

/// The caches of one space.
#[derive(Default)]
pub(crate) struct Caches {
    pub(crate) facts: Mutex<Option<KnownFacts>>,
    /// The differences at the last queried time.
    pub(crate) past: Mutex<Option<KnownPast>>,
    /// What is learned from searches.
    pub(crate) searches: SearchMemory,
    /// Used memories and times, until they are recorded in the source.
    uses: Mutex<HashMap<MemoryId, Timestamp>>,
}

impl Caches {
    fn uses(&self) -> MutexGuard<'_, HashMap<MemoryId, Timestamp>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that memories were used at a time. Only facts and skills age by use.
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

    /// Whether enough uses are buffered to record them.
    pub(crate) fn has_many_uses(&self) -> bool {
        self.uses().len() >= MANY_USES
    }

    /// Records the uses in the source. On failure they are dropped: they only affect tier placement.
    pub(crate) fn note_uses(&self, source: &SpaceSource) {
        let uses: Vec<_> = std::mem::take(&mut *self.uses()).into_iter().collect();
        if !uses.is_empty() {
            let _ = source.note_uses(&uses);
        }
    }
}
