//! Opens a side database under its lock.

use std::path::Path;
use std::time::{Duration, Instant};

use anamne_types::InvalidValue;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::{SideDatabase, SideError, UnusableFile, quarantine_damaged, shows_damage};
use crate::files::{look_at, open_private_file};
use crate::hardening::harden;
use crate::lock::LONGEST_WAIT;
use crate::restore::remove_database;
use crate::source::open_reader_of;
use crate::special_files::refuse_special_file;
use crate::{Result, StoreError};

/// The content of a file.
#[derive(PartialEq, Eq)]
enum FileState {
    Nothing,
    /// The tables of an earlier format, and the statements that migrate them.
    Earlier(i64, &'static [&'static str]),
    Present,
    /// A file of another version, to be replaced by a new one.
    OfAnotherVersion,
}

impl SideDatabase {
    pub(super) fn open_alone(&self, path: &Path) -> Result<Connection> {
        match self.open_once(path) {
            Ok(Some(connection)) => return Ok(connection),
            Ok(None) => remove_database(path)?,
            Err(error) if error.is_damage() && self.is_replaceable() => quarantine_damaged(path)?,
            Err(error) => return Err(error),
        }
        let opened = self.open_once(path)?;
        opened.ok_or_else(|| StoreError::damaged(path, "a new file seems to have another version"))
    }

    /// A connection that only reads, for files that this user can't write; `None` if the file is of another version. It
    /// may not see later changes, so it is not for keeping.
    /// [`StoreError::Damaged`] for a damaged one, which this user can't replace.
    pub fn open_reader(&self, path: &Path) -> Result<Option<Connection>> {
        refuse_special_file(path)?;
        let read = || {
            let connection = open_reader_of(path)?;
            let found = self.look_into(&connection, path)?;
            Ok((found == FileState::Present).then_some(connection))
        };
        read().map_err(|error: StoreError| match error {
            StoreError::Sqlite(error) if shows_damage(&error) => {
                StoreError::damaged(path, error.to_string())
            }
            error => error.of_database(path),
        })
    }

    /// `None` for a file of another version, which is to be removed.
    fn open_once(&self, path: &Path) -> Result<Option<Connection>> {
        refuse_special_file(path)?;
        let is_new = look_at(path)?.is_none();
        if is_new {
            // A WAL that outlived its database must not be applied to the new one.
            remove_database(path)?;
            // Created here first, so that SQLite's side files inherit the owner-only mode. An existing file is not
            // opened outside of SQLite: closing it would release the locks of all connections of this process.
            drop(open_private_file(path)?);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags)
            .map_err(StoreError::from)
            .and_then(|connection| self.prepared(connection, path))
            .map_err(|error| error.of_database(path));
        if is_new && opened.is_err() {
            // A file without tables, as on a full disk, would look like one to read.
            remove_database(path)?;
        }
        opened
    }

    fn prepared(&self, mut connection: Connection, path: &Path) -> Result<Option<Connection>> {
        harden(&connection)?;
        connection.busy_timeout(LONGEST_WAIT)?;
        // Checked first, because a rejected file must not be changed.
        let found = self.look_into(&connection, path)?;
        if found == FileState::OfAnotherVersion {
            return Ok(None);
        }
        if found == FileState::Nothing {
            connection.pragma_update(None, "page_size", self.page_size)?;
        }
        use_write_ahead_log(&connection)?;
        let synchronous = if self.durable { "FULL" } else { "NORMAL" };
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.pragma_update(None, "secure_delete", true)?;
        match found {
            FileState::Nothing => self.make(&mut connection, 0, &[self.schema])?,
            FileState::Earlier(format, steps) => self.make(&mut connection, format, steps)?,
            FileState::Present | FileState::OfAnotherVersion => {}
        }
        connection.execute_batch(self.additions)?;
        Ok(Some(connection))
    }

    fn look_into(&self, connection: &Connection, path: &Path) -> Result<FileState> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let (application, found) = (number("application_id")?, number("user_version")?);
        if application != 0 && application != self.application_id {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let given = format!("one with the application id {application:#x}");
            return Err(InvalidValue::new(name, "an Anamne database", given).into());
        }
        let tables = "SELECT count(*) FROM sqlite_schema";
        let is_empty = || connection.query_row(tables, [], |row| Ok(row.get::<_, i64>(0)? == 0));
        if found == 0 && is_empty()? {
            return Ok(FileState::Nothing);
        }
        if found <= 0 || application != self.application_id {
            return Err(StoreError::damaged(path, "it contains foreign tables"));
        }
        match self.unusable {
            UnusableFile::ReplacedWhere(_) if found > self.format => {
                Ok(FileState::OfAnotherVersion)
            }
            _ if found > self.format => Err(StoreError::Newer {
                path: path.to_owned(),
                found,
                known: self.format,
            }),
            _ if found < self.format => self.of_earlier(found, path),
            UnusableFile::ReplacedWhere(is_another) if is_another(connection)? => {
                Ok(FileState::OfAnotherVersion)
            }
            _ => Ok(FileState::Present),
        }
    }

    /// How to treat a file of an earlier format.
    fn of_earlier(&self, found: i64, path: &Path) -> Result<FileState> {
        let steps = usize::try_from(self.format - found).unwrap_or(usize::MAX);
        let first = self.migrations.len().checked_sub(steps);
        match first {
            Some(first) => Ok(FileState::Earlier(found, &self.migrations[first..])),
            None if self.is_replaceable() => Ok(FileState::OfAnotherVersion),
            None => Err(StoreError::damaged(path, "unknown format")),
        }
    }

    /// Migrates a file of the format `from`, in one transaction.
    fn make(&self, connection: &mut Connection, from: i64, steps: &[&str]) -> Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        // A process of an earlier version, which takes no lock, may have created them in the meantime.
        if found == from {
            for step in steps {
                transaction.execute_batch(step)?;
            }
            transaction.pragma_update(None, "application_id", self.application_id)?;
            transaction.pragma_update(None, "user_version", self.format)?;
        }
        Ok(transaction.commit()?)
    }
}

/// Switches a new file to WAL mode.
///
/// If two connections do so at once, SQLite returns busy without waiting, because neither could yield; so this waits instead.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < LONGEST_WAIT =>
            {
                std::thread::sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}
