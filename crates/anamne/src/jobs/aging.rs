//! Moving memories that have aged to colder tiers, and folding the views of the tiers that they leave and reach.

use std::collections::BTreeSet;

use anamne_store::{Aging, Step, TierCount};
use anamne_types::{Right, Seq, Tier};
use serde::Serialize;

use crate::Error;
use crate::core::Inner;
use crate::space::Space;

/// Memories that move before the views of their tiers are folded: where these were never published, and where they
/// were. In between every process holds them in memory.
const FOLDED_AFTER: [u64; 2] = [1_000, 10_000];

/// Where more than this part of what is left in the active tier has moved, its views are written anew without it.
const MANY_LEFT: u64 = 4;

/// What a move of memories to colder tiers came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Moved {
    /// Memories that lie in a colder tier now than before.
    pub memories: u64,
    /// Memories whose content was taken out of a tier's file, for they lie elsewhere.
    pub cleaned: u64,
    /// The longest that another writer had to wait for a batch, in milliseconds.
    pub longest_wait_ms: f64,
    /// Whether another process was moving memories too, so that this one stopped.
    pub busy: bool,
}

impl Inner {
    /// Moves what has aged and was not touched for a while. What may only be read stays where it is.
    pub(super) fn age_what_has_settled(&self) -> Result<(), Error> {
        match self.age(Aging::Settled, &mut |_, _| {}) {
            Err(Error::Store(error)) if error.is_read_only() => Ok(()),
            aged => aged.map(|_| ()),
        }
    }

    /// Moves what has aged and folds the views of the tiers that it moved from and to.
    ///
    /// `progress` is told how many memories have moved, and where the last ones went.
    pub(crate) fn age(
        &self,
        aging: Aging,
        progress: &mut dyn FnMut(u64, Tier),
    ) -> Result<Moved, Error> {
        self.caches.note_uses(&self.source);
        let mut mover = self.source.mover(aging)?;
        let mut moved = Moved {
            cleaned: mover.clean()?,
            ..Moved::default()
        };
        let (mut unfolded, mut targets) = (0, BTreeSet::new());
        loop {
            match mover.step()? {
                Step::Moved(tier, memories) => {
                    moved.memories += memories;
                    unfolded += memories;
                    targets.insert(tier);
                    progress(moved.memories, tier);
                }
                Step::Done => break,
                Step::Busy => {
                    moved.busy = true;
                    break;
                }
            }
            if unfolded >= self.folded_after(&targets)? {
                for &tier in &targets {
                    self.derived
                        .tiers
                        .colder_tier(tier)?
                        .fold(&self.source, &mut |_, _| {})?;
                }
                self.derived
                    .tiers
                    .active()
                    .fold_due(&self.source, None, &mut |_, _| {})?;
                (unfolded, targets) = (0, BTreeSet::new());
            }
        }
        for tier in targets {
            self.derived
                .tiers
                .colder_tier(tier)?
                .fold_due(&self.source, None, &mut |_, _| {})?;
        }
        self.derived
            .tiers
            .active()
            .fold_due(&self.source, None, &mut |_, _| {})?;
        let active = self.derived.tiers.active();
        let left = active.rows() as u64;
        if moved.memories > left / MANY_LEFT {
            // What has moved must not be passed over by every question about what is hot.
            active.purge(&self.source)?;
        }
        moved.longest_wait_ms = mover.longest().as_secs_f64() * 1_000.0;
        Ok(moved)
    }

    fn folded_after(&self, targets: &BTreeSet<Tier>) -> Result<u64, Error> {
        for &tier in targets {
            let tier = self.derived.tiers.colder_tier(tier)?;
            if tier
                .followers
                .views()
                .iter()
                .any(|view| view.watermark() == Seq(0))
            {
                return Ok(FOLDED_AFTER[0]);
            }
        }
        Ok(FOLDED_AFTER[1])
    }
}

impl Space {
    /// The tiers with what lies in them, hottest first. O(memories).
    pub fn tiers(&self) -> Result<Vec<TierCount>, Error> {
        Ok(self.inner.source.tiers()?)
    }

    /// Moves every memory that is old enough to its colder tier now, also what was told a moment ago.
    ///
    /// The background does this once an hour, with what was told or last changed a day ago or earlier. Writers wait for
    /// a few milliseconds at a time. `progress` is told how many memories have moved, and where the last ones went.
    pub fn age(&self, progress: &mut dyn FnMut(u64, Tier)) -> Result<Moved, Error> {
        self.require(Right::Configure)?;
        self.inner.age(Aging::All, progress)
    }
}
