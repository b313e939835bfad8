//! The tiers of a space: their views, which of them are open, and how memories move between them.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_store::view::{Fold, Health};
use anamne_store::{Aging, Degraded, Followers, SpaceSource, Step, TierCount};
use anamne_types::{Kind, MemoryId, Right, Seq, Tier};
use serde::Serialize;

use crate::Error;
use crate::models::Model;
use crate::space::{Inner, Space};
use crate::views::{self, Views};

/// Colder tiers that are kept open; the one that was asked longest ago is closed first. Six years of archives.
const MOST_OPEN: usize = 24;

/// Memories that move before the views of their tiers are folded: where these were never published, and where they
/// were. In between every process holds them in memory.
const FOLDED_AFTER: [u64; 2] = [1_000, 10_000];

/// Where more than this part of what is left in the active tier has moved, its views are written anew without it.
const MANY_LEFT: u64 = 4;

/// So many facts and skills are remembered as used before the background notes them.
const MANY_USES: usize = 500;

/// The background looks for memories that have aged once in so long, in microseconds.
const BETWEEN_LOOKS: i64 = 3_600 * 1_000_000;

/// The views of one tier, and what has them follow it.
pub(crate) struct OpenTier {
    pub(crate) views: Views,
    pub(crate) followers: Followers,
    /// What its vectors are made with.
    pub(crate) model: Model,
}

/// A view that can't take part now, with its tier.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) tier: Tier,
    pub(crate) degraded: Degraded,
}

impl Trouble {
    pub(crate) fn label(&self) -> String {
        views::label(self.degraded.view, self.tier)
    }

    pub(crate) fn is_of(&self, tier: Tier, view: &str) -> bool {
        self.tier == tier && self.degraded.view == view
    }
}

impl OpenTier {
    pub(crate) fn open(source: &SpaceSource, tier: Tier, model: &Model) -> Result<Self, Error> {
        let views = Views::open(source.folder(), tier, model)?;
        let followers = Followers::new(source, tier, views.all())?;
        Ok(Self {
            views,
            followers,
            model: model.clone(),
        })
    }

    pub(crate) fn tier(&self) -> Tier {
        self.views.tier
    }

    /// Brings its views up to the last acknowledged write; hands back those that can't take part.
    pub(crate) fn catch_up(&self, source: &SpaceSource) -> Result<Vec<Trouble>, Error> {
        let degraded = self.followers.catch_up(source)?;
        let with_tier = |degraded| Trouble {
            tier: self.tier(),
            degraded,
        };
        Ok(degraded.into_iter().map(with_tier).collect())
    }

    /// Whether a view turned out to be broken that is not among `known`.
    pub(crate) fn is_newly_broken(&self, known: &[Trouble]) -> bool {
        self.followers.views().iter().any(|view| {
            view.health() != Health::Whole
                && !known
                    .iter()
                    .any(|trouble| trouble.is_of(self.tier(), view.name()))
        })
    }

    /// Folds all its views up to the last write.
    pub(crate) fn fold(
        &self,
        source: &SpaceSource,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<Vec<(&'static str, Fold)>, Error> {
        self.catch_up(source)?;
        let views = self.followers.views();
        Ok(self.followers.fold(source, views, progress)?)
    }

    /// Folds those of its views that are due.
    fn fold_due(
        &self,
        source: &SpaceSource,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        self.catch_up(source)?;
        let due = self.followers.due();
        let broken: Vec<_> = due
            .iter()
            .filter_map(|view| match view.health() {
                Health::Broken(reason) => Some((view.clone(), reason)),
                Health::Whole => None,
            })
            .collect();
        self.followers.fold(source, &due, progress)?;
        let rebuilt = broken
            .iter()
            .filter(|(view, _)| view.health() == Health::Whole);
        let said = rebuilt.map(|(view, reason)| {
            let view = views::label(view.name(), self.tier());
            format!("the view {view} was damaged ({reason}) and was built again")
        });
        source.note_mended(said.collect());
        Ok(())
    }
}

/// The colder tiers of a space that this process has open.
#[derive(Default)]
pub(crate) struct ColderTiers {
    /// The one that was asked last comes last.
    open: Mutex<Vec<Arc<OpenTier>>>,
    /// Those that there are, hottest first, and the event as of which they are known.
    known: Mutex<Option<(Seq, Vec<Tier>)>>,
}

impl ColderTiers {
    fn get(&self, source: &SpaceSource, tier: Tier, model: &Model) -> Result<Arc<OpenTier>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|tier| tier.model.questions.model() == model.questions.model());
        let known = open.iter().position(|known| known.tier() == tier);
        let opened = match known {
            Some(place) => open.remove(place),
            None => Arc::new(OpenTier::open(source, tier, model)?),
        };
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push(opened.clone());
        Ok(opened)
    }

    /// Lets go of all of them.
    pub(crate) fn close(&self) {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Those that are open now.
    pub(crate) fn open_now(&self) -> Vec<Arc<OpenTier>> {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

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
    /// The colder tiers in which memories lie, hottest first. One look at a cache where nothing was written.
    pub(crate) fn colder_tiers(&self) -> Result<Vec<Tier>, Error> {
        let head = self.active().followers.head();
        let mut known = self
            .colder
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((seq, tiers)) = &*known
            && *seq == head
        {
            return Ok(tiers.clone());
        }
        let tiers = self.source.colder_tiers()?;
        *known = Some((head, tiers.clone()));
        Ok(tiers)
    }

    /// A colder tier, open.
    pub(crate) fn colder_tier(&self, tier: Tier) -> Result<Arc<OpenTier>, Error> {
        self.colder_tier_of(tier, &self.answering().model)
    }

    /// A colder tier with the vectors of this model, open.
    pub(crate) fn colder_tier_of(&self, tier: Tier, model: &Model) -> Result<Arc<OpenTier>, Error> {
        self.colder.get(&self.source, tier, model)
    }

    /// Every tier in which memories lie or of which there are views on disk, hottest first.
    pub(crate) fn every_tier(&self) -> Result<Vec<Arc<OpenTier>>, Error> {
        let mut colder = views::colder_on_disk(self.source.folder())?;
        colder.extend(self.source.colder_tiers()?);
        let answering = self.answering();
        let open = |tier| self.colder_tier_of(tier, &answering.model);
        let colder = colder
            .into_iter()
            .map(open)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(std::iter::once(answering.active.clone())
            .chain(colder)
            .collect())
    }

    /// Remembers that memories were handed out now. Only facts and skills are kept by their use.
    pub(crate) fn used(&self, memories: impl IntoIterator<Item = (MemoryId, Kind)>) {
        let lasting = memories
            .into_iter()
            .filter(|(_, kind)| matches!(kind, Kind::Fact | Kind::Skill));
        let mut lasting = lasting.peekable();
        if lasting.peek().is_some() {
            let now = self.source.now();
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            uses.extend(lasting.map(|(id, _)| (id, now)));
        }
    }

    /// Whether so much was used that it should be noted.
    pub(crate) fn has_many_uses(&self) -> bool {
        self.uses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
            >= MANY_USES
    }

    /// Notes in the source what was used. Where that fails it is forgotten: it decides nothing but where a memory lies.
    pub(crate) fn note_uses(&self) {
        let uses = std::mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner));
        if !uses.is_empty() {
            let uses: Vec<_> = uses.into_iter().collect();
            let _ = self.source.note_uses(&uses);
        }
    }

    /// Whether it is time to look for memories that have aged.
    pub(crate) fn is_aging_due(&self) -> bool {
        self.source.now().as_microsecond() >= self.next_aging.load(Ordering::Relaxed)
    }

    /// Moves what has aged and folds the views of the tiers that it moved from and to.
    ///
    /// `progress` is told how many memories have moved, and where the last ones went.
    pub(crate) fn age(
        &self,
        aging: Aging,
        progress: &mut dyn FnMut(u64, Tier),
    ) -> Result<Moved, Error> {
        // First, so that trouble is not met again with every question.
        let next = self
            .source
            .now()
            .as_microsecond()
            .saturating_add(BETWEEN_LOOKS);
        self.next_aging.store(next, Ordering::Relaxed);
        self.note_uses();
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
                    self.colder_tier(tier)?.fold(&self.source, &mut |_, _| {})?;
                }
                self.active().fold_due(&self.source, &mut |_, _| {})?;
                (unfolded, targets) = (0, BTreeSet::new());
            }
        }
        for tier in targets {
            self.colder_tier(tier)?
                .fold_due(&self.source, &mut |_, _| {})?;
        }
        self.active().fold_due(&self.source, &mut |_, _| {})?;
        let active = self.active();
        let left = active.views.columns.snapshot().rows() as u64;
        if moved.memories > left / MANY_LEFT {
            // What has moved must not be passed over by every question about what is hot.
            active.followers.purge(&self.source, &mut |_, _| {})?;
        }
        moved.longest_wait_ms = mover.longest().as_secs_f64() * 1_000.0;
        Ok(moved)
    }

    fn folded_after(&self, targets: &BTreeSet<Tier>) -> Result<u64, Error> {
        for &tier in targets {
            let tier = self.colder_tier(tier)?;
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

    /// Folds what is due in these tiers.
    pub(crate) fn fold_due(
        &self,
        tiers: &[Arc<OpenTier>],
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        tiers
            .iter()
            .try_for_each(|tier| tier.fold_due(&self.source, progress))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.note_uses();
        self.write_meta();
        self.note_activity();
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
