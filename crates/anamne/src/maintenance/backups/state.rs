//! The state of scheduled backups, for a check of the space.

use std::path::PathBuf;

use anamne_jobs::Task;
use anamne_store::view::MemoryFeed;
use anamne_store::{BackupState, KnownBackup};
use anamne_types::{NextStep, Seq};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::BACK_UP;
use crate::Error;
use crate::core::Inner;
use crate::maintenance::doctor::CheckUp;
use crate::space::Space;

/// Unfinished tasks that are searched for a failed backup.
const TASKS: usize = 1_000;

/// The state of the scheduled backups of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScheduledBackups {
    /// The folder of the backups of this space.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub folder: PathBuf,
    /// The interval in hours.
    pub every_hours: u32,
    /// Number of backups to keep.
    pub keep: u32,
    /// Number of backups that were made and not removed.
    pub made: u64,
    /// The time of the last one.
    pub last_at: Option<Timestamp>,
    /// Its folder.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub last_folder: Option<PathBuf>,
    /// Events written since.
    pub events_since: u64,
    /// When the next one is due.
    pub next_at: Option<Timestamp>,
    /// Whether it is late by a whole interval, and something was written since the last one.
    pub overdue: bool,
    /// When the last attempt failed, if none succeeded since.
    pub failed_at: Option<Timestamp>,
    /// Why it failed.
    pub failure: Option<String>,
    /// Folders of backups that can't be found.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub missing: Vec<PathBuf>,
}

impl Inner {
    /// The state of scheduled backups; `None` if there are none.
    fn scheduled_backups(&self) -> Result<Option<ScheduledBackups>, Error> {
        let config = self.source.current_config()?.backup.clone();
        if !config.is_on() {
            return Ok(None);
        }
        let folder = self.series(&config)?;
        let known = self.backups_in(&folder)?;
        let made: Vec<&KnownBackup> = known.iter().filter(|one| one.last_seq > Seq(0)).collect();
        let head = MemoryFeed::head(&*self.source)?;
        let last = made.last();
        let events_since = head.0 - last.map_or(0, |last| last.last_seq.0.min(head.0));
        let queue = self.queue()?;
        let periodic = queue
            .periodic()?
            .into_iter()
            .find(|one| one.name == BACK_UP);
        let next_at = periodic.map(|periodic| periodic.next);
        let interval = SignedDuration::from_hours(i64::from(config.every_hours));
        let is_late = |next: Timestamp| self.source.now().duration_since(next) > interval;
        let tasks = queue
            .dead_letters()?
            .into_iter()
            .chain(queue.unfinished(TASKS)?);
        let last_at = last.map(|last| last.at);
        let failed = last_failure(tasks, last_at);
        let mut missing = Vec::new();
        for backup in &made {
            // A folder that can't be looked at is missing for whoever needs it.
            let state = self.source.backup_state(&backup.folder);
            if !matches!(state, Ok(BackupState::Backup)) {
                missing.push(backup.folder.clone());
            }
        }
        Ok(Some(ScheduledBackups {
            every_hours: config.every_hours,
            keep: config.keep,
            made: made.len() as u64,
            last_at,
            last_folder: last.map(|last| last.folder.clone()),
            events_since,
            next_at,
            overdue: events_since > 0 && next_at.is_some_and(is_late),
            failed_at: failed.as_ref().and_then(|task| task.started),
            failure: failed.map(|task| task.error),
            missing,
            folder,
        }))
    }
}

/// The latest failed attempt after `success`.
fn last_failure(tasks: impl Iterator<Item = Task>, success: Option<Timestamp>) -> Option<Task> {
    tasks
        .filter(|task| task.kind == BACK_UP && !task.error.is_empty())
        .filter(|task| success.is_none_or(|success| task.started.is_some_and(|at| at > success)))
        .max_by_key(|task| task.started)
}

impl Space {
    /// Adds the state of scheduled backups to a report.
    pub(crate) fn report_scheduled_backups(&self, found: &mut CheckUp) {
        match self.inner.scheduled_backups() {
            Ok(None) => {}
            Ok(Some(backups)) => {
                describe(&backups, found);
                found.backups = Some(backups);
            }
            Err(error) => {
                found.problems.push(format!("scheduled backups: {error}"));
                found.advise(error.next_step());
            }
        }
    }
}

/// Words the state, with what to do about it.
fn describe(backups: &ScheduledBackups, found: &mut CheckUp) {
    let schedule = format!(
        "scheduled backups: every {} h to {}",
        backups.every_hours,
        backups.folder.display()
    );
    let last = match backups.last_at {
        Some(at) => format!("the last one was made at {at:.0}"),
        None => "none was made yet".to_owned(),
    };
    let next = backups
        .next_at
        .map(|next| format!(", the next is due at {next:.0}"));
    let next = next.unwrap_or_default();
    if backups.failure.is_none() && !backups.overdue && backups.missing.is_empty() {
        found.well.push(format!("{schedule}; {last}{next}"));
        return;
    }
    if let Some(failure) = &backups.failure {
        let at = backups
            .failed_at
            .map(|at| format!(" at {at}"))
            .unwrap_or_default();
        found.problems.push(format!(
            "{schedule}; the last attempt{at} failed: {failure}; {last}"
        ));
        found.advise([NextStep::ListTasks, NextStep::BackUp]);
    }
    for missing in &backups.missing {
        found.problems.push(format!(
            "scheduled backups: {} is missing; it was moved or removed, or its disk is not connected",
            missing.display()
        ));
        found.advise([NextStep::BackUp, NextStep::ForgetBackup]);
    }
    if backups.overdue {
        let since = backups
            .next_at
            .map(|next| next.to_string())
            .unwrap_or_default();
        found.deferred.push(format!(
            "{schedule}; overdue since {since}, because no program ran the background work; {} events since the last one; {last}",
            backups.events_since
        ));
        found.advise([NextStep::RunTasks]);
    }
}
