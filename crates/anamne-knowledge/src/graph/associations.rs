//! Implicit links between memories: shared names, superseding statements, contradictions.

use std::collections::BTreeMap;

use anamne_types::{ConflictKind, LinkType, MemoryId, Row};
use rusqlite::{Connection, OptionalExtension, params};

use super::contradictions::disputes_of;
use super::naming::{self, Name};
use super::{Graph, GraphError};

/// A name shared by more memories is no evidence of a connection.
const COMMON: i64 = 200;

/// Relations that a change of tools, places or plans may supersede.
const REPLACEABLE: &str = "'uses', 'runs_on', 'depends_on', 'decided', 'prefers', 'plans', 'lives_in', 'works_at', 'located_in'";

/// An associated memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Association {
    /// The other memory.
    pub memory: MemoryId,
    /// Its row.
    pub row: Row,
    /// The link type, in either direction.
    pub link_type: LinkType,
    /// Whether the link leads from the other memory to the given one.
    pub reverse: bool,
    /// Strength, 0 to 1; for `related`, from shared names only.
    pub strength: f32,
    /// The reason.
    pub reason: String,
}

impl Graph {
    /// The memories associated with one, strongest first, at most `limit`. O(mentions of the names in it), bounded per
    /// name.
    pub fn associations(
        &self,
        memory: MemoryId,
        limit: usize,
    ) -> Result<Vec<Association>, GraphError> {
        let reader = self.reader();
        let row: Option<i64> = reader
            .prepare_cached("SELECT row FROM memories WHERE id = ?1")?
            .query_row([memory.as_bytes().as_slice()], |row| row.get(0))
            .optional()?;
        let Some(row) = row else {
            return Ok(Vec::new());
        };
        let mut found: BTreeMap<i64, Association> = BTreeMap::new();
        let named = shared(&reader, row)?;
        let changed = replaced(&reader, row)?;
        let disputed = disputed(&reader, row)?;
        for association in disputed.into_iter().chain(changed).chain(named) {
            found
                .entry(i64::from(association.row.0))
                .or_insert(association);
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort_by(|one, other| {
            other
                .strength
                .total_cmp(&one.strength)
                .then_with(|| one.row.cmp(&other.row))
        });
        found.truncate(limit);
        Ok(found)
    }
}

fn disputed(connection: &Connection, row: i64) -> Result<Vec<Association>, GraphError> {
    let disputes = disputes_of(connection, row)?.into_iter();
    Ok(disputes
        .filter_map(|dispute| {
            let other = dispute.citation.strip_prefix('m')?.parse().ok()?;
            Some(Association {
                memory: dispute.memory,
                row: Row(other),
                link_type: match dispute.kind {
                    ConflictKind::Superseded => LinkType::Supersedes,
                    ConflictKind::Contested => LinkType::Contradicts,
                },
                reverse: dispute.kind == ConflictKind::Superseded && dispute.holds == Some(false),
                strength: 0.9,
                reason: dispute.reason,
            })
        })
        .collect())
}

/// Earlier memories about something that this memory says was replaced, and later ones that replace something in it.
fn replaced(connection: &Connection, row: i64) -> Result<Vec<Association>, GraphError> {
    let sql = format!(
        "SELECT other.row, memories.id, own_names.key, 0 FROM statements AS own JOIN statements AS other ON other.object = own.subject \
           JOIN names AS own_names ON own_names.number = own.subject JOIN memories ON memories.row = other.row \
           JOIN memories AS self ON self.row = own.row \
           WHERE own.row = ?1 AND own.relation = 'replaced_by' AND NOT own.negated AND other.relation IN ({REPLACEABLE}) \
             AND (memories.occurred_at, memories.row) < (self.occurred_at, self.row) \
         UNION \
         SELECT other.row, memories.id, names.key, 1 FROM statements AS own JOIN statements AS other ON other.subject = own.object \
           JOIN names ON names.number = own.object JOIN memories ON memories.row = other.row \
           JOIN memories AS self ON self.row = own.row \
           WHERE own.row = ?1 AND own.relation IN ({REPLACEABLE}) AND other.relation = 'replaced_by' AND NOT other.negated \
             AND (memories.occurred_at, memories.row) > (self.occurred_at, self.row) ORDER BY 1 LIMIT 50"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([row], |row| {
        let (name, reverse): (String, bool) = (row.get(2)?, row.get(3)?);
        Ok(Association {
            memory: MemoryId::from_bytes(row.get(1)?),
            row: Row(row.get(0)?),
            link_type: LinkType::Supersedes,
            reverse,
            strength: 0.8,
            reason: if reverse {
                format!("it says that something took the place of {name}")
            } else {
                format!("something took the place of {name}, of which it speaks")
            },
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Memories with shared names: each name counts as one over the logarithm of the number of memories that share it.
fn shared(connection: &Connection, row: i64) -> Result<Vec<Association>, GraphError> {
    let mut names = connection.prepare_cached(
        "SELECT DISTINCT coalesce(kept, mentions.name) FROM mentions LEFT JOIN canonical ON canonical.name = mentions.name \
         WHERE row = ?1 AND way <> 2 AND type NOT IN (8, 9) ORDER BY 1",
    )?;
    let names: Vec<Name> = names
        .query_map([row], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut weights: BTreeMap<i64, (f32, Vec<Name>)> = BTreeMap::new();
    for name in names {
        let memories: Option<i64> = connection
            .prepare_cached("SELECT memories FROM entities WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let Some(memories) = memories.filter(|memories| (2..=COMMON).contains(memories)) else {
            continue;
        };
        let weight = 1.0 / (1.0 + (memories as f32).log2());
        for member in naming::members(connection, name)? {
            let mut others = connection.prepare_cached(
                "SELECT row FROM mentions WHERE name = ?1 AND row <> ?2 AND way <> 2",
            )?;
            for other in others.query_map([member, row], |row| row.get(0))? {
                let (sum, shared) = weights.entry(other?).or_default();
                if !shared.contains(&name) {
                    *sum += weight;
                    shared.push(name);
                }
            }
        }
    }
    weights
        .into_iter()
        .map(|(other, (weight, names))| related(connection, other, weight, &names))
        .collect()
}

fn related(
    connection: &Connection,
    row: i64,
    weight: f32,
    names: &[Name],
) -> Result<Association, GraphError> {
    let id = connection
        .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
        .query_row([row], |row| row.get(0))?;
    let mut spelled = Vec::new();
    for name in names.iter().take(3) {
        let spelling: String = connection
            .prepare_cached("SELECT spelling FROM entities WHERE name = ?1")?
            .query_row(params![name], |row| row.get(0))?;
        spelled.push(spelling);
    }
    Ok(Association {
        memory: MemoryId::from_bytes(id),
        row: Row(row as u32),
        link_type: LinkType::Related,
        reverse: false,
        strength: weight / (1.0 + weight),
        reason: format!("both name {}", spelled.join(", ")),
    })
}
