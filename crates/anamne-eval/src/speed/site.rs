//! The place of one size: a temporary folder with a store and what its peers made of the same records.

use std::path::{Path, PathBuf};

use anamne::{Options, Space, Store};
use tempfile::TempDir;

use super::Failure;
use super::data::Generator;

/// The space in which everything is measured.
pub(crate) const SPACE: &str = "benchmark";

/// A temporary folder, in `parent` or where the system keeps such.
pub(crate) fn temporary_folder(parent: Option<&Path>) -> Result<TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("anamne-speed-");
    let made = match parent {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    };
    made.map_err(|error| Failure::new(format!("no temporary folder can be made: {error}")))
}

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

    /// The space, opened anew, without background work: nothing runs beside what is measured.
    pub(crate) fn open(&self) -> Result<Space, Failure> {
        open(&self.store())
    }
}

/// Opens the space of a store without background work.
pub(crate) fn open(store: &Path) -> Result<Space, Failure> {
    let options = Options::new(store).background(false);
    Ok(Store::open_with(options)?.space(SPACE)?)
}
