//! Statements that say the same, as one relation with its evidence.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{Evidence, MadeBy, Object, Relation, RelationType};
use rusqlite::{Connection, params};

use super::GraphError;
use super::entities::{by_name, instant, read_evidence, state_of};
use super::naming::{self, Name};
use super::relations::LISTED;
use super::statements::StatementRow;
use crate::reading::normalised;

/// When something was said: time and row of the memory.
pub(super) type Moment = (i64, i64);

/// All statements with one subject, relation and object.
pub(super) struct StatementGroup {
    pub(super) relation: Relation,
    pub(super) property: (Name, RelationType),
    pub(super) object: Option<Name>,
    /// When it was said, first to last.
    pub(super) said: Vec<Moment>,
    /// When it was told last; if nobody told it, when it was first said.
    pub(super) word: Moment,
    /// When it was last confirmed.
    pub(super) learned: i64,
    pub(super) last_rank: (bool, i64, i64),
    pub(super) author: Option<Name>,
    pub(super) denied: bool,
    /// The rows of its memories.
    pub(super) rows: BTreeSet<i64>,
}

/// Groups statements that say the same, ordered by their `word`. A later denial in a text ends the relation.
pub(super) fn grouped(
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
    made.sort_by(|one, other| (one.word, &one.relation.id).cmp(&(other.word, &other.relation.id)));
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
    let Some(object) = object_of(connection, first, last)? else {
        return Ok(None);
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
    let last_word = told.copied().unwrap_or(last);
    let mut denied = is_denied(connection, subject, relation.as_str(), end, last_word)?;
    if let Some(object) = first.object.filter(|_| both_ways) {
        denied |= is_denied(connection, object, relation.as_str(), &key, last_word)?;
    }
    let holding = without_past_periods(&positive);
    let times = |time: fn(&StatementRow) -> Option<i64>| holding.iter().copied().filter_map(time);
    let told_last = holding.iter().rev().find(|one| one.asserted);
    let recorded = || positive.iter().map(|one| one.recorded_at);
    Ok(Some(StatementGroup {
        property: (subject, relation.clone()),
        object: first.object,
        said: positive.iter().map(|one| one.moment()).collect(),
        word: told_last.unwrap_or(first).moment(),
        learned: recorded().max().unwrap_or(0),
        last_rank: last_word.rank(),
        author: last.author,
        denied,
        relation: Relation {
            id: id_of(&key, &relation, end, frame_name.as_deref()),
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

/// Statements without those that tell a period that ended before another one that was told began.
fn without_past_periods<'said>(positive: &[&'said StatementRow]) -> Vec<&'said StatementRow> {
    let told = positive.iter().filter(|one| one.asserted);
    let begun = told.map(|one| one.begin()).max();
    let is_past =
        |one: &StatementRow| one.asserted && one.valid_to.is_some_and(|to| Some(to) <= begun);
    positive
        .iter()
        .copied()
        .filter(|one| !is_past(one))
        .collect()
}

/// The value, or the entity unless it was denied.
fn object_of(
    connection: &Connection,
    first: &StatementRow,
    last: &StatementRow,
) -> Result<Option<Object>, GraphError> {
    let Some(object) = first.object else {
        let value = last.value.clone().unwrap_or_default();
        return Ok(Some(Object::Value(value)));
    };
    let kept = by_name(connection, object)?;
    Ok(kept.map(|kept| Object::Entity {
        id: kept.entity.id,
        name: kept.entity.name,
    }))
}

/// The id of a relation, derived from the keys of its ends.
fn id_of(subject: &str, relation: &RelationType, end: &str, frame_name: Option<&str>) -> String {
    let mut key = format!("{subject}\n{relation}\n{end}");
    if let Some(name) = frame_name {
        key.push('\n');
        key.push_str(name);
    }
    blake3::hash(key.as_bytes()).to_hex()[..12].to_owned()
}

/// What supports a relation.
struct Support {
    /// The rows of the memories that state it, and of those that a teller named.
    rows: BTreeSet<i64>,
    /// Latest first, at most [`LISTED`].
    evidence: Vec<Evidence>,
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
fn named_evidence(connection: &Connection, row: i64) -> Result<Vec<(i64, Evidence)>, GraphError> {
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
            "SELECT said_at, row FROM denials JOIN memories USING (row) \
             WHERE subject = ?1 AND relation = ?2 AND (object IS NULL OR object = ?3)",
        )?;
        let denials = statement.query_map(params![member, relation, end], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        for denial in denials {
            let (at, row): (i64, i64) = denial?;
            denied |= !last.asserted || (at, row) > last.moment();
        }
    }
    Ok(denied)
}
