//! What came of all files of an import.

use std::path::Path;

use anamne::{GoneNote, GuardSummary, ImportReport, MemoryId, NextStep, UnverifiedClaims};
use serde::Serialize;

use crate::failure::{Failure, PartialImport};
use crate::next_step::{report_each, worded};
use crate::output::{Output, counted, memories, report};
use crate::wording::{duration, named, number};

/// Maximum bad lines shown to a person; `--json` has all of them.
pub(super) const SHOWN_BAD_LINES: usize = 20;

/// The totals of all files.
#[derive(Debug, Default, Serialize)]
pub(super) struct Total {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) imported: u64,
    pub(super) known: u64,
    pub(super) updated: u64,
    pub(super) newer: u64,
    pub(super) erased: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) gone: Vec<GoneNote>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) passed_over: u64,
    /// The folders in which no note was found.
    #[serde(skip)]
    without_notes: Vec<String>,
    pub(super) links: u64,
    #[serde(skip_serializing_if = "UnverifiedClaims::is_empty")]
    pub(super) unproven: UnverifiedClaims,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reworded: Vec<Reworded>,
    pub(super) bad: Vec<BadLine>,
    #[serde(skip_serializing_if = "GuardSummary::is_empty")]
    pub(super) guard: GuardSummary,
    pub(super) took_ms: f64,
}

/// A line that only rewords a known memory.
#[derive(Debug, Serialize)]
pub(super) struct Reworded {
    pub(super) file: String,
    line: u64,
    pub(super) known: MemoryId,
}

#[derive(Debug, Serialize)]
pub(super) struct BadLine {
    pub(super) file: String,
    /// Absent for a note, and if the whole file can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
    pub(super) reason: String,
    /// Whether it was stored, and only a link was refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stored: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_step: Option<NextStep>,
    /// Whether it was shown as it happened.
    #[serde(skip)]
    pub(super) is_shown: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Total {
    /// Adds the report of a file, of which the refused lines `shown` were shown already.
    pub(super) fn add(&mut self, file: &str, report: ImportReport, shown: &[u64]) {
        if report.lines == 0 && Path::new(file).is_dir() {
            self.without_notes.push(file.to_owned());
        }
        self.passed_over += report.passed_over;
        self.lines += report.lines;
        self.bytes += report.bytes;
        self.imported += report.imported;
        self.known += report.known;
        self.updated += report.updated;
        self.newer += report.newer;
        self.erased += report.erased;
        self.gone
            .extend(report.gone.into_iter().map(|gone| GoneNote {
                file: of_file(file, Some(gone.file)),
                ..gone
            }));
        self.links += report.links;
        self.unproven.trust += report.unproven.trust;
        self.unproven.importance += report.unproven.importance;
        self.unproven.metadata += report.unproven.metadata;
        self.guard.append(file, report.guard);
        self.reworded
            .extend(report.reworded.into_iter().map(|reworded| Reworded {
                file: of_file(file, reworded.file),
                line: reworded.line,
                known: reworded.known,
            }));
        self.bad.extend(report.bad.into_iter().map(|bad| BadLine {
            // A note is named by its file; its number says nothing to a person.
            line: bad.file.is_none().then_some(bad.line),
            file: of_file(file, bad.file),
            reason: bad.reason,
            stored: bad.stored,
            next_step: bad.next_step,
            is_shown: shown.contains(&bad.line),
        }));
    }

    /// The result of an import that did everything except what it skipped.
    pub(super) fn outcome(&self) -> Result<(), Failure> {
        if self.bad.is_empty() {
            Ok(())
        } else {
            Err(Failure::Incomplete)
        }
    }

    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        if output.is_json() {
            return output.json(&worded(self));
        }
        self.report_bad(output);
        self.report_reworded(output);
        self.report_gone(output);
        for folder in &self.without_notes {
            let folder = named(folder);
            output.note(format_args!(
                "{folder}: no notes; a folder is read for files named NAME.md"
            ));
        }
        let without_link = self.bad.iter().filter(|bad| bad.stored).count();
        let mut parts = vec![format!("{} imported", memories(self.imported))];
        let known = self.known - self.updated - self.newer - self.erased;
        let skipped = self.bad.len() - without_link;
        let also = [
            (known, "", "known already"),
            (self.updated, "", "updated"),
            (self.newer, "", "newer in the store"),
            (self.erased, "", "erased permanently before"),
            (self.gone.len() as u64, "", "without their note"),
            (self.links, "link", "drawn"),
            (self.reworded.len() as u64, "", "reworded"),
            (without_link as u64, "link", "refused"),
            (skipped as u64, "", "skipped"),
            (self.passed_over, "other file", "passed over"),
        ];
        let shown = also.into_iter().filter(|(count, ..)| *count > 0);
        parts.extend(shown.map(|(count, thing, what)| match thing {
            "" => format!("{} {what}", number(count)),
            thing => format!("{} {what}", counted(count, thing)),
        }));
        output.line(format_args!(
            "{} in {}",
            parts.join(", "),
            duration(self.took_ms)
        ))?;
        self.report_unverified(output);
        self.report_guarded(output);
        Ok(())
    }

    /// Reports the skipped lines, notes and files, and the refused links.
    pub(super) fn report_bad(&self, output: &Output) {
        let first = self.bad.iter().take(SHOWN_BAD_LINES);
        for bad in first.filter(|bad| !bad.is_shown) {
            match bad.line {
                Some(line) => report(refused_line(&bad.file, line, &bad.reason)),
                None => report(format_args!("{}: {}", named(&bad.file), named(&bad.reason))),
            }
        }
        let shown = self.bad.iter().take(SHOWN_BAD_LINES);
        report_each(shown.filter_map(|bad| bad.next_step));
        if self.bad.len() > SHOWN_BAD_LINES {
            output.note(format_args!(
                "… and {} more",
                self.bad.len() - SHOWN_BAD_LINES
            ));
        }
    }

    /// Names the lines that only reword a known memory.
    pub(super) fn report_reworded(&self, output: &Output) {
        for reworded in self.reworded.iter().take(SHOWN_BAD_LINES) {
            output.note(format_args!(
                "{}:{}: rewords {}, which supersedes it",
                named(&reworded.file),
                reworded.line,
                reworded.known
            ));
        }
        if self.reworded.len() > SHOWN_BAD_LINES {
            let more = self.reworded.len() - SHOWN_BAD_LINES;
            output.note(format_args!("… and {more} more"));
        }
    }

    /// Names the memories whose note is gone.
    pub(super) fn report_gone(&self, output: &Output) {
        for gone in self.gone.iter().take(SHOWN_BAD_LINES) {
            let (file, citation) = (named(&gone.file), &gone.citation);
            output.note(format_args!("{file}: the note is gone; {citation} stays"));
        }
        if self.gone.len() > SHOWN_BAD_LINES {
            let more = self.gone.len() - SHOWN_BAD_LINES;
            output.note(format_args!("… and {more} more"));
        }
    }

    /// Reports what the guard redacted and marked.
    pub(super) fn report_guarded(&self, output: &Output) {
        for found in self.guard.lines.iter().take(SHOWN_BAD_LINES) {
            let file = named(found.file.as_deref().unwrap_or_default());
            let note = &found.note;
            output.note(format_args!(
                "{file}:{}: {} ({})",
                found.line, note.kind, note.action
            ));
        }
        if !self.guard.is_empty() {
            let kinds = self.guard.kinds.iter();
            let kinds: Vec<_> = kinds
                .map(|(kind, count)| format!("{kind} ({count})"))
                .collect();
            output.note(format_args!(
                "secrets and personal data: {}",
                kinds.join(", ")
            ));
        }
    }

    /// Reports the claims that were ignored.
    pub(super) fn report_unverified(&self, output: &Output) {
        let claims = [
            (self.unproven.trust, "trust above 0.9"),
            (self.unproven.importance, "importance above 5"),
            (self.unproven.metadata, "reserved metadata"),
        ];
        let stored: Vec<String> = claims
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{what} of {}", memories(*count)))
            .collect();
        if !stored.is_empty() {
            output.warn(format_args!(
                "ignored claims of an untrusted file: {}; for your own exports, use --trusted",
                stored.join(", ")
            ));
        }
    }
}
/// A refused line, for a person.
pub(super) fn refused_line(file: &str, line: u64, reason: &str) -> String {
    format!("{}:{line}: {}", named(file), named(reason))
}

/// The path of a note of a folder, or the file itself.
pub(super) fn of_file(file: &str, note: Option<String>) -> String {
    match note {
        Some(_) if Path::new(file).is_file() => file.to_owned(),
        Some(note) => Path::new(file).join(note).display().to_string(),
        None => file.to_owned(),
    }
}

pub(super) fn sum(before: &Total, report: &ImportReport) -> PartialImport {
    PartialImport {
        imported: before.imported + report.imported,
        known: before.known + report.known,
        links: before.links + report.links,
    }
}
