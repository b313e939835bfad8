//! Contradictions: detected during extraction, open until decided.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

use anamne_types::{ConflictKind, Contradiction, Dispute, Memory, MemoryId, Row, Side};
use rusqlite::types::Value;
use rusqlite::{
    Connection, OptionalExtension, Row as SqlRow, TransactionBehavior, params, params_from_iter,
};

use super::attribution::contradiction_rule;
use super::denials::{self, DeniedRows};
use super::extract::{said_at, utterance};
use super::{Graph, GraphError};
use crate::conflicts::{Claim, Conflict, Content, WINDOW, claims, judge, keys, statement_claims};
use crate::reading::Reading;
use crate::readings::{ConflictReading, Readings};

/// Codes in `claim_keys`: a claim is listed under a key, or is compared with claims under it.
const LISTED: i64 = 0;
const SOUGHT: i64 = 1;

/// A filter of contradictions.
#[derive(Clone, Debug, Default)]
pub struct ContradictionQuery {
    /// Only those that involve one of these memories; empty for all.
    pub memories: Vec<MemoryId>,
    /// Only those of this kind.
    pub kind: Option<ConflictKind>,
    /// Only open ones.
    pub open: bool,
    /// Maximum number.
    pub limit: usize,
}

/// Rows involved in contradictions, and denied ones, as of a database state.
#[derive(Default)]
pub(super) struct Disputed {
    version: Option<i64>,
    rows: HashSet<u32>,
    denied: DeniedRows,
}

/// Adds the claims of a row; returns the keys under which they are listed.
pub(super) fn take_in(
    connection: &Connection,
    row: i64,
    memory: &Memory,
    reading: &Reading,
) -> Result<Vec<i64>, GraphError> {
    let mut listed = Vec::new();
    for (ordinal, claim) in claims_in(memory, reading).iter().enumerate() {
        let json = serde_json::to_string(claim).map_err(|error| unreadable(&error))?;
        connection
            .prepare_cached("INSERT INTO claims VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                row,
                ordinal as i64,
                json,
                claim_digest(claim),
                claim.span.start as i64,
                claim.span.len() as i64
            ])?;
        let keys = keys(claim);
        for (way, keys) in [(LISTED, &keys.listed), (SOUGHT, &keys.sought)] {
            for key in keys {
                connection
                    .prepare_cached("INSERT OR IGNORE INTO claim_keys VALUES (?1, ?2, ?3, ?4)")?
                    .execute([way, *key as i64, row, ordinal as i64])?;
            }
        }
        listed.extend(keys.listed.iter().map(|key| *key as i64));
    }
    Ok(listed)
}

/// The claims of a memory, each said when the memory was last worded.
pub(super) fn claims_in(memory: &Memory, reading: &Reading) -> Vec<Claim> {
    let at = said_at(memory);
    let utterance = utterance(memory);
    let of_statements = statement_claims(&utterance, reading);
    let claims = claims(&utterance).into_iter().chain(of_statements);
    claims.map(|claim| Claim { at, ..claim }).collect()
}

/// A digest of a claim, independent of author and time.
pub(super) fn claim_digest(claim: &Claim) -> i64 {
    let mut about: Vec<&str> = claim
        .about
        .iter()
        .map(|topic| topic.term.as_str())
        .collect();
    about.sort_unstable();
    let content = match &claim.content {
        Content::Action(action) => format!("{} {}", action.verb, action.aspect.is_negative()),
        Content::Quantity(quantity) => format!("{} {}", quantity.dimension, quantity.value),
    };
    let subject = match &claim.content {
        Content::Action(_) => claim.subject.as_slice(),
        Content::Quantity(_) => &[],
    };
    let said = format!("{subject:?} {about:?} {content}");
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(said.as_bytes()).as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}

/// Removes the claims of a row; returns the keys under which they were listed.
pub(super) fn take_back(connection: &Connection, row: i64) -> Result<Vec<i64>, GraphError> {
    let mut listed = Vec::new();
    for PositionedClaim { at, claim } in claims_of(connection, row)? {
        let keys = keys(&claim);
        for (way, keys) in [(LISTED, &keys.listed), (SOUGHT, &keys.sought)] {
            for key in keys {
                connection
                    .prepare_cached(
                        "DELETE FROM claim_keys WHERE way = ?1 AND key = ?2 AND row = ?3 AND ordinal = ?4",
                    )?
                    .execute([way, *key as i64, row, at.1])?;
            }
        }
        listed.extend(keys.listed.iter().map(|key| *key as i64));
    }
    for statement in [
        "DELETE FROM claims WHERE row = ?1",
        "DELETE FROM conflicts WHERE finder = ?1",
        "DELETE FROM conflicts WHERE rival = ?1",
    ] {
        connection.prepare_cached(statement)?.execute([row])?;
    }
    Ok(listed)
}

/// Recomputes the contradictions of these rows, and of later rows whose look-up under these keys reaches the changed rows:
/// a look-up reads only the nearest claims.
pub(super) fn compare(
    connection: &Connection,
    readings: Option<&Readings>,
    rows: &BTreeSet<i64>,
    places: &BTreeSet<(i64, i64)>,
) -> Result<(), GraphError> {
    let mut finders = rows.clone();
    for &(key, row) in places {
        finders.extend(seekers(connection, key, row)?);
    }
    for finder in finders {
        look(connection, readings, finder)?;
    }
    Ok(())
}

/// Later rows that look up a key and whose window reaches back to this row.
fn seekers(connection: &Connection, key: i64, row: i64) -> Result<Vec<i64>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT row FROM claim_keys WHERE way = 1 AND key = ?1 AND row > ?2 AND row <= coalesce( \
           (SELECT row FROM claim_keys WHERE way = 0 AND key = ?1 AND row > ?2 ORDER BY row, ordinal LIMIT 1 OFFSET ?3), \
           9223372036854775807)",
    )?;
    let rows = statement.query_map([key, row, WINDOW as i64], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A claim with its row and ordinal.
struct PositionedClaim {
    at: (i64, i64),
    claim: Claim,
}

impl PositionedClaim {
    fn order(&self) -> (jiff::Timestamp, (i64, i64)) {
        (self.claim.at, self.at)
    }
}

/// A contradiction with the rows and ordinals of its two claims.
struct FoundContradiction {
    finder: (i64, i64),
    rival: (i64, i64),
    earlier: (i64, i64),
    later: (i64, i64),
    conflict: Conflict,
}

/// Finds contradictions of a row's claims among earlier rows. Between two sentences the most confident counts.
fn look(
    connection: &Connection,
    readings: Option<&Readings>,
    finder: i64,
) -> Result<(), GraphError> {
    connection
        .prepare_cached("DELETE FROM conflicts WHERE finder = ?1")?
        .execute([finder])?;
    let mut found: BTreeMap<(i64, usize, usize), FoundContradiction> = BTreeMap::new();
    for own in claims_of(connection, finder)? {
        let mut rivals = BTreeSet::new();
        for key in keys(&own.claim).sought {
            rivals.extend(listed_before(connection, key as i64, finder)?);
        }
        for rival in rivals {
            let Some(other) = claim_at(connection, rival)? else {
                continue;
            };
            let (earlier, later) = if own.order() < other.order() {
                (&own, &other)
            } else {
                (&other, &own)
            };
            let Some(conflict) = judge(&earlier.claim, &later.claim) else {
                continue;
            };
            let place = (rival.0, own.claim.span.start, other.claim.span.start);
            let link = FoundContradiction {
                finder: own.at,
                rival,
                earlier: earlier.at,
                later: later.at,
                conflict,
            };
            match found.get(&place) {
                Some(known) if known.conflict.confidence >= link.conflict.confidence => {}
                _ => drop(found.insert(place, link)),
            }
        }
    }
    found
        .values()
        .try_for_each(|found| note(connection, readings, found))
}

fn claims_of(connection: &Connection, row: i64) -> Result<Vec<PositionedClaim>, GraphError> {
    let mut statement = connection
        .prepare_cached("SELECT ordinal, claim FROM claims WHERE row = ?1 ORDER BY ordinal")?;
    let claims: Vec<(i64, String)> = statement
        .query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    claims
        .into_iter()
        .map(|(ordinal, json)| {
            Ok(PositionedClaim {
                at: (row, ordinal),
                claim: parsed(&json)?,
            })
        })
        .collect()
}

fn claim_at(
    connection: &Connection,
    at: (i64, i64),
) -> Result<Option<PositionedClaim>, GraphError> {
    let json: Option<String> = connection
        .prepare_cached("SELECT claim FROM claims WHERE row = ?1 AND ordinal = ?2")?
        .query_row([at.0, at.1], |row| row.get(0))
        .optional()?;
    json.map(|json| {
        Ok(PositionedClaim {
            at,
            claim: parsed(&json)?,
        })
    })
    .transpose()
}

fn parsed(json: &str) -> Result<Claim, GraphError> {
    serde_json::from_str(json).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> GraphError {
    GraphError::Claim {
        reason: error.to_string(),
    }
}

/// The nearest claims before a row that are listed under a key.
fn listed_before(
    connection: &Connection,
    key: i64,
    row: i64,
) -> Result<Vec<(i64, i64)>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT row, ordinal FROM claim_keys WHERE way = 0 AND key = ?1 AND row < ?2 ORDER BY row DESC, ordinal DESC LIMIT ?3",
    )?;
    let found = statement.query_map([key, row, WINDOW as i64], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The id of a contradiction: derived from both memories, the earlier first, and the positions of the claims.
pub(super) fn identity(sides: [([u8; 16], i64); 2]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (memory, ordinal) in sides {
        hasher.update(&memory);
        hasher.update(&ordinal.to_le_bytes());
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

fn note(
    connection: &Connection,
    readings: Option<&Readings>,
    found: &FoundContradiction,
) -> Result<(), GraphError> {
    let memory = |row: i64| -> Result<[u8; 16], GraphError> {
        Ok(connection
            .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
            .query_row([row], |row| row.get(0))?)
    };
    let id = identity([
        (memory(found.earlier.0)?, found.earlier.1),
        (memory(found.later.0)?, found.later.1),
    ]);
    let verdict = match readings {
        Some(readings) => readings.verdict(&id)?,
        None => None,
    };
    let (kind, reason) = match verdict {
        Some(ConflictReading { kind: None, .. }) => return Ok(()),
        Some(ConflictReading {
            kind: Some(kind),
            reason,
        }) if !reason.is_empty() => (kind, reason),
        Some(ConflictReading {
            kind: Some(kind), ..
        }) => (kind, found.conflict.reason.clone()),
        None => (found.conflict.kind, found.conflict.reason.clone()),
    };
    connection
        .prepare_cached("INSERT OR REPLACE INTO conflicts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?
        .execute(params![
            found.finder.0,
            found.finder.1,
            found.rival.0,
            found.rival.1,
            found.earlier.0,
            found.earlier.1,
            found.later.0,
            found.later.1,
            id,
            kind.number(),
            (found.conflict.confidence * 100.0).round() as i64,
            reason
        ])?;
    Ok(())
}

const FIELDS: &str = "one.row, one.id, one.occurred_at, one.author_name, one_claim.claim, \
     other.row, other.id, other.occurred_at, other.author_name, other_claim.claim, \
     conflicts.id, conflicts.kind, conflicts.reason, conflicts.confidence, \
     coalesce((SELECT kept FROM resolutions WHERE contradiction = conflicts.id ORDER BY row DESC LIMIT 1), \
       CASE (one_claim.says IN (SELECT says FROM tombstones)) - (other_claim.says IN (SELECT says FROM tombstones)) \
         WHEN 1 THEN other.id WHEN -1 THEN one.id END) AS decided";

const TABLES: &str = "conflicts JOIN memories AS one ON one.row = earlier JOIN memories AS other ON other.row = later \
     JOIN claims AS one_claim ON one_claim.row = earlier AND one_claim.ordinal = earlier_claim \
     JOIN claims AS other_claim ON other_claim.row = later AND other_claim.ordinal = later_claim";

fn read_contradiction(row: &SqlRow<'_>) -> rusqlite::Result<(Contradiction, [String; 2])> {
    let kept: Option<[u8; 16]> = row.get(14)?;
    let side = |first: usize| -> rusqlite::Result<Side> {
        let id = row.get(first + 1)?;
        Ok(Side {
            evidence: anamne_types::Evidence {
                memory: MemoryId::from_bytes(id),
                citation: format!("m{}", row.get::<_, i64>(first)?),
                at: super::entities::instant(row.get(first + 2)?),
            },
            author: row.get(first + 3)?,
            quote: String::new(),
        })
    };
    let contradiction = Contradiction {
        id: row.get(10)?,
        kind: ConflictKind::from_number(row.get(11)?).unwrap_or(ConflictKind::Contested),
        earlier: side(0)?,
        later: side(5)?,
        reason: row.get(12)?,
        confidence: row.get::<_, f32>(13)? / 100.0,
        made_by: contradiction_rule(),
        kept: kept.map(MemoryId::from_bytes),
    };
    Ok((contradiction, [row.get(4)?, row.get(9)?]))
}

fn quoted(read: (Contradiction, [String; 2])) -> Result<Contradiction, GraphError> {
    let (mut contradiction, [earlier, later]) = read;
    contradiction.earlier.quote = parsed(&earlier)?.quote;
    contradiction.later.quote = parsed(&later)?.quote;
    Ok(contradiction)
}

impl Graph {
    /// Contradictions, the latest first.
    pub fn contradictions(
        &self,
        query: &ContradictionQuery,
    ) -> Result<Vec<Contradiction>, GraphError> {
        let reader = self.reader();
        let mut values: Vec<Value> = vec![
            query.kind.map(|kind| i64::from(kind.number())).into(),
            query.open.into(),
        ];
        let mut condition =
            "(?1 IS NULL OR conflicts.kind = ?1) AND (NOT ?2 OR decided IS NULL)".to_owned();
        if !query.memories.is_empty() {
            let places: Vec<_> = (0..query.memories.len())
                .map(|place| format!("?{}", place + 3))
                .collect();
            let places = places.join(", ");
            let _ = write!(
                condition,
                " AND (one.id IN ({places}) OR other.id IN ({places}))"
            );
            values.extend(
                query
                    .memories
                    .iter()
                    .map(|id| Value::Blob(id.as_bytes().to_vec())),
            );
        }
        let sql = format!(
            "SELECT {FIELDS} FROM {TABLES} WHERE {condition} ORDER BY other.occurred_at DESC, later DESC, conflicts.id LIMIT {}",
            query.limit
        );
        let found: Vec<_> = reader
            .prepare(&sql)?
            .query_map(params_from_iter(values), read_contradiction)?
            .collect::<Result<_, _>>()?;
        let found = found.into_iter().map(quoted);
        found.map(|found| self.judged(found?)).collect()
    }

    /// The contradiction with this id or unique prefix of an id.
    pub fn contradiction(&self, id: &str) -> Result<Contradiction, GraphError> {
        let missing = || GraphError::NoContradiction {
            id: id.trim().to_owned(),
        };
        let digits = id.trim().to_ascii_lowercase();
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(missing());
        }
        let reader = self.reader();
        let sql =
            format!("SELECT {FIELDS} FROM {TABLES} WHERE conflicts.id GLOB ?1 || '*' LIMIT 2");
        let mut found: Vec<_> = reader
            .prepare_cached(&sql)?
            .query_map([&digits], read_contradiction)?
            .collect::<Result<_, _>>()?;
        match (found.pop(), found.pop()) {
            (Some(one), None) => self.judged(quoted(one)?),
            _ => Err(missing()),
        }
    }

    /// Updates a contradiction after a model's judgement, which may reject it.
    pub fn refresh_contradiction(&self, id: &str) -> Result<(), GraphError> {
        let mut extractor = self.extractor();
        let transaction = extractor.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let finder: Option<i64> = transaction
            .prepare_cached("SELECT finder FROM conflicts WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        if let Some(finder) = finder {
            look(&transaction, self.readings.as_deref(), finder)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The memories that contradict or deny each of these rows. A few microseconds if there are none. What changed in the
    /// log since is left out.
    pub fn disputes(&self, rows: &[Row]) -> Result<Vec<Vec<Dispute>>, GraphError> {
        let reader = self.recall();
        let mut disputed = self.disputed();
        let version = reader
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if disputed.version != Some(version) {
            disputed.rows = reader
                .prepare_cached("SELECT finder FROM conflicts UNION SELECT rival FROM conflicts")?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            disputed.denied = denials::denied_rows(&reader)?;
            disputed.version = Some(version);
        }
        let of = |row: &Row| {
            let mut disputes = if disputed.rows.contains(&row.0) {
                disputes_of(&reader, i64::from(row.0))?
            } else {
                Vec::new()
            };
            if let Some(denial) = disputed.denied.get(&i64::from(row.0)) {
                disputes.push(denials::dispute(&reader, *denial)?);
            }
            Ok(disputes)
        };
        let mut disputes = rows
            .iter()
            .map(of)
            .collect::<Result<Vec<_>, GraphError>>()?;
        self.drop_changed(&reader, rows, &mut disputes)?;
        Ok(disputes)
    }
}

pub(super) fn disputes_of(connection: &Connection, row: i64) -> Result<Vec<Dispute>, GraphError> {
    let sql = format!(
        "SELECT {FIELDS} FROM {TABLES} WHERE conflicts.finder = ?1 OR conflicts.rival = ?1 ORDER BY conflicts.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let own = format!("m{row}");
    // Two memories may contradict each other in several places; once is enough.
    let mut disputes: BTreeMap<MemoryId, Dispute> = BTreeMap::new();
    for found in statement.query_map([row], read_contradiction)? {
        let (contradiction, _) = found?;
        let is_later = contradiction.later.evidence.citation == own;
        let other = if is_later {
            contradiction.earlier
        } else {
            contradiction.later
        };
        let holds = match (contradiction.kept, contradiction.kind) {
            (Some(kept), _) => Some(kept != other.evidence.memory),
            (None, ConflictKind::Superseded) => Some(is_later),
            (None, ConflictKind::Contested) => None,
        };
        disputes.entry(other.evidence.memory).or_insert(Dispute {
            memory: other.evidence.memory,
            citation: other.evidence.citation,
            kind: contradiction.kind,
            holds,
            reason: contradiction.reason,
        });
    }
    Ok(disputes.into_values().collect())
}
