//! Derived data: one trait for everything beside the source.

use std::path::{Path, PathBuf};

use anamne_types::Seq;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::beside;
use crate::files::{bytes_under, remove_if_there, set_aside};

/// The origin of derived data; decides what may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A function of the log: may be deleted at any time and rebuilt.
    Log,
    /// Paid for, such as model output. Deleted only by erasure and its own command.
    Paid,
    /// Observed while the engine ran; can't be observed again. Deleted like paid data.
    Observed,
    /// Fetched from elsewhere; can be fetched again.
    External,
}

impl Class {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Log, Self::Paid, Self::Observed, Self::External];

    /// Whether a rebuild may delete it.
    pub fn is_rebuilt(self) -> bool {
        self == Self::Log
    }

    /// The folder of such files in a space.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Log => beside::VIEWS,
            Self::Paid => beside::PAID,
            Self::Observed => beside::OBSERVED,
            Self::External => "external",
        }
    }
}

/// The amount of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Background: urgent work on open derived data.
    Due,
    /// Before a program ends: everything that slows queries or is only in memory.
    Settled,
    /// Everything, up to the end of the log.
    Whole,
}

/// The budget of a catch-up, with a progress callback.
pub struct Budget<'a> {
    /// The amount of work.
    pub effort: Effort,
    /// Called periodically with a name and the event reached; returning false stops the catch-up safely.
    pub go_on: &'a mut dyn FnMut(&'static str, Seq) -> bool,
}

/// A damaged part of derived data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The part's name, with its tier unless active.
    pub part: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Derived data of one space. Erasure, checks, rebuilds, backups and background work loop over the registry of all
/// implementations. All methods may be called from several threads and processes.
///
/// `E` is the error type of the registry's owner.
pub trait Derived<E: From<StoreError>>: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Its class.
    fn class(&self) -> Class;

    /// Its files and folders, existing or not. O(1) except for listing folders.
    fn files(&self) -> Vec<PathBuf>;

    /// Whether any of it is on disk.
    fn exists(&self) -> bool {
        self.files().iter().any(|path| path.exists())
    }

    /// The bytes on disk.
    fn bytes(&self) -> u64 {
        self.files().iter().map(|path| bytes_of(path)).sum()
    }

    /// The event up to which it covers the log; `None` if it doesn't follow the log. Creates no file.
    fn position(&self) -> Result<Option<Seq>, E> {
        Ok(None)
    }

    /// The event up to which its files cover the log.
    fn watermark(&self) -> Result<Option<Seq>, E> {
        self.position()
    }

    /// Rows in its in-memory tail.
    fn tail_rows(&self) -> usize {
        0
    }

    /// Whether there is work for this effort. Called with [`Effort::Due`] after every query, so it must be cheap.
    fn is_due(&self, _effort: Effort) -> Result<bool, E> {
        Ok(false)
    }

    /// Does the work of `budget`. Damaged data is quarantined and recomputed.
    fn catch_up(&self, _budget: &mut Budget<'_>) -> Result<(), E> {
        Ok(())
    }

    /// Its unavailable parts, as far as known without reading. Normally empty.
    fn health(&self) -> Vec<Damage> {
        Vec::new()
    }

    /// Verifies all of it; returns the damage. Missing data is not damage.
    fn verify(&self) -> Result<Vec<Damage>, E> {
        Ok(Vec::new())
    }

    /// Disables what [`Derived::verify`] found damaged, so that the next catch-up starts over. A function of the log is
    /// deleted, anything else quarantined.
    fn quarantine(&self) -> Result<(), E> {
        if self.class().is_rebuilt() {
            return self.remove();
        }
        for path in self.files().iter().filter(|path| path.exists()) {
            set_aside(path)?;
        }
        Ok(())
    }

    /// Removes everything about erased memories from its files. Does nothing if it is missing.
    fn purge(&self, budget: &mut Budget<'_>) -> Result<(), E>;

    /// Removes what files outside of the space's folder hold of this space, which is about to be erased with its folder.
    /// May be repeated, and the space may stay after all.
    fn leave_store(&self) -> Result<(), E> {
        Ok(())
    }

    /// Deletes it.
    fn remove(&self) -> Result<(), E> {
        for path in self.files() {
            remove_if_there(&path)?;
        }
        Ok(())
    }
}

fn bytes_of(path: &Path) -> u64 {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => bytes_under(path).unwrap_or_default(),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}
