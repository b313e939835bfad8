//! Relations: aggregated from statements, with superseded and contested ones.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{
    Entity, Frame, Kind, KnowledgeState, MadeBy, Object, Perspective, Relation, RelationType,
};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::entities::{
    CanonicalEntity, by_name, confirmed_since, find, instant, latest, read_evidence, state_of,
    with_aliases,
};
use super::naming::{self, Name};
use super::{Graph, GraphError};
use crate::reading::normalised;

/// Maximum evidence listed with a relation.
pub(super) const LISTED: usize = 10;

/// Whether a subject has one value at a time: a later one supersedes it.
fn is_single_valued(relation: &RelationType) -> bool {
    matches!(
        relation,
        RelationType::LivesIn
            | RelationType::WorksAt
            | RelationType::StudiesAt
            | RelationType::LocatedIn
            | RelationType::HasVersion
            | RelationType::Costs
            | RelationType::Age
            | RelationType::ScheduledFor
            | RelationType::PartnerOf
            | RelationType::HasValue
    )
}

/// Whether a subject has one value for ever: a second one contests it.
fn is_immutable(relation: &RelationType) -> bool {
    *relation == RelationType::BornOn
}

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
}

impl StatementRow {
    fn at(&self) -> i64 {
        self.memory.at.as_microsecond()
    }

    /// Precedence: assertions first, then the later statement.
    fn rank(&self) -> (bool, i64, i64) {
        (self.asserted, self.at(), self.row)
    }
}

/// All statements with one subject, relation and object.
struct StatementGroup {
    relation: Relation,
    property: (Name, RelationType),
    object: Option<Name>,
    first: (i64, i64),
    /// When it was last confirmed.
    learned: i64,
    last_rank: (bool, i64, i64),
    author: Option<Name>,
    denied: bool,
}

impl Graph {
    /// Relations from and to an entity, most certain first. `now` determines which statements have expired or remained
    /// unconfirmed for too long. O(statements about it).
    pub fn relations(&self, name: &str, now: Timestamp) -> Result<Vec<Relation>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut relations = relations_of(&reader, &kept, now)?;
        self.attribute(&mut relations)?;
        Ok(relations)
    }

    /// The frames of an entity: facts, events, procedures and custom properties.
    pub fn frames(&self, name: &str, now: Timestamp) -> Result<(Entity, Vec<Frame>), GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut relations = relations_of(&reader, &kept, now)?;
        self.attribute(&mut relations)?;
        let mut frames = Vec::new();
        for &frame in Perspective::ALL {
            let (mut chosen, rest) = relations
                .into_iter()
                .partition::<Vec<_>, _>(|relation| relation.frame == frame);
            relations = rest;
            let kind = match frame {
                Perspective::Episodic => Some(Kind::Episode),
                Perspective::Procedural => Some(Kind::Skill),
                Perspective::Semantic | Perspective::Custom => None,
            };
            if frame == Perspective::Episodic {
                chosen.sort_by(|one, other| {
                    (other.recorded_at, &other.id).cmp(&(one.recorded_at, &one.id))
                });
            }
            let memories = match kind {
                Some(kind) => memories_of_kind(&reader, kept.name, kind)?,
                None => Vec::new(),
            };
            if !chosen.is_empty() || !memories.is_empty() {
                frames.push(Frame {
                    frame,
                    relations: chosen,
                    memories,
                });
            }
        }
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
    now: Timestamp,
) -> Result<Vec<Relation>, GraphError> {
    let mut said = Vec::new();
    let mut subjects = BTreeSet::from([kept.name]);
    for member in naming::members(connection, kept.name)? {
        said.extend(statements_with(connection, "subject", member, now)?);
        let incoming = statements_with(connection, "object", member, now)?;
        subjects.extend(incoming.iter().map(|said| said.subject));
        said.extend(incoming);
    }
    // Whether an incoming relation still holds depends on the other statements about its subject.
    let properties: BTreeSet<_> = said
        .iter()
        .map(|said| (said.subject, said.relation.clone()))
        .collect();
    for &subject in subjects.iter().filter(|subject| **subject != kept.name) {
        for member in naming::members(connection, subject)? {
            let others = statements_with(connection, "subject", member, now)?.into_iter();
            said.extend(
                others
                    .filter(|other| properties.contains(&(other.subject, other.relation.clone()))),
            );
        }
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
    let mut groups = grouped(connection, said)?;
    supersede_groups(&mut groups);
    let mut relations: Vec<_> = groups
        .into_iter()
        .filter(|group| {
            !group.denied && (group.property.0 == kept.name || group.object == Some(kept.name))
        })
        .filter(|group| is_current(group, now))
        .map(|group| group.relation)
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

/// Whether it was asserted, confirmed by another memory, or learned recently.
fn is_current(group: &StatementGroup, now: Timestamp) -> bool {
    group.relation.asserted || group.relation.mentions > 1 || group.learned >= confirmed_since(now)
}

fn statements_with(
    connection: &Connection,
    end: &str,
    name: Name,
    now: Timestamp,
) -> Result<Vec<StatementRow>, GraphError> {
    let sql = format!(
        "SELECT row, id, occurred_at, recorded_at, author, subject, relation, object, value, frame, negated, valid_from, \
         valid_to, confidence, told FROM statements JOIN memories USING (row) \
         WHERE {end} = ?1 AND (expires_at IS NULL OR expires_at > ?2) AND (told OR NOT EXISTS ( \
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

/// Groups statements that say the same, ordered by the first statement. A later denial in a text ends the relation.
fn grouped(
    connection: &Connection,
    said: Vec<StatementRow>,
) -> Result<Vec<StatementGroup>, GraphError> {
    let mut groups: BTreeMap<(Name, RelationType, String), Vec<StatementRow>> = BTreeMap::new();
    for one in said {
        let end = match one.object {
            Some(object) => naming::key(connection, object)?,
            None => normalised(one.value.as_deref().unwrap_or_default()),
        };
        groups
            .entry((one.subject, one.relation.clone(), end))
            .or_default()
            .push(one);
    }
    let mut made = Vec::new();
    for ((subject, relation, end), said) in groups {
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
    let rows: BTreeSet<_> = positive.iter().map(|one| one.row).collect();
    let mut sure: BTreeMap<i64, i64> = BTreeMap::new();
    for one in &positive {
        let best = sure.entry(one.row).or_default();
        *best = (*best).max(one.confidence);
    }
    let asserted = positive.iter().any(|one| one.asserted);
    let mut evidence: Vec<_> = positive
        .iter()
        .rev()
        .map(|one| one.memory.clone())
        .collect();
    evidence.dedup();
    evidence.truncate(LISTED);
    let key = naming::key(connection, subject)?;
    let identity = blake3::hash(format!("{key}\n{relation}\n{end}").as_bytes());
    let denied = is_denied(connection, subject, relation.as_str(), end, last)?;
    Ok(Some(StatementGroup {
        property: (subject, relation.clone()),
        object: first.object,
        first: (first.at(), first.row),
        learned: positive
            .iter()
            .map(|one| one.recorded_at)
            .max()
            .unwrap_or(0),
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
            state: state_of(rows.len() as u64, asserted),
            weight: sure.values().sum::<i64>() as f32 / 100.0,
            confidence: sure.values().max().copied().unwrap_or(0) as f32 / 100.0,
            valid_from: positive
                .iter()
                .filter_map(|one| one.valid_from)
                .min()
                .map(instant),
            valid_to: positive
                .iter()
                .filter_map(|one| one.valid_to)
                .max()
                .max(ended)
                .map(instant),
            recorded_at: instant(
                positive
                    .iter()
                    .map(|one| one.recorded_at)
                    .min()
                    .unwrap_or(0),
            ),
            asserted,
            made_by: if asserted {
                MadeBy::Told
            } else {
                MadeBy::default()
            },
            evidence,
            mentions: rows.len() as u64,
        },
    }))
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

/// For single-valued properties, ends superseded relations and marks contested ones.
///
/// Groups must be ordered by their first statement.
fn supersede_groups(groups: &mut [StatementGroup]) {
    for later in 0..groups.len() {
        for earlier in 0..later {
            let (before, after) = groups.split_at_mut(later);
            let (earlier, later) = (&mut before[earlier], &mut after[0]);
            let has_ended = |group: &StatementGroup| {
                group.denied
                    || group
                        .relation
                        .valid_to
                        .is_some_and(|to| to.as_microsecond() <= later.first.0)
            };
            if earlier.property != later.property
                || has_ended(earlier)
                || later.denied
                || overlap(earlier, later)
            {
                continue;
            }
            let relation = &earlier.property.1;
            let changes = is_single_valued(relation);
            if !changes && !is_immutable(relation) {
                continue;
            }
            // Stated again after the other one: it is undecidable which one holds.
            let alternates = earlier.last_rank > later.last_rank && !earlier.relation.asserted;
            let outranked = earlier.relation.asserted && !later.relation.asserted;
            let same_speaker = earlier.author == later.author || later.relation.asserted;
            if changes && same_speaker && !alternates && !outranked {
                earlier.relation.valid_to =
                    Some(later.relation.valid_from.unwrap_or(instant(later.first.0)));
            } else {
                earlier.relation.state = KnowledgeState::Contested;
                later.relation.state = KnowledgeState::Contested;
            }
        }
    }
}

/// Whether the text of one object contains the other.
fn overlap(one: &StatementGroup, other: &StatementGroup) -> bool {
    let (one, other) = (
        normalised(one.relation.object.text()),
        normalised(other.relation.object.text()),
    );
    one.contains(&other) || other.contains(&one)
}
