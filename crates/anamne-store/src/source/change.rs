//! Changes to existing memories: edits, feedback, forgetting, restoring and erasing.

use std::collections::BTreeSet;

use anamne_text::normal::content_hash;
use anamne_types::{
    Edit, EventKind, Feedback, InvalidValue, Judgement, LinkType, Memory, MemoryId, Row,
};

use super::record::{Payload, Stored};
use super::remember::plain_zero;
use super::transaction::Transaction;
use super::{erasure, read, rows};
use crate::clock::{cut, to_microseconds};
use crate::{Result, StoreError};

/// Successors that are followed, so that a write stays cheap whatever the chain.
const MAX_CHAIN: usize = 256;

impl Transaction<'_> {
    /// Edits a memory; does nothing if the result is equal.
    pub(crate) fn edit(&mut self, id: MemoryId, edit: &Edit) -> Result<Memory> {
        let mut stored = self.live(id)?;
        if stored.memory.is_member() {
            check_own(edit)?;
        }
        if let (true, Some(successor)) = (edit.not_superseded, stored.memory.superseded_by)
            && self.present(successor).is_ok()
            && self.unlink(successor, id, LinkType::Supersedes)?
        {
            stored = self.live(id)?;
        }
        if let Some(successor) = edit.superseded_by {
            self.live(successor)?;
            if successor == id {
                return Err(InvalidValue::new("superseded_by", "a different memory", id).into());
            }
            self.check_successor(id, successor)?;
        }
        let mut memory = stored.memory.clone();
        if let Some(body) = edit.body_after(&memory.body)? {
            memory.body = body;
        }
        apply(&mut memory, edit);
        if memory.content != stored.memory.content && edit.trust.is_none() {
            // New content is trusted no more than its author.
            memory.trust = memory.trust.min(self.actor.default_trust());
        }
        memory.check()?;
        if memory == stored.memory {
            return Ok(memory);
        }
        self.change(&stored, memory, EventKind::Edited)
    }

    /// Rejects a successor that the memory itself replaces, directly or through others: then none of them would hold.
    pub(super) fn check_successor(&self, id: MemoryId, successor: MemoryId) -> Result<()> {
        let mut next = Some(successor);
        for _ in 0..MAX_CHAIN {
            let Some(current) = next else { break };
            if current == id {
                let accepts = "a memory that this one does not supersede itself";
                return Err(InvalidValue::new("superseded_by", accepts, successor).into());
            }
            let memory = read::by_id(self.tables, current)?;
            next = memory.and_then(|stored| stored.memory.superseded_by);
        }
        Ok(())
    }

    /// Rejects a memory that has another version than the caller expects.
    pub(crate) fn expect_version(&self, id: MemoryId, expected: u32) -> Result<()> {
        let found = self.present(id)?.memory.version;
        if found == expected {
            return Ok(());
        }
        Err(StoreError::VersionDiffers {
            id,
            expected,
            found,
        })
    }

    /// Logs that a memory was opened. Erased memories can't be.
    pub(crate) fn log_access(&mut self, id: MemoryId) -> Result<()> {
        let row = self.present(id)?.row;
        self.log(EventKind::Accessed, row, id, &Payload::NOTHING)
    }

    /// Adds feedback to a memory.
    pub(crate) fn judge(&mut self, feedback: &Feedback) -> Result<Memory> {
        let stored = self.live(feedback.memory)?;
        let mut memory = stored.memory.clone();
        let judgement = Judgement::of(&memory.metadata).after(feedback);
        let written = serde_json::to_value(judgement)?;
        memory.metadata.insert(Judgement::NAME.to_owned(), written);
        memory.check()?;
        self.change(&stored, memory, EventKind::Judged)
    }

    /// Forgets a live memory.
    pub(crate) fn forget(&mut self, id: MemoryId) -> Result<Memory> {
        let stored = self.live(id)?;
        let memory = Memory {
            deleted_at: Some(self.now),
            ..stored.memory.clone()
        };
        self.change(&stored, memory, EventKind::Forgotten)
    }

    /// Restores a forgotten memory.
    pub(crate) fn restore(&mut self, id: MemoryId) -> Result<Memory> {
        let stored = self.present(id)?;
        if stored.memory.deleted_at.is_none() {
            return Err(StoreError::State {
                id,
                state: "is not forgotten; nothing to restore",
            });
        }
        if stored.memory.is_member() {
            return Err(StoreError::State {
                id,
                state: "was a member of this space; add it again, or restore it in its home",
            });
        }
        let memory = Memory {
            deleted_at: None,
            ..stored.memory.clone()
        };
        self.change(&stored, memory, EventKind::Restored)
    }

    /// Lets what memories replaced hold again, or be replaced by what replaces these, before they are erased. O(memories).
    pub(crate) fn release_superseded(&mut self, ids: &BTreeSet<MemoryId>) -> Result<()> {
        for row in self.superseded_by_any(ids)? {
            // Damage of another memory must not prevent the erasure.
            let Ok(stored) = self.by_row(row) else {
                continue;
            };
            if ids.contains(&stored.memory.id) {
                continue;
            }
            let memory = Memory {
                superseded_by: self.successor_beyond(ids, stored.memory.superseded_by)?,
                ..stored.memory.clone()
            };
            self.change(&stored, memory, EventKind::Edited)?;
        }
        Ok(())
    }

    fn superseded_by_any(&self, ids: &BTreeSet<MemoryId>) -> Result<Vec<Row>> {
        let mut statement = self.tables.prepare_cached(
            "SELECT row, superseded_by FROM memories \
             WHERE superseded_by IS NOT NULL AND NOT erased AND member IS NULL",
        )?;
        let mut found = statement.query([])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            if ids.contains(&MemoryId::from_bytes(row.get(1)?)) {
                rows.push(Row(row.get(0)?));
            }
        }
        Ok(rows)
    }

    /// The first of a memory and those that replace it, one after the other, that is not one of `ids`.
    fn successor_beyond(
        &self,
        ids: &BTreeSet<MemoryId>,
        first: Option<MemoryId>,
    ) -> Result<Option<MemoryId>> {
        let mut next = first;
        for _ in 0..MAX_CHAIN {
            match next {
                Some(id) if ids.contains(&id) => {
                    let stored = read::by_id(self.tables, id)?;
                    next = stored.and_then(|stored| stored.memory.superseded_by);
                }
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    /// Removes the content of memories permanently, and marks it for removal from the journal.
    pub(crate) fn erase(&mut self, ids: &BTreeSet<MemoryId>) -> Result<()> {
        let mut borne = erasure::NameNumbers::new();
        let at = to_microseconds(self.now);
        for &id in ids {
            let stored = self.present(id)?;
            self.note_reach(&stored, EventKind::Erased)?;
            let (row, seq) = (stored.row, self.next_seq());
            let external_id = erasure::hash_of_external_id(stored.memory.external_id.as_deref());
            erasure::erase(&self.tables, row, external_id, at, seq, &mut borne)?;
            self.log(
                EventKind::Erased,
                row,
                id,
                &Payload::of_erasure(external_id),
            )?;
        }
        erasure::erase_unused(self.tables, &borne)
    }

    /// Writes the new state of a memory, keeps the old one as a version, and logs the change.
    pub(super) fn change(
        &mut self,
        stored: &Stored,
        memory: Memory,
        kind: EventKind,
    ) -> Result<Memory> {
        self.note_reach(stored, kind)?;
        let is_back = stored.memory.deleted_at.is_some() && memory.deleted_at.is_none();
        self.more_live += u64::from(is_back);
        rows::keep_version(&self.tables, stored)?;
        if memory.is_member() {
            let changed = self.write_change(stored, memory.without_text(), kind)?;
            let (content, body) = (memory.content, memory.body);
            return Ok(Memory {
                content,
                body,
                ..changed
            });
        }
        self.write_change(stored, memory, kind)
    }

    fn write_change(&mut self, stored: &Stored, memory: Memory, kind: EventKind) -> Result<Memory> {
        let memory = Memory {
            version: memory.version + 1,
            updated_at: self.now,
            seq: self.next_seq(),
            ..memory
        };
        rows::update(
            self.tables,
            stored.row,
            stored.salt,
            content_hash(&memory.content),
            &memory,
        )?;
        let payload = Payload::of_memory(stored.salt, &memory);
        self.log(kind, stored.row, memory.id, &payload)?;
        Ok(memory)
    }
}

/// Rejects an edit of what a member has from its home. Tags and metadata are its own.
fn check_own(edit: &Edit) -> Result<()> {
    let own = Edit {
        add_tags: edit.add_tags.clone(),
        remove_tags: edit.remove_tags.clone(),
        metadata: edit.metadata.clone(),
        ..Edit::default()
    };
    if *edit == own {
        return Ok(());
    }
    let accepts = "tags and metadata of a member; edit everything else in its home";
    Err(InvalidValue::new("edit", accepts, "other fields").into())
}

fn apply(memory: &mut Memory, edit: &Edit) {
    let Edit {
        content,
        importance,
        confidence,
        trust,
        add_tags,
        remove_tags,
        metadata,
        ..
    } = edit;
    if let Some(content) = content {
        memory.content.clone_from(content);
    }
    memory.importance = importance.unwrap_or(memory.importance);
    memory.confidence = plain_zero(confidence.unwrap_or(memory.confidence));
    memory.trust = plain_zero(trust.unwrap_or(memory.trust));
    memory.tags.retain(|tag| !remove_tags.contains(tag));
    memory.tags.extend(add_tags.iter().cloned());
    memory.tags.sort();
    memory.tags.dedup();
    for (name, value) in metadata {
        if value.is_null() {
            memory.metadata.remove(name);
        } else {
            memory.metadata.insert(name.clone(), value.clone());
        }
    }
    memory.occurred_at = edit.occurred_at.map_or(memory.occurred_at, cut);
    let known = memory.expires_at.filter(|_| !edit.never_expires);
    memory.expires_at = edit.expires_at.map(cut).or(known);
    let known = memory.superseded_by.filter(|_| !edit.not_superseded);
    memory.superseded_by = edit.superseded_by.or(known);
}
