//! The retention of a space: what it may forget now, what it may erase permanently, and doing so.
//!
//! A retention first forgets, which can be undone, and erases only after a grace period. Neither is decided by a clock
//! alone: what counts as the present is confirmed by the last days of use, and the grace period is counted in days of use
//! (`source/use_days.rs`).

use anamne_types::{Actor, ActorKind, MemoryId, Skipped};

use crate::Result;
use crate::source::{retention, use_days::UseDays};
use crate::space::SpaceSource;

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// Memories that are forgotten or erased in one transaction, so that other writers wait only a moment.
const BATCH: usize = 1_000;

/// What tells how old a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// The clock, but no later than what the last three days of use confirm.
    Confirmed,
    /// The clock alone: a person has looked at what it comes to.
    Clock,
}

/// What a retention would do to a space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Live memories; not counted where nothing is old enough.
    pub live: u64,
    /// Live memories that are not kept any more, the oldest first.
    pub outdated: Vec<MemoryId>,
    /// Memories that the retention forgot and whose grace period is over, the oldest first.
    pub erasable: Vec<MemoryId>,
    /// After how many further days of use the next of those that it forgot may be erased.
    pub next_erasure: Option<u32>,
}

fn retention_actor() -> Actor {
    Actor {
        kind: ActorKind::System,
        name: retention::ACTOR.to_owned(),
    }
}

impl SpaceSource {
    /// The live memories that a retention of so many days would not keep by the clock, the oldest first.
    pub fn outdated_after(&self, days: u32) -> Result<Vec<MemoryId>> {
        let before = instant_before(self.now().as_microsecond(), days);
        self.read(|reader| retention::outdated(reader, before, days))
    }

    /// What the space's retention would do now; nothing where none is set. Reads the settings again if they changed.
    ///
    /// O(memories that are old enough), and where there are any O(memories) and O(events of the last days of use).
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

    /// How many memories are not kept any more by the clock alone, beyond those that a plan finds.
    pub fn count_unconfirmed(&self, plan: &RetentionPlan) -> Result<u64> {
        match self.current_config()?.retention.days {
            0 => Ok(0),
            days => {
                let by_clock = self.outdated_after(days)?;
                Ok(by_clock.len().saturating_sub(plan.outdated.len()) as u64)
            }
        }
    }

    /// How many memories the retention forgot that can still be restored. O(memories).
    pub fn count_forgotten_by_retention(&self) -> Result<u64> {
        let forgotten = self.read(|reader| retention::forgotten(reader, i64::MAX))?;
        Ok(forgotten.len() as u64)
    }

    /// Forgets those of `ids` that are live still, in the name of the retention; says how many. `passed` names those that are
    /// damaged and can't be repaired.
    pub fn forget_outdated(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<u64> {
        self.in_batches(&retention_actor(), ids, passed, |transaction, ids| {
            transaction.forget_outdated(ids)
        })
    }

    /// The first half of erasing those of `ids` that stand as the retention left them; says how many. Their content leaves
    /// the journal with [`SpaceSource::finish_erasures`]. `passed` names those that are damaged and can't be repaired.
    pub fn begin_erasing_forgotten(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<u64> {
        self.in_batches(&retention_actor(), ids, passed, |transaction, ids| {
            transaction.erase_forgotten(ids)
        })
    }

    /// Restores everything that the retention forgot and did not erase, in the name of `actor`; says how many memories.
    /// `passed` names those that are damaged and can't be repaired.
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
                Err(error) if error.is_unmended_damage() => {
                    let readable = self.readable(ids, passed)?;
                    self.write_freely(actor, |transaction| change(transaction, &readable))?
                }
                changed => changed?,
            };
        }
        Ok(changed)
    }
}

/// The instant so many days before another one, microseconds since 1970.
fn instant_before(instant: i64, days: u32) -> i64 {
    instant.saturating_sub(i64::from(days).saturating_mul(DAY))
}
