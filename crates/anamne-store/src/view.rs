//! The view framework: how derived state follows the log.
//!
//! A view has two parts. Its *published* part lies on disk, covers the log up to a watermark, never
//! changes once it is there, and is shared by all processes. Its *tail* lies in the memory of one
//! process and covers what came after the watermark. Whoever gets the view's writer lock without
//! waiting *folds* the log into a new published part; every process notices that, opens it and
//! shortens its tail. Rebuilding is folding from the beginning.

use std::path::{Path, PathBuf};

use anamne_types::{Memory, MemoryId, Row, Seq};

/// The state of one row after the last event that changed it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The event that last changed the row.
    pub seq: Seq,
    /// The row.
    pub row: Row,
    /// What views index of it; `None` when it was forgotten or erased.
    pub record: Option<Record>,
}

/// What views index of a live memory.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Content and the searchable parts of the body.
    pub text: String,
    /// The author's name; empty when not known.
    pub author_name: String,
    /// The fixed-width attributes.
    pub attributes: Attributes,
}

/// The fixed-width attributes by which memories are filtered and ranked.
///
/// `thread`, `author` and `session` are numbers in the space's table of names; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attributes {
    /// When it happened, microseconds since 1970.
    pub occurred_at: i64,
    /// When it stops being recalled, microseconds since 1970; `i64::MAX` for never.
    pub expires_at: i64,
    /// Its thread.
    pub thread: u32,
    /// Its place in the thread.
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
    /// Whether another memory took its place.
    pub superseded: bool,
    /// What feedback says of it, in hundredths: −100 to 100, 0 where nothing was said.
    pub feedback: i8,
}

/// Where views read the log from.
pub trait ChangeFeed {
    /// The last event of the log.
    fn head(&self) -> Result<Seq, ViewError>;

    /// The rows whose last change lies after `after`, by rising sequence number, at most `limit`.
    ///
    /// A row changed twice appears once, at its last change. O(rows returned).
    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError>;
}

/// The state of one memory after the last event that changed it, whole.
#[derive(Clone, Debug)]
pub struct MemoryState {
    /// The event that last changed it. Moves to another tier and links change nothing here.
    pub seq: Seq,
    /// Its row.
    pub row: Row,
    /// Its identity.
    pub id: MemoryId,
    /// What it says now; `None` when it was forgotten or erased.
    pub memory: Option<Memory>,
}

/// Where knowledge reads the log of all tiers from.
pub trait MemoryFeed {
    /// The last event of the log.
    fn head(&self) -> Result<Seq, ViewError>;

    /// The memories whose last change lies after `after`, by rising sequence number, at most `limit`.
    ///
    /// A memory changed twice appears once, at its last change. O(memories returned).
    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError>;

    /// The live memories with these ids, in their order; others are skipped.
    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError>;
}

/// Whether a view can take part in a recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers for everything up to its position.
    Whole,
    /// It answers for nothing until it is rebuilt; the reason is for a person.
    Broken(String),
}

/// What a fold came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The published part now covers the log up to here.
    Published(Seq),
    /// There was nothing new.
    Nothing,
    /// Another process is folding.
    Busy,
}

/// Derived state that follows the log. All methods may be called from several threads.
pub trait View: Send + Sync {
    /// Its name, as it stands in `degraded` and on disk.
    fn name(&self) -> &'static str;

    /// Whether it can take part. A view whose folder is missing or empty is whole, with position 0.
    fn health(&self) -> Health;

    /// Notices what any process has published since, and shortens the tail accordingly.
    ///
    /// Cheap enough to be called before every query (one `stat`). Never fails: what can't be read
    /// marks the view as broken.
    fn refresh(&self);

    /// Up to which event the published part covers the log.
    fn watermark(&self) -> Seq;

    /// Up to which event published part and tail together cover the log.
    fn position(&self) -> Seq;

    /// How many rows the tail holds.
    fn tail_rows(&self) -> usize;

    /// Takes changes into the tail; those at or before [`View::position`] are skipped.
    ///
    /// Afterwards the position is `through`, which is at or after the last change.
    fn follow(&self, changes: &[Change], through: Seq);

    /// Folds the log after the watermark into a new published part, if no other process is at it.
    ///
    /// `progress` is called now and then with the event reached. A broken view is quarantined and
    /// built from the beginning. When this returns `Published`, this process has refreshed too.
    fn fold(&self, feed: &dyn ChangeFeed, progress: &mut dyn FnMut(Seq))
    -> Result<Fold, ViewError>;

    /// Folds like [`View::fold`], and then writes every published file again that still holds something of a row
    /// which no longer counts, so that nothing of an erased memory is left on disk.
    ///
    /// Costs as much as the files that held such rows are large. Where nothing was published there is
    /// nothing to do.
    fn purge(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError>;

    /// Verifies everything published and compares checksums; what is damaged marks the view as broken.
    fn verify(&self) -> Health;
}

impl From<crate::StoreError> for ViewError {
    fn from(error: crate::StoreError) -> Self {
        Self::Source(Box::new(error))
    }
}

/// What can go wrong while a view reads the log or publishes.
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
        /// Why it failed.
        source: std::io::Error,
    },
    /// The source could not be read.
    #[error("read the log: {0}")]
    Feed(String),
    /// The source failed.
    #[error("read the log: {0}")]
    Source(#[source] Box<crate::StoreError>),
    /// A file of the view does not hold what it should.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The engine under the view failed.
    #[error("{0}")]
    Engine(String),
    /// Another process kept folding the view for longer than the bounded retry.
    #[error(
        "another process has been folding the {view} view for {waited:?}; erased content is removed from it later"
    )]
    Busy {
        /// The view's name.
        view: &'static str,
        /// How long we waited.
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

/// How many changes views read at a time while they fold.
pub const FOLD_BATCH: usize = 2_048;
