//! The minimum cost of a durable write: a plain SQLite table, and a plain file next to it.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use rusqlite::{Connection, params};

use crate::failure::Failure;
use crate::generator::Record;

const TABLE: &str = "CREATE TABLE records (
  id INTEGER PRIMARY KEY, text TEXT NOT NULL, thread TEXT NOT NULL, position INTEGER NOT NULL,
  author TEXT NOT NULL, occurred_at INTEGER NOT NULL
) STRICT";

const INSERT: &str =
    "INSERT INTO records (text, thread, position, author, occurred_at) VALUES (?1, ?2, ?3, ?4, ?5)";

/// A table in a database as durable as the engine's (WAL, `synchronous=FULL`), and a file to append to.
pub(crate) struct BareRows {
    connection: Connection,
    file: File,
}

impl BareRows {
    /// Creates both in an empty folder.
    pub(crate) fn create(folder: &Path) -> Result<Self, Failure> {
        let connection = Connection::open(folder.join("records.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(TABLE)?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("journal"))?;
        Ok(Self { connection, file })
    }

    /// Inserts all records in one transaction.
    pub(crate) fn insert_all(&mut self, records: &[Record]) -> Result<(), Failure> {
        let transaction = self.connection.transaction()?;
        for record in records {
            insert(&transaction, record)?;
        }
        Ok(transaction.commit()?)
    }

    /// Commits one record, and appends it to the file with one fdatasync.
    pub(crate) fn commit_with_journal(&mut self, record: &Record) -> Result<(), Failure> {
        insert(&self.connection, record)?;
        self.file.write_all(record.text.as_bytes())?;
        self.file.sync_data()?;
        Ok(())
    }
}

fn insert(connection: &Connection, record: &Record) -> Result<(), Failure> {
    connection.prepare_cached(INSERT)?.execute(params![
        record.text,
        record.thread,
        record.position,
        record.author,
        record.occurred_at.as_microsecond(),
    ])?;
    Ok(())
}
