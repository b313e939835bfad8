//! The lessons that a model wrote of finished attempts.

use anamne_store::StoreError;
use anamne_types::Row;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::Readings;

/// The table that came with format 4.
macro_rules! lessons {
    () => {
        "CREATE TABLE lessons (row INTEGER PRIMARY KEY, attempt BLOB NOT NULL, rows TEXT NOT NULL, model TEXT NOT NULL, lessons TEXT NOT NULL) STRICT;"
    };
}
pub(super) use lessons;

/// A lesson that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenLesson {
    /// Its title.
    pub title: String,
    /// When it applies.
    pub description: String,
    /// What to do.
    pub content: String,
    /// The indexes of the steps of the attempt that bear it.
    pub steps: Vec<usize>,
}

impl Readings {
    /// The lessons of the attempt whose end `row` tells, with the model's name, if it was asked about exactly this attempt:
    /// `attempt` is its digest. None in the list if the model found none, or gave no usable answer.
    pub fn lessons(
        &self,
        row: Row,
        attempt: &[u8],
    ) -> Result<Option<(String, Vec<WrittenLesson>)>, StoreError> {
        let stored: Option<(String, String)> = self
            .connection()
            .prepare_cached("SELECT model, lessons FROM lessons WHERE row = ?1 AND attempt = ?2")?
            .query_row(params![row.0, attempt], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        Ok(stored.and_then(|(model, json)| Some((model, serde_json::from_str(&json).ok()?))))
    }

    /// Stores the lessons of an attempt, in place of those of an earlier state of it. `rows` are all rows that it consists of.
    pub fn put_lessons(
        &self,
        row: Row,
        attempt: &[u8],
        rows: &[Row],
        model: &str,
        lessons: &[WrittenLesson],
    ) -> Result<(), StoreError> {
        let rows = serde_json::to_string(rows)?;
        let lessons = serde_json::to_string(lessons)?;
        self.connection().execute(
            "INSERT OR REPLACE INTO lessons VALUES (?1, ?2, ?3, ?4, ?5)",
            params![row.0, attempt, rows, model, lessons],
        )?;
        Ok(())
    }
}

/// Deletes the lessons of attempts of which a row isn't live.
pub(super) fn purge(connection: &Connection, live: &dyn Fn(Row) -> bool) -> Result<(), StoreError> {
    let stored: Vec<(u32, String)> = connection
        .prepare("SELECT row, rows FROM lessons")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (row, rows) in stored {
        let rows: Vec<Row> = serde_json::from_str(&rows)?;
        if !live(Row(row)) || !rows.into_iter().all(live) {
            connection.execute("DELETE FROM lessons WHERE row = ?1", [row])?;
        }
    }
    Ok(())
}
