//! Opening the database, and a small pool of readers.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{APPLICATION_ID, SOURCE_FORMAT};
use crate::StoreError;
use crate::files::open_private_file;

/// Opens the database for the writer, and makes or migrates its tables. The write lock must be held.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    // Made by us first, so that SQLite's own files take over the owner-only mode.
    drop(open_private_file(path)?);
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    configure(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    prepare_schema(&connection, path)?;
    Ok(connection)
}

fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Checks the format of an existing database, or writes the tables of a new one.
fn prepare_schema(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > SOURCE_FORMAT {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known: SOURCE_FORMAT,
        });
    }
    if found == SOURCE_FORMAT {
        return Ok(());
    }
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;\n{}\nPRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {SOURCE_FORMAT};\nCOMMIT;",
        include_str!("schema.sql")
    ))?;
    Ok(())
}

/// Read connections, kept open for the next reader.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// A reader borrowed from the pool.
#[derive(Debug)]
pub(crate) struct Pooled<'pool> {
    pool: &'pool Readers,
    connection: Option<Connection>,
}

impl Readers {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
        }
    }

    /// A reader: an idle one, or a new one.
    pub(crate) fn get(&self) -> Result<Pooled<'_>, StoreError> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        Ok(Pooled {
            pool: self,
            connection: Some(connection),
        })
    }

    /// A new connection that can't write.
    pub(crate) fn open(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        configure(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }
}

impl Deref for Pooled<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
            .as_ref()
            .expect("the connection leaves only when this is dropped")
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        let connection = self.connection.take();
        self.pool
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(connection);
    }
}
