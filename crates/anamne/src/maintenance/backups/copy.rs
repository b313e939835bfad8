//! One backup, and the steps of an erasure in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::view::MemoryFeed;
use anamne_store::{BackupState, SpaceSource, StoreError};
use anamne_types::{Actor, ActorKind, MemoryId, NextStep};

use super::VisitedStores;
use crate::Error;
use crate::core::Inner;
use crate::derived::{self, Site};
use crate::maintenance::erasing::BackupUpdate;
use crate::space::Space;
use crate::store::Store;

/// Why a backup may still contain erased text.
#[derive(Debug, Default)]
pub(super) struct EraseProblem {
    pub(super) said: String,
    pub(super) next_step: Option<NextStep>,
}

impl From<Error> for EraseProblem {
    fn from(error: Error) -> Self {
        Self {
            said: error.to_string(),
            next_step: error.next_step(),
        }
    }
}

impl From<StoreError> for EraseProblem {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

/// The steps in order. After an interruption at any step, the erasure is still pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EraseStep {
    /// The embedding cache has marked the vectors to remove.
    CacheWarned,
    /// Database, journal and quarantined files are clean.
    CopiesReplaced,
    /// Its views are deleted.
    ViewsRemoved,
    /// Paid and observed data are clean.
    KeptCleaned,
    /// Everything is clean, and the backup's marker is removed.
    Cleaned,
}

/// Called after each step; tests interrupt the erasure there.
pub(super) type AfterStep<'a> = &'a mut dyn FnMut(EraseStep) -> Result<(), Error>;

/// A backup of a space.
pub(super) struct BackupCopy<'a> {
    pub(super) origin: &'a Inner,
    /// The folder of its store.
    pub(super) store: &'a Path,
}

impl BackupCopy<'_> {
    /// Erases here what was erased in the origin; returns the results for this backup's own backups.
    pub(super) fn erase(
        &self,
        seen: &mut VisitedStores,
        after: AfterStep<'_>,
    ) -> Result<Vec<BackupUpdate>, EraseProblem> {
        let source = &self.origin.source;
        let through = MemoryFeed::head(&**source).map_err(Error::from)?;
        let further = match source.backup_state(self.store)? {
            BackupState::Missing => {
                return Err(EraseProblem {
                    said: "no backup of this space there any more".to_owned(),
                    next_step: Some(NextStep::ForgetBackup),
                });
            }
            BackupState::Store => self.erase_in_store(seen)?,
            BackupState::Backup => {
                self.warn_cache()?;
                after(EraseStep::CacheWarned)?;
                match source.backup(self.store) {
                    Ok(_) => {
                        after(EraseStep::CopiesReplaced)?;
                        self.clean(after)?;
                        self.erase_beyond(seen)?
                    }
                    // It was modified since, or has what was lost here, so it can't be replaced.
                    Err(StoreError::Diverged { .. } | StoreError::OnlyInBackup { .. }) => {
                        self.erase_in_store(seen)?
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        };
        if further.iter().all(|update| update.problem.is_empty()) {
            source.note_erased_in_backup(self.store, through)?;
        }
        Ok(further)
    }

    fn folder(&self) -> PathBuf {
        self.origin.source.folder_in(self.store)
    }

    fn open(&self) -> Result<Space, Error> {
        let source = &self.origin.source;
        let source = SpaceSource::open(&self.folder(), source.name(), source.clock(), false)?;
        let models = Arc::new(self.origin.site.models.of_store(self.store));
        let store = Store::at(self.store, models.clone(), source.clock());
        let site = Site {
            source: Arc::new(source),
            models,
            ..self.origin.site.clone()
        };
        let inner = Inner::open(site, None, false)?;
        Ok(Space::new(inner, store))
    }

    /// Marks the texts in the backup's embedding cache for removal, before its database is replaced and the texts are
    /// unknown.
    fn warn_cache(&self) -> Result<(), Error> {
        let cache = self.origin.site.models.of_store(self.store).cache;
        if !cache.exists() {
            return Ok(());
        }
        let warned = || -> Result<(), Error> {
            let space = self.open()?;
            let texts = space
                .inner
                .derived
                .cache
                .texts_of(&self.origin.source.erased_ids()?);
            space.inner.derived.cache.begin_forgetting(&texts)
        };
        // If the texts are unknown, delete the cache.
        warned().or_else(|_| Ok(cache.remove()?))
    }

    /// Cleans the files beside the copies if the backup's marker is set.
    fn clean(&self, after: AfterStep<'_>) -> Result<(), Error> {
        let folder = self.folder();
        if !folder.join("views.unclean").exists() {
            return Ok(());
        }
        derived::remove_rebuilt(&folder)?;
        after(EraseStep::ViewsRemoved)?;
        let space = self.open()?;
        let through = MemoryFeed::head(&*space.inner.source)?;
        space.inner.derived.purge_kept()?;
        after(EraseStep::KeptCleaned)?;
        space.inner.source.views_are_clean(through)?;
        after(EraseStep::Cleaned)
    }

    /// Erases in the backups of this backup.
    fn erase_beyond(&self, seen: &mut VisitedStores) -> Result<Vec<BackupUpdate>, Error> {
        if anamne_store::backups_of(&self.folder())?.is_empty() {
            return Ok(Vec::new());
        }
        let space = self.open()?;
        let source = &space.inner.source;
        source.note_erasure_in_backups(MemoryFeed::head(&**source)?)?;
        Ok(space.inner.erase_in_backups(seen, true))
    }

    /// Erases in a former backup that was modified since: the same memories by id.
    fn erase_in_store(&self, seen: &mut VisitedStores) -> Result<Vec<BackupUpdate>, EraseProblem> {
        let space = self.open()?;
        let source = &space.inner.source;
        if !self.origin.source.shares_history_with(source)? {
            let another = "the folder now contains an unrelated store";
            return Err(EraseProblem {
                said: another.to_owned(),
                next_step: Some(NextStep::ForgetBackup),
            });
        }
        let is_there = |id: &MemoryId| !matches!(source.get(*id), Err(StoreError::NoMemory { .. }));
        let mut ids = self.origin.source.erased_ids()?;
        ids.retain(is_there);
        let actor = Actor {
            kind: ActorKind::System,
            name: "erasure".to_owned(),
        };
        let erased = space.acting_as(actor)?.erase_within(&ids, seen)?;
        source.remove_leftovers()?;
        match erased.left.into_iter().next() {
            Some(left) => Err(EraseProblem {
                said: left.reason,
                next_step: left.next_step,
            }),
            None => Ok(erased.backups),
        }
    }
}
