//! Makes a staged space the content of a space that has no events.

use std::fs;
use std::path::Path;

use anamne_types::Seq;

use super::ExportExtra;
use crate::beside;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, look_at, remove_if_there, sync_folder_of};
use crate::journal::{Digest, Segment};
use crate::restore::database_files;
use crate::source::{log, open_writer};
use crate::space::SpaceSource;
use crate::{Result, StoreError};

/// What a space is given.
#[derive(Clone, Copy, Debug)]
pub struct StagedContent<'staged> {
    /// The folder with the journal and the database.
    pub folder: &'staged Path,
    /// The settings; `None` keeps the space's own.
    pub config: Option<&'staged SpaceConfig>,
}

impl SpaceSource {
    /// Whether the log contains this event with this hash: then it has the whole history up to it.
    pub fn has_history(&self, seq: Seq, hash: Digest) -> Result<bool> {
        Ok(self.read(|reader| log::hash_at(reader, seq))? == Some(hash))
    }

    /// Whether nothing was ever written to the space.
    pub fn is_unwritten(&self) -> Result<bool> {
        Ok(self.with_writer(|_, end| Ok(end))?.0 == Seq(0))
    }

    /// Moves a staged journal and database into this space, under its write lock. [`StoreError::NotEmptySpace`] if
    /// anything was ever written to it.
    ///
    /// The journal's rename is the moment from which the space has the content: a crash before leaves it empty, and
    /// after a crash the next process to open it restores the database from the journal. Other processes notice the
    /// replaced database.
    pub fn adopt(&self, staged: StagedContent<'_>) -> Result<()> {
        let (journal, database) = (
            staged.folder.join("journal"),
            staged.folder.join("memories").join("active.db"),
        );
        close_database(&database)?;
        let mut turn = self.turns.take();
        let _guard = self.acquire()?;
        let end = self.as_only_writer(&mut turn, |_, end| Ok(end))?;
        if end.0 > Seq(0) {
            return Err(StoreError::NotEmptySpace(self.name().to_string()));
        }
        // Closes the empty database, and forgets what was cached of it.
        *turn = None;
        self.readers.close();
        self.names.forget();
        for extra in ExportExtra::ALL {
            put_extra(&extra.path(staged.folder), &extra.path(self.folder()))?;
        }
        if let Some(config) = staged.config {
            config.write(&self.folder().join("space.toml"))?;
        }
        beside::remove_views(self.folder())?;
        if Segment::list(&journal)?.is_empty() {
            return Ok(());
        }
        let own = self.journal_folder();
        remove_if_there(&own)?;
        fs::rename(&journal, &own).map_err(StoreError::io("put in place", &own))?;
        sync_folder_of(&own)?;
        for file in database_files(self.database())? {
            remove_if_there(&file)?;
        }
        fs::rename(&database, self.database())
            .map_err(StoreError::io("put in place", self.database()))?;
        sync_folder_of(self.database())
    }
}

/// Writes the write-ahead log of a database that nobody has open into it, so that one file has everything.
fn close_database(database: &Path) -> Result<()> {
    let connection = open_writer(database)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// Moves a database beside the memories into place, unless the space has one of its own.
fn put_extra(staged: &Path, own: &Path) -> Result<()> {
    if look_at(staged)?.is_none() || look_at(own)?.is_some() {
        return Ok(());
    }
    if let Some(folder) = own.parent() {
        create_private_folder(folder)?;
    }
    fs::rename(staged, own).map_err(StoreError::io("put in place", own))?;
    sync_folder_of(own)
}
