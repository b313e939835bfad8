//! One space's part of the captures that wait for a server.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_store::{Budget, Class, Damage, Derived, SpaceSource, StoreFolder};
use anamne_types::MemoryId;

use super::UnsentCaptures;
use crate::Error;

/// Its name in reports.
const NAME: &str = "unsent";

/// The waiting captures from the perspective of one space.
pub(crate) struct UnsentOfSpace {
    source: Arc<SpaceSource>,
    captures: UnsentCaptures,
}

impl UnsentOfSpace {
    /// The captures beside the folder of spaces. No I/O.
    pub(crate) fn new(source: Arc<SpaceSource>) -> Self {
        let folder = source.folder();
        // A space lies in `<store>/spaces/<space>`.
        let root = folder.ancestors().nth(2).unwrap_or(folder);
        let captures = UnsentCaptures::of_store(&StoreFolder::at(root));
        Self { source, captures }
    }

    /// Erases captures that say the same as memories that are about to be erased from the space, in any version.
    pub(crate) fn erase_equal(&self, ids: &[MemoryId]) -> Result<(), Error> {
        if !self.captures.file.exists() {
            return Ok(());
        }
        let mut states = Vec::new();
        for &id in ids {
            // An unreadable memory has no known text; its erasure continues.
            let versions = self.source.history(id).unwrap_or_default().into_iter();
            states.extend(versions.filter_map(|version| version.memory));
            states.extend(self.source.get(id).ok());
        }
        self.captures
            .erase_equal(self.source.name().as_str(), &states)
    }
}

impl Derived<Error> for UnsentOfSpace {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.captures.file.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.captures.file.damage(NAME)?)
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(self.captures.file.path())?)
    }

    /// Removes what is left of deleted captures, and quarantined copies.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.captures.file.remove_quarantined()?;
        Ok(self.captures.compact()?)
    }

    /// What people said in sessions of this space is not kept for it any more.
    fn leave_store(&self) -> Result<(), Error> {
        let captures = &self.captures;
        captures.release_space(self.source.name().as_str())?;
        Ok(captures.compact()?)
    }

    /// Other spaces use it too.
    fn remove(&self) -> Result<(), Error> {
        Ok(())
    }
}
