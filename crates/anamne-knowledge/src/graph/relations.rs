//! Relations: aggregated from statements, with superseded and contested ones.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{Entity, Frame, Kind, MadeBy, Object, Perspective, Relation, RelationType};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::entities::{
    CanonicalEntity, by_name, find, instant, latest, read_evidence, state_of, with_aliases,
};
use super::naming::{self, Name};
use super::recency::used;
use super::{Graph, GraphError, Recency, superseding};
use crate::reading::normalised;

/// Maximum evidence listed with a relation.
pub(super) const LISTED: usize = 10;

/// One statement of one memory.
struct StatementRow {
    row: i64,
    memory: anamne_types::Evidence,
    recorded_at: i64,
    author: Option<Name>,
    subject: Name,
    relation: RelationType,
    object: Option<Name>,
    value: Option<String>,
    frame: Perspective,
    negated: bool,
    valid_from: Option<i64>,
    valid_to: Option<i64>,
    confidence: i64,
    asserted: bool,
    /// In hundredths, if told.
    weight: Option<i64>,
    frame_name: Option<String>,
    both_ways: bool,
}

impl StatementRow {
    /// Subject, relation and object, if the object is an entity.
    fn triple(&self) -> Option<(Name, RelationType, Name)> {
        Some((self.subject, self.relation.clone(), self.object?))
    }

    fn at(&self) -> i64 {
        self.memory.at.as_microsecond()
    }

    /// What it is about: the relation of its subject, and of its object if it holds in both directions.
    fn properties(&self) -> Vec<(Name, RelationType)> {
        let reverse = self.object.filter(|_| self.both_ways);
        let ends = std::iter::once(self.subject).chain(reverse);
        ends.map(|end| (end, self.relation.clone())).collect()
    }

    /// Precedence: assertions first, then the later statement.
    fn rank(&self) -> (bool, i64, i64) {
        (self.asserted, self.at(), self.row)
    }
}

/// All statements with one subject, relation and object.
pub(super) struct StatementGroup {
    pub(super) relation: Relation,
    pub(super) property: (Name, RelationType),
    pub(super) object: Option<Name>,
    pub(super) first: (i64, i64),
    /// When it was last confirmed.
    learned: i64,
    pub(super) last_rank: (bool, i64, i64),
    pub(super) author: Option<Name>,
    pub(super) denied: bool,
    /// The rows of its memories.
    rows: BTreeSet<i64>,
}

impl Graph {
    /// Relations from and to an entity, most certain first. `recency` determines which statements have expired or remained
    /// unconfirmed for too long. O(statements about it).
    pub fn relations(
        &self,
        name: &str,
        recency: impl Into<Recency>,
    ) -> Result<Vec<Relation>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut relations = relations_of(&reader, &kept, &recency.into())?;
        self.attribute(&mut relations)?;
        Ok(relations)
    }

    /// The frames of an entity: facts, events, procedures and custom properties, each custom frame with a name apart.
    pub fn frames(
        &self,
        name: &str,
        recency: impl Into<Recency>,
    ) -> Result<(Entity, Vec<Frame>), GraphError> {
        let (reader, recency) = (self.reader(), recency.into());
        let mut kept = find(&reader, name)?;
        let mut relations: BTreeMap<(Perspective, Option<String>), Vec<Relation>> = BTreeMap::new();
        let mut found = relations_of(&reader, &kept, &recency)?;
        self.attribute(&mut found)?;
        for relation in found {
            let frame = (relation.frame, relation.frame_name.clone());
            relations.entry(frame).or_default().push(relation);
        }
        for frame in [Perspective::Episodic, Perspective::Procedural] {
            relations.entry((frame, None)).or_default();
        }
        let mut frames = Vec::new();
        for ((frame, frame_name), mut relations) in relations {
            if frame == Perspective::Episodic {
                relations.sort_by(|one, other| {
                    (other.recorded_at, &other.id).cmp(&(one.recorded_at, &one.id))
                });
            }
            let memories = match frame {
                Perspective::Episodic => memories_of_kind(&reader, kept.name, Kind::Episode)?,
                Perspective::Procedural => memories_of_kind(&reader, kept.name, Kind::Skill)?,
                Perspective::Semantic | Perspective::Custom => Vec::new(),
            };
            if !relations.is_empty() || !memories.is_empty() {
                frames.push(Frame {
                    frame,
                    name: frame_name,
                    relations,
                    memories,
                });
            }
        }
        let is_recalled = recency.recalled(&reader)?.contains(&kept.name);
        kept.entity.state = used(kept.entity.state, is_recalled);
        Ok((with_aliases(&reader, kept)?, frames))
    }
}

fn memories_of_kind(
    connection: &Connection,
    kept: Name,
    kind: Kind,
) -> Result<Vec<anamne_types::Evidence>, GraphError> {
    let mut found = Vec::new();
    for member in naming::members(connection, kept)? {
        let mut statement = connection.prepare_cached(
            "SELECT row, id, memories.occurred_at FROM mentions JOIN memories USING (row) \
             WHERE name = ?1 AND kind = ?2 AND way <> 2 ORDER BY memories.occurred_at DESC, row DESC LIMIT ?3",
        )?;
        let limit = LISTED as i64;
        for memory in statement.query_map(params![member, kind.number(), limit], read_evidence)? {
            found.push(memory?);
        }
    }
    Ok(latest(found, LISTED))
}

/// Relations from and to an entity.
pub(super) fn relations_of(
    connection: &Connection,
    kept: &CanonicalEntity,
    recency: &Recency,
) -> Result<Vec<Relation>, GraphError> {
    let now = recency.now;
    let mut said = said_about(connection, kept.name, "object = ?1", now)?;
    // Whether a relation still holds depends on the other statements about its other end.
    let properties: BTreeSet<_> = said.iter().flat_map(StatementRow::properties).collect();
    let ends: BTreeSet<Name> = properties.iter().map(|(end, _)| *end).collect();
    for &end in ends.iter().filter(|end| **end != kept.name) {
        let others = said_about(connection, end, "object = ?1 AND both_ways", now)?;
        said.extend(others.into_iter().filter(|other| {
            let mut own = other.properties().into_iter();
            own.any(|property| properties.contains(&property))
        }));
    }
    said.sort_by(|one, other| {
        (one.at(), one.row, &one.relation, &one.value).cmp(&(
            other.at(),
            other.row,
            &other.relation,
            &other.value,
        ))
    });
    said.dedup_by(|one, other| {
        (
            one.row,
            one.subject,
            &one.relation,
            one.object,
            &one.value,
            one.negated,
        ) == (
            other.row,
            other.subject,
            &other.relation,
            other.object,
            &other.value,
            other.negated,
        )
    });
    turn_both_ways(&mut said);
    let mut groups = grouped(connection, said)?;
    superseding::supersede_groups(&mut groups);
    let mut relations: Vec<_> = groups
        .into_iter()
        .filter(|group| {
            !group.denied && (group.property.0 == kept.name || group.object == Some(kept.name))
        })
        .filter_map(|group| current(group, recency))
        .collect();
    relations.sort_by(|one, other| {
        let key = |relation: &Relation| {
            (
                relation.asserted,
                (relation.weight * 100.0) as i64,
                relation.recorded_at,
            )
        };
        key(other)
            .cmp(&key(one))
            .then_with(|| one.id.cmp(&other.id))
    });
    Ok(relations)
}

/// The relation, if it was asserted, confirmed by another memory, or learned or recalled recently.
fn current(mut group: StatementGroup, recency: &Recency) -> Option<Relation> {
    let is_recalled = recency.has_opened(&group.rows);
    let is_confirmed = group.relation.asserted || group.relation.mentions > 1;
    group.relation.state = used(group.relation.state, is_recalled);
    (is_confirmed || is_recalled || group.learned >= recency.confirmed_since())
        .then_some(group.relation)
}

/// The statements about an entity, and those from others to it that are `incoming`.
fn said_about(
    connection: &Connection,
    name: Name,
    incoming: &str,
    now: Timestamp,
) -> Result<Vec<StatementRow>, GraphError> {
    let mut said = Vec::new();
    for member in naming::members(connection, name)? {
        said.extend(statements_with(connection, "subject = ?1", member, now)?);
        said.extend(statements_with(connection, incoming, member, now)?);
    }
    Ok(said)
}

fn statements_with(
    connection: &Connection,
    condition: &str,
    name: Name,
    now: Timestamp,
) -> Result<Vec<StatementRow>, GraphError> {
    let sql = format!(
        "SELECT row, id, occurred_at, recorded_at, author, subject, relation, object, value, frame, negated, valid_from, \
         valid_to, confidence, told, weight, frame_name, both_ways FROM statements JOIN memories USING (row) \
         WHERE {condition} AND (expires_at IS NULL OR expires_at > ?2) AND (told OR NOT EXISTS ( \
           SELECT 1 FROM claims JOIN tombstones USING (says) WHERE claims.row = statements.row \
           AND claims.start < statements.start + statements.length AND statements.start < claims.start + claims.length))"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([name, now.as_microsecond()], |row| {
        Ok(StatementRow {
            row: row.get(0)?,
            memory: read_evidence(row)?,
            recorded_at: row.get(3)?,
            author: row.get(4)?,
            subject: row.get(5)?,
            relation: row.get::<_, String>(6)?.into(),
            object: row.get(7)?,
            value: row.get(8)?,
            frame: Perspective::from_number(row.get(9)?).unwrap_or(Perspective::Custom),
            negated: row.get(10)?,
            valid_from: row.get(11)?,
            valid_to: row.get(12)?,
            confidence: row.get(13)?,
            asserted: row.get(14)?,
            weight: row.get(15)?,
            frame_name: row.get(16)?,
            both_ways: row.get(17)?,
        })
    })?;
    let mut said = found.collect::<Result<Vec<_>, _>>()?;
    for one in &mut said {
        one.subject = naming::kept(connection, one.subject)?;
        one.object = one
            .object
            .map(|object| naming::kept(connection, object))
            .transpose()?;
    }
    Ok(said)
}

/// Gives the statements about one relation in both directions the direction of the first of them.
fn turn_both_ways(said: &mut [StatementRow]) {
    let mut first = BTreeSet::new();
    for (subject, relation, object) in said
        .iter()
        .filter(|one| one.both_ways)
        .filter_map(StatementRow::triple)
    {
        if !first.contains(&(object, relation.clone(), subject)) {
            first.insert((subject, relation, object));
        }
    }
    if first.is_empty() {
        return;
    }
    for one in said {
        if let Some((subject, relation, object)) = one.triple()
            && first.contains(&(object, relation, subject))
        {
            (one.subject, one.object) = (object, Some(subject));
        }
    }
}

/// Groups statements that say the same, ordered by the first statement. A later denial in a text ends the relation.
fn grouped(
    connection: &Connection,
    said: Vec<StatementRow>,
) -> Result<Vec<StatementGroup>, GraphError> {
    let mut groups: BTreeMap<_, Vec<StatementRow>> = BTreeMap::new();
    for one in said {
        let end = match one.object {
            Some(object) => naming::key(connection, object)?,
            None => normalised(one.value.as_deref().unwrap_or_default()),
        };
        let key = (
            one.subject,
            one.relation.clone(),
            end,
            one.frame_name.clone(),
        );
        groups.entry(key).or_default().push(one);
    }
    let mut made = Vec::new();
    for ((subject, relation, end, _), said) in groups {
        made.extend(group(connection, subject, relation, &end, &said)?);
    }
    made.sort_by(|one, other| {
        (one.first, &one.relation.id).cmp(&(other.first, &other.relation.id))
    });
    Ok(made)
}

fn group(
    connection: &Connection,
    subject: Name,
    relation: RelationType,
    end: &str,
    said: &[StatementRow],
) -> Result<Option<StatementGroup>, GraphError> {
    let positive: Vec<_> = said.iter().filter(|one| !one.negated).collect();
    let (Some(first), Some(last), Some(subject_of)) = (
        positive.first(),
        positive.last(),
        by_name(connection, subject)?,
    ) else {
        return Ok(None);
    };
    let object = match first.object {
        None => Object::Value(last.value.clone().unwrap_or_default()),
        Some(object) => match by_name(connection, object)? {
            Some(kept) => Object::Entity {
                id: kept.entity.id,
                name: kept.entity.name,
            },
            None => return Ok(None),
        },
    };
    let ended = said
        .iter()
        .filter(|one| one.negated && one.rank() > last.rank())
        .map(|one| one.valid_to.or(one.valid_from).unwrap_or(one.at()))
        .max();
    let support = Support::of(connection, &positive)?;
    let told = positive.iter().rev().find(|one| one.asserted);
    let both_ways = positive.iter().any(|one| one.both_ways);
    let key = naming::key(connection, subject)?;
    let frame_name = last.frame_name.clone();
    let in_frame = frame_name
        .as_deref()
        .map_or_else(String::new, |name| format!("\n{name}"));
    let identity = blake3::hash(format!("{key}\n{relation}\n{end}{in_frame}").as_bytes());
    let mut denied = is_denied(connection, subject, relation.as_str(), end, last)?;
    if let Some(object) = first.object.filter(|_| both_ways) {
        denied |= is_denied(connection, object, relation.as_str(), &key, last)?;
    }
    let times = |time: fn(&StatementRow) -> Option<i64>| positive.iter().copied().filter_map(time);
    let recorded = || positive.iter().map(|one| one.recorded_at);
    Ok(Some(StatementGroup {
        property: (subject, relation.clone()),
        object: first.object,
        first: (first.at(), first.row),
        learned: recorded().max().unwrap_or(0),
        last_rank: last.rank(),
        author: last.author,
        denied,
        relation: Relation {
            id: identity.to_hex()[..12].to_owned(),
            subject: subject_of.entity.id,
            subject_name: subject_of.entity.name,
            relation,
            object,
            frame: last.frame,
            frame_name,
            both_ways,
            state: state_of(support.rows.len() as u64, told.is_some()),
            weight: support.weight as f32 / 10_000.0,
            told_weight: told.and_then(|told| Some(told.weight? as f32 / 100.0)),
            confidence: told.map_or(support.confidence, |told| told.confidence) as f32 / 100.0,
            valid_from: times(|one| one.valid_from).min().map(instant),
            valid_to: times(|one| one.valid_to).max().max(ended).map(instant),
            recorded_at: instant(recorded().min().unwrap_or(0)),
            asserted: told.is_some(),
            made_by: if told.is_some() {
                MadeBy::Told
            } else {
                MadeBy::default()
            },
            evidence: support.evidence,
            mentions: support.rows.len() as u64,
        },
        rows: support.rows,
    }))
}

/// What supports a relation.
struct Support {
    /// The rows of the memories that state it, and of those that a teller named.
    rows: BTreeSet<i64>,
    /// Latest first, at most [`LISTED`].
    evidence: Vec<anamne_types::Evidence>,
    /// Confidence times weight, summed over the memories that state it, in ten-thousandths.
    weight: i64,
    /// The highest confidence, in hundredths.
    confidence: i64,
}

impl Support {
    fn of(connection: &Connection, positive: &[&StatementRow]) -> Result<Self, GraphError> {
        let mut sure: BTreeMap<i64, i64> = BTreeMap::new();
        let mut confidence = 0;
        for one in positive {
            let best = sure.entry(one.row).or_default();
            *best = (*best).max(one.confidence * one.weight.unwrap_or(100));
            confidence = confidence.max(one.confidence);
        }
        let mut rows: BTreeSet<i64> = sure.keys().copied().collect();
        let mut evidence: BTreeMap<_, _> = positive
            .iter()
            .map(|one| ((one.at(), one.row), one.memory.clone()))
            .collect();
        for told in positive.iter().filter(|one| one.asserted) {
            for (row, named) in named_evidence(connection, told.row)? {
                rows.insert(row);
                evidence.insert((named.at.as_microsecond(), row), named);
            }
        }
        Ok(Self {
            rows,
            evidence: evidence.into_values().rev().take(LISTED).collect(),
            weight: sure.values().sum(),
            confidence,
        })
    }
}

/// The live memories that a teller named as evidence.
fn named_evidence(
    connection: &Connection,
    row: i64,
) -> Result<Vec<(i64, anamne_types::Evidence)>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT memories.row, id, occurred_at FROM supports JOIN memories ON memories.id = supports.memory \
         WHERE supports.row = ?1",
    )?;
    let named = statement.query_map([row], |row| Ok((row.get(0)?, read_evidence(row)?)))?;
    Ok(named.collect::<Result<_, _>>()?)
}

/// Whether it was denied by an assertion after its last assertion, or at any time if only texts state it.
fn is_denied(
    connection: &Connection,
    subject: Name,
    relation: &str,
    end: &str,
    last: &StatementRow,
) -> Result<bool, GraphError> {
    let mut denied = false;
    for member in naming::members(connection, subject)? {
        let mut statement = connection.prepare_cached(
            "SELECT occurred_at, row FROM denials JOIN memories USING (row) \
             WHERE subject = ?1 AND relation = ?2 AND (object IS NULL OR object = ?3)",
        )?;
        let denials = statement.query_map(params![member, relation, end], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        for denial in denials {
            let (at, row): (i64, i64) = denial?;
            denied |= !last.asserted || (at, row) > (last.at(), last.row);
        }
    }
    Ok(denied)
}
