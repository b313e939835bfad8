//! `anamne import`.

mod binary;
mod progress;
mod served;

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anamne::{
    BadLines, Error, GuardSummary, ImportOptions, ImportReport, MemoryId, NextStep, Space,
    UnverifiedClaims,
};
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::{Failure, PartialImport};
use crate::next_step::{on_one_line, report_each, worded};
use crate::output::{Output, memories, report};
use crate::place::Place;
use crate::reached::Reached;
use crate::transcripts::TranscriptImport;
use crate::wording::{duration, file_name, named, number};
use anamne_ingest::transcripts::TranscriptFormat;
use binary::ExportFile;
use progress::Progress;
use served::Watching;

/// Maximum bad lines shown to a person; `--json` has all of them.
const SHOWN_BAD_LINES: usize = 20;

/// Import JSON lines, Markdown notes, export files or the conversations of a host
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A line is an object such as
  {\"id\": \"a1\", \"thread\": \"standup\", \"position\": 0,
   \"time\": \"2026-02-03T09:12:37Z\", \"author\": \"Ada\", \"text\": \"We use tabs\"}
Only `text` (or `content`) is required. Also accepted: session, kind,
category, role, importance, confidence, trust, tags, metadata, expires, links,
the fields of typed memories, and everything that `anamne export` writes.
Exported memories keep their ids, times and links. Other fields become
metadata. Older forms are read too: skill_name, chain_id, thought_number,
timestamp, tool_logs, memory_type, goal, plan, outcome, salience, steps, code,
trigger.

One JSON document that maps keys such as thought:7, chain:2, node:9 and
relation:4 to documents or hashes, or an array of them, is read as a dump:
thoughts in the thread of their chain, nodes and relations as statements about
the knowledge graph (told ones with --trusted).

A folder is read as Markdown notes, such as an Obsidian vault or the output of
`anamne export --format markdown`, a file named NAME.md as one note: properties as above, links as properties
such as supports: \"[[Other note]]\". A note without an id becomes a document
named by its path.

--from HOST imports the conversations that an agent host recorded on this
machine (claude-code, codex, gemini, opencode, cline, cursor): what was said on
the live branch, and one line for each tool call. Each goes to the space of its
project, or to the one that --space names; outside of projects to `unfiled`.
What hooks have captured already is not stored twice.

A file of `anamne export --format binary` is recognised by its first bytes and
verified as a whole before anything is stored. Each of its spaces keeps its
name, or only the one that --space names is taken; --into NAME renames one. A
space that has or had other memories is never merged: the import is refused.
With --trusted the result equals the exported space: history, actors, trust,
assertions and settings, the guard's and the schedule of backups included, and
its texts are not checked again. So trust only files that you made yourself.
Without --trusted its memories are imported like lines: untrusted, without
history and settings.

Imported text is untrusted. Without --trusted an import can't set trust above
0.9, importance above 5, assertions about entities or feedback (they are dropped
and counted), and can't supersede or contradict memories with more trust.
Memories that this store exported itself keep all of them.

Imports are idempotent: if one was interrupted, run it again. A line that can't
be read stops the import (exit code 1); the lines before it stay imported and are
counted in the error. With --skip-bad the import skips lines, notes, folders and
files that can't be read, and reports each; only a store that can't be written,
such as on a full disk, still stops it.

Examples:
  anamne import conversation.jsonl
  anamne import 2026-*.jsonl --skip-bad
  anamne import ~/vault/anamne
  anamne import my-export.jsonl --trusted
  anamne import memories.anamne --trusted
  anamne import memories.anamne --into copy
  anamne import --from claude-code --since \"3 months ago\" --dry-run
  zstd -dc backup.jsonl.zst | anamne import -

With --json: {\"lines\", \"bytes\", \"imported\", \"known\", \"links\", \"bad\": [{\"file\",
  \"line\"?, \"reason\"}], \"unproven\": {\"trust\", \"importance\", \"metadata\"}, \"guard\"?: {\"kinds\":
  {kind: count}, \"lines\": [{\"file\", \"line\", \"field\", \"kind\", \"action\", \"start\",
  \"end\"}]}, \"took_ms\"};
  an error has \"taken\": {\"imported\", \"known\", \"links\"}. For an export file:
  {\"made_at\", \"trusted\", \"spaces\": [{\"space\", \"exported\": its name in the
  file, \"events\", \"known\", \"memories\", \"backups_to\"?, \"import\"?: as
  above}]}. With --from: {\"conversations\", \"kept\",
  \"merged\", \"redacted\", \"skipped\": {reason: count}, \"spaces\": {name: count}, \"bad\": [{\"file\",
  \"line\"?, \"reason\"}], \"took_ms\"}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Import {
    /// Files and folders, in this order; `-` reads standard input
    #[arg(required_unless_present = "from", value_name = "FILE")]
    files: Vec<String>,
    /// Import the conversations that this host recorded on this machine
    #[arg(long, value_name = "HOST", conflicts_with_all = ["files", "skip_bad", "trusted"], value_parser = format_named)]
    from: Option<TranscriptFormat>,
    /// With --from: only conversations changed since this time
    #[arg(long, value_name = "TIME", requires = "from")]
    since: Option<String>,
    /// With --from: read and count, store nothing
    #[arg(long, requires = "from")]
    dry_run: bool,
    /// Skip and report invalid lines, notes and files
    #[arg(long)]
    skip_bad: bool,
    /// Accept the trust, importance, assertions and feedback in the files. For your own exports
    #[arg(long)]
    trusted: bool,
    /// Import without the guard: secrets stay in the texts
    #[arg(long)]
    no_guard: bool,
    /// For an export file: the name of the space
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    into: Option<String>,
}

/// The totals of all files.
#[derive(Debug, Default, Serialize)]
struct Total {
    lines: u64,
    bytes: u64,
    imported: u64,
    known: u64,
    links: u64,
    #[serde(skip_serializing_if = "UnverifiedClaims::is_empty")]
    unproven: UnverifiedClaims,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reworded: Vec<Reworded>,
    bad: Vec<BadLine>,
    #[serde(skip_serializing_if = "GuardSummary::is_empty")]
    guard: GuardSummary,
    took_ms: f64,
}

/// A line that only rewords a known memory.
#[derive(Debug, Serialize)]
struct Reworded {
    file: String,
    line: u64,
    known: MemoryId,
}

#[derive(Debug, Serialize)]
struct BadLine {
    file: String,
    /// Absent if the whole file can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<NextStep>,
    /// Whether it was shown as it happened.
    #[serde(skip)]
    is_shown: bool,
}

impl Import {
    pub(crate) fn run(
        self,
        place: &Place,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.check_place(place)?;
        if let Some(format) = self.from {
            let import = TranscriptImport {
                format,
                since: output.dates.start("since", self.since.as_deref())?,
                dry_run: self.dry_run,
                no_guard: self.no_guard,
            };
            return import.run(place, global, output);
        }
        let started = Instant::now();
        // Before the store is opened, so that a misspelt file name creates no store.
        let sizes = self
            .files
            .iter()
            .map(|file| size_of(file))
            .collect::<Result<Vec<_>, _>>()?;
        let bad_lines = if self.skip_bad {
            BadLines::Skip
        } else {
            BadLines::Stop
        };
        let options = ImportOptions {
            bad_lines,
            trusted: self.trusted,
        };
        let mut first = None;
        if let [file] = self.files.as_slice() {
            match Source::open(file) {
                Ok(Source::Binary(opened)) => {
                    return self.import_export_file(file, opened, options, place, output);
                }
                source => first = Some(source),
            }
        }
        self.refuse_into()?;
        let mut space = place.reached()?;
        if self.no_guard {
            space = space.without_guard()?;
        }
        let progress = Progress::new(sizes.into_iter().sum(), output.is_watched());
        let mut total = Total::default();
        for file in &self.files {
            let opened = match first.take().unwrap_or_else(|| Source::open(file)) {
                Err(error) if self.skip_bad => {
                    total.bad.push(BadLine {
                        file: file.clone(),
                        line: None,
                        reason: format!("can't read it: {error}"),
                        next_step: None,
                        is_shown: false,
                    });
                    continue;
                }
                opened => opened.map_err(|error| unreadable(file, &error))?,
            };
            let mut shown = Vec::new();
            let report = match &space {
                Reached::Here(space) if space.config().guard.skips(file) => {
                    let space = space.without_guard()?;
                    opened.read(file, &space, options, &progress, &total)
                }
                Reached::Here(space) => opened.read(file, space, options, &progress, &total),
                Reached::There(space) => {
                    let shows_refused = self.skip_bad && !output.is_json();
                    let mut watching = Watching::new(&progress, &total, shows_refused);
                    let report = opened.send(file, space, options, &mut watching);
                    shown = watching.shown;
                    report
                }
            };
            total.add(file, report.inspect_err(|_| progress.end())?, &shown);
        }
        let settled = match space.here() {
            Some(space) => space.settle(&mut |view, _| progress.indexing(view)),
            None => Ok(()),
        };
        progress.end();
        total.took_ms = started.elapsed().as_secs_f64() * 1_000.0;
        total.print(output)?;
        if let Err(error) = settled {
            output.warn(format_args!(
                "indexes not updated: {error}; the next command tries again"
            ));
        }
        Ok(())
    }
}

fn format_named(name: &str) -> Result<TranscriptFormat, String> {
    let known = TranscriptFormat::ALL.map(TranscriptFormat::as_str);
    TranscriptFormat::ALL
        .into_iter()
        .find(|format| format.as_str() == name)
        .ok_or_else(|| format!("conversations can be imported from {}", known.join(", ")))
}

/// The size of a file; `None` if it isn't known in advance.
fn size_of(file: &str) -> Result<Option<u64>, Failure> {
    if file == "-" {
        return Ok(None);
    }
    let metadata = std::fs::metadata(file).map_err(|error| unreadable(file, &error))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let name = file_name(Path::new(file));
        return Err(
            Failure::refused("file", format!("can't import {name}: not a regular file"))
                .hint("to import a stream, use a pipe: … | anamne import -"),
        );
    }
    Ok(metadata.is_file().then_some(metadata.len()))
}

fn unreadable(file: &str, error: &std::io::Error) -> Failure {
    let message = format!("can't read {}: {error}", named(file));
    if error.kind() == std::io::ErrorKind::NotFound {
        Failure::not_found(message)
    } else {
        Failure::failed(message)
    }
}

/// The source of records.
enum Source {
    /// With its first bytes, which were read to recognise an export file.
    StandardInput(Vec<u8>),
    Lines(File),
    Notes(PathBuf),
    Binary(ExportFile),
}

impl Source {
    fn open(file: &str) -> std::io::Result<Self> {
        let path = Path::new(file);
        if file == "-" {
            let (is_binary, beginning) = binary::beginning(std::io::stdin())?;
            return Ok(if is_binary {
                Self::Binary(Box::new(Cursor::new(beginning).chain(std::io::stdin())))
            } else {
                Self::StandardInput(beginning)
            });
        }
        if path.is_dir() {
            std::fs::read_dir(path)?;
            return Ok(Self::Notes(path.to_owned()));
        }
        let mut opened = File::open(path)?;
        let (is_binary, _) = binary::beginning(&opened)?;
        opened.rewind()?;
        let is_note = path.extension().is_some_and(|extension| extension == "md");
        Ok(if is_note {
            Self::Notes(path.to_owned())
        } else if is_binary {
            Self::Binary(Box::new(BufReader::with_capacity(1 << 16, opened)))
        } else {
            Self::Lines(opened)
        })
    }

    fn read(
        self,
        file: &str,
        space: &Space,
        options: ImportOptions,
        progress: &Progress,
        before: &Total,
    ) -> Result<ImportReport, Failure> {
        let mut reached = ImportReport::default();
        let mut watch = |report: &ImportReport| {
            progress.reading(before, report);
            reached = report.clone();
        };
        let read = match self {
            Self::StandardInput(beginning) => {
                let rest = BufReader::new(std::io::stdin());
                let reader = Cursor::new(beginning).chain(rest);
                space.import(reader, options, &mut watch)
            }
            Self::Binary(_) => return Err(binary::not_alone(file)),
            Self::Lines(opened) => {
                let reader = BufReader::with_capacity(1 << 16, opened);
                space.import(reader, options, &mut watch)
            }
            Self::Notes(folder) => space.import_notes(&folder, options, &mut watch),
        };
        read.map_err(|error| stopped(file, error, before, &reached))
    }
}

/// The failure that ended an import, with what was imported until then.
fn stopped(file: &str, error: Error, before: &Total, reached: &ImportReport) -> Failure {
    let (message, taken, what) = match error {
        Error::BadLine {
            line,
            reason,
            next_step,
            taken,
        } => {
            let name = if file == "-" { "standard input" } else { file };
            (
                on_one_line(
                    format_args!("{}:{line}: {}", named(name), named(&reason)),
                    next_step,
                ),
                *taken,
                "line",
            )
        }
        Error::BadNote {
            file: note,
            reason,
            next_step,
            taken,
        } => (
            on_one_line(
                format_args!(
                    "{}: {}",
                    file_name(of_file(file, Some(note))),
                    named(&reason)
                ),
                next_step,
            ),
            *taken,
            "note",
        ),
        other => return Failure::from(other).taken(sum(before, reached)),
    };
    Failure::failed(message)
        .hint(format!(
            "everything before this {what} is imported; fix it and run the import again, or use --skip-bad"
        ))
        .taken(sum(before, &taken))
}

fn sum(before: &Total, report: &ImportReport) -> PartialImport {
    PartialImport {
        imported: before.imported + report.imported,
        known: before.known + report.known,
        links: before.links + report.links,
    }
}

/// A refused line, for a person.
fn refused_line(file: &str, line: u64, reason: &str) -> String {
    format!("{}:{line}: {}", named(file), named(reason))
}

/// The path of a note of a folder, or the file itself.
fn of_file(file: &str, note: Option<String>) -> String {
    match note {
        Some(_) if Path::new(file).is_file() => file.to_owned(),
        Some(note) => Path::new(file).join(note).display().to_string(),
        None => file.to_owned(),
    }
}

impl Total {
    /// Adds the report of a file, of which the refused lines `shown` were shown already.
    fn add(&mut self, file: &str, report: ImportReport, shown: &[u64]) {
        self.lines += report.lines;
        self.bytes += report.bytes;
        self.imported += report.imported;
        self.known += report.known;
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
            file: of_file(file, bad.file),
            line: Some(bad.line),
            reason: bad.reason,
            next_step: bad.next_step,
            is_shown: shown.contains(&bad.line),
        }));
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        if output.is_json() {
            return output.json(&worded(self));
        }
        self.report_bad(output);
        self.report_reworded(output);
        let mut parts = vec![format!("{} imported", memories(self.imported))];
        let also = [
            (self.known, "known already"),
            (self.links, "links drawn"),
            (self.reworded.len() as u64, "reworded"),
            (self.bad.len() as u64, "lines skipped"),
        ];
        parts.extend(
            also.iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{} {what}", number(*count))),
        );
        output.line(format_args!(
            "{} in {}",
            parts.join(", "),
            duration(self.took_ms)
        ))?;
        self.report_unverified(output);
        self.report_guarded(output);
        Ok(())
    }

    /// Reports the skipped lines, notes and files.
    fn report_bad(&self, output: &Output) {
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
    fn report_reworded(&self, output: &Output) {
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

    /// Reports what the guard redacted and marked.
    fn report_guarded(&self, output: &Output) {
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
    fn report_unverified(&self, output: &Output) {
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
