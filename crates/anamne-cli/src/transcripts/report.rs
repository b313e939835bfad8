//! What came of an import of conversations.

use std::collections::BTreeMap;
use std::time::Duration;

use anamne::{Draft, MemoryId, StoreError};
use anamne_ingest::transcripts::{Conversation, TranscriptError, TranscriptFile};
use serde::Serialize;

use super::Target;
use crate::failure::Failure;
use crate::output::{Output, counted, memories};
use crate::wording::{duration, file_name, number};

/// Drafts that are stored in one transaction.
const BATCH: usize = 500;

/// Problems that are listed for a person; `--json` has all of them.
const SHOWN_PROBLEMS: usize = 20;

/// What was imported.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TranscriptReport {
    pub(super) conversations: u64,
    /// Messages that are new.
    pub(super) kept: u64,
    /// Messages that were stored before, also if they were edited or erased since.
    pub(super) merged: u64,
    /// Findings of the guard in new messages.
    redacted: u64,
    /// Messages without a time of their own, which got that of another message or of the file.
    pub(super) undated: u64,
    pub(super) skipped: SkippedEntries,
    /// Why the first of the refused messages was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
    /// Stored messages whose branch was abandoned since. They stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) abandoned: Vec<AbandonedMessage>,
    /// New messages by space.
    spaces: BTreeMap<String, u64>,
    pub(super) bad: Vec<Problem>,
    pub(super) took_ms: f64,
}

/// A stored message whose branch was abandoned since.
#[derive(Debug, Serialize)]
pub(super) struct AbandonedMessage {
    pub(super) space: String,
    pub(super) memory: MemoryId,
    pub(super) citation: String,
}

/// What was left out of conversations.
#[derive(Debug, Default, Serialize)]
pub(super) struct SkippedEntries {
    /// Conversations from before `--since`.
    pub(super) older: u64,
    /// Entries that are no conversation.
    other: u64,
    /// Messages of abandoned branches.
    abandoned: u64,
    /// Messages without text, and texts that hosts and hooks added.
    empty: u64,
    /// Entries that can't be read.
    unreadable: u64,
    /// Ends of messages that are too long.
    cut: u64,
    /// Messages that the guard or the settings of the space refuse.
    refused: u64,
}

/// A file or line that can't be read.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    reason: String,
}

impl SkippedEntries {
    /// How many of each, in words.
    fn worded(&self) -> Vec<String> {
        let SkippedEntries {
            older,
            other,
            abandoned,
            empty,
            unreadable,
            cut,
            refused,
        } = *self;
        [
            (older, "older conversation", "older conversations"),
            (
                abandoned,
                "message of an abandoned branch",
                "messages of abandoned branches",
            ),
            (
                empty,
                "empty or injected message",
                "empty or injected messages",
            ),
            (
                other,
                "entry that is no conversation",
                "entries that are no conversation",
            ),
            (unreadable, "unreadable entry", "unreadable entries"),
            (
                cut,
                "end of a message of more than a megabyte",
                "ends of messages of more than a megabyte",
            ),
            (
                refused,
                "message that the space refuses",
                "messages that the space refuses",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| match count {
            1 => format!("1 {one}"),
            _ => format!("{} {many}", number(count)),
        })
        .collect()
    }
}

/// `1,204 memories · 3,000/s`.
pub(super) fn rate(report: &TranscriptReport, elapsed: Duration) -> String {
    let read = report.kept + report.merged;
    let rate = read as f64 / elapsed.as_secs_f64().max(0.001);
    format!("{} · {}/s", memories(read), number(rate as u64))
}

impl TranscriptReport {
    /// Prints a report for a person.
    pub(crate) fn print(&self, dry_run: bool, output: &mut Output) -> Result<(), Failure> {
        for problem in self.bad.iter().take(SHOWN_PROBLEMS) {
            let line = problem
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            let file = file_name(&problem.file);
            output.warn(format_args!("{file}{line}: {}", problem.reason));
        }
        let (kept, took) = (memories(self.kept), duration(self.took_ms));
        let read = counted(self.conversations, "conversation");
        if dry_run {
            // Only storing finds out what is stored already.
            output.line(format_args!("{kept} in {read}, read in {took}"))?;
        } else {
            let merged = number(self.merged);
            output.line(format_args!(
                "{kept} from {read} imported, {merged} stored before, in {took}"
            ))?;
        }
        for (space, count) in &self.spaces {
            output.line(format_args!("  {space}: {}", memories(*count)))?;
        }
        let skipped = self.skipped.worded();
        if !skipped.is_empty() {
            output.note(format_args!("left out: {}", skipped.join(", ")));
        }
        if let Some(refusal) = &self.refusal {
            output.note(format_args!("refused: {refusal}"));
        }
        self.print_abandoned(output);
        if self.undated > 0 {
            output.note(format_args!(
                "{} without a time got that of another message, or of the file",
                counted(self.undated, "message")
            ));
        }
        if self.redacted > 0 {
            output.note(format_args!(
                "guard: {} redacted or marked",
                counted(self.redacted, "finding")
            ));
        }
        Ok(())
    }

    /// The exit: an import that can't read something is incomplete.
    pub(super) fn outcome(&self) -> Result<(), Failure> {
        if self.bad.is_empty() && self.skipped.unreadable == 0 {
            Ok(())
        } else {
            Err(Failure::Incomplete)
        }
    }

    pub(super) fn add_problem(&mut self, error: &TranscriptError) {
        let (TranscriptError::Io { path: file, .. } | TranscriptError::Unknown { path: file, .. }) =
            error
        else {
            return;
        };
        self.bad.push(Problem {
            file: file.display().to_string(),
            line: None,
            reason: error.to_string(),
        });
    }

    /// Names the stored messages of abandoned branches, by space.
    fn print_abandoned(&self, output: &mut Output) {
        let mut spaces: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for AbandonedMessage {
            space, citation, ..
        } in &self.abandoned
        {
            spaces.entry(space).or_default().push(citation);
        }
        for (space, citations) in spaces {
            let count = citations.len();
            let mut named = citations;
            named.truncate(SHOWN_PROBLEMS);
            let rest = if count > named.len() { " …" } else { "" };
            output.note(format_args!(
                "{} stored before in {space}, of branches abandoned since; `anamne --space {space} forget {}{rest}` forgets them",
                counted(count as u64, "message"),
                named.join(" "),
            ));
        }
    }

    pub(super) fn add_skipped(&mut self, file: &TranscriptFile, conversation: &Conversation) {
        let skipped = &conversation.skipped;
        self.skipped.other += skipped.other;
        self.skipped.abandoned += skipped.abandoned;
        self.skipped.empty += skipped.empty;
        self.skipped.cut += skipped.cut;
        self.skipped.unreadable += skipped.bad_count;
        self.bad
            .extend(skipped.bad.iter().map(|(line, reason)| Problem {
                file: file.path.display().to_string(),
                line: Some(*line),
                reason: reason.clone(),
            }));
    }

    pub(super) fn store(&mut self, drafts: &[Draft], target: &Target) -> Result<(), Failure> {
        let kept = self.spaces.entry(target.name.clone()).or_default();
        let Some(space) = &target.space else {
            self.kept += drafts.len() as u64;
            *kept += drafts.len() as u64;
            return Ok(());
        };
        for batch in drafts.chunks(BATCH) {
            for outcome in space.remember_each(batch)? {
                match outcome {
                    Ok(remembered) if remembered.duplicate => self.merged += 1,
                    Ok(remembered) => {
                        self.kept += 1;
                        *kept += 1;
                        self.redacted += remembered.guard.len() as u64;
                    }
                    Err(StoreError::WasErased { .. } | StoreError::Conflict { .. }) => {
                        self.merged += 1;
                    }
                    Err(refused) => {
                        self.skipped.refused += 1;
                        self.refusal.get_or_insert_with(|| refused.to_string());
                    }
                }
            }
        }
        Ok(())
    }
}
