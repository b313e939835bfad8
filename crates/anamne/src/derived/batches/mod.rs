//! `paid/embedding-batches.db`: asynchronous batches of a remote embedding model, for half the price and within a day.
//!
//! A space that changes its model may ask for the vectors in batches instead of one request after another, while the
//! former model answers. What a batch brings goes to the embedding cache, where the change of the model finds it; what
//! it doesn't bring is asked for like any other text. Every step is written down before and after it, so that whichever
//! process comes next continues, and no text is in two batches.

mod covering;
mod receiving;
mod records;
mod steps;

use std::borrow::Cow;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anamne_store::{
    Budget, Class, Damage, Derived, SideDatabase, SideFile, SpaceSource, StoreError,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Site, gone};
use crate::Error;
use crate::background_problems::BackgroundProblems;
use crate::due::Due;
use crate::models::Models;
use records::{Batch, Stage};

/// Its name in reports.
const NAME: &str = "embedding_batches";

/// Settings of the file. Durable: a batch that is forgotten would be paid twice.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    ..SideDatabase::new(1, include_str!("batches.sql"))
};

/// The ended batches that are still listed.
const LISTED: u32 = 4;

/// Rows that are looked up at a time.
const CHECKED_AT_A_TIME: usize = 500;

/// The batches of a space.
pub(crate) struct Batches {
    source: Arc<SpaceSource>,
    models: Arc<Models>,
    problems: Arc<BackgroundProblems>,
    file: SideFile,
    /// Whether there may be batches that are not done.
    is_open: AtomicBool,
    /// Whether the change of the model waits for one.
    is_awaited: AtomicBool,
    /// When they are next looked at.
    due: Due,
    /// Whether too few texts are left for a batch, or no budget has room for one.
    has_collected: AtomicBool,
}

/// What following the batches came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// The change of the model waits for a batch.
    Awaited,
    /// It doesn't.
    Free,
    /// Another process is at it.
    Busy,
}

/// A batch of texts that a remote model was asked to embed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingBatch {
    /// The model.
    pub model: String,
    /// `noted`, `uploading`, `uploaded`, `starting`, `running`, `ended`, `clearing` or `done`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub stage: Cow<'static, str>,
    /// The provider's id of the batch; empty before it was started.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The texts that it covers.
    pub texts: u64,
    /// The texts that have a vector from it.
    pub answered: u64,
    /// When it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    /// How it ended; empty before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
}

/// Held by the process that follows the batches.
struct Turn(File);

impl Drop for Turn {
    fn drop(&mut self) {
        // If unlocking fails, closing the handle releases the lock.
        let _ = self.0.unlock();
    }
}

impl EmbeddingBatch {
    /// Whether it is still worked on.
    pub fn is_awaited(&self) -> bool {
        Stage::of(&self.stage).is_some_and(Stage::is_awaited)
    }
}

impl Batches {
    /// The batches of the space. No I/O but a look whether the file exists.
    pub(super) fn new(site: &Site) -> Self {
        let folder = site.source.folder().join(Class::Paid.folder());
        let file = SideFile::at(DATABASE, &folder.join("embedding-batches.db"));
        Self {
            source: site.source.clone(),
            models: site.models.clone(),
            problems: site.problems.clone(),
            is_open: AtomicBool::new(file.exists()),
            is_awaited: AtomicBool::new(false),
            due: Due::at_once(),
            has_collected: AtomicBool::new(false),
            file,
        }
    }

    /// Whether one is to be looked at. No I/O.
    pub(crate) fn are_due(&self) -> bool {
        self.is_open.load(Ordering::Relaxed) && self.due.is_due(self.source.now())
    }

    /// Whether the change of the model has nothing to do but to wait for them. No I/O.
    pub(crate) fn are_awaited(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
            && self.is_awaited.load(Ordering::Relaxed)
            && !self.due.is_due(self.source.now())
    }

    /// Looks at them with the next work, and again for texts that could be in one.
    pub(crate) fn hasten(&self) {
        self.is_open.store(self.file.exists(), Ordering::Relaxed);
        self.has_collected.store(false, Ordering::Relaxed);
        self.due.hasten();
    }

    /// Does what can be done for the batches now. Those of other models than `wanted` are cancelled.
    pub(crate) fn follow(&self, wanted: Option<&str>) -> Result<Followed, Error> {
        if self.are_awaited() {
            return Ok(Followed::Awaited);
        }
        // While the model changes, another process may have noted batches that this one doesn't know of.
        let is_unknown = wanted.is_some() && self.file.exists();
        if !is_unknown && !self.are_due() {
            return Ok(Followed::Free);
        }
        let Some(_turn) = self.turn()? else {
            return Ok(Followed::Busy);
        };
        if self.source.unclean_views()?.is_some() {
            return Ok(Followed::Busy);
        }
        let mut failure = Ok(());
        for batch in self.open()? {
            let followed = self.follow_one(batch, wanted);
            failure = failure.and(followed);
        }
        let open = self.open()?;
        let is_awaited = open.iter().any(|batch| batch.stage.is_awaited());
        self.is_awaited.store(is_awaited, Ordering::Relaxed);
        self.is_open.store(!open.is_empty(), Ordering::Relaxed);
        let now = self.source.now();
        if let Some(next) = open.iter().map(|batch| batch.look_at).min() {
            let pause = next.duration_since(now).as_micros().max(0);
            self.due
                .put_off(now, i64::try_from(pause).unwrap_or(i64::MAX));
        }
        failure?;
        Ok(if is_awaited {
            Followed::Awaited
        } else {
            Followed::Free
        })
    }

    /// Forgets what ended batches covered, once the model that they were for is in use.
    pub(crate) fn forget_ended(&self) -> Result<(), Error> {
        if !self.file.exists() {
            return Ok(());
        }
        Ok(self.forget_done(LISTED)?)
    }

    /// All that are known, oldest first.
    pub(crate) fn report(&self) -> Result<Vec<EmbeddingBatch>, Error> {
        let report = |batch: Batch| EmbeddingBatch {
            model: batch.model,
            stage: batch.stage.as_str().into(),
            id: batch.remote.unwrap_or_default(),
            texts: batch.texts,
            answered: batch.answered,
            sent_at: batch.sent_at,
            outcome: batch.outcome,
        };
        Ok(self.all()?.into_iter().map(report).collect())
    }

    fn open(&self) -> Result<Vec<Batch>, Error> {
        let mut batches = self.all()?;
        batches.retain(|batch| batch.stage != Stage::Done);
        Ok(batches)
    }

    /// The right to change batches, unless another process has it. It ends with the process.
    fn turn(&self) -> Result<Option<Turn>, Error> {
        let path = self.file.path().with_extension("turn");
        if let Some(folder) = path.parent() {
            anamne_store::create_private_folder(folder)?;
        }
        let file = anamne_store::open_private_file(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Turn(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(Error::Store(StoreError::Io {
                action: "lock",
                path,
                source,
            })),
        }
    }
}

impl Derived<Error> for Batches {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Paid
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.file.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.file.damage(NAME)?)
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(self.file.path())?)
    }

    /// Forgets the digests of erased memories. The batches that cover them are cancelled, and their files deleted, with
    /// the next work in the background.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        let mut erased = Vec::new();
        for rows in self.covered_rows()?.chunks(CHECKED_AT_A_TIME) {
            erased.extend(gone(&self.source, rows));
        }
        if !erased.is_empty() {
            self.forget_rows(&erased)?;
            self.file.rewrite()?;
            self.hasten();
        }
        Ok(self.file.truncate_wal()?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.file.remove()?)
    }
}
