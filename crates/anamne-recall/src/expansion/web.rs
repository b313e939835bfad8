//! The nodes that were reached, each with the best path to it.

use std::rc::Rc;

use anamne_types::{EntityId, LinkType, Row};
use rustc_hash::FxHashMap;

use super::limits;

/// A memory, or something that memories name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    Memory(Row),
    Entity(EntityId),
}

/// What leads to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The question found it.
    Found,
    /// The question names it.
    Named,
    /// A memory names an entity.
    Mentions,
    /// An entity is named in a memory.
    MentionedIn,
    /// A memory says a relation of an entity.
    SaidIn,
    /// A relation, and whether it is followed backwards.
    Relation(Rc<str>, bool),
    /// A link, and whether it is followed backwards.
    Link(LinkType, bool),
    Next,
    Previous,
    /// Another question, with these words.
    AskedAgain(Rc<str>),
}

/// A place in the web.
pub(super) type Place = usize;

/// What is known of a node.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub(super) node: Node,
    /// The product of the steps of the best path to it.
    pub(super) proximity: f32,
    /// The product of the best path that ends in a step to it, for seeds too; 0 where none does.
    pub(super) incoming: f32,
    /// Hops of the path by which it was first reached.
    pub(super) hops: u8,
    /// Whether its own edges were followed.
    pub(super) followed: bool,
    from: Option<Place>,
    by: By,
}

/// The nodes that were reached. A path never comes back to a node: each step makes it fainter.
#[derive(Debug, Default)]
pub(super) struct Web {
    nodes: Vec<Reached>,
    places: FxHashMap<Node, Place>,
    /// What entities are called, and how many memories name them.
    names: FxHashMap<EntityId, (Rc<str>, u64)>,
}

impl Web {
    /// Starts paths at a node.
    pub(super) fn start(&mut self, node: Node, proximity: f32, by: By) -> Place {
        let place = self.nodes.len();
        self.places.insert(node, place);
        self.nodes.push(Reached {
            node,
            proximity,
            incoming: 0.0,
            hops: 0,
            followed: false,
            from: None,
            by,
        });
        place
    }

    /// Takes a step from a node, which a path of `hops` then reaches; says whether it is strong enough to count.
    pub(super) fn step(
        &mut self,
        from: Place,
        node: Node,
        strength: f32,
        hops: u8,
        by: By,
    ) -> bool {
        let proximity = self.nodes[from].proximity * strength;
        if proximity < limits::FAINTEST {
            return false;
        }
        match self.places.get(&node) {
            None => {
                let place = self.start(node, proximity, by);
                let reached = &mut self.nodes[place];
                (reached.incoming, reached.hops, reached.from) = (proximity, hops, Some(from));
            }
            Some(&place) if self.leads_over(from, place) => return false,
            Some(&place) => {
                let reached = &mut self.nodes[place];
                reached.incoming = reached.incoming.max(proximity);
                if reached.proximity < proximity {
                    (reached.proximity, reached.from, reached.by) = (proximity, Some(from), by);
                }
            }
        }
        true
    }

    /// Whether the path to `place` goes over `node`.
    fn leads_over(&self, place: Place, node: Place) -> bool {
        let mut next = Some(place);
        while let Some(at) = next {
            if at == node {
                return true;
            }
            next = self.nodes[at].from;
        }
        false
    }

    /// Learns what an entity is called, and how many memories name it.
    pub(super) fn call(&mut self, entity: EntityId, name: &str, memories: u64) {
        self.names
            .entry(entity)
            .or_insert_with(|| (name.into(), memories));
    }

    /// How many memories name an entity.
    pub(super) fn memories_naming(&self, entity: EntityId) -> u64 {
        self.names.get(&entity).map_or(0, |(_, memories)| *memories)
    }

    /// What an entity is called.
    pub(super) fn name(&self, entity: EntityId) -> &str {
        self.names.get(&entity).map_or("", |(name, _)| name)
    }

    pub(super) fn place(&self, node: Node) -> Option<Place> {
        self.places.get(&node).copied()
    }

    pub(super) fn at(&self, place: Place) -> &Reached {
        &self.nodes[place]
    }

    /// Takes note that the edges of a node were followed.
    pub(super) fn note_followed(&mut self, place: Place) {
        self.nodes[place].followed = true;
    }

    /// All nodes in the order in which they were reached.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (Place, &Reached)> {
        self.nodes.iter().enumerate()
    }

    /// The memories that a step leads to, with how near they are.
    pub(super) fn memories(&self) -> impl Iterator<Item = (Row, f32)> {
        self.nodes.iter().filter_map(|reached| match reached.node {
            Node::Memory(row) if reached.incoming > 0.0 => Some((row, reached.incoming)),
            _ => None,
        })
    }

    /// How near a memory is over what a step leads to it; 0 where none does.
    pub(super) fn proximity(&self, row: Row) -> f32 {
        let reached = self
            .place(Node::Memory(row))
            .map(|place| &self.nodes[place]);
        reached.map_or(0.0, |reached| match reached.by {
            By::Found => reached.incoming * limits::SEED_SHARE,
            _ => reached.incoming,
        })
    }

    /// The names that a memory leads to, with how many memories hold each.
    pub(super) fn named_by(&self, memory: Place) -> impl Iterator<Item = (&str, u64)> {
        self.nodes
            .iter()
            .filter_map(move |reached| match reached.node {
                Node::Entity(entity)
                    if reached.from == Some(memory) && reached.by == By::Mentions =>
                {
                    let (name, memories) = self.names.get(&entity)?;
                    Some((&**name, *memories))
                }
                _ => None,
            })
    }

    /// The path to a memory, from its start; empty where it was not reached by a step.
    pub(super) fn path(&self, row: Row) -> Vec<(Node, By)> {
        let mut path = Vec::new();
        let mut next = self.place(Node::Memory(row));
        while let Some(place) = next {
            let reached = &self.nodes[place];
            path.push((reached.node, reached.by.clone()));
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

    fn nodes(web: &Web, row: u32) -> Vec<Node> {
        let path = web.path(Row(row)).into_iter();
        path.map(|(node, _)| node).collect()
    }

    #[test]
    fn the_strongest_path_is_kept() {
        let mut web = Web::default();
        let first = web.start(memory(1), 1.0, By::Found);
        let second = web.start(memory(2), 0.5, By::Found);
        assert!(web.step(second, memory(3), 0.5, 1, By::Next));
        assert_eq!(nodes(&web, 3), [memory(2), memory(3)]);
        assert!(web.step(first, memory(3), 0.5, 1, By::Next));
        assert!(web.step(second, memory(3), 0.6, 1, By::Next));
        assert_eq!(nodes(&web, 3), [memory(1), memory(3)]);
        assert!((web.proximity(Row(3)) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_path_never_leads_back_over_itself() {
        let mut web = Web::default();
        let first = web.start(memory(1), 0.4, By::Found);
        web.step(first, memory(2), 0.9, 1, By::Next);
        let second = web.place(memory(2)).expect("reached");
        assert!(!web.step(second, memory(1), 0.9, 2, By::Previous));
        assert!(web.proximity(Row(1)) <= 0.0);
        assert!(nodes(&web, 1).is_empty());
    }

    #[test]
    fn a_seed_that_others_lead_to_is_confirmed_and_keeps_its_place() {
        let mut web = Web::default();
        let first = web.start(memory(1), 1.0, By::Found);
        web.start(memory(2), 0.9, By::Found);
        web.step(first, memory(2), 0.5, 1, By::Next);
        assert!((web.proximity(Row(2)) - 0.5 * limits::SEED_SHARE).abs() < 1e-6);
        assert!(nodes(&web, 2).is_empty(), "the question found it itself");
    }

    #[test]
    fn what_is_too_faint_is_not_reached() {
        let mut web = Web::default();
        let first = web.start(memory(1), 0.01, By::Found);
        assert!(!web.step(first, memory(2), 0.4, 1, By::Next));
        assert_eq!(web.place(memory(2)), None);
    }
}
