//! Retention: old memories are forgotten first, and permanently erased after a grace period.
//!
//! It runs after writes, in the background or with the next [`Space::settle`]. A process that only reads never forgets
//! or erases anything. `anamne_store::RetentionPlan`'s module defines age and grace period; more than a tenth of a
//! space needs confirmation.

use std::sync::atomic::Ordering;

use anamne_store::{Present, RetentionPlan};
use anamne_types::{MemoryId, NextStep, Right, Skipped};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::core::Inner;
use crate::maintenance::doctor::CheckUp;
use crate::maintenance::erasing::BackupUpdate;
use crate::space::Space;

/// Forgetting or erasing more than 1/N of the live memories at once needs confirmation.
const MOST_AT_ONCE: u64 = 10;

/// Interval of retention checks in the background, in microseconds.
const BETWEEN_LOOKS: i64 = 3_600 * 1_000_000;

/// The retention status of a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RetentionState {
    /// Maximum age in days; 0 for no retention.
    pub days: u32,
    /// Grace period in days of use.
    pub grace_days: u32,
    /// Live memories due to be forgotten.
    pub outdated: u64,
    /// Memories forgotten by retention that can be restored.
    pub forgotten: u64,
    /// Those due to be erased.
    pub erasable: u64,
    /// Days of use until the next one is due to be erased.
    pub next_erasure: Option<u32>,
    /// Deferred work and the reasons.
    pub deferred: Vec<String>,
    /// The next steps for deferred work.
    pub next_steps: Vec<NextStep>,
}

/// The result of applying retention.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RetentionApplied {
    /// Forgotten memories.
    pub forgotten: u64,
    /// Erased memories.
    pub erased: u64,
    /// Ids of memories skipped because they are damaged in both copies.
    #[serde(default, skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// The result of undoing retention.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RetentionUndone {
    /// Restored memories.
    pub restored: u64,
    /// Ids of memories that stay forgotten because they are damaged in both copies.
    #[serde(default, skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// Whether this number needs confirmation.
fn are_too_many(memories: &[MemoryId], live: u64) -> bool {
    memories.len() as u64 * MOST_AT_ONCE > live
}

/// The deferred parts of a plan with reasons and next steps.
fn deferred(
    plan: &RetentionPlan,
    unconfirmed: u64,
    days: u32,
    now: jiff::Timestamp,
) -> (Vec<String>, Vec<NextStep>) {
    let mut deferred = Vec::new();
    let live = plan.live;
    if are_too_many(&plan.outdated, live) {
        deferred.push(format!(
            "retention: {} of {live} memories are older than {days} days. Forgetting more than a tenth of a space at once \
needs confirmation",
            plan.outdated.len()
        ));
    }
    if unconfirmed > 0 {
        deferred.push(format!(
            "retention: {unconfirmed} of {live} memories are older than {days} days by the clock ({now}). \
They are forgotten once three days of use confirm that date; you can also confirm it now"
        ));
    }
    let mut next_steps = Vec::new();
    if are_too_many(&plan.erasable, live) {
        next_steps.push(NextStep::RestoreRetention);
        deferred.push(format!(
            "retention: the grace period of {} forgotten memories is over. Erasing that many at once ({live} live memories) \
needs confirmation",
            plan.erasable.len()
        ));
    }
    if !deferred.is_empty() {
        next_steps.push(NextStep::ConfirmRetention);
    }
    (deferred, next_steps)
}

impl Inner {
    /// Records that this process wrote.
    pub(crate) fn note_write(&self) {
        self.jobs.written.store(true, Ordering::Relaxed);
    }

    /// Whether the background should check the retention: there were writes since the last check.
    pub(crate) fn is_retention_due(&self) -> bool {
        self.source.config().retention.days > 0 && self.jobs.written.load(Ordering::Relaxed)
    }

    /// Whether this process wrote, and the retention has unconfirmed work.
    pub(crate) fn is_retention_waiting(&self) -> Result<bool, Error> {
        if !self.jobs.written.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let plan = self.source.retention_plan(Present::Confirmed)?;
        let waits = |ids: &[MemoryId]| !ids.is_empty() && !are_too_many(ids, plan.live);
        Ok(waits(&plan.outdated) || waits(&plan.erasable))
    }

    /// Applies the retention after writes by this process; otherwise does nothing.
    pub(crate) fn apply_retention_after_writes(&self) -> Result<RetentionApplied, Error> {
        // First, so that a failure doesn't repeat with every write.
        let (now, next) = (self.source.now(), self.jobs.due("retention"));
        next.put_off(now, BETWEEN_LOOKS);
        if !self.jobs.written.swap(false, Ordering::Relaxed) {
            return Ok(RetentionApplied::default());
        }
        self.apply_retention(Present::Confirmed)
    }

    /// Forgets and erases what is due. Without confirmation it changes at most a tenth of the space. Erased content
    /// leaves the journal with the next `finish_erasures`, and views with `clean_derived`.
    fn apply_retention(&self, present: Present) -> Result<RetentionApplied, Error> {
        let plan = self.source.retention_plan(present)?;
        let may = |ids: &[MemoryId]| present == Present::Clock || !are_too_many(ids, plan.live);
        let mut applied = RetentionApplied::default();
        if may(&plan.erasable) {
            let texts = self.derived.cache.texts_of(&plan.erasable);
            self.derived.cache.begin_forgetting(&texts)?;
            applied.erased = self
                .source
                .begin_erasing_forgotten(&plan.erasable, &mut applied.skipped)?;
            self.derived.cache.begin_forgetting(&texts)?;
            self.look_for_pending_backups();
            self.jobs.due("backup_erasure").hasten();
        }
        if may(&plan.outdated) {
            applied.forgotten = self
                .source
                .forget_outdated(&plan.outdated, &mut applied.skipped)?;
        }
        Ok(applied)
    }

    /// Adds deferred retention to a report.
    pub(crate) fn report_retention(&self, found: &mut CheckUp) -> Result<(), Error> {
        let days = self.source.current_config()?.retention.days;
        let plan = self.source.retention_plan(Present::Confirmed)?;
        let unconfirmed = self.source.count_unconfirmed(&plan)?;
        let (deferred, next_steps) = deferred(&plan, unconfirmed, days, self.source.now());
        found.deferred.extend(deferred);
        found.advise(next_steps);
        Ok(())
    }
}

impl Space {
    /// How many memories a retention of this many days would forget now, by the clock.
    pub fn count_outdated(&self, days: u32) -> Result<u64, Error> {
        Ok(self.inner.source.outdated_after(days)?.len() as u64)
    }

    /// The retention status: what is due, and what is deferred until confirmed. O(memories).
    pub fn retention(&self) -> Result<RetentionState, Error> {
        let source = &self.inner.source;
        let settings = source.current_config()?.retention.clone();
        let plan = source.retention_plan(Present::Confirmed)?;
        let unconfirmed = source.count_unconfirmed(&plan)?;
        let (deferred, next_steps) = deferred(&plan, unconfirmed, settings.days, self.now());
        Ok(RetentionState {
            days: settings.days,
            grace_days: settings.grace_days,
            outdated: plan.outdated.len() as u64,
            forgotten: source.count_forgotten_by_retention()?,
            erasable: plan.erasable.len() as u64,
            next_erasure: plan.next_erasure,
            deferred,
            next_steps,
        })
    }

    /// Applies the retention now, except deferred work. `confirmed` means that a user reviewed the deferred work and
    /// wants it done by the current clock; the grace period is never shortened.
    ///
    /// On return, erased content is gone from every file of the space and from reachable known backups.
    pub fn apply_retention(&self, confirmed: bool) -> Result<RetentionApplied, Error> {
        self.require(Right::Erase)?;
        let present = if confirmed {
            Present::Clock
        } else {
            Present::Confirmed
        };
        let applied = self.inner.apply_retention(present)?;
        self.reach_everything(applied.erased)?;
        Ok(applied)
    }

    /// Restores everything that retention forgot and has not erased. Each starts a new term, counted in days of use.
    pub fn restore_forgotten_by_retention(&self) -> Result<RetentionUndone, Error> {
        self.require_write()?;
        let mut skipped = Skipped::default();
        let restored = self
            .inner
            .source
            .restore_forgotten_by_retention(self.actor(), &mut skipped)?;
        Ok(RetentionUndone { restored, skipped })
    }

    /// The retention's part of [`Space::settle`].
    pub(crate) fn settle_retention(&self) -> Result<(), Error> {
        let applied = self.inner.apply_retention_after_writes()?;
        self.reach_everything(applied.erased)
    }

    /// Completes pending erasures in journal, views and backups.
    fn reach_everything(&self, erased: u64) -> Result<(), Error> {
        if erased == 0 {
            return Ok(());
        }
        self.inner.source.finish_erasures()?;
        self.inner.clean_derived(&mut |_, _| {})?;
        let unreached = self.inner.finish_in_backups();
        let problems = unreached
            .into_iter()
            .filter(|update| !update.problem.is_empty());
        self.inner.site.problems.note(problems.map(|update| {
            let BackupUpdate {
                folder, problem, ..
            } = update;
            format!(
                "the backup {} may still contain text erased by retention: {problem}",
                folder.display()
            )
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anamne_types::{Draft, MemoryId, Recall};
    use jiff::{Timestamp, ToSpan};

    use crate::set_clock::SetClock;
    use crate::{Options, Space, Store};

    fn is_live(space: &Space, id: MemoryId) -> bool {
        space.get(id).expect("a memory").deleted_at.is_none()
    }

    #[test]
    fn the_background_applies_a_retention_once_an_hour_after_something_was_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().expect("an instant");
        let clock = Arc::new(SetClock::at(start));
        let open = || {
            let options = Options {
                clock: clock.clone(),
                ..Options::new(folder.path()).background(false)
            };
            let store = Store::open_with(options).expect("a store");
            store.space("tests").expect("a space")
        };
        let space = open();
        let write = |text: &str, days: i64| {
            let happened = space.now() - (24 * days).hours();
            let stored = space.remember(Draft::new(text).occurred_at(happened));
            stored.expect("told").id
        };
        let first = write("first", 10);
        let second = write("second", 20);
        for day in 0..3 {
            clock.set(start + (24 * day).hours());
            for number in 0..20 {
                write(&format!("note {number} of day {day}"), 0);
            }
        }
        space.inner.run_round();
        assert!(is_live(&space, first), "no retention was asked for");
        space
            .configure(|config| config.retention.days = 15)
            .expect("configured");
        // The retention is set, and due; but this process only reads.
        let reader = open();
        reader.recall(&Recall::new("note")).expect("an answer");
        reader.inner.run_round();
        clock.set(start + (10 * 365 * 24).hours());
        reader.recall(&Recall::new("note")).expect("an answer");
        reader.inner.run_round();
        assert!(is_live(&space, first) && is_live(&space, second));
        clock.set(start + 50.hours());
        write("a note of the third day", 0);
        space.inner.run_round();
        assert!(is_live(&space, first) && !is_live(&space, second));
        space
            .configure(|config| config.retention.days = 5)
            .expect("configured");
        write("another note of the third day", 0);
        space.inner.run_round();
        assert!(is_live(&space, first), "it has looked a moment ago");
        clock.set(start + 51.hours());
        space.inner.run_round();
        assert!(!is_live(&space, first));
        assert_eq!(space.inner.site.problems.take(), Vec::<String>::new());
    }
}
