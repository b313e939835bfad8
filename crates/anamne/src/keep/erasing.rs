//! Erasing memories for ever, and what came of it: what was removed for that, and what was not reached.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anamne_store::view::ViewError;
use anamne_store::{StoreError, set_aside_in};
use anamne_types::{MemoryId, NextStep, Right};
use serde::Serialize;

use crate::Error;
use crate::space::Space;

/// What became of a backup after something was erased.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BackupUpdate {
    /// The backup's folder.
    pub folder: PathBuf,
    /// Why it may still contain erased text; empty where it does not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// What a person can do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
    /// Files and folders there that a repair had set aside as damaged, and that were removed because they may have held
    /// what was erased.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PathBuf>,
}

/// A place that may still contain erased text. Erasing there is pending: opening the store, settling, a check-up, a
/// backup and the next erasure try again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreached {
    /// The file or folder.
    pub place: PathBuf,
    /// Why it was not reached.
    pub reason: String,
    /// What a person can do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

/// What an erasure reached beside the space itself, and what it did not reach. Stores made by a rewind, copies of a
/// backup made by other means, and exports are not known to the store, so they are never among these places.
#[must_use = "an incomplete erasure is reported only here"]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// The backups that are known, each with what became of it.
    pub backups: Vec<BackupUpdate>,
    /// Files and folders of this space that a repair had set aside as damaged, and that were removed because they may
    /// have held what was erased.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PathBuf>,
    /// Files of this store that may still contain erased text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Unreached>,
}

impl Erased {
    /// Whether neither this store nor any backup that it knows of holds anything of it any more.
    pub fn is_complete(&self) -> bool {
        self.left.is_empty() && self.backups.iter().all(|backup| backup.trouble.is_empty())
    }

    /// Every file that a repair had set aside and that was removed: of this space, then of backups.
    pub fn removed(&self) -> impl Iterator<Item = &Path> {
        let of_backups = self.backups.iter().flat_map(|backup| &backup.removed);
        self.removed.iter().chain(of_backups).map(PathBuf::as_path)
    }

    /// Every place that may still hold it: files of this store, then backups.
    pub fn unreached(&self) -> Vec<Unreached> {
        let backups = self
            .backups
            .iter()
            .filter(|backup| !backup.trouble.is_empty());
        let backups = backups.map(|backup| Unreached {
            place: backup.folder.clone(),
            reason: backup.trouble.clone(),
            next_step: backup.next_step,
        });
        self.left.iter().cloned().chain(backups).collect()
    }

    /// Adds a place of this store at which something failed; `folder` where the error names none.
    pub(crate) fn leave(&mut self, folder: &Path, error: &Error) {
        self.left.push(Unreached {
            place: path_in(error).unwrap_or(folder).to_owned(),
            reason: error.to_string(),
            next_step: error.next_step(),
        });
    }
}

/// The file that an error is about.
fn path_in(error: &Error) -> Option<&Path> {
    match error {
        Error::Store(
            StoreError::Busy { path, .. }
            | StoreError::Newer { path, .. }
            | StoreError::Damaged { path, .. }
            | StoreError::StillRead { path }
            | StoreError::ReadOnly { path, .. }
            | StoreError::DiskFull { path, .. }
            | StoreError::Io { path, .. },
        )
        | Error::View(ViewError::Io { path, .. } | ViewError::Damaged { path, .. }) => Some(path),
        _ => None,
    }
}

impl Space {
    /// Removes a memory's content for ever: from the source, the journal, every view, and the backups
    /// that can be reached.
    pub fn erase(&self, id: MemoryId) -> Result<Erased, Error> {
        self.erase_all(&[id])
    }

    /// Removes the content of many memories for ever, in one transaction: none of them when one is not there.
    ///
    /// When this returns they are gone for everybody who asks. Where [`Erased::is_complete`], no file of the space, of
    /// the known backups and of the backups of these holds anything of their content; else [`Erased::unreached`] names
    /// those that may. Costs one pass over the journal, writes those parts of the views anew that held them, and brings
    /// the backups up to date.
    pub fn erase_all(&self, ids: &[MemoryId]) -> Result<Erased, Error> {
        self.erase_within(ids, &mut self.inner.seen())
    }

    /// The same, leaving out backups in the folders that are `seen`.
    pub(crate) fn erase_within(
        &self,
        ids: &[MemoryId],
        seen: &mut BTreeSet<PathBuf>,
    ) -> Result<Erased, Error> {
        self.require(Right::Erase)?;
        let (inner, folder) = (&self.inner, self.folder());
        let set_aside = set_aside_in(folder).unwrap_or_default();
        let texts = inner.derived.cache.texts_of(ids);
        inner.derived.cache.begin_forgetting(&texts)?;
        let begun = inner.source.begin_erasure(self.actor(), ids);
        // Also after a failure: the transaction may stand.
        let done = [
            inner.source.finish_erasures().map_err(Error::from),
            inner.derived.cache.begin_forgetting(&texts),
            inner.clean_derived(&mut |_, _| {}),
        ];
        let mut erased = Erased::default();
        for error in done.into_iter().filter_map(Result::err) {
            erased.leave(folder, &error);
        }
        erased.backups = inner.erase_in_backups(seen, true);
        erased.removed = set_aside;
        erased.removed.retain(|path| !path.exists());
        begun?;
        Ok(erased)
    }
}
