//! Batched connections between memories, for recall at greater depth.
//!
//! Every query processes all nodes of a step at once, by index, and reads a bounded number of rows per node: frequent
//! names, and memories with many names, cost no more than others.

use std::collections::{BTreeMap, BTreeSet};

use anamne_text::analyser::is_function_word;
use anamne_types::{ConflictKind, EntityId, EntityType, RelationType, Row, Seq};
use rusqlite::{Row as SqlRow, params};
use uuid::Uuid;

use super::entities::NOT_DENIED;
use super::{Graph, GraphError};
use crate::reading::normalised;

/// Maximum names read per memory before the rarest are selected.
const READ: usize = 256;

/// Maximum words of a query scanned for names.
const QUESTION_WORDS: usize = 64;

/// Maximum words of a name in a query.
const NAME_WORDS: usize = 5;

/// An entity on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityNode {
    /// Its id.
    pub entity: EntityId,
    /// Its most frequent spelling.
    pub name: String,
    /// Its type.
    pub entity_type: EntityType,
    /// Number of memories that mention it.
    pub memories: u64,
}

/// A relation that leads from one entity to another.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationHop {
    /// The given entity.
    pub from: EntityId,
    /// The other entity.
    pub to: EntityNode,
    /// The relation: `works_at`.
    pub relation: RelationType,
    /// Whether the relation is reversed.
    pub backwards: bool,
    /// The source memory.
    pub evidence: Row,
    /// Confidence of the reading, times the told weight, 0 to 1.
    pub confidence: f32,
}

/// A contradicting memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpposingMemory {
    /// The given memory.
    pub from: Row,
    /// The contradicting memory.
    pub to: Row,
    /// The kind of contradiction.
    pub kind: ConflictKind,
    /// Whether the contradicting memory is the later one.
    pub later: bool,
}

/// SQL for the entities with the given ids (JSON array of hexadecimal strings), one row per name.
const ASKED: &str = "asked (id, kept, name) AS MATERIALIZED ( \
       SELECT entities.id, entities.name, entities.name FROM json_each(?1) AS given CROSS JOIN entities ON entities.id = unhex(given.value) \
       UNION ALL \
       SELECT entities.id, entities.name, canonical.name FROM json_each(?1) AS given \
         CROSS JOIN entities ON entities.id = unhex(given.value) \
         CROSS JOIN canonical ON canonical.kept = entities.name AND canonical.name <> entities.name)";

const MET: &str = "entities.id, entities.spelling, entities.type, entities.memories";

fn read_entity_node(row: &SqlRow<'_>, first: usize) -> rusqlite::Result<EntityNode> {
    Ok(EntityNode {
        entity: EntityId(Uuid::from_bytes(row.get(first)?)),
        name: row.get(first + 1)?,
        entity_type: EntityType::from_number(row.get(first + 2)?).unwrap_or(EntityType::Concept),
        memories: row.get::<_, i64>(first + 3)? as u64,
    })
}

impl Graph {
    /// Whether any event has been applied.
    pub fn is_begun(&self) -> Result<bool, GraphError> {
        Ok(super::extract::position(&self.recall())? > Seq(0))
    }

    /// The entities that most memories mention, at least two of them, at most `limit`; without dates. O(limit), plus the
    /// denied entities among them.
    pub fn most_mentioned(&self, limit: usize) -> Result<Vec<EntityNode>, GraphError> {
        let sql = format!(
            "SELECT {MET} FROM entities INDEXED BY entities_by_memories \
             WHERE memories > 1 AND type <> ?1 AND {NOT_DENIED} ORDER BY memories DESC LIMIT ?2"
        );
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let values = params![EntityType::Date.number(), limit as i64];
        let found = statement.query_map(values, |row| read_entity_node(row, 0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The entities mentioned by each of these memories, rarest first, at most `most` per memory; in the order of `rows`.
    ///
    /// Dates are excluded. O(rows), bounded per row.
    pub fn entities_of_rows(
        &self,
        rows: &[Row],
        most: usize,
    ) -> Result<Vec<(Row, EntityNode)>, GraphError> {
        let sql = format!(
            "SELECT asked.value, {MET} FROM json_each(?1) AS asked \
             CROSS JOIN mentions INDEXED BY mentions_by_row ON mentions.row = asked.value AND mentions.name <= coalesce( \
               (SELECT name FROM mentions AS one INDEXED BY mentions_by_row WHERE one.row = asked.value ORDER BY name LIMIT 1 OFFSET {READ}), \
               {}) \
             LEFT JOIN canonical ON canonical.name = mentions.name \
             CROSS JOIN entities ON entities.name = coalesce(canonical.kept, mentions.name) \
             WHERE mentions.way <> 2 AND entities.type <> ?2 AND {NOT_DENIED}",
            i64::MAX
        );
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let found = statement.query_map(
            params![json_of_rows(rows), EntityType::Date.number()],
            |row| Ok((Row(row.get(0)?), read_entity_node(row, 1)?)),
        )?;
        let mut by_row: BTreeMap<Row, Vec<EntityNode>> = BTreeMap::new();
        for one in found {
            let (row, met) = one?;
            by_row.entry(row).or_default().push(met);
        }
        for met in by_row.values_mut() {
            met.sort_by_key(|met| (met.memories, met.entity));
            met.dedup_by_key(|met| met.entity);
            met.truncate(most);
        }
        let named = rows
            .iter()
            .filter_map(|row| Some((*row, by_row.remove(row)?)));
        Ok(named
            .flat_map(|(row, met)| met.into_iter().map(move |met| (row, met)))
            .collect())
    }

    /// The memories that mention each of these entities by any of its names, latest first, at most `most` per entity; in the
    /// order of `entities`.
    pub fn rows_of_entities(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<(EntityId, Row)>, GraphError> {
        let sql = format!(
            "WITH {ASKED} SELECT asked.id, mentions.row FROM asked \
             CROSS JOIN mentions ON mentions.name = asked.name AND mentions.row >= coalesce( \
               (SELECT row FROM mentions AS one WHERE one.name = asked.name ORDER BY row DESC LIMIT 1 OFFSET ?2), 0) \
             WHERE mentions.way <> 2"
        );
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let found = statement.query_map(
            params![json_of_entities(entities), most.saturating_sub(1) as i64],
            |row| Ok((EntityId(Uuid::from_bytes(row.get(0)?)), Row(row.get(1)?))),
        )?;
        let mut by_entity: BTreeMap<EntityId, BTreeSet<Row>> = BTreeMap::new();
        for one in found {
            let (entity, row) = one?;
            by_entity.entry(entity).or_default().insert(row);
        }
        let mut leading = Vec::new();
        for entity in entities {
            let rows = by_entity.remove(entity).unwrap_or_default();
            leading.extend(rows.into_iter().rev().take(most).map(|row| (*entity, row)));
        }
        Ok(leading)
    }

    /// Relations between each of these entities and other entities, at most the `most` latest per name and direction, without
    /// those denied or decided to be wrong.
    pub fn relations_of_entities(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<RelationHop>, GraphError> {
        let sql = relations_sql();
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let found = statement.query_map(
            params![
                json_of_entities(entities),
                most.saturating_sub(1) as i64,
                EntityType::Date.number()
            ],
            |row| {
                Ok(RelationHop {
                    from: EntityId(Uuid::from_bytes(row.get(0)?)),
                    to: read_entity_node(row, 1)?,
                    relation: row.get::<_, String>(5)?.into(),
                    backwards: row.get(6)?,
                    evidence: Row(row.get(7)?),
                    confidence: row.get::<_, f32>(8)? / 10_000.0,
                })
            },
        )?;
        let mut leading = found.collect::<Result<Vec<_>, _>>()?;
        leading.sort_by(|one, other| {
            let place =
                |leading: &RelationHop| (leading.from, leading.backwards, leading.to.entity);
            (place(one), &one.relation, one.evidence).cmp(&(
                place(other),
                &other.relation,
                other.evidence,
            ))
        });
        Ok(leading)
    }

    /// The memories that contradict each of these, at most the `most` latest per memory and direction.
    pub fn contradictions_of_rows(
        &self,
        rows: &[Row],
        most: usize,
    ) -> Result<Vec<OpposingMemory>, GraphError> {
        let direction = |own: &str, other: &str| {
            format!(
                "SELECT asked.value, {other}, kind, later = {other} FROM json_each(?1) AS asked \
                 CROSS JOIN conflicts ON {own} = asked.value AND {other} >= coalesce( \
                   (SELECT {other} FROM conflicts AS one WHERE one.{own} = asked.value ORDER BY {other} DESC LIMIT 1 OFFSET ?2), 0)"
            )
        };
        let sql = format!(
            "{} UNION {} ORDER BY 1, 2 DESC, 3",
            direction("finder", "rival"),
            direction("rival", "finder")
        );
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let found = statement.query_map(
            params![json_of_rows(rows), most.saturating_sub(1) as i64],
            |row| {
                Ok(OpposingMemory {
                    from: Row(row.get(0)?),
                    to: Row(row.get(1)?),
                    kind: ConflictKind::from_number(row.get(2)?).unwrap_or(ConflictKind::Contested),
                    later: row.get(3)?,
                })
            },
        )?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The entities named in a query, in order of appearance; of overlapping names the longest counts.
    ///
    /// Only the first 64 words are scanned. Dates are excluded.
    pub fn entities_in_query(
        &self,
        question: &str,
        most: usize,
    ) -> Result<Vec<EntityNode>, GraphError> {
        let words: Vec<&str> = question.split_whitespace().take(QUESTION_WORDS).collect();
        let mut spans: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for start in 0..words.len() {
            for length in 1..=NAME_WORDS.min(words.len() - start) {
                let key = normalised(&words[start..start + length].join(" "));
                if !key.is_empty() && !is_function_word(&key) {
                    spans.entry(key).or_default().push((start, length));
                }
            }
        }
        let keys: Vec<&String> = spans.keys().collect();
        let sql = format!(
            "SELECT given.value, {MET} FROM json_each(?1) AS given CROSS JOIN names ON names.key = given.value \
             LEFT JOIN canonical ON canonical.name = names.number \
             CROSS JOIN entities ON entities.name = coalesce(canonical.kept, names.number) \
             WHERE entities.type <> ?2 AND {NOT_DENIED}"
        );
        let given = serde_json::to_string(&keys).map_err(|error| GraphError::Claim {
            reason: error.to_string(),
        })?;
        let recall = self.recall();
        let mut statement = recall.prepare_cached(&sql)?;
        let found = statement.query_map(params![given, EntityType::Date.number()], |row| {
            Ok((row.get::<_, String>(0)?, read_entity_node(row, 1)?))
        })?;
        let mut named = Vec::new();
        for one in found {
            let (key, met) = one?;
            let places = spans.get(&key).into_iter().flatten();
            named.extend(places.map(|&(start, length)| (length, start, met.clone())));
        }
        named.sort_by_key(|(length, start, met)| (usize::MAX - length, *start, met.entity));
        let mut taken = vec![false; words.len()];
        named.retain(|(length, start, _)| {
            let own = &mut taken[*start..start + length];
            let is_free = own.iter().all(|taken| !taken);
            own.fill(true);
            is_free
        });
        named.sort_by_key(|(_, start, _)| *start);
        let mut seen = BTreeSet::new();
        let met = named.into_iter().map(|(_, _, met)| met);
        Ok(met
            .filter(|met| seen.insert(met.entity))
            .take(most)
            .collect())
    }
}

/// SQL for [`Graph::relations_of_entities`]: the latest statements of each name as subject, and as object.
fn relations_sql() -> String {
    let denial = "SELECT 1 FROM denials CROSS JOIN memories AS denial USING (row) CROSS JOIN memories AS saying ON saying.row = said.row \
         WHERE denials.relation = said.relation AND (NOT said.told OR (denial.occurred_at, denial.row) > (saying.occurred_at, saying.row))";
    let direction = |backwards: &str, own: &str, other: &str, ends: [&str; 2]| {
        let [subject, object] = ends;
        format!(
            "SELECT asked.id, {MET}, said.relation, {backwards}, said.row, said.confidence * coalesce(said.weight, 100) FROM asked \
             CROSS JOIN statements AS said INDEXED BY statements_by_{own} ON said.{own} = asked.name AND said.row >= coalesce( \
               (SELECT row FROM statements AS one INDEXED BY statements_by_{own} WHERE one.{own} = asked.name \
                ORDER BY row DESC LIMIT 1 OFFSET ?2), 0) \
             LEFT JOIN canonical ON canonical.name = said.{other} \
             CROSS JOIN entities ON entities.name = coalesce(canonical.kept, said.{other}) \
             WHERE said.object IS NOT NULL AND NOT said.negated AND entities.type <> ?3 AND entities.name <> asked.kept \
             AND {NOT_DENIED} AND NOT EXISTS ({denial} AND denials.subject IN (said.subject, {subject}) \
               AND (denials.object IS NULL OR denials.object = (SELECT key FROM names WHERE number = said.object))) \
             AND NOT (said.both_ways AND EXISTS ({denial} AND denials.subject IN (said.object, {object}) \
               AND (denials.object IS NULL OR denials.object = (SELECT key FROM names WHERE number = said.subject)))) \
             AND (said.told OR NOT EXISTS (SELECT 1 FROM wrong) OR NOT EXISTS (SELECT 1 FROM claims WHERE claims.row = said.row AND claims.says IN (SELECT says FROM wrong) \
               AND claims.start < said.start + said.length AND said.start < claims.start + claims.length))"
        )
    };
    format!(
        "WITH {ASKED}, wrong (says) AS MATERIALIZED (SELECT says FROM tombstones) {} UNION ALL {}",
        direction("0", "subject", "object", ["asked.kept", "entities.name"]),
        // What holds in both directions is never reversed.
        direction(
            "NOT said.both_ways",
            "object",
            "subject",
            ["entities.name", "asked.kept"]
        )
    )
}

fn json_of_rows(rows: &[Row]) -> String {
    let numbers: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
    format!("[{}]", numbers.join(","))
}

fn json_of_entities(entities: &[EntityId]) -> String {
    let ids: Vec<String> = entities
        .iter()
        .map(|entity| format!("\"{}\"", entity.0.simple()))
        .collect();
    format!("[{}]", ids.join(","))
}
