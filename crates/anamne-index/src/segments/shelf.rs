//! The view over a folder of segments, common to every layout.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use anamne_store::view::{Change, Health, ViewError};
use anamne_types::Seq;

use super::folder::{Folder, ManifestStamp};
use super::layout::Layout;
use super::state::{Published, Snapshot, load};

/// Number of changes that are worth encoding as a batch.
const MIN_BATCH: usize = 64;

/// A change and its entry, if it has one.
type EncodedChange<'a, L> = (&'a Change, Option<Arc<<L as Layout>::Entry>>);

/// Manages the published part and the tail of one view.
///
/// Readers take a [`Snapshot`] under a lock that is held only to clone reference counts.
pub(crate) struct SegmentedView<L: Layout> {
    pub(super) layout: L,
    pub(super) folder: Folder,
    state: RwLock<State<L>>,
    /// Held while the manifest is read, so that an older manifest never replaces a newer one.
    refreshing: Mutex<()>,
}

struct State<L: Layout> {
    snapshot: Snapshot<L>,
    position: Seq,
    /// Number of times the position went back; entries computed before that must not be applied after it.
    rewinds: u64,
    /// The manifest that `snapshot` was read from, if there was one.
    stamp: Option<ManifestStamp>,
    /// Whether `stamp` is current; false if the folder could not be read.
    stamped: bool,
    /// Why the published part is unreadable.
    unreadable: Option<String>,
    /// Why the tail could not advance.
    tail_error: Option<String>,
}

impl<L: Layout> SegmentedView<L> {
    /// Opens the view in `directory`, which may not exist yet. Damage marks the view as broken instead of failing.
    pub(crate) fn open(directory: PathBuf, layout: L) -> Self {
        let state = State {
            snapshot: Snapshot::empty(),
            position: Seq(0),
            rewinds: 0,
            stamp: None,
            stamped: false,
            unreadable: None,
            tail_error: None,
        };
        let folder = Folder::new(directory, L::NAME);
        let shelf = Self {
            layout,
            folder,
            state: RwLock::new(state),
            refreshing: Mutex::new(()),
        };
        shelf.refresh();
        shelf
    }

    /// The layout of the view.
    pub(crate) fn layout(&self) -> &L {
        &self.layout
    }

    /// A snapshot of the current state.
    pub(crate) fn snapshot(&self) -> Snapshot<L> {
        self.read().snapshot.clone()
    }

    /// A snapshot of the current state; an error if the view is broken.
    pub(crate) fn whole_snapshot(&self) -> Result<Snapshot<L>, ViewError> {
        let state = self.read();
        match state.problem() {
            Some(reason) => Err(ViewError::damaged(self.folder.path(), reason)),
            None => Ok(state.snapshot.clone()),
        }
    }

    /// See [`View::health`](anamne_store::view::View::health).
    pub(crate) fn health(&self) -> Health {
        self.read().problem().map_or(Health::Whole, Health::Broken)
    }

    /// See [`View::watermark`](anamne_store::view::View::watermark).
    pub(crate) fn watermark(&self) -> Seq {
        self.read().snapshot.published.watermark
    }

    /// See [`View::position`](anamne_store::view::View::position).
    pub(crate) fn position(&self) -> Seq {
        self.read().position
    }

    /// See [`View::tail_rows`](anamne_store::view::View::tail_rows).
    pub(crate) fn tail_rows(&self) -> usize {
        self.read().snapshot.tail.rows.len()
    }

    /// Whether the published part is unreadable.
    pub(super) fn damaged(&self) -> bool {
        let state = self.read();
        state.unreadable.is_some() || state.snapshot.published.damage.get().is_some()
    }

    /// See [`View::refresh`](anamne_store::view::View::refresh).
    pub(crate) fn refresh(&self) {
        match self.folder.stamp() {
            Ok(stamp) if self.read().was_read_from(stamp.as_ref()) => {
                // Records any damage itself.
                let _ = self.snapshot().published.is_unmodified();
            }
            Ok(_) => self.reload(),
            Err(error) => {
                let mut state = self.write();
                state.stamped = false;
                state.unreadable =
                    Some(ViewError::io("read", &self.folder.manifest(), error).to_string());
            }
        }
    }

    /// Reads the manifest even if it is unchanged.
    pub(super) fn reload(&self) {
        let _only = self
            .refreshing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (stamp, loaded) = load(&self.layout, &self.folder);
        self.write().install(stamp, loaded);
    }

    /// See [`View::follow`](anamne_store::view::View::follow).
    ///
    /// A record that can't be encoded stops the tail just before its event: the position stays there and the view is
    /// broken until a later call, or a fold, gets past it.
    pub(crate) fn follow(&self, changes: &[Change], through: Seq) {
        let (position, rewinds) = {
            let state = self.read();
            (state.position, state.rewinds)
        };
        let fresh: Vec<_> = changes
            .iter()
            .filter(|change| change.seq > position)
            .collect();
        let (entries, failure) = self.entries(&fresh);
        let mut state = self.write();
        // Another thread lost the published part in the meantime; changes would be missing, so nothing is applied.
        if state.rewinds != rewinds {
            return;
        }
        let reached = failure.as_ref().map_or(through, |(before, _)| *before);
        for (change, entry) in entries {
            if change.seq > state.position && change.seq <= reached {
                state.snapshot.apply(change.row.0, change.seq, entry);
            }
        }
        state.position = state.position.max(reached);
        state.tail_error = failure.map(|(_, reason)| reason);
    }

    /// The entries of these changes up to the first that can't be encoded; for that one, its event and the reason.
    fn entries<'a>(
        &self,
        changes: &[&'a Change],
    ) -> (Vec<EncodedChange<'a, L>>, Option<(Seq, String)>) {
        if let Some(made) = self.entries_at_hand(changes) {
            return (made, None);
        }
        let mut made = Vec::with_capacity(changes.len());
        for batch in changes.chunks(MIN_BATCH) {
            let records: Vec<_> = batch
                .iter()
                .filter_map(|change| change.record.as_ref())
                .collect();
            let together = (batch.len() == MIN_BATCH).then(|| self.layout.encode_all(&records));
            if let Some(Ok(entries)) = together {
                let mut entries = entries.into_iter();
                let entry = |change: &Change| {
                    let entry = change.record.as_ref().and_then(|_| entries.next());
                    entry.map(Arc::new)
                };
                let entries: Vec<_> = batch.iter().copied().map(entry).collect();
                made.extend(batch.iter().copied().zip(entries));
                continue;
            }
            for &change in batch {
                let entry = change
                    .record
                    .as_ref()
                    .map(|record| self.layout.encode(record));
                match entry.transpose() {
                    Ok(entry) => made.push((change, entry.map(Arc::new))),
                    Err(error) => {
                        let before = Seq(change.seq.0.saturating_sub(1));
                        return (made, Some((before, error.to_string())));
                    }
                }
            }
        }
        (made, None)
    }

    /// The entries of these changes, pending where the model would have to be asked; `None` for layouts without such
    /// entries.
    fn entries_at_hand<'a>(&self, changes: &[&'a Change]) -> Option<Vec<EncodedChange<'a, L>>> {
        let records: Vec<_> = changes
            .iter()
            .filter_map(|change| change.record.as_ref())
            .collect();
        // Lookups don't fail; if one does, each record is tried as usual and the failure is reported.
        let mut entries = self.layout.entries_at_hand(&records)?.ok()?.into_iter();
        let entry = |change: &'a Change| {
            let entry = change.record.as_ref().and_then(|_| entries.next());
            (change, entry.map(Arc::new))
        };
        Some(changes.iter().copied().map(entry).collect())
    }

    /// See [`View::pending_rows`](anamne_store::view::View::pending_rows).
    pub(crate) fn pending_rows(&self) -> usize {
        let state = self.read();
        let entries = state.snapshot.tail.rows.values();
        let pending = entries.filter(|row| row.entry.as_deref().is_some_and(L::is_pending));
        pending.count()
    }

    /// See [`View::verify`](anamne_store::view::View::verify).
    pub(crate) fn verify(&self) -> Health {
        self.refresh();
        let published = self.snapshot().published;
        if let Err(error) = published.verify(&self.folder) {
            published.damage.get_or_init(|| error.to_string());
        }
        self.health()
    }

    fn read(&self) -> RwLockReadGuard<'_, State<L>> {
        // A panic while the lock was held leaves at worst a tail with missing rows. Nothing else catches it, so the data
        // is used as it is; otherwise it would be unreachable permanently.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State<L>> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<L: Layout> State<L> {
    fn was_read_from(&self, stamp: Option<&ManifestStamp>) -> bool {
        self.stamped && self.stamp.as_ref() == stamp
    }

    fn problem(&self) -> Option<String> {
        let damage = self.snapshot.published.damage.get();
        self.unreadable
            .as_ref()
            .or(damage)
            .or(self.tail_error.as_ref())
            .cloned()
    }

    fn install(&mut self, stamp: Option<ManifestStamp>, loaded: Result<Published<L>, ViewError>) {
        (self.stamp, self.stamped) = (stamp, true);
        self.unreadable = loaded.as_ref().err().map(ToString::to_string);
        let published = loaded.unwrap_or_else(|_| Published::empty());
        if published.watermark < self.snapshot.published.watermark {
            // The tail starts at the old watermark; the changes between the two watermarks are missing.
            self.snapshot = Snapshot::empty();
            self.position = Seq(0);
            self.rewinds += 1;
        }
        if published.watermark >= self.position {
            self.tail_error = None;
        }
        self.position = self.position.max(published.watermark);
        self.snapshot.rebase(Arc::new(published));
    }
}

/// Implements [`View`](anamne_store::view::View) for a struct with a `shelf` of that layout.
macro_rules! view_of_shelf {
    ($view:ty, $layout:ty) => {
        const _: () = {
            use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
            use anamne_types::Seq;
            use $crate::segments::{FoldMode, Layout};

            type Folded = Result<Fold, ViewError>;

            impl View for $view {
                fn name(&self) -> &'static str {
                    <$layout>::NAME
                }
                fn health(&self) -> Health {
                    self.shelf.health()
                }
                fn refresh(&self) {
                    self.shelf.refresh();
                }
                fn watermark(&self) -> Seq {
                    self.shelf.watermark()
                }
                fn position(&self) -> Seq {
                    self.shelf.position()
                }
                fn tail_rows(&self) -> usize {
                    self.shelf.tail_rows()
                }
                fn pending_rows(&self) -> usize {
                    self.shelf.pending_rows()
                }
                fn follow(&self, changes: &[Change], through: Seq) {
                    self.shelf.follow(changes, through);
                }
                fn fold(&self, feed: &dyn ChangeFeed, progress: &mut dyn FnMut(Seq)) -> Folded {
                    self.shelf.fold(feed, progress, FoldMode::Normal)
                }
                fn purge(&self, feed: &dyn ChangeFeed, progress: &mut dyn FnMut(Seq)) -> Folded {
                    self.shelf.fold(feed, progress, FoldMode::Purge)
                }
                fn verify(&self) -> Health {
                    self.shelf.verify()
                }
            }
        };
    };
}
pub(crate) use view_of_shelf;
