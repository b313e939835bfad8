//! One write to the source: state, event and outbox together.

use std::borrow::Cow;
use std::collections::BTreeSet;

use anamne_text::normal::content_hash;
use anamne_types::{
    Actor, Draft, Edit, Event, EventKind, Link, LinkType, Memory, MemoryId, Refusal, Remembered,
    Row, Seq,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::value::to_raw_value;

use super::record::{Payload, Stored};
use super::{Names, read, rows};
use crate::StoreError;
use crate::clock::{cut, to_microseconds};
use crate::journal::{Digest, Line};

/// Importance of a memory whose author said nothing about it.
const DEFAULT_IMPORTANCE: u8 = 5;

/// An open transaction. Dropped without [`Transaction::commit`], it leaves nothing behind.
pub(crate) struct Transaction<'writer> {
    connection: &'writer Connection,
    names: &'writer Names,
    space: &'writer str,
    actor: &'writer Actor,
    now: Timestamp,
    head: Seq,
    hash: Digest,
    next_row: Row,
    lines: Vec<(Seq, String)>,
    open: bool,
}

impl<'writer> Transaction<'writer> {
    /// Begins, and clears from the outbox what the journal holds up to `journaled`.
    pub(crate) fn begin(
        connection: &'writer Connection,
        names: &'writer Names,
        space: &'writer str,
        actor: &'writer Actor,
        now: Timestamp,
        journaled: Seq,
    ) -> Result<Self, StoreError> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut transaction = Self {
            connection,
            names,
            space,
            actor,
            now: cut(now),
            head: Seq(0),
            hash: Digest::default(),
            next_row: Row(0),
            lines: Vec::new(),
            open: true,
        };
        (transaction.head, transaction.hash) = end_of_log(connection)?;
        transaction.next_row = rows::next(connection)?;
        connection
            .prepare_cached("DELETE FROM outbox WHERE seq <= ?1")?
            .execute([journaled.0 as i64])?;
        Ok(transaction)
    }

    /// Makes everything durable, and hands out the lines that the journal must take.
    pub(crate) fn commit(mut self) -> Result<Vec<(Seq, String)>, StoreError> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.open = false;
        Ok(std::mem::take(&mut self.lines))
    }

    /// Tells a new memory, unless it is known already.
    pub(crate) fn remember(&mut self, draft: &Draft) -> Result<Remembered, StoreError> {
        draft.check()?;
        if let Some(known) = self.find_known(draft)? {
            return Ok(Remembered {
                id: known.memory.id,
                seq: known.memory.seq,
                space: self.space.to_owned(),
                duplicate: true,
            });
        }
        let memory = self.memory_of(draft)?;
        let row = self.next_row;
        let salt = salt_of(memory.id);
        rows::insert(self.connection, self.names, row, salt, &memory)?;
        self.next_row = Row(row.0 + 1);
        let (id, seq) = (memory.id, memory.seq);
        self.log(
            EventKind::Remembered,
            row,
            id,
            &Payload {
                salt,
                memory: Some(Cow::Owned(memory)),
                link: None,
            },
        )?;
        Ok(Remembered {
            id,
            seq,
            space: self.space.to_owned(),
            duplicate: false,
        })
    }

    /// Changes a memory; one that does not differ afterwards is left as it is.
    pub(crate) fn edit(&mut self, id: MemoryId, edit: &Edit) -> Result<Memory, StoreError> {
        edit.check()?;
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
        if memory.tags.len() > anamne_types::Limits::TAGS {
            let accepts = format!("at most {} tags", anamne_types::Limits::TAGS);
            return Err(
                Refusal::new("tags", accepts, format!("{} tags", memory.tags.len())).into(),
            );
        }
        if memory == stored.memory {
            return Ok(memory);
        }
        self.change(&stored, memory, EventKind::Edited)
    }

    /// Puts a memory away.
    pub(crate) fn forget(&mut self, id: MemoryId) -> Result<Memory, StoreError> {
        let stored = self.live(id)?;
        let memory = Memory {
            deleted_at: Some(self.now),
            ..stored.memory.clone()
        };
        self.change(&stored, memory, EventKind::Forgotten)
    }

    /// Brings a forgotten memory back.
    pub(crate) fn restore(&mut self, id: MemoryId) -> Result<Memory, StoreError> {
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

    /// Removes a memory's content for ever, and names the events whose payloads must leave the journal.
    pub(crate) fn erase(&mut self, id: MemoryId) -> Result<BTreeSet<Seq>, StoreError> {
        let stored = self.present(id)?;
        let mut statement = self.connection.prepare_cached(
            "SELECT seq FROM events WHERE row = ?1 UNION SELECT seq FROM links WHERE ?1 IN (source, target)",
        )?;
        let events =
            statement.query_map([stored.row.0], |row| Ok(Seq(row.get::<_, i64>(0)? as u64)))?;
        let events = events.collect::<Result<BTreeSet<_>, _>>()?;
        rows::erase(
            self.connection,
            stored.row,
            to_microseconds(self.now),
            Seq(self.head.0 + 1),
        )?;
        self.log(
            EventKind::Erased,
            stored.row,
            id,
            &Payload {
                salt: 0,
                memory: None,
                link: None,
            },
        )?;
        Ok(events)
    }

    /// Draws a link. A `supersedes` link also marks its end as superseded.
    pub(crate) fn link(&mut self, link: &Link) -> Result<Seq, StoreError> {
        link.check()?;
        let link = Link {
            created_at: self.now,
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
    ) -> Result<bool, StoreError> {
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

    /// Repeats what a line of the journal says, as it was told then.
    pub(crate) fn replay(&mut self, line: &Line) -> Result<(), StoreError> {
        let payload: Option<Payload<'static>> = line
            .payload
            .as_ref()
            .map(|payload| serde_json::from_str(payload.get()))
            .transpose()?;
        let stored = read::by_id(self.connection, self.names, line.memory)?;
        let row = stored.as_ref().map_or(self.next_row, |stored| stored.row);
        self.replay_state(line, stored, payload)?;
        self.next_row = rows::next(self.connection)?;
        insert_event(self.connection, line, row)?;
        (self.head, self.hash) = (line.seq, line.hash);
        Ok(())
    }

    fn replay_state(
        &mut self,
        line: &Line,
        stored: Option<Stored>,
        payload: Option<Payload<'static>>,
    ) -> Result<(), StoreError> {
        let (memory, link, salt) = payload.map_or((None, None, 0), |payload| {
            (payload.memory, payload.link, payload.salt)
        });
        match (line.kind, stored, memory, link) {
            (_, None, Some(memory), _) => {
                rows::insert(self.connection, self.names, self.next_row, salt, &memory)
            }
            (_, Some(stored), Some(memory), _) => {
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
                rows::update(self.connection, self.names, stored.row, salt, &memory)
            }
            (EventKind::Linked, Some(source), _, Some(link)) => {
                match read::by_id(self.connection, self.names, link.to)? {
                    Some(target) => {
                        rows::link(self.connection, source.row, target.row, &link, line.seq)
                    }
                    None => Ok(()),
                }
            }
            (EventKind::Unlinked, Some(source), _, Some(link)) => {
                if let Some(target) = read::by_id(self.connection, self.names, link.to)? {
                    rows::unlink(
                        self.connection,
                        source.row,
                        target.row,
                        link.link_type.number(),
                    )?;
                }
                Ok(())
            }
            (EventKind::Erased, Some(stored), ..) => rows::erase(
                self.connection,
                stored.row,
                to_microseconds(line.at),
                line.seq,
            ),
            // A memory whose payload was erased: its row stays taken, empty.
            (_, None, None, None) => self.insert_erased(line),
            _ => Ok(()),
        }
    }

    fn insert_erased(&mut self, line: &Line) -> Result<(), StoreError> {
        let empty = Draft::new("erased");
        let memory = Memory {
            id: line.memory,
            seq: line.seq,
            created_at: line.at,
            ..self.memory_of(&empty)?
        };
        rows::insert(self.connection, self.names, self.next_row, 0, &memory)?;
        rows::erase(
            self.connection,
            self.next_row,
            to_microseconds(line.at),
            line.seq,
        )
    }

    fn find_known(&self, draft: &Draft) -> Result<Option<Stored>, StoreError> {
        let hash = content_hash(&draft.content);
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
        rows::with_content(self.connection, self.names, hash, place)?
            .map(|row| self.by_row(row))
            .transpose()
    }

    fn memory_of(&self, draft: &Draft) -> Result<Memory, StoreError> {
        let position = match (&draft.thread, draft.position) {
            (Some(thread), None) => Some(rows::next_position(self.connection, self.names, thread)?),
            (_, position) => position,
        };
        let mut tags = draft.tags.clone();
        tags.sort();
        tags.dedup();
        Ok(Memory {
            id: MemoryId::at(self.now.as_millisecond().max(0) as u64),
            space: String::new(),
            body: draft.body.clone(),
            content: draft.content.clone(),
            thread: draft.thread.clone(),
            position,
            session: draft.session.clone(),
            author: draft.author.clone(),
            trust: draft.trust.unwrap_or_else(|| self.actor.default_trust()),
            importance: draft.importance.unwrap_or(DEFAULT_IMPORTANCE),
            confidence: draft.confidence.unwrap_or(1.0),
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
    fn change(
        &mut self,
        stored: &Stored,
        memory: Memory,
        kind: EventKind,
    ) -> Result<Memory, StoreError> {
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

    fn log(
        &mut self,
        kind: EventKind,
        row: Row,
        memory: MemoryId,
        payload: &Payload<'_>,
    ) -> Result<(), StoreError> {
        let event = Event {
            seq: Seq(self.head.0 + 1),
            at: self.now,
            actor: self.actor.clone(),
            kind,
            memory,
        };
        let line = Line::chain(self.hash, event, to_raw_value(payload)?);
        insert_event(self.connection, &line, row)?;
        let text = serde_json::to_string(&line)?;
        self.connection
            .prepare_cached("INSERT INTO outbox (seq, line) VALUES (?1, ?2)")?
            .execute(params![line.seq.0 as i64, text])?;
        (self.head, self.hash) = (line.seq, line.hash);
        self.lines.push((line.seq, text));
        Ok(())
    }

    /// A memory that is neither forgotten nor erased.
    fn live(&self, id: MemoryId) -> Result<Stored, StoreError> {
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
    fn present(&self, id: MemoryId) -> Result<Stored, StoreError> {
        match read::by_id(self.connection, self.names, id)? {
            Some(stored) if !stored.erased => Ok(stored),
            _ => Err(StoreError::NoMemory {
                id,
                space: self.space.to_owned(),
            }),
        }
    }

    fn by_row(&self, row: Row) -> Result<Stored, StoreError> {
        read::by_row(self.connection, self.names, row)?
            .ok_or_else(|| StoreError::Sqlite(rusqlite::Error::QueryReturnedNoRows))
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open {
            // A rollback that fails leaves the transaction to the connection's end; nothing was committed.
            let _ = self.connection.execute_batch("ROLLBACK");
            self.names.forget();
        }
    }
}

/// A number that can't be guessed from the outside: bytes of the id's random part, hashed.
fn salt_of(id: MemoryId) -> i64 {
    let fresh = MemoryId::at(0);
    let mut hasher = blake3::Hasher::new();
    hasher.update(id.as_bytes()).update(fresh.as_bytes());
    let digest = hasher.finalize();
    i64::from_le_bytes(
        digest.as_bytes()[..8]
            .try_into()
            .expect("a BLAKE3 hash has 32 bytes"),
    )
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
    memory
        .content
        .clone_from(content.as_ref().unwrap_or(&memory.content.clone()));
    memory.body = body.clone().unwrap_or_else(|| memory.body.clone());
    memory.importance = importance.unwrap_or(memory.importance);
    memory.confidence = confidence.unwrap_or(memory.confidence);
    memory.trust = trust.unwrap_or(memory.trust);
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

fn insert_event(connection: &Connection, line: &Line, row: Row) -> Result<(), StoreError> {
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
pub(crate) fn end_of_log(connection: &Connection) -> Result<(Seq, Digest), StoreError> {
    let last = connection
        .prepare_cached("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            Ok((Seq(row.get::<_, i64>(0)? as u64), Digest(row.get(1)?)))
        })
        .optional()?;
    Ok(last.unwrap_or_default())
}
