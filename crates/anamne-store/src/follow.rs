//! Catch-up: how views follow the log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use anamne_types::{Seq, Tier};

use crate::Result;
use crate::lock::LONGEST_WAIT;
use crate::space::SpaceSource;
use crate::view::{ChangeFeed, Fold, Health, View, ViewError};
use crate::watch::CommitWatcher;

/// Changes read per batch.
const BATCH: usize = 4_096;

/// The maximum number of events that a view holds in its tail before it was ever published; beyond, it counts as being built.
const ABSORBED: u64 = 2_000;

/// Tail length that triggers folding.
const LONG_TAIL: usize = 1_000;

/// The views of one tier of a space, and the watch that shows when they are behind.
pub struct Followers {
    tier: Tier,
    views: Vec<Arc<dyn View>>,
    progress: Mutex<Progress>,
    /// The last event of the log, as of the last catch-up.
    head: AtomicU64,
}

struct Progress {
    watch: CommitWatcher,
    head: Seq,
    /// Whether a colder tier has so few rows that its views need no published part.
    is_small: bool,
}

impl Progress {
    /// Whether a view is usable in queries: undamaged, and published or with a short enough tail.
    fn takes_part(&self, view: &dyn View) -> bool {
        let behind = self.head.0.saturating_sub(view.position().0);
        view.health() == Health::Whole
            && (view.watermark() > Seq(0) || behind <= ABSORBED || self.is_small)
    }

    /// Whether a view needs folding: it is broken, was never built, or has a long tail.
    fn is_due(&self, view: &dyn View) -> bool {
        !self.takes_part(view) || view.tail_rows() > LONG_TAIL
    }
}

/// An unavailable view, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// The view's name.
    pub view: &'static str,
    /// The reason.
    pub reason: String,
}

impl Followers {
    /// Makes `views` follow a tier of `source`.
    pub fn new(source: &SpaceSource, tier: Tier, views: Vec<Arc<dyn View>>) -> Result<Self> {
        Ok(Self {
            tier,
            views,
            progress: Mutex::new(Progress {
                watch: source.watch()?,
                head: Seq(0),
                is_small: false,
            }),
            head: AtomicU64::new(0),
        })
    }

    /// The followed tier.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The views.
    pub fn views(&self) -> &[Arc<dyn View>] {
        &self.views
    }

    /// Brings every usable view up to the last acknowledged write of any process.
    ///
    /// Costs a few microseconds if nothing was written, else O(changes). Returns the unavailable views.
    pub fn catch_up(&self, source: &SpaceSource) -> Result<Vec<Degraded>> {
        // The connection of the watch would still read a deleted space.
        source.notice_replacement()?;
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        self.views.iter().for_each(|view| view.refresh());
        let mut outcome = self.follow_log(&mut progress, source);
        if let Err(error) = &outcome
            && error.may_be_damage()
        {
            source.heal(error)?;
            progress.watch = source.watch()?;
            outcome = self.follow_log(&mut progress, source);
        }
        if outcome.is_err() {
            // The notification is not lost: the next catch-up checks again.
            progress.watch.reset();
        }
        outcome?;
        Ok(self.degraded(&progress))
    }

    fn follow_log(&self, progress: &mut Progress, source: &SpaceSource) -> Result<()> {
        if progress.watch.changed()? {
            progress.head = progress.watch.head()?;
            self.head.store(progress.head.0, Ordering::Release);
            progress.is_small =
                self.tier != Tier::Active && progress.watch.has_few(self.tier, ABSORBED)?;
        }
        self.follow_to(progress, source)
    }

    fn follow_to(&self, progress: &mut Progress, source: &SpaceSource) -> Result<()> {
        loop {
            let behind = |view: &&Arc<dyn View>| {
                progress.takes_part(view.as_ref()) && view.position() < progress.head
            };
            let Some(after) = self
                .views
                .iter()
                .filter(behind)
                .map(|view| view.position())
                .min()
            else {
                return Ok(());
            };
            let (through, changes) =
                progress
                    .watch
                    .changes(source, self.tier, after, progress.head, BATCH)?;
            // A view that is already further must not be set back.
            let served = |view: &&Arc<dyn View>| behind(view) && view.position() < through;
            for view in self.views.iter().filter(served) {
                view.follow(&changes, through);
            }
        }
    }

    fn degraded(&self, progress: &Progress) -> Vec<Degraded> {
        let reason = |view: &Arc<dyn View>| match view.health() {
            Health::Broken(reason) => Some(reason),
            Health::Whole if progress.takes_part(view.as_ref()) => None,
            Health::Whole => Some("it is being built".to_owned()),
        };
        self.views
            .iter()
            .filter_map(|view| {
                Some(Degraded {
                    view: view.name(),
                    reason: reason(view)?,
                })
            })
            .collect()
    }

    /// The last event of the log, as of the last catch-up, also while one runs.
    pub fn head(&self) -> Seq {
        Seq(self.head.load(Ordering::Acquire))
    }

    /// The views to fold: damaged, never built, or with a long tail.
    pub fn due(&self) -> Vec<Arc<dyn View>> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let due = self.views.iter();
        due.filter(|view| progress.is_due(view.as_ref()))
            .cloned()
            .collect()
    }

    /// Whether the named view needs folding.
    pub fn is_due(&self, name: &str) -> bool {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_named_due(&progress, name)
    }

    /// The same without waiting for a catch-up, which may take long: `true` while one runs.
    pub fn may_be_due(&self, name: &str) -> bool {
        let progress = match self.progress.try_lock() {
            Ok(progress) => progress,
            Err(TryLockError::Poisoned(progress)) => progress.into_inner(),
            Err(TryLockError::WouldBlock) => return true,
        };
        self.is_named_due(&progress, name)
    }

    fn is_named_due(&self, progress: &Progress, name: &str) -> bool {
        let mut named = self.views.iter().filter(|view| view.name() == name);
        named.any(|view| progress.is_due(view.as_ref()))
    }

    /// Folds `views`; skips those that another process is folding.
    pub fn fold(
        &self,
        source: &SpaceSource,
        views: &[Arc<dyn View>],
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<Vec<(&'static str, Fold)>, ViewError> {
        let feed = source.feed_of(self.tier);
        views
            .iter()
            .map(|view| {
                Ok((
                    view.name(),
                    view.fold(&feed, &mut |seq| progress(view.name(), seq))?,
                ))
            })
            .collect()
    }

    /// Removes dead content from the files of the views with this name; see [`View::purge`].
    ///
    /// [`ViewError::Busy`] if another process folds for too long.
    pub fn purge(
        &self,
        source: &SpaceSource,
        name: &str,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), ViewError> {
        let feed = source.feed_of(self.tier);
        let mut named = self.views.iter().filter(|view| view.name() == name);
        named.try_for_each(|view| {
            purge_alone(view.as_ref(), &feed, &mut |seq| progress(view.name(), seq))
        })
    }
}

/// Purges a view. Waits for a fold of another process, which may have begun before the erasure.
fn purge_alone(
    view: &dyn View,
    feed: &dyn ChangeFeed,
    progress: &mut dyn FnMut(Seq),
) -> Result<(), ViewError> {
    let started = Instant::now();
    while view.purge(feed, progress)? == Fold::Busy {
        let waited = started.elapsed();
        if waited > LONGEST_WAIT {
            return Err(ViewError::Busy {
                view: view.name(),
                waited,
            });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anamne_types::Tier;

    use super::Followers;
    use crate::{SpaceName, SpaceSource, SystemClock};

    #[test]
    fn a_writer_does_not_wait_for_a_catch_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(SystemClock);
        let source = SpaceSource::open(folder.path(), &SpaceName::core(), clock, true);
        let source = source.expect("a space");
        let followers = Followers::new(&source, Tier::Active, Vec::new()).expect("followers");
        assert!(!followers.may_be_due("lexical"), "there is no such view");
        let catching_up = followers.progress.lock().expect("the progress");
        assert!(followers.may_be_due("lexical"));
        assert_eq!(followers.head().0, 0);
        drop(catching_up);
        assert!(!followers.may_be_due("lexical"));
    }
}
