//! The neighbourhood of an entity: related entities, and entities mentioned together with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anamne_types::{EntityId, EntityType, MadeBy, Neighbourhood, Object, Perspective, Relation};
use rusqlite::Connection;

use super::entities::{
    CanonicalEntity, by_name, find, instant, read_evidence, state_of, with_aliases,
};
use super::naming::{self, Name};
use super::recency::used;
use super::relations::{LISTED, relations_of};
use super::{Graph, GraphError, Recency};

/// Minimum number of shared memories for entities mentioned together.
const MIN_SHARED_MEMORIES: u64 = 2;

/// Maximum number of them per entity, most frequent first.
const MAX_NAMED_WITH: usize = 6;

impl Graph {
    /// The entities within `steps` relations of one, nearest and most certain first, at most `limit`. Entities that share at
    /// least two memories and have no other relation are related by `named_with`.
    pub fn neighbourhood(
        &self,
        name: &str,
        steps: u32,
        limit: usize,
        recency: impl Into<Recency>,
    ) -> Result<Neighbourhood, GraphError> {
        let (reader, recency) = (self.reader(), recency.into());
        let recalled = recency.recalled(&reader)?;
        let mut around = Neighbourhood::default();
        let mut relations: BTreeMap<String, Relation> = BTreeMap::new();
        let mut seen: BTreeSet<EntityId> = BTreeSet::new();
        let mut waiting = VecDeque::from([(0, find(&reader, name)?)]);
        while let Some((away, mut kept)) = waiting.pop_front() {
            if !seen.insert(kept.entity.id) {
                continue;
            }
            if around.entities.len() == limit {
                around.cut = true;
                break;
            }
            if away < steps {
                for relation in relations_of(&reader, &kept, &recency)? {
                    for next in ends(&reader, &relation)? {
                        waiting.push_back((away + 1, next));
                    }
                    relations.insert(relation.id.clone(), relation);
                }
                for (relation, next) in beside(&reader, &kept, &relations)? {
                    relations.insert(relation.id.clone(), relation);
                    waiting.push_back((away + 1, next));
                }
            }
            kept.entity.state = used(kept.entity.state, recalled.contains(&kept.name));
            around.entities.push((away, with_aliases(&reader, kept)?));
        }
        let shown: BTreeSet<EntityId> = around
            .entities
            .iter()
            .map(|(_, entity)| entity.id)
            .collect();
        let is_shown = |relation: &Relation| {
            shown.contains(&relation.subject)
                && match &relation.object {
                    Object::Entity { id, .. } => shown.contains(id),
                    Object::Value(_) => true,
                }
        };
        around.relations = relations.into_values().filter(is_shown).collect();
        self.attribute(&mut around.relations)?;
        Ok(around)
    }

    /// The entities mentioned in the same memories as one, with the number of shared memories, highest first, without dates.
    ///
    /// O(mentions of it).
    pub fn named_together(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Vec<(u64, anamne_types::Entity)>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let together = together(&reader, &kept)?.into_iter().take(limit);
        Ok(together
            .map(|(count, other)| (count, other.entity))
            .collect())
    }
}

/// The entities mentioned in the same memories as one, with the number of shared memories, highest first.
fn together(
    connection: &Connection,
    kept: &CanonicalEntity,
) -> Result<Vec<(u64, CanonicalEntity)>, GraphError> {
    let mut counts: BTreeMap<Name, u64> = BTreeMap::new();
    for member in naming::members(connection, kept.name)? {
        let mut statement = connection.prepare_cached(
            "SELECT coalesce(kept, other.name), count(DISTINCT other.row) FROM mentions AS own JOIN mentions AS other USING (row) \
             LEFT JOIN canonical ON canonical.name = other.name \
             WHERE own.name = ?1 AND own.way <> 2 AND other.way <> 2 GROUP BY 1",
        )?;
        for count in
            statement.query_map([member], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?
        {
            let (other, count): (Name, i64) = count?;
            *counts.entry(other).or_default() += count as u64;
        }
    }
    counts.remove(&kept.name);
    let mut together = Vec::new();
    for (other, count) in counts {
        // Dates co-occur with everything.
        if let Some(other) = by_name(connection, other)?
            && other.entity.entity_type != EntityType::Date
        {
            together.push((count, other));
        }
    }
    together.sort_by(|one, other| (other.0, &one.1.entity.id).cmp(&(one.0, &other.1.entity.id)));
    Ok(together)
}

/// The `named_with` relations of an entity to entities that have no other relation with it.
fn beside(
    connection: &Connection,
    kept: &CanonicalEntity,
    known: &BTreeMap<String, Relation>,
) -> Result<Vec<(Relation, CanonicalEntity)>, GraphError> {
    let joined: BTreeSet<EntityId> = known
        .values()
        .filter_map(|relation| match &relation.object {
            Object::Entity { id, .. } if relation.subject == kept.entity.id => Some(*id),
            Object::Entity { id, .. } if *id == kept.entity.id => Some(relation.subject),
            _ => None,
        })
        .collect();
    let mut beside = Vec::new();
    for (count, other) in together(connection, kept)? {
        if count < MIN_SHARED_MEMORIES || beside.len() == MAX_NAMED_WITH {
            break;
        }
        if !joined.contains(&other.entity.id) {
            beside.push((named_with(connection, kept, &other, count)?, other));
        }
    }
    Ok(beside)
}

/// The `named_with` relation of two entities; symmetric.
fn named_with(
    connection: &Connection,
    one: &CanonicalEntity,
    other: &CanonicalEntity,
    count: u64,
) -> Result<Relation, GraphError> {
    let (first, second) = if one.entity.id < other.entity.id {
        (one, other)
    } else {
        (other, one)
    };
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT row, memories.id, memories.occurred_at, recorded_at FROM memories \
         WHERE row IN (SELECT row FROM mentions WHERE way <> 2 AND name IN (SELECT ?1 UNION SELECT name FROM canonical WHERE kept = ?1)) \
         AND row IN (SELECT row FROM mentions WHERE way <> 2 AND name IN (SELECT ?2 UNION SELECT name FROM canonical WHERE kept = ?2)) \
         ORDER BY memories.occurred_at DESC, row DESC",
    )?;
    let found = statement.query_map([first.name, second.name], |row| {
        Ok((read_evidence(row)?, row.get::<_, i64>(3)?))
    })?;
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let learned = found.iter().map(|(_, learned)| *learned).min().unwrap_or(0);
    let ids = format!("{}\nnamed_with\n{}", first.entity.id, second.entity.id);
    Ok(Relation {
        id: blake3::hash(ids.as_bytes()).to_hex()[..12].to_owned(),
        subject: first.entity.id,
        subject_name: first.entity.name.clone(),
        relation: "named_with".into(),
        object: Object::Entity {
            id: second.entity.id,
            name: second.entity.name.clone(),
        },
        frame: Perspective::Semantic,
        frame_name: None,
        both_ways: false,
        state: state_of(count, false),
        weight: count as f32,
        told_weight: None,
        confidence: first.entity.confidence.min(second.entity.confidence),
        valid_from: None,
        valid_to: None,
        recorded_at: instant(learned),
        asserted: false,
        made_by: MadeBy::rule("co-mention", 1),
        evidence: found
            .into_iter()
            .take(LISTED)
            .map(|(evidence, _)| evidence)
            .collect(),
        mentions: count,
    })
}

fn ends(connection: &Connection, relation: &Relation) -> Result<Vec<CanonicalEntity>, GraphError> {
    let object = match &relation.object {
        Object::Entity { id, .. } => Some(*id),
        Object::Value(_) => None,
    };
    std::iter::once(relation.subject)
        .chain(object)
        .map(|id| find(connection, &id.to_string()))
        .collect()
}
