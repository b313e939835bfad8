//! The cache of tool results of one space.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_experience::tool_results::{DEFAULT_MOST_BYTES, ToolResults};
use anamne_store::{Budget, Class, Damage, Derived, SpaceSource, StoreError};
use anamne_types::MemoryId;
use rustc_hash::FxHashSet;

use super::Site;
use crate::Error;

/// Its name in reports.
const NAME: &str = "tool_results";

/// Links to memories that are checked at a time.
const CHECKED_AT_A_TIME: usize = 500;

/// The cache of a space. Backups leave it out, and rebuilds keep it: it can be fetched again.
pub(crate) struct ToolResultsFile {
    source: Arc<SpaceSource>,
    pub(crate) results: ToolResults,
}

impl ToolResultsFile {
    /// The cache in the space's folder. No I/O.
    pub(super) fn new(site: &Site) -> Self {
        let folder = site.source.folder().join(Class::External.folder());
        Self {
            source: site.source.clone(),
            results: ToolResults::at(&folder.join("tool-results.db"), DEFAULT_MOST_BYTES),
        }
    }

    /// Memories that results refer to, and that no longer exist.
    fn erased(&self) -> Result<Vec<MemoryId>, StoreError> {
        let mut linked = self.results.linked_memories()?;
        let mut there = FxHashSet::default();
        for ids in linked.chunks(CHECKED_AT_A_TIME) {
            there.extend(
                self.source
                    .get_each(ids)?
                    .into_iter()
                    .map(|memory| memory.id),
            );
        }
        linked.retain(|id| !there.contains(id));
        Ok(linked)
    }
}

impl Derived<Error> for ToolResultsFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::External
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.results.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let problems = self.results.problems()?.into_iter();
        let damage = problems.map(|reason| Damage {
            part: NAME.to_owned(),
            reason,
        });
        Ok(damage.collect())
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(self.results.path())?)
    }

    /// Removes links to erased memories; the results themselves came from elsewhere.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        let erased = self.erased()?;
        Ok(self.results.purge(&erased)?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.results.remove()?)
    }
}
