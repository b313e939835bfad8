//! `views/experience.db`: what was experienced, folded from the log.
//!
//! Each record of the log adds rows of its own, and nothing is counted in advance: answers are computed from the rows of
//! a situation, of which the newest few hundred are read. So the content does not depend on the batches in which the log
//! was read, and a forgotten record leaves no trace in any count.

mod cases;
mod codes;
mod courses;
mod examples;
mod fold;
mod insert;
mod near;
mod records;
mod recoveries;
mod runs;
mod searches;
mod texts;
mod trajectories;
mod uses;

use std::path::Path;

use anamne_store::view::Health;
use anamne_store::{SideDatabase, SideFile, UnusableFile};
use anamne_types::Seq;
use rusqlite::{Connection, Transaction};

use crate::ExperienceError;

pub use cases::{Case, CaseFilter};
pub use codes::SimilarText;
pub(crate) use codes::likeness;
pub use recoveries::{Recovery, RecoveryCase};
pub use runs::{RunChance, RunShares, RunSummary};
pub use searches::{SearchCase, StrategyCount, StrategyWeek, WeekOfSearches};
pub use trajectories::Trajectory;

/// The version of the file format.
pub const EXPERIENCE_FORMAT: i64 = 8;

const DATABASE: SideDatabase = SideDatabase {
    // `Anmn` in ASCII.
    application_id: 0x416e_6d6e,
    unusable: UnusableFile::ReplacedWhere(|_| Ok(false)),
    ..SideDatabase::new(EXPERIENCE_FORMAT, include_str!("schema.sql"))
};

/// The experience of a space: a view of its log in one SQLite file, which several processes may use at once.
#[derive(Debug)]
pub struct ExperienceView {
    file: SideFile,
}

impl ExperienceView {
    /// The view at `path`; created when first used. No I/O.
    pub fn at(path: &Path) -> Self {
        Self {
            file: SideFile::at(DATABASE, path),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The last event applied; 0 if there is no file.
    pub fn watermark(&self) -> Result<Seq, ExperienceError> {
        if !self.file.exists() {
            return Ok(Seq(0));
        }
        self.with(|connection| fold::watermark(connection))
    }

    /// Checks the whole file; broken if it is damaged. O(bytes of the file).
    pub fn verify(&self) -> Result<Health, ExperienceError> {
        let check = "PRAGMA integrity_check(1)";
        let found: String =
            self.with(|connection| connection.query_row(check, [], |row| row.get(0)))?;
        Ok(if found == "ok" {
            Health::Whole
        } else {
            Health::Broken(found)
        })
    }

    /// Deletes it.
    pub fn remove(&self) -> Result<(), ExperienceError> {
        Ok(self.file.remove()?)
    }

    fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ExperienceError> {
        self.file.with(|connection| Ok(work(connection)?))
    }

    fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>) -> Result<T, ExperienceError>,
    ) -> Result<T, ExperienceError> {
        self.file.change(|transaction| work(transaction))
    }
}
