//! Names from the knowledge graph, for queries about entities.

use std::sync::Arc;

use anamne_knowledge::graph::{EntityQuery, Graph, GraphError};
use anamne_recall::RecallError;
use anamne_recall::views::{EntityMentions, EntityNames, RelatedThreads};
use anamne_store::StoreError;

use super::graph::{BATCH, FOLLOWED_AT_ONCE, KnowledgeFile, LOOKED_AT};
use crate::Error;
use crate::likeness::nearest;

/// Maximum number of suggested names.
const OFFERED: usize = 3;

/// Maximum number of related threads.
const RELATED: usize = 64;

/// The names of a space, read on first use.
pub(crate) struct KnownNames<'space>(pub(crate) &'space KnowledgeFile);

impl KnownNames<'_> {
    /// The graph, and whether it lacks something: a few events are followed at once.
    fn extracted(&self) -> Result<(Arc<Graph>, bool), Error> {
        let graph = self.0.open()?;
        let behind = || self.0.behind(&graph);
        let mut left = behind()?;
        if !graph.is_read_only() && (1..=FOLLOWED_AT_ONCE).contains(&left) {
            self.0.extract(BATCH, &mut |_| true)?;
            left = behind()?;
        }
        if left > 0 && graph.position()?.0 == 0 {
            return Err(RecallError::NotExtracted { behind: left }.into());
        }
        Ok((graph, left > 0))
    }

    fn unknown(&self, graph: &Graph, name: String) -> Result<RecallError, GraphError> {
        let query = EntityQuery {
            unconfirmed: true,
            limit: LOOKED_AT,
            ..EntityQuery::default()
        };
        let known = graph.entities(&query, self.0.now())?.into_iter();
        let names = known.flat_map(|entity| std::iter::once(entity.name).chain(entity.aliases));
        let like = nearest(&name, names, OFFERED);
        Ok(RecallError::NoEntity { name, like })
    }

    fn named(&self, name: &str) -> Result<EntityMentions, Error> {
        let (graph, is_behind) = self.extracted()?;
        let entity = match graph.entity(name) {
            Err(GraphError::NoEntity { name }) => return Err(self.unknown(&graph, name)?.into()),
            found => found?,
        };
        let rows = graph.rows_naming(name)?;
        Ok(EntityMentions {
            rows: rows.into_iter().map(|row| row.0).collect(),
            names: std::iter::once(entity.name).chain(entity.aliases).collect(),
            is_behind,
        })
    }

    fn related(&self, thread: &str) -> Result<RelatedThreads, Error> {
        let (graph, is_behind) = self.extracted()?;
        let related = graph.related_threads(thread, RELATED)?.into_iter();
        Ok(RelatedThreads {
            threads: related.map(|related| related.thread).collect(),
            is_behind,
        })
    }
}

impl EntityNames for KnownNames<'_> {
    fn naming(&self, name: &str) -> Result<EntityMentions, RecallError> {
        self.named(name).map_err(of_recall)
    }

    fn related_threads(&self, thread: &str) -> Result<RelatedThreads, RecallError> {
        self.related(thread).map_err(of_recall)
    }
}

fn of_recall(error: Error) -> RecallError {
    match error {
        Error::Recall(error) => error,
        Error::Store(error @ StoreError::Unverified { .. }) => RecallError::Store(error),
        error => RecallError::Names {
            reason: error.to_string(),
        },
    }
}
