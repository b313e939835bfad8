//! What leaves the cache: invalidated results, those that make room, and links to erased memories.

use anamne_store::StoreError;
use anamne_types::MemoryId;
use rusqlite::{Connection, Params, Transaction, params};

use super::ToolResults;
use super::request::{RequestKind, ToolRequest, host};
use super::result::Invalidation;

/// The share of the limit that is left after making room.
const LEFT_AFTER_EVICTION: f64 = 0.9;

/// The value of a result: what hits save, for each byte, halved for each 5 000 changes of the cache since its last use.
/// A result that cost nothing known counts as one that took a tenth of a second.
const VALUE: &str = "(1 + hits) * (100.0 + took_ms + cost / 100.0) / bytes
    / (1.0 + ((SELECT tick FROM state) - used) / 5000.0)";

impl ToolResults {
    /// Removes results; returns their number.
    pub fn invalidate(&self, which: &Invalidation) -> Result<u64, StoreError> {
        if !self.file.exists() {
            return Ok(0);
        }
        self.file.change(|transaction| -> Result<_, StoreError> {
            Ok(match which {
                Invalidation::Number(number) => {
                    remove_where(transaction, "number = ?1", [*number as i64])?
                }
                Invalidation::Url(url) => remove_address(transaction, url)?,
                Invalidation::Source(name) => {
                    let named = host(name);
                    let name = if named.is_empty() {
                        name.to_lowercase()
                    } else {
                        named
                    };
                    remove_where(transaction, "host = ?1", [name])?
                }
                Invalidation::Tool(tool) => remove_where(transaction, "tool = ?1", [tool])?,
                Invalidation::Before(time) => {
                    let time = time.as_microsecond();
                    remove_where(transaction, "fetched_at < ?1", [time])?
                }
                Invalidation::All => remove_where(transaction, "TRUE", ())?,
            })
        })
    }

    /// Memories that results refer to.
    pub fn linked_memories(&self) -> Result<Vec<MemoryId>, StoreError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT memory FROM used_in UNION
                       SELECT trigger_memory FROM results WHERE trigger_memory IS NOT NULL";
            let mut statement = connection.prepare(sql)?;
            let memories = statement.query_map([], |row| row.get(0))?;
            let memories = memories.map(|memory| memory.map(MemoryId::from_bytes));
            Ok(memories.collect::<Result<_, _>>()?)
        })
    }

    /// Removes links to erased memories, quarantined copies, and former content from the write-ahead log.
    pub fn purge(&self, erased: &[MemoryId]) -> Result<(), StoreError> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        self.file.change(|transaction| -> Result<_, StoreError> {
            for memory in erased {
                let memory = memory.as_bytes();
                transaction.execute("DELETE FROM used_in WHERE memory = ?1", [memory])?;
                let sql = "UPDATE results SET trigger_memory = NULL WHERE trigger_memory = ?1";
                transaction.execute(sql, [memory])?;
            }
            Ok(())
        })?;
        self.file.truncate_wal()
    }

    /// What SQLite finds wrong with the file; empty if nothing. O(bytes).
    pub fn problems(&self) -> Result<Vec<String>, StoreError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.file.with(|connection| -> Result<_, StoreError> {
            let mut statement = connection.prepare("PRAGMA integrity_check(8)")?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            let found = found.collect::<Result<Vec<_>, _>>()?;
            Ok(found.into_iter().filter(|found| found != "ok").collect())
        })
    }

    /// Removes the file and everything in it.
    pub fn remove(&self) -> Result<(), StoreError> {
        self.file.remove()
    }

    /// Removes the results of least value until nine tenths of the limit are left, if it is exceeded.
    pub(super) fn make_room(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let bytes: i64 = transaction.query_row("SELECT bytes FROM state", [], |row| row.get(0))?;
        if bytes <= self.most_bytes {
            return Ok(());
        }
        let mut excess = bytes - (self.most_bytes as f64 * LEFT_AFTER_EVICTION) as i64;
        let sql = format!("SELECT number, bytes FROM results ORDER BY {VALUE}, number");
        let mut statement = transaction.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut evicted = Vec::new();
        while excess > 0
            && let Some(row) = rows.next()?
        {
            evicted.push(row.get::<_, i64>(0)?);
            excess -= row.get::<_, i64>(1)?;
        }
        for number in evicted {
            remove_where(transaction, "number = ?1", [number])?;
        }
        Ok(())
    }
}

/// Removes results of an address of any kind, tool and parameters.
fn remove_address(transaction: &Transaction<'_>, url: &str) -> rusqlite::Result<u64> {
    let canonical = |text: &str| ToolRequest::new(RequestKind::Page, "", text).canonical_text();
    let wanted = canonical(url);
    let mut statement =
        transaction.prepare("SELECT number, request FROM results WHERE host = ?1")?;
    let rows = statement.query_map([host(url)], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut removed = 0;
    for (number, request) in rows.collect::<Result<Vec<_>, _>>()? {
        if canonical(&request) == wanted {
            removed += remove_where(transaction, "number = ?1", [number])?;
        }
    }
    Ok(removed)
}

/// Removes results by a condition on their rows; returns their number.
pub(super) fn remove_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> rusqlite::Result<u64> {
    let sql = format!("DELETE FROM results WHERE {condition} RETURNING number, bytes");
    let mut statement = connection.prepare_cached(&sql)?;
    let removed = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let removed = removed.collect::<Result<Vec<(i64, i64)>, _>>()?;
    for (number, bytes) in &removed {
        let sql = "DELETE FROM words WHERE rowid = ?1";
        connection.prepare_cached(sql)?.execute([number])?;
        let sql = "DELETE FROM used_in WHERE number = ?1";
        connection.prepare_cached(sql)?.execute([number])?;
        let sql = "UPDATE state SET bytes = max(bytes - ?1, 0), tick = tick + 1";
        connection.prepare_cached(sql)?.execute(params![bytes])?;
    }
    Ok(removed.len() as u64)
}
