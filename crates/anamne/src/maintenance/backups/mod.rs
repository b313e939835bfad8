//! Erasure in backups, including their views, caches, quarantined files and own backups.
//!
//! The list of backups records the pending erasures of each ([`KnownBackup::pending`]): written before the journal
//! changes, removed when the backup is clean. So an interrupted erasure is continued by whoever reads the list next.

mod copy;
mod scheduled;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anamne_store::{BackupReport, KnownBackup, quarantined_in};
use anamne_types::NextStep;

use crate::Error;
use crate::core::Inner;
use crate::maintenance::doctor::CheckUp;
use crate::maintenance::erasing::BackupUpdate;
use crate::space::Space;

use copy::{BackupCopy, EraseProblem};
pub(crate) use scheduled::BACK_UP;
pub use state::ScheduledBackups;

/// Interval between attempts of the background, in microseconds.
const BETWEEN_ATTEMPTS: i64 = 3_600 * 1_000_000;

/// Why nothing is written to a backup that a copied space lists.
const OF_ANOTHER: &str =
    "it is a backup of the space that this one was copied from, so nothing is changed there";

/// Stores that were visited: a backup may list backups of its own, and the store that it was made from.
type VisitedStores = BTreeSet<PathBuf>;

impl Inner {
    /// Whether an erasure is pending in a backup, and it is time to retry.
    pub(crate) fn are_backups_due(&self) -> bool {
        self.jobs.backups_pending.load(Ordering::Relaxed)
            && self.jobs.due("backup_erasure").is_due(self.source.now())
    }

    /// Checks whether an erasure is pending in a backup, so that the background continues it.
    pub(crate) fn look_for_pending_backups(&self) {
        let pending = self
            .source
            .backups()
            .is_ok_and(|known| known.iter().any(|backup| backup.pending.is_some()));
        self.jobs.backups_pending.store(pending, Ordering::Relaxed);
    }

    /// Continues pending erasures in backups; returns the result for each.
    pub(crate) fn finish_in_backups(&self) -> Vec<BackupUpdate> {
        let updates = self.erase_in_backups(&mut self.seen(), false);
        let is_done = updates.iter().all(|update| update.problem.is_empty());
        self.jobs.backups_pending.store(!is_done, Ordering::Relaxed);
        let (now, next) = (self.source.now(), self.jobs.due("backup_erasure"));
        next.put_off(now, BETWEEN_ATTEMPTS);
        updates
    }

    /// Creates or updates the backup in the store folder `store`.
    pub(crate) fn back_up_to(&self, store: &Path) -> Result<BackupReport, Error> {
        // First, while the old copy still contains the texts to remove from its caches.
        self.finish_in_backups();
        let report = self.source.backup(store)?;
        // For erasures made during the copy.
        self.look_for_pending_backups();
        if self.are_backups_due() {
            self.finish_in_backups();
        }
        Ok(report)
    }

    /// This store itself, so that it isn't treated as a backup of its backups.
    pub(crate) fn seen(&self) -> VisitedStores {
        let root = self.source.folder().ancestors().nth(2);
        let root = root.map(|root| root.canonicalize().unwrap_or_else(|_| root.to_owned()));
        root.into_iter().collect()
    }

    /// Erases in the known backups what was erased here: in all of them, or only where that is pending.
    pub(crate) fn erase_in_backups(
        &self,
        seen: &mut VisitedStores,
        in_all: bool,
    ) -> Vec<BackupUpdate> {
        let known = match self.source.backups() {
            Ok(known) => known,
            // The erasure in this store is complete regardless.
            Err(error) => {
                return vec![BackupUpdate {
                    folder: self.source.folder().join("backups.toml"),
                    problem: error.to_string(),
                    next_step: error.next_step(),
                    removed: Vec::new(),
                }];
            }
        };
        let wanted = known
            .into_iter()
            .filter(|backup| in_all || backup.pending.is_some());
        let mut updates: Vec<_> = wanted
            .flat_map(|backup| self.erase_in_backup(&backup, seen))
            .collect();
        if in_all {
            updates.extend(self.name_inherited_backups());
        }
        updates
    }

    /// The backups of the space that this one was copied from, which an erasure here doesn't reach.
    pub(crate) fn name_inherited_backups(&self) -> Vec<BackupUpdate> {
        // An unreadable list is reported by whoever reads the backups.
        let inherited = self.source.inherited_backups().unwrap_or_default();
        let inherited = inherited.into_iter().map(|folder| BackupUpdate {
            folder,
            problem: OF_ANOTHER.to_owned(),
            next_step: Some(NextStep::ForgetBackup),
            removed: Vec::new(),
        });
        inherited.collect()
    }

    /// Erases in one backup and in its own backups; the first result is its own.
    fn erase_in_backup(&self, known: &KnownBackup, seen: &mut VisitedStores) -> Vec<BackupUpdate> {
        if !seen.insert(known.folder.clone()) {
            return Vec::new();
        }
        let copy = BackupCopy {
            origin: self,
            store: &known.folder,
        };
        let folder = self.source.folder_in(&known.folder);
        let mut removed = quarantined_in(&folder).unwrap_or_default();
        let (EraseProblem { said, next_step }, further) = match copy.erase(seen, &mut |_| Ok(())) {
            Ok(further) => (EraseProblem::default(), further),
            Err(problem) => (problem, self.unreached_beyond(&known.folder, seen)),
        };
        removed.retain(|path| !path.exists());
        let update = BackupUpdate {
            folder: known.folder.clone(),
            problem: said,
            next_step,
            removed,
        };
        std::iter::once(update).chain(further).collect()
    }

    /// The backups of a backup in which the erasure failed, as far as their list is readable.
    fn unreached_beyond(&self, store: &Path, seen: &mut VisitedStores) -> Vec<BackupUpdate> {
        let known = anamne_store::backups_of(&self.source.folder_in(store)).unwrap_or_default();
        let further = known
            .into_iter()
            .filter(|backup| seen.insert(backup.folder.clone()));
        further
            .map(|backup| BackupUpdate {
                problem: format!(
                    "it is a backup of {}, which could not be reached",
                    store.display()
                ),
                next_step: None,
                folder: backup.folder,
                removed: Vec::new(),
            })
            .collect()
    }
}

impl Space {
    /// Continues pending erasures in backups, and reports the results.
    pub(crate) fn report_pending_backups(&self, found: &mut CheckUp) {
        for inherited in self.inner.name_inherited_backups() {
            let folder = inherited.folder.display();
            found
                .deferred
                .push(format!("backup {folder}: {OF_ANOTHER}"));
            found.advise(inherited.next_step);
        }
        for BackupUpdate {
            folder,
            problem,
            next_step,
            ..
        } in self.inner.finish_in_backups()
        {
            let folder = folder.display();
            if problem.is_empty() {
                let said = format!("backup {folder}: what was erased here is erased there too");
                found.repaired.push(said);
            } else {
                found.problems.push(format!(
                    "backup {folder}: it may still contain erased text: {problem}"
                ));
                found.advise(next_step);
                found.advise([NextStep::ForgetBackup]);
            }
        }
    }
}
