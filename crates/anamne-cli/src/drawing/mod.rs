//! Draws the neighbourhood of an entity: lines for a terminal, DOT for Graphviz, or SVG. Draws experiments and the use of
//! search strategies as SVG.

mod charts;
mod dot;
mod layout;
mod svg;
mod tree;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;

use anamne::{Entity, EntityId, Neighbourhood, Object, Relation};
use jiff::Timestamp;

pub(crate) use charts::{effects_picture, weeks_picture};
pub(crate) use dot::dot;
pub(crate) use svg::svg;
pub(crate) use tree::tree;

use crate::known;
use crate::wording::one_line;

/// An entity with its branches: every entity is drawn once, below the neighbour that is nearest to the centre.
struct Subtree<'a> {
    entity: &'a Entity,
    branches: Vec<Branch<'a>>,
}

/// A relation as drawn from one of its ends.
struct Branch<'a> {
    relation: &'a Relation,
    end: End<'a>,
}

enum End<'a> {
    /// An entity that is drawn here.
    Subtree(Subtree<'a>),
    /// An entity that is drawn elsewhere.
    Elsewhere(&'a Entity),
    /// A value as text.
    Value(&'a str),
}

/// Whether a relation has ended at `now`.
fn is_over(relation: &Relation, now: Timestamp) -> bool {
    relation.valid_to.is_some_and(|end| end <= now)
}

/// The word of a relation on its line, with the weight and confidence that a person gave it.
fn label(relation: &Relation) -> String {
    let mut label = one_line(relation.relation.as_str());
    for (sign, share) in [("", relation.told_weight), ("?", known::sureness(relation))] {
        if let Some(share) = share {
            let _ = write!(label, " {share}{sign}");
        }
    }
    label
}

/// Orders relations: current before ended, asserted before extracted, then by weight.
fn in_order(around: &Neighbourhood, now: Timestamp) -> Vec<&Relation> {
    let mut relations: Vec<_> = around.relations.iter().collect();
    relations.sort_by(|one, other| {
        let sureness = other.weight.total_cmp(&one.weight);
        (is_over(one, now), !one.asserted)
            .cmp(&(is_over(other, now), !other.asserted))
            .then(sureness)
            .then_with(|| one.relation.cmp(&other.relation))
            .then_with(|| one.id.cmp(&other.id))
    });
    relations
}

/// The tree built from the central entity; `None` if there is none.
fn build_tree(around: &Neighbourhood, now: Timestamp) -> Option<Subtree<'_>> {
    let (_, centre) = around.entities.first()?;
    let relations = in_order(around, now);
    let entities: HashMap<EntityId, &Entity> = around
        .entities
        .iter()
        .map(|(_, entity)| (entity.id, entity))
        .collect();
    let mut touching: HashMap<EntityId, Vec<usize>> = HashMap::new();
    for (index, relation) in relations.iter().enumerate() {
        touching.entry(relation.subject).or_default().push(index);
        if let Object::Entity { id, .. } = relation.object
            && id != relation.subject
        {
            touching.entry(id).or_default().push(index);
        }
    }
    let mut growth = TreeBuilder {
        leads_to: leads_to(centre.id, &relations, &touching),
        relations,
        entities,
        touching,
        drawn: HashSet::new(),
    };
    Some(growth.sprout(centre))
}

/// The other end of a relation, if it is an entity.
fn other_end(relation: &Relation, from: EntityId) -> Option<EntityId> {
    match relation.object {
        Object::Entity { id, .. } if relation.subject == from => Some(id),
        Object::Entity { .. } => Some(relation.subject),
        Object::Value(_) => None,
    }
}

/// For each entity, the relation that leads to it on the shortest path from the centre.
fn leads_to(
    centre: EntityId,
    relations: &[&Relation],
    touching: &HashMap<EntityId, Vec<usize>>,
) -> HashMap<EntityId, usize> {
    let mut leads_to = HashMap::new();
    let mut seen = HashSet::from([centre]);
    let mut waiting = VecDeque::from([centre]);
    while let Some(from) = waiting.pop_front() {
        for &index in touching.get(&from).into_iter().flatten() {
            if let Some(end) = other_end(relations[index], from)
                && seen.insert(end)
            {
                leads_to.insert(end, index);
                waiting.push_back(end);
            }
        }
    }
    leads_to
}

struct TreeBuilder<'a> {
    relations: Vec<&'a Relation>,
    entities: HashMap<EntityId, &'a Entity>,
    touching: HashMap<EntityId, Vec<usize>>,
    leads_to: HashMap<EntityId, usize>,
    drawn: HashSet<usize>,
}

impl<'a> TreeBuilder<'a> {
    /// Grows the branches of an entity to the requested depth.
    fn sprout(&mut self, entity: &'a Entity) -> Subtree<'a> {
        // Claims all of its relations before the first branch grows, so that none is drawn twice.
        let own: Vec<usize> = self.touching.get(&entity.id).cloned().unwrap_or_default();
        let own: Vec<usize> = own
            .into_iter()
            .filter(|index| self.drawn.insert(*index))
            .collect();
        let branches = own
            .into_iter()
            .filter_map(|index| self.branch(entity.id, index))
            .collect();
        Subtree { entity, branches }
    }

    fn branch(&mut self, from: EntityId, index: usize) -> Option<Branch<'a>> {
        let relation = self.relations[index];
        let end = match (other_end(relation, from), &relation.object) {
            (Some(id), _) => {
                let entity = *self.entities.get(&id)?;
                if self.leads_to.get(&id) == Some(&index) {
                    End::Subtree(self.sprout(entity))
                } else {
                    End::Elsewhere(entity)
                }
            }
            (None, Object::Value(value)) => End::Value(value),
            (None, Object::Entity { .. }) => return None,
        };
        Some(Branch { relation, end })
    }
}

#[cfg(test)]
mod samples {
    use anamne::{
        Attributes, Entity, EntityId, EntityScope, EntityType, KnowledgeState, Neighbourhood,
        Object, Perspective, Relation,
    };
    use jiff::Timestamp;

    pub(super) fn entity(name: &str, entity_type: EntityType) -> Entity {
        let mut bytes = [7; 16];
        for (place, byte) in name.bytes().enumerate() {
            bytes[place % 16] ^= byte.wrapping_mul((place % 16) as u8 * 2 + 3);
        }
        Entity {
            id: id(bytes),
            name: name.to_owned(),
            entity_type,
            custom_type: None,
            state: KnowledgeState::Active,
            confidence: 0.9,
            mentions: 3,
            first_seen: Timestamp::UNIX_EPOCH,
            last_seen: Timestamp::UNIX_EPOCH,
            aliases: Vec::new(),
            scope: EntityScope::Shared,
            tags: Vec::new(),
            attributes: Attributes::new(),
        }
    }

    fn digits(text: &str) -> String {
        let mix = |sum: u64, byte: u8| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        format!("{:016x}", text.bytes().fold(7, mix))
    }

    fn id(bytes: [u8; 16]) -> EntityId {
        let digits = format!("{:032x}", u128::from_be_bytes(bytes));
        digits.parse().expect("an id")
    }

    pub(super) fn relation(subject: &Entity, word: &str, object: Object) -> Relation {
        Relation {
            id: digits(&format!("{}{word}{}", subject.name, object.text())),
            subject: subject.id,
            subject_name: subject.name.clone(),
            relation: word.into(),
            object,
            frame: Perspective::Semantic,
            frame_name: None,
            both_ways: false,
            state: KnowledgeState::Active,
            weight: 1.0,
            told_weight: None,
            confidence: 0.8,
            valid_from: None,
            valid_to: None,
            recorded_at: Timestamp::UNIX_EPOCH,
            asserted: false,
            made_by: anamne::MadeBy::default(),
            evidence: Vec::new(),
            mentions: 1,
        }
    }

    pub(super) fn to(entity: &Entity) -> Object {
        Object::Entity {
            id: entity.id,
            name: entity.name.clone(),
        }
    }

    /// A central entity, `count` around it with long names, and one more behind the first.
    pub(super) fn star(count: usize) -> Neighbourhood {
        let centre = entity("Mara Lind", EntityType::Person);
        let mut around = Neighbourhood::default();
        around.entities.push((0, centre.clone()));
        let mut first = None;
        for number in 0..count {
            let name = format!("The {number}th Association of Harbours");
            let other = entity(&name, EntityType::Organisation);
            around
                .relations
                .push(relation(&centre, "member_of", to(&other)));
            around.entities.push((1, other.clone()));
            first.get_or_insert(other);
        }
        if let Some(first) = first {
            let behind = entity("Bonn", EntityType::Place);
            around
                .relations
                .push(relation(&first, "located_in", to(&behind)));
            let value = Object::Value("about 40 members".to_owned());
            around.relations.push(relation(&first, "size", value));
            around.entities.push((2, behind));
        }
        around
    }
}
