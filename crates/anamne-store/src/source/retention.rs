//! Which memories a space no longer keeps.

use anamne_types::{Kind, MemoryId};
use rusqlite::{Connection, params};

use crate::StoreError;

/// Facts and skills that matter at least so much are kept for ever.
const KEPT_IMPORTANCE: u8 = 7;

/// The memories that happened before `before` (microseconds since 1970) and are not kept for what they are, the
/// oldest first, forgotten ones included; at most `limit`. O(memories that happened before).
pub(crate) fn outdated(
    connection: &Connection,
    before: i64,
    limit: usize,
) -> Result<Vec<MemoryId>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE occurred_at < ?1 AND NOT erased \
         AND NOT (kind IN (?2, ?3) AND importance >= ?4) ORDER BY occurred_at LIMIT ?5",
    )?;
    let values = params![
        before,
        Kind::Fact.number(),
        Kind::Skill.number(),
        KEPT_IMPORTANCE,
        i64::try_from(limit).unwrap_or(i64::MAX)
    ];
    let ids = statement.query_map(values, |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}
