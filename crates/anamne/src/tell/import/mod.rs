//! Reading memories: JSON lines, and folders of Markdown notes.

mod intake;
mod lines;
mod notes;
mod record;

use std::fmt;

use anamne_types::NextStep;
use serde::Serialize;

pub(crate) use lines::import;
pub(crate) use notes::import_notes;

/// How an import deals with what can't be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLines {
    /// The import ends at the first one; what came before it stays.
    #[default]
    Stop,
    /// They are reported and skipped.
    Skip,
}

/// How an import is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// What happens to lines that can't be taken.
    pub bad_lines: BadLines,
    /// Whether what it says of itself is believed: trust and importance above the usual, assertions about the
    /// knowledge graph, feedback. Needs [`Right::Trust`](crate::Right::Trust).
    ///
    /// A memory that this store's log holds in the same state is believed anyway.
    pub trusted: bool,
}

impl ImportOptions {
    /// The same, believed.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }
}

impl From<BadLines> for ImportOptions {
    fn from(bad_lines: BadLines) -> Self {
        Self {
            bad_lines,
            trusted: false,
        }
    }
}

/// How many memories were taken without something that they claimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unproven {
    /// Trust above that of imports.
    pub trust: u64,
    /// Importance above the usual 5.
    pub importance: u64,
    /// Assertions about the knowledge graph, feedback, and other reserved metadata.
    pub metadata: u64,
}

impl Unproven {
    /// Whether everything was taken as it was claimed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A line or note that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// Its number, from 1; for a note, how many notes were read up to it.
    pub line: u64,
    /// The note's path in the folder that was imported; `None` for a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What is wrong with it.
    pub reason: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

/// What an import did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Lines read, empty ones included; or notes.
    pub lines: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Memories that are new.
    pub imported: u64,
    /// Memories that were there already.
    pub known: u64,
    /// Links that were drawn.
    pub links: u64,
    /// Claims that were ignored because nothing verifies them.
    #[serde(skip_serializing_if = "Unproven::is_empty")]
    pub unproven: Unproven,
    /// Lines or notes that were skipped.
    pub bad: Vec<BadLine>,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            imported,
            known,
            links,
            ..
        } = self;
        write!(
            formatter,
            "{imported} imported, {known} already stored, {links} links created"
        )
    }
}
