//! The knowledge graph of a space, in `views/knowledge.db`.
//!
//! It follows the log. Each memory is read on its own, and everything else is a function of the set of readings. So the
//! graph doesn't depend on how the log was followed and can be extracted again, ids included. Each batch is stored in
//! one transaction with the event it reaches: a killed process leaves it done or not begun.

mod associations;
mod attribution;
mod consistency;
mod contradictions;
mod currency;
mod denials;
mod descriptions;
mod echoes;
mod entities;
mod error;
mod expiry;
mod extract;
mod finding;
mod grouping;
mod leading;
mod listing;
mod naming;
mod neighbourhood;
mod reading_writer;
mod recency;
mod relations;
mod statements;
mod suggestions;
mod superseding;
mod threads;
mod writing_assertions;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_store::view::MemoryFeed;
use anamne_store::{FileIdentity, SideDatabase, identity_at, remove_derived, truncate_wal};
use anamne_types::Seq;
use rusqlite::Connection;

use crate::readings::Readings;
use contradictions::Disputed;

pub use associations::Association;
pub use consistency::holder;
pub use contradictions::ContradictionQuery;
pub use error::GraphError;
pub use extract::ExtractionReport;
pub use leading::{EntityNode, OpposingMemory, RelationHop};
pub use listing::EntityQuery;
pub use recency::Recency;
pub use threads::RelatedThread;

const DATABASE: SideDatabase = SideDatabase {
    page_size: SideDatabase::SMALL_PAGES,
    ..SideDatabase::new(6, include_str!("schema.sql"))
};

/// Maximum page cache of the recall connection, in KiB.
const RECALL_CACHE_KIB: i64 = 8_192;

/// The knowledge graph of a space. All methods may be called from several threads and processes.
pub struct Graph {
    path: PathBuf,
    identity: Option<FileIdentity>,
    is_read_only: bool,
    disputed: Mutex<Disputed>,
    readings: Option<Arc<Readings>>,
    /// What the graph may be behind of.
    log: Option<Arc<dyn MemoryFeed + Send + Sync>>,
    /// For extraction; readers don't wait for it.
    extractor: Mutex<Connection>,
    reader: Mutex<Connection>,
    /// For recall, so that it doesn't wait for long reads of the graph.
    recall: Mutex<Connection>,
}

impl Graph {
    /// Opens the graph at `path`, or creates an empty one at the start of the log.
    ///
    /// A language model's readings and verdicts in `readings` take precedence over the rules. A graph that this user
    /// can't write is opened to read as it is now.
    pub fn open(path: &Path, readings: Option<Arc<Readings>>) -> Result<Self, GraphError> {
        let mut is_read_only = false;
        let mut open = || match DATABASE.open(path) {
            Err(denied) if denied.prevents_writing() => {
                is_read_only = true;
                DATABASE.open_reader(path)?.ok_or(denied)
            }
            opened => opened,
        };
        let (extractor, reader, recall) = (open()?, open()?, open()?);
        recall.pragma_update(None, "cache_size", -RECALL_CACHE_KIB)?;
        Ok(Self {
            path: path.to_owned(),
            identity: identity_at(path),
            is_read_only,
            disputed: Mutex::default(),
            readings,
            log: None,
            extractor: Mutex::new(extractor),
            reader: Mutex::new(reader),
            recall: Mutex::new(recall),
        })
    }

    /// The graph with the log that it follows, to leave out what changed there since.
    #[must_use]
    pub fn following(self, log: Arc<dyn MemoryFeed + Send + Sync>) -> Self {
        Self {
            log: Some(log),
            ..self
        }
    }

    /// Whether this user can't write it. What others write later is not seen.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Deletes the graph at `path`. It must not be open.
    pub fn remove(path: &Path) -> Result<(), GraphError> {
        Ok(remove_derived(path)?)
    }

    /// Whether the open file is still the one at its path.
    pub fn is_in_place(&self) -> bool {
        self.identity.is_some() && identity_at(&self.path) == self.identity
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The event up to which it covers the log.
    pub fn position(&self) -> Result<Seq, GraphError> {
        extract::position(&self.reader())
    }

    /// Checks the whole file; returns a description of the damage, if any. O(bytes).
    pub fn examine(&self) -> Result<Option<String>, GraphError> {
        let found: String = self
            .reader()
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((found != "ok").then_some(found))
    }

    /// Rewrites the file and empties SQLite's log, so that no erased text remains on disk. Call it after following the
    /// erasure. Fails with `StoreError::StillRead` while a reader holds older pages in the log: retry then.
    pub fn purge(&self) -> Result<(), GraphError> {
        let extractor = self.extractor();
        extractor.execute_batch("VACUUM")?;
        Ok(truncate_wal(&extractor, &self.path)?)
    }

    fn disputed(&self) -> MutexGuard<'_, Disputed> {
        self.disputed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recall(&self) -> MutexGuard<'_, Connection> {
        self.recall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extractor(&self) -> MutexGuard<'_, Connection> {
        self.extractor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
