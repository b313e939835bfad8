//! Writes new memories, including those exported by another store.

use anamne_text::normal::content_hash;
use anamne_types::{Draft, EventKind, Kind, Memory, MemoryId, Remembered, Row};

use super::record::{Payload, Stored};
use super::transaction::Transaction;
use super::{erasure, read, rows};
use crate::arrival::{ImportItem, PlannedDraft};
use crate::clock::cut;
use crate::{Result, StoreError};

impl Transaction<'_> {
    /// Writes a new memory, unless it already exists. The draft must have been checked.
    pub(crate) fn remember(&mut self, draft: &Draft) -> Result<Remembered> {
        let hash = content_hash(&draft.content);
        if let Some(known) = self.find_known(draft, hash)? {
            return Ok(self.remembered(&known.memory, true));
        }
        self.insert(&self.memory_of(draft)?, hash)
    }

    /// Writes a memory even if its text is known, under its planned id if it has one; nothing if that one exists. The draft
    /// must have been checked.
    pub(crate) fn remember_anew(
        &mut self,
        draft: &Draft,
        planned: Option<MemoryId>,
    ) -> Result<Remembered> {
        let memory = self.memory_of(draft)?;
        let id = planned.unwrap_or(memory.id);
        match read::by_id(self.tables, id)? {
            Some(stored) => Ok(self.remembered(&stored.memory, false)),
            None => self.insert(&Memory { id, ..memory }, content_hash(&draft.content)),
        }
    }

    /// Writes a new memory under its planned id, unless a memory has or had this id: then nothing is written, also if that
    /// one was edited, forgotten or erased since.
    pub(crate) fn remember_planned(&mut self, planned: &PlannedDraft) -> Result<Remembered> {
        if let Some(stored) = read::by_id(self.tables, planned.id)? {
            return Ok(Remembered {
                seq: read::first_event(&self.tables, stored.memory.row)?,
                ..self.remembered(&stored.memory, false)
            });
        }
        let draft = planned.draft.as_ref().map_err(Clone::clone)?;
        draft.check()?;
        let hash = content_hash(&draft.content);
        if let Some(known) = self.find_known(draft, hash)? {
            return Ok(self.remembered(&known.memory, true));
        }
        let memory = Memory {
            id: planned.id,
            ..self.memory_of(draft)?
        };
        self.insert(&memory, hash)
    }

    /// Imports a memory. The draft must have been checked.
    ///
    /// A memory of another store keeps its id, its times and its state. If a memory with its id or external id already
    /// exists, nothing changes.
    pub(crate) fn take_in(&mut self, arrival: &ImportItem) -> Result<Remembered> {
        let ImportItem { draft, origin, .. } = arrival;
        let Some(origin) = origin else {
            return self.take_in_new(arrival);
        };
        if let Some(known) = self.find_import_target(draft, origin.id)? {
            return Ok(self.remembered(&known.memory, true));
        }
        let memory = Memory {
            id: origin.id,
            created_at: cut(origin.created_at),
            updated_at: cut(origin.updated_at),
            deleted_at: origin.deleted_at.map(cut),
            superseded_by: origin.superseded_by,
            ..self.memory_of(draft)?
        };
        self.insert(&memory, content_hash(&draft.content))
    }

    /// Imports a memory that no store exported.
    fn take_in_new(&mut self, arrival: &ImportItem) -> Result<Remembered> {
        let draft = &arrival.draft;
        let hash = content_hash(&draft.content);
        if let Some(known) = self.find_known(draft, hash)? {
            return Ok(self.remembered(&known.memory, true));
        }
        let new = self.memory_of(draft)?;
        let happened = draft.occurred_at.or(arrival.file_changed_at);
        let memory = Memory {
            deleted_at: arrival.deleted_at.map(cut),
            occurred_at: happened.map_or(new.occurred_at, cut),
            ..new
        };
        self.insert(&memory, hash)
    }

    fn find_known(&self, draft: &Draft, hash: [u8; 16]) -> Result<Option<Stored>> {
        if let Some(external_id) = &draft.external_id {
            let Some(row) = rows::with_external_id(&self.tables, external_id)? else {
                return self.check_not_erased(external_id).map(|()| None);
            };
            return of_content(self.by_row(row)?, hash, || external_id.clone()).map(Some);
        }
        // The same thing may happen twice.
        if draft.body.kind() == Kind::Experience || !self.finds_duplicates {
            return Ok(None);
        }
        let place = draft.thread.as_deref().zip(draft.position);
        rows::with_content(&self.tables, hash, place, draft.expires_at.map(cut))?
            .map(|row| self.by_row(row))
            .transpose()
    }

    /// Rejects an external id that belonged to a memory which was erased permanently.
    fn check_not_erased(&self, external_id: &str) -> Result<()> {
        let hash = erasure::hash_of_external_id(Some(external_id));
        let name = erasure::erased_external_id(hash).unwrap_or_default();
        match rows::with_external_id(&self.tables, &name)? {
            Some(row) => Err(StoreError::WasErased {
                id: self.id_of(row)?,
            }),
            None => Ok(()),
        }
    }

    fn find_import_target(&self, draft: &Draft, id: MemoryId) -> Result<Option<Stored>> {
        let known = match read::by_id(self.tables, id)? {
            Some(known) if known.erased => return Err(self.without_content(id)?),
            Some(known) => Some(known),
            // An import by an older version stored its id as an external id.
            None => {
                let id = id.to_string();
                let external_id = draft.external_id.as_ref().unwrap_or(&id);
                let row = rows::with_external_id(&self.tables, external_id)?;
                if row.is_none() {
                    self.check_not_erased(external_id)?;
                }
                row.map(|row| self.by_row(row)).transpose()?
            }
        };
        let name = || draft.external_id.clone().unwrap_or_else(|| id.to_string());
        known
            .map(|known| of_content(known, content_hash(&draft.content), name))
            .transpose()
    }

    /// Why an id without content is taken. Without an erasure in the log it isn't filled in either: in a rewound store
    /// the memory may have been erased later.
    fn without_content(&self, id: MemoryId) -> Result<StoreError> {
        if erasure::is_logged(&self.tables, id)? {
            return Ok(StoreError::WasErased { id });
        }
        Ok(StoreError::State {
            id,
            state: "has lost its content in this space, and its id stays taken; import it into another space",
        })
    }

    fn remembered(&self, memory: &Memory, duplicate: bool) -> Remembered {
        Remembered {
            id: memory.id,
            citation: memory.citation(),
            seq: memory.seq,
            space: self.space.to_owned(),
            duplicate,
            rewording: None,
            guard: Vec::new(),
        }
    }

    /// Writes and logs a new memory.
    fn insert(&mut self, memory: &Memory, hash: [u8; 16]) -> Result<Remembered> {
        self.insert_as(EventKind::Remembered, memory, hash)?;
        Ok(self.remembered(memory, false))
    }

    /// Writes a new memory and logs it as an event of this kind.
    pub(super) fn insert_as(
        &mut self,
        kind: EventKind,
        memory: &Memory,
        hash: [u8; 16],
    ) -> Result<()> {
        let row = self.next_row;
        let salt = self.salt_of(memory.id);
        rows::insert(self.tables, row, salt, hash, memory)?;
        self.next_row = Row(row.0 + 1);
        self.more_live += u64::from(memory.deleted_at.is_none());
        let payload = Payload::of_memory(salt, memory);
        self.log(kind, row, memory.id, &payload)
    }

    pub(super) fn memory_of(&self, draft: &Draft) -> Result<Memory> {
        let position = match (&draft.thread, draft.position) {
            (Some(thread), None) => Some(rows::next_position(self.tables, thread)?),
            (_, position) => position,
        };
        let mut tags = draft.tags.clone();
        tags.sort();
        tags.dedup();
        Ok(Memory {
            id: MemoryId::at(self.now.as_millisecond().max(0) as u64),
            row: self.next_row,
            space: String::new(),
            body: draft.body.clone(),
            content: draft.content.clone(),
            thread: draft.thread.clone(),
            position,
            session: draft.session.clone(),
            author: draft.author.clone(),
            trust: plain_zero(draft.trust.unwrap_or_else(|| self.actor.default_trust())),
            importance: draft.importance.unwrap_or(Draft::DEFAULT_IMPORTANCE),
            confidence: plain_zero(draft.confidence.unwrap_or(1.0)),
            tags,
            metadata: draft.metadata.clone(),
            external_id: draft.external_id.clone(),
            occurred_at: draft.occurred_at.map_or(self.now, cut),
            created_at: self.now,
            updated_at: self.now,
            expires_at: draft.expires_at.map(cut),
            deleted_at: None,
            superseded_by: None,
            member: None,
            version: 1,
            seq: self.next_seq(),
        })
    }

    /// An unpredictable number, different for each memory.
    fn salt_of(&self, id: MemoryId) -> i64 {
        let digest = blake3::keyed_hash(&self.secret, id.as_bytes());
        let first = digest.as_bytes().first_chunk();
        i64::from_le_bytes(*first.expect("a BLAKE3 hash has 32 bytes"))
    }
}

/// The memory that exists under a name, which must have the same content.
fn of_content(known: Stored, hash: [u8; 16], name: impl FnOnce() -> String) -> Result<Stored> {
    if content_hash(&known.memory.content) == hash {
        return Ok(known);
    }
    Err(StoreError::Conflict {
        external_id: name(),
        id: known.memory.id,
    })
}

/// SQLite does not store the sign of a zero, so it is dropped: the payload must be read back unchanged.
pub(super) fn plain_zero(number: f32) -> f32 {
    number + 0.0
}
