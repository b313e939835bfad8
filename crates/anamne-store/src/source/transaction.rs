//! One write to the source: state, event and outbox together.

use std::path::Path;

use anamne_types::{Actor, Event, EventKind, MemoryId, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::value::to_raw_value;

use super::members::Reach;
use super::record::{Payload, Stored};
use super::{Tables, page_bytes, read, rows};
use crate::clock::{cut, to_microseconds};
use crate::files::length_of;
use crate::journal::{Digest, Entry, Line};
use crate::{Result, StoreError};

/// An open transaction. Rolled back if dropped without [`Transaction::commit`].
pub(crate) struct Transaction<'writer> {
    pub(super) tables: Tables<'writer>,
    pub(super) space: &'writer str,
    pub(super) actor: Actor,
    pub(super) now: Timestamp,
    /// Whether a known text is not stored again.
    pub(super) finds_duplicates: bool,
    /// The last event of the log, including those of this transaction.
    pub(super) head: Seq,
    pub(super) hash: Digest,
    pub(super) next_row: Row,
    /// Memories that were added or restored.
    pub(super) more_live: u64,
    lines: Vec<Entry>,
    /// Where the current change began.
    before: Before,
    /// What other spaces have to follow once this is committed, by the current change.
    pub(super) reach: Reach,
    /// The same by the changes before it.
    kept_reach: Reach,
    /// Whether changes come from a home, which knows them.
    pub(super) is_following: bool,
    /// An unpredictable secret from which the salts are derived.
    pub(super) secret: [u8; 32],
    open: bool,
}

/// The state before a change of a transaction.
#[derive(Clone, Copy, Debug)]
struct Before {
    head: Seq,
    hash: Digest,
    next_row: Row,
    more_live: u64,
    /// Number of lines.
    lines: usize,
    /// Rows changed by the connection so far.
    changes: u64,
}

/// Who writes, where and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteContext<'writer> {
    pub(crate) space: &'writer str,
    pub(crate) actor: &'writer Actor,
    pub(crate) now: Timestamp,
    /// Whether a known text is not stored again.
    pub(crate) finds_duplicates: bool,
}

impl<'writer> Transaction<'writer> {
    /// Begins after the event `end`, the common end of source and journal, and clears the outbox up to it.
    pub(crate) fn begin(
        tables: Tables<'writer>,
        occasion: WriteContext<'writer>,
        end: (Seq, Digest),
    ) -> Result<Self> {
        tables.names.begin_write(&tables)?;
        tables.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut transaction = Self {
            tables,
            space: occasion.space,
            actor: occasion.actor.clone(),
            now: cut(occasion.now),
            finds_duplicates: occasion.finds_duplicates,
            head: end.0,
            hash: end.1,
            next_row: Row(0),
            more_live: 0,
            lines: Vec::new(),
            before: Before {
                head: end.0,
                hash: end.1,
                next_row: Row(0),
                more_live: 0,
                lines: 0,
                changes: 0,
            },
            reach: Reach::default(),
            kept_reach: Reach::default(),
            is_following: false,
            secret: secret(),
            open: true,
        };
        transaction.next_row = rows::next(&tables)?;
        tables
            .prepare_cached("DELETE FROM outbox WHERE seq <= ?1")?
            .execute([end.0.0 as i64])?;
        transaction.before = transaction.state();
        Ok(transaction)
    }

    fn state(&self) -> Before {
        Before {
            head: self.head,
            hash: self.hash,
            next_row: self.next_row,
            more_live: self.more_live,
            lines: self.lines.len(),
            changes: self.tables.total_changes(),
        }
    }

    /// Begins another change in this transaction, by another author; it can be undone alone.
    pub(crate) fn begin_another(&mut self, actor: &Actor, now: Timestamp) -> Result<()> {
        self.run("SAVEPOINT another")?;
        self.before = self.state();
        self.kept_reach = self.take_reach();
        self.is_following = false;
        self.actor = actor.clone();
        self.now = cut(now);
        Ok(())
    }

    /// Keeps what [`Transaction::begin_another`] began. A change without a line is undone, as in a transaction of its
    /// own.
    pub(crate) fn keep_another(&mut self) -> Result<()> {
        if self.lines.len() == self.before.lines && self.has_touched() {
            self.undo_another()
        } else {
            self.run("RELEASE another")
        }
    }

    /// Undoes what [`Transaction::begin_another`] began, and nothing else.
    pub(crate) fn undo_another(&mut self) -> Result<()> {
        if self.has_touched() {
            self.tables.names.forget();
        }
        self.run("ROLLBACK TO another")?;
        self.run("RELEASE another")?;
        let before = self.before;
        (self.head, self.hash, self.next_row) = (before.head, before.hash, before.next_row);
        self.more_live = before.more_live;
        self.lines.truncate(before.lines);
        self.reach = Reach::default();
        Ok(())
    }

    /// Whether the current change has written rows.
    fn has_touched(&self) -> bool {
        self.tables.total_changes() != self.before.changes
    }

    /// Whether SQLite has rolled everything back by itself, as after some errors of the disk.
    pub(crate) fn is_lost(&self) -> bool {
        self.tables.is_autocommit()
    }

    /// The last event before the current change.
    pub(crate) fn head_before(&self) -> Seq {
        self.before.head
    }

    fn run(&self, statement: &str) -> Result<()> {
        self.tables.prepare_cached(statement)?.execute([])?;
        Ok(())
    }

    /// Commits durably; returns the lines to append to the journal.
    pub(crate) fn commit(mut self) -> Result<Vec<Entry>> {
        self.run("COMMIT")?;
        self.open = false;
        Ok(std::mem::take(&mut self.lines))
    }

    /// Commits if anything was written; otherwise saves the sync.
    pub(crate) fn commit_if_changed(mut self) -> Result<Vec<Entry>> {
        if !self.lines.is_empty() {
            return self.commit();
        }
        if self.has_touched() {
            self.tables.names.forget();
        }
        self.run("ROLLBACK")?;
        self.open = false;
        Ok(Vec::new())
    }

    /// What other spaces have to follow.
    pub(crate) fn take_reach(&mut self) -> Reach {
        let mut reach = std::mem::take(&mut self.kept_reach);
        reach.add(std::mem::take(&mut self.reach));
        reach
    }

    /// Size in bytes of the current change's lines for the journal.
    pub(crate) fn line_bytes(&self) -> u64 {
        bytes_of(&self.lines[self.before.lines..])
    }

    /// Size in bytes of all lines of this transaction.
    pub(crate) fn all_line_bytes(&self) -> u64 {
        bytes_of(&self.lines)
    }

    /// Size in bytes of the lines of earlier changes of this transaction, and their number.
    pub(crate) fn uncommitted(&self) -> (u64, usize) {
        let earlier = &self.lines[..self.before.lines];
        (bytes_of(earlier), earlier.len())
    }

    /// The number of memories that the current change added or restored. Those that it added as forgotten don't count.
    pub(crate) fn new_memories(&self) -> u64 {
        self.more_live - self.before.more_live
    }

    /// Bytes by which the database file is smaller than its pages, because some are only in the WAL.
    pub(crate) fn logged_bytes(&self, database: &Path) -> Result<u64> {
        let written = length_of(database)?;
        Ok((page_bytes(&self.tables)? as u64).saturating_sub(written))
    }

    /// The sequence number of the next event.
    pub(super) fn next_seq(&self) -> Seq {
        Seq(self.head.0 + 1)
    }

    pub(super) fn log(
        &mut self,
        kind: EventKind,
        row: Row,
        memory: MemoryId,
        payload: &Payload<'_>,
    ) -> Result<()> {
        let event = Event {
            seq: self.next_seq(),
            at: self.now,
            actor: self.actor.clone(),
            kind,
            memory,
        };
        let line = Line::chain(self.hash, event, to_raw_value(payload)?);
        insert_event(&self.tables, &line, row)?;
        let entry = Entry::of(&line)?;
        self.tables
            .prepare_cached("INSERT INTO outbox (seq, line) VALUES (?1, ?2)")?
            .execute(params![entry.seq.0 as i64, entry.text])?;
        (self.head, self.hash) = (entry.seq, entry.hash);
        self.lines.push(entry);
        Ok(())
    }

    /// A memory that is neither forgotten nor erased.
    pub(super) fn live(&self, id: MemoryId) -> Result<Stored> {
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
    pub(super) fn present(&self, id: MemoryId) -> Result<Stored> {
        match read::by_id(self.tables, id)? {
            Some(stored) if !stored.erased => Ok(stored),
            _ => Err(StoreError::NoMemory {
                id,
                space: self.space.to_owned(),
            }),
        }
    }

    pub(super) fn by_row(&self, row: Row) -> Result<Stored> {
        read::by_row(self.tables, row)?
            .ok_or_else(|| StoreError::Sqlite(rusqlite::Error::QueryReturnedNoRows))
    }

    pub(super) fn id_of(&self, row: Row) -> Result<MemoryId> {
        let id = self
            .tables
            .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
            .query_row([row.0], |row| row.get(0))?;
        Ok(MemoryId::from_bytes(id))
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open {
            // First, because once the numbers are free another process may assign them to other names.
            self.tables.names.forget();
            // If the rollback fails, closing the connection ends the transaction; nothing was committed.
            let _ = self.tables.execute_batch("ROLLBACK");
        }
    }
}

fn bytes_of(lines: &[Entry]) -> u64 {
    lines.iter().map(|line| line.text.len() as u64 + 1).sum()
}

/// Random bytes: two new ids, each with 74 bits from the operating system.
fn secret() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..2 {
        hasher.update(MemoryId::at(0).as_bytes());
    }
    *hasher.finalize().as_bytes()
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

/// The last event of the log and the chain's hash after it.
pub(crate) fn end_of_log(connection: &Connection) -> Result<(Seq, Digest)> {
    let last = connection
        .prepare_cached("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            Ok((Seq(row.get::<_, i64>(0)? as u64), Digest(row.get(1)?)))
        })
        .optional()?;
    Ok(last.unwrap_or_default())
}
