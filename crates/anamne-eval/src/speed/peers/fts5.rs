//! SQLite FTS5: the ten best rows by BM25 for any of the words.

use rusqlite::Connection;

use super::super::site::{RESULTS, Site};
use crate::failure::Failure;

/// A table of texts, optimised, with a large page cache.
pub(crate) struct Fts5(Connection);

impl Fts5 {
    /// Indexes every record without durability, because only queries are measured.
    pub(crate) fn build(site: &Site) -> Result<Self, Failure> {
        let mut connection = Connection::open(site.peer("fts5")?.join("texts.db"))?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;
             CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61');",
        )?;
        let transaction = connection.transaction()?;
        site.for_each_batch(|start, records| {
            let mut insert =
                transaction.prepare_cached("INSERT INTO texts (rowid, text) VALUES (?1, ?2)")?;
            for (number, record) in (start as i64 + 1..).zip(records) {
                insert.execute((number, &record.text))?;
            }
            Ok(())
        })?;
        transaction.execute("INSERT INTO texts (texts) VALUES ('optimize')", [])?;
        transaction.commit()?;
        Ok(Self(connection))
    }

    /// Queries the ten best rows for any word of the question.
    pub(crate) fn ask(&self, question: &str) -> Result<(), Failure> {
        let words: Vec<_> = question
            .split(' ')
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut select = self.0.prepare_cached(
            "SELECT rowid, text FROM texts WHERE texts MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let rows = select.query_map((words.join(" OR "), RESULTS as i64), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        if rows.is_empty() {
            return Err(format!("FTS5 finds nothing for {question:?}").into());
        }
        std::hint::black_box(rows);
        Ok(())
    }
}
