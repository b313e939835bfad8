//! Reading single memories and small sets of them.

use anamne_types::{MemoryId, Row};
use rusqlite::{Connection, OptionalExtension};

use super::Names;
use super::record::{COLUMNS, Stored};
use crate::StoreError;

/// The memory with this id, forgotten or not; `None` when it was never there.
pub(crate) fn by_id(
    connection: &Connection,
    names: &Names,
    id: MemoryId,
) -> Result<Option<Stored>, StoreError> {
    one(connection, names, "id = ?1", id.as_bytes().as_slice())
}

/// The memory with this row.
pub(crate) fn by_row(
    connection: &Connection,
    names: &Names,
    row: Row,
) -> Result<Option<Stored>, StoreError> {
    one(connection, names, "row = ?1", row.0)
}

fn one(
    connection: &Connection,
    names: &Names,
    condition: &str,
    value: impl rusqlite::ToSql,
) -> Result<Option<Stored>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM memories WHERE {condition}"))?;
    let stored = statement.query_row([value], Stored::read).optional()?;
    stored
        .map(|stored| stored.complete(connection, names))
        .transpose()
}

/// The ids that begin with these hexadecimal digits, at most two: enough to know whether it is one.
pub(crate) fn ids_with_prefix(
    connection: &Connection,
    low: MemoryId,
    high: MemoryId,
) -> Result<Vec<MemoryId>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE id BETWEEN ?1 AND ?2 AND NOT erased LIMIT 2",
    )?;
    let bounds = [low.as_bytes().as_slice(), high.as_bytes().as_slice()];
    let ids = statement.query_map(bounds, |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The live rows just before and just after `row` in its thread.
pub(crate) fn thread_neighbours(
    connection: &Connection,
    row: Row,
) -> Result<[Option<Row>; 2], StoreError> {
    let side = |comparison: &str, order: &str| -> Result<Option<Row>, StoreError> {
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
