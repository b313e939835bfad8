//! Counts over a space.

use std::collections::BTreeMap;

use anamne_types::{GuardNote, Kind, PRIVATE, is_marked_private};
use jiff::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::erasure;
use crate::Result;
use crate::clock::from_microseconds;

/// Counts over a space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Statistics {
    /// Live memories.
    pub memories: u64,
    /// Live memories by kind.
    pub by_kind: BTreeMap<String, u64>,
    /// Forgotten memories that can be restored.
    pub forgotten: u64,
    /// Memories whose content was erased.
    pub erased: u64,
    /// Memories whose content was lost to damage. In a rewound store also those that were erased after its time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// Threads with a live memory.
    pub threads: u64,
    /// Links.
    pub links: u64,
    /// Events in the log.
    pub events: u64,
    /// What the guard redacted or marked in live memories, by kind: number of findings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guard: BTreeMap<String, u64>,
    /// Occurrence of the earliest live memory.
    pub first: Option<Timestamp>,
    /// Occurrence of the latest live memory.
    pub last: Option<Timestamp>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts over a space that stop at a limit, so that they cost the same in a large one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundedCounts {
    /// Live memories, at most [`BoundedCounts::MOST`].
    pub memories: u64,
    /// Threads with a live memory, at most [`BoundedCounts::MOST_THREADS`].
    pub threads: u64,
    /// Links, at most [`BoundedCounts::MOST`].
    pub links: u64,
}

impl BoundedCounts {
    /// At this number of memories or links counting stops.
    pub const MOST: u64 = 10_000;
    /// At this number of threads counting stops: each costs two index lookups.
    pub const MOST_THREADS: u64 = 1_000;
}

/// Counts up to the limits, in indexes alone.
pub(crate) fn bounded(connection: &Connection) -> Result<BoundedCounts> {
    let number = |sql: &str, most: u64| -> Result<u64> {
        let count = connection
            .prepare_cached(sql)?
            .query_row([most as i64], |row| row.get::<_, i64>(0))?;
        Ok(count as u64)
    };
    let memories = "SELECT count(*) FROM (SELECT 1 FROM memories INDEXED BY memories_hash \
                    WHERE deleted_at IS NULL LIMIT ?1)";
    let threads = "WITH RECURSIVE found (thread) AS (
           SELECT min(thread) FROM memories WHERE thread IS NOT NULL
           UNION ALL
           SELECT (SELECT min(thread) FROM memories WHERE thread > found.thread) FROM found WHERE thread IS NOT NULL
           LIMIT ?1
         ) SELECT count(*) FROM found WHERE thread IS NOT NULL AND EXISTS (
           SELECT 1 FROM memories WHERE memories.thread = found.thread AND deleted_at IS NULL)";
    let links = "SELECT count(*) FROM (SELECT 1 FROM links LIMIT ?1)";
    Ok(BoundedCounts {
        memories: number(memories, BoundedCounts::MOST)?,
        threads: number(threads, BoundedCounts::MOST_THREADS)?,
        links: number(links, BoundedCounts::MOST)?,
    })
}

/// Counts everything. O(memories).
pub(crate) fn of(connection: &Connection) -> Result<Statistics> {
    let mut statistics = Statistics::default();
    let mut by_kind = connection.prepare_cached(
        "SELECT kind, count(*) FROM memories WHERE deleted_at IS NULL GROUP BY kind",
    )?;
    let counts = by_kind.query_map([], |row| {
        Ok((row.get::<_, u8>(0)?, row.get::<_, i64>(1)? as u64))
    })?;
    for count in counts {
        let (kind, count) = count?;
        let word = Kind::from_number(kind).map_or("unknown", Kind::as_str);
        statistics.by_kind.insert(word.to_owned(), count);
        statistics.memories += count;
    }
    let number = |sql: &str| -> Result<u64> {
        Ok(connection
            .prepare_cached(sql)?
            .query_row([], |row| row.get::<_, Option<i64>>(0))?
            .unwrap_or(0) as u64)
    };
    statistics.forgotten =
        number("SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL AND NOT erased")?;
    statistics.erased = erasure::count_logged(connection)?;
    statistics.lost =
        number("SELECT count(*) FROM memories WHERE erased")?.saturating_sub(statistics.erased);
    statistics.threads =
        number("SELECT count(DISTINCT thread) FROM memories WHERE deleted_at IS NULL")?;
    statistics.links = number("SELECT count(*) FROM links")?;
    statistics.events = number("SELECT max(seq) FROM events")?;
    let bounds = "SELECT min(occurred_at), max(occurred_at) FROM memories WHERE deleted_at IS NULL";
    (statistics.first, statistics.last) = connection.query_row(bounds, [], |row| {
        let instant = |index| -> rusqlite::Result<_> {
            Ok(row.get::<_, Option<i64>>(index)?.map(from_microseconds))
        };
        Ok((instant(0)?, instant(1)?))
    })?;
    statistics.guard = guarded(connection)?;
    Ok(statistics)
}

/// The number of live memories that a tag or the guard makes private. O(tags and notes).
pub(crate) fn count_private(connection: &Connection) -> Result<u64> {
    let tagged = "SELECT tags.row FROM names JOIN tags ON tags.tag = names.id JOIN memories USING (row) \
         WHERE names.name = ?1 COLLATE NOCASE AND memories.deleted_at IS NULL";
    let mut private = std::collections::BTreeSet::new();
    let mut statement = connection.prepare_cached(tagged)?;
    for row in statement.query_map([PRIVATE], |row| row.get::<_, u32>(0))? {
        private.insert(row?);
    }
    let mut statement = connection.prepare_cached(
        "SELECT row, metadata FROM (SELECT row, iif(tier = 0, metadata, colder(tier, row, 2)) AS metadata \
         FROM memories WHERE deleted_at IS NULL) WHERE instr(metadata, ?1)",
    )?;
    let noted = statement.query_map([GuardNote::KEY], |row| {
        Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?))
    })?;
    for noted in noted {
        let (row, metadata) = noted?;
        if is_marked_private(&serde_json::from_str(&metadata)?) {
            private.insert(row);
        }
    }
    Ok(private.len() as u64)
}

/// The guard's findings in live memories, by kind.
fn guarded(connection: &Connection) -> Result<BTreeMap<String, u64>> {
    let mut statement = connection.prepare_cached(
        "SELECT metadata FROM (SELECT iif(tier = 0, metadata, colder(tier, row, 2)) AS metadata FROM memories
           WHERE deleted_at IS NULL) WHERE instr(metadata, ?1)",
    )?;
    let found = statement.query_map([GuardNote::KEY], |row| row.get::<_, String>(0))?;
    let mut counts = BTreeMap::new();
    for metadata in found {
        for note in GuardNote::of(&serde_json::from_str(&metadata?)?) {
            *counts.entry(note.kind).or_default() += 1;
        }
    }
    Ok(counts)
}

/// The numbers of all authors, ascending, at most `limit`. O(authors · log memories).
pub(crate) fn authors(connection: &Connection, limit: usize) -> Result<Vec<u32>> {
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE found (author) AS (
           SELECT min(author) FROM memories WHERE author IS NOT NULL
           UNION ALL
           SELECT (SELECT min(author) FROM memories WHERE author > found.author) FROM found WHERE author IS NOT NULL
         ) SELECT author FROM found WHERE author IS NOT NULL LIMIT ?1",
    )?;
    let authors = statement.query_map([limit as i64], |row| row.get(0))?;
    Ok(authors.collect::<Result<_, _>>()?)
}

/// The latest time of occurrence that is not in the future, microseconds since 1970; `now` if there is none.
pub(crate) fn latest(connection: &Connection, now: i64) -> Result<i64> {
    let latest: Option<i64> = connection
        .prepare_cached("SELECT max(occurred_at) FROM memories WHERE occurred_at <= ?1")?
        .query_row([now], |row| row.get(0))?;
    Ok(latest.unwrap_or(now))
}
