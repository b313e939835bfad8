//! The view framework: how derived state follows the log.
//!
//! A view has two parts. The *published* part is on disk, covers the log up to a watermark, is immutable, and is shared
//! by all processes. The *tail* is in the memory of one process and covers the events after the watermark. The process
//! that gets the view's writer lock without waiting *folds* the log into a new published part; every process notices,
//! opens it and shortens its tail. A rebuild is a fold from the beginning.

use std::path::{Path, PathBuf};

use anamne_types::{Memory, MemoryId, Row, Seq};

/// The state of one row after the last event that changed it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The event that last changed the row.
    pub seq: Seq,
    /// The row.
    pub row: Row,
    /// The indexed data; `None` if forgotten or erased.
    pub record: Option<Record>,
}

/// The indexed data of a live memory.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The content and the searchable parts of the body.
    pub text: String,
    /// The author's name; empty if unknown.
    pub author_name: String,
    /// The fixed-width attributes.
    pub attributes: Attributes,
    /// Whether a tag or the guard makes it private: it goes to models on this machine only.
    pub is_private: bool,
}

/// The fixed-width attributes for filtering and ranking.
///
/// `thread`, `author` and `session` are numbers in the space's table of names; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attributes {
    /// When it happened, microseconds since 1970.
    pub occurred_at: i64,
    /// When it expires, microseconds since 1970; `i64::MAX` for never.
    pub expires_at: i64,
    /// Its thread.
    pub thread: u32,
    /// Its position in the thread.
    pub position: u32,
    /// Its author.
    pub author: u32,
    /// Its session.
    pub session: u32,
    /// The number of its kind.
    pub kind: u8,
    /// The number of its category; 0 for none.
    pub category: u8,
    /// The number of its speaker's role; 0 for none.
    pub role: u8,
    /// 1 to 10.
    pub importance: u8,
    /// Trust in 255ths.
    pub trust: u8,
    /// Whether another memory supersedes it.
    pub superseded: bool,
    /// Feedback in hundredths: −100 to 100, 0 for none.
    pub feedback: i8,
}

/// The log as views read it.
pub trait ChangeFeed {
    /// The last event of the log.
    fn head(&self) -> Result<Seq, ViewError>;

    /// The rows last changed after `after`, by ascending sequence number, at most `limit`.
    ///
    /// A row changed twice appears once, at its last change. O(rows returned).
    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError>;
}

/// The full state of one memory after the last event that changed it.
#[derive(Clone, Debug)]
pub struct MemoryState {
    /// The event that last changed it. Tier moves and links don't count.
    pub seq: Seq,
    /// Its row.
    pub row: Row,
    /// Its identity.
    pub id: MemoryId,
    /// Its current state; `None` if forgotten or erased.
    pub memory: Option<Memory>,
}

/// The log of all tiers, as knowledge reads it.
pub trait MemoryFeed {
    /// The last event of the log.
    fn head(&self) -> Result<Seq, ViewError>;

    /// The memories last changed after `after`, by ascending sequence number, at most `limit`.
    ///
    /// A memory changed twice appears once, at its last change. O(memories returned).
    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError>;

    /// The live memories with these ids, in their order; others are skipped.
    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError>;
}

/// Whether a view can be used in recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It covers everything up to its position.
    Whole,
    /// It is unusable until rebuilt; the reason is for display.
    Broken(String),
}

/// The result of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The published part now covers the log up to this event.
    Published(Seq),
    /// There was nothing to fold.
    Nothing,
    /// Another process is folding.
    Busy,
}

/// Derived state that follows the log. All methods may be called from several threads.
pub trait View: Send + Sync {
    /// Its name in `degraded` and on disk.
    fn name(&self) -> &'static str;

    /// Whether it is usable. A view with a missing or empty folder is whole, at position 0.
    fn health(&self) -> Health;

    /// Opens what any process has published since, and shortens the tail.
    ///
    /// Cheap enough to call before every query (one `stat`). Never fails: unreadable files mark the view as broken.
    fn refresh(&self);

    /// The last event that the published part covers.
    fn watermark(&self) -> Seq;

    /// The last event that the published part and the tail cover.
    fn position(&self) -> Seq;

    /// The number of rows in the tail.
    fn tail_rows(&self) -> usize;

    /// The number of rows in the tail that a fold completes, because that takes a model that isn't asked before.
    /// O(tail).
    fn pending_rows(&self) -> usize {
        0
    }

    /// Adds changes to the tail; those at or before [`View::position`] are skipped.
    ///
    /// Afterwards the position is `through`, which is at or after the last change.
    fn follow(&self, changes: &[Change], through: Seq);

    /// Folds the log after the watermark into a new published part, unless another process is folding.
    ///
    /// `progress` is called periodically with the event reached. A broken view is quarantined and rebuilt. After
    /// `Published`, this process has refreshed too.
    fn fold(&self, feed: &dyn ChangeFeed, progress: &mut dyn FnMut(Seq))
    -> Result<Fold, ViewError>;

    /// Folds like [`View::fold`], then rewrites every published file that still contains data of dead rows, so that
    /// nothing of an erased memory is left on disk.
    ///
    /// O(bytes of these files). Does nothing if nothing was published.
    fn purge(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError>;

    /// Verifies everything published, including checksums; damage marks the view as broken.
    fn verify(&self) -> Health;
}

impl From<crate::StoreError> for ViewError {
    fn from(error: crate::StoreError) -> Self {
        Self::Source(Box::new(error))
    }
}

/// An error while a view reads the log or publishes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A file could not be read or written.
    #[error("{action} {path}: {source}")]
    Io {
        /// The attempted action, such as `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The source could not be read.
    #[error("read the log: {0}")]
    Feed(String),
    /// The source failed.
    #[error("read the log: {0}")]
    Source(#[source] Box<crate::StoreError>),
    /// A file of the view is damaged.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The engine behind the view failed.
    #[error("{0}")]
    Engine(String),
    /// Another process kept folding the view until the retries ran out.
    #[error(
        "another process has been folding the {view} view for {waited:?}; erased content is removed from it later"
    )]
    Busy {
        /// The view's name.
        view: &'static str,
        /// The time waited.
        waited: std::time::Duration,
    },
}

impl ViewError {
    /// An input or output error on `path`.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Damage found in `path`.
    pub fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}

/// Number of changes that a fold reads at a time.
pub const FOLD_BATCH: usize = 2_048;
