//! Lists of entities.

use std::collections::BTreeSet;

use anamne_types::{Entity, EntityScope, EntityType};
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::entities::{CanonicalEntity, FIELDS, NOT_DENIED, read_entity, with_aliases};
use super::naming::Name;
use super::recency::used;
use super::{Graph, GraphError, Recency};
use crate::reading::normalised;

/// Below this confidence, in hundredths, a single statement is ignored at once.
const UNSURE: i64 = 40;

/// [`EntityType::Date`], as it is stored.
const DATE: i64 = 8;

/// A filter of entities.
#[derive(Clone, Debug, Default)]
pub struct EntityQuery {
    /// Only this type. Dates are excluded unless requested: `today` is a different day each time.
    pub entity_type: Option<EntityType>,
    /// Only this custom type.
    pub custom_type: Option<String>,
    /// Only names that contain this, ignoring case.
    pub name: Option<String>,
    /// Only those with all of these tags.
    pub tags: Vec<String>,
    /// Only those with all of these attributes. Values are compared as text, ignoring case; of an array any element.
    pub attributes: Vec<(String, String)>,
    /// Only this scope.
    pub scope: Option<EntityScope>,
    /// Also those mentioned only once long ago, or with low confidence.
    pub unconfirmed: bool,
    /// Maximum number.
    pub limit: usize,
}

impl EntityQuery {
    fn asks_for_told(&self) -> bool {
        !self.tags.is_empty() || !self.attributes.is_empty()
    }

    /// Whether the told parts of an entity fit.
    fn fits(&self, entity: &Entity) -> bool {
        let is_tagged = |tag: &String| entity.tags.contains(tag);
        let has = |(name, wanted): &(String, String)| {
            let value = entity.attributes.get(name);
            value.is_some_and(|value| is_value(value, &wanted.trim().to_lowercase()))
        };
        self.tags.iter().all(is_tagged) && self.attributes.iter().all(has)
    }
}

/// Whether an attribute has this value, in lower case.
fn is_value(value: &serde_json::Value, wanted: &str) -> bool {
    match value {
        serde_json::Value::Array(values) => values.iter().any(|value| is_value(value, wanted)),
        serde_json::Value::String(text) => text.trim().to_lowercase() == wanted,
        other => other.to_string().to_lowercase() == wanted,
    }
}

/// SQL condition: the entity is among the recalled ones.
const RECALLED: &str = "entities.name IN (SELECT value FROM json_each(?3))";

/// The entities of a query, most mentioned first, at most `limit`.
pub(super) fn selected(
    connection: &Connection,
    query: &EntityQuery,
    limit: usize,
    recency: &Recency,
) -> Result<Vec<CanonicalEntity>, GraphError> {
    let recalled = recency.recalled(connection)?;
    let number = |number: u8| i64::from(number);
    let values: Vec<Value> = vec![
        recency.confirmed_since().into(),
        UNSURE.into(),
        json_of(&recalled).into(),
        query.unconfirmed.into(),
        query.entity_type.map(|word| number(word.number())).into(),
        query.name.as_deref().map(normalised).into(),
        query.custom_type.clone().into(),
        query.scope.map(|scope| number(scope.number())).into(),
    ];
    let sql = format!(
        "SELECT {FIELDS} FROM entities WHERE {NOT_DENIED} \
         AND (?4 OR told OR memories > 1 OR (learned >= ?1 AND confidence >= ?2) OR {RECALLED}) \
         AND (entities.type = ?5 OR (?5 IS NULL AND (?4 OR entities.type <> {DATE}))) \
         AND (?6 IS NULL OR instr((SELECT group_concat(key, char(10)) FROM names WHERE number = entities.name \
           OR number IN (SELECT name FROM canonical WHERE kept = entities.name)), ?6)) \
         AND (?7 IS NULL OR custom_type = ?7) AND (?8 IS NULL OR scope = ?8) \
         ORDER BY entities.memories DESC, entities.id LIMIT {}",
        // What was told is compared below.
        if query.asks_for_told() {
            -1
        } else {
            limit as i64
        }
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for kept in statement.query_map(params_from_iter(values), read_entity)? {
        if found.len() == limit {
            break;
        }
        let mut kept = kept?;
        if query.fits(&kept.entity) {
            kept.entity.state = used(kept.entity.state, recalled.contains(&kept.name));
            found.push(kept);
        }
    }
    Ok(found)
}

fn json_of(names: &BTreeSet<Name>) -> String {
    let numbers: Vec<String> = names.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(","))
}

impl Graph {
    /// Entities, most mentioned first.
    ///
    /// `recency` determines which unconfirmed entities are ignored. O(entities).
    pub fn entities(
        &self,
        query: &EntityQuery,
        recency: impl Into<Recency>,
    ) -> Result<Vec<Entity>, GraphError> {
        let reader = self.reader();
        let kept = selected(&reader, query, query.limit, &recency.into())?;
        kept.into_iter()
            .map(|kept| with_aliases(&reader, kept))
            .collect()
    }

    /// Number of entities per type, without ignored ones.
    pub fn entity_counts(
        &self,
        recency: impl Into<Recency>,
    ) -> Result<Vec<(EntityType, u64)>, GraphError> {
        let recency = recency.into();
        let sql = format!(
            "SELECT type, count(*) FROM entities WHERE {NOT_DENIED} AND (told OR memories > 1 \
             OR (learned >= ?1 AND confidence >= ?2) OR {RECALLED}) GROUP BY type ORDER BY type"
        );
        let reader = self.reader();
        let recalled = recency.recalled(&reader)?;
        let values = params![recency.confirmed_since(), UNSURE, json_of(&recalled)];
        let counts: Vec<(u8, i64)> = reader
            .prepare_cached(&sql)?
            .query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        Ok(counts
            .into_iter()
            .filter_map(|(number, count)| Some((EntityType::from_number(number)?, count as u64)))
            .collect())
    }
}
