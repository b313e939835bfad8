//! Queries the log: its events, and its end as of a time.

use anamne_types::{Actor, ActorKind, Event, EventKind, InvalidValue, Limits, MemoryId, Row, Seq};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::clock::{from_microseconds, to_microseconds};
use crate::journal::{Digest, Line};
use crate::restore::{EVENTS, bare_line_of};
use crate::{Result, StoreError};

/// A query for events. An empty field matches everything.
#[derive(Clone, Debug)]
pub struct LogQuery {
    /// After this event of the log.
    pub after: Option<Seq>,
    /// Written at or after this time.
    pub since: Option<Timestamp>,
    /// Written before this time.
    pub until: Option<Timestamp>,
    /// By actors of these kinds.
    pub actor_kinds: Vec<ActorKind>,
    /// By actors with these names.
    pub actor_names: Vec<String>,
    /// Of these kinds.
    pub kinds: Vec<EventKind>,
    /// About this memory.
    pub memory: Option<MemoryId>,
    /// Oldest first instead of newest first.
    pub oldest_first: bool,
    /// Maximum number of events, 1 to [`Limits::RESULTS`].
    pub limit: usize,
    /// Number of events to skip.
    pub offset: usize,
}

impl Default for LogQuery {
    fn default() -> Self {
        Self {
            after: None,
            since: None,
            until: None,
            actor_kinds: Vec::new(),
            actor_names: Vec::new(),
            kinds: Vec::new(),
            memory: None,
            oldest_first: false,
            limit: 20,
            offset: 0,
        }
    }
}

impl LogQuery {
    /// Checks the bounds.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && until <= since
        {
            let accepts = format!("after since, which is {since}");
            return Err(InvalidValue::new("until", accepts, until));
        }
        Limits::check_offset(self.offset)?;
        Limits::check_results(self.limit)
    }
}

/// One event with the row of its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LogEntry {
    /// The event.
    #[serde(flatten)]
    pub event: Event,
    /// The memory's row.
    pub row: Row,
}

/// The matching events in the requested order, each verified by the chain. O(events up to the last match).
pub(crate) fn events(connection: &Connection, query: &LogQuery) -> Result<Vec<LogEntry>> {
    let (mut conditions, mut values) = (vec!["1".to_owned()], Vec::<Value>::new());
    let mut require = |condition: &str, value: Value| {
        conditions.push(condition.to_owned());
        values.push(value);
    };
    if let Some(after) = query.after {
        require(
            "events.seq > ?",
            i64::try_from(after.0).unwrap_or(i64::MAX).into(),
        );
    }
    if let Some(since) = query.since {
        require("events.at >= ?", to_microseconds(since).into());
    }
    if let Some(until) = query.until {
        require("events.at < ?", to_microseconds(until).into());
    }
    if let Some(id) = query.memory {
        require("memories.id = ?", id.as_bytes().to_vec().into());
    }
    let numbers = |numbers: Vec<u8>| numbers.into_iter().map(|number| i64::from(number).into());
    let actor_kinds = query.actor_kinds.iter().map(|kind| kind.number()).collect();
    let kinds = query.kinds.iter().map(|kind| kind.number()).collect();
    let names = query.actor_names.iter().map(|name| name.clone().into());
    for (column, wanted) in [
        (
            "events.actor_kind",
            numbers(actor_kinds).collect::<Vec<Value>>(),
        ),
        ("events.actor_name", names.collect()),
        ("events.kind", numbers(kinds).collect()),
    ] {
        if !wanted.is_empty() {
            let places = vec!["?"; wanted.len()].join(", ");
            conditions.push(format!("{column} IN ({places})"));
            values.extend(wanted);
        }
    }
    let bounded = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    values.extend([bounded(query.limit), bounded(query.offset)]);
    let sql = format!(
        "{EVENTS} WHERE {} ORDER BY events.seq {} LIMIT ? OFFSET ?",
        conditions.join(" AND "),
        if query.oldest_first { "ASC" } else { "DESC" }
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let entries = statement.query_map(params_from_iter(values), |row| {
        Ok((Row(row.get(8)?), bare_line_of(row)?))
    })?;
    let verified = |entry: rusqlite::Result<(Row, Line)>| {
        let (row, line) = entry?;
        let previous = hash_at(connection, Seq(line.seq.0.saturating_sub(1)))?;
        if previous.map(|previous| line.expected_hash(previous)) == Some(line.hash) {
            let event = line.event();
            Ok(LogEntry { event, row })
        } else {
            let (id, seq) = (line.memory, line.seq);
            Err(StoreError::Unverified { id, seq })
        }
    };
    entries.map(verified).collect()
}

/// Reads sequence number, time, actor, kind and memory from the first six columns.
pub(crate) fn read_event(row: &rusqlite::Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        seq: Seq(row.get::<_, i64>(0)? as u64),
        at: from_microseconds(row.get(1)?),
        actor: Actor {
            kind: ActorKind::from_number(row.get(2)?).unwrap_or(ActorKind::System),
            name: row.get(3)?,
        },
        kind: EventKind::from_number(row.get(4)?).unwrap_or(EventKind::Edited),
        memory: MemoryId::from_bytes(row.get(5)?),
    })
}

/// The last event of the log as of a time.
///
/// The order of the log counts, not the clock's. If the clock was always right, it is the event before the first later
/// one. Otherwise it is the one after which the fewest events are out of place: later ones up to it, earlier ones after
/// it; of equals the first. So a clock that was ahead for a while does not hide what was written since. O(events).
pub(crate) fn seq_at(connection: &Connection, at: Timestamp) -> Result<Seq> {
    let at = to_microseconds(at);
    let later: Option<i64> = connection
        .prepare_cached("SELECT seq FROM events WHERE at > ?1 ORDER BY seq LIMIT 1")?
        .query_row([at], |row| row.get(0))
        .optional()?;
    let Some(first_later) = later else {
        return super::feed::head(connection);
    };
    let mut statement = connection
        .prepare_cached("SELECT seq, at > ?1 FROM events WHERE seq >= ?2 ORDER BY seq")?;
    let mut events = statement.query([at, first_later])?;
    let (mut last, mut out_of_place, mut fewest) = (first_later - 1, 0_i64, 0_i64);
    while let Some(event) = events.next()? {
        out_of_place += if event.get(1)? { 1 } else { -1 };
        if out_of_place < fewest {
            fewest = out_of_place;
            last = event.get(0)?;
        }
    }
    Ok(Seq(last as u64))
}

/// The chain's hash after an event, if the log contains it.
pub(crate) fn hash_at(connection: &Connection, seq: Seq) -> Result<Option<Digest>> {
    if seq == Seq(0) {
        return Ok(Some(Digest::default()));
    }
    Ok(connection
        .prepare_cached("SELECT hash FROM events WHERE seq = ?1")?
        .query_row([seq.0 as i64], |row| Ok(Digest(row.get(0)?)))
        .optional()?)
}

/// Whether something was erased after an event.
pub(crate) fn erased_after(connection: &Connection, seq: Seq) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM events WHERE seq > ?1 AND kind = ?2)")?
        .query_row(
            [seq.0 as i64, i64::from(EventKind::Erased.number())],
            |row| row.get(0),
        )?)
}
