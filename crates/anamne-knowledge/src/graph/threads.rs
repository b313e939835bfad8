//! Threads with shared names, and memories that mention an entity, for scoped queries.

use std::collections::BTreeMap;

use anamne_types::Row;
use rusqlite::Connection;

use super::entities::find;
use super::naming::{self, Name};
use super::{Graph, GraphError};

/// Maximum number of a thread's names that are followed, rarest first.
const FOLLOWED: i64 = 64;

/// Names in more memories than this are not followed.
const COMMON: i64 = 2_000;

/// Minimum total weight of the names that related threads share.
///
/// A name in n of N threads weighs `ln((N + 1) / n) / ln(N + 1)`: 1 in one thread, half in as many as the square root of
/// all. So one rare name is enough, or several more common ones.
const LEAST: f64 = 0.5;

/// A thread that shares names with another one.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedThread {
    /// Its name.
    pub thread: String,
    /// Total weight of the shared names; rarer names weigh more.
    pub weight: f64,
}

impl Graph {
    /// Rows of all memories that mention an entity by any of its names, ascending. O(mentions).
    pub fn rows_naming(&self, name: &str) -> Result<Vec<Row>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut rows = Vec::new();
        let mut statement =
            reader.prepare_cached("SELECT row FROM mentions WHERE name = ?1 AND way <> 2")?;
        for member in naming::members(&reader, kept.name)? {
            let found = statement.query_map([member], |row| Ok(Row(row.get(0)?)))?;
            for row in found {
                rows.push(row?);
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }

    /// Threads related to one by shared names, most closely related first, at most `limit`.
    ///
    /// Dates and versions don't count. O(names of the thread, bounded per name, plus threads).
    pub fn related_threads(
        &self,
        thread: &str,
        limit: usize,
    ) -> Result<Vec<RelatedThread>, GraphError> {
        let reader = self.reader();
        let all = (count_threads(&reader)? as f64).max(1.0);
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for name in names_of(&reader, thread)? {
            let threads = threads_naming(&reader, name)?;
            let weight = ((all + 1.0) / threads.len().max(1) as f64).ln() / (all + 1.0).ln();
            for other in threads {
                if other != thread {
                    *weights.entry(other).or_default() += weight;
                }
            }
        }
        let mut related: Vec<_> = weights
            .into_iter()
            .filter(|(_, weight)| *weight >= LEAST)
            .map(|(thread, weight)| RelatedThread { thread, weight })
            .collect();
        // The sort is stable: ties are ordered by name.
        related.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        related.truncate(limit);
        Ok(related)
    }
}

/// Number of threads. O(threads) index seeks.
fn count_threads(connection: &Connection) -> Result<i64, GraphError> {
    let sql = "WITH RECURSIVE threads (name) AS ( \
           SELECT min(thread) FROM memories WHERE thread IS NOT NULL \
           UNION ALL SELECT (SELECT min(thread) FROM memories WHERE thread > name) FROM threads WHERE name IS NOT NULL) \
         SELECT count(name) FROM threads";
    Ok(connection
        .prepare_cached(sql)?
        .query_row([], |row| row.get(0))?)
}

/// The canonical names in a thread, rarest first.
fn names_of(connection: &Connection, thread: &str) -> Result<Vec<Name>, GraphError> {
    let sql = "SELECT DISTINCT entities.name, entities.memories FROM memories JOIN mentions USING (row) \
         LEFT JOIN canonical ON canonical.name = mentions.name \
         JOIN entities ON entities.name = coalesce(kept, mentions.name) \
         WHERE thread = ?1 AND way <> 2 AND entities.type NOT IN (8, 9) AND entities.memories BETWEEN 2 AND ?2 \
         ORDER BY entities.memories, entities.id LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let names = statement.query_map((thread, COMMON, FOLLOWED), |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// The threads that mention an entity by any of its names, sorted by name.
fn threads_naming(connection: &Connection, name: Name) -> Result<Vec<String>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT thread FROM mentions JOIN memories USING (row) \
         WHERE name = ?1 AND way <> 2 AND thread IS NOT NULL",
    )?;
    let mut threads = Vec::new();
    for member in naming::members(connection, name)? {
        for thread in statement.query_map([member], |row| row.get(0))? {
            threads.push(thread?);
        }
    }
    threads.sort_unstable();
    threads.dedup();
    Ok(threads)
}
