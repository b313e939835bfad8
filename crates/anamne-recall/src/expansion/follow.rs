//! Following connections hop by hop: all nodes of a hop in one batch of each kind, the nearest first, within a budget.

use std::collections::BTreeMap;

use anamne_store::view::{Attributes, ViewError};
use anamne_types::{EntityId, Row};

use super::limits;
use super::web::{By, Node, Place, Web};
use crate::candidates::surroundings;
use crate::connections::{Connections, Named};
use crate::views::{Columns, best_first};

/// Follows connections from the seeds of one question.
pub(super) struct Follower<'a> {
    pub(super) connections: Option<&'a dyn Connections>,
    pub(super) columns: &'a dyn Columns,
    /// Memories that have expired by then lead nowhere.
    pub(super) now: i64,
    /// How well a memory fits the question, 0 to 1: of memories that are as near, those that fit lead on.
    pub(super) fit: &'a mut dyn FnMut(Row) -> f32,
    pub(super) web: Web,
    /// Edges that were followed.
    pub(super) edges: usize,
    /// What could not take part.
    pub(super) failed: Vec<&'static str>,
}

/// Stands among what is degraded where the graph can't be asked.
pub(super) const KNOWLEDGE: &str = "knowledge";

/// Stands among what is degraded where links can't be read.
const LINKS: &str = "links";

impl Follower<'_> {
    /// Starts from what the question found, best first, each with how good it is beside the best; and from what the
    /// question names.
    pub(super) fn start(&mut self, found: &[(Row, f32)], question: &str) {
        let mut fade = 1.0;
        for &(row, goodness) in found {
            self.web
                .start(Node::Memory(row), goodness * fade, By::Found);
            fade *= limits::SEED_FADE;
        }
        let named = self.ask_names(|names| names.named_in(question, limits::QUESTION_NAMES));
        for named in named {
            let node = Node::Entity(named.entity);
            if self.web.place(node).is_none() {
                self.web.start(node, 1.0, By::Named);
                self.learn(&named);
            }
        }
    }

    /// Takes one more hop from everything that was reached.
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

    /// The nearest memories whose edges were not followed yet.
    fn frontier_of_memories(&mut self, hop: u8) -> Vec<(Place, Row)> {
        let mut waiting: Vec<(f32, Place, Row)> = Vec::new();
        for (place, reached) in self.web.nodes() {
            if let Node::Memory(row) = reached.node
                && !reached.followed
                && reached.hops < hop
            {
                waiting.push((reached.proximity, place, row));
            }
        }
        nearest(&mut waiting, limits::READ);
        for (nearness, place, row) in &mut waiting {
            let is_found = self.web.at(*place).hops == 0;
            *nearness *= 0.5 + if is_found { 1.0 } else { (self.fit)(*row) };
        }
        nearest(&mut waiting, limits::FRONTIER);
        for (_, place, _) in &waiting {
            self.web.note_followed(*place);
        }
        let memories = waiting.into_iter();
        memories.map(|(_, place, row)| (place, row)).collect()
    }

    /// The entities that earlier hops reached and whose edges were not followed yet.
    fn frontier_of_entities(&self, hop: u8) -> Vec<Place> {
        let waiting = self.web.nodes().filter(|(_, reached)| {
            matches!(reached.node, Node::Entity(_)) && !reached.followed && reached.hops < hop
        });
        waiting.map(|(place, _)| place).collect()
    }

    /// Those of these places that are the nearest entities; of such as are as near, the rarest.
    fn nearest_entities(&self, places: Vec<Place>) -> BTreeMap<EntityId, Place> {
        let entity = |place: Place| match self.web.at(place).node {
            Node::Entity(entity) => Some((entity, place)),
            Node::Memory(_) => None,
        };
        let mut entities: Vec<(f32, EntityId, Place)> = places
            .into_iter()
            .filter_map(entity)
            .map(|(entity, place)| {
                let rarity = self.rarity(entity).max(limits::FAINTEST);
                (self.web.at(place).proximity * rarity, entity, place)
            })
            .collect();
        entities.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        entities.truncate(limits::ENTITIES);
        entities
            .into_iter()
            .map(|(_, entity, place)| (entity, place))
            .collect()
    }

    /// Steps to another memory, unless it is not there any more, or not in the tiers that are searched.
    fn reach(&mut self, from: Place, row: Row, strength: f32, hop: u8, by: By) {
        self.edges += 1;
        if self.is_there(row) {
            self.web
                .step(from, Node::Memory(row), strength * limits::HOP, hop, by);
        }
    }

    fn is_there(&self, row: Row) -> bool {
        self.attributes(row).is_some()
    }

    fn attributes(&self, row: Row) -> Option<Attributes> {
        let attributes = self.columns.attributes(row)?;
        (attributes.expires_at > self.now).then_some(attributes)
    }

    fn has_budget(&self) -> bool {
        self.edges < limits::EDGES
    }

    fn follow_links(&mut self, memories: &[(Place, Row)], rows: &[Row], hop: u8) {
        let Some(connections) = self.connections else {
            return;
        };
        if rows.is_empty() || !self.has_budget() {
            return;
        }
        match connections.links(rows, limits::LINKS) {
            Ok(links) => {
                for link in links {
                    if let Some(from) = place_of(memories, link.from) {
                        let by = By::Link(link.link_type, link.backwards);
                        self.reach(from, link.to, limits::LINK * link.weight, hop, by);
                    }
                }
            }
            Err(_) => self.note_failed(LINKS),
        }
    }

    fn follow_threads(&mut self, memories: &[(Place, Row)], hop: u8) {
        for &(place, row) in memories {
            let Some(attributes) = self.attributes(row).filter(|own| own.thread != 0) else {
                continue;
            };
            let near = surroundings(self.columns, row, &attributes);
            let mut last = [None; 2];
            for ([before, after], strength) in near.into_iter().zip(limits::PLACES) {
                for (side, (row, by)) in [(before, By::Previous), (after, By::Next)]
                    .into_iter()
                    .enumerate()
                {
                    if let Some(row) = row {
                        self.reach(place, row, strength, hop, by);
                        last[side] = Some(row);
                    }
                }
            }
            // One place beyond what is looked up for every candidate.
            for (side, by) in [(0, By::Previous), (1, By::Next)] {
                if let Some(row) = last[side]
                    && let Some(attributes) = self.attributes(row)
                    && let Some(row) = surroundings(self.columns, row, &attributes)[0][side]
                {
                    self.reach(place, row, limits::PLACES[2], hop, by);
                }
            }
        }
    }

    /// Steps to what the memories name; returns the places of it.
    fn follow_names(&mut self, memories: &[(Place, Row)], rows: &[Row], hop: u8) -> Vec<Place> {
        if rows.is_empty() || !self.has_budget() {
            return Vec::new();
        }
        let mut reached = Vec::new();
        for (row, named) in self.ask_names(|names| names.names(rows, limits::NAMES)) {
            self.edges += 1;
            let node = Node::Entity(named.entity);
            if let Some(from) = place_of(memories, row)
                && self.web.step(from, node, 1.0, hop, By::Mentions)
            {
                self.learn(&named);
                reached.extend(
                    self.web
                        .place(node)
                        .filter(|place| !self.web.at(*place).followed),
                );
            }
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }

    fn follow_relations(&mut self, entities: &BTreeMap<EntityId, Place>, hop: u8) {
        let asked: Vec<EntityId> = entities.keys().copied().collect();
        if asked.is_empty() || !self.has_budget() {
            return;
        }
        for related in self.ask_names(|names| names.relations(&asked, limits::RELATIONS)) {
            self.edges += 1;
            let Some(&from) = entities.get(&related.from) else {
                continue;
            };
            // What an erased memory said leads nowhere, though the graph may not have heard of that yet.
            if !self.is_there(related.evidence) {
                continue;
            }
            let strength = limits::RELATION * related.confidence * self.rarity(related.from).sqrt();
            let node = Node::Entity(related.to.entity);
            let by = By::Relation(related.relation.as_str().into(), related.backwards);
            if self.web.step(from, node, strength * limits::HOP, hop, by) {
                self.learn(&related.to);
            }
            if let Some(place) = self.web.place(node) {
                // As near as this very relation makes it, however near the entity itself is.
                let share = self.web.at(from).proximity * strength / self.web.at(place).proximity;
                self.reach(
                    place,
                    related.evidence,
                    (share * limits::EVIDENCE).min(limits::EVIDENCE),
                    hop,
                    By::SaidIn,
                );
            }
        }
    }

    fn follow_mentions(&mut self, entities: &BTreeMap<EntityId, Place>, hop: u8) {
        let mut asked = Vec::new();
        for (&entity, &place) in entities {
            self.web.note_followed(place);
            let nearness = self.web.at(place).proximity * self.rarity(entity) * limits::HOP;
            if nearness >= limits::FAINTEST {
                asked.push(entity);
            }
        }
        if asked.is_empty() || !self.has_budget() {
            return;
        }
        for (entity, row) in self.ask_names(|names| names.mentions(&asked, limits::MENTIONS)) {
            if let Some(&from) = entities.get(&entity) {
                self.reach(from, row, self.rarity(entity), hop, By::MentionedIn);
            }
        }
    }

    fn rarity(&self, entity: EntityId) -> f32 {
        limits::rarity(self.web.memories_naming(entity), self.columns.rows())
    }

    fn learn(&mut self, named: &Named) {
        self.web.call(named.entity, &named.name, named.memories);
    }

    /// Asks the graph, where there is one; where it can't be read it says nothing, and is named as failed.
    fn ask_names<T>(
        &mut self,
        ask: impl Fn(&dyn Connections) -> Result<Vec<T>, ViewError>,
    ) -> Vec<T> {
        let Some(connections) = self.connections.filter(|known| known.has_names()) else {
            return Vec::new();
        };
        ask(connections).unwrap_or_else(|_| {
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

/// Keeps the nearest, nearest first; equals by rising row.
fn nearest(waiting: &mut Vec<(f32, Place, Row)>, most: usize) {
    waiting.sort_by(|one, other| best_first((one.0, one.2), (other.0, other.2)));
    waiting.truncate(most);
}

fn place_of(memories: &[(Place, Row)], row: Row) -> Option<Place> {
    let found = memories.iter().find(|(_, own)| *own == row);
    found.map(|(place, _)| *place)
}
