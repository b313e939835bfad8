//! Reading the links of a memory.

use anamne_types::{Link, LinkType, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension};

use crate::StoreError;
use crate::clock::from_microseconds;

const LINKS: &str = "SELECT source.id, target.id, links.type, links.weight, links.reason, links.created_at
     FROM links JOIN memories AS source ON source.row = links.source JOIN memories AS target ON target.row = links.target";

/// The links that start or end at `row`, oldest first.
pub(crate) fn of_row(connection: &Connection, row: Row) -> Result<Vec<Link>, StoreError> {
    query(
        connection,
        &format!("{LINKS} WHERE ?1 IN (links.source, links.target) ORDER BY links.seq"),
        i64::from(row.0),
    )
}

/// Every link of the space, oldest first.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Link>, StoreError> {
    query(
        connection,
        &format!("{LINKS} WHERE ?1 = 0 ORDER BY links.seq"),
        0,
    )
}

/// The link of this type from one row to another, if it is there.
pub(crate) fn between(
    connection: &Connection,
    source: Row,
    target: Row,
    link_type: LinkType,
) -> Result<Option<Link>, StoreError> {
    let links = of_row(connection, source)?;
    let end: Option<[u8; 16]> = connection
        .prepare_cached("SELECT id FROM memories WHERE row = ?1")?
        .query_row([target.0], |row| row.get(0))
        .optional()?;
    let end = end.map(MemoryId::from_bytes);
    Ok(links
        .into_iter()
        .find(|link| Some(link.to) == end && link.link_type == link_type))
}

/// The link that the event `seq` drew, if it is still there.
pub(crate) fn at(connection: &Connection, seq: Seq) -> Result<Option<Link>, StoreError> {
    Ok(query(
        connection,
        &format!("{LINKS} WHERE links.seq = ?1"),
        seq.0 as i64,
    )?
    .pop())
}

fn query(connection: &Connection, sql: &str, value: i64) -> Result<Vec<Link>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let links = statement.query_map([value], |row| {
        Ok(Link {
            from: MemoryId::from_bytes(row.get(0)?),
            to: MemoryId::from_bytes(row.get(1)?),
            link_type: LinkType::from_number(row.get(2)?).unwrap_or(LinkType::Related),
            weight: row.get(3)?,
            reason: row.get(4)?,
            created_at: from_microseconds(row.get(5)?),
        })
    })?;
    Ok(links.collect::<Result<_, _>>()?)
}
