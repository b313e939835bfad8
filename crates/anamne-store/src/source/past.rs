//! The former states of memories that have changed since a time.

use std::borrow::Cow;

use anamne_types::{
    Body, Category, EventKind, Judgement, Kind, Memory, MemoryId, Role, Row, Seq,
    is_marked_private, is_private_tag,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::history::MissingState;
use super::packed::Packed;
use super::read::{self, event_digest};
use super::record::{Payload, Stored};
use super::{Names, log};
use crate::clock::to_microseconds;
use crate::journal::Digest;
use crate::view::{Attributes, Record};
use crate::{Result, StoreError};

/// The difference between a space now and as of a time.
#[derive(Clone, Debug, Default)]
pub struct PastStates {
    /// The last event of the log as of that time.
    pub through: Seq,
    /// The first row written later; `None` if there is none.
    pub later: Option<Row>,
    /// The memories that existed then and have changed since, by ascending row.
    pub changed: Vec<PastState>,
}

/// A memory that has changed since a time.
#[derive(Clone, Debug)]
pub struct PastState {
    /// Its row.
    pub row: Row,
    /// The memory as of then, with its indexed data; `None` if it was forgotten then, or its content has been erased.
    pub then: Option<(Memory, Record)>,
}

/// The former states of the memories that changed after `at`; `None` if more than `most` did.
///
/// Links and moves to another tier don't count as changes. O(events up to `at`, events since, changed memories).
pub(crate) fn states(
    connection: &Connection,
    at: Timestamp,
    most: usize,
    missing: MissingState,
) -> Result<Option<PastStates>> {
    // A consistent snapshot for all reads.
    let reader = connection.unchecked_transaction()?;
    let through = log::seq_at(&reader, at)?;
    let later = first_written_after(&reader, through)?;
    let rows = changed_since(&reader, through, later, most)?;
    if rows.len() > most {
        return Ok(None);
    }
    let state = |row| -> Result<PastState> {
        let then = state_at(&reader, row, through, missing)?;
        let is_searched =
            |memory: &Memory| memory.deleted_at.is_none() && memory.kind() != Kind::Experience;
        let live = then.filter(is_searched);
        let then = live.map(|memory| record_of(&reader, memory)).transpose()?;
        Ok(PastState { row, then })
    };
    let changed = rows.into_iter().map(state).collect::<Result<_, _>>()?;
    Ok(Some(PastStates {
        through,
        later,
        changed,
    }))
}

/// The first row written after an event: rows are numbered in writing order.
fn first_written_after(connection: &Connection, seq: Seq) -> Result<Option<Row>> {
    let sql = "SELECT row FROM events WHERE seq > ?1 AND kind = ?2 ORDER BY seq LIMIT 1";
    let stored = EventKind::Remembered.number();
    Ok(connection
        .prepare_cached(sql)?
        .query_row(params![seq.0 as i64, stored], |row| Ok(Row(row.get(0)?)))
        .optional()?)
}

/// The rows before `later` that changed after an event, ascending; at most `most` + 1.
fn changed_since(
    connection: &Connection,
    seq: Seq,
    later: Option<Row>,
    most: usize,
) -> Result<Vec<Row>> {
    // The unary plus makes SQLite use the index of `seq` instead of scanning all rows.
    let sql = "SELECT row FROM memories WHERE seq > ?1 AND +row < ?2 ORDER BY seq LIMIT ?3";
    let before = later.map_or(i64::MAX, |row| i64::from(row.0));
    let most = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![seq.0 as i64, before, most], |row| {
        Ok(Row(row.get(0)?))
    })?;
    let mut rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
    rows.sort_unstable();
    Ok(rows)
}

/// The state after the event `through` of a memory that has changed since, verified against its event.
fn state_at(
    connection: &Connection,
    row: Row,
    through: Seq,
    missing: MissingState,
) -> Result<Option<Memory>> {
    let sql = "SELECT seq, state FROM versions WHERE row = ?1 AND seq <= ?2 ORDER BY version DESC LIMIT 1";
    let kept: Option<(i64, Packed<'static>)> = connection
        .prepare_cached(sql)?
        .query_row(params![row.0, through.0 as i64], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((seq, Packed(text))) = kept else {
        return match (missing, present(connection, row)?) {
            (MissingState::Damage, Some((id, seq))) => Err(StoreError::Unverified { id, seq }),
            _ => Ok(None),
        };
    };
    let seq = Seq(seq as u64);
    let payload: Payload<'static> = serde_json::from_str(&text)?;
    let memory = payload.memory.map(Cow::into_owned);
    let memory = match memory {
        // Earlier texts stay with the home; the present one is what this space may read.
        Some(memory) if memory.is_member() => with_present_text(connection, row, memory)?,
        memory => memory,
    };
    if event_digest(connection, seq, row)? == Some(Digest::of(text.as_bytes())) {
        return Ok(memory.map(|memory| Memory { row, ..memory }));
    }
    match (missing, memory) {
        (MissingState::Damage, Some(memory)) => Err(StoreError::Unverified { id: memory.id, seq }),
        _ => Ok(None),
    }
}

/// A member with the text that its home has now; `None` if the home doesn't have it.
fn with_present_text(connection: &Connection, row: Row, memory: Memory) -> Result<Option<Memory>> {
    let present = read::by_row_without_names(connection, row)?;
    Ok(present.filter(Stored::is_there).map(|present| Memory {
        content: present.memory.content,
        body: present.memory.body,
        ..memory
    }))
}

/// The memory of a row, unless erased, and the event of its current state.
fn present(connection: &Connection, row: Row) -> Result<Option<(MemoryId, Seq)>> {
    let sql = "SELECT id, seq FROM memories WHERE row = ?1 AND NOT erased";
    Ok(connection
        .prepare_cached(sql)?
        .query_row([row.0], |row| {
            let seq = Seq(row.get::<_, i64>(1)? as u64);
            Ok((MemoryId::from_bytes(row.get(0)?), seq))
        })
        .optional()?)
}

/// A memory with its indexed data.
fn record_of(connection: &Connection, memory: Memory) -> Result<(Memory, Record)> {
    let number = |name: &Option<String>| -> Result<u32> {
        let found = name.as_deref().map(|name| Names::find(connection, name));
        Ok(found.transpose()?.flatten().unwrap_or(0))
    };
    let mut text = memory.content.clone();
    memory.body.append_searchable(&mut text);
    let role = match &memory.body {
        Body::Message { role } => role.map_or(0, Role::number),
        _ => 0,
    };
    let category = memory.body.category();
    let attributes = Attributes {
        occurred_at: to_microseconds(memory.occurred_at),
        expires_at: memory.expires_at.map_or(i64::MAX, to_microseconds),
        thread: number(&memory.thread)?,
        position: memory.position.unwrap_or(0),
        author: number(&memory.author)?,
        session: number(&memory.session)?,
        kind: memory.kind().number(),
        category: category.map_or(0, Category::number),
        role,
        importance: memory.importance,
        trust: (memory.trust * 255.0).round() as u8,
        superseded: memory.superseded_by.is_some(),
        feedback: (Judgement::of(&memory.metadata).quality() * 100.0).round() as i8,
    };
    let record = Record {
        text,
        author_name: memory.author.clone().unwrap_or_default(),
        attributes,
        is_private: memory.tags.iter().any(|tag| is_private_tag(tag))
            || is_marked_private(&memory.metadata),
    };
    Ok((memory, record))
}

/// The memories that supersede these rows, if any.
pub(crate) fn successors(connection: &Connection, rows: &[Row]) -> Result<Vec<Option<MemoryId>>> {
    let reader = connection.unchecked_transaction()?;
    let mut statement =
        reader.prepare_cached("SELECT superseded_by FROM memories WHERE row = ?1")?;
    let successor = |row: &Row| {
        let id: Option<Option<[u8; 16]>> = statement
            .query_row([row.0], |found| found.get(0))
            .optional()?;
        Ok(id.flatten().map(MemoryId::from_bytes))
    };
    rows.iter().map(successor).collect()
}

/// Row and time of occurrence by id; `None` if erased or unknown.
pub(crate) fn occurrences(
    connection: &Connection,
    ids: &[MemoryId],
) -> Result<Vec<Option<(Row, i64)>>> {
    let reader = connection.unchecked_transaction()?;
    let mut statement = reader
        .prepare_cached("SELECT row, occurred_at FROM memories WHERE id = ?1 AND NOT erased")?;
    let occurrence = |id: &MemoryId| {
        Ok(statement
            .query_row([id.as_bytes().as_slice()], |row| {
                Ok((Row(row.get(0)?), row.get(1)?))
            })
            .optional()?)
    };
    ids.iter().map(occurrence).collect()
}
