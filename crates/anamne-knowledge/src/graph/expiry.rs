//! Expired memories: excluded from the graph but recorded, because the clock may have been wrong.

use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{MemoryId, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::GraphError;

/// Maximum number of memories restored per transaction.
const AT_ONCE: usize = 200;

/// Whether memories in the graph have expired by `now`, or memories recorded as expired have not.
pub(super) fn is_due(connection: &Connection, now: Timestamp) -> Result<bool, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM memories WHERE expires_at <= ?1 UNION ALL SELECT 1 FROM expired WHERE expires_at > ?1",
    )?;
    Ok(statement.exists([now.as_microsecond()])?)
}

/// Removes memories that have expired by `now` from the given states, and records them as expired.
pub(super) fn set_aside(
    connection: &Connection,
    states: &mut [MemoryState],
    now: Timestamp,
) -> Result<(), GraphError> {
    for state in states {
        connection
            .prepare_cached("DELETE FROM expired WHERE row = ?1")?
            .execute([state.row.0])?;
        let end = state.memory.as_ref().and_then(|memory| memory.expires_at);
        if let Some(end) = end.filter(|end| *end <= now) {
            state.memory = None;
            connection
                .prepare_cached("INSERT INTO expired VALUES (?1, ?2, ?3)")?
                .execute(params![
                    state.row.0,
                    state.id.as_bytes().as_slice(),
                    end.as_microsecond()
                ])?;
        }
    }
    Ok(())
}

/// Memories in the graph that have expired by `now`, as forgotten ones; records them as expired.
pub(super) fn expired(
    connection: &Connection,
    now: Timestamp,
) -> Result<Vec<MemoryState>, GraphError> {
    let now = now.as_microsecond();
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO expired SELECT row, id, expires_at FROM memories WHERE expires_at <= ?1",
        )?
        .execute([now])?;
    let mut statement = connection
        .prepare_cached("SELECT row, id FROM memories WHERE expires_at <= ?1 ORDER BY row")?;
    let rows = statement.query_map([now], |row| {
        Ok(MemoryState {
            seq: Seq(0),
            row: Row(row.get(0)?),
            id: MemoryId::from_bytes(row.get(1)?),
            memory: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Memories recorded as expired by a clock ahead of `now`, without those that changed after the event `reached`: their
/// changes are still to be followed.
pub(super) fn no_longer_expired(
    connection: &Connection,
    feed: &dyn MemoryFeed,
    reached: Seq,
    now: Timestamp,
) -> Result<Vec<MemoryState>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT row, id FROM expired WHERE expires_at > ?1 ORDER BY row LIMIT ?2",
    )?;
    let found = statement.query_map(params![now.as_microsecond(), AT_ONCE as i64], |row| {
        Ok((row.get::<_, u32>(0)?, MemoryId::from_bytes(row.get(1)?)))
    })?;
    let found: Vec<(u32, MemoryId)> = found.collect::<Result<_, _>>()?;
    for (row, _) in &found {
        connection
            .prepare_cached("DELETE FROM expired WHERE row = ?1")?
            .execute([row])?;
    }
    let ids: Vec<_> = found.into_iter().map(|(_, id)| id).collect();
    states_of(feed, &ids, reached)
}

/// The states of these memories, without those that changed after `reached`: their changes are still to be followed.
pub(super) fn states_of(
    feed: &dyn MemoryFeed,
    ids: &[MemoryId],
    reached: Seq,
) -> Result<Vec<MemoryState>, GraphError> {
    let memories = feed.memories(ids)?.into_iter();
    Ok(memories
        .filter(|memory| memory.seq <= reached)
        .map(|memory| MemoryState {
            seq: memory.seq,
            row: memory.row,
            id: memory.id,
            memory: Some(memory),
        })
        .collect())
}
