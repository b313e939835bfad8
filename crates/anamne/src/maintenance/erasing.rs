//! Permanent erasure: what was removed and what could not be reached.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anamne_store::view::ViewError;
use anamne_store::{SpaceName, StoreError, backups_of, quarantined_in};
use anamne_types::{MemoryId, NextStep, Right};
use serde::Serialize;

use crate::Error;
use crate::space::Space;

/// The result of an erasure in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BackupUpdate {
    /// The backup's folder.
    pub folder: PathBuf,
    /// Why it may still contain erased text; empty if it doesn't.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub problem: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
    /// Quarantined files and folders there that were deleted because they may have contained erased text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PathBuf>,
}

impl BackupUpdate {
    /// Whether both say the same of a folder, except for what was deleted there.
    fn is_like(&self, other: &Self) -> bool {
        self.folder == other.folder && self.problem == other.problem
    }
}

/// A place that may still contain erased text. The erasure there is pending and retried when the store is opened,
/// settled, checked, backed up, or erased from again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PendingErasure {
    /// The file or folder.
    pub place: PathBuf,
    /// The reason.
    pub reason: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

/// The result of an erasure outside the space itself. Rewound stores, other copies of backups, and exports are unknown
/// to the store and never listed.
#[must_use = "an incomplete erasure is reported only here"]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutsideErasure {
    /// The known backups with their results.
    pub backups: Vec<BackupUpdate>,
    /// Quarantined files and folders of this space that were deleted because they may have contained erased text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PathBuf>,
    /// Files of this store that may still contain erased text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<PendingErasure>,
}

impl OutsideErasure {
    /// Whether this store and all known backups are clean.
    pub fn is_complete(&self) -> bool {
        self.left.is_empty() && self.backups.iter().all(|backup| backup.problem.is_empty())
    }

    /// Every deleted quarantined file: of this space, then of backups.
    pub fn removed(&self) -> impl Iterator<Item = &Path> {
        let of_backups = self.backups.iter().flat_map(|backup| &backup.removed);
        self.removed.iter().chain(of_backups).map(PathBuf::as_path)
    }

    /// Every place that may still contain it: files of this store, then backups.
    pub fn unreached(&self) -> Vec<PendingErasure> {
        let backups = self
            .backups
            .iter()
            .filter(|backup| !backup.problem.is_empty());
        let backups = backups.map(|backup| PendingErasure {
            place: backup.folder.clone(),
            reason: backup.problem.clone(),
            next_step: backup.next_step,
        });
        self.left.iter().cloned().chain(backups).collect()
    }

    /// Adds results of another space, whose backup may be in a folder that is listed already.
    pub(crate) fn add_backups(&mut self, updates: Vec<BackupUpdate>) {
        for update in updates {
            let mut listed = self.backups.iter_mut();
            match listed.find(|known| known.is_like(&update)) {
                Some(known) => known.removed.extend(update.removed),
                None => self.backups.push(update),
            }
        }
    }

    /// Adds what came of an erasure in another space.
    pub(crate) fn add(&mut self, other: Self) {
        self.add_backups(other.backups);
        self.removed.extend(other.removed);
        self.left.extend(other.left);
    }

    /// Adds a failed place of this store; `folder` if the error names none.
    pub(crate) fn leave(&mut self, folder: &Path, error: &Error) {
        self.left.push(PendingErasure {
            place: path_in(error).unwrap_or(folder).to_owned(),
            reason: error.to_string(),
            next_step: error.next_step(),
        });
    }
}

/// The file of an error.
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
    /// Permanently erases a memory's content from the source, the journal, every view, and reachable backups.
    pub fn erase(&self, id: MemoryId) -> Result<OutsideErasure, Error> {
        self.erase_all(&[id])
    }

    /// Permanently erases the content of many memories in one transaction; none if one doesn't exist. Other spaces of which
    /// they are members lose them too. A member is erased from this space only. Forgotten copies with the same ids, which a
    /// transfer leaves in the space that it came from, are erased too; live ones are only listed.
    ///
    /// On return no query finds them. If [`OutsideErasure::is_complete`], no file of the space, of known backups, and of their
    /// backups contains their content; otherwise [`OutsideErasure::unreached`] lists the places that may. Costs one pass over
    /// the journal, rewrites the affected view segments, and updates the backups.
    pub fn erase_all(&self, ids: &[MemoryId]) -> Result<OutsideErasure, Error> {
        // The home of a member has the same id.
        let own = self.inner.source.own_copies(ids)?;
        let own: Vec<MemoryId> = own.into_iter().map(|(id, _)| id).collect();
        let mut erased = self.erase_within(ids, &mut self.inner.seen())?;
        self.erase_copies(&own, &mut erased);
        self.finish_in_other_backups(&mut erased);
        Ok(erased)
    }

    /// Completes earlier erasures that were interrupted or could not reach every place: in this space, in its backups, and in
    /// the backups of the other spaces that the caller may read. Erases nothing else, and lists only what was still to do.
    ///
    /// [`Error::Denied`] without [`Right::Erase`]. O(spaces) if nothing is pending.
    pub fn finish_erasures(&self) -> Result<OutsideErasure, Error> {
        self.require(Right::Erase)?;
        let (inner, folder) = (&self.inner, self.folder());
        let set_aside = quarantined_in(folder).unwrap_or_default();
        let done = [
            inner.source.follow_homes().map_err(Error::from),
            inner.source.finish_erasures().map_err(Error::from),
            inner.clean_derived(&mut |_, _| {}),
        ];
        let mut erased = OutsideErasure::default();
        for error in done.into_iter().filter_map(Result::err) {
            erased.leave(folder, &error);
        }
        erased.backups = inner.finish_in_backups();
        self.finish_in_other_backups(&mut erased);
        erased.removed = set_aside;
        erased.removed.retain(|path| !path.exists());
        Ok(erased)
    }

    /// Completes erasures in the backups of the other spaces that the caller may read: an erasure here reaches members and
    /// forgotten copies there too.
    fn finish_in_other_backups(&self, erased: &mut OutsideErasure) {
        // An unreadable list is reported by whoever erases there.
        let is_pending = |name: &SpaceName| {
            backups_of(&self.store.folder.space(name))
                .is_ok_and(|known| known.iter().any(|backup| backup.pending.is_some()))
        };
        let others = self.store.spaces().unwrap_or_default().into_iter();
        for name in others.filter(|name| name.as_str() != self.name() && is_pending(name)) {
            match self.store.inner_of(name.as_str()) {
                Ok(Some(inner)) => erased.add_backups(inner.finish_in_backups()),
                Ok(None) => {}
                Err(error) => erased.leave(&self.store.folder.space(&name), &error),
            }
        }
    }

    /// Erases forgotten copies of these memories in the other spaces that the caller may read, and lists live ones. O(spaces).
    pub(crate) fn erase_copies(&self, ids: &[MemoryId], erased: &mut OutsideErasure) {
        let names = self.store.spaces().unwrap_or_else(|error| {
            erased.leave(self.folder(), &error);
            Vec::new()
        });
        for name in names {
            if name.as_str() != self.name()
                && let Err(error) = self.erase_copies_in(name.as_str(), ids, erased)
            {
                erased.leave(self.folder(), &error);
            }
        }
    }

    fn erase_copies_in(
        &self,
        name: &str,
        ids: &[MemoryId],
        erased: &mut OutsideErasure,
    ) -> Result<(), Error> {
        let copies = self.inner.source.own_copies_in(name, ids)?;
        if copies.is_empty() {
            return Ok(());
        }
        let space = self.store.existing_space(name)?;
        space.erase_forgotten(copies, erased)?;
        Ok(())
    }

    /// Erases those of these memories of this space that are forgotten, and lists the others; returns whether there was one.
    /// The flags say which are forgotten.
    pub(crate) fn erase_forgotten(
        &self,
        copies: Vec<(MemoryId, bool)>,
        erased: &mut OutsideErasure,
    ) -> Result<bool, Error> {
        let (forgotten, live): (Vec<_>, Vec<_>) = copies
            .into_iter()
            .partition(|(_, is_forgotten)| *is_forgotten);
        if !live.is_empty() {
            let (name, count) = (self.name(), live.len());
            erased.left.push(PendingErasure {
                place: self.folder().to_owned(),
                reason: format!(
                    "the space {name} has {count} of these memories too, not forgotten; erase them there"
                ),
                next_step: None,
            });
        }
        if forgotten.is_empty() {
            return Ok(false);
        }
        let forgotten: Vec<MemoryId> = forgotten.into_iter().map(|(id, _)| id).collect();
        erased.add(self.erase_within(&forgotten, &mut self.inner.seen())?);
        Ok(true)
    }

    /// The same, skipping backups in the folders `seen`.
    pub(crate) fn erase_within(
        &self,
        ids: &[MemoryId],
        seen: &mut BTreeSet<PathBuf>,
    ) -> Result<OutsideErasure, Error> {
        let source = &self.inner.source;
        let begin = || Ok(source.begin_erasure(self.actor(), ids)?);
        self.erase_begun_by(begin, ids, seen)
    }

    /// The same for an erasure that `begin` starts, which may erase fewer of the memories.
    pub(crate) fn erase_begun_by(
        &self,
        begin: impl FnOnce() -> Result<(), Error>,
        ids: &[MemoryId],
        seen: &mut BTreeSet<PathBuf>,
    ) -> Result<OutsideErasure, Error> {
        self.require(Right::Erase)?;
        let (inner, folder) = (&self.inner, self.folder());
        let set_aside = quarantined_in(folder).unwrap_or_default();
        let texts = inner.derived.cache.texts_of(ids);
        inner.derived.cache.begin_forgetting(&texts)?;
        inner.derived.unsent.erase_equal(ids)?;
        let mut members = BTreeSet::new();
        for &id in ids {
            members.extend(inner.source.spaces_with(id)?);
        }
        let begun = begin();
        // Also after a failure: the transaction may be committed.
        let done = [
            inner.source.finish_erasures().map_err(Error::from),
            inner.derived.cache.begin_forgetting(&texts),
            inner.clean_derived(&mut |_, _| {}),
        ];
        let mut erased = OutsideErasure::default();
        for error in done.into_iter().filter_map(Result::err) {
            erased.leave(folder, &error);
        }
        erased.backups = inner.erase_in_backups(seen, true);
        self.finish_in_members(&members, &mut erased);
        erased.removed = set_aside;
        erased.removed.retain(|path| !path.exists());
        begun?;
        Ok(erased)
    }
}
