//! `unsent.db`: what hooks captured for a server that has not acknowledged it yet, and what people said whose turn has not
//! ended (`held`).
//!
//! It is the only copy of some of it, so a commit survives a power failure, and a damaged file is quarantined rather than
//! deleted. It has content: what is acknowledged is deleted at once, and erasures in the space of the same name reach it.

mod held;
mod in_space;
mod sending;

use anamne_guard::Guard;
use anamne_store::{
    GuardConfig, SideDatabase, SideFile, SpaceConfig, SpaceName, StoreError, StoreFolder, WriteLock,
};
use anamne_types::{Actor, Draft, GuardNote, InvalidValue, Memory, MemoryId};
use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde::Serialize;

use crate::Error;
use crate::write::guarding;

pub use held::HeldMessage;
pub(crate) use in_space::UnsentOfSpace;
pub use sending::{SendingTurn, UnsentBatch};

/// Settings of the file.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    additions: include_str!("held.sql"),
    ..SideDatabase::new(1, include_str!("unsent.sql"))
};

/// Maximum bytes of all captures. Beyond it nothing is added, so that what waits stays in order and whole.
const MOST_BYTES: i64 = 64 << 20;

/// Memories in a request.
const MOST_MEMORIES: usize = 200;

/// Bytes of a request from which on the next memory goes into another one.
const REQUEST_BYTES: usize = 1 << 20;

/// Maximum bytes of one memory in a request: servers take 8 MiB. Reached only by text that is all escapes.
const MOST_MEMORY_BYTES: usize = 7 << 20;

/// Captures of this machine that wait for a server, for all spaces, in an SQLite file shared by processes.
pub struct UnsentCaptures {
    file: SideFile,
    folder: StoreFolder,
    sending: WriteLock,
}

/// What was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddedCaptures {
    /// Memories that wait now.
    pub memories: u64,
    /// Findings of the guard in them.
    pub redacted: u64,
}

/// Captures that wait for one space of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingCaptures {
    /// The address of the server.
    pub server: String,
    /// The space.
    pub space: String,
    /// Number of memories.
    pub memories: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// When the oldest was captured.
    pub since: Timestamp,
    /// Why the last attempt failed, in one word; empty if there was none.
    pub problem: String,
}

/// A request before it is stored.
struct NewBatch {
    json: String,
    memories: usize,
}

impl UnsentCaptures {
    /// The captures of a store; the file is created at the first write. No I/O.
    pub(crate) fn of_store(folder: &StoreFolder) -> Self {
        let root = folder.root();
        Self {
            file: SideFile::at(DATABASE, &root.join("unsent.db")),
            folder: folder.clone(),
            sending: WriteLock::at(&root.join("unsent-sending.lock")),
        }
    }

    /// Whether a space of this machine is private, so that nothing of its project leaves the machine.
    pub fn stays_here(&self, space: &str) -> Result<bool, Error> {
        let settings = self.settings(&space.parse()?)?;
        Ok(settings.is_some_and(|settings| settings.guard.private))
    }

    /// Adds what a host's session said, for a space of the server at an address, after the guard of the space of this
    /// machine with that name; by default the guard redacts secrets. What the guard refuses is left out. One durable write.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if the space is private on this machine, if `host` is no name, or if the file is full: nothing
    /// was added then.
    pub fn add(
        &self,
        server: &str,
        space: &str,
        host: &str,
        drafts: &[Draft],
        now: Timestamp,
    ) -> Result<AddedCaptures, Error> {
        Actor::agent(host).check()?;
        let settings = self.settings(&space.parse()?)?.map(|found| found.guard);
        let settings = settings.unwrap_or_default();
        if settings.private {
            let accepts = "a space that is not private on this machine";
            return Err(InvalidValue::new("space", accepts, space).into());
        }
        let (drafts, redacted) = guarded(&settings, drafts, now)?;
        let batches = in_requests(&drafts)?;
        let route = [server, space, host];
        self.file.change(|transaction| {
            for batch in &batches {
                store(transaction, route, batch, now)?;
            }
            Ok::<_, StoreError>(())
        })?;
        let memories = batches.iter().map(|batch| batch.memories as u64);
        Ok(AddedCaptures {
            memories: memories.sum(),
            redacted,
        })
    }

    /// What waits, by server and space.
    pub fn waiting(&self) -> Result<Vec<WaitingCaptures>, Error> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let listed = self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT server, space, sum(memories), sum(bytes), min(added_at), ifnull(max(problem), '')
                       FROM batches LEFT JOIN problems USING (server, space)
                       GROUP BY server, space ORDER BY min(number)";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                let since = row.get::<_, i64>(4)?;
                Ok(WaitingCaptures {
                    server: row.get(0)?,
                    space: row.get(1)?,
                    memories: row.get::<_, i64>(2)? as u64,
                    bytes: row.get::<_, i64>(3)? as u64,
                    since: Timestamp::from_microsecond(since)
                        .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(4, since))?,
                    problem: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        Ok(listed)
    }

    /// Erases everything that waits, with quarantined copies; returns the number of memories.
    pub fn erase(&self) -> Result<u64, Error> {
        self.file.remove_quarantined()?;
        let waiting = self.waiting()?.iter().map(|one| one.memories).sum();
        self.file.remove()?;
        Ok(waiting)
    }

    /// Erases captures for the space of this name with the content or the external id of one of these memories.
    pub(crate) fn erase_equal(&self, space: &str, memories: &[Memory]) -> Result<(), Error> {
        if memories.is_empty() || !self.file.exists() {
            return Ok(());
        }
        let is_erased = |draft: &Draft| {
            memories.iter().any(|memory| {
                let has_id = draft.external_id.is_some() && draft.external_id == memory.external_id;
                has_id || draft.content == memory.content
            })
        };
        let erased = self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "SELECT number, drafts FROM batches WHERE space = ?1";
            let mut statement = transaction.prepare(sql)?;
            let found = statement
                .query_map([space], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<Vec<(i64, String)>, _>>()?;
            held::erase_equal(transaction, space, is_erased)?;
            for (number, json) in found {
                let mut drafts: Vec<Draft> = serde_json::from_str(&json)?;
                let before = drafts.len();
                drafts.retain(|draft| !is_erased(draft));
                if drafts.len() < before {
                    sending::replace(transaction, number, &drafts)?;
                }
            }
            Ok(())
        });
        Ok(erased?)
    }

    /// Removes what SQLite keeps of deleted rows.
    pub(crate) fn compact(&self) -> Result<(), StoreError> {
        if !self.file.exists() {
            return Ok(());
        }
        self.file.rewrite()?;
        self.file.truncate_wal()
    }

    fn settings(&self, space: &SpaceName) -> Result<Option<SpaceConfig>, Error> {
        let path = self.folder.space(space).join("space.toml");
        Ok(SpaceConfig::read(&path)?)
    }
}

/// The drafts as they may be kept and sent, and the number of findings. Each has an external id, by which a server knows
/// it again even after it has forgotten the request.
fn guarded(
    settings: &GuardConfig,
    drafts: &[Draft],
    now: Timestamp,
) -> Result<(Vec<Draft>, u64), InvalidValue> {
    let guard: Guard = settings.guard()?;
    let (mut kept, mut redacted) = (Vec::with_capacity(drafts.len()), 0);
    for draft in drafts {
        let mut draft = draft.clone();
        draft.metadata.remove(GuardNote::KEY);
        // What a store of this machine would refuse is not kept either.
        if draft.check().is_err() {
            continue;
        }
        if let Ok(notes) = guarding::check_draft(&guard, &mut draft) {
            redacted += notes.len() as u64;
            draft.external_id.get_or_insert_with(|| {
                format!(
                    "capture:{}",
                    MemoryId::at(now.as_millisecond().max(0) as u64)
                )
            });
            kept.push(draft);
        }
    }
    Ok((kept, redacted))
}

/// The drafts in requests of bounded size.
fn in_requests(drafts: &[Draft]) -> Result<Vec<NewBatch>, StoreError> {
    let mut batches: Vec<NewBatch> = Vec::new();
    for draft in drafts {
        let json = serde_json::to_string(draft)?;
        if json.len() > MOST_MEMORY_BYTES {
            continue;
        }
        match batches.last_mut() {
            Some(batch)
                if batch.memories < MOST_MEMORIES
                    && batch.json.len() + json.len() <= REQUEST_BYTES =>
            {
                batch.json.push(',');
                batch.json.push_str(&json);
                batch.memories += 1;
            }
            _ => batches.push(NewBatch {
                json: format!("[{json}"),
                memories: 1,
            }),
        }
    }
    for batch in &mut batches {
        batch.json.push(']');
    }
    Ok(batches)
}

/// Stores a request, unless the same one waits already.
fn store(
    transaction: &Transaction<'_>,
    [server, space, host]: [&str; 3],
    batch: &NewBatch,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (key, bytes) = (
        sending::key_of([server, space, host], &batch.json),
        batch.json.len() as i64,
    );
    let sql = "SELECT ifnull(sum(bytes), 0) FROM batches";
    let taken: i64 = transaction.query_row(sql, [], |row| row.get(0))?;
    if taken + bytes > MOST_BYTES {
        let accepts = format!("at most {MOST_BYTES} bytes that wait for a server");
        return Err(InvalidValue::new("captures", accepts, taken + bytes).into());
    }
    let sql = "INSERT OR IGNORE INTO batches (key, server, space, host, drafts, memories, bytes, added_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    transaction.execute(
        sql,
        params![
            key,
            server,
            space,
            host,
            batch.json,
            batch.memories as i64,
            bytes,
            now.as_microsecond()
        ],
    )?;
    Ok(())
}
