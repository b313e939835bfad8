//! The retention of a space: what may be forgotten and erased now, and doing it.
//!
//! Retention first forgets, which can be undone, and erases only after a grace period. Neither relies on the clock
//! alone: the current time is confirmed by the last days of use, and the grace period is counted in days of use
//! (`source/use_days.rs`).

use anamne_types::{Actor, ActorKind, MemoryId, Skipped};

use crate::Result;
use crate::source::{retention, use_days::UseDays};
use crate::space::SpaceSource;

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// Memories forgotten or erased per transaction, so that other writers wait only briefly.
const BATCH: usize = 1_000;

/// The reference time for the age of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// The clock, but no later than the last three days of use confirm.
    Confirmed,
    /// The clock alone: a person has reviewed the result.
    Clock,
}

/// What retention would do to a space now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Number of live memories; not counted (0) if nothing is old enough.
    pub live: u64,
    /// Live memories that are too old, oldest first.
    pub outdated: Vec<MemoryId>,
    /// Memories forgotten by retention whose grace period is over, oldest first.
    pub erasable: Vec<MemoryId>,
    /// Further days of use until the next forgotten memory may be erased.
    pub next_erasure: Option<u32>,
}

fn retention_actor() -> Actor {
    Actor {
        kind: ActorKind::System,
        name: retention::ACTOR.to_owned(),
    }
}

impl SpaceSource {
    /// The live memories that a retention of this many days would forget by the clock alone, oldest first.
    pub fn outdated_after(&self, days: u32) -> Result<Vec<MemoryId>> {
        let before = instant_before(self.now().as_microsecond(), days);
        self.read(|reader| retention::outdated(reader, before, days))
    }

    /// What the space's retention would do now; nothing if none is set. Reloads the settings if they changed.
    ///
    /// O(old memories); if there are any, also O(memories) and O(events of the last days of use).
    pub fn retention_plan(&self, present: Present) -> Result<RetentionPlan> {
        let settings = self.current_config()?.retention.clone();
        let clock = self.now().as_microsecond();
        let days = settings.days;
        self.read(|reader| {
            let mut plan = RetentionPlan::default();
            if days == 0 {
                return Ok(plan);
            }
            if !retention::is_anything_old(reader, instant_before(clock, days))? {
                return Ok(plan);
            }
            plan.live = retention::count_live(reader)?;
            let confirmed = match present {
                Present::Clock => Some(clock),
                Present::Confirmed => UseDays::confirmed_instant(reader)?,
            };
            let before = confirmed.map_or(i64::MIN, |at| instant_before(at.min(clock), days));
            plan.outdated = retention::outdated(reader, before, days)?;
            let use_days = UseDays::latest(reader, settings.grace_days as usize + 1)?;
            for (id, seq, at) in retention::forgotten(reader, before)? {
                match settings.grace_days.saturating_sub(use_days.since(seq, at)) {
                    0 => plan.erasable.push(id),
                    left => {
                        plan.next_erasure =
                            Some(plan.next_erasure.map_or(left, |next| next.min(left)));
                    }
                }
            }
            Ok(plan)
        })
    }

    /// Number of memories that are too old by the clock alone, in addition to those in a plan.
    pub fn count_unconfirmed(&self, plan: &RetentionPlan) -> Result<u64> {
        match self.current_config()?.retention.days {
            0 => Ok(0),
            days => {
                let by_clock = self.outdated_after(days)?;
                Ok(by_clock.len().saturating_sub(plan.outdated.len()) as u64)
            }
        }
    }

    /// Number of memories forgotten by retention that can still be restored. O(memories).
    pub fn count_forgotten_by_retention(&self) -> Result<u64> {
        let forgotten = self.read(|reader| retention::forgotten(reader, i64::MAX))?;
        Ok(forgotten.len() as u64)
    }

    /// Forgets those of `ids` that are still live, as the retention actor; returns their number. Memories with
    /// unrepairable damage are added to `passed`.
    pub fn forget_outdated(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<u64> {
        self.in_batches(&retention_actor(), ids, passed, |transaction, ids| {
            transaction.forget_outdated(ids)
        })
    }

    /// The first half of erasing those of `ids` that are still forgotten by retention; returns their number.
    /// [`SpaceSource::finish_erasures`] removes their content from the journal. Memories with unrepairable damage are
    /// added to `passed`.
    pub fn begin_erasing_forgotten(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<u64> {
        self.in_batches(&retention_actor(), ids, passed, |transaction, ids| {
            transaction.erase_forgotten(ids)
        })
    }

    /// Restores all memories that retention forgot and did not erase, as `actor`; returns their number. Memories with
    /// unrepairable damage are added to `passed`.
    pub fn restore_forgotten_by_retention(
        &self,
        actor: &Actor,
        passed: &mut Skipped,
    ) -> Result<u64> {
        let forgotten = self.read(|reader| retention::forgotten(reader, i64::MAX))?;
        let ids: Vec<_> = forgotten.into_iter().map(|(id, ..)| id).collect();
        self.in_batches(actor, &ids, passed, |transaction, ids| {
            transaction.restore_forgotten(ids)
        })
    }

    fn in_batches(
        &self,
        actor: &Actor,
        ids: &[MemoryId],
        passed: &mut Skipped,
        change: impl Fn(&mut crate::source::Transaction<'_>, &[MemoryId]) -> Result<u64>,
    ) -> Result<u64> {
        let mut changed = 0;
        for ids in ids.chunks(BATCH) {
            changed += match self.write_freely(actor, |transaction| change(transaction, ids)) {
                Err(error) if error.is_unrepaired_damage() => {
                    let readable = self.readable(ids, passed)?;
                    self.write_freely(actor, |transaction| change(transaction, &readable))?
                }
                changed => changed?,
            };
        }
        Ok(changed)
    }
}

/// The time this many days before another one, microseconds since 1970.
fn instant_before(instant: i64, days: u32) -> i64 {
    instant.saturating_sub(i64::from(days).saturating_mul(DAY))
}
