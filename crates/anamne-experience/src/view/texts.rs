//! Distinct texts, by hash.

use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::codes;
use crate::{ExperienceError, normal};

/// The number of no text.
pub(super) const NONE: i64 = 0;

/// Numbers texts; remembers the numbers of one transaction.
pub(super) struct Texts<'a> {
    connection: &'a Connection,
    known: FxHashMap<i64, i64>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            known: FxHashMap::default(),
        }
    }

    /// The number of a text, which is added if it is new; [`NONE`] for an empty one.
    pub(super) fn number(&mut self, text: &str) -> Result<i64, ExperienceError> {
        self.numbered(text, false)
    }

    /// The same for a text that is searched by similarity.
    pub(super) fn searchable(&mut self, text: &str) -> Result<i64, ExperienceError> {
        self.numbered(text, true)
    }

    fn numbered(&mut self, text: &str, is_searched: bool) -> Result<i64, ExperienceError> {
        let text = normal::name(text);
        if text.is_empty() {
            return Ok(NONE);
        }
        let hash = hash_of(text, is_searched);
        if let Some(number) = self.known.get(&hash) {
            return Ok(*number);
        }
        let number = match by_hash(self.connection, hash)? {
            Some(number) => number,
            None => self.add(hash, text, is_searched)?,
        };
        self.known.insert(hash, number);
        Ok(number)
    }

    fn add(&self, hash: i64, text: &str, is_searched: bool) -> Result<i64, ExperienceError> {
        let code = is_searched.then(|| codes::of_text(text)).transpose()?;
        let sql = "INSERT INTO texts (hash, content, code) VALUES (?1, ?2, ?3)";
        let code = code.as_ref().map(<[u8; 32]>::as_slice);
        self.connection
            .prepare_cached(sql)?
            .execute(params![hash, text, code])?;
        Ok(self.connection.last_insert_rowid())
    }
}

/// The number of a text, if it is known.
pub(super) fn find(
    connection: &Connection,
    text: &str,
    is_searched: bool,
) -> rusqlite::Result<Option<i64>> {
    let text = normal::name(text);
    if text.is_empty() {
        return Ok(None);
    }
    by_hash(connection, hash_of(text, is_searched))
}

/// The text with a number; empty if there is none.
pub(super) fn content(connection: &Connection, number: i64) -> rusqlite::Result<String> {
    let sql = "SELECT content FROM texts WHERE text = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([number], |row| row.get(0));
    Ok(found.optional()?.unwrap_or_default())
}

/// Deletes the texts that nothing uses any more. O(rows).
pub(super) fn delete_unused(connection: &Connection) -> rusqlite::Result<usize> {
    connection.execute(
        "DELETE FROM texts WHERE text NOT IN (
            SELECT action FROM outcomes UNION SELECT call FROM outcomes UNION SELECT error FROM outcomes
            UNION SELECT goal FROM outcomes UNION SELECT run FROM outcomes UNION SELECT agent FROM outcomes
            UNION SELECT query FROM searches UNION SELECT strategy FROM searches
            UNION SELECT experiment FROM searches UNION SELECT subject FROM lessons UNION SELECT item FROM lessons
            UNION SELECT path FROM effects
            UNION SELECT goal FROM episodes UNION SELECT agent FROM episodes
            UNION SELECT session FROM working UNION SELECT agent FROM working UNION SELECT key FROM working
            UNION SELECT name FROM experiments)",
        [],
    )
}

/// 64 bits of a text's hash. A searched text is another one than an equal name.
fn hash_of(text: &str, is_searched: bool) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[u8::from(is_searched)]);
    hasher.update(text.as_bytes());
    let first = hasher.finalize().as_bytes().first_chunk().copied();
    i64::from_le_bytes(first.unwrap_or_default())
}

fn by_hash(connection: &Connection, hash: i64) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT text FROM texts WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()
}
