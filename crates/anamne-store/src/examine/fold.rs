//! The expected state of the database after the events of the journal: a replay that keeps states and links only.

use std::collections::{BTreeSet, HashMap};

use anamne_types::{EventKind, LinkType, MemoryId, Seq};

use crate::journal::Line;
use crate::source::record::Payload;

/// The state of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryStatus {
    Live,
    Forgotten,
    /// Only its row is left.
    Erased,
}

impl MemoryStatus {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Forgotten => "forgotten",
            Self::Erased => "erased",
        }
    }
}

/// The state after the lines applied so far.
#[derive(Debug, Default)]
pub(super) struct Fold {
    pub(super) memories: HashMap<MemoryId, (MemoryStatus, Seq)>,
    pub(super) links: BTreeSet<(MemoryId, MemoryId, LinkType)>,
}

impl Fold {
    /// Applies the next line, like a replay.
    pub(super) fn take(&mut self, line: &Line) {
        match line.kind {
            EventKind::Linked | EventKind::Unlinked => self.take_link(line),
            EventKind::Moved | EventKind::Accessed | EventKind::Shared | EventKind::Withdrawn => {}
            EventKind::Erased => {
                let erased = (MemoryStatus::Erased, line.seq);
                self.memories.insert(line.memory, erased);
                self.links
                    .retain(|(from, to, _)| *from != line.memory && *to != line.memory);
            }
            _ if line.payload.is_none() => {
                // Erased by a later event: the row exists from here on and no longer changes.
                self.memories
                    .entry(line.memory)
                    .or_insert((MemoryStatus::Erased, line.seq));
            }
            kind => {
                let known = self.memories.get(&line.memory).map(|(status, _)| *status);
                let status = match kind {
                    EventKind::Forgotten => MemoryStatus::Forgotten,
                    EventKind::Edited | EventKind::Judged => known.unwrap_or(MemoryStatus::Live),
                    EventKind::Remembered if is_stored_forgotten(line) => MemoryStatus::Forgotten,
                    _ => MemoryStatus::Live,
                };
                self.memories.insert(line.memory, (status, line.seq));
            }
        }
    }

    fn take_link(&mut self, line: &Line) {
        let payload = line
            .payload
            .as_ref()
            .and_then(|payload| serde_json::from_str::<Payload<'_>>(payload.get()).ok());
        let Some(link) = payload.and_then(|payload| payload.link) else {
            return;
        };
        let key = (link.from, link.to, link.link_type);
        let is_left = |id| {
            self.memories
                .get(id)
                .is_some_and(|(status, _)| *status != MemoryStatus::Erased)
        };
        if line.kind == EventKind::Unlinked {
            self.links.remove(&key);
        } else if is_left(&link.from) && is_left(&link.to) {
            self.links.insert(key);
        }
    }
}

/// Whether a new memory was forgotten already: an import keeps the state that it had.
fn is_stored_forgotten(line: &Line) -> bool {
    let text = line.payload.as_ref().map(|payload| payload.get());
    // Most payloads are not parsed: a live memory's doesn't have the field, unless its text has it.
    text.filter(|text| text.contains("\"deleted_at\""))
        .and_then(|text| serde_json::from_str::<Payload<'_>>(text).ok())
        .and_then(|payload| payload.memory)
        .is_some_and(|memory| memory.deleted_at.is_some())
}
