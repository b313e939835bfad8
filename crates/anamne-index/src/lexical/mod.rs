//! The lexical view: BM25 over tantivy segments on disk and an in-memory tail.
//!
//! All processes share the segments; each has its own tail of newer changes. Rows in the tail mask their versions in
//! the segments, both parts are scored with the same statistics, and the best of both are merged.
//!
//! ```
//! use anamne_index::lexical::LexicalView;
//! use anamne_store::view::{Change, Record, View};
//! use anamne_text::analyser::Analyser;
//! use anamne_types::{Row, Seq};
//!
//! let folder = tempfile::tempdir()?;
//! let view = LexicalView::open(folder.path().join("lexical"));
//! let record = Record { text: "The harbour freezes in January".into(), ..Record::default() };
//! view.follow(&[Change { seq: Seq(1), row: Row(0), record: Some(record) }], Seq(1));
//!
//! let query = Analyser::new().query("When does the harbour freeze?");
//! assert_eq!(view.search(&query, 10, None)?[0].row, Row(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod directory;
mod engine;
mod fold;
mod published;
mod questions;
mod score;
mod search;
mod segment;
mod state;
mod tail;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard};

use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
use anamne_text::analyser::Analyser;
use anamne_types::{Row, Seq};

use crate::segments::FoldMode;
use published::{ListStamp, Published, stamp};
pub use search::TermStatistics;
use state::State;
use tail::AnalysedChange;

/// A row that contains query words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalHit {
    /// The row.
    pub row: Row,
    /// Its BM25 score, above 0.
    pub score: f32,
}

/// The lexical view of one folder.
///
/// Searches run concurrently and never wait for a fold; they wait only while a change is added to the tail or a new
/// published part is installed.
pub struct LexicalView {
    folder: PathBuf,
    /// Done once the published part was read, by the first use.
    opening: Once,
    state: RwLock<State>,
    /// Held by whoever changes the state; the slow work is done before the state is locked.
    follower: Mutex<Analyser>,
}

impl LexicalView {
    /// The view in a folder, which may not exist yet.
    ///
    /// Reads nothing: many processes write and list without a search. The first use reads every published file once to
    /// verify checksums; unreadable files mark the view as broken.
    pub fn open(directory: PathBuf) -> Self {
        Self {
            folder: directory,
            opening: Once::new(),
            state: RwLock::new(State::empty(None)),
            follower: Mutex::default(),
        }
    }

    /// Reads the published part unless this was done. Must not be called with the follower lock held.
    fn ensure_open(&self) {
        // Forced: a panic while opening must not become one of every later use.
        self.opening.call_once_force(|_| self.load(true));
    }

    /// Discards a damaged published part, unless it was replaced in the meantime.
    fn mark_broken(&self, culprit: Option<&Arc<Published>>, reason: &str) {
        let _follower = self.follower();
        let state = self.state();
        let is_current = state.published.as_ref().map(Arc::as_ptr) == culprit.map(Arc::as_ptr);
        let seen = state.seen;
        drop(state);
        if is_current {
            self.replace(State::broken(reason.to_owned(), seen));
        }
    }

    /// Checks the list of segments and opens new ones; `again` reloads even if the list is unchanged.
    fn reload(&self, again: bool) {
        self.ensure_open();
        self.load(again);
    }

    /// The same for the first time too, so it takes the locks without opening the view.
    fn load(&self, again: bool) {
        if !again && self.lock_state().seen == stamp(&self.folder) {
            self.notice_changes();
            return;
        }
        let _follower = self.lock_follower();
        let seen = stamp(&self.folder);
        let (before, is_whole) = {
            let state = self.lock_state();
            (state.published.clone(), state.health == Health::Whole)
        };
        let opened = Published::open(&self.folder, before.as_deref());
        match opened {
            Ok(Some(published)) => self.install_published(published, seen),
            Ok(None) if is_whole => self.state_mut().seen = seen,
            Ok(None) => self.replace(State::empty(seen)),
            // The folder may be replaced while it is being read: retry next time.
            Err(_) if stamp(&self.folder) != seen => {}
            Err(failed) => self.replace(State::broken(failed.reason, seen)),
        }
    }

    /// Discards the published part if one of its files was modified while open.
    fn notice_changes(&self) {
        let published = self.state().published.clone();
        let changed = published.filter(|published| !published.is_unmodified());
        if let Some(published) = changed {
            let reason = "a file was modified while open";
            self.mark_broken(Some(&published), reason);
        }
    }

    /// Installs a newly opened part. A part with a lower watermark (another process is rebuilding the index) is ignored
    /// until it has caught up with the open one.
    fn install_published(&self, published: Published, seen: Option<ListStamp>) {
        let state = self.lock_state();
        let covers_less = published.mark.watermark < state.watermark();
        let next = (!covers_less).then(|| state.with_published(Arc::new(published), seen));
        drop(state);
        match next {
            Some(next) => self.replace(next),
            None => self.state_mut().seen = seen,
        }
    }

    /// Frees replaced row states when they dominate the tail. The caller holds the follower lock.
    fn compact_tail(&self) {
        let state = self.state();
        let tail = &state.tail;
        let lean = tail.is_mostly_dead().then(|| tail.after(Seq(0)));
        drop(state);
        if let Some(lean) = lean {
            self.state_mut().tail = lean;
        }
    }

    fn replace(&self, next: State) {
        let before = std::mem::replace(&mut *self.state_mut(), next);
        // Drop outside the lock.
        drop(before);
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.ensure_open();
        self.lock_state()
    }

    fn lock_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn follower(&self) -> MutexGuard<'_, Analyser> {
        self.ensure_open();
        self.lock_follower()
    }

    fn lock_follower(&self) -> MutexGuard<'_, Analyser> {
        self.follower.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fold_with(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
        thoroughness: FoldMode,
    ) -> Result<Fold, ViewError> {
        let Some(_lock) = fold::lock(&self.folder)? else {
            return Ok(Fold::Busy);
        };
        self.reload(false);
        let is_broken = self.health() != Health::Whole;
        let folded = fold::fold(&self.folder, is_broken, feed, progress, thoroughness);
        // Also after a failure: earlier commits remain valid.
        self.reload(matches!(folded, Ok(Fold::Published(_))));
        folded
    }

    /// The folder of the published part.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl View for LexicalView {
    fn name(&self) -> &'static str {
        "lexical"
    }

    fn health(&self) -> Health {
        self.state().health.clone()
    }

    fn refresh(&self) {
        self.reload(false);
    }

    fn watermark(&self) -> Seq {
        self.state().watermark()
    }

    fn position(&self) -> Seq {
        self.state().position
    }

    fn tail_rows(&self) -> usize {
        self.state().tail.len()
    }

    fn follow(&self, changes: &[Change], through: Seq) {
        let mut analyser = self.follower();
        let (position, whole) = {
            let state = self.state();
            (state.position, state.health == Health::Whole)
        };
        let new = changes
            .iter()
            .filter(|change| whole && change.seq > position);
        let analysed: Vec<_> = new
            .map(|change| AnalysedChange::new(change, &mut analyser))
            .collect();
        let mut state = self.state_mut();
        for change in analysed {
            state.apply(change);
        }
        state.position = position.max(through);
        drop(state);
        self.compact_tail();
    }

    fn fold(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        self.fold_with(feed, progress, FoldMode::Normal)
    }

    fn purge(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        if !self.folder.exists() {
            return Ok(Fold::Nothing);
        }
        self.fold_with(feed, progress, FoldMode::Purge)
    }

    fn verify(&self) -> Health {
        let seen = stamp(&self.folder);
        let reason = match published::verify(&self.folder) {
            Ok(None) if self.state().published.is_some() => "files missing".to_owned(),
            Ok(_) => return self.health(),
            Err(failed) => failed.reason,
        };
        if stamp(&self.folder) == seen {
            let published = self.state().published.clone();
            self.mark_broken(published.as_ref(), &reason);
        }
        self.health()
    }
}
