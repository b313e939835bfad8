//! SQLite files beside the source, shared by several processes: creates, opens and replaces them.

mod copying;
mod file;
mod opening;

use std::path::Path;

use rusqlite::Connection;

use crate::beside;
use crate::files::{entries, is_there, remove_if_there, set_aside};
use crate::lock::WriteLock;
use crate::restore::{remove_database, side_file};
use crate::special_files::refuse_special_file;
use crate::{Result, StoreError};

pub use file::{SideError, SideFile, shows_damage};

/// How files of one kind are created and opened.
#[derive(Clone, Copy, Debug)]
pub struct SideDatabase {
    /// `PRAGMA application_id`; 0 if these files have none.
    pub application_id: i64,
    /// The version of the schema, stored in `PRAGMA user_version`; 1 or more.
    pub format: i64,
    /// The statements that create the tables.
    pub schema: &'static str,
    /// Statements that migrate a file of format 1 to 2, 2 to 3, and so on. If a step is missing, a file of an earlier
    /// format is unusable.
    pub migrations: &'static [&'static str],
    /// Idempotent statements for every file of this format, which add what files of earlier versions lack.
    pub additions: &'static str,
    /// Bytes of a page of a new file; see [`SideDatabase::SMALL_PAGES`].
    pub page_size: u32,
    /// Whether a commit must survive a power failure. A view's need not: it catches up again.
    pub durable: bool,
    /// What happens to an unusable file.
    pub unusable: UnusableFile,
}

/// What happens to an unusable file. A file with another program's application id is always kept, and opening it fails.
#[derive(Clone, Copy, Debug)]
pub enum UnusableFile {
    /// It is kept, and opening it fails: its content can't be recomputed.
    Kept,
    /// Its content can be recomputed. A damaged file is quarantined, one of an earlier format is removed, and a new one
    /// is created; a newer one is kept, and opening it fails.
    Replaced,
    /// The same, but a newer file is removed too, and so is one that this function attributes to another version.
    ReplacedWhere(fn(&Connection) -> rusqlite::Result<bool>),
}

impl SideDatabase {
    /// The page size of files with many tables, of which most are small: each takes a page at least.
    pub const SMALL_PAGES: u32 = 2_048;

    /// Files without an application id that can be recomputed and need not survive a power failure.
    pub const fn new(format: i64, schema: &'static str) -> Self {
        Self {
            application_id: 0,
            format,
            schema,
            migrations: &[],
            additions: "",
            page_size: 4_096,
            durable: false,
            unusable: UnusableFile::Replaced,
        }
    }

    /// Opens the database at `path`; creates it and its folder, owner-only, if missing.
    ///
    /// A lock file beside it (`name.lock` for `name.db`) keeps others from creating or replacing it meanwhile.
    /// [`StoreError::Newer`] for a file of a newer version, [`StoreError::Refused`] for one of another program and for
    /// anything but a regular file.
    pub fn open(&self, path: &Path) -> Result<Connection> {
        if let Some(folder) = path.parent() {
            beside::create_folder(folder)?;
        }
        alone(path, || self.open_alone(path))
    }

    fn is_replaceable(&self) -> bool {
        !matches!(self.unusable, UnusableFile::Kept)
    }
}

/// Runs `work` under the lock for creating, opening and replacing the database at `path`.
fn alone<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let lock = path.with_extension("lock");
    refuse_special_file(&lock)?;
    let lock = WriteLock::at(&lock);
    let _alone = lock.acquire()?;
    work()
}

/// Checkpoints and truncates the WAL of the database at `path`, because it contains older pages.
///
/// [`StoreError::StillRead`] if a reader still uses some of them.
pub fn truncate_wal(connection: &Connection, path: &Path) -> Result<()> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(StoreError::StillRead {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// Removes a recomputable database beside the source, including SQLite's side files.
pub fn remove_derived(path: &Path) -> Result<()> {
    if is_there(path)? || is_there(&side_file(path, "wal"))? {
        alone(path, || remove_database(path))?;
    }
    Ok(())
}

/// Removes the quarantined copies of a database.
pub fn remove_quarantined(path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for copy in path.parent().map_or(Ok(Vec::new()), entries)? {
        let found = copy.file_name().unwrap_or_default().to_string_lossy();
        // Includes copies of its WAL.
        if found.starts_with(&*name) && found.contains(".damaged") {
            remove_if_there(&copy)?;
        }
    }
    Ok(())
}

/// Quarantines a damaged database, so that a new one can be created in its place.
pub fn quarantine_derived(path: &Path) -> Result<()> {
    alone(path, || quarantine_damaged(path))
}

/// Quarantines a damaged database; removes the one quarantined before.
fn quarantine_damaged(path: &Path) -> Result<()> {
    remove_quarantined(path)?;
    set_aside(path)?;
    remove_database(path)
}
