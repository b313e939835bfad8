//! The state of known backups and their pending erasures.

use std::fs;
use std::path::{Path, PathBuf};

use anamne_types::{MemoryId, Seq};

use super::{KnownBackup, KnownBackups, Manifest};
use crate::files::{entries, look_at};
use crate::journal::Journal;
use crate::leftovers;
use crate::source::{erasure, log};
use crate::space::SpaceSource;
use crate::store::StoreFolder;
use crate::{Result, StoreError};

/// The state of a backup folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupState {
    /// Nothing of this space: the folder was moved or removed, or is on an unavailable disk.
    Missing,
    /// A backup that can be updated, including an interrupted first copy.
    Backup,
    /// A space without a backup manifest.
    Store,
}

/// The known backups of the space in the folder `space`, without opening it.
pub fn backups_of(space: &Path) -> Result<Vec<KnownBackup>> {
    Ok(KnownBackups::read(space)?.backups)
}

/// Whether the folder of a space contains a backup as it was completed: all its files are there, and nothing was written
/// to it since. Compares lengths and the end of the journal; [`crate::examine`] reads everything.
pub fn is_complete_backup(space: &Path) -> Result<bool> {
    let manifest = match Manifest::read(space) {
        Ok(Some(manifest)) => manifest,
        Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    match Journal::at(&space.join("journal")).end() {
        Ok(end) => Ok(manifest.is_whole_up_to(end) && manifest.has_files(space)),
        Err(StoreError::Damaged { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

impl SpaceSource {
    /// The state of this space's backup in the store folder `store`. [`StoreError::Newer`] and [`StoreError::Io`] if it
    /// can't be examined; a damaged manifest is replaced like the rest of a backup.
    pub fn backup_state(&self, store: &Path) -> Result<BackupState> {
        let folder = self.folder_in(store);
        if look_at(&folder)?.is_none() {
            return Ok(BackupState::Missing);
        }
        match Manifest::read(&folder) {
            Ok(Some(_)) | Err(StoreError::Damaged { .. }) => return Ok(BackupState::Backup),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
        for file in ["memories/active.db", "space.toml"] {
            if look_at(&folder.join(file))?.is_some() {
                return Ok(BackupState::Store);
            }
        }
        let is_begun = look_at(&folder.join("memories"))?.is_some();
        Ok(if is_begun {
            BackupState::Backup
        } else {
            BackupState::Missing
        })
    }

    /// Whether the folder of a known backup still contains exactly what was last copied there: this log up to that
    /// event, no later writes, no other space.
    pub fn is_as_copied(&self, known: &KnownBackup) -> Result<bool> {
        let spaces = entries(&known.folder.join("spaces"))?;
        if spaces != [self.folder_in(&known.folder)]
            || self.backup_state(&known.folder)? != BackupState::Backup
        {
            return Ok(false);
        }
        let journal = self.folder_in(&known.folder).join("journal");
        let (seq, hash) = Journal::at(&journal).end()?;
        let ours = self.read(|reader| log::hash_at(reader, seq))?;
        Ok(seq == known.last_seq && ours == Some(hash))
    }

    /// The folder of this space in another store.
    pub fn folder_in(&self, store: &Path) -> PathBuf {
        StoreFolder::at(store).space(self.name())
    }

    /// The backup folders of this space.
    pub fn backups(&self) -> Result<Vec<KnownBackup>> {
        Ok(KnownBackups::read(self.folder())?.backups)
    }

    /// The folders of backups of the space that this one was copied from. Neither erasures nor backups write there.
    pub fn inherited_backups(&self) -> Result<Vec<PathBuf>> {
        Ok(KnownBackups::read(self.folder())?.inherited)
    }

    /// Records that erasures up to `through` are pending for every known backup; an erasure in this space does so
    /// automatically.
    pub fn note_erasure_in_backups(&self, through: Seq) -> Result<()> {
        self.locked(|| KnownBackups::note_erasure(self.folder(), through))
    }

    /// Records that all erasures up to `through` have reached the backup in `folder`.
    pub fn note_erased_in_backup(&self, folder: &Path, through: Seq) -> Result<()> {
        self.change_backups(|known| known.note_erased(folder, through))
    }

    /// Removes a folder from the list of backups; returns whether it was listed. Erasures no longer reach it.
    pub fn forget_backup(&self, folder: &Path) -> Result<bool> {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let mut was_known = false;
        self.change_backups(|known| was_known = known.forget(&folder))?;
        Ok(was_known)
    }

    /// Changes the list of backups under a lock.
    pub(super) fn change_backups<T>(
        &self,
        change: impl FnOnce(&mut KnownBackups) -> T,
    ) -> Result<T> {
        self.locked(|| {
            let mut known = KnownBackups::read(self.folder())?;
            let changed = change(&mut known);
            known.write(self.folder())?;
            Ok(changed)
        })
    }

    /// The ids of all memories whose erasure is in the log; not of those lost to damage. O(memories).
    pub fn erased_ids(&self) -> Result<Vec<MemoryId>> {
        self.read(erasure::erased_ids)
    }

    /// Whether both spaces begin with the same event: one is a copy of the other, or both are copies of a third.
    /// `false` for two spaces without events.
    pub fn shares_history_with(&self, other: &Self) -> Result<bool> {
        let first = |space: &Self| space.read(|reader| log::hash_at(reader, Seq(1)));
        let ours = first(self)?;
        Ok(ours.is_some() && ours == first(other)?)
    }

    /// Removes quarantined files and the leftovers of interrupted writes, except those of views. An erasure does this itself.
    pub fn remove_leftovers(&self) -> Result<()> {
        self.locked(|| leftovers::remove(self.folder()))
    }
}
