//! The file of tasks: opened, made, and set aside where it is damaged.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anamne_store::{LONGEST_WAIT, StoreError, entries, set_aside};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::QueueError;

/// The version of the file, kept in `PRAGMA user_version`.
pub const TASKS_FORMAT: i64 = 1;

/// `PRAGMA application_id`: `Anmt` in ASCII.
const APPLICATION_ID: i64 = 0x416e_6d74;

/// How long SQLite waits for another's transaction.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// A random number of one file of tasks, which a file that is made anew does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Stamp(pub(super) u128);

/// The file of tasks of one handle.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    opened: Option<Opened>,
}

/// The file, open.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) stamp: Stamp,
    identity: Identity,
}

/// Which file stands under the path: it differs after a file was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Opened {
    /// One transaction that is alone in writing from its beginning on.
    pub(super) fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, Stamp) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction, self.stamp)?;
        transaction.commit()?;
        Ok(done)
    }

    /// One consistent state of everything, to read.
    pub(super) fn look<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, Stamp) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let transaction = self.connection.transaction()?;
        work(&transaction, self.stamp)
    }
}

impl Database {
    pub(super) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            opened: None,
        }
    }

    /// Does `work` with the file that stands under the path now. Where it turns out to be damaged it is set aside, and
    /// `work` is done once more with a new one.
    pub(super) fn with<T>(
        &mut self,
        mut work: impl FnMut(&mut Opened) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let started = Instant::now();
        let path = self.path.clone();
        let done = match self.current().and_then(&mut work) {
            Err(error) if error.is_damage() => {
                self.replace()?;
                self.current().and_then(&mut work)
            }
            done => done,
        };
        done.map_err(|error| error.of_file(&path, started.elapsed()))
    }

    /// The open file, opened anew where another stands under the path. One `stat` where all is as before.
    fn current(&mut self) -> Result<&mut Opened, QueueError> {
        let found = identity_at(&self.path)?;
        let known = self.opened.take();
        let opened = match known.filter(|opened| Some(opened.identity) == found) {
            Some(opened) => opened,
            None => self.open()?,
        };
        Ok(self.opened.insert(opened))
    }

    fn open(&self) -> Result<Opened, QueueError> {
        let _alone = lock(&self.path.with_extension("lock"))?;
        match open(&self.path) {
            Err(error) if error.is_damage() => {
                set_all_aside(&self.path)?;
                open(&self.path)
            }
            opened => opened,
        }
    }

    /// Sets the file aside that turned out to be damaged, unless another process has done so already.
    fn replace(&mut self) -> Result<(), QueueError> {
        let Some(broken) = self.opened.take().map(|opened| opened.identity) else {
            return Ok(());
        };
        let _alone = lock(&self.path.with_extension("lock"))?;
        if identity_at(&self.path)? == Some(broken) {
            set_all_aside(&self.path)?;
        }
        Ok(())
    }

    /// Removes the copies that were set aside.
    pub(super) fn remove_set_aside(&self) -> Result<(), QueueError> {
        remove_set_aside(&self.path)
    }
}

/// Opens the file and makes it where there is none. The lock must be held.
fn open(path: &Path) -> Result<Opened, QueueError> {
    if identity_at(path)?.is_none() {
        // A log that outlived its database is no log of the new one.
        set_all_aside(path)?;
        drop(open_private(path)?);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    // The log is removed by its name when its last user goes. Where the file was replaced meanwhile, that name is the
    // log of another one.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let format = check_format(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "wal_autocheckpoint", 256)?;
    connection.set_prepared_statement_cache_capacity(64);
    if format == 0 {
        make(&mut connection)?;
    }
    let stamp =
        connection.query_row("SELECT stamp FROM file", [], |row| row.get::<_, Vec<u8>>(0))?;
    let stamp = stamp
        .try_into()
        .map_err(|_| QueueError::damaged(path, "its stamp has not sixteen bytes"))?;
    let identity = identity_at(path)?
        .ok_or_else(|| QueueError::damaged(path, "it went away while it was opened"))?;
    Ok(Opened {
        connection,
        stamp: Stamp(u128::from_be_bytes(stamp)),
        identity,
    })
}

/// The format of the file; 0 where it has no tables yet.
fn check_format(connection: &Connection, path: &Path) -> Result<i64, QueueError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    match (found, application) {
        (0, 0) | (TASKS_FORMAT, APPLICATION_ID) => Ok(found),
        (found, APPLICATION_ID) if found > TASKS_FORMAT => Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known: TASKS_FORMAT,
        }
        .into()),
        _ => Err(QueueError::damaged(path, "it is no file of tasks")),
    }
}

fn make(connection: &mut Connection) -> Result<(), QueueError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", TASKS_FORMAT)?;
    Ok(transaction.commit()?)
}

/// The database and SQLite's files beside it.
fn all_files(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// Moves the files out of the way; of databases that were moved there earlier nothing is kept.
fn set_all_aside(path: &Path) -> Result<(), QueueError> {
    if path.exists() {
        remove_set_aside(path)?;
    }
    for file in all_files(path) {
        if file.exists() {
            set_aside(&file)?;
        }
    }
    Ok(())
}

fn remove_set_aside(path: &Path) -> Result<(), QueueError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let name = name.to_string_lossy();
    for entry in entries(folder)? {
        let is_ours = entry.file_name().is_some_and(|entry| {
            let entry = entry.to_string_lossy();
            entry.starts_with(&*name) && entry.contains(".damaged-")
        });
        if is_ours {
            match std::fs::remove_file(&entry) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(io("remove", &entry, error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Takes the lock under which files are made and set aside; it ends with the handle.
fn lock(path: &Path) -> Result<File, QueueError> {
    let file = open_private(path)?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if started.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(QueueError::Busy {
                    path: path.to_owned(),
                    waited: started.elapsed(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(io("lock", path, error)),
        }
    }
}

/// Opens a file, made if it is not there, readable by the owner only.
fn open_private(path: &Path) -> Result<File, QueueError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map_err(|error| io("open for writing", path, error))
}

fn identity_at(path: &Path) -> Result<Option<Identity>, QueueError> {
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(Some(identity_of(&metadata))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io("look at", path, error)),
    }
}

#[cfg(unix)]
fn identity_of(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Identity(metadata.dev(), metadata.ino())
}

/// Where there is no file number, the moment at which the file was made stands for it.
#[cfg(not(unix))]
fn identity_of(metadata: &Metadata) -> Identity {
    let made = metadata
        .created()
        .ok()
        .and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    Identity(0, made.map_or(0, |age| age.as_nanos() as u64))
}

fn io(action: &'static str, path: &Path, source: std::io::Error) -> QueueError {
    let path = path.to_owned();
    let reason = source.to_string();
    QueueError::Store(match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull {
            action,
            path,
            reason,
        },
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => StoreError::ReadOnly {
            action,
            path,
            reason,
        },
        _ => StoreError::Io {
            action,
            path,
            source,
        },
    })
}
