//! SQLite files beside the source, which several processes use at once: how they are made, opened and replaced.

mod file;
mod opening;

use std::path::Path;

use rusqlite::Connection;

use crate::files::{create_private_folder, entries, is_there, remove_if_there, set_aside};
use crate::lock::WriteLock;
use crate::restore::{remove_database, side_file};
use crate::special_files::refuse_special_file;
use crate::{Result, StoreError};

pub use file::{SideError, SideFile, shows_damage};

/// How the files of one kind are made and opened.
#[derive(Clone, Copy, Debug)]
pub struct SideDatabase {
    /// `PRAGMA application_id`; 0 where these files bear none.
    pub application_id: i64,
    /// The version of its tables, kept in `PRAGMA user_version`; 1 or more.
    pub format: i64,
    /// The statements that make its tables.
    pub schema: &'static str,
    /// Statements that bring a file of format 1 to format 2, of 2 to 3, and so on. Without one for each step a file of
    /// an earlier format is unusable.
    pub migrations: &'static [&'static str],
    /// Statements for every file of this format: they make what files of earlier versions lack, and else change nothing.
    pub additions: &'static str,
    /// Whether a commit must survive a loss of power. A view's need not: it is caught up again.
    pub durable: bool,
    /// What becomes of a file that can't be used.
    pub unusable: Unusable,
}

/// What becomes of a file that can't be used. One that bears the application id of another program stays in any case,
/// and opening it fails.
#[derive(Clone, Copy, Debug)]
pub enum Unusable {
    /// It stays, and opening it fails: what it says stands nowhere else.
    Kept,
    /// What it says can be made again. A damaged one is quarantined, one of an earlier format is removed, and a new one is
    /// made in its place; a newer one stays, and opening it fails.
    Replaced,
    /// The same, but a newer one is removed too, and so is one of which this says that another version filled it.
    ReplacedWhere(fn(&Connection) -> rusqlite::Result<bool>),
}

impl SideDatabase {
    /// Files without an application id, which can be made again and need not survive a loss of power.
    pub const fn new(format: i64, schema: &'static str) -> Self {
        Self {
            application_id: 0,
            format,
            schema,
            migrations: &[],
            additions: "",
            durable: false,
            unusable: Unusable::Replaced,
        }
    }

    /// Opens the database at `path`, or makes it, owner-only, together with its folder.
    ///
    /// A lock file beside it (`name.lock` for `name.db`) keeps others from making or replacing it meanwhile.
    /// [`StoreError::Newer`] for one that a newer version made, [`StoreError::Refused`] for one of another program and
    /// for what is no regular file.
    pub fn open(&self, path: &Path) -> Result<Connection> {
        if let Some(folder) = path.parent() {
            create_private_folder(folder)?;
        }
        alone(path, || self.open_alone(path))
    }

    fn is_replaceable(&self) -> bool {
        !matches!(self.unusable, Unusable::Kept)
    }
}

/// Does `work` while nobody else makes, opens or replaces the database at `path`.
fn alone<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let lock = path.with_extension("lock");
    refuse_special_file(&lock)?;
    let lock = WriteLock::at(&lock);
    let _alone = lock.acquire()?;
    work()
}

/// Writes the log of the database at `path` back and cuts it, for older pages stand in it.
///
/// [`StoreError::StillRead`] where a reader keeps some of them in use.
pub fn cut_log(connection: &Connection, path: &Path) -> Result<()> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(StoreError::StillRead {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// Removes a database beside the source that can be made again, and what SQLite keeps beside it.
pub fn remove_derived(path: &Path) -> Result<()> {
    if is_there(path)? || is_there(&side_file(path, "wal"))? {
        alone(path, || remove_database(path))?;
    }
    Ok(())
}

/// Removes the copies of a database that were quarantined as damaged.
pub fn remove_set_aside(path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for copy in path.parent().map_or(Ok(Vec::new()), entries)? {
        let found = copy.file_name().unwrap_or_default().to_string_lossy();
        // Some are of its log.
        if found.starts_with(&*name) && found.contains(".damaged") {
            remove_if_there(&copy)?;
        }
    }
    Ok(())
}

/// Sets a database aside that turned out to be damaged, so that a new one can be made in its place.
pub fn set_aside_derived(path: &Path) -> Result<()> {
    alone(path, || set_damaged_aside(path))
}

/// Sets a damaged database aside, in place of the one that was quarantined before it.
fn set_damaged_aside(path: &Path) -> Result<()> {
    remove_set_aside(path)?;
    set_aside(path)?;
    remove_database(path)
}
