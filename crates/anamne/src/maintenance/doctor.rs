//! The state of a space: report, check, and bringing derived data up to date.

use std::path::Path;

use anamne_store::{Effort, Examination, JournalReport, Part, Statistics, TierCount};
use anamne_types::{NextStep, Right, Seq};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::derived::ViewState;
use crate::derived::reembedding::EmbeddingState;
use crate::maintenance::backups::ScheduledBackups;
use crate::space::Space;

/// Days for which a check reports repairs.
const EARLIER_DAYS: i64 = 30;

/// Counts, sizes and view states of a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceReport {
    /// The space's name.
    pub space: String,
    /// Its description.
    pub description: String,
    /// Counts over the source.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Derived data; for views, the active tier's.
    pub views: Vec<ViewState>,
    /// Its tiers, hottest first.
    pub tiers: Vec<TierCount>,
    /// The embedding model in use.
    pub embedding: EmbeddingState,
    /// Bytes of source databases.
    pub source_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
}

/// The result of checking a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CheckUp {
    /// The space's name.
    pub space: String,
    /// Passed checks.
    pub well: Vec<String>,
    /// Work that needs confirmation.
    pub deferred: Vec<String>,
    /// Repaired problems.
    pub repaired: Vec<String>,
    /// Repairs by any process in the last thirty days, with times.
    pub earlier: Vec<String>,
    /// Problems that need a user.
    pub problems: Vec<String>,
    /// The next steps for problems and deferred work.
    pub next_steps: Vec<NextStep>,
    /// The state of scheduled backups, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backups: Option<ScheduledBackups>,
}

impl CheckUp {
    /// Adds a next step once.
    pub(crate) fn advise(&mut self, steps: impl IntoIterator<Item = NextStep>) {
        for step in steps {
            if !self.next_steps.contains(&step) {
                self.next_steps.push(step);
            }
        }
    }

    /// Adds the findings of an examination.
    fn take(&mut self, examined: Examination) {
        let is_sound = |part| examined.findings.iter().all(|finding| finding.part != part);
        if is_sound(Part::Journal) {
            self.well.push(format!(
                "journal: {} in {} verified",
                counted(examined.events, "event"),
                counted(examined.segments as u64, "segment")
            ));
        }
        if is_sound(Part::Database) {
            self.well.push(format!(
                "database: {} verified, and SQLite's integrity check passes",
                counted(examined.rows, "row")
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
        let problems = derived.tiers.caught_up()?;
        self.inner.wake_background();
        let folder = self.folder();
        Ok(SpaceReport {
            space: self.name().to_owned(),
            description: self.config().description.clone(),
            statistics: self.inner.source.statistics()?,
            views: derived.states(&problems),
            tiers: self.tiers()?,
            embedding: derived.tiers.embedding_state()?,
            source_bytes: bytes_under(&folder.join("memories")),
            journal_bytes: bytes_under(&folder.join("journal")),
        })
    }

    /// The embedding model in use, and the progress of the requested one.
    pub fn embedding(&self) -> Result<EmbeddingState, Error> {
        self.inner.derived.tiers.embedding_state()
    }

    /// Whether [`Space::settle`] has work to do.
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

    /// Runs background work now, on this thread: folds long tails, rebuilds damaged views, seals full journal segments,
    /// and embeds with a newly requested model. After writes by this process it also applies the retention. Only
    /// [`Space::age`] moves memories to colder tiers.
    pub fn settle(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require_write()?;
        self.settle_retention()?;
        self.finish_pending(progress)?;
        self.inner.derived.catch_up(Effort::Settled, progress)?;
        self.inner.source.seal_journal()?;
        self.inner.derived.tiers.reembed(progress)
    }

    /// Finishes pending erasures, here and in backups.
    fn finish_pending(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.inner.source.follow_homes()?;
        self.inner.source.finish_erasures()?;
        self.inner.clean_derived(progress)?;
        if self.inner.are_backups_due() {
            self.inner.finish_in_backups();
        }
        Ok(())
    }

    /// Folds every view up to the last write; returns those being folded by another process.
    pub fn fold(&self) -> Result<Vec<&'static str>, Error> {
        self.require_write()?;
        self.inner.derived.tiers.fold_all()
    }

    /// Verifies journal, database and derived data, repairs what the log allows, and reports.
    pub fn check_up(&self) -> Result<CheckUp, Error> {
        self.require(Right::Configure)?;
        let mut found = CheckUp {
            space: self.name().to_owned(),
            repaired: self.inner.source.repaired(),
            earlier: self.earlier_incidents(),
            ..CheckUp::default()
        };
        found.take(anamne_store::examine(self.folder())?);
        self.report_pending_backups(&mut found);
        self.report_scheduled_backups(&mut found);
        self.repair_derived(&mut found)?;
        found.problems.append(&mut self.inner.site.problems.take());
        self.report_models(&mut found)?;
        self.report_guard(&mut found)?;
        self.report_members(&mut found)?;
        self.inner.report_retention(&mut found)?;
        Ok(found)
    }

    fn earlier_incidents(&self) -> Vec<String> {
        let since = self.now() - jiff::SignedDuration::from_hours(24 * EARLIER_DAYS);
        let incidents = self.inner.source.incidents(since).into_iter();
        incidents
            .map(|incident| format!("{}: {}", incident.at, incident.what))
            .collect()
    }

    /// Verifies derived data and rebuilds what is damaged or behind.
    pub(crate) fn repair_derived(&self, found: &mut CheckUp) -> Result<(), Error> {
        // First, so that rebuilt data has no erased content.
        self.finish_pending(&mut |_, _| {})?;
        let repaired = self.inner.derived.repair()?;
        self.inner.source.seal_journal()?;
        found.well.extend(repaired.well);
        found.repaired.extend(repaired.rebuilt);
        found.problems.extend(repaired.problems);
        Ok(())
    }

    /// Adds the guard's settings and findings to a report.
    fn report_guard(&self, found: &mut CheckUp) -> Result<(), Error> {
        let counts = self.inner.source.statistics()?.guard;
        let total: u64 = counts.values().sum();
        let is_on = self.inner.guard.get(&self.config().guard)?.is_on();
        found.well.push(match (is_on, total) {
            (false, _) => "guard: off; secrets are stored as they are".to_owned(),
            (true, 0) => "guard: on; nothing found".to_owned(),
            (true, total) => format!("guard: on; {total} redacted or marked in stored memories"),
        });
        Ok(())
    }

    /// Adds the members, and the homes that are missing, to a report.
    fn report_members(&self, found: &mut CheckUp) -> Result<(), Error> {
        let members: u64 = self.inner.source.members_by_home()?.values().sum();
        if members > 0 {
            let line = format!("members: memories of other spaces: {members}");
            found.well.push(line);
        }
        for missing in self.inner.source.missing_homes()? {
            let (home, members) = (missing.home, missing.members);
            found.problems.push(format!(
                "members: the space {home} is missing, so {members} of its memories are left out here; restore it, or remove them"
            ));
        }
        Ok(())
    }

    /// Adds the models to a report.
    fn report_models(&self, found: &mut CheckUp) -> Result<(), Error> {
        let state = self.embedding()?;
        let answers = format!("embedding: the model {} answers", state.answering);
        found.well.push(match state.embedded {
            Some(embedded) => format!(
                "{answers} until {} has vectors of every memory ({embedded} now)",
                state.model
            ),
            None => answers,
        });
        if state.batched() > 0 {
            found.well.push(format!(
                "embedding: {} texts are in batches at the provider of {}, which ends them within a day",
                state.batched(),
                state.model
            ));
        }
        if state.pending > 0 {
            let pending = state.pending;
            found.well.push(format!(
                "embedding: {pending} recent memories are found by words until {} was asked",
                state.answering
            ));
        }
        if state.private > 0 {
            let private = state.private;
            found.well.push(format!(
                "embedding: {private} private memories are not sent to {}, and are found by words only",
                state.model
            ));
        }
        if !state.problem.is_empty() {
            found.problems.push(format!(
                "embedding: {}; until then the model {} answers",
                state.problem, state.answering
            ));
            let wanted = self.inner.site.models.get(&state.model);
            found.advise(wanted.err().and_then(|error| error.next_step()));
        }
        self.report_reranker(found);
        Ok(())
    }

    /// Adds the reranker of the settings to a report, if there is one.
    fn report_reranker(&self, found: &mut CheckUp) {
        let config = self.config();
        let Some(name) = &config.recall.reranker else {
            return;
        };
        match self.inner.site.models.reranker(name) {
            Ok(_) => found.well.push(format!(
                "reranker: the model {name} scores the first results"
            )),
            Err(error) => {
                found.problems.push(format!(
                    "reranker: {error}; until then results are ranked without it"
                ));
                found.advise(error.next_step());
            }
        }
    }

    /// Reads the whole journal and verifies its chain. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport, Error> {
        Ok(self.inner.source.verify_journal()?)
    }

    /// Deletes and rebuilds every function of the log. Paid and observed data stay.
    pub fn rebuild(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        self.require(Right::Configure)?;
        self.inner.derived.rebuild(progress)
    }
}

/// "1 row", "3 rows".
fn counted(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// The bytes of all files under a folder; unreadable files count as 0.
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
