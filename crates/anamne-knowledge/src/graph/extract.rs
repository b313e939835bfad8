//! Extraction: follows the log, reads memories and removes their former statements.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Assertion, Body, Kind, Memory, MemoryId, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::currency::text_digest;
use super::naming::{self, Name};
use super::reading_writer::ReadingWriter;
use super::{Graph, GraphError, contradictions, echoes, entities, expiry};
use crate::reading::Utterance;
use crate::readings::Readings;

/// Model readings per transaction.
const AT_ONCE: usize = 64;

/// Texts are read up to this length.
const LONGEST: usize = 64 << 10;

/// The result of an extraction run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractionReport {
    /// Memories read or removed.
    pub memories: u64,
    /// Whether this process stopped because another one was extracting.
    pub busy: bool,
}

impl Graph {
    /// Follows the log to its end, or until `go_on` returns false; it is called after every `batch` memories with the
    /// event reached. In `feed`, the `updated_at` of a memory is when its text last changed.
    ///
    /// Each batch is one transaction, for which other extracting processes wait. About 0.5 ms per memory. Memories that have
    /// expired by `now` count as forgotten; they are read again if `now` of a later call is before their expiry.
    pub fn catch_up(
        &self,
        feed: &dyn MemoryFeed,
        batch: usize,
        now: Timestamp,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<ExtractionReport, GraphError> {
        let mut extracted = ExtractionReport::default();
        loop {
            match self.take_batch(feed, batch, now) {
                Err(error) if error.is_busy() => {
                    return Ok(ExtractionReport {
                        busy: true,
                        ..extracted
                    });
                }
                Err(error) => return Err(error),
                Ok((0, _)) => return Ok(extracted),
                Ok((memories, reached)) => {
                    extracted.memories += memories;
                    if !go_on(reached) {
                        return Ok(extracted);
                    }
                }
            }
        }
    }

    /// Whether memories have expired since they were read, or were recorded as expired by a clock that was ahead.
    pub fn is_expiry_due(&self, now: Timestamp) -> Result<bool, GraphError> {
        expiry::is_due(&self.reader(), now)
    }

    /// Discards everything extracted, in one transaction: other processes continue with an empty graph.
    /// [`Graph::catch_up`] restores the same graph.
    pub fn forget(&self) -> Result<(), GraphError> {
        let mut extractor = self.extractor();
        let transaction = extractor.transaction_with_behavior(TransactionBehavior::Immediate)?;
        forget_all(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// Applies model readings up to the extracted position. Readings and the position up to which they are applied are
    /// stored in one transaction.
    pub fn follow_readings(&self, feed: &dyn MemoryFeed) -> Result<(), GraphError> {
        let Some(readings) = self.readings.as_deref() else {
            return Ok(());
        };
        loop {
            let mut extractor = self.extractor();
            let transaction =
                extractor.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken: i64 =
                transaction.query_row("SELECT by_model FROM position", [], |row| row.get(0))?;
            // Readings ahead of the position are applied on extraction, or later by a process that has the readings.
            let reached = position(&transaction)?;
            let mut read = readings.since(Seq(taken as u64), AT_ONCE)?;
            read.retain(|(seq, _)| *seq <= reached);
            let Some(&(through, _)) = read.last() else {
                return Ok(());
            };
            reread(&transaction, feed, readings, &read)?;
            transaction.execute("UPDATE position SET by_model = ?1", [through.0 as i64])?;
            transaction.commit()?;
        }
    }

    fn take_batch(
        &self,
        feed: &dyn MemoryFeed,
        batch: usize,
        now: Timestamp,
    ) -> Result<(u64, Seq), GraphError> {
        let mut extractor = self.extractor();
        // The position first, both times: another process may append to the log and extract it meanwhile.
        let (reached, head) = (position(&extractor)?, feed.head()?);
        if reached == head && !expiry::is_due(&extractor, now)? {
            return Ok((0, head));
        }
        let transaction = extractor.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (reached, head) = (position(&transaction)?, feed.head()?);
        if reached > head {
            forget_all(&transaction)?;
        }
        let mut states = feed.states_since(position(&transaction)?, batch)?;
        expiry::set_aside(&transaction, &mut states, now)?;
        let reached = states.last().map_or(head, |last| last.seq);
        let changed: BTreeSet<Row> = states.iter().map(|state| state.row).collect();
        let mut aged = expiry::expired(&transaction, now)?;
        aged.extend(expiry::no_longer_expired(&transaction, feed, reached, now)?);
        states.extend(
            aged.into_iter()
                .filter(|state| !changed.contains(&state.row)),
        );
        take(&transaction, feed, self.readings.as_deref(), &states)?;
        transaction.execute("UPDATE position SET seq = ?1", [reached.0 as i64])?;
        transaction.commit()?;
        Ok((states.len() as u64, reached))
    }
}

/// Discards everything: the log was replaced.
fn forget_all(connection: &Connection) -> Result<(), GraphError> {
    for table in [
        "mentions",
        "entities",
        "aliases",
        "canonical",
        "distinctions",
        "statements",
        "descriptions",
        "supports",
        "denials",
        "resolutions",
        "claims",
        "claim_keys",
        "conflicts",
        "memories",
        "expired",
        "names",
    ] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection.execute("UPDATE position SET seq = 0, by_model = 0", [])?;
    Ok(())
}

pub(super) fn position(connection: &Connection) -> Result<Seq, GraphError> {
    let seq: i64 = connection
        .prepare_cached("SELECT seq FROM position")?
        .query_row([], |row| row.get(0))?;
    Ok(Seq(seq as u64))
}

/// Changes of a batch, evaluated at its end.
#[derive(Default)]
pub(super) struct BatchChanges {
    pub(super) names: BTreeSet<Name>,
    pub(super) rows: BTreeSet<i64>,
    /// Thread positions that gained or lost a memory: the repeated names of the memories soon after may change.
    pub(super) places: BTreeSet<(String, i64)>,
    /// Keys and rows of listed claims that were added or removed.
    pub(super) keys: BTreeSet<(i64, i64)>,
    /// Whether aliases or distinctions changed.
    pub(super) aliases: bool,
}

fn take(
    transaction: &Transaction<'_>,
    feed: &dyn MemoryFeed,
    readings: Option<&Readings>,
    states: &[MemoryState],
) -> Result<(), GraphError> {
    let mut touched = BatchChanges::default();
    let mut texts: BTreeMap<i64, &str> = BTreeMap::new();
    for state in states {
        take_back(transaction, state.row, &mut touched)?;
        if let Some(memory) = &state.memory {
            take_in(transaction, readings, state.row, memory, &mut touched)?;
            texts.insert(i64::from(state.row.0), beginning(&memory.content));
        }
    }
    echoes::hear(transaction, feed, &texts, &mut touched)?;
    contradictions::compare(transaction, readings, &touched.rows, &touched.keys)?;
    if touched.aliases {
        let changed = naming::join_aliases(transaction)?;
        touched.names.extend(changed);
    }
    entities::recompute(transaction, &touched.names)
}

/// The part of a text that is read.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The text of a memory, with author, role and time.
pub(super) fn utterance(memory: &Memory) -> Utterance<'_> {
    Utterance {
        text: beginning(&memory.content),
        author: memory.author.as_deref().unwrap_or_default(),
        role: match &memory.body {
            Body::Message { role } => *role,
            _ => None,
        },
        at: memory.occurred_at,
    }
}

/// When a memory said what it says: when it happened, if that was told, and else when its text last changed, which is its
/// `updated_at` in the log that the graph follows. What it asserts doesn't change with its text.
pub(super) fn said_at(memory: &Memory) -> Timestamp {
    let is_told = memory.occurred_at != memory.created_at;
    if is_told || memory.metadata.contains_key(Assertion::KEY) {
        memory.occurred_at
    } else {
        memory.updated_at
    }
}

/// Reads these rows again if they are in the graph and unchanged since its position.
fn reread(
    transaction: &Transaction<'_>,
    feed: &dyn MemoryFeed,
    readings: &Readings,
    read: &[(Seq, Row)],
) -> Result<(), GraphError> {
    let mut ids = Vec::new();
    for (_, row) in read {
        let mut known = transaction.prepare_cached("SELECT id FROM memories WHERE row = ?1")?;
        let known: Option<[u8; 16]> = known.query_row([row.0], |row| row.get(0)).optional()?;
        ids.extend(known.map(MemoryId::from_bytes));
    }
    let states = expiry::states_of(feed, &ids, position(transaction)?)?;
    take(transaction, feed, Some(readings), &states)
}

/// Removes everything extracted from a row.
fn take_back(
    connection: &Connection,
    row: Row,
    touched: &mut BatchChanges,
) -> Result<(), GraphError> {
    let row = i64::from(row.0);
    let mut place = connection.prepare_cached(
        "SELECT thread, position FROM memories WHERE row = ?1 AND thread IS NOT NULL",
    )?;
    let places = place.query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for place in places {
        touched.places.insert(place?);
    }
    let mut named = connection.prepare_cached(
        "SELECT name FROM mentions WHERE row = ?1 UNION SELECT subject FROM statements WHERE row = ?1 \
         UNION SELECT object FROM statements WHERE row = ?1 AND object IS NOT NULL \
         UNION SELECT subject_read FROM statements WHERE row = ?1 \
         UNION SELECT object_read FROM statements WHERE row = ?1 AND object_read IS NOT NULL \
         UNION SELECT alias FROM aliases WHERE row = ?1 UNION SELECT name FROM aliases WHERE row = ?1 \
         UNION SELECT subject FROM denials WHERE row = ?1 UNION SELECT author FROM memories WHERE row = ?1 AND author IS NOT NULL \
         UNION SELECT one FROM distinctions WHERE row = ?1 UNION SELECT other FROM distinctions WHERE row = ?1",
    )?;
    for name in named.query_map([row], |row| row.get(0))? {
        touched.names.insert(name?);
    }
    let listed = contradictions::take_back(connection, row)?;
    touched
        .keys
        .extend(listed.into_iter().map(|key| (key, row)));
    for table in [
        "mentions",
        "statements",
        "descriptions",
        "supports",
        "denials",
        "resolutions",
        "memories",
    ] {
        connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE row = ?1"))?
            .execute([row])?;
    }
    for table in ["aliases", "distinctions"] {
        touched.aliases |= connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE row = ?1"))?
            .execute([row])?
            > 0;
    }
    touched.rows.remove(&row);
    Ok(())
}

/// Reads a memory.
fn take_in(
    connection: &Connection,
    readings: Option<&Readings>,
    row: Row,
    memory: &Memory,
    touched: &mut BatchChanges,
) -> Result<(), GraphError> {
    let author_name = match memory.author.as_deref() {
        None | Some("") => None,
        Some(author) => naming::number(connection, author)?,
    };
    let number = i64::from(row.0);
    connection
        .prepare_cached(
            "INSERT INTO memories VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            number,
            memory.id.as_bytes().as_slice(),
            memory.kind().number(),
            memory.thread,
            memory.position,
            author_name,
            memory.author,
            memory.occurred_at.as_microsecond(),
            said_at(memory).as_microsecond(),
            memory.created_at.as_microsecond(),
            memory.expires_at.map(Timestamp::as_microsecond),
            text_digest(&memory.content),
        ])?;
    touched.rows.insert(number);
    if let (Some(thread), Some(position)) = (&memory.thread, memory.position) {
        touched.places.insert((thread.clone(), i64::from(position)));
    }
    let teller = ReadingWriter {
        connection,
        readings,
        row: number,
        at: memory.occurred_at.as_microsecond(),
        touched,
    };
    if let Some(assertion) = Assertion::of(memory) {
        return teller.asserted(&assertion);
    }
    match memory.kind() {
        // A summary has no information beyond its sources; experience is not knowledge.
        Kind::Summary | Kind::Experience => Ok(()),
        _ => teller.read(memory),
    }
}
