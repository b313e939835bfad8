//! Reads the links of a memory.

use anamne_types::{Link, LinkType, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::read::{digest_of, event_digest};
use super::record::Payload;
use crate::clock::from_microseconds;
use crate::{Result, StoreError};

const LINKS: &str = "SELECT source.id, target.id, links.type, links.weight, links.reason, links.created_at, \
     links.seq, links.source, source.salt
     FROM links JOIN memories AS source ON source.row = links.source JOIN memories AS target ON target.row = links.target";

/// A link with additional columns of the source.
struct StoredLink {
    link: Link,
    seq: Seq,
    source: Row,
    salt: i64,
}

/// A link from one row to another, without its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linked {
    /// The requested row.
    pub from: Row,
    /// The other end.
    pub to: Row,
    /// The relation of the link's start to its end.
    pub link_type: LinkType,
    /// Strength, 0 to 1.
    pub weight: f32,
    /// Whether the link starts at `to`.
    pub backwards: bool,
}

/// The links that start or end at each of `rows`; per row and direction, only those to the `most` latest memories. Not
/// verified: an examination does that.
pub(crate) fn leading_from(
    connection: &Connection,
    rows: &[Row],
    most: usize,
) -> Result<Vec<Linked>> {
    let direction = |backwards: u8, own: &str, other: &str| {
        format!(
            "SELECT asked.value, links.{other}, links.type, links.weight, {backwards} FROM json_each(?1) AS asked \
             CROSS JOIN links ON links.{own} = asked.value AND links.{other} >= coalesce( \
               (SELECT {other} FROM links AS one WHERE one.{own} = asked.value ORDER BY {other} DESC LIMIT 1 OFFSET ?2), 0)"
        )
    };
    let sql = format!(
        "{} UNION ALL {} ORDER BY 1, 4 DESC, 2 DESC, 3, 5",
        direction(0, "source", "target"),
        direction(1, "target", "source")
    );
    let numbers: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
    let asked = format!("[{}]", numbers.join(","));
    let mut statement = connection.prepare_cached(&sql)?;
    let linked = statement.query_map(params![asked, most.saturating_sub(1) as i64], |row| {
        Ok(Linked {
            from: Row(row.get(0)?),
            to: Row(row.get(1)?),
            link_type: LinkType::from_number(row.get(2)?).unwrap_or(LinkType::Related),
            weight: row.get(3)?,
            backwards: row.get(4)?,
        })
    })?;
    Ok(linked.collect::<Result<_, _>>()?)
}

/// The links that start or end at `row`, oldest first, each verified against its event's digest.
pub(crate) fn of_row(connection: &Connection, row: Row) -> Result<Vec<Link>> {
    let sql = format!("{LINKS} WHERE ?1 IN (links.source, links.target) ORDER BY links.seq");
    verified(connection, query(connection, &sql, i64::from(row.0))?)
}

/// The links that start at `row`, verified as in [`of_row`], each with its event.
pub(super) fn starting_at(connection: &Connection, row: Row) -> Result<Vec<(Seq, Link)>> {
    let sql = format!("{LINKS} WHERE links.source = ?1 ORDER BY links.seq");
    let links = query(connection, &sql, i64::from(row.0))?.into_iter();
    links
        .map(|stored| prove(connection, &stored).map(|()| (stored.seq, stored.link)))
        .collect()
}

/// Every link of the space, oldest first, verified as in [`of_row`].
pub(crate) fn all(connection: &Connection) -> Result<Vec<Link>> {
    verified(connection, every(connection)?)
}

/// A stored link, and whether it matches its event.
type VerifiedLink = (Link, Result<()>);

/// Every link of the space, oldest first, each with its verification.
pub(crate) fn each_verified(connection: &Connection) -> Result<Vec<VerifiedLink>> {
    let links = every(connection)?.into_iter();
    Ok(links
        .map(|stored| {
            let verified = prove(connection, &stored);
            (stored.link, verified)
        })
        .collect())
}

/// Every link of the space as stored, for examination and repair.
pub(crate) fn all_unverified(connection: &Connection) -> Result<Vec<Link>> {
    let links = every(connection)?.into_iter();
    Ok(links.map(|stored| stored.link).collect())
}

fn every(connection: &Connection) -> Result<Vec<StoredLink>> {
    let sql = format!("{LINKS} WHERE ?1 = 0 ORDER BY links.seq");
    query(connection, &sql, 0)
}

/// [`StoreError::Unverified`] if a link differs from its event.
fn verified(connection: &Connection, links: Vec<StoredLink>) -> Result<Vec<Link>> {
    let prove = |stored: StoredLink| prove(connection, &stored).map(|()| stored.link);
    links.into_iter().map(prove).collect()
}

fn prove(connection: &Connection, stored: &StoredLink) -> Result<()> {
    let said = Payload::of_link(stored.salt, &stored.link);
    if event_digest(connection, stored.seq, stored.source)? == Some(digest_of(&said)?) {
        return Ok(());
    }
    let (id, seq) = (stored.link.from, stored.seq);
    Err(StoreError::Unverified { id, seq })
}

/// The link of this type from one row to another, if it exists.
pub(crate) fn between(
    connection: &Connection,
    source: Row,
    target: Row,
    link_type: LinkType,
) -> Result<Option<Link>> {
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

/// The link created by the event `seq`, if it still exists.
pub(crate) fn at(connection: &Connection, seq: Seq) -> Result<Option<Link>> {
    let sql = format!("{LINKS} WHERE links.seq = ?1");
    let found = query(connection, &sql, seq.0 as i64)?.pop();
    Ok(found.map(|stored| stored.link))
}

fn query(connection: &Connection, sql: &str, value: i64) -> Result<Vec<StoredLink>> {
    let mut statement = connection.prepare_cached(sql)?;
    let links = statement.query_map([value], |row| {
        let link = Link {
            from: MemoryId::from_bytes(row.get(0)?),
            to: MemoryId::from_bytes(row.get(1)?),
            link_type: LinkType::from_number(row.get(2)?).unwrap_or(LinkType::Related),
            weight: row.get(3)?,
            reason: row.get(4)?,
            created_at: from_microseconds(row.get(5)?),
        };
        Ok(StoredLink {
            link,
            seq: Seq(row.get::<_, i64>(6)? as u64),
            source: Row(row.get(7)?),
            salt: row.get::<_, Option<i64>>(8)?.unwrap_or(0),
        })
    })?;
    Ok(links.collect::<Result<_, _>>()?)
}
