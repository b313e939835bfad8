//! Reading memories: JSON lines, and folders of Markdown notes.

mod intake;
mod lines;
mod notes;
mod record;

use std::fmt;

use serde::Serialize;

pub(crate) use lines::import;
pub(crate) use notes::import_notes;

/// How an import deals with what can't be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLines {
    /// The import ends at the first one; what came before it stays.
    #[default]
    Stop,
    /// They are reported and passed over.
    Skip,
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
    /// Lines or notes that were passed over.
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
            "{imported} imported, {known} known already, {links} links drawn"
        )
    }
}
