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
        // What can't be read may be of any row.
        let are_live =
            serde_json::from_str::<Vec<Row>>(&rows).is_ok_and(|rows| rows.into_iter().all(live));
        if !live(Row(row)) || !are_live {
            connection.execute("DELETE FROM lessons WHERE row = ?1", [row])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use anamne_types::Seq;

    use super::*;
    use crate::reading::Reading;

    fn lesson() -> WrittenLesson {
        WrittenLesson {
            title: "Build before the tests".to_owned(),
            description: "Tests fail to start".to_owned(),
            content: "Run the build first.".to_owned(),
            steps: vec![0, 1],
        }
    }

    #[test]
    fn a_file_of_format_3_keeps_what_was_paid_for_and_takes_lessons() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("readings.db");
        let readings = Readings::open(&path).expect("readings");
        let reading = Reading::default();
        readings
            .put(Row(7), Seq(9), "model", Some((&reading, "a text")))
            .expect("stored");
        drop(readings);
        let former = Connection::open(&path).expect("the file");
        former
            .execute_batch("DROP TABLE lessons; PRAGMA user_version = 3")
            .expect("format 3");
        drop(former);

        let readings = Readings::open(&path).expect("a migrated file");
        let kept = readings.of(Row(7), Seq(9), "a text").expect("read");
        assert_eq!(kept, Some(reading));
        readings
            .put_lessons(Row(7), b"attempt", &[Row(6), Row(7)], "model", &[lesson()])
            .expect("stored");
        let stored = readings.lessons(Row(7), b"attempt").expect("read");
        assert_eq!(stored, Some(("model".to_owned(), vec![lesson()])));
        let other = readings.lessons(Row(7), b"another").expect("read");
        assert_eq!(other, None);
    }

    #[test]
    fn lessons_of_an_erased_row_and_unreadable_ones_are_purged() {
        let folder = tempfile::tempdir().expect("a folder");
        let readings = Readings::open(&folder.path().join("readings.db")).expect("readings");
        for (row, rows) in [(3, [Row(1), Row(3)]), (5, [Row(4), Row(5)])] {
            readings
                .put_lessons(Row(row), b"a", &rows, "model", &[lesson()])
                .expect("stored");
        }
        readings
            .connection()
            .execute(
                "INSERT INTO lessons VALUES (8, x'61', 'no list', 'model', '[]')",
                [],
            )
            .expect("a damaged row");
        readings.purge(&|row| row != Row(1)).expect("purged");
        let is_left = |row| readings.lessons(Row(row), b"a").expect("read").is_some();
        assert_eq!([3, 5, 8].map(is_left), [false, true, false]);
    }
}
