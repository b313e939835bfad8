//! Another program's SQLite database: read-only, within a bound of work, and without a trace beside it.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::super::lines::open_file;
use super::super::{TranscriptError, TranscriptFormat};

/// How long to wait for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);

/// How many instructions of SQLite's machine one task may take: a damaged or hostile file can lead it round for ever.
const MAX_INSTRUCTIONS: u64 = 4_000_000_000;

const INSTRUCTIONS_PER_CHECK: i32 = 100_000;

/// Why a database can't be read.
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    /// It isn't what was expected.
    Unknown(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Does a task within one state of a database.
///
/// A database without a log beside it is read as a file that doesn't change: SQLite then creates no files for locks. If
/// it changed meanwhile after all, the task is done again with locks.
pub(super) fn with_database<T>(
    path: &Path,
    task: impl Fn(&Connection) -> Result<T, Failure>,
) -> Result<T, TranscriptError> {
    open_file(path)?;
    let before = State::of(path);
    if before.is_at_rest() {
        let result = attempt(path, true, &task);
        if State::of(path) == before {
            return result.map_err(|failure| failure.of(path));
        }
    }
    attempt(path, false, &task).map_err(|failure| failure.of(path))
}

fn attempt<T>(
    path: &Path,
    at_rest: bool,
    task: impl Fn(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = if at_rest {
        let address = address_of(path)?;
        Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let mut left = MAX_INSTRUCTIONS / INSTRUCTIONS_PER_CHECK as u64;
    let count = move || {
        left = left.saturating_sub(1);
        left == 0
    };
    connection.progress_handler(INSTRUCTIONS_PER_CHECK, Some(count))?;
    let transaction = connection.transaction()?;
    task(&transaction)
}

/// What tells whether a database changed.
#[derive(PartialEq, Eq)]
struct State {
    length: Option<u64>,
    modified: Option<SystemTime>,
    log: Option<u64>,
    journal: Option<u64>,
}

impl State {
    fn of(path: &Path) -> Self {
        let metadata = fs::metadata(path).ok();
        let length = |end: &str| {
            fs::metadata(beside(path, end))
                .ok()
                .map(|beside| beside.len())
        };
        Self {
            length: metadata.as_ref().map(fs::Metadata::len),
            modified: metadata.and_then(|metadata| metadata.modified().ok()),
            log: length("-wal").filter(|length| *length > 0),
            journal: length("-journal").filter(|length| *length > 0),
        }
    }

    /// Whether all of it stands in its one file.
    fn is_at_rest(&self) -> bool {
        self.log.is_none() && self.journal.is_none()
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// A path as an address that tells SQLite that the file doesn't change.
fn address_of(path: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(path).map_err(|error| Failure::Unknown(error.to_string()))?;
    let mut address = String::from("file://");
    if cfg!(windows) {
        address.push('/');
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'/' | b':' | b'.' | b'-' | b'_' => address.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(*byte)),
            byte => address.extend(format!("%{byte:02X}").chars()),
        }
    }
    address.push_str("?immutable=1");
    Ok(address)
}

impl Failure {
    fn of(self, path: &Path) -> TranscriptError {
        let io = |kind, reason: &str| TranscriptError::Io {
            path: path.to_owned(),
            source: std::io::Error::new(kind, reason),
        };
        let unknown = |reason| TranscriptError::Unknown {
            path: path.to_owned(),
            format: TranscriptFormat::OpenCode,
            reason,
        };
        let error = match self {
            Self::Unknown(reason) => return unknown(reason),
            Self::Sqlite(error) => error,
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => io(
                ErrorKind::ResourceBusy,
                "OpenCode has locked it; try again later",
            ),
            Some(ErrorCode::OperationInterrupted) => {
                io(ErrorKind::TimedOut, "reading it takes too long")
            }
            Some(
                ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => io(ErrorKind::Other, &error.to_string()),
            _ => unknown(error.to_string()),
        }
    }
}

/// The columns of a table.
pub(super) struct Schema(HashSet<String>);

impl Schema {
    /// The columns that hold values: none of a view, whose values are made by its query.
    pub(super) fn of(connection: &Connection, table: &str) -> Result<Self, Failure> {
        let query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql NOT LIKE 'CREATE VIRTUAL%'";
        if !connection.prepare(query)?.exists([table])? {
            return Ok(Self(HashSet::new()));
        }
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = statement.query_map([table], |row| row.get(0))?;
        Ok(Self(names.collect::<Result<_, _>>()?))
    }

    pub(super) fn has(&self, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.0.contains(*column))
    }
}
