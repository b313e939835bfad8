//! A side database that is kept open, whatever becomes of the file meanwhile.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{SideDatabase, alone, cut_log, remove_derived, remove_set_aside, set_damaged_aside};
use crate::error::is_broken;
use crate::files::{FileIdentity, create_private_folder, look_at};
use crate::{Result, StoreError};

/// Why work with a [`SideFile`] failed.
pub trait SideError: From<StoreError> + From<rusqlite::Error> {
    /// Whether the file does not hold what was written to it, so that only another one helps.
    fn is_damage(&self) -> bool;
}

impl SideError for StoreError {
    fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Sqlite(error) => shows_damage(error),
            _ => false,
        }
    }
}

/// Whether an error of SQLite says that a side database does not hold what was written to it.
pub fn shows_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    // The others: a value that nobody wrote, or a row that must be there and is not.
    is_broken(error)
        || matches!(
            error,
            Error::QueryReturnedNoRows
                | Error::FromSqlConversionFailure(..)
                | Error::InvalidColumnType(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::Utf8Error(..)
        )
}

/// A side database at a path: opened when it is first needed, and again when another file stands there. Calls of several
/// threads wait for each other.
#[derive(Debug)]
pub struct SideFile {
    database: SideDatabase,
    path: PathBuf,
    opened: Mutex<Option<Opened>>,
}

/// A connection, and the file that it has open.
#[derive(Debug)]
struct Opened {
    identity: FileIdentity,
    connection: Connection,
}

impl SideFile {
    /// The file of this kind at `path`. Touches nothing.
    pub fn at(database: SideDatabase, path: &Path) -> Self {
        Self {
            database,
            path: path.to_owned(),
            opened: Mutex::default(),
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a file.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Does `work` with the file that stands under the path now, which is made where there is none; one `stat` where all
    /// is as before. One that turns out to be damaged is quarantined, where what it says can be made again, and the work
    /// done once more with a new one.
    pub fn with<T, E: SideError>(
        &self,
        mut work: impl FnMut(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut opened = self.lock();
        match self.do_with(&mut opened, &mut work) {
            Err(error) if error.is_damage() && self.database.is_replaceable() => {
                self.replace(&mut opened)?;
                self.do_with(&mut opened, &mut work)
            }
            done => done,
        }
    }

    /// The same in one transaction, which is alone in writing from its beginning on.
    pub fn change<T, E: SideError>(
        &self,
        mut work: impl FnMut(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Writes its log back and cuts it; [`StoreError::StillRead`] where a reader keeps some of it in use.
    pub fn cut_log(&self) -> Result<()> {
        self.with(|connection| cut_log(connection, &self.path))
    }

    /// Removes it, and copies that were quarantined as damaged.
    pub fn remove(&self) -> Result<()> {
        *self.lock() = None;
        remove_derived(&self.path)?;
        self.remove_set_aside()
    }

    /// Removes the copies that were quarantined as damaged.
    pub fn remove_set_aside(&self) -> Result<()> {
        remove_set_aside(&self.path)
    }

    fn do_with<T, E: SideError>(
        &self,
        opened: &mut Option<Opened>,
        work: &mut impl FnMut(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let stands = self.identity()?;
        // One that was replaced is closed before the new one is opened.
        let kept = opened.take().filter(|kept| Some(kept.identity) == stands);
        let kept = match kept {
            Some(kept) => kept,
            None => self.open()?,
        };
        work(&mut opened.insert(kept).connection)
    }

    fn open(&self) -> Result<Opened> {
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder)?;
        }
        alone(&self.path, || {
            let connection = self.database.open_alone(&self.path)?;
            // Closing removes the log by its name. Where the file was replaced, that is the log of another one.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // So it stays, and must not be long.
            connection.pragma_update(None, "wal_autocheckpoint", 256)?;
            let identity = self.identity()?.ok_or_else(|| StoreError::Io {
                action: "open",
                path: self.path.clone(),
                source: std::io::ErrorKind::NotFound.into(),
            })?;
            Ok(Opened {
                identity,
                connection,
            })
        })
    }

    /// Sets the file aside that turned out to be damaged, unless another process has done so already.
    fn replace(&self, opened: &mut Option<Opened>) -> Result<()> {
        let Some(broken) = opened.take().map(|opened| opened.identity) else {
            return Ok(());
        };
        alone(&self.path, || match self.identity()? {
            Some(found) if found == broken => set_damaged_aside(&self.path),
            _ => Ok(()),
        })
    }

    fn identity(&self) -> Result<Option<FileIdentity>> {
        Ok(look_at(&self.path)?.map(|state| state.identity))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        // A panic inside a transaction rolled it back, so the connection is as good as before.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
