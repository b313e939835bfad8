//! Which memories say what a person denied.

use std::collections::{BTreeMap, HashMap};

use anamne_types::{
    Assertion, ConflictKind, Contradiction, Dispute, Evidence, MadeBy, Memory, MemoryId, Side,
};
use rusqlite::{Connection, params};

use super::contradictions::identity;
use super::entities::read_evidence;
use super::grouping::Moment;
use super::naming::{self, Name};
use super::reading_writer::reading_of;
use super::{Graph, GraphError};
use crate::conflicts::shortened;
use crate::reading::{Statement, Term, normalised};

/// Why a memory that says it does not hold.
const REASON: &str = "someone said that this is not so";

/// Stands for the position of a claim in a denial.
const DENIAL: i64 = -1;

/// The row of the last denial of what each row says.
pub(super) type DeniedRows = HashMap<i64, i64>;

/// A denied relation of a subject, to one object or to any.
struct Denial {
    at: Moment,
    subject: Name,
    relation: String,
    object: Option<String>,
}

/// A statement of a denied relation.
struct Denied {
    at: Moment,
    told: bool,
}

/// The rows that say what was denied, unless a person told it again after that. O(denials + the statements that they deny).
pub(super) fn denied_rows(connection: &Connection) -> Result<DeniedRows, GraphError> {
    let mut rows = DeniedRows::new();
    for denial in denials(connection, None)? {
        for said in denied_by(connection, &denial)?.into_values() {
            if !is_told_again(&denial, &said) {
                rows.extend(said.iter().map(|one| (one.at.1, denial.at.1)));
            }
        }
    }
    Ok(rows)
}

/// All denials of relations, or those of one name, by time.
fn denials(connection: &Connection, subject: Option<Name>) -> Result<Vec<Denial>, GraphError> {
    let condition = subject.map_or("?1 IS NULL", |_| "subject = ?1");
    let sql = format!(
        "SELECT said_at, row, subject, relation, object FROM denials JOIN memories USING (row) \
         WHERE relation IS NOT NULL AND {condition} ORDER BY said_at, row"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let denials = statement.query_map([subject], |row| {
        Ok(Denial {
            at: (row.get(0)?, row.get(1)?),
            subject: row.get(2)?,
            relation: row.get(3)?,
            object: row.get(4)?,
        })
    })?;
    Ok(denials.collect::<Result<_, _>>()?)
}

impl Graph {
    /// The contradictions of a memory's statements with denials, each denial once.
    pub(super) fn denials_of(
        &self,
        connection: &Connection,
        memory: &Memory,
    ) -> Result<Vec<Contradiction>, GraphError> {
        let mut found = BTreeMap::new();
        let has_any = "SELECT EXISTS (SELECT 1 FROM denials WHERE relation IS NOT NULL)";
        if !connection.query_row(has_any, [], |row| row.get(0))? {
            return Ok(Vec::new());
        }
        let reading = reading_of(self.readings.as_deref(), memory)?;
        for (ordinal, statement) in (0..).zip(&reading.statements) {
            if !statement.negated
                && let Some(denial) = denial_of(connection, statement)?
            {
                let denial = denying_side(connection, denial, statement)?;
                let found = found.entry(denial.evidence.memory);
                found.or_insert_with(|| contradiction(memory, ordinal, statement, denial));
            }
        }
        Ok(found.into_values().collect())
    }
}

fn contradiction(
    memory: &Memory,
    ordinal: i64,
    statement: &Statement,
    denial: Side,
) -> Contradiction {
    let kept = denial.evidence.memory;
    let saying = Side {
        evidence: Evidence {
            memory: memory.id,
            citation: memory.citation(),
            at: memory.occurred_at,
        },
        author: memory.author.clone(),
        quote: shortened(
            memory
                .content
                .get(statement.span.clone())
                .unwrap_or_default(),
        ),
    };
    let mut sides = [(saying, ordinal), (denial, DENIAL)];
    sides.sort_by_key(|(side, _)| (side.evidence.at, side.evidence.memory == kept));
    let id = identity([0, 1].map(|place| {
        let (side, ordinal) = &sides[place];
        (*side.evidence.memory.as_bytes(), *ordinal)
    }));
    let [earlier, later] = sides.map(|(side, _)| side);
    Contradiction {
        id,
        kind: ConflictKind::Contested,
        earlier,
        later,
        reason: REASON.to_owned(),
        confidence: 1.0,
        made_by: MadeBy::Told,
        kept: Some(kept),
    }
}

/// The denial in this row, in the words of the statement that it denies.
fn denying_side(
    connection: &Connection,
    row: i64,
    statement: &Statement,
) -> Result<Side, GraphError> {
    let (Term::Entity(subject, _) | Term::Value(subject)) = &statement.subject;
    let (Term::Entity(object, _) | Term::Value(object)) = &statement.object;
    let denial = Assertion::Denial {
        subject: subject.clone(),
        relation: Some(statement.relation.as_str().to_owned()),
        object: Some(object.clone()),
    };
    let mut side = connection
        .prepare_cached("SELECT row, id, occurred_at, author_name FROM memories WHERE row = ?1")?;
    Ok(side.query_row([row], |row| {
        Ok(Side {
            evidence: read_evidence(row)?,
            author: row.get(3)?,
            quote: denial.sentence(),
        })
    })?)
}

/// The row of the last denial of a statement, unless a person told the same after it.
fn denial_of(connection: &Connection, statement: &Statement) -> Result<Option<i64>, GraphError> {
    let number = |name: &str| naming::known(connection, &normalised(name));
    let Term::Entity(subject, _) = &statement.subject else {
        return Ok(None);
    };
    let Some(subject) = number(subject)? else {
        return Ok(None);
    };
    let end = match &statement.object {
        Term::Entity(name, _) => match number(name)? {
            Some(known) => naming::key(connection, naming::kept(connection, known)?)?,
            None => normalised(name),
        },
        Term::Value(value) => normalised(value),
    };
    let mut last: Option<Denial> = None;
    for member in naming::members(connection, naming::kept(connection, subject)?)? {
        let denials = denials(connection, Some(member))?
            .into_iter()
            .filter(|denial| {
                let is_of_end = denial.object.as_ref().is_none_or(|object| *object == end);
                is_of_end && statement.relation == *denial.relation
            });
        last = last
            .into_iter()
            .chain(denials)
            .max_by_key(|denial| denial.at);
    }
    let Some(last) = last else {
        return Ok(None);
    };
    let said = denied_by(connection, &last)?.remove(&end);
    Ok((!is_told_again(&last, &said.unwrap_or_default())).then_some(last.at.1))
}

fn is_told_again(denial: &Denial, said: &[Denied]) -> bool {
    said.iter().any(|one| one.told && one.at > denial.at)
}

/// The statements that a denial is about, by the key of their other end.
fn denied_by(
    connection: &Connection,
    denial: &Denial,
) -> Result<BTreeMap<String, Vec<Denied>>, GraphError> {
    let mut found: BTreeMap<String, Vec<Denied>> = BTreeMap::new();
    let mut statement = connection.prepare_cached(
        "SELECT said_at, row, told, object, value FROM statements JOIN memories USING (row) \
         WHERE subject = ?1 AND relation = ?2 AND NOT negated \
         UNION ALL SELECT said_at, row, told, subject, NULL FROM statements JOIN memories USING (row) \
         WHERE object = ?1 AND both_ways AND relation = ?2 AND NOT negated",
    )?;
    for member in naming::members(connection, naming::kept(connection, denial.subject)?)? {
        let mut said = statement.query(params![member, denial.relation])?;
        while let Some(one) = said.next()? {
            let end = match one.get::<_, Option<Name>>(3)? {
                Some(object) => naming::key(connection, naming::kept(connection, object)?)?,
                None => normalised(&one.get::<_, String>(4)?),
            };
            if denial.object.as_ref().is_none_or(|object| *object == end) {
                found.entry(end).or_default().push(Denied {
                    at: (one.get(0)?, one.get(1)?),
                    told: one.get(2)?,
                });
            }
        }
    }
    Ok(found)
}

/// The denial in this row, for the memory that it denies.
pub(super) fn dispute(connection: &Connection, row: i64) -> Result<Dispute, GraphError> {
    let id = connection
        .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
        .query_row([row], |row| row.get(0))?;
    Ok(Dispute {
        memory: MemoryId::from_bytes(id),
        citation: format!("m{row}"),
        kind: ConflictKind::Contested,
        holds: Some(false),
        reason: REASON.to_owned(),
    })
}
