//! How a space does: its report, its check-up, and having everything derived up to date.

use std::path::Path;

use anamne_store::{Effort, Examination, JournalReport, Part, Statistics, TierCount};
use anamne_types::{NextStep, Right, Seq};
use serde::Serialize;

use crate::Error;
use crate::derived::ViewState;
use crate::derived::reembedding::EmbeddingState;
use crate::space::Space;

/// A check-up tells of what was mended within so many days.
const EARLIER_DAYS: i64 = 30;

/// What a space holds, and how its views do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpaceReport {
    /// The space's name.
    pub space: String,
    /// What it is about.
    pub description: String,
    /// Counts over the source.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Everything that is derived of it; of views the active tier's.
    pub views: Vec<ViewState>,
    /// Its tiers, hottest first.
    pub tiers: Vec<TierCount>,
    /// Which embedding model answers.
    pub embedding: EmbeddingState,
    /// Bytes of source databases.
    pub source_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
}

/// What a check-up of a space found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckUp {
    /// The space's name.
    pub space: String,
    /// What was looked at and is well.
    pub well: Vec<String>,
    /// What is not done without a person's confirmation.
    pub deferred: Vec<String>,
    /// What was wrong and has been mended.
    pub mended: Vec<String>,
    /// What any process mended within the last thirty days, each with its time.
    pub earlier: Vec<String>,
    /// What is wrong and needs a person.
    pub problems: Vec<String>,
    /// What a person can do about problems and about what is not done.
    pub next_steps: Vec<NextStep>,
}

impl CheckUp {
    /// Adds what a person can do, each step once.
    pub(crate) fn advise(&mut self, steps: impl IntoIterator<Item = NextStep>) {
        for step in steps {
            if !self.next_steps.contains(&step) {
                self.next_steps.push(step);
            }
        }
    }

    /// Adds what an examination of both copies found.
    fn take(&mut self, examined: Examination) {
        let is_sound = |part| examined.findings.iter().all(|finding| finding.part != part);
        if is_sound(Part::Journal) {
            self.well.push(format!(
                "journal: {} events in {} segments verify",
                examined.events, examined.segments
            ));
        }
        if is_sound(Part::Database) {
            self.well.push(format!(
                "database: {} rows verify, and SQLite's integrity check passes",
                examined.rows
            ));
        }
        self.well.extend(examined.notes);
        self.advise(examined.next_steps);
        let findings = examined.findings.iter().map(ToString::to_string);
        self.problems.extend(findings);
        if !examined.findings.is_empty() {
            self.advise([NextStep::Repair]);
        }
    }
}

impl Space {
    /// Counts, sizes and the state of everything derived. O(memories).
    pub fn report(&self) -> Result<SpaceReport, Error> {
        let derived = &self.inner.derived;
        let troubles = derived.tiers.caught_up()?;
        self.inner.wake_background();
        let folder = self.folder();
        Ok(SpaceReport {
            space: self.name().to_owned(),
            description: self.config().description.clone(),
            statistics: self.inner.source.statistics()?,
            views: derived.states(&troubles),
            tiers: self.tiers()?,
            embedding: derived.tiers.embedding_state()?,
            source_bytes: bytes_under(&folder.join("memories")),
            journal_bytes: bytes_under(&folder.join("journal")),
        })
    }

    /// Which embedding model answers, and how far the one that the settings ask for has come.
    pub fn embedding(&self) -> Result<EmbeddingState, Error> {
        self.inner.derived.tiers.embedding_state()
    }

    /// Whether [`Space::settle`] has something to do.
    pub fn is_unsettled(&self) -> Result<bool, Error> {
        let derived = &self.inner.derived;
        derived.tiers.caught_up()?;
        self.inner.wake_background();
        derived.tiers.look_for_wanted()?;
        Ok(derived.is_due(Effort::Settled)?
            || derived.tiers.is_reembedding()
            || self.inner.source.unclean_views()?.is_some()
            || self.inner.is_retention_waiting()?)
    }

    /// Does now, in this thread, what the background does otherwise: folds long tails, rebuilds broken views, seals full
    /// segments of the journal, and makes the vectors of a model that was chosen. After something was told or changed in this
    /// process it also applies the space's retention. Only [`Space::age`] moves memories to colder tiers.
    pub fn settle(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require_write()?;
        self.settle_retention()?;
        self.finish_what_waits(progress)?;
        self.inner.derived.catch_up(Effort::Settled, progress)?;
        self.inner.source.seal_journal()?;
        self.inner.derived.tiers.reembed(progress)
    }

    /// Finishes erasures that were begun, here and in backups.
    fn finish_what_waits(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.inner.source.finish_erasures()?;
        self.inner.clean_derived(progress)?;
        if self.inner.are_backups_due() {
            self.inner.finish_in_backups();
        }
        Ok(())
    }

    /// Folds every view up to the last write, whatever its tail; says which another process was folding.
    pub fn fold(&self) -> Result<Vec<&'static str>, Error> {
        self.require_write()?;
        self.inner.derived.tiers.fold_all()
    }

    /// Reads back journal, database and everything derived, mends what can be mended from the log, and says what it found.
    pub fn check_up(&self) -> Result<CheckUp, Error> {
        self.require(Right::Configure)?;
        let mut found = CheckUp {
            space: self.name().to_owned(),
            mended: self.inner.source.mended(),
            earlier: self.earlier_incidents(),
            ..CheckUp::default()
        };
        found.take(anamne_store::examine(self.folder())?);
        self.mend_backups(&mut found);
        self.mend_derived(&mut found)?;
        found.problems.append(&mut self.inner.site.troubles.take());
        self.tell_of_models(&mut found)?;
        self.inner.tell_of_retention(&mut found)?;
        Ok(found)
    }

    fn earlier_incidents(&self) -> Vec<String> {
        let since = self.now() - jiff::SignedDuration::from_hours(24 * EARLIER_DAYS);
        let incidents = self.inner.source.incidents(since).into_iter();
        incidents
            .map(|incident| format!("{}: {}", incident.at, incident.what))
            .collect()
    }

    /// Reads everything derived back, and computes again what is damaged or behind.
    pub(crate) fn mend_derived(&self, found: &mut CheckUp) -> Result<(), Error> {
        // First, so that what is computed again has nothing of what was erased.
        self.finish_what_waits(&mut |_, _| {})?;
        let mended = self.inner.derived.mend()?;
        self.inner.source.seal_journal()?;
        found.well.extend(mended.well);
        found.mended.extend(mended.rebuilt);
        found.problems.extend(mended.problems);
        Ok(())
    }

    /// Says in a check-up which model answers.
    fn tell_of_models(&self, found: &mut CheckUp) -> Result<(), Error> {
        let state = self.embedding()?;
        let answers = format!("embedding: the model {} answers", state.answering);
        found.well.push(match state.embedded {
            Some(embedded) => format!(
                "{answers} until {} has vectors of every memory ({embedded} now)",
                state.model
            ),
            None => answers,
        });
        if !state.trouble.is_empty() {
            found.problems.push(format!(
                "embedding: {}; until then the model {} answers",
                state.trouble, state.answering
            ));
        }
        Ok(())
    }

    /// Reads the whole journal and checks its chain. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport, Error> {
        Ok(self.inner.source.verify_journal()?)
    }

    /// Removes everything that is a function of the log and computes it again. What was paid for or observed stays.
    pub fn rebuild(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require(Right::Configure)?;
        self.inner.derived.rebuild(progress)
    }
}

/// The bytes of all files under a folder; what can't be read counts as nothing.
fn bytes_under(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_under(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
