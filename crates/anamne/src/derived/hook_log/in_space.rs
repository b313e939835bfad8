//! One space's part of the hooks' record.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_store::{Budget, Class, Derived, SpaceSource};

use super::HookLog;
use crate::Error;

/// Its name in reports.
const NAME: &str = "hooks";

/// The store's record from the perspective of one space.
pub(crate) struct HookLogOfSpace {
    source: Arc<SpaceSource>,
    log: HookLog,
}

impl HookLogOfSpace {
    /// The record beside the folder of spaces. No I/O.
    pub(crate) fn new(source: Arc<SpaceSource>) -> Self {
        let folder = source.folder();
        // A space lies in `<store>/spaces/<space>`.
        let root = folder.ancestors().nth(2).unwrap_or(folder);
        let log = HookLog::of_store(root);
        Self { source, log }
    }
}

impl Derived<Error> for HookLogOfSpace {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.log.path().to_owned()]
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Forgets which of the space's memories sessions were shown. A session may then be shown one of them again.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        Ok(self.log.forget_space(self.source.name().as_str())?)
    }

    fn leave_store(&self) -> Result<(), Error> {
        Ok(self.log.forget_space(self.source.name().as_str())?)
    }

    /// Other spaces use it too.
    fn remove(&self) -> Result<(), Error> {
        Ok(())
    }
}
