//! Following the log: memories are read, and what they said before is taken back.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Assertion, Body, EntityType, Kind, Memory, MemoryId, Perspective, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::naming::{self, Name};
use super::{Graph, GraphError, contradictions, echoes, entities};
use crate::reading::{Mention, Statement, Term, Utterance, normalised, read};
use crate::readings::Readings;

/// Readings of a model that are taken in with one transaction.
const AT_ONCE: usize = 64;

/// Longer texts are read up to here: what follows is rarely about anyone any more.
const LONGEST: usize = 64 << 10;

/// Certainty of what someone told as knowledge, in hundredths.
const CERTAIN: i64 = 100;

/// How a mention came to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum Way {
    Read = 0,
    Echo = 1,
    Told = 3,
}

/// What following the log came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Woven {
    /// Memories that were read, or taken back.
    pub memories: u64,
    /// Whether another process was weaving, so that this one stopped.
    pub busy: bool,
}

impl Graph {
    /// Follows the log to its end, or until `go_on` says no; it is asked after every `batch` memories, with the event reached.
    ///
    /// Each batch is one transaction: other processes that weave wait so long. Some 0.5 ms a memory. What has expired by
    /// `now` counts as forgotten.
    pub fn catch_up(
        &self,
        feed: &dyn MemoryFeed,
        batch: usize,
        now: Timestamp,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<Woven, GraphError> {
        let mut woven = Woven::default();
        loop {
            match self.take_batch(feed, batch, now) {
                Err(error) if error.is_busy() => {
                    return Ok(Woven {
                        busy: true,
                        ..woven
                    });
                }
                Err(error) => return Err(error),
                Ok((0, _)) => return Ok(woven),
                Ok((memories, reached)) => {
                    woven.memories += memories;
                    if !go_on(reached) {
                        return Ok(woven);
                    }
                }
            }
        }
    }

    /// Takes in what a model has read since the last time. A reading and that it was taken in are one transaction.
    pub fn follow_readings(&self, feed: &dyn MemoryFeed) -> Result<(), GraphError> {
        let Some(readings) = self.readings.as_deref() else {
            return Ok(());
        };
        loop {
            let mut weaver = self.weaver();
            let transaction = weaver.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken: i64 =
                transaction.query_row("SELECT by_model FROM position", [], |row| row.get(0))?;
            let read = readings.since(Seq(taken as u64), AT_ONCE)?;
            let Some(&(through, _)) = read.last() else {
                return Ok(());
            };
            take_again(&transaction, feed, readings, &read)?;
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
        let mut weaver = self.weaver();
        let head = feed.head()?;
        if position(&weaver)? == head && expired(&weaver, now)?.is_empty() {
            return Ok((0, head));
        }
        let transaction = weaver.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if position(&transaction)? > head {
            forget_all(&transaction)?;
        }
        let mut states = feed.states_since(position(&transaction)?, batch)?;
        for state in &mut states {
            state.memory = state
                .memory
                .take()
                .filter(|memory| memory.expires_at.is_none_or(|end| end > now));
        }
        let reached = states.last().map_or(head, |last| last.seq);
        states.extend(expired(&transaction, now)?);
        take(&transaction, feed, self.readings.as_deref(), &states)?;
        transaction.execute("UPDATE position SET seq = ?1", [reached.0 as i64])?;
        transaction.commit()?;
        Ok((states.len() as u64, reached))
    }
}

/// Forgets everything: the log is another one than was followed.
fn forget_all(connection: &Connection) -> Result<(), GraphError> {
    for table in [
        "mentions",
        "entities",
        "aliases",
        "canonical",
        "distinctions",
        "statements",
        "denials",
        "resolutions",
        "claims",
        "claim_keys",
        "conflicts",
        "memories",
        "names",
    ] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection.execute("UPDATE position SET seq = 0, by_model = 0", [])?;
    Ok(())
}

/// The rows that have expired since they were read, as forgotten ones.
fn expired(connection: &Connection, now: Timestamp) -> Result<Vec<MemoryState>, GraphError> {
    let mut statement = connection
        .prepare_cached("SELECT row, id FROM memories WHERE expires_at <= ?1 ORDER BY row")?;
    let rows = statement.query_map([now.as_microsecond()], |row| {
        Ok(MemoryState {
            seq: Seq(0),
            row: Row(row.get(0)?),
            id: MemoryId::from_bytes(row.get(1)?),
            memory: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn position(connection: &Connection) -> Result<Seq, GraphError> {
    let seq: i64 = connection
        .prepare_cached("SELECT seq FROM position")?
        .query_row([], |row| row.get(0))?;
    Ok(Seq(seq as u64))
}

/// What a batch changes, to be reckoned anew at its end.
#[derive(Default)]
pub(super) struct Touched {
    pub(super) names: BTreeSet<Name>,
    pub(super) rows: BTreeSet<i64>,
    /// Threads in which a place was taken or left: what comes soon after it may now echo other names.
    pub(super) places: BTreeSet<(String, i64)>,
    /// Where a claim that others may contradict came or went: its key and row.
    pub(super) keys: BTreeSet<(i64, i64)>,
    aliases: bool,
}

fn take(
    transaction: &Transaction<'_>,
    feed: &dyn MemoryFeed,
    readings: Option<&Readings>,
    states: &[MemoryState],
) -> Result<(), GraphError> {
    let mut touched = Touched::default();
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
    entities::reckon(transaction, &touched.names)
}

/// As much of a text as is read.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Reads these rows again, where the graph knows them in the state that a model has read.
fn take_again(
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
    let reached = position(transaction)?;
    // What the log says of others is still to come, and is read then.
    let states: Vec<MemoryState> = feed
        .memories(&ids)?
        .into_iter()
        .filter(|memory| memory.seq <= reached)
        .map(|memory| MemoryState {
            seq: memory.seq,
            row: memory.row,
            id: memory.id,
            memory: Some(memory),
        })
        .collect();
    take(transaction, feed, Some(readings), &states)
}

/// Takes everything back that a row said.
fn take_back(connection: &Connection, row: Row, touched: &mut Touched) -> Result<(), GraphError> {
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
    touched: &mut Touched,
) -> Result<(), GraphError> {
    let author = memory.author.as_deref().unwrap_or_default();
    let author_name = match author {
        "" => None,
        author => naming::number(connection, author)?,
    };
    let number = i64::from(row.0);
    connection
        .prepare_cached("INSERT INTO memories VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
        .execute(params![
            number,
            memory.id.as_bytes().as_slice(),
            memory.kind().number(),
            memory.thread,
            memory.position,
            author_name,
            memory.author,
            memory.occurred_at.as_microsecond(),
            memory.created_at.as_microsecond(),
            memory.expires_at.map(Timestamp::as_microsecond),
        ])?;
    touched.rows.insert(number);
    if let (Some(thread), Some(position)) = (&memory.thread, memory.position) {
        touched.places.insert((thread.clone(), i64::from(position)));
    }
    let teller = Teller {
        connection,
        readings,
        row: number,
        at: memory.occurred_at.as_microsecond(),
        touched,
    };
    if let Some(told) = memory.metadata.get(Assertion::KEY) {
        return match serde_json::from_value::<Assertion>(told.clone()) {
            Ok(assertion) if assertion.check().is_ok() => teller.told(&assertion),
            // Somebody else's metadata under the same key: then it is a memory like any other.
            _ => teller.read(memory, author),
        };
    }
    match memory.kind() {
        // A digest says nothing that its sources don't.
        Kind::Summary => Ok(()),
        _ => teller.read(memory, author),
    }
}

/// Notes what one row says.
struct Teller<'batch> {
    connection: &'batch Connection,
    readings: Option<&'batch Readings>,
    row: i64,
    at: i64,
    touched: &'batch mut Touched,
}

impl Teller<'_> {
    fn read(mut self, memory: &Memory, author: &str) -> Result<(), GraphError> {
        let role = match &memory.body {
            Body::Message { role } => *role,
            _ => None,
        };
        let utterance = Utterance {
            text: beginning(&memory.content),
            author,
            role,
            at: memory.occurred_at,
        };
        let listed = contradictions::take_in(self.connection, self.row, &utterance)?;
        let row = self.row;
        self.touched
            .keys
            .extend(listed.into_iter().map(|key| (key, row)));
        let by_model = match self.readings {
            Some(readings) => readings.of(memory.row, memory.seq)?,
            None => None,
        };
        let reading = by_model.unwrap_or_else(|| read(&utterance));
        for mention in &reading.mentions {
            let weight = hundredths(mention.confidence);
            self.mention(mention, weight, Way::Read)?;
        }
        for (ordinal, statement) in reading.statements.iter().enumerate() {
            self.statement(ordinal as i64, statement)?;
        }
        Ok(())
    }

    fn name(&mut self, name: &str) -> Result<Option<Name>, GraphError> {
        let number = naming::number(self.connection, name)?;
        self.touched.names.extend(number);
        Ok(number)
    }

    fn mention(&mut self, mention: &Mention, weight: i64, way: Way) -> Result<(), GraphError> {
        let Some(name) = self.name(&mention.name)? else {
            return Ok(());
        };
        mention_in(
            self.connection,
            self.row,
            self.at,
            name,
            mention,
            weight,
            way,
        )
    }

    fn statement(&mut self, ordinal: i64, statement: &Statement) -> Result<(), GraphError> {
        let Term::Entity(subject, subject_type) = &statement.subject else {
            return Ok(());
        };
        let Some(subject_name) = self.named(subject, *subject_type)? else {
            return Ok(());
        };
        let (object, value) = match &statement.object {
            Term::Entity(object, object_type) => (self.named(object, *object_type)?, None),
            Term::Value(value) => (None, Some(value.trim())),
        };
        if object.is_none() && value.is_none_or(str::is_empty) {
            return Ok(());
        }
        if statement.relation == "alias_of" {
            if let Some(object) =
                object.filter(|object| *object != subject_name && !statement.negated)
            {
                self.alias(subject_name, object, subject, false)?;
            }
            return Ok(());
        }
        self.insert(
            ordinal,
            &Line {
                subject: subject_name,
                relation: statement.relation,
                object,
                value,
                frame: frame_of(statement.relation),
                negated: statement.negated,
                valid_from: statement.valid_from,
                valid_to: statement.valid_to,
                confidence: hundredths(statement.confidence),
                span: (statement.span.start, statement.span.len()),
                told: false,
            },
        )
    }

    /// The number of an end of a statement; the author, say, is named by it alone.
    fn named(&mut self, name: &str, entity_type: EntityType) -> Result<Option<Name>, GraphError> {
        let Some(number) = self.name(name)? else {
            return Ok(None);
        };
        let mention = Mention {
            span: 0..0,
            name: name.to_owned(),
            entity_type,
            confidence: 0.5,
        };
        mention_in(
            self.connection,
            self.row,
            self.at,
            number,
            &mention,
            50,
            Way::Read,
        )?;
        Ok(Some(number))
    }

    fn told(mut self, assertion: &Assertion) -> Result<(), GraphError> {
        match assertion {
            Assertion::Entity {
                name,
                entity_type,
                aliases,
            } => {
                let Some(kept) = self.certain(name, Some(*entity_type))? else {
                    return Ok(());
                };
                for spelling in aliases {
                    if let Some(alias) = self.name(spelling)?
                        && alias != kept
                    {
                        self.alias(alias, kept, spelling, true)?;
                    }
                }
                Ok(())
            }
            Assertion::Relation {
                subject,
                relation,
                object,
                valid_from,
                valid_to,
            } => {
                let (Some(subject), Some(object)) =
                    (self.certain(subject, None)?, self.certain(object, None)?)
                else {
                    return Ok(());
                };
                self.insert(
                    0,
                    &Line {
                        object: Some(object),
                        valid_from: *valid_from,
                        valid_to: *valid_to,
                        ..Line::told(subject, relation, frame_of(relation))
                    },
                )
            }
            Assertion::Property {
                entity,
                frame,
                property,
                value,
            } => {
                let Some(subject) = self.certain(entity, None)? else {
                    return Ok(());
                };
                let value = Some(value.as_str());
                self.insert(
                    0,
                    &Line {
                        value,
                        ..Line::told(subject, property, *frame)
                    },
                )
            }
            Assertion::Denial {
                subject,
                relation,
                object,
            } => {
                let Some(subject) = self.name(subject)? else {
                    return Ok(());
                };
                let object = object.as_deref().map(normalised);
                self.connection
                    .prepare_cached("INSERT INTO denials VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![self.row, subject, relation, object])?;
                Ok(())
            }
            Assertion::Distinct { one, other } => {
                let (Some(one), Some(other)) = (self.name(one)?, self.name(other)?) else {
                    return Ok(());
                };
                self.touched.aliases = true;
                self.connection
                    .prepare_cached("INSERT INTO distinctions VALUES (?1, ?2, ?3)")?
                    .execute([self.row, one, other])?;
                Ok(())
            }
            Assertion::Resolution {
                contradiction,
                kept,
                lost,
            } => {
                self.connection
                    .prepare_cached("INSERT INTO resolutions VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![
                        self.row,
                        contradiction,
                        kept.as_bytes().as_slice(),
                        lost.as_bytes().as_slice()
                    ])?;
                Ok(())
            }
        }
    }

    /// The number of a name that someone told. Where the type was not told too, it is only little evidence of one.
    fn certain(
        &mut self,
        name: &str,
        entity_type: Option<EntityType>,
    ) -> Result<Option<Name>, GraphError> {
        let Some(number) = self.name(name)? else {
            return Ok(None);
        };
        let mention = Mention {
            span: 0..0,
            name: name.trim().to_owned(),
            entity_type: entity_type.unwrap_or(EntityType::Concept),
            confidence: 1.0,
        };
        let weight = entity_type.map_or(1, |_| CERTAIN);
        mention_in(
            self.connection,
            self.row,
            self.at,
            number,
            &mention,
            weight,
            Way::Told,
        )?;
        Ok(Some(number))
    }

    fn alias(
        &mut self,
        alias: Name,
        name: Name,
        spelling: &str,
        told: bool,
    ) -> Result<(), GraphError> {
        self.touched.aliases = true;
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO aliases VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![self.row, alias, name, told, spelling.trim()])?;
        Ok(())
    }

    fn insert(&self, ordinal: i64, line: &Line<'_>) -> Result<(), GraphError> {
        self.connection
            .prepare_cached(
                "INSERT INTO statements VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                self.row,
                ordinal,
                line.subject,
                line.relation,
                line.object,
                line.value,
                line.frame.number(),
                line.negated,
                line.valid_from.map(Timestamp::as_microsecond),
                line.valid_to.map(Timestamp::as_microsecond),
                line.confidence,
                line.span.0 as i64,
                line.span.1 as i64,
                line.told,
            ])?;
        Ok(())
    }
}

/// A statement as it is stored.
struct Line<'text> {
    subject: Name,
    relation: &'text str,
    object: Option<Name>,
    value: Option<&'text str>,
    frame: Perspective,
    negated: bool,
    valid_from: Option<Timestamp>,
    valid_to: Option<Timestamp>,
    confidence: i64,
    span: (usize, usize),
    told: bool,
}

impl<'text> Line<'text> {
    fn told(subject: Name, relation: &'text str, frame: Perspective) -> Self {
        Self {
            subject,
            relation,
            object: None,
            value: None,
            frame,
            negated: false,
            valid_from: None,
            valid_to: None,
            confidence: CERTAIN,
            span: (0, 0),
            told: true,
        }
    }
}

/// The frame to which a relation belongs by what it says.
fn frame_of(relation: &str) -> Perspective {
    match relation {
        "happened_on" | "scheduled_for" | "visited" | "attended" | "moved_to" | "decided"
        | "plans" => Perspective::Episodic,
        "fixed_by" | "caused_by" => Perspective::Procedural,
        _ => Perspective::Semantic,
    }
}

fn hundredths(confidence: f32) -> i64 {
    (confidence.clamp(0.01, 1.0) * 100.0).round() as i64
}

/// Notes that a row names something; of two mentions of one name the surer one counts.
pub(super) fn mention_in(
    connection: &Connection,
    row: i64,
    at: i64,
    name: Name,
    mention: &Mention,
    weight: i64,
    way: Way,
) -> Result<(), GraphError> {
    connection
        .prepare_cached(
            "INSERT INTO mentions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET \
             type = excluded.type, weight = excluded.weight, spelling = excluded.spelling, way = excluded.way \
             WHERE excluded.weight > mentions.weight",
        )?
        .execute(params![
            name,
            row,
            mention.entity_type.number(),
            weight,
            mention.name,
            at,
            way as i64
        ])?;
    Ok(())
}
