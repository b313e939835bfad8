//! Databases beside the source that hold what can be made again: knowledge, summaries, tasks.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;
use crate::files::{
    FileIdentity, create_private_folder, entries, look_at, open_private_file, remove_if_there,
    set_aside,
};
use crate::restore::side_file;
use crate::special_files::refuse_special_file;

/// How such a database is made.
#[derive(Clone, Copy, Debug)]
pub struct DerivedDatabase {
    /// The version of its tables, kept in `PRAGMA user_version`; 1 or more.
    pub format: i64,
    /// The statements that make its tables.
    pub schema: &'static str,
    /// Whether a commit must survive a loss of power. A view's need not: it is caught up again.
    pub durable: bool,
}

impl DerivedDatabase {
    /// Opens the database at `path`, or makes it, owner-only, together with its folder.
    ///
    /// One that is damaged is set aside, one of an earlier format removed, and a new one made in its place: whoever
    /// fills it does so again. [`StoreError::Newer`] for one that a newer version made.
    pub fn open(&self, path: &Path) -> Result<Connection, StoreError> {
        match self.open_once(path) {
            Err(error) if error.is_broken_database() => {
                set_aside(path)?;
                remove_side_files(path)?;
                Ok(self.open_once(path)?.0)
            }
            Ok((connection, found)) if found < self.format => {
                drop(connection);
                remove_derived(path)?;
                Ok(self.open_once(path)?.0)
            }
            opened => Ok(opened?.0),
        }
    }

    fn open_once(&self, path: &Path) -> Result<(Connection, i64), StoreError> {
        refuse_special_file(path)?;
        if look_at(path)?.is_none() {
            if let Some(folder) = path.parent() {
                create_private_folder(folder)?;
            }
            drop(open_private_file(path)?);
        }
        let connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let synchronous = if self.durable { "FULL" } else { "NORMAL" };
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.set_prepared_statement_cache_capacity(64);
        let found = self.make_tables(&connection, path)?;
        Ok((connection, found))
    }

    /// Makes the tables of a new database; says which format it has now.
    fn make_tables(&self, connection: &Connection, path: &Path) -> Result<i64, StoreError> {
        let format = || connection.pragma_query_value(None, "user_version", |row| row.get(0));
        let found: i64 = format()?;
        if found > self.format {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found,
                known: self.format,
            });
        }
        if found > 0 {
            return Ok(found);
        }
        connection.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have made them while this one waited.
        let made = match format()? {
            0 => connection.execute_batch(&format!(
                "{}\nPRAGMA user_version = {};",
                self.schema, self.format
            )),
            _ => Ok(()),
        };
        connection.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        made?;
        Ok(format()?)
    }
}

/// Writes the log of the database at `path` back and cuts it, for older pages stand in it.
///
/// [`StoreError::StillRead`] where a reader keeps some of them in use.
pub fn cut_log(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(StoreError::StillRead {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// Which file lies at a path: another one after it was replaced. `None` where there is none.
pub fn identity_at(path: &Path) -> Option<FileIdentity> {
    look_at(path).ok().flatten().map(|state| state.identity)
}

/// Removes a derived database and what SQLite keeps beside it.
pub fn remove_derived(path: &Path) -> Result<(), StoreError> {
    remove_if_there(path)?;
    remove_side_files(path)
}

/// Removes the copies of a derived database that were set aside as damaged.
pub fn remove_set_aside(path: &Path) -> Result<(), StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mark = format!("{name}.damaged");
    for copy in path.parent().map_or(Ok(Vec::new()), entries)? {
        let name = copy.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(&mark) {
            remove_if_there(&copy)?;
        }
    }
    Ok(())
}

/// Sets a derived database that turned out to be damaged aside, so that a new one can be made in its place.
pub fn set_aside_derived(path: &Path) -> Result<(), StoreError> {
    // Another process may have done so already.
    if look_at(path)?.is_some() {
        set_aside(path)?;
    }
    remove_side_files(path)
}

fn remove_side_files(path: &Path) -> Result<(), StoreError> {
    ["wal", "shm"]
        .iter()
        .try_for_each(|ending| remove_if_there(&side_file(path, ending)))
}
