//! Opens the database; a small pool of readers.

use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::conditions;
use super::contents::register_colder;
use super::homes::register_homed;
use super::{APPLICATION_ID, SOURCE_FORMAT};
use crate::files::{FileIdentity, look_at, open_private_file, remove_if_there, unfinished};
use crate::hardening::harden;
use crate::restore::side_file;
use crate::settings_file;
use crate::{Result, StoreError};

/// Page cache of a reader of the active database, in KiB.
const CACHE_KIB: i64 = 8 << 10;

/// Opens the database for writing; creates or migrates its tables. The write lock must be held.
pub(crate) fn open_writer(path: &Path) -> Result<Connection> {
    if look_at(path)?.is_none() {
        // Created here first, so that SQLite's side files inherit the owner-only mode. An existing file is not opened
        // outside of SQLite: closing it would release the locks of all connections of this process.
        drop(open_private_file(path)?);
    }
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    configure(&connection)?;
    let found = check_format(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    match found {
        0 => make_schema(&connection)?,
        SOURCE_FORMAT => {}
        older => migrate(&connection, path, older)?,
    }
    // Reads the whole table once per missing index; afterwards it writes nothing.
    connection.execute_batch(include_str!("listed.sql"))?;
    register_colder(&connection, path)?;
    register_homed(&connection, path)?;
    conditions::register(&connection)?;
    Ok(connection)
}

/// Settings of every connection.
pub(crate) fn configure(connection: &Connection) -> Result<()> {
    harden(connection)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise SQLite replans a statement whenever a bound value changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Rejects a database of a newer version; returns its format, 0 if it contains no tables yet.
pub(crate) fn check_format(connection: &Connection, path: &Path) -> Result<i64> {
    check_format_of(connection, path, SOURCE_FORMAT)
}

/// Rejects a file with a newer format than `known`; returns its format, 0 if it contains no tables yet.
pub(super) fn check_format_of(connection: &Connection, path: &Path, known: i64) -> Result<i64> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    settings_file::check_format(path, found, known)?;
    Ok(found)
}

/// Creates the tables of a new database.
fn make_schema(connection: &Connection) -> Result<()> {
    let tables = [
        include_str!("schema.sql"),
        include_str!("tiers.sql"),
        include_str!("members.sql"),
    ]
    .concat();
    in_one_transaction(connection, &tables)
}

/// Migrates a database of format 1 or 2 to the current format. Keeps a copy beside it until done.
fn migrate(connection: &Connection, path: &Path, found: i64) -> Result<()> {
    let copy = unfinished(path);
    remove_if_there(&copy)?;
    drop(open_private_file(&copy)?);
    connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    let mut tables = Vec::new();
    if found == 1 {
        tables.push("ALTER TABLE memories ADD COLUMN tier INTEGER NOT NULL DEFAULT 0;");
        tables.push("ALTER TABLE memories ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;");
        tables.push(include_str!("tiers.sql"));
    }
    tables.push("ALTER TABLE memories ADD COLUMN member TEXT;");
    tables.push(include_str!("members.sql"));
    in_one_transaction(connection, &tables.join("\n"))?;
    remove_if_there(&copy)
}

fn in_one_transaction(connection: &Connection, tables: &str) -> Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;\n{tables}\nPRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {SOURCE_FORMAT};\nCOMMIT;"
    ))?;
    Ok(())
}

/// The findings of SQLite's integrity check; empty if there are none. O(bytes of the database).
pub(crate) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA integrity_check")?;
    let findings = statement
        .query_map([], |row| row.get::<_, String>(0))?
        .collect::<Result<Vec<_>, _>>()?;
    Ok(findings
        .into_iter()
        .filter(|finding| finding != "ok")
        .collect())
}

/// The total size of a database's pages, including those only in the WAL.
pub(crate) fn page_bytes(connection: &Connection) -> Result<i64> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(number("page_count")?.saturating_mul(number("page_size")?))
}

/// Opens a connection together with the identity of its file.
pub(crate) fn open_identified(
    path: &Path,
    open: impl Fn(&Path) -> Result<Connection>,
) -> Result<(FileIdentity, Connection)> {
    loop {
        let before = look_at(path)?.map(|state| state.identity);
        let connection = open(path)?;
        // Another process may put a restored database there in between; then the opened file may be another one.
        match look_at(path)?.map(|state| state.identity) {
            Some(identity) if before.is_none_or(|before| before == identity) => {
                return Ok((identity, connection));
            }
            _ => {}
        }
    }
}

/// A new read-only connection.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let connection = open_reader_of(path)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    register_colder(&connection, path)?;
    register_homed(&connection, path)?;
    conditions::register(&connection)?;
    Ok(connection)
}

/// A new read-only connection to a database of any tier.
///
/// In a read-only folder or on a full disk SQLite can't create its shared files, so a database without a WAL is opened as
/// immutable. Such a connection [must not be kept](may_be_kept).
pub(crate) fn open_reader_of(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags)
        .map_err(StoreError::from)
        .and_then(readable);
    match opened.map_err(|error| error.of_database(path)) {
        Err(error) if error.prevents_writing() => match unchanging(path)? {
            Some(uri) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                    | OpenFlags::SQLITE_OPEN_URI
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                match Connection::open_with_flags(uri, flags) {
                    Ok(connection) => readable(connection),
                    // Not readable either.
                    Err(_) => Err(StoreError::io("open", path)(
                        ErrorKind::PermissionDenied.into(),
                    )),
                }
            }
            None => Err(error),
        },
        opened => opened,
    }
}

/// Whether a reader sees later writes, so that it may be kept. One that was opened as immutable doesn't.
pub(crate) fn may_be_kept(reader: &Connection) -> bool {
    matches!(reader.is_readonly(rusqlite::MAIN_DB), Ok(false))
}

/// Configures the connection after a first read: only then does SQLite open its shared files.
fn readable(connection: Connection) -> Result<Connection> {
    configure(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// The URI that opens a database as immutable; `None` if its WAL contains pages or it is missing.
fn unchanging(path: &Path) -> Result<Option<String>> {
    let log = look_at(&side_file(path, "wal"))?;
    let (Some(_), Some(text)) = (look_at(path)?, path.to_str()) else {
        return Ok(None);
    };
    if log.is_some_and(|log| log.length > 0) {
        return Ok(None);
    }
    let escaped = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    Ok(Some(format!("file:{escaped}?immutable=1")))
}

/// The database at a path, compared with the one that was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundDatabase {
    /// It is the same file.
    Same,
    /// Nothing was read before.
    First,
    /// It is another file.
    Replaced,
    /// There is none.
    Missing,
}

/// Idle read connections, kept for reuse.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Idle>,
}

/// Idle connections, all of one file.
#[derive(Debug, Default)]
struct Idle {
    identity: Option<FileIdentity>,
    connections: Vec<Connection>,
}

/// A reader borrowed from the pool.
#[derive(Debug)]
pub(crate) struct PooledReader<'pool> {
    pool: &'pool Readers,
    identity: FileIdentity,
    connection: Option<Connection>,
}

impl Readers {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
        }
    }

    /// Compares the file at the path with that of the last read. Costs one `stat`.
    ///
    /// Another process may have quarantined the file and restored it.
    pub(crate) fn look(&self) -> Result<FoundDatabase> {
        let found = look_at(&self.path)?.map(|state| state.identity);
        let mut idle = self.lock();
        if found.is_none() {
            return Ok(FoundDatabase::Missing);
        }
        if idle.identity == found {
            return Ok(FoundDatabase::Same);
        }
        idle.connections.clear();
        Ok(match std::mem::replace(&mut idle.identity, found) {
            Some(_) => FoundDatabase::Replaced,
            None => FoundDatabase::First,
        })
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        self.lock().connections.clear();
    }

    /// A reader: an idle one, or a new one.
    pub(crate) fn get(&self) -> Result<PooledReader<'_>> {
        let mut idle = self.lock();
        let known = idle.identity.zip(idle.connections.pop());
        drop(idle);
        let (identity, connection) = match known {
            Some(known) => known,
            None => open_identified(&self.path, open_reader)?,
        };
        Ok(PooledReader {
            pool: self,
            identity,
            connection: Some(connection),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for PooledReader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
            .as_ref()
            .expect("the connection leaves only when this is dropped")
    }
}

impl Drop for PooledReader<'_> {
    fn drop(&mut self) {
        let connection = self.connection.take().filter(may_be_kept);
        let mut idle = self.pool.lock();
        if idle
            .identity
            .is_none_or(|identity| identity == self.identity)
        {
            idle.identity = Some(self.identity);
            idle.connections.extend(connection);
        }
    }
}
