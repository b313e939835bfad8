//! Imports the conversations that agent hosts recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anamne::{Draft, HookLog, Space, Store, StoreError};
use anamne_ingest::transcripts::{
    self, Conversation, Position, TranscriptError, TranscriptFile, TranscriptFormat,
};
use jiff::Timestamp;
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::hooks;
use crate::output::{Output, counted, memories};
use crate::place::Place;
use crate::progress::Bar;
use crate::wording::{duration, file_name, number};

/// Drafts that are stored in one transaction.
const BATCH: usize = 500;

/// Problems that are listed for a person; `--json` has all of them.
const SHOWN_PROBLEMS: usize = 20;

/// What to import.
pub(crate) struct TranscriptImport {
    pub(crate) format: TranscriptFormat,
    /// Only conversations that were changed at or after this time.
    pub(crate) since: Option<Timestamp>,
    /// Read everything, store nothing.
    pub(crate) dry_run: bool,
    /// Leave secrets in the texts.
    pub(crate) no_guard: bool,
}

/// What was imported.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TranscriptReport {
    conversations: u64,
    /// Messages that are new.
    kept: u64,
    /// Messages that were stored before, also if they were erased since.
    merged: u64,
    /// Findings of the guard in new messages.
    redacted: u64,
    /// Messages without a time of their own, which got that of another message or of the file.
    undated: u64,
    skipped: SkippedEntries,
    /// New messages by space.
    spaces: BTreeMap<String, u64>,
    bad: Vec<Problem>,
    took_ms: f64,
}

/// What was left out of conversations.
#[derive(Debug, Default, Serialize)]
struct SkippedEntries {
    /// Conversations from before `--since`.
    older: u64,
    /// Entries that are no conversation.
    other: u64,
    /// Messages of abandoned branches.
    abandoned: u64,
    /// Messages without text, and texts that hosts and hooks added.
    empty: u64,
    /// Entries that can't be read.
    unreadable: u64,
    /// Messages that the guard refuses.
    refused: u64,
}

/// A file or line that can't be read.
#[derive(Debug, Serialize)]
struct Problem {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    reason: String,
}

impl TranscriptImport {
    /// Imports, and prints the report.
    pub(crate) fn run(
        &self,
        place: &Place,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let report = self.carry_out(place, global, output)?;
        if output.is_json() {
            return output.json(&report);
        }
        self.print(&report, output)
    }

    /// Imports, with a progress bar for whoever watches.
    pub(crate) fn carry_out(
        &self,
        place: &Place,
        global: &Global,
        output: &Output,
    ) -> Result<TranscriptReport, Failure> {
        let started = Instant::now();
        let (files, problems) = transcripts::find(self.format, &hooks::machine());
        let mut report = TranscriptReport::default();
        for problem in &problems {
            report.add_problem(problem);
        }
        if files.is_empty() && report.bad.is_empty() {
            return Err(Failure::not_found(format!(
                "no conversations of {} were found on this machine",
                self.format
            )));
        }
        let bytes = files.iter().map(|file| file.bytes).sum();
        let bar = output
            .is_watched()
            .then(|| Bar::new("{bar:24} {percent:>3} % {msg} · {eta} to go", Some(bytes)).tick());
        let mut spaces = Spaces::new(place, global, self);
        let mut read = 0;
        for file in &files {
            read += file.bytes;
            self.import_file(file, &mut spaces, &mut report)?;
            if let Some(bar) = &bar {
                bar.reached(read, &rate(&report, started.elapsed()));
            }
        }
        spaces.settle()?;
        if let Some(bar) = &bar {
            bar.end();
        }
        report.took_ms = started.elapsed().as_secs_f64() * 1_000.0;
        Ok(report)
    }

    fn import_file(
        &self,
        file: &TranscriptFile,
        spaces: &mut Spaces<'_>,
        report: &mut TranscriptReport,
    ) -> Result<(), Failure> {
        let is_older = |since: Timestamp| file.modified.is_some_and(|changed| changed < since);
        if self.since.is_some_and(is_older) {
            report.skipped.older += 1;
            return Ok(());
        }
        report.conversations += 1;
        let mut from = Position::default();
        loop {
            let conversation = match transcripts::read(file, from) {
                Ok(conversation) => conversation,
                Err(problem) => {
                    report.add_problem(&problem);
                    return Ok(());
                }
            };
            report.add_skipped(file, &conversation);
            report.undated += conversation.undated;
            let drafts = conversation.drafts(self.format);
            if !drafts.is_empty() {
                let target = spaces.of(conversation.folder.as_deref())?;
                let read = drafts.len();
                let new = target.without_told(&conversation.session, drafts)?;
                report.merged += (read - new.len()) as u64;
                report.store(&new, target)?;
            }
            match conversation.reached {
                Some(reached) if conversation.more && reached.bytes > from.bytes => from = reached,
                _ => return Ok(()),
            }
        }
    }

    /// Prints a report for a person.
    pub(crate) fn print(
        &self,
        report: &TranscriptReport,
        output: &mut Output,
    ) -> Result<(), Failure> {
        for problem in report.bad.iter().take(SHOWN_PROBLEMS) {
            let line = problem
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            let file = file_name(&problem.file);
            output.warn(format_args!("{file}{line}: {}", problem.reason));
        }
        let (kept, took) = (memories(report.kept), duration(report.took_ms));
        let read = counted(report.conversations, "conversation");
        if self.dry_run {
            // Only storing finds out what is stored already.
            output.line(format_args!("{kept} in {read}, read in {took}"))?;
        } else {
            let merged = number(report.merged);
            output.line(format_args!(
                "{kept} from {read} imported, {merged} stored before, in {took}"
            ))?;
        }
        for (space, count) in &report.spaces {
            output.line(format_args!("  {space}: {}", memories(*count)))?;
        }
        let skipped = report.skipped.worded();
        if !skipped.is_empty() {
            output.note(format_args!("left out: {}", skipped.join(", ")));
        }
        if report.undated > 0 {
            output.note(format_args!(
                "{} without a time got that of another message, or of the file",
                counted(report.undated, "message")
            ));
        }
        if report.redacted > 0 {
            output.note(format_args!(
                "guard: {} redacted or marked",
                counted(report.redacted, "finding")
            ));
        }
        Ok(())
    }
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
                refused,
                "message refused by the guard",
                "messages refused by the guard",
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
fn rate(report: &TranscriptReport, elapsed: Duration) -> String {
    let read = report.kept + report.merged;
    let rate = read as f64 / elapsed.as_secs_f64().max(0.001);
    format!("{} · {}/s", memories(read), number(rate as u64))
}

impl TranscriptReport {
    fn add_problem(&mut self, error: &TranscriptError) {
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

    fn add_skipped(&mut self, file: &TranscriptFile, conversation: &Conversation) {
        let skipped = &conversation.skipped;
        self.skipped.other += skipped.other;
        self.skipped.abandoned += skipped.abandoned;
        self.skipped.empty += skipped.empty;
        self.skipped.unreadable += skipped.bad_count;
        self.bad
            .extend(skipped.bad.iter().map(|(line, reason)| Problem {
                file: file.path.display().to_string(),
                line: Some(*line),
                reason: reason.clone(),
            }));
    }

    fn store(&mut self, drafts: &[Draft], target: &Target) -> Result<(), Failure> {
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
                    Err(StoreError::WasErased { .. }) => self.merged += 1,
                    Err(_) => self.skipped.refused += 1,
                }
            }
        }
        Ok(())
    }
}

/// The spaces of conversations: the one that was named, else that of the project of each.
struct Spaces<'a> {
    place: &'a Place,
    global: &'a Global,
    import: &'a TranscriptImport,
    store: Option<Store>,
    known: BTreeMap<Option<PathBuf>, Target>,
}

/// Where the messages of a folder go.
struct Target {
    name: String,
    /// `None` if nothing is stored.
    space: Option<Space>,
    /// What hooks did; `None` if nothing is stored.
    log: Option<HookLog>,
}

impl Target {
    /// The messages that hooks didn't store before the transcript was there.
    fn without_told(&self, session: &str, drafts: Vec<Draft>) -> Result<Vec<Draft>, Failure> {
        let Some(log) = &self.log else {
            return Ok(drafts);
        };
        match log.session(session)? {
            Some(session) => hooks::without_told(log, &session, drafts),
            None => Ok(drafts),
        }
    }
}

impl<'a> Spaces<'a> {
    fn new(place: &'a Place, global: &'a Global, import: &'a TranscriptImport) -> Self {
        Self {
            place,
            global,
            import,
            store: None,
            known: BTreeMap::new(),
        }
    }

    fn of(&mut self, folder: Option<&Path>) -> Result<&Target, Failure> {
        let key = folder.map(Path::to_owned);
        if !self.known.contains_key(&key) {
            let target = self.open(folder)?;
            self.known.insert(key.clone(), target);
        }
        Ok(&self.known[&key])
    }

    fn open(&mut self, folder: Option<&Path>) -> Result<Target, Failure> {
        let name = if self.place.is_named() {
            self.place.space_name().to_string()
        } else {
            hooks::space_of(self.global, folder, !self.import.dry_run)?
        };
        if self.import.dry_run {
            return Ok(Target {
                name,
                space: None,
                log: None,
            });
        }
        let store = match &self.store {
            Some(store) => store.clone(),
            None => self.place.store()?,
        };
        let mut space = store.space(&name)?;
        let log = Some(store.hook_log()?);
        self.store = Some(store);
        if self.import.no_guard {
            space = space.without_guard()?;
        }
        Ok(Target {
            name,
            space: Some(space),
            log,
        })
    }

    /// Updates the indexes of every space.
    fn settle(&self) -> Result<(), Failure> {
        for target in self.known.values() {
            if let Some(space) = &target.space {
                space.settle(&mut |_, _| {})?;
            }
        }
        Ok(())
    }
}
