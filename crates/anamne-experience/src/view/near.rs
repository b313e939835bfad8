//! Errors that are like one, found by their words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use super::ExperienceView;
use super::texts::{self, TextKind};
use crate::normal::near::{Compared, NEAR};
use crate::{ExperienceError, normal};

/// The entries of the index that are read, shared out among the words of the error that is asked for.
const MOST_READ: usize = 8_192;

/// The errors that are compared: those with the fewest words that the other lacks.
const MOST_COMPARED: usize = 64;

/// The errors that are returned.
const MOST_NEAR: usize = 8;

/// An error with words of the one that is asked for.
#[derive(Clone, Copy, Default)]
struct Candidate {
    /// Words of the index that it shares, and those of them of which all entries were read.
    shared: usize,
    rare: usize,
    /// Its different words.
    words: usize,
}

impl ExperienceView {
    /// The normal forms by which an error is known: its own, or if it was never met, those of errors like it, best first.
    pub fn known_forms(&self, error: &str) -> Result<Vec<String>, ExperienceError> {
        let form = normal::error(error);
        if form.is_empty() || !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let own = texts::find(connection, &form, TextKind::Error)?;
            if let Some(own) = own
                && is_met(connection, own)?
            {
                return Ok(vec![form.clone()]);
            }
            let near = near_errors(connection, &form)?.into_iter();
            near.map(|number| texts::content(connection, number))
                .collect()
        })
    }
}

/// Adds the words of a normalised error to the index. O(bytes).
pub(super) fn add_words(connection: &Connection, error: i64, form: &str) -> rusqlite::Result<()> {
    let compared = Compared::of(form);
    let words = compared.distinct_words();
    let sql = "INSERT OR IGNORE INTO error_words VALUES (?1, ?2, ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    for word in &words {
        statement.execute(params![hash_of(word), error, words.len() as i64])?;
    }
    Ok(())
}

/// The numbers of the errors most like the one with this normal form, without itself; best first. A word that very many errors
/// have is looked up in the newest of them alone. O(words² + words · log rows).
pub(super) fn near_errors(connection: &Connection, form: &str) -> rusqlite::Result<Vec<i64>> {
    let asked = Compared::of(form);
    let mut near = Vec::new();
    for number in candidates(connection, &asked)? {
        let met = texts::content(connection, number)?;
        let likeness = asked.likeness(&Compared::of(&met));
        if met != form && likeness >= NEAR && is_met(connection, number)? {
            near.push((likeness, number));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    near.truncate(MOST_NEAR);
    Ok(near.into_iter().map(|(_, number)| number).collect())
}

/// The errors that are worth comparing: all words of one are in the other, or nearly all, since a value may stand for one.
fn candidates(connection: &Connection, asked: &Compared<'_>) -> rusqlite::Result<Vec<i64>> {
    let words = asked.distinct_words();
    let (found, common) = with_words(connection, &words)?;
    // Only the newest errors with a common word are known, so the others may have it too.
    let lacking = |one: &Candidate| {
        let most = one.words.min(words.len());
        most.saturating_sub(one.rare + common)
    };
    let mut found: Vec<(i64, Candidate)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(number, one)| {
        let shared = Reverse((one.rare, one.shared, *number));
        (lacking(one), shared)
    });
    found.truncate(MOST_COMPARED);
    Ok(found.into_iter().map(|(number, _)| number).collect())
}

/// The newest errors with each of these words, and how many words are so common that there may be more.
fn with_words(
    connection: &Connection,
    words: &BTreeSet<&str>,
) -> rusqlite::Result<(FxHashMap<i64, Candidate>, usize)> {
    let sql = "SELECT error, words FROM error_words WHERE word = ?1 ORDER BY error DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found: FxHashMap<i64, Candidate> = FxHashMap::default();
    let mut common = 0;
    let mut left = MOST_READ;
    for (number, word) in words.iter().enumerate() {
        let most = left / (words.len() - number);
        let rows = statement.query_map(params![hash_of(word), most as i64], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as usize))
        })?;
        let entries: Vec<(i64, usize)> = rows.collect::<Result<_, _>>()?;
        let is_rare = entries.len() < most;
        common += usize::from(!is_rare);
        left -= entries.len();
        for (error, words) in entries {
            let candidate = found.entry(error).or_default();
            candidate.shared += 1;
            candidate.rare += usize::from(is_rare);
            candidate.words = words;
        }
    }
    Ok((found, common))
}

/// Whether an outcome still has this error.
fn is_met(connection: &Connection, error: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM outcomes WHERE error = ?1 AND error <> 0";
    connection.prepare_cached(sql)?.exists([error])
}

/// 32 bits of a word's hash: those that collide are told apart when errors are compared.
fn hash_of(word: &str) -> i64 {
    let first = blake3::hash(word.as_bytes())
        .as_bytes()
        .first_chunk()
        .copied();
    i64::from(i32::from_le_bytes(first.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::error;
    use crate::view::texts::{Texts, delete_unused};

    fn database() -> Connection {
        let connection = Connection::open_in_memory().expect("a database");
        let schema = connection.execute_batch(include_str!("schema.sql"));
        schema.expect("tables");
        connection
    }

    /// Adds an outcome with an error; returns the number of the error.
    fn meet(connection: &Connection, row: i64, message: &str) -> i64 {
        let number = Texts::new(connection)
            .error(&error(message))
            .expect("a number");
        let sql =
            "INSERT INTO outcomes VALUES (?1, 0, ?1, 0, 0, ?2, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0)";
        connection.execute(sql, [row, number]).expect("an outcome");
        number
    }

    fn near(connection: &Connection, message: &str) -> Vec<i64> {
        near_errors(connection, &error(message)).expect("errors")
    }

    /// One of many messages that have most words in common.
    fn similar(number: i64) -> String {
        let letters = [
            "alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta",
        ];
        let word = |place: u32| letters[(number / 8_i64.pow(place) % 8) as usize];
        format!(
            "cannot open the {}{}{}{} table",
            word(0),
            word(1),
            word(2),
            word(3)
        )
    }

    #[test]
    fn an_old_error_is_found_among_many() {
        let connection = database();
        let first = meet(&connection, 0, "cannot open the socket: permission denied");
        (1..4_000).for_each(|row| {
            meet(&connection, row, &similar(row));
        });
        let asked = "E   cannot open the socket: permission denied; see the log";
        assert_eq!(near(&connection, asked), [first]);
        assert_eq!(
            near(&connection, "cannot open the mailbox: permission denied"),
            [0_i64; 0]
        );
    }

    #[test]
    fn rare_words_find_an_error_whose_other_words_most_have() {
        let connection = database();
        let first = meet(&connection, 0, "cannot open the zulu yankee table");
        (1..4_000).for_each(|row| {
            meet(&connection, row, &similar(row));
        });
        let reading = |message: &str| near(&connection, message);
        assert_eq!(reading("E   cannot open the zulu yankee table"), [first]);
        assert_eq!(reading("E   cannot open the zulu xray table"), [0_i64; 0]);
    }

    #[test]
    fn an_error_that_nothing_has_any_more_is_not_found_and_leaves_no_word() {
        let connection = database();
        meet(&connection, 1, "cannot open the socket: permission denied");
        let asked = "error 5: cannot open the socket: permission denied";
        assert_eq!(near(&connection, asked).len(), 1);
        connection
            .execute("DELETE FROM outcomes", [])
            .expect("deleted");
        assert_eq!(near(&connection, asked), [0_i64; 0]);
        delete_unused(&connection).expect("deleted");
        let words = connection.query_row("SELECT count(*) FROM error_words", [], |row| row.get(0));
        assert_eq!(words, Ok(0_i64));
    }
}
