//! Connections between memories for recall: links of the source and the knowledge graph.

use std::cell::OnceCell;
use std::sync::Arc;

use anamne_knowledge::graph::{EntityNode, Graph, GraphError};
use anamne_recall::views::{Connections, Disputes, Linked, NamedEntity, RelatedEntity};
use anamne_store::SpaceSource;
use anamne_store::view::ViewError;
use anamne_types::{ConflictKind, Dispute, EntityId, LinkType, Row};

/// The weight of an extracted contradiction relative to an explicit link.
const FOUND: f32 = 0.8;

/// The links of a space, and its knowledge graph if extracted.
pub(crate) struct KnownConnections<'space> {
    source: &'space SpaceSource,
    graph: Option<Arc<Graph>>,
    has_names: OnceCell<bool>,
}

impl<'space> KnownConnections<'space> {
    pub(crate) fn new(source: &'space SpaceSource, graph: Option<Arc<Graph>>) -> Self {
        Self {
            source,
            graph,
            has_names: OnceCell::new(),
        }
    }

    /// Queries the graph, if there is one.
    fn ask<T>(
        &self,
        question: impl FnOnce(&Graph) -> Result<Vec<T>, GraphError>,
    ) -> Result<Vec<T>, ViewError> {
        match &self.graph {
            Some(graph) => question(graph).map_err(|error| ViewError::Engine(error.to_string())),
            None => Ok(Vec::new()),
        }
    }
}

impl Connections for KnownConnections<'_> {
    fn has_names(&self) -> bool {
        // An empty file means that nothing is extracted yet. If the file is unreadable, querying it reports the error.
        let is_extracted = |graph: &Arc<Graph>| graph.is_begun().unwrap_or(true);
        *self
            .has_names
            .get_or_init(|| self.graph.as_ref().is_some_and(is_extracted))
    }

    fn links(&self, rows: &[Row], most: usize) -> Result<Vec<Linked>, ViewError> {
        let mut links = self
            .source
            .links_of_rows(rows, most)
            .map_err(|error| ViewError::Source(Box::new(error)))?;
        // If the graph is unreadable, the query for names reports it.
        let opposed = self
            .ask(|graph| graph.contradictions_of_rows(rows, most))
            .unwrap_or_default();
        links.extend(opposed.into_iter().map(|opposed| Linked {
            from: opposed.from,
            to: opposed.to,
            link_type: match opposed.kind {
                ConflictKind::Superseded => LinkType::Supersedes,
                ConflictKind::Contested => LinkType::Contradicts,
            },
            weight: FOUND,
            backwards: opposed.later,
        }));
        Ok(links)
    }

    fn names(&self, rows: &[Row], most: usize) -> Result<Vec<(Row, NamedEntity)>, ViewError> {
        let named = self.ask(|graph| graph.entities_of_rows(rows, most))?;
        let named = named.into_iter().map(|(row, met)| (row, named_as(met)));
        Ok(named.collect())
    }

    fn mentions(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<(EntityId, Row)>, ViewError> {
        self.ask(|graph| graph.rows_of_entities(entities, most))
    }

    fn relations(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<RelatedEntity>, ViewError> {
        let leading = self.ask(|graph| graph.relations_of_entities(entities, most))?;
        let related = leading.into_iter().map(|leading| RelatedEntity {
            from: leading.from,
            to: named_as(leading.to),
            relation: leading.relation,
            backwards: leading.backwards,
            evidence: leading.evidence,
            confidence: leading.confidence,
        });
        Ok(related.collect())
    }

    fn named_in(&self, question: &str, most: usize) -> Result<Vec<NamedEntity>, ViewError> {
        let met = self.ask(|graph| graph.entities_in_query(question, most))?;
        Ok(met.into_iter().map(named_as).collect())
    }
}

fn named_as(met: EntityNode) -> NamedEntity {
    NamedEntity {
        entity: met.entity,
        name: met.name,
        memories: met.memories,
    }
}

/// Contradictions known to the graph, for recall.
pub(crate) struct KnownDisputes(pub(crate) Arc<Graph>);

impl Disputes for KnownDisputes {
    fn of(&self, rows: &[Row]) -> Vec<Vec<Dispute>> {
        // Recall continues without an unreadable graph; `doctor` reports it.
        self.0
            .disputes(rows)
            .unwrap_or_else(|_| vec![Vec::new(); rows.len()])
    }
}
