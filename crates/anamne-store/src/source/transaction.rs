//! One write to the source: state, event and outbox together.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use anamne_text::normal::content_hash;
use anamne_types::{
    Actor, Draft, Edit, Event, EventKind, Feedback, Judgement, Link, LinkType, Memory, MemoryId,
    Refusal, Remembered, Row, Seq,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::value::to_raw_value;

use super::link::between;
use super::record::{Payload, Stored};
use super::{Names, erasure, read, rows};
use crate::arrival::Arrival;
use crate::clock::{cut, to_microseconds};
use crate::files::look_at;
use crate::journal::{Digest, Entry, Line};
use crate::{Result, StoreError};

/// An open transaction. Dropped without [`Transaction::commit`], it leaves nothing behind.
pub(crate) struct Transaction<'writer> {
    pub(super) connection: &'writer Connection,
    pub(super) names: &'writer Names,
    space: &'writer str,
    actor: &'writer Actor,
    now: Timestamp,
    /// The last event of the log, those of this transaction included.
    pub(crate) head: Seq,
    pub(super) hash: Digest,
    pub(super) next_row: Row,
    lines: Vec<Entry>,
    /// What nobody outside can guess; the salts come of it.
    secret: [u8; 32],
    open: bool,
}

/// Who writes, where and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occasion<'writer> {
    pub(crate) space: &'writer str,
    pub(crate) actor: &'writer Actor,
    pub(crate) now: Timestamp,
}

impl<'writer> Transaction<'writer> {
    /// Begins after the event `end`, up to which source and journal agree, and clears the outbox.
    pub(crate) fn begin(
        connection: &'writer Connection,
        names: &'writer Names,
        occasion: Occasion<'writer>,
        end: (Seq, Digest),
    ) -> Result<Self> {
        names.begin_write(connection)?;
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut transaction = Self {
            connection,
            names,
            space: occasion.space,
            actor: occasion.actor,
            now: cut(occasion.now),
            head: end.0,
            hash: end.1,
            next_row: Row(0),
            lines: Vec::new(),
            secret: secret(),
            open: true,
        };
        transaction.next_row = rows::next(connection)?;
        connection
            .prepare_cached("DELETE FROM outbox WHERE seq <= ?1")?
            .execute([end.0.0 as i64])?;
        Ok(transaction)
    }

    /// Makes everything durable, and hands out the lines that the journal must take.
    pub(crate) fn commit(mut self) -> Result<Vec<Entry>> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.open = false;
        Ok(std::mem::take(&mut self.lines))
    }

    /// Commits if anything was told; what was not changed need not be made durable.
    pub(crate) fn commit_if_changed(mut self) -> Result<Vec<Entry>> {
        if !self.lines.is_empty() {
            return self.commit();
        }
        self.connection.prepare_cached("ROLLBACK")?.execute([])?;
        self.open = false;
        Ok(Vec::new())
    }

    /// Tells a new memory, unless it is known already. The draft must have been checked.
    pub(crate) fn remember(&mut self, draft: &Draft) -> Result<Remembered> {
        let hash = content_hash(&draft.content);
        if let Some(known) = self.find_known(draft, hash)? {
            return Ok(self.remembered(known.memory.id, known.memory.seq, true));
        }
        let memory = self.memory_of(draft)?;
        self.insert(memory, hash)
    }

    /// Takes in what an import brings. The draft must have been checked.
    ///
    /// A memory of another store keeps its id, its times and its standing. One that is here already, under its
    /// id or its outside id, changes nothing.
    pub(crate) fn take_in(&mut self, arrival: &Arrival) -> Result<Remembered> {
        let Arrival { draft, origin } = arrival;
        let Some(origin) = origin else {
            return self.remember(draft);
        };
        if let Some(known) = self.find_arrived(draft, origin.id)? {
            return Ok(self.remembered(known.memory.id, known.memory.seq, true));
        }
        let memory = Memory {
            id: origin.id,
            created_at: cut(origin.created_at),
            updated_at: cut(origin.updated_at),
            deleted_at: origin.deleted_at.map(cut),
            superseded_by: origin.superseded_by,
            ..self.memory_of(draft)?
        };
        self.insert(memory, content_hash(&draft.content))
    }

    fn find_arrived(&self, draft: &Draft, id: MemoryId) -> Result<Option<Stored>> {
        let known = match read::by_id(self.connection, self.names, id)? {
            Some(known) if known.erased => return Err(StoreError::WasErased { id }),
            Some(known) => Some(known),
            // An import by an older version made its id an outside id.
            None => {
                let row = match &draft.external_id {
                    Some(external_id) => rows::with_external_id(self.connection, external_id)?,
                    None => rows::with_external_id(self.connection, &id.to_string())?,
                };
                row.map(|row| self.by_row(row)).transpose()?
            }
        };
        match known {
            Some(known) if content_hash(&known.memory.content) != content_hash(&draft.content) => {
                Err(StoreError::Conflict {
                    external_id: draft.external_id.clone().unwrap_or_else(|| id.to_string()),
                    id: known.memory.id,
                })
            }
            known => Ok(known),
        }
    }

    fn remembered(&self, id: MemoryId, seq: Seq, duplicate: bool) -> Remembered {
        Remembered {
            id,
            seq,
            space: self.space.to_owned(),
            duplicate,
        }
    }

    /// Writes and logs a memory that is new here.
    fn insert(&mut self, memory: Memory, hash: [u8; 16]) -> Result<Remembered> {
        let row = self.next_row;
        let salt = self.salt_of(memory.id);
        rows::insert(self.connection, self.names, row, salt, hash, &memory)?;
        self.next_row = Row(row.0 + 1);
        let (id, seq) = (memory.id, memory.seq);
        let payload = Payload {
            salt,
            memory: Some(Cow::Owned(memory)),
            link: None,
        };
        self.log(EventKind::Remembered, row, id, &payload)?;
        Ok(self.remembered(id, seq, false))
    }

    /// Draws a link as another store had it, between memories that may be forgotten; says whether it was not
    /// there as such. Nothing but the link changes.
    pub(crate) fn take_link(&mut self, link: &Link) -> Result<bool> {
        let link = Link {
            created_at: cut(link.created_at),
            weight: plain_zero(link.weight),
            ..link.clone()
        };
        let (source, target) = (self.present(link.from)?, self.present(link.to)?);
        let there = between(self.connection, source.row, target.row, link.link_type)?;
        if there.as_ref() == Some(&link) {
            return Ok(false);
        }
        let seq = Seq(self.head.0 + 1);
        rows::link(self.connection, source.row, target.row, &link, seq)?;
        let payload = Payload {
            salt: source.salt,
            memory: None,
            link: Some(Cow::Borrowed(&link)),
        };
        self.log(EventKind::Linked, source.row, link.from, &payload)?;
        Ok(true)
    }

    /// Bytes of the lines that the journal must take.
    pub(crate) fn line_bytes(&self) -> u64 {
        self.lines
            .iter()
            .map(|line| line.text.len() as u64 + 1)
            .sum()
    }

    /// By how many bytes the file of the database falls short of its pages, of which some stand in its log alone.
    pub(crate) fn logged_bytes(&self, database: &Path) -> Result<u64> {
        let number = |pragma| {
            self.connection
                .pragma_query_value(None, pragma, |row| row.get(0))
        };
        let (pages, size): (i64, i64) = (number("page_count")?, number("page_size")?);
        let written = look_at(database)?.map_or(0, |state| state.length);
        Ok((pages as u64 * size as u64).saturating_sub(written))
    }

    /// Changes a memory; one that does not differ afterwards is left as it is.
    pub(crate) fn edit(&mut self, id: MemoryId, edit: &Edit) -> Result<Memory> {
        let stored = self.live(id)?;
        if let Some(successor) = edit.superseded_by {
            self.live(successor)?;
            if successor == id {
                return Err(Refusal::new(
                    "superseded_by",
                    "another memory than the one that is changed",
                    id,
                )
                .into());
            }
        }
        let mut memory = stored.memory.clone();
        apply(&mut memory, edit);
        if memory.content != stored.memory.content && edit.trust.is_none() {
            // New words are worth no more than whoever wrote them.
            memory.trust = memory.trust.min(self.actor.default_trust());
        }
        memory.check()?;
        if memory == stored.memory {
            return Ok(memory);
        }
        self.change(&stored, memory, EventKind::Edited)
    }

    /// Adds a judgement to a memory.
    pub(crate) fn judge(&mut self, feedback: &Feedback) -> Result<Memory> {
        let stored = self.live(feedback.memory)?;
        let mut memory = stored.memory.clone();
        let judgement = Judgement::of(&memory.metadata).after(feedback);
        let told = serde_json::to_value(judgement)?;
        memory.metadata.insert(Judgement::NAME.to_owned(), told);
        memory.check()?;
        self.change(&stored, memory, EventKind::Edited)
    }

    /// Puts a memory away.
    pub(crate) fn forget(&mut self, id: MemoryId) -> Result<Memory> {
        let stored = self.live(id)?;
        let memory = Memory {
            deleted_at: Some(self.now),
            ..stored.memory.clone()
        };
        self.change(&stored, memory, EventKind::Forgotten)
    }

    /// Brings a forgotten memory back.
    pub(crate) fn restore(&mut self, id: MemoryId) -> Result<Memory> {
        let stored = self.present(id)?;
        if stored.memory.deleted_at.is_none() {
            return Err(StoreError::State {
                id,
                state: "is not forgotten, so there is nothing to restore",
            });
        }
        let memory = Memory {
            deleted_at: None,
            ..stored.memory.clone()
        };
        self.change(&stored, memory, EventKind::Restored)
    }

    /// Removes the content of memories for ever, and notes that it must leave the journal too.
    pub(crate) fn erase(&mut self, ids: &BTreeSet<MemoryId>) -> Result<()> {
        let mut borne = erasure::Borne::new();
        let at = to_microseconds(self.now);
        for &id in ids {
            let row = self.present(id)?.row;
            let seq = Seq(self.head.0 + 1);
            erasure::erase(self.connection, row, at, seq, &mut borne)?;
            self.log(EventKind::Erased, row, id, &Payload::NOTHING)?;
        }
        erasure::erase_unused(self.connection, self.names, &borne)
    }

    /// Draws a link. A `supersedes` link also marks its end as superseded.
    pub(crate) fn link(&mut self, link: &Link) -> Result<Seq> {
        let link = Link {
            created_at: self.now,
            weight: plain_zero(link.weight),
            ..link.clone()
        };
        let (source, target) = (self.live(link.from)?, self.live(link.to)?);
        let seq = Seq(self.head.0 + 1);
        rows::link(self.connection, source.row, target.row, &link, seq)?;
        let payload = Payload {
            salt: source.salt,
            memory: None,
            link: Some(Cow::Borrowed(&link)),
        };
        self.log(EventKind::Linked, source.row, link.from, &payload)?;
        if link.link_type == LinkType::Supersedes && target.memory.superseded_by != Some(link.from)
        {
            let memory = Memory {
                superseded_by: Some(link.from),
                ..target.memory.clone()
            };
            self.change(&target, memory, EventKind::Edited)?;
        }
        Ok(seq)
    }

    /// Takes a link away; says whether it was there.
    pub(crate) fn unlink(
        &mut self,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool> {
        let (source, target) = (self.present(from)?, self.present(to)?);
        if !rows::unlink(self.connection, source.row, target.row, link_type.number())? {
            return Ok(false);
        }
        let link = Link {
            from,
            to,
            link_type,
            weight: 0.0,
            reason: String::new(),
            created_at: self.now,
        };
        let payload = Payload {
            salt: source.salt,
            memory: None,
            link: Some(Cow::Owned(link)),
        };
        self.log(EventKind::Unlinked, source.row, from, &payload)?;
        if link_type == LinkType::Supersedes && target.memory.superseded_by == Some(from) {
            let memory = Memory {
                superseded_by: None,
                ..target.memory.clone()
            };
            self.change(&target, memory, EventKind::Edited)?;
        }
        Ok(true)
    }

    fn find_known(&self, draft: &Draft, hash: [u8; 16]) -> Result<Option<Stored>> {
        if let Some(external_id) = &draft.external_id {
            let Some(row) = rows::with_external_id(self.connection, external_id)? else {
                return Ok(None);
            };
            let known = self.by_row(row)?;
            if content_hash(&known.memory.content) != hash {
                return Err(StoreError::Conflict {
                    external_id: external_id.clone(),
                    id: known.memory.id,
                });
            }
            return Ok(Some(known));
        }
        let place = draft.thread.as_deref().zip(draft.position);
        rows::with_content(self.connection, hash, place)?
            .map(|row| self.by_row(row))
            .transpose()
    }

    /// A number that can't be guessed from the outside, another for each memory.
    fn salt_of(&self, id: MemoryId) -> i64 {
        let digest = blake3::keyed_hash(&self.secret, id.as_bytes());
        let first = digest.as_bytes().first_chunk();
        i64::from_le_bytes(*first.expect("a BLAKE3 hash has 32 bytes"))
    }

    fn memory_of(&self, draft: &Draft) -> Result<Memory> {
        let position = match (&draft.thread, draft.position) {
            (Some(thread), None) => Some(rows::next_position(self.connection, self.names, thread)?),
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
            importance: draft.importance.unwrap_or(Draft::USUAL_IMPORTANCE),
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
            version: 1,
            seq: Seq(self.head.0 + 1),
        })
    }

    /// Writes the new state of a memory, keeps the old one as a version, and logs it.
    fn change(&mut self, stored: &Stored, memory: Memory, kind: EventKind) -> Result<Memory> {
        let before = Payload {
            salt: stored.salt,
            memory: Some(Cow::Borrowed(&stored.memory)),
            link: None,
        };
        rows::keep_version(
            self.connection,
            stored.row,
            &stored.memory,
            &serde_json::to_string(&before)?,
        )?;
        let memory = Memory {
            version: memory.version + 1,
            updated_at: self.now,
            seq: Seq(self.head.0 + 1),
            ..memory
        };
        rows::update(
            self.connection,
            self.names,
            stored.row,
            stored.salt,
            content_hash(&memory.content),
            &memory,
        )?;
        let payload = Payload {
            salt: stored.salt,
            memory: Some(Cow::Borrowed(&memory)),
            link: None,
        };
        self.log(kind, stored.row, memory.id, &payload)?;
        Ok(memory)
    }

    pub(super) fn log(
        &mut self,
        kind: EventKind,
        row: Row,
        memory: MemoryId,
        payload: &Payload<'_>,
    ) -> Result<()> {
        let event = Event {
            seq: Seq(self.head.0 + 1),
            at: self.now,
            actor: self.actor.clone(),
            kind,
            memory,
        };
        let line = Line::chain(self.hash, event, to_raw_value(payload)?);
        insert_event(self.connection, &line, row)?;
        let entry = Entry::of(&line)?;
        self.connection
            .prepare_cached("INSERT INTO outbox (seq, line) VALUES (?1, ?2)")?
            .execute(params![entry.seq.0 as i64, entry.text])?;
        (self.head, self.hash) = (entry.seq, entry.hash);
        self.lines.push(entry);
        Ok(())
    }

    /// A memory that is neither forgotten nor erased.
    fn live(&self, id: MemoryId) -> Result<Stored> {
        let stored = self.present(id)?;
        match stored.memory.deleted_at {
            None => Ok(stored),
            Some(_) => Err(StoreError::State {
                id,
                state: "is forgotten; restore it first",
            }),
        }
    }

    /// A memory that is not erased.
    fn present(&self, id: MemoryId) -> Result<Stored> {
        match read::by_id(self.connection, self.names, id)? {
            Some(stored) if !stored.erased => Ok(stored),
            _ => Err(StoreError::NoMemory {
                id,
                space: self.space.to_owned(),
            }),
        }
    }

    pub(super) fn id_of(&self, row: Row) -> Result<MemoryId> {
        let id = self
            .connection
            .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
            .query_row([row.0], |row| row.get(0))?;
        Ok(MemoryId::from_bytes(id))
    }

    fn by_row(&self, row: Row) -> Result<Stored> {
        read::by_row(self.connection, self.names, row)?
            .ok_or_else(|| StoreError::Sqlite(rusqlite::Error::QueryReturnedNoRows))
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open {
            // First, for as soon as the numbers are free again another process may give them to other names.
            self.names.forget();
            // A rollback that fails leaves the transaction to the connection's end; nothing was committed.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// Random bytes: two fresh ids, in each of which are 74 bits that the operating system drew.
fn secret() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..2 {
        hasher.update(MemoryId::at(0).as_bytes());
    }
    *hasher.finalize().as_bytes()
}

fn apply(memory: &mut Memory, edit: &Edit) {
    let Edit {
        content,
        body,
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
    if let Some(body) = body {
        memory.body.clone_from(body);
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
    memory.expires_at = edit.expires_at.map(cut).or(memory.expires_at);
    memory.superseded_by = edit.superseded_by.or(memory.superseded_by);
}

/// SQLite does not keep the sign of a zero, so none is told: the payload must read back as it was.
fn plain_zero(number: f32) -> f32 {
    number + 0.0
}

pub(super) fn insert_event(connection: &Connection, line: &Line, row: Row) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO events (seq, at, actor_kind, actor_name, kind, row, payload_hash, hash) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            line.seq.0 as i64,
            to_microseconds(line.at),
            line.actor.kind.number(),
            line.actor.name,
            line.kind.number(),
            row.0,
            line.payload_hash.0.as_slice(),
            line.hash.0.as_slice()
        ])?;
    Ok(())
}

/// The last event of the log and the chain's value after it.
pub(crate) fn end_of_log(connection: &Connection) -> Result<(Seq, Digest)> {
    let last = connection
        .prepare_cached("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            Ok((Seq(row.get::<_, i64>(0)? as u64), Digest(row.get(1)?)))
        })
        .optional()?;
    Ok(last.unwrap_or_default())
}
