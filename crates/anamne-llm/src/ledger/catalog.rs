//! The file of the ledger: made by whoever comes first, in a form that several processes share.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anamne_store::{Disk, Storage};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::BridgeError;
use crate::guarded::refuse_special_file;

/// The version of `catalog.db`.
const CATALOG_FORMAT: i64 = 1;

/// `ANCT`, so that other programs can tell the file.
const APPLICATION_ID: i64 = 0x414e_4354;

/// How long a transaction of another process is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Opens the database, made if it is not there, readable by its owner only.
pub(super) fn open(path: &Path) -> Result<Connection, BridgeError> {
    // Two threads that make it must not meet, for the reason that follows.
    static OPENING: Mutex<()> = Mutex::new(());
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    // Made by us first, so that SQLite's own files take over the owner-only mode. One that is there is not opened
    // outside of SQLite: closing it would end the locks that every connection of this process holds on it.
    refuse_special_file(path)?;
    if !path.exists() {
        drop(Disk.open(path).map_err(BridgeError::io("open", path))?);
    }
    let failed = |source| BridgeError::Ledger {
        path: path.to_owned(),
        source,
    };
    let connection = connect(path).map_err(failed)?;
    let found = make_tables(&connection).map_err(failed)?;
    if found > CATALOG_FORMAT {
        return Err(BridgeError::Newer {
            path: path.to_owned(),
            found,
            known: CATALOG_FORMAT,
        });
    }
    Ok(connection)
}

/// Turns a new file into one with a write-ahead log.
///
/// SQLite tells two processes that do so at once that it is busy without making them wait, because neither could give
/// way; so the waiting is done here.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(2);
    connection.busy_timeout(Duration::ZERO)?;
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && waited < LONGEST_WAIT =>
            {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            done => return done,
        }
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    use_write_ahead_log(&connection)?;
    connection.busy_timeout(LONGEST_WAIT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// What files of earlier versions lack; those versions pass it over.
const DAYS: &str = "CREATE TABLE IF NOT EXISTS days (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    day    TEXT    NOT NULL UNIQUE
) STRICT;";

/// Makes the tables of a new file; says which format it has.
fn make_tables(connection: &Connection) -> rusqlite::Result<i64> {
    let format = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    let found = format(connection)?;
    if found > 0 {
        if found == CATALOG_FORMAT {
            connection.execute_batch(DAYS)?;
        }
        return Ok(found);
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have made them while this one waited.
    let made = format(connection).and_then(|found| match found {
        0 => connection.execute_batch(&format!(
            "{}{DAYS} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {CATALOG_FORMAT};",
            include_str!("schema.sql")
        )),
        _ => Ok(()),
    });
    match made {
        Ok(()) => connection.execute_batch("COMMIT")?,
        Err(error) => {
            connection.execute_batch("ROLLBACK")?;
            return Err(error);
        }
    }
    format(connection)
}
