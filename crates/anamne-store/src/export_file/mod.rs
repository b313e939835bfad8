//! Export files: whole spaces with their history in one compressed, checksummed file.
//!
//! A file is a header and a sequence of sections. Each is small enough to be held in memory, and its digest covers
//! everything before it, so that the last one covers the whole file. Writing and reading take one pass. A file is
//! foreign: it is read into a folder of its own, verified there, and only then becomes a space.

mod adopting;
mod checking;
mod section;
mod staging;
mod stored;
#[cfg(test)]
mod tests;
mod writing;

use std::path::{Path, PathBuf};

use anamne_types::Seq;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::Digest;

pub use adopting::StagedContent;
pub use section::EXPORT_FORMAT;
pub use staging::{StagedExport, StagedSpace, is_export_file, stage_export};
pub use writing::{ExportFailure, write_export_file};

/// Maximum number of spaces in a file.
const MAX_SPACES: usize = 10_000;

/// Data beside the memories that an export file can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportExtra {
    /// What a language model read in the memories, which cost money.
    Paid,
    /// The query log and what was learned from it.
    Observed,
    /// Cached results of tools.
    External,
}

impl ExportExtra {
    /// All of them, in the order of their sections.
    pub const ALL: [Self; 3] = [Self::Paid, Self::Observed, Self::External];

    /// The spelling on the command line and in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Observed => "observed",
            Self::External => "external",
        }
    }

    /// The only path that its content is read from and written to, in the folder of a space.
    fn path(self, space: &Path) -> PathBuf {
        space.join(match self {
            Self::Paid => "paid/readings.db",
            Self::Observed => "observed/meta.db",
            Self::External => "external/tool-results.db",
        })
    }
}

/// A space in an export file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportedSpace {
    /// Its name.
    pub name: String,
    /// Its last event.
    pub last_seq: Seq,
    /// The hash of its chain after that event.
    pub last_hash: Digest,
}

/// The first section of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportManifest {
    made_at: Timestamp,
    spaces: Vec<ExportedSpace>,
    extras: Vec<ExportExtra>,
}

/// A written export file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenExport {
    /// The spaces in it.
    pub spaces: Vec<ExportedSpace>,
    /// What it contains beside the memories.
    pub extras: Vec<ExportExtra>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its digest: the last 32 bytes of the file, in hexadecimal.
    pub digest: String,
}
