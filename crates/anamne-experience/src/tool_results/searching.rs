//! Lists and full-text search of stored results.

use anamne_store::StoreError;
use rusqlite::params;

use super::rows::{RESULT_COLUMNS, read_result};
use super::{ToolResult, ToolResults};

/// Most words of a search.
const MOST_WORDS: usize = 32;

impl ToolResults {
    /// The results that contain words of the query, best first by BM25 with the request weighted twice. Fresh or not.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<ToolResult>, StoreError> {
        let words = query.split(|character: char| !character.is_alphanumeric());
        let words = words.filter(|word| word.len() > 1).take(MOST_WORDS);
        // Quoted, so that no word is an operator of FTS5.
        let quoted: Vec<_> = words.map(|word| format!("\"{word}\"")).collect();
        if quoted.is_empty() || !self.file.exists() {
            return Ok(Vec::new());
        }
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = format!(
                "SELECT {RESULT_COLUMNS} FROM words JOIN results ON results.number = words.rowid
                 WHERE words MATCH ?1 AND status IN ('ok', 'redirected') ORDER BY bm25(words, 2.0, 1.0) LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let found = params![quoted.join(" OR "), limit as i64];
            let rows = statement.query_map(found, |row| read_result(connection, row))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The results stored last, newest first.
    pub fn list(&self, limit: usize) -> Result<Vec<ToolResult>, StoreError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = format!("SELECT {RESULT_COLUMNS} FROM results ORDER BY number DESC LIMIT ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([limit as i64], |row| read_result(connection, row))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}
