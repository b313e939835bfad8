//! The retention of a space: old memories are forgotten first, and erased for ever after a grace period.
//!
//! It runs after something was told or changed: in the background, or with the next [`Space::settle`] of the process. A
//! process that only reads never forgets or erases anything. What counts as old, and when the grace period is over, is
//! explained in `anamne_store::RetentionPlan`'s module; more than a tenth of a space is touched only when a person confirms.

use std::sync::atomic::Ordering;

use anamne_store::{Present, RetentionPlan};
use anamne_types::{MemoryId, NextStep, Right, Skipped};
use serde::Serialize;

use crate::Error;
use crate::core::Inner;
use crate::keep::doctor::CheckUp;
use crate::keep::erasing::BackupUpdate;
use crate::space::Space;

/// More than one part in so many of the live memories is not forgotten or erased at once without confirmation.
const MOST_AT_ONCE: u64 = 10;

/// The background looks at the retention once in so long, in microseconds.
const BETWEEN_LOOKS: i64 = 3_600 * 1_000_000;

/// How the retention of a space stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetentionState {
    /// Memories that happened more than so many days ago are not kept; 0 where all are.
    pub days: u32,
    /// What was forgotten for its age is erased after so many days of use.
    pub grace_days: u32,
    /// Live memories that are to be forgotten now.
    pub outdated: u64,
    /// Memories that the retention forgot and that can be restored.
    pub forgotten: u64,
    /// Those of them that are to be erased now.
    pub erasable: u64,
    /// After how many further days of use the next of the others is erased.
    pub next_erasure: Option<u32>,
    /// What is not done without confirmation, and why.
    pub deferred: Vec<String>,
    /// What a person can do about what is deferred.
    pub next_steps: Vec<NextStep>,
}

/// What a retention did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetentionApplied {
    /// Memories that were forgotten.
    pub forgotten: u64,
    /// Memories that were erased for ever.
    pub erased: u64,
    /// Memories that are damaged in both copies, so that neither could be done, by their ids.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// What was undone of a retention.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetentionUndone {
    /// Memories that were restored.
    pub restored: u64,
    /// Memories that are damaged in both copies and stay forgotten, by their ids.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// Whether these are more of the live memories than are touched at once without confirmation.
fn are_too_many(memories: &[MemoryId], live: u64) -> bool {
    memories.len() as u64 * MOST_AT_ONCE > live
}

/// What of a plan is not carried out without confirmation and why, with what a person can do about it.
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
    /// Takes note that something was told or changed in this process.
    pub(crate) fn note_write(&self) {
        self.jobs.written.store(true, Ordering::Relaxed);
    }

    /// Whether the background is to look at the retention: something was told since it did so last.
    pub(crate) fn is_retention_due(&self) -> bool {
        self.source.config().retention.days > 0 && self.jobs.written.load(Ordering::Relaxed)
    }

    /// Whether this process told something, and the retention has something to do without being confirmed.
    pub(crate) fn is_retention_waiting(&self) -> Result<bool, Error> {
        if !self.jobs.written.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let plan = self.source.retention_plan(Present::Confirmed)?;
        let waits = |ids: &[MemoryId]| !ids.is_empty() && !are_too_many(ids, plan.live);
        Ok(waits(&plan.outdated) || waits(&plan.erasable))
    }

    /// Does what the retention is to do after something was told in this process; nothing where nothing was.
    pub(crate) fn apply_retention_after_writes(&self) -> Result<RetentionApplied, Error> {
        // First, so that trouble is not met again with every write.
        let (now, next) = (self.source.now(), self.jobs.due("retention"));
        next.put_off(now, BETWEEN_LOOKS);
        if !self.jobs.written.swap(false, Ordering::Relaxed) {
            return Ok(RetentionApplied::default());
        }
        self.apply_retention(Present::Confirmed)
    }

    /// Forgets and erases what the space does not keep. Without the word of a person nothing is done to more than a tenth of
    /// the space. What is erased leaves the journal with the next `finish_erasures`, and views with `clean_derived`.
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

    /// Names in a check-up what the retention does not do without confirmation.
    pub(crate) fn tell_of_retention(&self, found: &mut CheckUp) -> Result<(), Error> {
        let days = self.source.current_config()?.retention.days;
        let plan = self.source.retention_plan(Present::Confirmed)?;
        let unconfirmed = self.source.count_unconfirmed(&plan)?;
        let (deferred, next_steps) = deferred(&plan, unconfirmed, days, self.source.now());
        found.deferred = deferred;
        found.advise(next_steps);
        Ok(())
    }
}

impl Space {
    /// How many memories a retention of so many days would forget now, by the clock.
    pub fn count_outdated(&self, days: u32) -> Result<u64, Error> {
        Ok(self.inner.source.outdated_after(days)?.len() as u64)
    }

    /// How the space's retention stands: what it is going to forget and erase, and what it defers until a person confirms.
    /// O(memories).
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

    /// Does now what the space's retention is to do, and leaves alone what it defers. `confirmed` says that a person has seen
    /// what is deferred and wants that done too, by the clock as it stands; the grace period is never shortened.
    ///
    /// What was erased is gone from every file of the space when this returns, and from the known backups that are at hand.
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

    /// Brings back everything that the space's retention forgot and has not erased. Each has its whole term again, counted in days
    /// of use.
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

    /// Has what was begun to be erased leave the journal, the views and the backups.
    fn reach_everything(&self, erased: u64) -> Result<(), Error> {
        if erased == 0 {
            return Ok(());
        }
        self.inner.source.finish_erasures()?;
        self.inner.clean_derived(&mut |_, _| {})?;
        let unreached = self.inner.finish_in_backups();
        let troubles = unreached
            .into_iter()
            .filter(|update| !update.trouble.is_empty());
        self.inner.site.troubles.note(troubles.map(|update| {
            let BackupUpdate {
                folder, trouble, ..
            } = update;
            format!(
                "the backup {} may still contain text erased by retention: {trouble}",
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
        let tell = |text: &str, days: i64| {
            let happened = space.now() - (24 * days).hours();
            let told = space.remember(Draft::new(text).occurred_at(happened));
            told.expect("told").id
        };
        let first = tell("first", 10);
        let second = tell("second", 20);
        for day in 0..3 {
            clock.set(start + (24 * day).hours());
            for number in 0..20 {
                tell(&format!("note {number} of day {day}"), 0);
            }
        }
        space.inner.look_after();
        assert!(is_live(&space, first), "no retention was asked for");
        space
            .configure(|config| config.retention.days = 15)
            .expect("configured");
        // The retention is set, and due; but this process only reads.
        let reader = open();
        reader.recall(&Recall::new("note")).expect("an answer");
        reader.inner.look_after();
        clock.set(start + (10 * 365 * 24).hours());
        reader.recall(&Recall::new("note")).expect("an answer");
        reader.inner.look_after();
        assert!(is_live(&space, first) && is_live(&space, second));
        clock.set(start + 50.hours());
        tell("a note of the third day", 0);
        space.inner.look_after();
        assert!(is_live(&space, first) && !is_live(&space, second));
        space
            .configure(|config| config.retention.days = 5)
            .expect("configured");
        tell("another note of the third day", 0);
        space.inner.look_after();
        assert!(is_live(&space, first), "it has looked a moment ago");
        clock.set(start + 51.hours());
        space.inner.look_after();
        assert!(!is_live(&space, first));
        assert_eq!(space.inner.site.troubles.take(), Vec::<String>::new());
    }
}
