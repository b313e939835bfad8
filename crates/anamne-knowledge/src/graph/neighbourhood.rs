//! What surrounds an entity: others that relations lead to, and those that are named together with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anamne_types::{EntityId, EntityType, Neighbourhood, Object, Relation};
use jiff::Timestamp;
use rusqlite::Connection;

use super::entities::{Kept, by_name, find, with_aliases};
use super::naming::{self, Name};
use super::relations::relations_of;
use super::{Graph, GraphError};

impl Graph {
    /// The entities within `steps` relations of one, nearest and surest first, at most `limit`.
    pub fn neighbourhood(
        &self,
        name: &str,
        steps: u32,
        limit: usize,
        now: Timestamp,
    ) -> Result<Neighbourhood, GraphError> {
        let reader = self.reader();
        let mut around = Neighbourhood::default();
        let mut relations: BTreeMap<String, Relation> = BTreeMap::new();
        let mut seen: BTreeSet<EntityId> = BTreeSet::new();
        let mut waiting = VecDeque::from([(0, find(&reader, name)?)]);
        while let Some((away, kept)) = waiting.pop_front() {
            if !seen.insert(kept.entity.id) {
                continue;
            }
            if around.entities.len() == limit {
                around.cut = true;
                break;
            }
            if away < steps {
                for relation in relations_of(&reader, &kept, now)? {
                    for next in ends(&reader, &relation)? {
                        waiting.push_back((away + 1, next));
                    }
                    relations.insert(relation.id.clone(), relation);
                }
            }
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
        Ok(around)
    }

    /// The entities that are named in the same memories as one, with in how many, most first; dates are left out.
    ///
    /// O(mentions of it).
    pub fn named_together(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Vec<(u64, anamne_types::Entity)>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut counts: BTreeMap<Name, u64> = BTreeMap::new();
        for member in naming::members(&reader, kept.name)? {
            let mut statement = reader.prepare_cached(
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
            // A day is named together with everything.
            if let Some(kept) = by_name(&reader, other)?
                && kept.entity.entity_type != EntityType::Date
            {
                together.push((count, kept.entity));
            }
        }
        together.sort_by(|one, other| (other.0, &one.1.id).cmp(&(one.0, &other.1.id)));
        together.truncate(limit);
        Ok(together)
    }
}

fn ends(connection: &Connection, relation: &Relation) -> Result<Vec<Kept>, GraphError> {
    let object = match &relation.object {
        Object::Entity { id, .. } => Some(*id),
        Object::Value(_) => None,
    };
    std::iter::once(relation.subject)
        .chain(object)
        .map(|id| find(connection, &id.to_string()))
        .collect()
}
