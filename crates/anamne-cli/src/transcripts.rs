//! Imports the conversations that agent hosts recorded.

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anamne::{Draft, HookLog, Space, Store};
use anamne_ingest::transcripts::{self, Position, TranscriptFile, TranscriptFormat};
use jiff::Timestamp;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::hooks;
use crate::output::Output;
use crate::place::Place;
use crate::progress::Bar;
pub(crate) use report::TranscriptReport;
use report::{AbandonedMessage, rate};

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
            output.json(&report)?;
        } else {
            report.print(self.dry_run, output)?;
        }
        report.outcome()
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
            if !conversation.abandoned.is_empty() {
                let target = spaces.of(conversation.folder.as_deref())?;
                let stored = target.stored(self.format, &conversation.abandoned)?;
                report.abandoned.extend(stored);
            }
            match conversation.reached {
                Some(reached) if conversation.more && reached.bytes > from.bytes => from = reached,
                _ => return Ok(()),
            }
        }
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

impl Target {
    /// The live memories of these turns.
    fn stored(
        &self,
        format: TranscriptFormat,
        turns: &[String],
    ) -> Result<Vec<AbandonedMessage>, Failure> {
        let Some(space) = &self.space else {
            return Ok(Vec::new());
        };
        let mut stored = Vec::new();
        for turn in turns {
            let Some(id) = space.find_imported(&format.external_id(turn))? else {
                continue;
            };
            let memory = space.read(id)?;
            if memory.deleted_at.is_none() {
                stored.push(AbandonedMessage {
                    space: self.name.clone(),
                    memory: id,
                    citation: memory.citation(),
                });
            }
        }
        Ok(stored)
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
