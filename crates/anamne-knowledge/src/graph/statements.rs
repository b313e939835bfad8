//! Statements, as memories make them.

use std::collections::BTreeSet;

use anamne_types::{Evidence, Perspective, RelationType};
use jiff::Timestamp;
use rusqlite::Connection;

use super::GraphError;
use super::entities::read_evidence;
use super::grouping::Moment;
use super::naming::{self, Name};

/// One statement of one memory.
pub(super) struct StatementRow {
    pub(super) row: i64,
    pub(super) memory: Evidence,
    pub(super) said_at: i64,
    pub(super) recorded_at: i64,
    pub(super) author: Option<Name>,
    pub(super) subject: Name,
    pub(super) relation: RelationType,
    pub(super) object: Option<Name>,
    pub(super) value: Option<String>,
    pub(super) frame: Perspective,
    pub(super) negated: bool,
    pub(super) valid_from: Option<i64>,
    pub(super) valid_to: Option<i64>,
    pub(super) confidence: i64,
    pub(super) asserted: bool,
    /// In hundredths, if told.
    pub(super) weight: Option<i64>,
    pub(super) frame_name: Option<String>,
    pub(super) both_ways: bool,
}

impl StatementRow {
    /// Subject, relation and object, if the object is an entity.
    fn triple(&self) -> Option<(Name, RelationType, Name)> {
        Some((self.subject, self.relation.clone(), self.object?))
    }

    pub(super) fn at(&self) -> i64 {
        self.said_at
    }

    pub(super) fn moment(&self) -> Moment {
        (self.at(), self.row)
    }

    /// Since when it holds: as said, or else when it was said, but before its end.
    pub(super) fn begin(&self) -> i64 {
        let before_end = self.valid_to.unwrap_or(i64::MAX).saturating_sub(1);
        self.valid_from.unwrap_or(self.at().min(before_end))
    }

    /// What it is about: the relation of its subject, and of its object if it holds in both directions.
    fn properties(&self) -> Vec<(Name, RelationType)> {
        let reverse = self.object.filter(|_| self.both_ways);
        let ends = std::iter::once(self.subject).chain(reverse);
        ends.map(|end| (end, self.relation.clone())).collect()
    }

    /// Precedence: assertions first, then the later statement.
    pub(super) fn rank(&self) -> (bool, i64, i64) {
        (self.asserted, self.at(), self.row)
    }

    /// Orders statements by time; those with the same words are neighbours.
    fn order(&self) -> (i64, i64, &RelationType, &Option<String>) {
        (self.at(), self.row, &self.relation, &self.value)
    }

    /// Whether both are one row of the file.
    fn is_same(&self, other: &Self) -> bool {
        let ends = |one: &Self| (one.row, one.subject, one.object, one.negated);
        ends(self) == ends(other) && self.relation == other.relation && self.value == other.value
    }
}

/// The statements that tell which relations an entity has: those about it, and those about the other ends.
pub(super) fn around(
    connection: &Connection,
    name: Name,
    now: Timestamp,
) -> Result<Vec<StatementRow>, GraphError> {
    let mut said = said_about(connection, name, "object = ?1", now)?;
    // Whether a relation still holds depends on the other statements about its other end.
    let properties: BTreeSet<_> = said.iter().flat_map(StatementRow::properties).collect();
    let ends: BTreeSet<Name> = properties.iter().map(|(end, _)| *end).collect();
    for &end in ends.iter().filter(|end| **end != name) {
        let others = said_about(connection, end, "object = ?1 AND both_ways", now)?;
        said.extend(others.into_iter().filter(|other| {
            let mut own = other.properties().into_iter();
            own.any(|property| properties.contains(&property))
        }));
    }
    said.sort_by(|one, other| one.order().cmp(&other.order()));
    said.dedup_by(|one, other| one.is_same(other));
    turn_both_ways(&mut said);
    Ok(said)
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
         valid_to, confidence, told, weight, frame_name, both_ways, said_at FROM statements JOIN memories USING (row) \
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
            said_at: row.get(18)?,
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
