//! The file `views/summaries.db`: opened, made, set aside where it is damaged, removed where it is of another version.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anamne_store::{Disk, Storage, StoreError, create_private_folder, entries, set_aside};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::SummaryError;

/// The format of the file.
pub const SUMMARIES_FORMAT: i64 = 1;

/// The version of what chooses sentences: another one makes all summaries anew.
pub(crate) const SUMMARISER: i64 = 1;

/// The letters that all our databases bear: `Anmn`.
const APPLICATION_ID: i64 = 0x416e_6d6e;

/// Other processes are waited for so long; their transactions take milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The summaries of a space: a view of its log in one SQLite file, which several processes may use at once.
///
/// One connection is held open, and looked after before each use: a file that was set aside or removed by another process
/// is noticed. Calls of several threads wait for each other.
#[derive(Debug)]
pub struct Summaries {
    path: PathBuf,
    held: Mutex<Option<Held>>,
}

/// A connection, and the file that it has open.
#[derive(Debug)]
struct Held {
    connection: Connection,
    file: FileIdentity,
}

impl Summaries {
    /// The summaries in this file, `views/summaries.db` of a space; it is made where it is not there, for the owner only.
    ///
    /// A file that is damaged is set aside, one that another version made is removed; the summaries are made anew then.
    pub fn open(path: &Path) -> Result<Self, SummaryError> {
        if let Some(folder) = path.parent() {
            create_private_folder(folder)?;
        }
        let summaries = Self {
            path: path.to_owned(),
            held: Mutex::new(None),
        };
        summaries.with(|_| Ok(()))?;
        Ok(summaries)
    }

    /// Where they lie.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something with the database. A damaged one is set aside, and it is done once more with a new one.
    pub(crate) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> Result<T, SummaryError>,
    ) -> Result<T, SummaryError> {
        // A panic inside a transaction rolled it back, so the connection is as good as before.
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let tried = self.connected(&mut held).and_then(&mut work);
        match tried {
            Err(SummaryError::Database { source, .. }) if is_damage(&source) => {
                *held = None;
                self.start_over()?;
                work(self.connected(&mut held)?)
            }
            tried => tried,
        }
    }

    fn connected<'held>(
        &self,
        held: &'held mut Option<Held>,
    ) -> Result<&'held mut Connection, SummaryError> {
        let there = identity_of(&self.path);
        let connection = match held.take() {
            Some(old) if there == Some(old.file) => old.connection,
            _ => self.connect()?,
        };
        let file = identity_of(&self.path).ok_or_else(|| StoreError::Io {
            action: "look at",
            path: self.path.clone(),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        Ok(&mut held.insert(Held { connection, file }).connection)
    }

    /// Wraps what SQLite says.
    pub(crate) fn failed(&self) -> impl Fn(rusqlite::Error) -> SummaryError + '_ {
        |source| {
            let path = self.path.clone();
            match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    SummaryError::Locked { path }
                }
                _ => SummaryError::Database { path, source },
            }
        }
    }

    fn connect(&self) -> Result<Connection, SummaryError> {
        let mut connection = self.open_file()?;
        if self.is_of_another_version(&connection)? {
            drop(connection);
            self.remove_sides()?;
            remove(&self.path)?;
            connection = self.open_file()?;
        }
        self.prepare(&mut connection)?;
        Ok(connection)
    }

    fn open_file(&self) -> Result<Connection, SummaryError> {
        if !self.path.exists() {
            // Made by us first, so that SQLite's own files take over the owner-only mode.
            let made = Disk.open(&self.path);
            made.map_err(|source| StoreError::Io {
                action: "make",
                path: self.path.clone(),
                source,
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(self.failed())?;
        configure(&connection).map_err(self.failed())?;
        Ok(connection)
    }

    fn is_of_another_version(&self, connection: &Connection) -> Result<bool, SummaryError> {
        let version: i64 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(self.failed())?;
        if version == 0 {
            return Ok(false);
        }
        if version != SUMMARIES_FORMAT {
            return Ok(true);
        }
        let summariser: i64 = connection
            .query_row("SELECT summariser FROM state", [], |row| row.get(0))
            .map_err(self.failed())?;
        Ok(summariser != SUMMARISER)
    }

    /// Makes the tables where there are none.
    fn prepare(&self, connection: &mut Connection) -> Result<(), SummaryError> {
        let has_tables = |connection: &Connection| -> rusqlite::Result<bool> {
            connection
                .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
                .map(|version| version != 0)
        };
        if has_tables(connection).map_err(self.failed())? {
            return Ok(());
        }
        let transaction = self.begin(connection)?;
        if !has_tables(&transaction).map_err(self.failed())? {
            let numbers = format!(
                "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SUMMARIES_FORMAT}; \
                 UPDATE state SET summariser = {SUMMARISER};"
            );
            transaction
                .execute_batch(include_str!("schema.sql"))
                .map_err(self.failed())?;
            transaction.execute_batch(&numbers).map_err(self.failed())?;
        }
        transaction.commit().map_err(self.failed())
    }

    /// Begins a transaction that writes.
    pub(crate) fn begin<'connection>(
        &self,
        connection: &'connection mut Connection,
    ) -> Result<Transaction<'connection>, SummaryError> {
        connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(self.failed())
    }

    /// Sets a damaged file aside.
    fn start_over(&self) -> Result<(), SummaryError> {
        self.remove_sides()?;
        match set_aside(&self.path) {
            // Another process was quicker.
            Err(_) if !self.path.exists() => Ok(()),
            tried => tried.map(drop).map_err(SummaryError::from),
        }
    }

    /// Removes what SQLite keeps beside the file.
    fn remove_sides(&self) -> Result<(), SummaryError> {
        for side in ["-wal", "-shm"] {
            let mut beside = self.path.clone().into_os_string();
            beside.push(side);
            remove(Path::new(&beside))?;
        }
        Ok(())
    }

    /// Removes copies that were set aside.
    pub(crate) fn remove_set_aside(&self) -> Result<(), SummaryError> {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Ok(());
        };
        let mark = format!("{}.damaged", name.to_string_lossy());
        for path in entries(folder)? {
            if path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(&mark))
            {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Derived: what a power cut takes is woven again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(StoreError::Io {
            action: "remove",
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Which file stands under a path, whatever it holds.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Where there is no file number, the moment at which the file was made stands for it.
#[cfg(not(unix))]
fn identity_of(path: &Path) -> Option<FileIdentity> {
    let made = fs::metadata(path).ok()?.created().ok();
    let age = made.and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    Some((0, age.map_or(0, |age| age.as_nanos() as u64)))
}

/// Whether SQLite says that the file is not what it was.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            matches!(
                failure.code,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase
            ) || message.as_deref().is_some_and(|message| {
                message.starts_with("no such table") || message.starts_with("no such column")
            })
        }
        rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..) => true,
        _ => false,
    }
}
