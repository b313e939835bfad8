//! `hooks.db`: what the hooks of agent hosts did, for all spaces of a store.
//!
//! It holds no content: digests of session ids and of texts, ids of shown memories, positions in transcripts, and counts. It can't be
//! recomputed; without it a session may be shown a memory twice, and a transcript is captured from its beginning again,
//! which adds nothing twice. A damaged file is replaced by an empty one.

mod activity;
mod in_space;

use std::collections::BTreeSet;
use std::path::Path;

use anamne_store::{SideDatabase, SideFile, StoreError};
use anamne_types::{Memory, MemoryId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

pub use activity::{HookActivity, HookRun};
pub(crate) use in_space::HookLogOfSpace;

use super::unsent::HeldMessage;

/// Settings of the file.
const DATABASE: SideDatabase = SideDatabase {
    additions: include_str!("additions.sql"),
    ..SideDatabase::new(1, include_str!("hook_log.sql"))
};

/// The tables of what sessions were shown.
const SHOWN: [&str; 2] = ["shown", "shown_texts"];

/// Maximum number of sessions; the oldest are dropped.
const MOST_SESSIONS: i64 = 2_000;

/// Maximum number of memories that are remembered as shown, for each session.
const MOST_SHOWN: i64 = 1_000;

/// Maximum number of messages that are remembered as told, for each session.
const MOST_TOLD: i64 = 1_000;

/// Several hosts may run the hook for one event; they do so at about the same time.
const SAME_EVENT: jiff::SignedDuration = jiff::SignedDuration::from_secs(10);

/// The hooks' record of a store, in an SQLite file shared by processes.
pub struct HookLog {
    file: SideFile,
}

/// A session of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookSession {
    /// Its number in the record.
    number: i64,
    /// The space that it reads and writes.
    pub space: String,
    /// Bytes of its transcript that were captured.
    pub captured_bytes: u64,
    /// The digest of the last of them, if it is known.
    pub captured_mark: Option<[u8; 16]>,
}

/// The messages of a session that were stored without its transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldMessages(BTreeSet<Digest>);

impl ToldMessages {
    /// Whether this message is one of them.
    pub fn contains(&self, message: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&digest(message.trim()))
    }
}

/// A digest of what a host gave.
pub(crate) type Digest = [u8; 16];

pub(crate) fn digest(text: &str) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    digest
}

impl HookLog {
    /// The record in `root`; created at the first write. No I/O.
    pub(crate) fn of_store(root: &Path) -> Self {
        Self {
            file: SideFile::at(DATABASE, &root.join("hooks.db")),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The session with the host's id, if it is known.
    pub fn session(&self, id: &str) -> Result<Option<HookSession>, StoreError> {
        if !self.file.exists() {
            return Ok(None);
        }
        let id = digest(id);
        self.file
            .with(|connection| Ok(find_session(connection, &id)?))
    }

    /// The session with the host's id; a new one belongs to `space`.
    pub fn begin(
        &self,
        id: &str,
        host: &str,
        space: &str,
        now: Timestamp,
    ) -> Result<HookSession, StoreError> {
        let id = digest(id);
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql =
                "INSERT OR IGNORE INTO sessions (id, host, space, began) VALUES (?1, ?2, ?3, ?4)";
            let began = now.as_microsecond();
            if transaction.execute(sql, params![id, host, space, began])? > 0 {
                drop_oldest_sessions(transaction)?;
            }
            let session = find_session(transaction, &id)?;
            session.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
        })
    }

    /// Whether this process is the first to act on an event of a session. `identity` tells the event from others of its
    /// kind in the session; the same one within ten seconds is the same event.
    pub fn acts_first(
        &self,
        session: &HookSession,
        event: &str,
        identity: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (identity, at) = (digest(identity), now.as_microsecond());
        let oldest = at.saturating_sub(SAME_EVENT.as_micros() as i64);
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "INSERT INTO acted VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT DO UPDATE SET digest = excluded.digest, at = excluded.at
                       WHERE digest != excluded.digest OR at NOT BETWEEN ?5 AND ?4";
            let row = params![session.number, event, identity, at, oldest];
            Ok(transaction.execute(sql, row)? > 0)
        })
    }

    /// The memories that a session was shown.
    pub fn shown(&self, session: &HookSession) -> Result<Vec<MemoryId>, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT memory FROM shown WHERE session = ?1 LIMIT ?2";
            let mut statement = connection.prepare(sql)?;
            let ids = statement
                .query_map([session.number, MOST_SHOWN], |row| row.get(0))?
                .collect::<Result<Vec<[u8; 16]>, _>>()?;
            Ok(ids.into_iter().map(MemoryId::from_bytes).collect())
        })
    }

    /// Records that a session was shown memories of a space.
    pub fn note_shown(
        &self,
        session: &HookSession,
        space: &str,
        memories: &[MemoryId],
    ) -> Result<(), StoreError> {
        if memories.is_empty() {
            return Ok(());
        }
        self.file.change(|transaction| {
            let sql = "INSERT OR IGNORE INTO shown VALUES (?1, ?2, ?3)";
            let mut note = transaction.prepare_cached(sql)?;
            for memory in memories {
                note.execute(params![session.number, memory.as_bytes(), space])?;
            }
            Ok(())
        })
    }

    /// Records the texts of the memories of a space that a session was shown.
    pub fn note_shown_texts(
        &self,
        session: &HookSession,
        space: &str,
        memories: &[Memory],
    ) -> Result<(), StoreError> {
        self.file.change(|transaction| {
            let sql = "INSERT OR REPLACE INTO shown_texts VALUES (?1, ?2, ?3, ?4)";
            let mut note = transaction.prepare_cached(sql)?;
            for memory in memories {
                let (id, text) = (memory.id.as_bytes(), digest(&memory.content));
                note.execute(params![session.number, id, space, text])?;
            }
            Ok(())
        })
    }

    /// Those of these memories that a session was shown with another text.
    pub fn changed_since(
        &self,
        session: &HookSession,
        memories: &[Memory],
    ) -> Result<Vec<MemoryId>, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT EXISTS (SELECT 1 FROM shown_texts WHERE session = ?1 AND memory = ?2 AND digest <> ?3)";
            let mut statement = connection.prepare(sql)?;
            let mut changed = Vec::new();
            for memory in memories {
                let row = params![session.number, memory.id.as_bytes(), digest(&memory.content)];
                if statement.query_row(row, |row| row.get(0))? {
                    changed.push(memory.id);
                }
            }
            Ok(changed)
        })
    }

    /// Forgets what a session was shown: its host has dropped it from the conversation.
    pub fn forget_shown(&self, session: &HookSession) -> Result<(), StoreError> {
        self.file.change(|transaction| {
            for table in SHOWN {
                let sql = format!("DELETE FROM {table} WHERE session = ?1");
                transaction.execute(&sql, [session.number])?;
            }
            Ok(())
        })
    }

    /// Records that a session's transcript was captured up to `bytes`, the digest of the last of them, and how many memories
    /// that stored.
    pub fn note_captured(
        &self,
        session: &HookSession,
        bytes: u64,
        mark: Option<[u8; 16]>,
        stored: u64,
    ) -> Result<(), StoreError> {
        self.file.change(|transaction| {
            let sql = "DELETE FROM captured_marks WHERE session = ?1";
            transaction.execute(sql, [session.number])?;
            if let Some(mark) = mark {
                let sql = "INSERT INTO captured_marks VALUES (?1, ?2)";
                transaction.execute(sql, params![session.number, mark])?;
            }
            let sql = "UPDATE sessions SET captured_bytes = ?2, stored = stored + ?3
                       WHERE session = ?1";
            let row = params![session.number, bytes as i64, stored as i64];
            transaction.execute(sql, row)?;
            Ok(())
        })
    }

    /// Records that a message of a session was stored without its transcript, which may tell it once more.
    pub fn note_told(&self, session: &HookSession, message: &str) -> Result<(), StoreError> {
        self.note_told_digests(session, &[digest(message.trim())])
    }

    /// Records the same of what people said.
    pub fn note_told_by_people(
        &self,
        session: &HookSession,
        messages: &[HeldMessage],
    ) -> Result<(), StoreError> {
        let said: Vec<Digest> = messages.iter().map(|message| message.said).collect();
        self.note_told_digests(session, &said)
    }

    fn note_told_digests(
        &self,
        session: &HookSession,
        messages: &[Digest],
    ) -> Result<(), StoreError> {
        self.file.change(|transaction| {
            let sql = "INSERT OR IGNORE INTO told VALUES (?1, ?2)";
            let mut note = transaction.prepare(sql)?;
            for message in messages {
                note.execute(params![session.number, message])?;
            }
            Ok(())
        })
    }

    /// The messages of a session that were stored without its transcript.
    pub fn told(&self, session: &HookSession) -> Result<ToldMessages, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT digest FROM told WHERE session = ?1 LIMIT ?2";
            let mut statement = connection.prepare(sql)?;
            let told = statement.query_map([session.number, MOST_TOLD], |row| row.get(0))?;
            Ok(ToldMessages(told.collect::<Result<_, _>>()?))
        })
    }

    /// Number of sessions in this space that began since the last capture from any, if the first of them is older than
    /// `quiet`: capture doesn't work. `None` if it does, or nothing is known.
    pub fn silent_sessions(
        &self,
        space: &str,
        quiet: jiff::SignedDuration,
        now: Timestamp,
    ) -> Result<Option<u64>, StoreError> {
        if !self.file.exists() {
            return Ok(None);
        }
        let before = now
            .as_microsecond()
            .saturating_sub(quiet.as_micros() as i64);
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT count(*), min(began) FROM sessions WHERE space = ?1 AND session >
                       (SELECT ifnull(max(session), 0) FROM sessions WHERE space = ?1 AND stored > 0)";
            let (count, first) = connection.query_row(sql, [space], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
            })?;
            let is_old = first.is_some_and(|first| first < before);
            Ok(is_old.then_some(count as u64))
        })
    }

    /// Forgets the memories of a space that sessions were shown, and what they told, and removes quarantined copies.
    pub(super) fn forget_space(&self, space: &str) -> Result<(), StoreError> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        self.file.change(|transaction| -> Result<_, StoreError> {
            for table in SHOWN {
                let sql = format!("DELETE FROM {table} WHERE space = ?1");
                transaction.execute(&sql, [space])?;
            }
            let sql =
                "DELETE FROM told WHERE session IN (SELECT session FROM sessions WHERE space = ?1)";
            transaction.execute(sql, [space])?;
            Ok(())
        })?;
        self.file.truncate_wal()
    }
}

fn find_session(connection: &Connection, id: &Digest) -> rusqlite::Result<Option<HookSession>> {
    let sql = "SELECT session, space, captured_bytes, mark
               FROM sessions LEFT JOIN captured_marks USING (session) WHERE id = ?1";
    let session = connection.query_row(sql, [id], |row| {
        Ok(HookSession {
            number: row.get(0)?,
            space: row.get(1)?,
            captured_bytes: row.get::<_, i64>(2)? as u64,
            captured_mark: row.get(3)?,
        })
    });
    session.optional()
}

fn drop_oldest_sessions(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "DELETE FROM sessions WHERE session <=
               (SELECT session FROM sessions ORDER BY session DESC LIMIT 1 OFFSET ?1)";
    transaction.execute(sql, [MOST_SESSIONS])?;
    Ok(())
}
