//! Erasure of a whole space, in this store and in its backups.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use anamne_store::{
    ErasedSpace, FoundCopy, Remains, SpaceName, SpaceState, StoreError, StoreFolder,
    UnreadableRemains,
};
use anamne_types::{KeyLoss, NextStep, Right};
use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::derived;
use crate::maintenance::erasing::{BackupUpdate, OutsideErasure, PendingErasure};
use crate::server_records::ServerRecords;
use crate::space::Space;
use crate::store::Store;

/// The result of erasing a space.
#[must_use = "an incomplete erasure is reported only here"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpaceErasure {
    /// Its name.
    pub space: String,
    /// The memories that it had, without forgotten ones.
    pub memories: u64,
    /// The forgotten memories that it had.
    pub forgotten: u64,
    /// The spaces that lost members whose home it was, as far as this handle may read them; sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members_lost_in: Vec<String>,
    /// The spaces in which forgotten copies of its memories were erased, which a transfer had left there; sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies_erased_in: Vec<String>,
    /// The keys of the server that named it, which don't any more; empty for a handle without the right to configure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyLoss>,
    /// What was reached outside of the space, and what was not.
    #[serde(flatten)]
    pub outside: OutsideErasure,
}

impl Store {
    /// Erases a space with everything in it: log, memories, settings, derived data, and its backups. Final. The name is
    /// free afterwards; `core` is created again when it is used. Keys of the server that name it lose it, and one that named
    /// no other space is revoked.
    ///
    /// Members whose home it was are erased in every space. Its own members stay in their homes. What a transfer left behind,
    /// forgotten, in the spaces that this handle may read is erased with the memories that it moved here; live copies there
    /// are only listed. Handles of the space, in this and other processes, return [`StoreError::SpaceGone`](crate::StoreError::SpaceGone). If it is interrupted,
    /// there is either the whole space, or none, and the next process that opens the store completes the erasure.
    ///
    /// [`Error::Denied`] without [`Right::Erase`] and permission to write the space. If not all of
    /// [`SpaceErasure::outside`] is complete, [`OutsideErasure::unreached`] lists the places that may still contain its
    /// text; [`Store::unfinished_space_erasures`] lists them later. O(files of the space).
    pub fn erase_space(&self, name: &str) -> Result<SpaceErasure, Error> {
        self.erase_space_in(name, None)
    }

    /// The same if the space is in this state still, as [`Space::state`](crate::Space::state) gave it; otherwise
    /// [`StoreError::SpaceChanged`](crate::StoreError::SpaceChanged), and nothing is changed.
    pub fn erase_space_if(&self, name: &str, state: SpaceState) -> Result<SpaceErasure, Error> {
        self.erase_space_in(name, Some(state))
    }

    fn erase_space_in(&self, name: &str, state: Option<SpaceState>) -> Result<SpaceErasure, Error> {
        self.require(Right::Erase)?;
        let space = self.existing_space(name)?;
        space.require(Right::Erase)?;
        let mut seen = space.inner.seen();
        let erased = self.erase_within(space.name(), state, &mut seen)?;
        Ok(erased)
    }

    /// The same, skipping backups in the folders `seen`.
    fn erase_within(
        &self,
        name: &str,
        state: Option<SpaceState>,
        seen: &mut BTreeSet<PathBuf>,
    ) -> Result<SpaceErasure, Error> {
        let lock = self.folder.erasure_lock();
        let _guard = lock.acquire()?;
        let (remains, mut erased) = self.put_away(name, state)?;
        erased.copies_erased_in = self.complete(remains, seen, &mut erased.outside);
        Ok(erased)
    }

    /// Ends the existence of a space, of which only remains are left.
    fn put_away(
        &self,
        name: &str,
        state: Option<SpaceState>,
    ) -> Result<(Remains, SpaceErasure), Error> {
        let space = self.existing_space(name)?;
        let statistics = space.source().statistics()?;
        // Checked again by the decisive step, under its lock.
        if state.is_some_and(|state| space.state().is_ok_and(|found| found != state)) {
            return Err(StoreError::SpaceChanged(space.name().to_owned()).into());
        }
        let mut keys = Vec::new();
        let inherited = space.inner.name_inherited_backups();
        // While its texts are known.
        space.inner.derived.leave_store()?;
        let others = self.spaces()?;
        let remains = space.source().leave_store(state, &others, || {
            keys = self.take_from_keys(space.name(), None)?;
            Ok::<(), Error>(())
        })?;
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(space.source().name());
        let losing = remains.note().members.keys();
        let members_lost_in = losing.filter(|space| self.scope.may_read(space));
        let erased = SpaceErasure {
            space: space.name().to_owned(),
            memories: statistics.memories,
            forgotten: statistics.forgotten,
            members_lost_in: members_lost_in.cloned().collect(),
            copies_erased_in: Vec::new(),
            keys,
            outside: OutsideErasure {
                backups: inherited,
                ..OutsideErasure::default()
            },
        };
        Ok((remains, erased))
    }

    /// Takes a deleted space from the keys of the server that name it, if the store is that of a server or one of its
    /// tenants, before a later space can have its name. Returns them if this handle may see keys.
    fn take_from_keys(&self, space: &str, until: Option<Timestamp>) -> Result<Vec<KeyLoss>, Error> {
        let (records, tenant) = ServerRecords::of_server_of(self.root(), self.clock());
        let lost = records.take_space(&tenant, space, until)?;
        let may_see = self.scope.allows(Right::Configure);
        Ok(if may_see { lost } else { Vec::new() })
    }

    /// Continues the erasures of spaces that were interrupted, or that could not reach every place; another process may
    /// do so already. What still can't be reached is tried again when the store is next opened.
    pub(crate) fn continue_space_erasures(&self) {
        if !self.folder.has_remains().unwrap_or(false) {
            return;
        }
        let lock = self.folder.erasure_lock();
        let Ok(Some(_guard)) = lock.try_acquire() else {
            return;
        };
        let root = self.root().to_owned();
        let root = root.canonicalize().unwrap_or(root);
        self.complete_all(&mut BTreeSet::from([root]), &mut OutsideErasure::default());
    }

    /// Completes all erasures of spaces as far as possible. The lock must be held.
    fn complete_all(&self, seen: &mut BTreeSet<PathBuf>, outside: &mut OutsideErasure) {
        let remains = match self.folder.remains() {
            Ok(remains) => remains,
            Err(error) => return outside.leave(self.root(), &error.into()),
        };
        for remains in remains {
            match remains {
                Ok(remains) => drop(self.complete(remains, seen, outside)),
                // What else has something of the space is unknown, so the folder stays, for a person to see.
                Err(unreadable) => {
                    if let Err(error) = unreadable.remove_content() {
                        outside.leave(&unreadable.folder, &error.into());
                    }
                    outside.leave(&unreadable.folder, &unreadable.error.into());
                }
            }
        }
        if let Err(error) = self.folder.remove_done_remains() {
            outside.leave(self.root(), &error.into());
        }
    }

    /// Completes the erasure of one space as far as possible; returns the spaces in which forgotten copies were erased. The
    /// lock must be held.
    fn complete(
        &self,
        mut remains: Remains,
        seen: &mut BTreeSet<PathBuf>,
        outside: &mut OutsideErasure,
    ) -> Vec<String> {
        let folder = remains.folder().to_owned();
        let name = remains.note().name.clone();
        let mut copies_erased_in = Vec::new();
        let done = [
            remains.remove_content().map_err(Error::from),
            self.left_store(&name),
            self.erase_its_members(&mut remains, outside),
            self.leave_its_homes(&mut remains, outside),
            self.erase_its_copies(&mut remains, outside, &mut copies_erased_in),
            self.erase_its_backups(&mut remains, seen, outside),
            remains.finish().map(drop).map_err(Error::from),
        ];
        for error in done.into_iter().filter_map(Result::err) {
            outside.leave(&folder, &error);
        }
        copies_erased_in
    }

    fn left_store(&self, name: &str) -> Result<(), Error> {
        let space: SpaceName = name.parse()?;
        derived::left_store(self.root(), &self.models, name, &space.folder())
    }

    /// Erases the members that other spaces have of an erased space.
    fn erase_its_members(
        &self,
        remains: &mut Remains,
        outside: &mut OutsideErasure,
    ) -> Result<(), Error> {
        let home = remains.note().name.clone();
        for (space, ids) in remains.note().members.clone() {
            let lost = self.inner_of(&space).and_then(|inner| {
                let Some(inner) = inner else { return Ok(None) };
                inner.source.lose_home(&home, &ids)?;
                Ok(Some(inner))
            });
            match lost {
                Ok(inner) => {
                    if let Some(inner) = inner {
                        inner.finish_erased_members(outside);
                    }
                    remains.strike(|note| drop(note.members.remove(&space)))?;
                }
                Err(error) => outside.leave(&self.folder_of(&space), &error),
            }
        }
        Ok(())
    }

    /// Tells the homes of an erased space's members that it has none of them any more.
    fn leave_its_homes(
        &self,
        remains: &mut Remains,
        outside: &mut OutsideErasure,
    ) -> Result<(), Error> {
        let name = remains.note().name.clone();
        for (home, ids) in remains.note().homes.clone() {
            let left = self.inner_of(&home).and_then(|inner| match inner {
                Some(inner) => Ok(inner.source.lose_member_space(&name, &ids)?),
                None => Ok(()),
            });
            match left {
                Ok(()) => remains.strike(|note| drop(note.homes.remove(&home)))?,
                Err(error) => outside.leave(&self.folder_of(&home), &error),
            }
        }
        Ok(())
    }

    /// Erases the forgotten copies that transfers left of the memories of an erased space, and lists live ones.
    fn erase_its_copies(
        &self,
        remains: &mut Remains,
        outside: &mut OutsideErasure,
        erased_in: &mut Vec<String>,
    ) -> Result<(), Error> {
        for (space, ids) in remains.note().copies.clone() {
            let erased = self.inner_of(&space).and_then(|inner| {
                let Some(inner) = inner else {
                    return Ok(false);
                };
                let copies = inner.source.own_copies(&ids)?;
                Space::new(inner, self.clone()).erase_forgotten(copies, outside)
            });
            match erased {
                Ok(was_there) => {
                    erased_in.extend(was_there.then(|| space.clone()));
                    remains.strike(|note| drop(note.copies.remove(&space)))?;
                }
                Err(error) => outside.leave(&self.folder_of(&space), &error),
            }
        }
        Ok(())
    }

    /// Where a space is, or would be, for a report.
    fn folder_of(&self, space: &str) -> PathBuf {
        match space.parse() {
            Ok(name) => self.folder.space(&name),
            Err(_) => self.root().to_owned(),
        }
    }

    /// Removes the backups of an erased space, and their own backups.
    fn erase_its_backups(
        &self,
        remains: &mut Remains,
        seen: &mut BTreeSet<PathBuf>,
        outside: &mut OutsideErasure,
    ) -> Result<(), Error> {
        for folder in remains.note().backups.clone() {
            let is_new = seen.insert(folder.clone());
            let (problem, further) =
                match is_new.then(|| self.erase_backup(&folder, remains.note(), seen)) {
                    None => (None, Vec::new()),
                    Some(Ok(within)) => {
                        let left = within.left.into_iter().next();
                        (
                            left.map(|left| (left.reason, left.next_step)),
                            within.backups,
                        )
                    }
                    Some(Err(problem)) => (Some((problem.reason, problem.next_step)), Vec::new()),
                };
            let is_done =
                problem.is_none() && further.iter().all(|update| update.problem.is_empty());
            let (problem, next_step) = problem.unwrap_or_default();
            if is_new {
                outside.add_backups(vec![BackupUpdate {
                    folder: folder.clone(),
                    problem,
                    next_step,
                    removed: Vec::new(),
                }]);
            }
            outside.add_backups(further);
            if is_done {
                remains.strike(|note| note.backups.retain(|backup| *backup != folder))?;
                StoreFolder::at(&folder).tidy();
            }
        }
        Ok(())
    }

    /// Removes the backup of an erased space from the store in `folder`.
    fn erase_backup(
        &self,
        folder: &Path,
        erased: &ErasedSpace,
        seen: &mut BTreeSet<PathBuf>,
    ) -> Result<OutsideErasure, PendingErasure> {
        let problem = |reason: String, next_step| PendingErasure {
            place: folder.to_owned(),
            reason,
            next_step,
        };
        let failed = |error: Error| problem(error.to_string(), error.next_step());
        let forget = Some(NextStep::ForgetBackup);
        let there = StoreFolder::at(folder);
        if !there.is_there().map_err(Error::from).map_err(failed)? {
            let missing = "no backup of this space there any more";
            return Err(problem(missing.to_owned(), forget));
        }
        let clock = self.clock();
        let store = Self::at(
            folder,
            Arc::new(self.models.of_store(folder)),
            clock.clone(),
        );
        let mut outside = OutsideErasure::default();
        let found = there.copy_of(erased).map_err(Error::from).map_err(failed)?;
        let lock = there.erasure_lock();
        let _guard = lock.acquire().map_err(Error::from).map_err(failed)?;
        match found {
            FoundCopy::None => {}
            FoundCopy::Unrelated => {
                let unrelated = "the folder now contains an unrelated store";
                return Err(problem(unrelated.to_owned(), forget));
            }
            FoundCopy::Backup => {
                // The texts are unknown here.
                store
                    .models
                    .cache
                    .remove()
                    .map_err(Error::from)
                    .map_err(failed)?;
                // Later keys are for a later space.
                let taken = store.take_from_keys(&erased.name, Some(erased.at));
                taken.map_err(failed)?;
                let put_away = there.put_backup_away(erased, clock.as_ref());
                put_away.map_err(Error::from).map_err(failed)?;
            }
            FoundCopy::Changed => {
                let (_remains, _) = store.put_away(&erased.name, None).map_err(failed)?;
            }
        }
        store.complete_all(seen, &mut outside);
        Ok(outside)
    }

    /// The places that may still contain text of erased spaces; empty if every erasure is complete. Only for a caller who
    /// may read every space, because their names were theirs.
    pub fn unfinished_space_erasures(&self) -> Result<Vec<PendingErasure>, Error> {
        if !self.scope.reads_all() {
            return Ok(Vec::new());
        }
        let mut places = Vec::new();
        for remains in self.folder.remains()? {
            match remains {
                Ok(remains) => places.extend(self.left_of(remains.note())),
                Err(UnreadableRemains { folder, error }) => places.push(PendingErasure {
                    place: folder,
                    reason: error.to_string(),
                    next_step: error.next_step(),
                }),
            }
        }
        Ok(places)
    }

    fn left_of(&self, erased: &ErasedSpace) -> Vec<PendingErasure> {
        let name = &erased.name;
        let spaces = erased.members.keys().map(|space| PendingErasure {
            place: self.folder_of(space),
            reason: format!("it may still have members from the erased space {name:?}"),
            next_step: None,
        });
        let homes = erased.homes.keys().map(|home| PendingErasure {
            place: self.folder_of(home),
            reason: format!("it still lists members in the erased space {name:?}"),
            next_step: None,
        });
        let backups = erased.backups.iter().map(|backup| PendingErasure {
            place: backup.clone(),
            reason: format!("it may still have a backup of the erased space {name:?}"),
            next_step: Some(NextStep::ForgetBackup),
        });
        let copies = erased.copies.keys().map(|space| PendingErasure {
            place: self.folder_of(space),
            reason: format!(
                "it may still have memories that were moved to the erased space {name:?}"
            ),
            next_step: None,
        });
        spaces.chain(homes).chain(copies).chain(backups).collect()
    }

    /// Removes a folder from what erased spaces have left to do; returns the spaces of which it was a backup.
    pub(crate) fn forget_erased_backup(
        &self,
        folder: &Path,
        space: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        let mut knew = Vec::new();
        if !self.folder.has_remains()? {
            return Ok(knew);
        }
        let lock = self.folder.erasure_lock();
        let _guard = lock.acquire()?;
        let is_meant = |note: &ErasedSpace| {
            space.is_none_or(|space| note.name == space)
                && note.backups.iter().any(|backup| backup == folder)
        };
        let remains = self.folder.remains()?.into_iter().filter_map(Result::ok);
        for mut remains in remains.filter(|remains| is_meant(remains.note())) {
            knew.push(remains.note().name.clone());
            remains.strike(|note| note.backups.retain(|backup| backup != folder))?;
            remains.finish()?;
        }
        Ok(knew)
    }
}
