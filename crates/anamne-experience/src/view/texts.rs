//! Distinct texts, by hash.

use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::{codes, near};
use crate::{ExperienceError, normal};

/// The number of no text.
pub(super) const NONE: i64 = 0;

/// What a text is known as. Equal texts of different kinds are different texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// A name, a call, a path.
    Name,
    /// A text that is searched by similarity.
    Searched,
    /// A normalised error, which is searched by its words.
    Error,
}

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
        self.numbered(text, TextKind::Name)
    }

    /// The same for a text that is searched by similarity.
    pub(super) fn searchable(&mut self, text: &str) -> Result<i64, ExperienceError> {
        self.numbered(text, TextKind::Searched)
    }

    /// The same for a normalised error.
    pub(super) fn error(&mut self, form: &str) -> Result<i64, ExperienceError> {
        self.numbered(form, TextKind::Error)
    }

    fn numbered(&mut self, text: &str, kind: TextKind) -> Result<i64, ExperienceError> {
        let text = normal::name(text);
        if text.is_empty() {
            return Ok(NONE);
        }
        let hash = hash_of(text, kind);
        if let Some(number) = self.known.get(&hash) {
            return Ok(*number);
        }
        let number = match by_hash(self.connection, hash)? {
            Some(number) => number,
            None => self.add(hash, text, kind)?,
        };
        self.known.insert(hash, number);
        Ok(number)
    }

    fn add(&self, hash: i64, text: &str, kind: TextKind) -> Result<i64, ExperienceError> {
        let is_searched = kind == TextKind::Searched;
        let code = is_searched.then(|| codes::of_text(text)).transpose()?;
        let sql = "INSERT INTO texts (hash, content, code) VALUES (?1, ?2, ?3)";
        let code = code.as_ref().map(<[u8; 32]>::as_slice);
        self.connection
            .prepare_cached(sql)?
            .execute(params![hash, text, code])?;
        let number = self.connection.last_insert_rowid();
        if kind == TextKind::Error {
            near::add_words(self.connection, number, text)?;
        }
        Ok(number)
    }
}

/// The number of a text, if it is known.
pub(super) fn find(
    connection: &Connection,
    text: &str,
    kind: TextKind,
) -> rusqlite::Result<Option<i64>> {
    let text = normal::name(text);
    if text.is_empty() {
        return Ok(None);
    }
    by_hash(connection, hash_of(text, kind))
}

/// The text with a number; empty if there is none.
pub(super) fn content(connection: &Connection, number: i64) -> rusqlite::Result<String> {
    let sql = "SELECT content FROM texts WHERE text = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([number], |row| row.get(0));
    Ok(found.optional()?.unwrap_or_default())
}

/// Deletes the texts that nothing uses any more, with their words. O(rows).
pub(super) fn delete_unused(connection: &Connection) -> rusqlite::Result<()> {
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
    )?;
    connection.execute(
        "DELETE FROM error_words WHERE error NOT IN (SELECT text FROM texts)",
        [],
    )?;
    Ok(())
}

/// 64 bits of a text's hash.
fn hash_of(text: &str, kind: TextKind) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[kind as u8]);
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
