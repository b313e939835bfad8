//! Graph traversal hop by hop: all nodes of a hop in one batch per edge type, nearest first, within a budget.

use std::collections::BTreeMap;

use anamne_store::view::{Attributes, ViewError};
use anamne_types::{EntityId, Row};

use super::graph::{Edge, Node, NodeIndex, ReachedGraph};
use super::limits;
use crate::candidates::thread_neighbours;
use crate::connections::{Connections, NamedEntity};
use crate::sources::KNOWLEDGE;
use crate::views::{Columns, best_first};

/// A traversal from the seeds of one query.
pub(super) struct Traversal<'a> {
    pub(super) connections: Option<&'a dyn Connections>,
    pub(super) columns: &'a dyn Columns,
    /// Memories expired at this time are skipped.
    pub(super) now: i64,
    /// How well a memory matches the query, 0 to 1: of equally near memories the better match is expanded.
    pub(super) match_score: &'a mut dyn FnMut(Row) -> f32,
    pub(super) graph: ReachedGraph,
    /// Number of edges followed.
    pub(super) edges: usize,
    /// The views that failed.
    pub(super) failed: Vec<&'static str>,
}

/// Listed as degraded if links can't be read.
const LINKS: &str = "links";

impl Traversal<'_> {
    /// Adds the seeds: the query's hits, best first, each with its relative score, and the entities that it names.
    pub(super) fn add_seeds(&mut self, found: &[(Row, f32)], query: &str) {
        let mut fade = 1.0;
        for &(row, relative_score) in found {
            self.graph
                .add_node(Node::Memory(row), relative_score * fade, Edge::QueryHit);
            fade *= limits::SEED_FADE;
        }
        let named = self.query_graph(|names| names.named_in(query, limits::QUERY_NAMES));
        for named in named {
            let node = Node::Entity(named.entity);
            if self.graph.index(node).is_none() {
                self.graph.add_node(node, 1.0, Edge::QueryEntity);
                self.add_entity(&named);
            }
        }
    }

    /// Follows the edges of all reached nodes one more hop.
    pub(super) fn hop(&mut self, hop: u8) {
        let memories = self.frontier_of_memories(hop);
        let rows: Vec<Row> = memories.iter().map(|(_, row)| *row).collect();
        let mut entities = self.frontier_of_entities(hop);
        self.follow_links(&memories, &rows, hop);
        self.follow_threads(&memories, hop);
        for named in self.follow_names(&memories, &rows, hop) {
            if !entities.contains(&named) {
                entities.push(named);
            }
        }
        let entities = self.nearest_entities(entities);
        self.follow_relations(&entities, hop);
        self.follow_mentions(&entities, hop);
    }

    /// The nearest memories that are not expanded yet.
    fn frontier_of_memories(&mut self, hop: u8) -> Vec<(NodeIndex, Row)> {
        let mut frontier: Vec<(f32, NodeIndex, Row)> = Vec::new();
        for (index, reached) in self.graph.nodes() {
            if let Node::Memory(row) = reached.node
                && !reached.expanded
                && reached.hops < hop
            {
                frontier.push((reached.proximity, index, row));
            }
        }
        keep_nearest(&mut frontier, limits::SCORED);
        for (nearness, index, row) in &mut frontier {
            let is_found = self.graph.at(*index).hops == 0;
            *nearness *= 0.5
                + if is_found {
                    1.0
                } else {
                    (self.match_score)(*row)
                };
        }
        keep_nearest(&mut frontier, limits::FRONTIER);
        for (_, index, _) in &frontier {
            self.graph.mark_expanded(*index);
        }
        let memories = frontier.into_iter();
        memories.map(|(_, index, row)| (index, row)).collect()
    }

    /// The entities of earlier hops that are not expanded yet.
    fn frontier_of_entities(&self, hop: u8) -> Vec<NodeIndex> {
        let frontier = self.graph.nodes().filter(|(_, reached)| {
            matches!(reached.node, Node::Entity(_)) && !reached.expanded && reached.hops < hop
        });
        frontier.map(|(index, _)| index).collect()
    }

    /// The nearest entities among these nodes, weighted by rarity.
    fn nearest_entities(&self, indices: Vec<NodeIndex>) -> BTreeMap<EntityId, NodeIndex> {
        let entity = |index: NodeIndex| match self.graph.at(index).node {
            Node::Entity(entity) => Some((entity, index)),
            Node::Memory(_) => None,
        };
        let mut entities: Vec<(f32, EntityId, NodeIndex)> = indices
            .into_iter()
            .filter_map(entity)
            .map(|(entity, index)| {
                let rarity = self.rarity(entity).max(limits::MIN_STRENGTH);
                (self.graph.at(index).proximity * rarity, entity, index)
            })
            .collect();
        entities.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        entities.truncate(limits::ENTITIES);
        entities
            .into_iter()
            .map(|(_, entity, index)| (entity, index))
            .collect()
    }

    /// Adds an edge to a memory, unless it is gone or outside the searched tiers.
    fn reach_memory(&mut self, from: NodeIndex, row: Row, strength: f32, hop: u8, edge: Edge) {
        self.edges += 1;
        if self.is_live(row) {
            self.graph
                .add_edge(from, Node::Memory(row), strength * limits::HOP, hop, edge);
        }
    }

    fn is_live(&self, row: Row) -> bool {
        self.attributes(row).is_some()
    }

    fn attributes(&self, row: Row) -> Option<Attributes> {
        let attributes = self.columns.attributes(row)?;
        (attributes.expires_at > self.now).then_some(attributes)
    }

    fn has_budget(&self) -> bool {
        self.edges < limits::EDGES
    }

    fn follow_links(&mut self, memories: &[(NodeIndex, Row)], rows: &[Row], hop: u8) {
        let Some(connections) = self.connections else {
            return;
        };
        if rows.is_empty() || !self.has_budget() {
            return;
        }
        match connections.links(rows, limits::LINKS) {
            Ok(links) => {
                for link in links {
                    if let Some(from) = index_of_row(memories, link.from) {
                        let edge = Edge::Link(link.link_type, link.backwards);
                        self.reach_memory(from, link.to, limits::LINK * link.weight, hop, edge);
                    }
                }
            }
            Err(_) => self.note_failed(LINKS),
        }
    }

    fn follow_threads(&mut self, memories: &[(NodeIndex, Row)], hop: u8) {
        for &(index, row) in memories {
            let Some(attributes) = self.attributes(row).filter(|own| own.thread != 0) else {
                continue;
            };
            let with_neighbours = thread_neighbours(self.columns, row, &attributes);
            let mut last = [None; 2];
            for ([before, after], strength) in with_neighbours.into_iter().zip(limits::THREAD_STEPS)
            {
                for (side, (row, edge)) in [(before, Edge::Previous), (after, Edge::Next)]
                    .into_iter()
                    .enumerate()
                {
                    if let Some(row) = row {
                        self.reach_memory(index, row, strength, hop, edge);
                        last[side] = Some(row);
                    }
                }
            }
            // One position beyond the neighbours of a candidate.
            for (side, edge) in [(0, Edge::Previous), (1, Edge::Next)] {
                if let Some(row) = last[side]
                    && let Some(attributes) = self.attributes(row)
                    && let Some(row) = thread_neighbours(self.columns, row, &attributes)[0][side]
                {
                    self.reach_memory(index, row, limits::THREAD_STEPS[2], hop, edge);
                }
            }
        }
    }

    /// Adds edges to the entities that the memories name; returns their nodes.
    fn follow_names(
        &mut self,
        memories: &[(NodeIndex, Row)],
        rows: &[Row],
        hop: u8,
    ) -> Vec<NodeIndex> {
        if rows.is_empty() || !self.has_budget() {
            return Vec::new();
        }
        let mut reached = Vec::new();
        for (row, named) in self.query_graph(|names| names.names(rows, limits::NAMES)) {
            self.edges += 1;
            let node = Node::Entity(named.entity);
            if let Some(from) = index_of_row(memories, row)
                && self.graph.add_edge(from, node, 1.0, hop, Edge::Mentions)
            {
                self.add_entity(&named);
                reached.extend(
                    self.graph
                        .index(node)
                        .filter(|index| !self.graph.at(*index).expanded),
                );
            }
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }

    fn follow_relations(&mut self, entities: &BTreeMap<EntityId, NodeIndex>, hop: u8) {
        let queried: Vec<EntityId> = entities.keys().copied().collect();
        if queried.is_empty() || !self.has_budget() {
            return;
        }
        for related in self.query_graph(|names| names.relations(&queried, limits::RELATIONS)) {
            self.edges += 1;
            let Some(&from) = entities.get(&related.from) else {
                continue;
            };
            // The graph may still contain relations of erased memories.
            if !self.is_live(related.evidence) {
                continue;
            }
            let strength = limits::RELATION * related.confidence * self.rarity(related.from).sqrt();
            let node = Node::Entity(related.to.entity);
            let edge = Edge::Relation(related.relation.as_str().into(), related.backwards);
            if self
                .graph
                .add_edge(from, node, strength * limits::HOP, hop, edge)
            {
                self.add_entity(&related.to);
            }
            if let Some(index) = self.graph.index(node) {
                // The proximity over this relation, even if the entity itself is nearer over another path.
                let share =
                    self.graph.at(from).proximity * strength / self.graph.at(index).proximity;
                self.reach_memory(
                    index,
                    related.evidence,
                    (share * limits::EVIDENCE).min(limits::EVIDENCE),
                    hop,
                    Edge::EvidenceIn,
                );
            }
        }
    }

    fn follow_mentions(&mut self, entities: &BTreeMap<EntityId, NodeIndex>, hop: u8) {
        let mut queried = Vec::new();
        for (&entity, &index) in entities {
            self.graph.mark_expanded(index);
            let nearness = self.graph.at(index).proximity * self.rarity(entity) * limits::HOP;
            if nearness >= limits::MIN_STRENGTH {
                queried.push(entity);
            }
        }
        if queried.is_empty() || !self.has_budget() {
            return;
        }
        for (entity, row) in self.query_graph(|names| names.mentions(&queried, limits::MENTIONS)) {
            if let Some(&from) = entities.get(&entity) {
                self.reach_memory(from, row, self.rarity(entity), hop, Edge::MentionedIn);
            }
        }
    }

    fn rarity(&self, entity: EntityId) -> f32 {
        limits::rarity(self.graph.memories_naming(entity), self.columns.rows())
    }

    fn add_entity(&mut self, named: &NamedEntity) {
        self.graph
            .add_name(named.entity, &named.name, named.memories);
    }

    /// Queries the knowledge graph, if there is one; on failure returns nothing and lists it as failed.
    fn query_graph<T>(
        &mut self,
        query: impl Fn(&dyn Connections) -> Result<Vec<T>, ViewError>,
    ) -> Vec<T> {
        let Some(connections) = self.connections.filter(|known| known.has_names()) else {
            return Vec::new();
        };
        query(connections).unwrap_or_else(|_| {
            self.note_failed(KNOWLEDGE);
            Vec::new()
        })
    }

    fn note_failed(&mut self, view: &'static str) {
        if !self.failed.contains(&view) {
            self.failed.push(view);
        }
    }
}

/// Keeps the nearest, nearest first; ties by row.
fn keep_nearest(frontier: &mut Vec<(f32, NodeIndex, Row)>, most: usize) {
    frontier.sort_by(|one, other| best_first((one.0, one.2), (other.0, other.2)));
    frontier.truncate(most);
}

fn index_of_row(memories: &[(NodeIndex, Row)], row: Row) -> Option<NodeIndex> {
    let found = memories.iter().find(|(_, own)| *own == row);
    found.map(|(index, _)| *index)
}
