//! Moves old memories to colder tiers and folds the views of both tiers.

use std::collections::BTreeSet;

use anamne_store::{AgingScope, Step, TierCount};
use anamne_types::{Right, Seq, Tier};
use serde::Serialize;

use crate::Error;
use crate::core::Inner;
use crate::space::Space;

/// Memories moved before the views are folded: if they were never published, and otherwise. Until then every process
/// holds them in its tail.
const FOLDED_AFTER: [u64; 2] = [1_000, 10_000];

/// If more than this share of the active tier has moved, its views are rewritten.
const MANY_LEFT: u64 = 4;

/// The result of moving memories to colder tiers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Moved {
    /// Memories moved.
    pub memories: u64,
    /// Memories whose stale copy was removed from a tier's file.
    pub cleaned: u64,
    /// The longest wait of another writer, in milliseconds.
    pub longest_wait_ms: f64,
    /// Whether this process stopped because another one was moving memories.
    pub busy: bool,
}

impl Inner {
    /// Moves old, untouched memories. Does nothing in a read-only store.
    pub(super) fn age_in_background(&self) -> Result<(), Error> {
        match self.age(AgingScope::Settled, &mut |_, _| {}) {
            Err(Error::Store(error)) if error.is_read_only() => Ok(()),
            aged => aged.map(|_| ()),
        }
    }

    /// Moves old memories and folds the views of the tiers involved.
    ///
    /// `progress` receives the number of moved memories and the latest target tier.
    pub(crate) fn age(
        &self,
        aging: AgingScope,
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
            // Otherwise every hot query would skip the moved rows one by one.
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
    /// The tiers with their contents, hottest first. O(memories).
    pub fn tiers(&self) -> Result<Vec<TierCount>, Error> {
        Ok(self.inner.source.tiers()?)
    }

    /// Moves every memory that is old enough to its tier now, including recently written ones.
    ///
    /// The background does this hourly for memories written or changed at least a day ago. Writers wait a few
    /// milliseconds at a time. `progress` receives the number of moved memories and the latest target tier.
    pub fn age(&self, progress: &mut dyn FnMut(u64, Tier)) -> Result<Moved, Error> {
        self.require(Right::Configure)?;
        self.inner.age(AgingScope::All, progress)
    }
}
