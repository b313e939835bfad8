//! The file of the knowledge graph of a space.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_knowledge::graph::{ExtractionReport, Graph, GraphError};
use anamne_store::beside::VIEWS;
use anamne_store::view::{MemoryFeed, MemoryState, ViewError};
use anamne_store::{Budget, Class, Damage, Derived, Effort, SpaceSource, StoreError};
use anamne_types::{Memory, MemoryId, Seq, Skipped};
use jiff::Timestamp;

use super::Site;
use super::readings::ReadingsFile;
use crate::Error;
use crate::background_problems::BackgroundProblems;
use crate::knowledge::wording_times::WordingFeed;

/// Its name in reports.
const NAME: &str = "knowledge";

/// Maximum number of events applied while a query waits; more are left to a task.
pub(crate) const FOLLOWED_AT_ONCE: u64 = 64;

/// Maximum number of events applied before a program ends: about a second. The next one goes on.
const SETTLED_AT_ONCE: u64 = 4_096;

/// Number of names compared to suggest similar ones.
pub(crate) const LOOKED_AT: usize = 10_000;

/// The graph, open.
pub(crate) type OpenGraph = Arc<Graph>;

/// Memories per transaction when a caller waits.
pub(crate) const BATCH: usize = 256;

/// Memories per transaction in the background.
pub(crate) const SMALL_BATCH: usize = 16;

/// The graph, opened on first use.
pub(crate) struct KnowledgeFile {
    source: Arc<SpaceSource>,
    readings: Arc<ReadingsFile>,
    problems: Arc<BackgroundProblems>,
    opened: Mutex<Option<Arc<Graph>>>,
}

impl KnowledgeFile {
    pub(super) fn new(site: &Site, readings: Arc<ReadingsFile>) -> Self {
        Self {
            source: site.source.clone(),
            readings,
            problems: site.problems.clone(),
            opened: Mutex::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.source.folder().join(VIEWS).join("knowledge.db")
    }

    /// The graph, reopened if its file was replaced.
    pub(crate) fn open(&self) -> Result<Arc<Graph>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(graph) = &*opened
            && graph.is_in_place()
        {
            return Ok(graph.clone());
        }
        let graph = Graph::open(&self.path(), self.readings.open()?)?;
        let graph = Arc::new(graph.following(Arc::new(PresentMemories(self.source.clone()))));
        *opened = (!graph.is_read_only()).then(|| graph.clone());
        Ok(graph)
    }

    /// The graph, if extracted.
    pub(crate) fn if_extracted(&self) -> Option<Arc<Graph>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let is_open = opened.is_some();
        drop(opened);
        (is_open || self.exists())
            .then(|| self.open().ok())
            .flatten()
    }

    /// Follows the log until `go_on` returns false, skipping memories that are damaged in both copies. A damaged graph
    /// is discarded and extracted again.
    pub(crate) fn extract(
        &self,
        batch: usize,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<(ExtractionReport, Skipped), Error> {
        let (undamaged, now) = (self.source.undamaged_feed(), self.source.now());
        let feed = WordingFeed {
            feed: &undamaged,
            source: &self.source,
        };
        let extracted = match self.open()?.catch_up(&feed, batch, now, go_on) {
            Err(error) if error.is_damage() => {
                self.remove()?;
                let said = format!(
                    "the knowledge graph was damaged and is being extracted again: {error}"
                );
                self.problems.note([said]);
                self.open()?.catch_up(&feed, batch, now, go_on)?
            }
            extracted => extracted?,
        };
        Ok((extracted, undamaged.skipped()))
    }

    /// Number of events the graph is behind.
    pub(crate) fn behind(&self, graph: &Graph) -> Result<u64, Error> {
        let head = MemoryFeed::head(&*self.source)?;
        Ok(head.0.saturating_sub(graph.position()?.0))
    }

    /// The current time by the store's clock.
    pub(super) fn now(&self) -> Timestamp {
        self.source.now()
    }

    /// Empties the graph, or deletes its file if damaged.
    pub(crate) fn empty(&self) -> Result<(), Error> {
        match self.open()?.forget() {
            Err(error) if error.is_damage() => self.remove(),
            emptied => Ok(emptied?),
        }
    }
}

/// The log for comparison with the graph, without memories that are damaged in both copies.
struct PresentMemories(Arc<SpaceSource>);

impl MemoryFeed for PresentMemories {
    fn head(&self) -> Result<Seq, ViewError> {
        MemoryFeed::head(&*self.0)
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        self.0.undamaged_feed().states_since(after, limit)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        self.0.undamaged_feed().memories(ids)
    }
}

impl Derived<Error> for KnowledgeFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Log
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path()]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        Ok(Some(match self.if_extracted() {
            Some(graph) => graph.position()?,
            None => Seq(0),
        }))
    }

    fn is_due(&self, effort: Effort) -> Result<bool, Error> {
        // In the background it is a task.
        if effort == Effort::Due {
            return Ok(false);
        }
        let head = MemoryFeed::head(&*self.source)?;
        if head == Seq(0) && !self.exists() {
            return Ok(false);
        }
        let is_behind = |graph: Arc<Graph>| -> Result<bool, Error> {
            let is_behind = graph.position()? != head || graph.is_expiry_due(self.now())?;
            Ok(is_behind && !graph.is_read_only())
        };
        match self.open().and_then(is_behind) {
            // Extraction replaces it.
            Err(Error::Knowledge(error)) if error.is_damage() => Ok(true),
            // Nobody extracts in a read-only store, or on a full disk.
            Err(Error::Knowledge(GraphError::Store(error))) if error.prevents_writing() => {
                Ok(false)
            }
            is_behind => is_behind,
        }
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        let most = match budget.effort {
            Effort::Due => return Ok(()),
            Effort::Settled => SETTLED_AT_ONCE,
            Effort::Whole => u64::MAX,
        };
        let begin = match self.position() {
            Err(Error::Knowledge(error)) if error.is_damage() => Seq(0),
            begin => begin?.unwrap_or_default(),
        };
        let extracted = self.extract(BATCH, &mut |reached| {
            (budget.go_on)(NAME, reached) && reached.0.saturating_sub(begin.0) < most
        })?;
        self.problems.note_skipped(&extracted.1);
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let Some(graph) = self.if_extracted() else {
            return Ok(Vec::new());
        };
        let problem = match graph.examine() {
            Err(error) if error.is_damage() => Some(error.to_string()),
            examined => examined?,
        };
        let damage = problem.map(|reason| Damage {
            part: NAME.to_owned(),
            reason,
        });
        Ok(damage.into_iter().collect())
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        let purged = match self.if_extracted() {
            Some(_) => self
                .extract(BATCH, &mut |_| true)
                .and_then(|_| Ok(self.open()?.purge()?)),
            None if self.exists() => self.open().map(|_| ()),
            None => return Ok(()),
        };
        match purged {
            // It is being read; the next round cleans it.
            Err(Error::Knowledge(GraphError::Store(error @ StoreError::StillRead { .. }))) => {
                Err(error.into())
            }
            // If it can't be cleaned, delete it.
            Err(_) => self.remove(),
            Ok(()) => Ok(()),
        }
    }

    fn remove(&self) -> Result<(), Error> {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(Graph::remove(&self.path())?)
    }
}
