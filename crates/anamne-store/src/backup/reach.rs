//! What is in the folder of a known backup now, and which erasures have not reached it.

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

/// What is in a folder to which a space was backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupState {
    /// Nothing of this space: the folder was moved or removed, or lies on a disk that is missing.
    Missing,
    /// A backup that can be brought up to date, also one of which the first copy was interrupted.
    Backup,
    /// A space without the manifest of a backup.
    Store,
}

/// The backups that the space in the folder `space` knows of, without opening it.
pub fn backups_of(space: &Path) -> Result<Vec<KnownBackup>> {
    Ok(KnownBackups::read(space)?.backups)
}

impl SpaceSource {
    /// What is in the store folder `store` of this space. [`StoreError::Newer`] and [`StoreError::Io`] where there is
    /// something that can't be looked at; a damaged manifest is replaced like everything else of a backup.
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

    /// Whether what stands in the folder of a known backup is still what was copied there last, and nothing else: this log up to
    /// that event, to which nothing was written since, and no other space.
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

    /// The folders to which this space was backed up.
    pub fn backups(&self) -> Result<Vec<KnownBackup>> {
        Ok(KnownBackups::read(self.folder())?.backups)
    }

    /// Takes note that what was erased up to `through` may stand in every backup that is known, as an erasure in this
    /// space does by itself.
    pub fn note_erasure_in_backups(&self, through: Seq) -> Result<()> {
        self.locked(|| KnownBackups::note_erasure(self.folder(), through))
    }

    /// Takes note that nothing that was erased up to `through` is left in the backup in `folder`.
    pub fn note_erased_in_backup(&self, folder: &Path, through: Seq) -> Result<()> {
        self.change_backups(|known| known.note_erased(folder, through))
    }

    /// Removes a folder from the list of backups; says whether it was in it. Erasures don't look there any more.
    pub fn forget_backup(&self, folder: &Path) -> Result<bool> {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let mut was_known = false;
        self.change_backups(|known| was_known = known.remove(&folder).is_some())?;
        Ok(was_known)
    }

    /// Changes the list of backups while nobody else does.
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

    /// The ids of all memories that were erased. O(memories).
    pub fn erased_ids(&self) -> Result<Vec<MemoryId>> {
        self.read(erasure::erased_ids)
    }

    /// Whether this space and the other one begin with the same event, so that one is a copy of the other, or both are
    /// copies of a third. Two spaces to which nothing was written are not.
    pub fn shares_history_with(&self, other: &Self) -> Result<bool> {
        let first = |space: &Self| space.read(|reader| log::hash_at(reader, Seq(1)));
        let ours = first(self)?;
        Ok(ours.is_some() && ours == first(other)?)
    }

    /// Removes the files that repairs quarantined and interrupted writes left behind, except those of views. An erasure
    /// does so by itself.
    pub fn remove_leftovers(&self) -> Result<()> {
        self.locked(|| leftovers::remove(self.folder()))
    }
}
