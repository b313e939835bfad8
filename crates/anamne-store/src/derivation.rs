//! What is derived, and what may be done with it: one trait for everything that lies beside the source.

use std::path::{Path, PathBuf};

use anamne_types::Seq;
use serde::Serialize;

use crate::StoreError;
use crate::beside;
use crate::files::{bytes_under, remove_if_there, set_aside};

/// Where something derived comes from, which decides what may be discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A function of the log: it may be deleted at any time, and costs only the time to compute it again.
    Log,
    /// It cost money, or time on another machine. It goes by erasure and by its own command alone.
    Paid,
    /// It was observed of the engine's own work, and can't be observed again. It goes like what was paid for.
    Observed,
    /// It was fetched from elsewhere and can be fetched again.
    External,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Log, Self::Paid, Self::Observed, Self::External];

    /// Whether a rebuild may delete it.
    pub fn is_rebuilt(self) -> bool {
        self == Self::Log
    }

    /// The folder of a space in which such files lie.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Log => beside::VIEWS,
            Self::Paid => beside::PAID,
            Self::Observed => beside::OBSERVED,
            Self::External => "external",
        }
    }
}

/// How much is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// In the background: what should not wait, of what is open.
    Due,
    /// Before a program ends: everything that makes questions slow or lies in memory alone.
    Settled,
    /// Everything, up to the end of the log.
    Whole,
}

/// What a catch-up may do, and whom it tells how far it is.
pub struct Budget<'a> {
    /// How much is to be done.
    pub effort: Effort,
    /// Called now and then with a name and the event reached; where it says no, the catch-up ends early and is none the worse.
    pub go_on: &'a mut dyn FnMut(&'static str, Seq) -> bool,
}

/// A part of something derived that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which part, as a person knows it: a name, with the tier where that is not the active one.
    pub part: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Something derived that belongs to one space. Everything of this kind stands in one registry, over which erasure, check-ups,
/// rebuilds, backups and background work loop. All methods may be called from several threads and processes.
///
/// `E` is the error of whoever keeps the registry.
pub trait Derived<E: From<StoreError>>: Send + Sync {
    /// Its name, as it stands in reports.
    fn name(&self) -> &'static str;

    /// Where it comes from.
    fn class(&self) -> Class;

    /// Its files and folders, whether they are there or not. O(1) but for listing folders.
    fn files(&self) -> Vec<PathBuf>;

    /// Whether any of it is on disk.
    fn exists(&self) -> bool {
        self.files().iter().any(|path| path.exists())
    }

    /// The bytes on disk.
    fn bytes(&self) -> u64 {
        self.files().iter().map(|path| bytes_of(path)).sum()
    }

    /// Up to which event it covers the log; `None` for what does not follow it. Makes no file.
    fn position(&self) -> Result<Option<Seq>, E> {
        Ok(None)
    }

    /// Up to which event its files cover the log.
    fn watermark(&self) -> Result<Option<Seq>, E> {
        self.position()
    }

    /// Rows that it holds in memory until they are written.
    fn tail_rows(&self) -> usize {
        0
    }

    /// Whether this effort has something to do. Asked after every question with [`Effort::Due`], so that it must be cheap then.
    fn is_due(&self, _effort: Effort) -> Result<bool, E> {
        Ok(false)
    }

    /// Does what `budget` asks for. What turns out to be damaged is quarantined and computed again.
    fn catch_up(&self, _budget: &mut Budget<'_>) -> Result<(), E> {
        Ok(())
    }

    /// What of it can't take part now, as far as is known without reading it. Empty when all can.
    fn health(&self) -> Vec<Damage> {
        Vec::new()
    }

    /// Reads all of it back; says what is damaged. Where it is missing nothing is.
    fn verify(&self) -> Result<Vec<Damage>, E> {
        Ok(Vec::new())
    }

    /// Has what [`Derived::verify`] found damaged not take part any more, so that the next catch-up starts over. A function
    /// of the log is removed, anything else quarantined.
    fn quarantine(&self) -> Result<(), E> {
        if self.class().is_rebuilt() {
            return self.remove();
        }
        for path in self.files().iter().filter(|path| path.exists()) {
            set_aside(path)?;
        }
        Ok(())
    }

    /// Takes out whatever it holds of memories that were erased, so that no file of it holds anything of them.
    /// Where it is missing nothing is done.
    fn purge(&self, budget: &mut Budget<'_>) -> Result<(), E>;

    /// Removes all of it.
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
