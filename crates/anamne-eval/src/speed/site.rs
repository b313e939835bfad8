//! The place of one size: a temporary folder with a store and what its peers made of the same records.

use std::path::{Path, PathBuf};

use anamne::Space;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::generator::{Generator, Record};
use crate::store::{self, BATCH, temporary_folder};

/// Results of every question, here and there.
pub(crate) const RESULTS: usize = 10;

/// A store of one size, its records and its folder, which goes with it.
pub(crate) struct Site {
    pub(crate) records: u64,
    pub(crate) generator: Generator,
    folder: TempDir,
}

impl Site {
    /// A place for `records` records; nothing is stored yet.
    pub(crate) fn new(records: u64, parent: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            records,
            generator: Generator::new(records),
            folder: temporary_folder(parent)?,
        })
    }

    /// The store's folder.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// A folder for a peer, made if need be.
    pub(crate) fn peer(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The space, opened again, without background work: nothing runs beside what is measured.
    pub(crate) fn open(&self) -> Result<Space, Failure> {
        store::open(&self.store())
    }

    /// Hands every record over, in order and in batches, each with the number of its first one.
    pub(crate) fn for_each_batch(
        &self,
        mut take: impl FnMut(u64, &[Record]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for start in (0..self.records).step_by(BATCH) {
            let end = (start + BATCH as u64).min(self.records);
            take(start, &self.generator.records(start..end))?;
        }
        Ok(())
    }
}
