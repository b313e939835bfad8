//! Reads single memories and small sets of them.

use std::sync::LazyLock;

use anamne_types::{MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::Tables;
use super::record::{COLUMNS, Payload, Stored};
use crate::journal::Digest;
use crate::{Result, StoreError};

/// The memory with this id, forgotten or not; `None` if there is none.
pub(crate) fn by_id(tables: Tables<'_>, id: MemoryId) -> Result<Option<Stored>> {
    one(tables, &BY_ID, id.as_bytes().as_slice())
}

/// The memory of this row.
pub(crate) fn by_row(tables: Tables<'_>, row: Row) -> Result<Option<Stored>> {
    one(tables, &BY_ROW, row.0)
}

/// The memory of this row, without thread, session, author and tags.
pub(crate) fn by_row_without_names(connection: &Connection, row: Row) -> Result<Option<Stored>> {
    let mut statement = connection.prepare_cached(&BY_ROW)?;
    Ok(statement.query_row([row.0], Stored::read).optional()?)
}

/// The memory with this id, verified by [`verified`]; scans all memories if it is missing.
pub(crate) fn verified_by_id(tables: Tables<'_>, id: MemoryId) -> Result<Option<Stored>> {
    match by_id(tables, id)? {
        Some(stored) => verified(stored).map(Some),
        None => verify_absence(&tables, id, id).map(|()| None),
    }
}

/// Verifies that no memory has an id from `low` to `high`, without the index of ids, which may have lost one.
/// O(memories), about 20 ms for 100 000 of them.
///
/// [`StoreError::Unverified`] if there is one.
pub(crate) fn verify_absence(connection: &Connection, low: MemoryId, high: MemoryId) -> Result<()> {
    let hidden = connection
        .prepare_cached(
            "SELECT id, seq FROM memories NOT INDEXED WHERE id BETWEEN ?1 AND ?2 AND NOT erased LIMIT 1",
        )?
        .query_row(
            [low.as_bytes().as_slice(), high.as_bytes().as_slice()],
            |row| Ok((MemoryId::from_bytes(row.get(0)?), Seq(row.get::<_, i64>(1)? as u64))),
        )
        .optional()?;
    hidden.map_or(Ok(()), |(id, seq)| Err(StoreError::Unverified { id, seq }))
}

/// The memory of this row, verified by [`verified`].
pub(crate) fn verified_by_row(tables: Tables<'_>, row: Row) -> Result<Option<Stored>> {
    let stored = by_row(tables, row)?;
    stored.map(verified).transpose()
}

/// Verifies a memory against its event's digest: SQLite does not detect flipped bits inside a value. Costs a hash of the state.
///
/// [`StoreError::Unverified`] if it differs. An examination then finds the same.
pub(crate) fn verified(stored: Stored) -> Result<Stored> {
    let seq = stored.memory.seq;
    let is_verified = if stored.erased {
        // Every live memory has a salt.
        stored.salt == 0 && stored.memory.content.is_empty()
    } else {
        let said = Payload::of_memory(stored.salt, &stored.memory);
        stored.event_digest == Some(digest_of(&said)?)
    };
    if is_verified {
        Ok(stored)
    } else {
        let id = stored.memory.id;
        Err(StoreError::Unverified { id, seq })
    }
}

/// The event that wrote the memory of this row.
pub(crate) fn first_event(connection: &Connection, row: Row) -> Result<Seq> {
    let first: i64 = connection
        .prepare_cached("SELECT min(seq) FROM events WHERE row = ?1")?
        .query_row([row.0], |row| row.get(0))?;
    Ok(Seq(first as u64))
}

/// The digest in the event `seq` for the memory of a row; `None` if there is no such event.
pub(crate) fn event_digest(connection: &Connection, seq: Seq, row: Row) -> Result<Option<Digest>> {
    Ok(connection
        .prepare_cached("SELECT payload_hash FROM events WHERE seq = ?1 AND row = ?2")?
        .query_row(params![seq.0 as i64, row.0], |row| Ok(Digest(row.get(0)?)))
        .optional()?)
}

/// The digest of a payload, as stored in its event.
pub(crate) fn digest_of(payload: &Payload<'_>) -> Result<Digest> {
    Ok(Digest::of(serde_json::to_string(payload)?.as_bytes()))
}

static BY_ROW: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {COLUMNS} FROM memories WHERE row = ?1"));

static BY_ID: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {COLUMNS} FROM memories WHERE id = ?1"));

fn one(tables: Tables<'_>, sql: &str, value: impl rusqlite::ToSql) -> Result<Option<Stored>> {
    let mut statement = tables.prepare_cached(sql)?;
    let stored = statement.query_row([value], Stored::read).optional()?;
    stored.map(|stored| stored.complete(tables)).transpose()
}

/// At most two ids that begin with these hexadecimal digits: enough to detect ambiguity.
pub(crate) fn ids_with_prefix(
    connection: &Connection,
    low: MemoryId,
    high: MemoryId,
) -> Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE id BETWEEN ?1 AND ?2 AND NOT erased LIMIT 2",
    )?;
    let bounds = [low.as_bytes().as_slice(), high.as_bytes().as_slice()];
    let ids = statement.query_map(bounds, |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    let ids: Vec<_> = ids.collect::<Result<_, _>>()?;
    if ids.is_empty() {
        verify_absence(connection, low, high)?;
    }
    Ok(ids)
}

/// The live rows just before and after `row` in its thread.
pub(crate) fn thread_neighbours(connection: &Connection, row: Row) -> Result<[Option<Row>; 2]> {
    let side = |comparison: &str, order: &str| -> Result<Option<Row>> {
        let sql = format!(
            "SELECT other.row FROM memories AS other, memories AS self
             WHERE self.row = ?1 AND other.thread = self.thread AND other.deleted_at IS NULL
               AND (other.position, other.row) {comparison} (self.position, self.row)
             ORDER BY other.position {order}, other.row {order} LIMIT 1"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        Ok(statement
            .query_row([row.0], |found| Ok(Row(found.get(0)?)))
            .optional()?)
    };
    Ok([side("<", "DESC")?, side(">", "ASC")?])
}
