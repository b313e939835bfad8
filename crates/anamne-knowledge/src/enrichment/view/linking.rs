//! Looks for the links of memories among those with the same terms.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::view::MemoryFeed;
use anamne_types::{EnrichedPart, Memory, MemoryId, Row};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::following::keys_of;
use super::{COMPARED, LINKS, WINDOW};
use crate::enrichment::Enricher;
use crate::enrichment::links::{Linkable, PairLink, link};
use crate::summaries::file::FeedOrStore;

/// Number of memories read from the source at once.
const READ_AT_ONCE: usize = 64;

/// Common keys from which two memories are compared.
const COMMON_KEYS: usize = 2;

/// Looks for the links of these rows anew. At most [`COMPARED`] memories are read for each.
pub(super) fn relink(
    connection: &Connection,
    feed: &dyn MemoryFeed,
    rows: &BTreeSet<Row>,
    enricher: &mut Enricher,
) -> Result<(), FeedOrStore> {
    let rows: Vec<Row> = rows.iter().copied().collect();
    for chunk in rows.chunks(READ_AT_ONCE) {
        let mut ids = Vec::new();
        for row in chunk {
            let stored = id_and_keys(connection, *row)?;
            ids.extend(stored.map(|(id, _)| id));
        }
        for memory in feed.memories(&ids)? {
            relink_one(connection, feed, &memory, enricher)?;
        }
    }
    Ok(())
}

fn relink_one(
    connection: &Connection,
    feed: &dyn MemoryFeed,
    memory: &Memory,
    enricher: &mut Enricher,
) -> Result<(), FeedOrStore> {
    let row = memory.row;
    let candidates = forget_and_seek(connection, row)?;
    let linkable = enricher.linkable(&memory.content);
    if candidates.is_empty() || !linkable.may_link() {
        return Ok(());
    }
    let removed = EnrichedPart::removed_from(&memory.metadata);
    let found = feed.memories(&candidates)?;
    let mut links: Vec<(Row, PairLink)> = found
        .iter()
        .filter(|other| !removed.iter().any(|part| part.removes_link(other.id)))
        .filter_map(|other| Some((other.row, compared(&linkable, other, enricher)?)))
        .collect();
    links.sort_by(|one, other| {
        let by_strength = other.1.strength.total_cmp(&one.1.strength);
        by_strength.then(other.0.cmp(&one.0))
    });
    links.truncate(LINKS);
    for (target, _) in links {
        connection
            .prepare_cached("INSERT OR REPLACE INTO enriched_links VALUES (?1, ?2)")?
            .execute(params![row.0, target.0])?;
    }
    Ok(())
}

fn compared(later: &Linkable, other: &Memory, enricher: &mut Enricher) -> Option<PairLink> {
    link(later, &enricher.linkable(&other.content))
}

/// Removes the links that begin at a row, and returns the memories to compare it with: those with the most keys in common,
/// of equal ones the nearest.
fn forget_and_seek(connection: &Connection, row: Row) -> rusqlite::Result<Vec<MemoryId>> {
    connection
        .prepare_cached("DELETE FROM enriched_links WHERE source = ?1")?
        .execute([row.0])?;
    let Some((_, keys)) = id_and_keys(connection, row)? else {
        return Ok(Vec::new());
    };
    let mut common: BTreeMap<u32, usize> = BTreeMap::new();
    let sql =
        "SELECT row FROM enriched_keys WHERE key = ?1 AND row < ?2 ORDER BY row DESC LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    for key in keys_of(&keys) {
        let rows = statement.query_map(params![key, row.0, WINDOW as i64], |found| {
            found.get::<_, u32>(0)
        })?;
        for other in rows {
            *common.entry(other?).or_default() += 1;
        }
    }
    let mut candidates: Vec<(usize, u32)> = common
        .into_iter()
        .filter(|(_, count)| *count >= COMMON_KEYS)
        .map(|(other, count)| (count, other))
        .collect();
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    candidates.truncate(COMPARED);
    let ids = candidates
        .into_iter()
        .map(|(_, other)| id_and_keys(connection, Row(other)));
    let found: Vec<_> = ids.collect::<rusqlite::Result<_>>()?;
    Ok(found.into_iter().flatten().map(|(id, _)| id).collect())
}

fn id_and_keys(connection: &Connection, row: Row) -> rusqlite::Result<Option<(MemoryId, Vec<u8>)>> {
    connection
        .prepare_cached("SELECT id, keys FROM enriched WHERE row = ?1")?
        .query_row([row.0], |found| {
            let id: [u8; 16] = found.get(0)?;
            Ok((MemoryId(Uuid::from_bytes(id)), found.get(1)?))
        })
        .optional()
}
