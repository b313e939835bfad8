//! Reads results from their rows.

use anamne_types::MemoryId;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Row};

use super::request::{RequestKind, ToolRequest};
use super::result::{FetchStatus, ToolResult, Trigger};

/// The columns that [`read_result`] reads.
pub(super) const RESULT_COLUMNS: &str =
    "results.number, kind, tool, results.request, parameters, status, moved_to,
    results.content, fetched_at, fresh_until, took_ms, cost, trigger_memory, trigger_query, hits";

/// The result in a row with [`RESULT_COLUMNS`].
pub(super) fn read_result(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<ToolResult> {
    let number: i64 = row.get(0)?;
    let name = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let kind = RequestKind::from_name(name(1)?).ok_or_else(|| unknown(1))?;
    let status = FetchStatus::from_name(name(5)?).ok_or_else(|| unknown(5))?;
    let parameters = match name(4)? {
        "" => serde_json::Value::Null,
        json => serde_json::from_str(json).map_err(|_| unknown(4))?,
    };
    let time = |column| {
        let at = row.get(column)?;
        Timestamp::from_microsecond(at)
            .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, at))
    };
    let count = |column| row.get::<_, i64>(column).map(|count| count.max(0) as u64);
    let query: String = row.get(13)?;
    let memory = row.get::<_, Option<[u8; 16]>>(12)?;
    let memory = memory.map(|memory| Trigger::Memory(MemoryId::from_bytes(memory)));
    Ok(ToolResult {
        number: number as u64,
        request: ToolRequest {
            kind,
            tool: row.get(2)?,
            text: row.get(3)?,
            parameters,
        },
        status,
        moved_to: row.get(6)?,
        content: row.get(7)?,
        fetched_at: time(8)?,
        fresh_until: time(9)?,
        took_ms: count(10)?,
        cost: count(11)?,
        triggered_by: memory.or((!query.is_empty()).then_some(Trigger::Query(query))),
        used_in: used_in(connection, number)?,
        hits: count(14)?,
    })
}

fn unknown(column: usize) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "unknown value".into())
}

fn used_in(connection: &Connection, number: i64) -> rusqlite::Result<Vec<MemoryId>> {
    let sql = "SELECT memory FROM used_in WHERE number = ?1 ORDER BY memory";
    let mut statement = connection.prepare_cached(sql)?;
    let memories = statement.query_map([number], |row| row.get(0))?;
    memories
        .map(|memory| memory.map(MemoryId::from_bytes))
        .collect()
}
