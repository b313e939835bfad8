//! `tool-results.db`: cached searches, pages, responses and states of addresses.
//!
//! A lookup is one search in an index by a digest of the identical request, and one by a digest of the request's words
//! ([`crate::same_request`]): its candidates are compared one by one. Results are fetched from elsewhere, so a damaged
//! file is replaced by an empty one. All times come from the caller; no time deletes anything: results make room for
//! others by their value.

mod freshness;
mod page;
mod removal;
mod request;
mod result;
mod rows;
mod searching;

use std::path::Path;

use anamne_store::{SideDatabase, SideFile, StoreError};
use anamne_types::{InvalidValue, MemoryId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

pub use freshness::{BLOCKED_FRESHNESS, DEFAULT_FRESHNESS, NEGATIVE_FRESHNESS};
pub use request::{MAX_PARAMETER_BYTES, MAX_REQUEST_TEXT_BYTES, RequestKind, ToolRequest};
pub use result::{FetchStatus, Fetched, Invalidation, Lookup, Savings, ToolResult, Trigger};

use crate::same_request::Verdict;
use rows::{RESULT_COLUMNS, read_result};

/// Settings of the file.
const DATABASE: SideDatabase = SideDatabase::new(1, include_str!("tool_results.sql"));

/// Default limit of the estimated size, in bytes.
pub const DEFAULT_MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Longest stored content, in bytes; more is cut off.
pub const MAX_CONTENT_BYTES: usize = 1024 * 1024;

/// Most memories that a result is remembered to be used in.
const MOST_USES: i64 = 64;

/// Most requests with the same words that are compared.
const MOST_CANDIDATES: i64 = 32;

/// Estimated size of a result without its texts, in bytes.
const RESULT_BYTES: usize = 512;

/// The cache of a space, in an SQLite file shared by processes.
#[derive(Debug)]
pub struct ToolResults {
    file: SideFile,
    most_bytes: i64,
}

impl ToolResults {
    /// The cache in the file at `path`, created at the first write, of about `most_bytes`. No I/O.
    pub fn at(path: &Path, most_bytes: u64) -> Self {
        Self {
            file: SideFile::at(DATABASE, path),
            most_bytes: i64::try_from(most_bytes).unwrap_or(i64::MAX),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Looks for a stored result of this request, and changes nothing. Two index lookups, and at most 32 comparisons.
    pub fn look_up(&self, request: &ToolRequest, now: Timestamp) -> Result<Lookup, StoreError> {
        if !self.file.exists() {
            return Ok(Lookup::Miss);
        }
        self.file
            .with(|connection| Ok(look_up(connection, request, now)?))
    }

    /// Counts a lookup in the savings, and a hit for its result.
    pub fn note_lookup(&self, lookup: &Lookup) -> Result<(), StoreError> {
        if !self.file.exists() {
            return Ok(());
        }
        self.file
            .change(|transaction| Ok(note_lookup(transaction, lookup)?))
    }

    /// Stores a result in place of the former one of the identical request; returns its number. A page in HTML is
    /// stored as its readable text.
    ///
    /// # Errors
    ///
    /// If the status is `Ok` but there is no content; the state of an address has none.
    pub fn store(
        &self,
        request: &ToolRequest,
        fetched: &Fetched,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        request.check()?;
        let content = readable_content(&fetched.content);
        check_content(request, fetched.status, &content)?;
        self.file.change(|transaction| -> Result<_, StoreError> {
            let number = insert(transaction, request, fetched, &content, now)?;
            self.make_room(transaction)?;
            Ok(number)
        })
    }

    /// Records that a result was used in memories; at most 64 are kept. Returns whether there is such a result.
    pub fn note_used(&self, number: u64, memories: &[MemoryId]) -> Result<bool, StoreError> {
        self.file.change(|transaction| {
            let sql = "SELECT EXISTS (SELECT 1 FROM results WHERE number = ?1)";
            let mut exists = transaction.prepare_cached(sql)?;
            if !exists.query_row([number as i64], |row| row.get(0))? {
                return Ok(false);
            }
            let sql = "INSERT OR IGNORE INTO used_in SELECT ?1, ?2
                       WHERE (SELECT count(*) FROM used_in WHERE number = ?1) < ?3";
            let mut note = transaction.prepare_cached(sql)?;
            for memory in memories {
                note.execute(params![number as i64, memory.as_bytes(), MOST_USES])?;
            }
            Ok(true)
        })
    }

    /// What is stored, and what it saved.
    pub fn savings(&self) -> Result<Savings, StoreError> {
        if !self.file.exists() {
            return Ok(Savings::default());
        }
        self.file.with(|connection| {
            let sql = "SELECT (SELECT count(*) FROM results), bytes, exact_hits, semantic_hits, negative_hits,
                         misses, saved_ms, saved_cost FROM state";
            let savings = connection.query_row(sql, [], |row| {
                let count = |column| row.get::<_, i64>(column).map(|count| count.max(0) as u64);
                Ok(Savings {
                    results: count(0)?,
                    bytes: count(1)?,
                    exact_hits: count(2)?,
                    semantic_hits: count(3)?,
                    negative_hits: count(4)?,
                    misses: count(5)?,
                    saved_ms: count(6)?,
                    saved_cost: count(7)?,
                })
            })?;
            Ok(savings)
        })
    }
}

/// What is stored of a content: the readable text of a page in HTML, at most [`MAX_CONTENT_BYTES`]. O(bytes).
pub fn readable_content(content: &str) -> String {
    let text = if page::is_html(content) {
        page::readable(content)
    } else {
        content.to_owned()
    };
    text[..text.floor_char_boundary(MAX_CONTENT_BYTES)].to_owned()
}

fn check_content(
    request: &ToolRequest,
    status: FetchStatus,
    content: &str,
) -> Result<(), InvalidValue> {
    let needs_content = status == FetchStatus::Ok && request.kind != RequestKind::Url;
    if needs_content && content.trim().is_empty() {
        let accepts = "text unless the status is empty, dead, redirected or blocked";
        return Err(InvalidValue::new("content", accepts, "nothing"));
    }
    Ok(())
}

fn look_up(
    connection: &Connection,
    request: &ToolRequest,
    now: Timestamp,
) -> rusqlite::Result<Lookup> {
    let sql = format!("SELECT {RESULT_COLUMNS} FROM results WHERE exact = ?1");
    let mut exact = connection.prepare_cached(&sql)?;
    let found = exact.query_row([request.exact_key()], |row| read_result(connection, row));
    let exact = found.optional()?;
    match exact {
        Some(found) if is_fresh(&found, now) => Ok(hit(found, Lookup::Exact)),
        stale => match in_other_words(connection, request, now)? {
            Some(found) => Ok(hit(found, Lookup::Semantic)),
            None => Ok(stale.map_or(Lookup::Miss, Lookup::Stale)),
        },
    }
}

fn hit(found: ToolResult, positive: fn(ToolResult) -> Lookup) -> Lookup {
    if found.status.is_negative() {
        Lookup::Negative(found)
    } else {
        positive(found)
    }
}

/// Whether a result may be served. One from the future was fetched before the clock was set back: its age is not known.
/// A request for "tomorrow" was another one a day before.
fn is_fresh(found: &ToolResult, now: Timestamp) -> bool {
    found.fetched_at <= now
        && now < found.fresh_until
        && !freshness::means_another_time(&found.request, found.fetched_at, now)
}

/// The newest fresh result of a request that asks for the same.
fn in_other_words(
    connection: &Connection,
    request: &ToolRequest,
    now: Timestamp,
) -> rusqlite::Result<Option<ToolResult>> {
    let (Some(key), Some(form)) = (request.form_key(), request.form()) else {
        return Ok(None);
    };
    let sql = format!(
        "SELECT {RESULT_COLUMNS} FROM results WHERE form = ?1 AND fetched_at <= ?2 AND fresh_until > ?2
         ORDER BY fetched_at DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![key, now.as_microsecond(), MOST_CANDIDATES])?;
    while let Some(row) = rows.next()? {
        let found = read_result(connection, row)?;
        let is_same = found.request.form().map(|stored| form.compare(&stored));
        if is_same == Some(Verdict::Same) && is_fresh(&found, now) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn note_lookup(transaction: &Transaction<'_>, lookup: &Lookup) -> rusqlite::Result<()> {
    let count = |matches: bool| i64::from(matches);
    let hit = lookup.result().filter(|_| lookup.is_hit());
    let saved = |of: fn(&ToolResult) -> u64| hit.map_or(0, |hit| of(hit) as i64);
    let sql = "UPDATE state SET tick = tick + 1, exact_hits = exact_hits + ?1, semantic_hits = semantic_hits + ?2,
                 negative_hits = negative_hits + ?3, misses = misses + ?4, saved_ms = saved_ms + ?5,
                 saved_cost = saved_cost + ?6 RETURNING tick";
    let counts = params![
        count(matches!(lookup, Lookup::Exact(_))),
        count(matches!(lookup, Lookup::Semantic(_))),
        count(matches!(lookup, Lookup::Negative(_))),
        count(!lookup.is_hit()),
        saved(|hit| hit.took_ms),
        saved(|hit| hit.cost),
    ];
    let tick: i64 = transaction.query_row(sql, counts, |row| row.get(0))?;
    if let Some(hit) = hit {
        let sql = "UPDATE results SET hits = hits + 1, used = ?2 WHERE number = ?1";
        transaction.execute(sql, params![hit.number as i64, tick])?;
    }
    Ok(())
}

fn insert(
    transaction: &Transaction<'_>,
    request: &ToolRequest,
    fetched: &Fetched,
    content: &str,
    now: Timestamp,
) -> rusqlite::Result<u64> {
    let exact = request.exact_key();
    removal::remove_where(transaction, "exact = ?1", [exact])?;
    let parameters = request.canonical_parameters();
    let bytes = RESULT_BYTES + request.text.len() + parameters.len() + 2 * content.len();
    let sql = "UPDATE state SET tick = tick + 1, bytes = bytes + ?1 RETURNING tick";
    let tick: i64 = transaction.query_row(sql, [bytes as i64], |row| row.get(0))?;
    let (memory, query) = match &fetched.triggered_by {
        Some(Trigger::Memory(memory)) => (Some(*memory.as_bytes()), ""),
        Some(Trigger::Query(query)) => (None, query.as_str()),
        None => (None, ""),
    };
    let fresh_until = freshness::fresh_until(transaction, request, fetched, now)?;
    // The count of changes, so that the number of a removed result is never given again.
    let number = tick;
    let sql = "INSERT INTO results (kind, tool, request, parameters, exact, form, host, status, moved_to, content,
                 fetched_at, fresh_until, took_ms, cost, trigger_memory, trigger_query, used, bytes, number)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
    let row = params![
        request.kind.name(),
        request.tool,
        request.text,
        parameters,
        exact,
        request.form_key(),
        request.host(),
        fetched.status.name(),
        fetched.moved_to,
        content,
        now.as_microsecond(),
        fresh_until.as_microsecond(),
        bounded(fetched.took_ms),
        bounded(fetched.cost),
        memory,
        query,
        tick,
        bytes as i64,
        number,
    ];
    transaction.prepare_cached(sql)?.execute(row)?;
    let sql = "INSERT INTO words (rowid, request, content) VALUES (?1, ?2, ?3)";
    let words = params![number, request.text, content];
    transaction.prepare_cached(sql)?.execute(words)?;
    Ok(number as u64)
}

/// A count that sums of many don't overflow.
fn bounded(count: u64) -> i64 {
    count.min(1 << 40) as i64
}

#[cfg(test)]
mod tests;
