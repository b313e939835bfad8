//! What the guard finds in memories that are stored already, and its redaction.

use std::collections::BTreeMap;

use anamne_guard::Guard;
use anamne_store::{ImportItem, Order, Origin, StoreError, Visibility};
use anamne_types::{
    Draft, Filter, GuardNote, InvalidValue, Link, Memory, MemoryId, Right, Skipped,
};
use serde::Serialize;

use crate::Error;
use crate::maintenance::erasing::OutsideErasure;
use crate::space::Space;
use crate::write::guarding::notes_of;

/// Memories read at once.
const READ_AT_ONCE: usize = 256;

/// A finding in a stored memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredFinding {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The earlier version that contains it; `None` for the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The field, kind, action and place.
    #[serde(flatten)]
    pub note: GuardNote,
}

/// What the guard finds in a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GuardScan {
    /// Number of memories scanned, forgotten ones included.
    pub memories: u64,
    /// Number of findings by kind.
    pub kinds: BTreeMap<String, u64>,
    /// Memories with something that the policy redacts or refuses.
    pub affected: Vec<MemoryId>,
    /// The first findings, at most [`GuardScan::MAX_FINDINGS`].
    pub findings: Vec<StoredFinding>,
    /// Memories that are damaged in both copies.
    #[serde(skip)]
    pub skipped: Skipped,
}

impl GuardScan {
    /// The most listed findings; all are counted.
    pub const MAX_FINDINGS: usize = 1_000;

    fn add(&mut self, memory: &Memory, version: Option<u32>, notes: Vec<GuardNote>) {
        for note in notes {
            *self.kinds.entry(note.kind.clone()).or_default() += 1;
            if note.action != "mark" && self.affected.last() != Some(&memory.id) {
                self.affected.push(memory.id);
            }
            if self.findings.len() < Self::MAX_FINDINGS {
                self.findings.push(StoredFinding {
                    memory: memory.id,
                    citation: memory.citation(),
                    version,
                    note,
                });
            }
        }
    }
}

/// The result of redacting stored memories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GuardRedaction {
    /// Each erased memory, with its redacted copy.
    pub replaced: Vec<(MemoryId, MemoryId)>,
    /// The result of the erasure outside the space.
    pub erasure: OutsideErasure,
}

impl Space {
    /// Scans every memory and its earlier versions for what the guard's policy doesn't allow. Writes nothing. O(log).
    ///
    /// The text of members is scanned in their home.
    pub fn guard_scan(&self) -> Result<GuardScan, Error> {
        let guard = self.inner.guard.get(&self.config().guard)?;
        let mut scan = GuardScan::default();
        let ids = self.select(&Filter::default(), Visibility::Both, Order::OldestFirst)?;
        for some in ids.chunks(READ_AT_ONCE) {
            let memories = self.inner.source.get_undamaged(some, &mut scan.skipped)?;
            for memory in memories.into_iter().filter(|memory| !memory.is_member()) {
                scan.memories += 1;
                let notes = notes_of_memory(&guard, &memory);
                if memory.version > 1 {
                    self.scan_history(&guard, &memory, &notes, &mut scan)?;
                }
                scan.add(&memory, None, notes);
            }
        }
        Ok(scan)
    }

    /// Adds what earlier versions contain and the current one doesn't.
    fn scan_history(
        &self,
        guard: &Guard,
        memory: &Memory,
        current: &[GuardNote],
        scan: &mut GuardScan,
    ) -> Result<(), Error> {
        for state in self.history(memory.id)? {
            let earlier = state.memory.filter(|_| state.version < memory.version);
            if let Some(earlier) = earlier {
                let mut notes = notes_of_memory(guard, &earlier);
                notes.retain(|note| !current.contains(note));
                scan.add(memory, Some(state.version), notes);
            }
        }
        Ok(())
    }

    /// Replaces each of these memories by a redacted copy, and erases the original from every file, view and reachable
    /// backup, like [`Space::erase_all`]. Links, thread, times and status are kept; the id changes, and the history and the
    /// external id are erased with the original. May be repeated after a failure: a copy is made once. Members are refused:
    /// their text is redacted in their home.
    pub fn guard_redact(&self, ids: &[MemoryId]) -> Result<GuardRedaction, Error> {
        self.require(Right::Erase)?;
        let mut replaced = Vec::with_capacity(ids.len());
        for &id in ids {
            let memory = self.inner.source.get(id)?;
            if let Some(member) = &memory.member {
                let accepts = "a memory whose home is this space";
                return Err(InvalidValue::new("memory", accepts, &member.home).into());
            }
            let copy = self.redacted_copy(&memory)?;
            replaced.push((id, copy));
        }
        for (id, copy) in &replaced {
            self.copy_links(*id, *copy, &replaced)?;
        }
        let erasure = if replaced.is_empty() {
            OutsideErasure::default()
        } else {
            self.erase_all(ids)?
        };
        Ok(GuardRedaction { replaced, erasure })
    }

    fn redacted_copy(&self, memory: &Memory) -> Result<MemoryId, Error> {
        let draft = Draft {
            external_id: None,
            ..draft_of(memory)
        };
        let (draft, _) = self.guarded(&draft)?;
        let item = ImportItem {
            draft: draft.into_owned(),
            origin: Some(Origin {
                id: copy_of(memory.id),
                created_at: memory.created_at,
                updated_at: memory.updated_at,
                deleted_at: memory.deleted_at,
                superseded_by: memory.superseded_by,
            }),
        };
        let stored = self.inner.source.take_in(self.actor(), &[item])?;
        self.after_write();
        let mut outcomes = stored.outcomes.into_iter();
        let missing = || StoreError::NoMemory {
            id: memory.id,
            space: self.name().to_owned(),
        };
        Ok(outcomes.next().ok_or_else(missing)??.id)
    }

    /// Gives a copy the links of its original; ends that were replaced too lead to their copies.
    fn copy_links(
        &self,
        id: MemoryId,
        copy: MemoryId,
        replaced: &[(MemoryId, MemoryId)],
    ) -> Result<(), Error> {
        let now = |end: MemoryId| {
            let known = replaced.iter().find(|(old, _)| *old == end);
            known.map_or(end, |(_, new)| *new)
        };
        let end = |of: MemoryId| if of == id { copy } else { now(of) };
        let mut links = Vec::new();
        for link in self.links(id)? {
            links.push(self.guarded_link(&Link {
                from: end(link.from),
                to: end(link.to),
                ..link
            })?);
        }
        for outcome in self.take_links(&links)?.outcomes {
            outcome?;
        }
        Ok(())
    }
}

/// The id of a memory's redacted copy: of the same time, and the same for every attempt.
fn copy_of(id: MemoryId) -> MemoryId {
    let mut bytes = *id.as_bytes();
    let digest = blake3::derive_key("anamne redacted copy", id.as_bytes());
    // The first six bytes are the time; a nibble and two bits of the rest are the version and the variant.
    bytes[6..].copy_from_slice(&digest[6..16]);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    MemoryId::from_bytes(bytes)
}

fn notes_of_memory(guard: &Guard, memory: &Memory) -> Vec<GuardNote> {
    let mut draft = draft_of(memory);
    draft.metadata.remove(GuardNote::KEY);
    notes_of(guard, &mut draft)
}

/// A draft with a memory's fields.
fn draft_of(memory: &Memory) -> Draft {
    Draft {
        content: memory.content.clone(),
        body: memory.body.clone(),
        thread: memory.thread.clone(),
        position: memory.position,
        session: memory.session.clone(),
        author: memory.author.clone(),
        trust: Some(memory.trust),
        importance: Some(memory.importance),
        confidence: Some(memory.confidence),
        tags: memory.tags.clone(),
        metadata: memory.metadata.clone(),
        external_id: memory.external_id.clone(),
        occurred_at: Some(memory.occurred_at),
        expires_at: memory.expires_at,
    }
}
