//! A side database that is kept open, even if the file is replaced.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{
    SideDatabase, alone, quarantine_damaged, remove_derived, remove_quarantined, truncate_wal,
};
use crate::beside;
use crate::derivation::Damage;
use crate::error::is_broken;
use crate::files::{FileIdentity, look_at};
use crate::{Result, StoreError};

/// An error of work with a [`SideFile`].
pub trait SideError: From<StoreError> + From<rusqlite::Error> {
    /// Whether the file is damaged, so that it must be replaced.
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

/// Whether a SQLite error shows that a side database is damaged.
pub fn shows_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    // The others: an invalid value, or a missing row that must exist.
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

/// A side database at a path: opened when first needed, and again when the file was replaced. Calls from several
/// threads are serialised.
#[derive(Debug)]
pub struct SideFile {
    database: SideDatabase,
    path: PathBuf,
    opened: Mutex<Option<OpenFile>>,
}

/// A connection with the identity of its file.
#[derive(Debug)]
struct OpenFile {
    identity: FileIdentity,
    connection: Connection,
}

/// What a file is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl SideFile {
    /// The file of this kind at `path`. Accesses no files.
    pub fn at(database: SideDatabase, path: &Path) -> Self {
        Self {
            database,
            path: path.to_owned(),
            opened: Mutex::default(),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file exists and has content: one that could not be filled, as on a full disk, is empty.
    pub fn exists(&self) -> bool {
        self.path.metadata().is_ok_and(|found| found.len() > 0)
    }

    /// Runs `work` with the current file at the path, which is created if missing; costs one `stat` if nothing changed.
    /// If the file turns out to be damaged and can be recomputed, it is quarantined and `work` runs again with a new
    /// one. If this user can't write it, it is opened to read.
    pub fn with<T, E: SideError>(
        &self,
        work: impl FnMut(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        self.repairing(Access::Read, work)
    }

    /// The same in one transaction, which holds the write lock from its beginning. [`StoreError::ReadOnly`] if this user
    /// can't write the file.
    pub fn change<T, E: SideError>(
        &self,
        mut work: impl FnMut(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.repairing(Access::Write, |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Rewrites it after an erasure: `secure_delete` leaves copies of cells that moved between or within pages. O(size).
    pub fn rewrite(&self) -> Result<()> {
        self.repairing(Access::Write, |connection| -> Result<_> {
            Ok(connection.execute_batch("VACUUM")?)
        })
    }

    /// Checkpoints and truncates its WAL; [`StoreError::StillRead`] if a reader still uses part of it.
    pub fn truncate_wal(&self) -> Result<()> {
        self.repairing(Access::Write, |connection| {
            truncate_wal(connection, &self.path)
        })
    }

    /// What SQLite's integrity check says of it; nothing if it is missing. `part` names it. O(size).
    pub fn damage(&self, part: &str) -> Result<Vec<Damage>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let checked: String = self.with(|connection| -> Result<_> {
            Ok(connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?)
        })?;
        let damage = (checked != "ok").then(|| Damage {
            part: part.to_owned(),
            reason: checked,
        });
        Ok(damage.into_iter().collect())
    }

    /// Removes it and its quarantined copies.
    pub fn remove(&self) -> Result<()> {
        *self.lock() = None;
        remove_derived(&self.path)?;
        self.remove_quarantined()
    }

    /// Removes its quarantined copies.
    pub fn remove_quarantined(&self) -> Result<()> {
        remove_quarantined(&self.path)
    }

    /// Runs `work`, and runs it again with a new file if the file is damaged and can be recomputed.
    fn repairing<T, E: SideError>(
        &self,
        access: Access,
        mut work: impl FnMut(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut opened = self.lock();
        match self.do_with(&mut opened, access, &mut work) {
            Err(error) if error.is_damage() && self.database.is_replaceable() => {
                self.replace(&mut opened)?;
                self.do_with(&mut opened, access, &mut work)
            }
            done => done,
        }
    }

    fn do_with<T, E: SideError>(
        &self,
        opened: &mut Option<OpenFile>,
        access: Access,
        work: &mut impl FnMut(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let stands = self.identity()?;
        // A replaced file is closed before the new one is opened.
        let kept = opened.take().filter(|kept| Some(kept.identity) == stands);
        match kept.map_or_else(|| self.open(), Ok) {
            Ok(kept) => work(&mut opened.insert(kept).connection),
            Err(denied)
                if access == Access::Read && denied.prevents_writing() && stands.is_some() =>
            {
                // Not kept: a file opened as immutable is not seen to change.
                let reader = self.database.open_reader(&self.path)?;
                work(&mut reader.ok_or(denied)?)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self) -> Result<OpenFile> {
        if let Some(folder) = self.path.parent() {
            beside::create_folder(folder)?;
        }
        alone(&self.path, || {
            let connection = self.database.open_alone(&self.path)?;
            // Closing removes the WAL by its name. If the file was replaced, that is the WAL of the new file.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // So the WAL stays, and must be kept short.
            connection.pragma_update(None, "wal_autocheckpoint", 256)?;
            let identity = self.identity()?.ok_or_else(|| StoreError::Io {
                action: "open",
                path: self.path.clone(),
                source: std::io::ErrorKind::NotFound.into(),
            })?;
            Ok(OpenFile {
                identity,
                connection,
            })
        })
    }

    /// Quarantines the damaged file, unless another process has done so already.
    fn replace(&self, opened: &mut Option<OpenFile>) -> Result<()> {
        let Some(broken) = opened.take().map(|opened| opened.identity) else {
            return Ok(());
        };
        alone(&self.path, || match self.identity()? {
            Some(found) if found == broken => quarantine_damaged(&self.path),
            _ => Ok(()),
        })
    }

    fn identity(&self) -> Result<Option<FileIdentity>> {
        Ok(look_at(&self.path)?.map(|state| state.identity))
    }

    fn lock(&self) -> MutexGuard<'_, Option<OpenFile>> {
        // A panic inside a transaction rolled it back, so the connection is still usable.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
