//! The nodes reached by graph traversal, each with its best path.

use std::rc::Rc;

use anamne_types::{EntityId, LinkType, Row};
use rustc_hash::FxHashMap;

use super::limits;

/// A memory or an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    Memory(Row),
    Entity(EntityId),
}

/// How a node was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// A search hit of the query.
    QueryHit,
    /// The query names the entity.
    QueryEntity,
    /// The memory names the entity.
    Mentions,
    /// The entity is named in the memory.
    MentionedIn,
    /// The memory is evidence for a relation of the entity.
    EvidenceIn,
    /// A relation, and whether it is followed backwards.
    Relation(Rc<str>, bool),
    /// A link, and whether it is followed backwards.
    Link(LinkType, bool),
    Next,
    Previous,
    /// A second query with these words.
    SecondQuery(Rc<str>),
}

/// The index of a node.
pub(super) type NodeIndex = usize;

/// A node that was reached.
#[derive(Clone, Debug)]
pub(super) struct ReachedNode {
    pub(super) node: Node,
    /// The product of the edge strengths on its best path.
    pub(super) proximity: f32,
    /// The best product of a path that ends in an edge to it, also for seeds; 0 if there is none.
    pub(super) incoming: f32,
    /// Hops of the path that first reached it.
    pub(super) hops: u8,
    /// Whether its own edges were followed.
    pub(super) expanded: bool,
    from: Option<NodeIndex>,
    edge: Edge,
}

/// The reached nodes. Paths have no cycles: each step lowers the strength.
#[derive(Debug, Default)]
pub(super) struct ReachedGraph {
    nodes: Vec<ReachedNode>,
    indices: FxHashMap<Node, NodeIndex>,
    /// Name and number of memories of each entity.
    names: FxHashMap<EntityId, (Rc<str>, u64)>,
}

impl ReachedGraph {
    /// Adds a node where paths start.
    pub(super) fn add_node(&mut self, node: Node, proximity: f32, edge: Edge) -> NodeIndex {
        let index = self.nodes.len();
        self.indices.insert(node, index);
        self.nodes.push(ReachedNode {
            node,
            proximity,
            incoming: 0.0,
            hops: 0,
            expanded: false,
            from: None,
            edge,
        });
        index
    }

    /// Adds an edge, to a node that is then `hops` away; returns whether it is strong enough to count.
    pub(super) fn add_edge(
        &mut self,
        from: NodeIndex,
        node: Node,
        strength: f32,
        hops: u8,
        edge: Edge,
    ) -> bool {
        let proximity = self.nodes[from].proximity * strength;
        if proximity < limits::MIN_STRENGTH {
            return false;
        }
        match self.indices.get(&node) {
            None => {
                let index = self.add_node(node, proximity, edge);
                let reached = &mut self.nodes[index];
                (reached.incoming, reached.hops, reached.from) = (proximity, hops, Some(from));
            }
            Some(&index) if self.path_contains(from, index) => return false,
            Some(&index) => {
                let reached = &mut self.nodes[index];
                reached.incoming = reached.incoming.max(proximity);
                if reached.proximity < proximity {
                    (reached.proximity, reached.from, reached.edge) = (proximity, Some(from), edge);
                }
            }
        }
        true
    }

    /// Whether the path to `index` contains `node`.
    fn path_contains(&self, index: NodeIndex, node: NodeIndex) -> bool {
        let mut next = Some(index);
        while let Some(at) = next {
            if at == node {
                return true;
            }
            next = self.nodes[at].from;
        }
        false
    }

    /// Sets the name of an entity and the number of memories that name it.
    pub(super) fn add_name(&mut self, entity: EntityId, name: &str, memories: u64) {
        self.names
            .entry(entity)
            .or_insert_with(|| (name.into(), memories));
    }

    /// How many memories name an entity.
    pub(super) fn memories_naming(&self, entity: EntityId) -> u64 {
        self.names.get(&entity).map_or(0, |(_, memories)| *memories)
    }

    /// The name of an entity.
    pub(super) fn name(&self, entity: EntityId) -> &str {
        self.names.get(&entity).map_or("", |(name, _)| name)
    }

    pub(super) fn index(&self, node: Node) -> Option<NodeIndex> {
        self.indices.get(&node).copied()
    }

    pub(super) fn at(&self, index: NodeIndex) -> &ReachedNode {
        &self.nodes[index]
    }

    /// Marks a node's edges as followed.
    pub(super) fn mark_expanded(&mut self, index: NodeIndex) {
        self.nodes[index].expanded = true;
    }

    /// All nodes in the order in which they were reached.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (NodeIndex, &ReachedNode)> {
        self.nodes.iter().enumerate()
    }

    /// The memories that an edge leads to, with their proximity.
    pub(super) fn memories(&self) -> impl Iterator<Item = (Row, f32)> {
        self.nodes.iter().filter_map(|reached| match reached.node {
            Node::Memory(row) if reached.incoming > 0.0 => Some((row, reached.incoming)),
            _ => None,
        })
    }

    /// The proximity of a memory by incoming edges; 0 if there are none.
    pub(super) fn proximity(&self, row: Row) -> f32 {
        let reached = self
            .index(Node::Memory(row))
            .map(|index| &self.nodes[index]);
        reached.map_or(0.0, |reached| match reached.edge {
            Edge::QueryHit => reached.incoming * limits::SEED_SHARE,
            _ => reached.incoming,
        })
    }

    /// The names that lead from a memory, with the number of memories of each.
    pub(super) fn names_in(&self, memory: NodeIndex) -> impl Iterator<Item = (&str, u64)> {
        self.nodes
            .iter()
            .filter_map(move |reached| match reached.node {
                Node::Entity(entity)
                    if reached.from == Some(memory) && reached.edge == Edge::Mentions =>
                {
                    let (name, memories) = self.names.get(&entity)?;
                    Some((&**name, *memories))
                }
                _ => None,
            })
    }

    /// The path to a memory from its start; empty if no edge led to it.
    pub(super) fn path(&self, row: Row) -> Vec<(Node, Edge)> {
        let mut path = Vec::new();
        let mut next = self.index(Node::Memory(row));
        while let Some(index) = next {
            let reached = &self.nodes[index];
            path.push((reached.node, reached.edge.clone()));
            next = reached.from;
        }
        path.reverse();
        if path.len() < 2 { Vec::new() } else { path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(row: u32) -> Node {
        Node::Memory(Row(row))
    }

    fn nodes(graph: &ReachedGraph, row: u32) -> Vec<Node> {
        let path = graph.path(Row(row)).into_iter();
        path.map(|(node, _)| node).collect()
    }

    #[test]
    fn the_strongest_path_is_kept() {
        let mut graph = ReachedGraph::default();
        let first = graph.add_node(memory(1), 1.0, Edge::QueryHit);
        let second = graph.add_node(memory(2), 0.5, Edge::QueryHit);
        assert!(graph.add_edge(second, memory(3), 0.5, 1, Edge::Next));
        assert_eq!(nodes(&graph, 3), [memory(2), memory(3)]);
        assert!(graph.add_edge(first, memory(3), 0.5, 1, Edge::Next));
        assert!(graph.add_edge(second, memory(3), 0.6, 1, Edge::Next));
        assert_eq!(nodes(&graph, 3), [memory(1), memory(3)]);
        assert!((graph.proximity(Row(3)) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn paths_have_no_cycles() {
        let mut graph = ReachedGraph::default();
        let first = graph.add_node(memory(1), 0.4, Edge::QueryHit);
        graph.add_edge(first, memory(2), 0.9, 1, Edge::Next);
        let second = graph.index(memory(2)).expect("reached");
        assert!(!graph.add_edge(second, memory(1), 0.9, 2, Edge::Previous));
        assert!(graph.proximity(Row(1)) <= 0.0);
        assert!(nodes(&graph, 1).is_empty());
    }

    #[test]
    fn an_edge_to_a_seed_raises_its_proximity_only_a_little() {
        let mut graph = ReachedGraph::default();
        let first = graph.add_node(memory(1), 1.0, Edge::QueryHit);
        graph.add_node(memory(2), 0.9, Edge::QueryHit);
        graph.add_edge(first, memory(2), 0.5, 1, Edge::Next);
        assert!((graph.proximity(Row(2)) - 0.5 * limits::SEED_SHARE).abs() < 1e-6);
        assert!(
            nodes(&graph, 2).is_empty(),
            "it is a direct hit of the query"
        );
    }

    #[test]
    fn too_weak_edges_are_not_followed() {
        let mut graph = ReachedGraph::default();
        let first = graph.add_node(memory(1), 0.01, Edge::QueryHit);
        assert!(!graph.add_edge(first, memory(2), 0.4, 1, Edge::Next));
        assert_eq!(graph.index(memory(2)), None);
    }
}
