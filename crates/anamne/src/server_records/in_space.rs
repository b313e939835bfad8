//! The records of the server from the perspective of one space.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_store::{Budget, Class, Damage, Derived, SpaceSource, StoreError};

use super::ServerRecords;
use crate::Error;

/// Its name in reports.
const NAME: &str = "server";

/// The records of the server whose store the space is in.
pub(crate) struct ServerRecordsOfSpace(ServerRecords);

impl ServerRecordsOfSpace {
    /// The records beside the folder of spaces. No I/O.
    pub(crate) fn new(source: &Arc<SpaceSource>) -> Self {
        let folder = source.folder();
        // A space lies in `<store>/spaces/<space>`.
        let root = folder.ancestors().nth(2).unwrap_or(folder);
        Self(ServerRecords::of_store(root, source.clock()))
    }
}

impl Derived<Error> for ServerRecordsOfSpace {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.0.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let reason = match self.0.check() {
            Ok(None) => return Ok(Vec::new()),
            Ok(Some(reason)) => reason,
            Err(Error::Store(error @ (StoreError::Damaged { .. } | StoreError::Sqlite(_)))) => {
                error.to_string()
            }
            Err(error) => return Err(error),
        };
        Ok(vec![Damage {
            part: NAME.to_owned(),
            reason,
        }])
    }

    fn health(&self) -> Vec<Damage> {
        // A person has to restore it, so every report names it until then.
        self.verify().unwrap_or_default()
    }

    /// It stays: without keys the server would be open to everybody on the machine.
    fn quarantine(&self) -> Result<(), Error> {
        Ok(())
    }

    /// It has no content of memories.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Other spaces use it too.
    fn remove(&self) -> Result<(), Error> {
        Ok(())
    }
}
