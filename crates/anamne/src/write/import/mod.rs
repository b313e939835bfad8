//! Imports of JSON lines, folders of Markdown notes, export files, and dumps of key-value stores.

mod binary;
mod dump;
mod earlier;
mod intake;
mod lines;
mod note_ids;
mod notes;
mod older;
mod properties;
mod record;
mod updates;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anamne_types::{GuardNote, MemoryId, NextStep, Remembered};
use serde::{Deserialize, Serialize};

pub use binary::{BinaryImport, BinaryImportReport, ImportedSpace};
pub(crate) use lines::import;
pub(crate) use notes::import_notes;

/// How an import handles invalid lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLines {
    /// The import ends at the first one; earlier lines stay imported.
    #[default]
    Stop,
    /// They are reported and skipped.
    Skip,
}

/// Options of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// How invalid lines are handled.
    pub bad_lines: BadLines,
    /// Whether claims of the import are accepted: trust and importance above the default, assertions about the
    /// knowledge graph, feedback. Needs [`Right::Trust`](crate::Right::Trust).
    ///
    /// Claims for a memory that this store's log contains in the same state are always accepted.
    pub trusted: bool,
    /// Whether a record with the id of a memory that says something else edits it: content, kind and fields, times, and the
    /// tags and metadata that the record has. What the record says as it did at the last import stays as the store changed it
    /// since, and a record with the content of an earlier version changes nothing. Without this,
    /// a record with other content is refused. Weight and reason of a link are edited too, unless the link was written
    /// by anything but imports since the record was exported. A removed link stays removed.
    pub updates: bool,
}

impl ImportOptions {
    /// The same options, with claims accepted.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }

    /// The same options, with edits of memories that the import has in another state.
    #[must_use]
    pub fn updating(mut self) -> Self {
        self.updates = true;
        self
    }
}

impl From<BadLines> for ImportOptions {
    fn from(bad_lines: BadLines) -> Self {
        Self {
            bad_lines,
            trusted: false,
            updates: false,
        }
    }
}

/// Number of memories stored without a claim that nothing verifies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnverifiedClaims {
    /// Trust above that of imports.
    pub trust: u64,
    /// Importance above the default of 5.
    pub importance: u64,
    /// Assertions about the knowledge graph, feedback, and other reserved metadata.
    pub metadata: u64,
}

impl UnverifiedClaims {
    /// Whether no claim was ignored.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Bad lines that a report lists if each line's outcome was told.
const MOST_LISTED: usize = 100;

/// An invalid line or note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLine {
    /// Its number, from 1; for a note, its number in reading order.
    pub line: u64,
    /// The note's path in the imported folder; `None` for a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What is wrong with it.
    pub reason: String,
    /// Whether its memory was stored or known, and only one of its links was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

/// An imported line or note that only rewords a known memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewordedLine {
    /// Its number, from 1; for a note, its number in reading order.
    pub line: u64,
    /// The note's path in the imported folder; `None` for a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The memory that supersedes it.
    pub known: MemoryId,
}

/// A memory whose note an earlier import found in a folder that no longer has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneNote {
    /// The note's former path in the folder.
    pub file: String,
    /// The memory, which stays.
    pub memory: MemoryId,
    /// Its citation.
    pub citation: String,
}

/// What came of one line of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LineOutcome {
    /// Its number, from 1.
    pub line: u64,
    /// The memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MemoryId>,
    /// Whether the memory existed already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// Whether it existed in another state, which the line edited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub updated: bool,
    /// Why it, or one of its links, was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl LineOutcome {
    fn stored(line: u64, taken: &Remembered) -> Self {
        Self {
            line,
            id: Some(taken.id),
            known: taken.duplicate,
            updated: false,
            problem: None,
        }
    }

    fn known(line: u64, id: MemoryId, updated: bool) -> Self {
        Self {
            line,
            id: Some(id),
            known: true,
            updated,
            problem: None,
        }
    }

    fn refused(bad: &BadLine) -> Self {
        Self {
            line: bad.line,
            id: None,
            known: false,
            updated: false,
            problem: Some(bad.reason.clone()),
        }
    }
}

/// The results of an import so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// Lines read, including empty ones; or notes.
    pub lines: u64,
    /// Bytes read.
    pub bytes: u64,
    /// New memories.
    pub imported: u64,
    /// Memories that existed already.
    pub known: u64,
    /// Of these, those that the import edited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub updated: u64,
    /// Of the known ones, those that differ from the import only by what was changed since it said the same; they stay as they are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub newer: u64,
    /// Of the known ones, those that were erased permanently; they stay erased.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased: u64,
    /// If the import updates a folder of notes: the memories whose note it no longer has. Nothing is done to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<GoneNote>,
    /// If a folder of notes is imported: the files in it that are no notes. Hidden ones are not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub passed_over: u64,
    /// Links created.
    pub links: u64,
    /// Claims that were ignored because nothing verifies them.
    #[serde(default, skip_serializing_if = "UnverifiedClaims::is_empty")]
    pub unproven: UnverifiedClaims,
    /// Imported memories that only reword a known one, which supersedes them; looked for if the space has semantic duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reworded: Vec<RewordedLine>,
    /// Skipped lines or notes: invalid, refused by the guard, or of a kind or quality that the space doesn't accept. Also
    /// refused links of stored ones.
    pub bad: Vec<BadLine>,
    /// The secrets and personal data found.
    #[serde(default, skip_serializing_if = "GuardSummary::is_empty")]
    pub guard: GuardSummary,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What the guard found in an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardSummary {
    /// Number of findings by kind.
    pub kinds: BTreeMap<String, u64>,
    /// The first findings, at most [`GuardSummary::MAX_LINES`].
    pub lines: Vec<GuardedLine>,
}

/// A finding in an imported line or note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedLine {
    /// Its number, from 1; for a note, its number in reading order.
    pub line: u64,
    /// The note's path in the imported folder; `None` for a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The field, kind, action and place.
    #[serde(flatten)]
    pub note: GuardNote,
}

impl GuardSummary {
    /// The most listed findings; all are counted.
    pub const MAX_LINES: usize = 100;

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Number of findings.
    pub fn total(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// Adds what was found in a file; notes get the path in its folder.
    pub fn append(&mut self, file: &str, other: Self) {
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        let room = Self::MAX_LINES.saturating_sub(self.lines.len());
        self.lines
            .extend(other.lines.into_iter().take(room).map(|found| GuardedLine {
                file: Some(match found.file {
                    Some(note) => Path::new(file).join(note).display().to_string(),
                    None => file.to_owned(),
                }),
                ..found
            }));
    }

    fn add(&mut self, line: u64, file: Option<&str>, note: GuardNote) {
        *self.kinds.entry(note.kind.clone()).or_default() += 1;
        if self.lines.len() < Self::MAX_LINES {
            let file = file.map(str::to_owned);
            self.lines.push(GuardedLine { line, file, note });
        }
    }
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
            "{imported} imported, {known} known already, {links} links created"
        )
    }
}
