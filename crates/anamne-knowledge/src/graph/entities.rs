//! Entities: aggregated from all mentions of a name and its aliases.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{
    Attributes, Entity, EntityId, EntityScope, EntityType, Evidence, KnowledgeState, MemoryId,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use uuid::Uuid;

use super::naming::{self, Name, identity};
use super::{Graph, GraphError, descriptions};
use crate::reading::normalised;

/// Number of memories that make something stable.
pub(super) const STABLE: u64 = 10;

/// Updates the entities of these names. O(mentions of them).
pub(super) fn recompute(connection: &Connection, names: &BTreeSet<Name>) -> Result<(), GraphError> {
    let mut kept = BTreeSet::new();
    for &name in names {
        kept.insert(naming::kept(connection, name)?);
        // A merged entity is removed.
        kept.insert(name);
    }
    for name in kept {
        connection
            .prepare_cached("DELETE FROM entities WHERE name = ?1")?
            .execute([name])?;
        if naming::kept(connection, name)? == name {
            recompute_one(connection, name)?;
        }
    }
    for &name in names {
        drop_unused(connection, name)?;
    }
    Ok(())
}

/// All mentions of an entity, counted.
struct Tally {
    /// The summed confidence of each type.
    types: BTreeMap<u8, i64>,
    /// How often each spelling occurs, of the canonical name or not.
    spellings: BTreeMap<(bool, String), i64>,
    rows: BTreeSet<i64>,
    asserted: bool,
    seen: (i64, i64),
    learned: i64,
}

impl Tally {
    fn of(connection: &Connection, name: Name, members: &[Name]) -> Result<Self, GraphError> {
        let mut tally = Self {
            types: BTreeMap::new(),
            spellings: BTreeMap::new(),
            rows: BTreeSet::new(),
            asserted: false,
            seen: (i64::MAX, i64::MIN),
            learned: i64::MIN,
        };
        let mut mentions = connection.prepare_cached(
            "SELECT row, type, weight, spelling, mentions.occurred_at, way, recorded_at FROM mentions JOIN memories USING (row) \
             WHERE name = ?1 AND way <> 2",
        )?;
        for &member in members {
            let mut found = mentions.query([member])?;
            while let Some(mention) = found.next()? {
                tally.count(mention, member == name)?;
            }
        }
        Ok(tally)
    }

    fn count(&mut self, mention: &SqlRow<'_>, is_canonical: bool) -> rusqlite::Result<()> {
        let (at, way): (i64, i64) = (mention.get(4)?, mention.get(5)?);
        self.rows.insert(mention.get(0)?);
        *self.types.entry(mention.get(1)?).or_default() += mention.get::<_, i64>(2)?;
        let spelling = (is_canonical, mention.get(3)?);
        *self.spellings.entry(spelling).or_default() += 1;
        self.seen = (self.seen.0.min(at), self.seen.1.max(at));
        self.asserted |= way == 3;
        self.learned = self.learned.max(mention.get(6)?);
        Ok(())
    }

    /// The likeliest type, and the share of readings that agree on it, times their confidence.
    fn read_type(&self) -> Option<(u8, i64)> {
        let (&number, &best) = self
            .types
            .iter()
            .max_by_key(|(number, weight)| (**weight, -i64::from(**number)))?;
        let all: i64 = self.types.values().sum();
        let memories = self.rows.len() as i64;
        Some((number, (best * best / all.max(1)) / memories.max(1)))
    }

    /// The most frequent spelling, of the canonical name if it occurs.
    fn spelling(&self) -> String {
        let spellings = self.spellings.iter();
        // At a tie the alphabetically first.
        let most = spellings.max_by(|((own, one), times), ((others_own, other), others)| {
            (own, times, other).cmp(&(others_own, others, one))
        });
        most.map_or_else(String::new, |((_, spelling), _)| spelling.clone())
    }
}

fn recompute_one(connection: &Connection, name: Name) -> Result<(), GraphError> {
    let members = naming::members(connection, name)?;
    let tally = Tally::of(connection, name, &members)?;
    let Some((read_type, read_confidence)) = tally.read_type() else {
        return Ok(());
    };
    let description = descriptions::of(connection, &members)?;
    // The type that a person stated last outweighs any number of readings.
    let told_type = description.told_type.as_ref().map(|(number, _)| *number);
    let confidence = told_type.map_or(read_confidence, |_| 100);
    let told = description.columns()?;
    let id = identity(&naming::key(connection, name)?);
    connection
        .prepare_cached("INSERT INTO entities VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")?
        .execute(params![
            name,
            id.0.as_bytes().as_slice(),
            told_type.unwrap_or(read_type),
            confidence.clamp(1, 100),
            tally.rows.len() as i64,
            tally.asserted,
            tally.seen.0,
            tally.seen.1,
            tally.learned,
            tally.spelling(),
            told.custom_type,
            told.tags,
            told.scope,
            told.attributes
        ])?;
    Ok(())
}

/// Removes a name that nothing uses any more.
fn drop_unused(connection: &Connection, name: Name) -> Result<(), GraphError> {
    connection
        .prepare_cached(
            "DELETE FROM names WHERE number = ?1 \
             AND NOT EXISTS (SELECT 1 FROM mentions WHERE name = ?1) \
             AND NOT EXISTS (SELECT 1 FROM statements WHERE subject = ?1) \
             AND NOT EXISTS (SELECT 1 FROM statements WHERE object = ?1) \
             AND NOT EXISTS (SELECT 1 FROM statements WHERE subject_read = ?1 OR object_read = ?1) \
             AND NOT EXISTS (SELECT 1 FROM aliases WHERE alias = ?1 OR name = ?1) \
             AND NOT EXISTS (SELECT 1 FROM denials WHERE subject = ?1) \
             AND NOT EXISTS (SELECT 1 FROM distinctions WHERE one = ?1 OR other = ?1) \
             AND NOT EXISTS (SELECT 1 FROM memories WHERE author = ?1)",
        )?
        .execute([name])?;
    Ok(())
}

pub(super) const FIELDS: &str = "entities.name, entities.id, entities.type, entities.confidence, entities.memories, entities.told, \
     entities.first_seen, entities.last_seen, entities.spelling, entities.custom_type, entities.tags, entities.scope, \
     entities.attributes";

/// An entity with the number of its canonical name.
pub(super) struct CanonicalEntity {
    pub(super) name: Name,
    pub(super) entity: Entity,
}

pub(super) fn read_entity(row: &SqlRow<'_>) -> rusqlite::Result<CanonicalEntity> {
    let (memories, asserted): (i64, bool) = (row.get(4)?, row.get(5)?);
    let mentions = memories as u64;
    let entity = Entity {
        id: EntityId(Uuid::from_bytes(row.get(1)?)),
        name: row.get(8)?,
        entity_type: EntityType::from_number(row.get(2)?).unwrap_or(EntityType::Concept),
        custom_type: None,
        state: state_of(mentions, asserted),
        confidence: row.get::<_, f32>(3)? / 100.0,
        mentions,
        first_seen: instant(row.get(6)?),
        last_seen: instant(row.get(7)?),
        aliases: Vec::new(),
        scope: EntityScope::default(),
        tags: Vec::new(),
        attributes: Attributes::new(),
    };
    Ok(CanonicalEntity {
        name: row.get(0)?,
        entity: descriptions::read(row, 9, entity)?,
    })
}

/// The state of something that this many memories state.
pub(super) fn state_of(memories: u64, asserted: bool) -> KnowledgeState {
    match memories {
        STABLE.. => KnowledgeState::Stable,
        2.. => KnowledgeState::Active,
        _ if asserted => KnowledgeState::Active,
        _ => KnowledgeState::Inferred,
    }
}

pub(super) fn instant(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// SQL condition: the entity was not denied after its last assertion.
pub(super) const NOT_DENIED: &str = "NOT EXISTS (SELECT 1 FROM denials JOIN memories AS denial USING (row) \
     WHERE denials.subject = entities.name AND relation IS NULL AND NOT EXISTS ( \
       SELECT 1 FROM mentions JOIN memories AS telling USING (row) WHERE mentions.name = entities.name AND way = 3 AND weight = 100 \
       AND (telling.occurred_at, telling.row) > (denial.occurred_at, denial.row)))";

impl Graph {
    /// The entity with this name, alias or id.
    pub fn entity(&self, name: &str) -> Result<Entity, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        with_aliases(&reader, kept)
    }

    /// Whether one of these names is one of a personal entity; unknown names are not.
    pub fn is_personal(&self, names: &[&str]) -> Result<bool, GraphError> {
        let reader = self.reader();
        let mut scope = reader.prepare_cached("SELECT scope FROM entities WHERE name = ?1")?;
        for name in names {
            let Some(number) = naming::known(&reader, &normalised(name))? else {
                continue;
            };
            let kept = naming::kept(&reader, number)?;
            let scope: Option<u8> = scope.query_row([kept], |row| row.get(0)).optional()?;
            if scope == Some(EntityScope::Personal.number()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The memories that mention an entity, latest first, at most `limit`.
    pub fn mentions(&self, name: &str, limit: usize) -> Result<Vec<Evidence>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut evidence = Vec::new();
        for member in naming::members(&reader, kept.name)? {
            let mut statement = reader.prepare_cached(
                "SELECT DISTINCT row, id, memories.occurred_at FROM mentions JOIN memories USING (row) \
                 WHERE mentions.name = ?1 AND way <> 2 ORDER BY memories.occurred_at DESC, row DESC LIMIT ?2",
            )?;
            let found = statement.query_map(params![member, limit as i64], read_evidence)?;
            for memory in found {
                evidence.push(memory?);
            }
        }
        Ok(latest(evidence, limit))
    }

    /// The entities that a memory mentions.
    pub fn named_in(&self, memory: MemoryId) -> Result<Vec<Entity>, GraphError> {
        let reader = self.reader();
        let sql = format!(
            "SELECT DISTINCT {FIELDS} FROM memories JOIN mentions USING (row) \
             JOIN entities ON entities.name = coalesce((SELECT kept FROM canonical WHERE canonical.name = mentions.name), mentions.name) \
             WHERE memories.id = ?1 AND way <> 2 AND {NOT_DENIED} ORDER BY entities.memories DESC, entities.id"
        );
        let kept: Vec<CanonicalEntity> = reader
            .prepare_cached(&sql)?
            .query_map([memory.as_bytes().as_slice()], read_entity)?
            .collect::<Result<_, _>>()?;
        Ok(kept.into_iter().map(|kept| kept.entity).collect())
    }
}

/// Evidence from the first three columns: row, id, time.
pub(super) fn read_evidence(row: &SqlRow<'_>) -> rusqlite::Result<Evidence> {
    Ok(Evidence {
        memory: MemoryId::from_bytes(row.get(1)?),
        citation: format!("m{}", row.get::<_, i64>(0)?),
        at: instant(row.get(2)?),
    })
}

/// Distinct memories, latest first, at most `limit`.
pub(super) fn latest(mut evidence: Vec<Evidence>, limit: usize) -> Vec<Evidence> {
    evidence.sort_by(|one, other| (other.at, &other.memory).cmp(&(one.at, &one.memory)));
    evidence.dedup();
    evidence.truncate(limit);
    evidence
}

pub(super) fn find(connection: &Connection, name: &str) -> Result<CanonicalEntity, GraphError> {
    let missing = || GraphError::NoEntity {
        name: name.trim().to_owned(),
    };
    if let Ok(id) = name.parse::<EntityId>() {
        let sql = format!("SELECT {FIELDS} FROM entities WHERE entities.id = ?1 AND {NOT_DENIED}");
        return connection
            .prepare_cached(&sql)?
            .query_row([id.0.as_bytes().as_slice()], read_entity)
            .optional()?
            .ok_or_else(missing);
    }
    let number = naming::known(connection, &normalised(name))?.ok_or_else(missing)?;
    by_name(connection, naming::kept(connection, number)?)?.ok_or_else(missing)
}

/// The entity with this canonical name, unless denied.
pub(super) fn by_name(
    connection: &Connection,
    name: Name,
) -> Result<Option<CanonicalEntity>, GraphError> {
    let sql = format!("SELECT {FIELDS} FROM entities WHERE name = ?1 AND {NOT_DENIED}");
    Ok(connection
        .prepare_cached(&sql)?
        .query_row([name], read_entity)
        .optional()?)
}

pub(super) fn with_aliases(
    connection: &Connection,
    mut kept: CanonicalEntity,
) -> Result<Entity, GraphError> {
    let mut spelling = connection.prepare_cached(
        "SELECT spelling FROM mentions WHERE name = ?1 GROUP BY spelling ORDER BY count(*) DESC, spelling LIMIT 1",
    )?;
    for member in naming::members(connection, kept.name)?.into_iter().skip(1) {
        let said: Option<String> = spelling.query_row([member], |row| row.get(0)).optional()?;
        let said = match said {
            Some(said) => said,
            None => asserted_spelling(connection, member)?,
        };
        kept.entity.aliases.push(said);
    }
    kept.entity.aliases.sort();
    Ok(kept.entity)
}

/// The asserted spelling of an alias that no text mentions.
fn asserted_spelling(connection: &Connection, alias: Name) -> Result<String, GraphError> {
    let spelling: Option<String> = connection
        .prepare_cached("SELECT spelling FROM aliases WHERE alias = ?1 ORDER BY row LIMIT 1")?
        .query_row([alias], |row| row.get(0))
        .optional()?;
    match spelling {
        Some(spelling) => Ok(spelling),
        None => naming::key(connection, alias),
    }
}
