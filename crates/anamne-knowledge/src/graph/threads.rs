//! Threads with shared names, and memories that mention an entity, for scoped queries.

use std::collections::BTreeMap;

use anamne_types::Row;
use rusqlite::Connection;

use super::entities::find;
use super::naming::{self, Name};
use super::{Graph, GraphError};

/// So many of a thread's names are followed, the rarest first.
const FOLLOWED: i64 = 64;

/// A name that more memories hold leads too many ways to be followed.
const COMMON: i64 = 2_000;

/// Threads whose shared names weigh less together are not related.
///
/// A name weighs `ln((N + 1) / n) / ln(N + 1)` where n of N threads hold it: 1 for one, half for as many as the square root
/// of all. So one rare name is enough, and several more common ones are.
const LEAST: f64 = 0.5;

/// A thread that names the same as another one.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedThread {
    /// Its name.
    pub thread: String,
    /// How much what both name weighs, the rarer the more.
    pub weight: f64,
}

impl Graph {
    /// The rows of all memories that name an entity by any of its names, ascending. O(mentions).
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

    /// The threads that share weighty names with one, the most closely related first, at most `limit`.
    ///
    /// Dates and versions don't count. O(names of the thread, each bounded, and threads).
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
        // The sort is stable: of equally related ones the first by name comes first.
        related.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        related.truncate(limit);
        Ok(related)
    }
}

/// How many threads there are. O(threads), by leaps over the index.
fn count_threads(connection: &Connection) -> Result<i64, GraphError> {
    let sql = "WITH RECURSIVE threads (name) AS ( \
           SELECT min(thread) FROM memories WHERE thread IS NOT NULL \
           UNION ALL SELECT (SELECT min(thread) FROM memories WHERE thread > name) FROM threads WHERE name IS NOT NULL) \
         SELECT count(name) FROM threads";
    Ok(connection
        .prepare_cached(sql)?
        .query_row([], |row| row.get(0))?)
}

/// The names under which a thread's entities are kept, the rarest first.
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

/// The threads that name an entity by any of its names, in the order of their names.
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
