//! The workplace of one size: a temporary folder with a store and the peers' files for the same records.

use std::path::{Path, PathBuf};

use anamne::Space;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::generator::{Generator, Record};
use crate::store::{self, BATCH, temporary_folder};

/// Number of results per query, for the engine and its peers.
pub(crate) const RESULTS: usize = 10;

/// A store of one size, its records, and its folder, which is deleted on drop.
pub(crate) struct Site {
    pub(crate) records: u64,
    pub(crate) generator: Generator,
    folder: TempDir,
}

impl Site {
    /// A site for `records` records, still empty.
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

    /// A folder for a peer, created if missing.
    pub(crate) fn peer(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Reopens the space without background work, which would disturb the measurement.
    pub(crate) fn open(&self) -> Result<Space, Failure> {
        store::open(&self.store())
    }

    /// Calls `take` for batches of all records, in order, each with the number of its first record.
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
