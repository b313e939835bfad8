//! The content of memories in colder tiers: one file per tier, beside the active database.
//!
//! The active database keeps a row for every memory, with everything that filters, links and the log need. The large
//! parts of a memory (content, body, metadata) move to its tier's file; the row then names the tier. Statements read
//! them through the SQL function `colder(tier, row, part)`, so that readers need not know a memory's tier.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anamne_types::{Row, Tier};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, ffi, params};

use super::connection::{check_format_of, configure, may_be_kept, open_reader_of};
use super::erasure;
use super::{APPLICATION_ID, CONTENTS_FORMAT};
use crate::file_problem::FileProblem;
use crate::files::{look_at, open_private_file};
use crate::{Result, StoreError};

/// Maximum number of tier files open per connection; the least recently used one is closed first. Opening one costs
/// more than reading ten memories.
const MOST_OPEN: usize = 16;

/// Page cache of a connection to a tier's file, in KiB: what is read there is seldom read again.
const CACHE_KIB: i64 = 128;

/// A row of a tier's file: content, body, metadata.
type Parts = [Value; 3];

/// The file of a colder tier in the folder of the active database.
pub(crate) fn file_of(memories: &Path, tier: Tier) -> PathBuf {
    memories.join(format!("{tier}.db"))
}

/// The file of a tier that belongs to an active database under a temporary name.
pub(crate) fn staged_file_of(database: &Path, tier: Tier) -> PathBuf {
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let mark = name.strip_prefix("active.db").unwrap_or_default();
    database.with_file_name(format!("{tier}.db{mark}"))
}

/// The file from which to read a tier: it may be staged under a temporary name, like the database.
fn file_beside(database: &Path, tier: Tier) -> PathBuf {
    let twin = staged_file_of(database, tier);
    if twin.exists() {
        twin
    } else {
        file_of(database.parent().unwrap_or(Path::new("")), tier)
    }
}

/// The colder tiers that have a file in the folder of the active database, hottest first.
pub(crate) fn files_in(memories: &Path) -> Result<Vec<(Tier, PathBuf)>> {
    let mut files = Vec::new();
    for path in crate::files::entries(memories)? {
        let tier = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".db")?.parse().ok());
        if let Some(tier) = tier.filter(|tier| *tier != Tier::Active) {
            files.push((tier, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Opens the file of a tier for writing; creates it if it is missing. The move lock must be held.
pub(crate) fn open_to_write(path: &Path) -> Result<Connection> {
    if look_at(path)?.is_none() {
        drop(open_private_file(path)?);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    let found = check_format_of(&connection, path, CONTENTS_FORMAT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    if found == 0 {
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             CREATE TABLE contents (row INTEGER PRIMARY KEY, content ANY NOT NULL, body TEXT, metadata TEXT) STRICT;
             CREATE TABLE state (stamp BLOB NOT NULL) STRICT;
             INSERT INTO state VALUES (randomblob(16));
             PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {CONTENTS_FORMAT};
             COMMIT;"
        ))?;
    }
    Ok(connection)
}

/// Opens the file of a tier for reading.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection> {
    let connection = open_reader_of(path)?;
    check_format_of(&connection, path, CONTENTS_FORMAT)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    Ok(connection)
}

/// Copies the content of rows, of any tier, to the file of a tier; existing rows are replaced.
pub(crate) fn copy(active: &Connection, target: &Connection, rows: &[Row]) -> Result<()> {
    target.execute_batch("BEGIN IMMEDIATE")?;
    let copied = || -> Result<()> {
        let mut read = active.prepare_cached(PARTS)?;
        let mut write = target.prepare_cached(
            "INSERT OR REPLACE INTO contents (row, content, body, metadata) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for row in rows {
            let parts = read
                .query_row([row.0], |parts| {
                    Ok([parts.get(0)?, parts.get(1)?, parts.get(2)?])
                })
                .optional()?;
            if let Some::<Parts>([content, body, metadata]) = parts {
                write.execute(params![row.0, content, body, metadata])?;
            }
        }
        Ok(())
    };
    end(target, copied())
}

/// Ends a write to the file of a tier: commits with a new stamp, or rolls back.
fn end(file: &Connection, written: Result<()>) -> Result<()> {
    let stamped = written
        .and_then(|()| Ok(file.execute_batch("UPDATE state SET stamp = randomblob(16); COMMIT")?));
    if stamped.is_err() {
        // The first error is the one reported; dropping a connection rolls back too.
        let _ = file.execute_batch("ROLLBACK");
    }
    stamped
}

/// The stamp changes with every write to the file: copies with the same stamp have the same content.
pub(crate) fn stamp(file: &Connection) -> Result<[u8; 16]> {
    Ok(file.query_row("SELECT stamp FROM state", [], |row| row.get(0))?)
}

/// Selects the content of a row from any tier.
const PARTS: &str = "SELECT iif(tier = 0, content, colder(tier, row, 0)), iif(tier = 0, body, colder(tier, row, 1)), \
     iif(tier = 0, metadata, colder(tier, row, 2)) FROM memories WHERE row = ?1";

/// Removes rows from the file of a tier.
pub(crate) fn remove(file: &Connection, rows: &[Row]) -> Result<()> {
    file.execute_batch("BEGIN IMMEDIATE")?;
    let removed = || -> Result<()> {
        let mut statement = file.prepare_cached("DELETE FROM contents WHERE row = ?1")?;
        for row in rows {
            statement.execute([row.0])?;
        }
        Ok(())
    };
    end(file, removed())
}

/// Removes rows from the files of all tiers, rewrites the files and truncates their WALs; returns the file of which a
/// reader still uses older pages, if any. Idempotent.
pub(crate) fn erase(memories: &Path, rows: &[Row]) -> Result<Option<PathBuf>> {
    let mut still_read = None;
    for (_, path) in files_in(memories)? {
        let file = open_to_write(&path)?;
        remove(&file, rows)?;
        let is_cut = || erasure::truncate_wal(&file);
        let is_done = is_cut()? && erasure::rewrite(&file).and_then(|()| is_cut())?;
        if !is_done {
            still_read = Some(path);
        }
    }
    Ok(still_read)
}

/// The open tier files of one connection.
struct TierFiles {
    /// The active database.
    database: PathBuf,
    /// Least recently used first.
    open: Vec<(Tier, Connection)>,
    /// The last row read: statements read one part after the other.
    last: Option<(Tier, u32, Parts)>,
}

impl TierFiles {
    fn part(&mut self, tier: Tier, row: u32, part: usize) -> Result<Value> {
        if let Some((last_tier, last_row, parts)) = &self.last
            && (*last_tier, *last_row) == (tier, row)
            && part > 0
        {
            return Ok(parts[part].clone());
        }
        let parts = self.read(tier, row)?;
        let value = parts[part].clone();
        self.last = Some((tier, row, parts));
        Ok(value)
    }

    fn read(&mut self, tier: Tier, row: u32) -> Result<Parts> {
        let connection = self.file(tier)?;
        let parts = connection
            .prepare_cached("SELECT content, body, metadata FROM contents WHERE row = ?1")?
            .query_row([row], |parts| {
                Ok([parts.get(0)?, parts.get(1)?, parts.get(2)?])
            })
            .optional()?;
        parts.ok_or_else(|| {
            let reason = format!("the content of m{row} is missing");
            StoreError::damaged(&file_beside(&self.database, tier), reason)
        })
    }

    fn file(&mut self, tier: Tier) -> Result<&Connection> {
        let known = self.open.iter().position(|(open, _)| *open == tier);
        let known = known.map(|place| self.open.remove(place));
        let connection = match known {
            Some(known) if may_be_kept(&known.1) => known,
            _ => (tier, open_to_read(&file_beside(&self.database, tier))?),
        };
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(connection);
        Ok(&self.open[self.open.len() - 1].1)
    }
}

/// Registers `colder`, which lets statements of a connection to the active database read the content of colder tiers.
pub(crate) fn register_colder(connection: &Connection, path: &Path) -> Result<()> {
    let colder = Mutex::new(TierFiles {
        database: path.to_owned(),
        open: Vec::new(),
        last: None,
    });
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("colder", 3, flags, move |context| {
        let tier = Tier::from_number(context.get(0)?);
        let (row, part): (u32, usize) = (context.get(1)?, context.get::<u8>(2)?.into());
        let failed = |reason: String| rusqlite::Error::UserFunctionError(reason.into());
        let tier = tier.ok_or_else(|| failed(format!("m{row} has an invalid tier")))?;
        let mut colder = colder.lock().unwrap_or_else(PoisonError::into_inner);
        colder
            .part(tier, row, part.min(2))
            .map_err(|error| match code_of(&error) {
                Some(code) => rusqlite::Error::SqliteFailure(ffi::Error::new(code), None),
                None => failed(error.to_string()),
            })
    })?;
    Ok(())
}

/// The error code for a tier's file that can't be read now, so that a statement does not report it as damage. SQLite
/// drops the code if there is a message as well.
fn code_of(error: &StoreError) -> Option<i32> {
    match error.problem()? {
        FileProblem::Busy => Some(ffi::SQLITE_BUSY),
        FileProblem::PermissionDenied => Some(ffi::SQLITE_PERM),
        _ => None,
    }
}
