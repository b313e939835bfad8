//! What memories of colder tiers say: one file a tier, beside the active database.
//!
//! The active database keeps a row for every memory, with all that filters, links and the log need. What makes a
//! memory large (content, body, metadata) moves to its tier's file; the row then names the tier. Statements read
//! it through the SQL function `colder(tier, row, part)`, so that no reader needs to know where a memory lies.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anamne_types::{Row, Tier};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, ffi, params};

use super::connection::{check_format_of, configure, open_reader_of};
use super::erasure;
use super::{APPLICATION_ID, CONTENTS_FORMAT};
use crate::files::{look_at, open_private_file};
use crate::trouble::Trouble;
use crate::{Result, StoreError};

/// Files of tiers that one connection keeps open; the one that was read longest ago is closed first. Opening one costs
/// more than reading ten memories.
const MOST_OPEN: usize = 16;

/// Pages of a tier's file that a connection keeps in memory, in KiB: what is read there is seldom read again.
const CACHE_KIB: i64 = 128;

/// A row as it stands in a tier's file: content, body, metadata.
type Parts = [Value; 3];

/// The file of a colder tier in the folder of the active database.
pub(crate) fn file_of(memories: &Path, tier: Tier) -> PathBuf {
    memories.join(format!("{tier}.db"))
}

/// The file of a tier that goes with an active database which is being put together under another name.
pub(crate) fn twin_of(database: &Path, tier: Tier) -> PathBuf {
    let name = database.file_name().unwrap_or_default().to_string_lossy();
    let mark = name.strip_prefix("active.db").unwrap_or_default();
    database.with_file_name(format!("{tier}.db{mark}"))
}

/// Where to read a tier from: its file may wait to be put in place like the database itself.
fn file_beside(database: &Path, tier: Tier) -> PathBuf {
    let twin = twin_of(database, tier);
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

/// Opens the file of a tier to write to it, and makes it if it is missing. The move lock must be held.
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

/// Opens the file of a tier to read it.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection> {
    let connection = open_reader_of(path)?;
    check_format_of(&connection, path, CONTENTS_FORMAT)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    Ok(connection)
}

/// Copies what rows of the active tier or of another one say into the file of a tier; a row that is there is replaced.
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

/// Ends a write to the file of a tier: committed with a new stamp, or rolled back.
fn end(file: &Connection, written: Result<()>) -> Result<()> {
    let stamped = written
        .and_then(|()| Ok(file.execute_batch("UPDATE state SET stamp = randomblob(16); COMMIT")?));
    if stamped.is_err() {
        // What failed first is what matters; a connection that is dropped rolls back too.
        let _ = file.execute_batch("ROLLBACK");
    }
    stamped
}

/// What changes with every write to the file: copies with the same stamp hold the same.
pub(crate) fn stamp(file: &Connection) -> Result<[u8; 16]> {
    Ok(file.query_row("SELECT stamp FROM state", [], |row| row.get(0))?)
}

/// What a row says, wherever it lies.
const PARTS: &str = "SELECT iif(tier = 0, content, colder(tier, row, 0)), iif(tier = 0, body, colder(tier, row, 1)), \
     iif(tier = 0, metadata, colder(tier, row, 2)) FROM memories WHERE row = ?1";

/// Takes rows out of the file of a tier.
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

/// Takes rows out of the files of all tiers, writes these again, and cuts their logs; says the file in which a reader keeps older pages
/// in use, if there is one. May be done again.
pub(crate) fn erase(memories: &Path, rows: &[Row]) -> Result<Option<PathBuf>> {
    let mut still_read = None;
    for (_, path) in files_in(memories)? {
        let file = open_to_write(&path)?;
        remove(&file, rows)?;
        let is_cut = || erasure::cut_log(&file);
        let is_done = is_cut()? && erasure::rewrite(&file).and_then(|()| is_cut())?;
        if !is_done {
            still_read = Some(path);
        }
    }
    Ok(still_read)
}

/// The files of tiers that one connection has open.
struct Colder {
    /// The active database.
    database: PathBuf,
    /// The one that was read last comes last.
    open: Vec<(Tier, Connection)>,
    /// What was read last: statements ask for one part after the other.
    last: Option<(Tier, u32, Parts)>,
}

impl Colder {
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
        let connection = match known {
            Some(place) => self.open.remove(place),
            None => (tier, open_to_read(&file_beside(&self.database, tier))?),
        };
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(connection);
        Ok(&self.open[self.open.len() - 1].1)
    }
}

/// Lets the statements of a connection to the active database read what memories of colder tiers say.
pub(crate) fn let_read_colder(connection: &Connection, path: &Path) -> Result<()> {
    let colder = Mutex::new(Colder {
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

/// The code by which a statement says that a tier's file may only not be read now, so that it is not taken for damage.
/// SQLite drops the code where there are words too.
fn code_of(error: &StoreError) -> Option<i32> {
    match error.trouble()? {
        Trouble::Busy => Some(ffi::SQLITE_BUSY),
        Trouble::PermissionDenied => Some(ffi::SQLITE_PERM),
        _ => None,
    }
}
