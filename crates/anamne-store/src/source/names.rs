//! Threads, sessions, authors and tags are stored once, under a number.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::Result;

/// Names that this process has met.
///
/// A number never means another name later: one whose last bearer was erased is emptied and stays
/// taken. So a number's name never gets stale; a name's number may, and is checked by its users.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<KnownName>,
}

#[derive(Debug, Default)]
struct KnownName {
    /// What the writer has met; trusted only while no other connection commits.
    by_name: FxHashMap<Box<str>, u32>,
    by_number: FxHashMap<u32, Box<str>>,
    /// `PRAGMA data_version` of the writer's connection when `by_name` was last trusted.
    data_version: i64,
}

/// Past this many names the memory of them is restarted.
const MOST_KNOWN: usize = 100_000;

impl Names {
    /// The number of a name, if it has one.
    pub(crate) fn find(connection: &Connection, name: &str) -> Result<Option<u32>> {
        Ok(connection
            .prepare_cached("SELECT id FROM names WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?)
    }

    /// The number of a name to ask for, if it has one. That it has none costs a look at every name, for their index may
    /// have lost it.
    pub(crate) fn find_surely(connection: &Connection, name: &str) -> Result<Option<u32>> {
        if let Some(number) = Self::find(connection, name)? {
            return Ok(Some(number));
        }
        Ok(connection
            .prepare_cached("SELECT id FROM names NOT INDEXED WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?)
    }

    /// Begins a write: what another process has changed since the last one is not trusted any more.
    pub(crate) fn begin_write(&self, connection: &Connection) -> Result<()> {
        let version: i64 = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        let mut known = self.lock();
        if known.data_version != version {
            known.by_name.clear();
            known.data_version = version;
        }
        Ok(())
    }

    /// Forgets everything, so that numbers given in a transaction that was rolled back are not used.
    pub(crate) fn forget(&self) {
        *self.lock() = KnownName::default();
    }

    /// These names with the connection to their database.
    pub(crate) fn of<'a>(&'a self, connection: &'a Connection) -> Tables<'a> {
        Tables {
            connection,
            names: self,
        }
    }

    fn learn(&self, name: &str, number: u32) {
        let mut known = self.lock();
        if known.by_name.len() >= MOST_KNOWN {
            *known = KnownName::default();
        }
        known.by_name.insert(name.into(), number);
        known.by_number.insert(number, name.into());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KnownName> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection with the names of its database: what it takes to read or write a memory whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables<'a> {
    connection: &'a Connection,
    pub(super) names: &'a Names,
}

impl Deref for Tables<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Tables<'_> {
    /// The name that has this number.
    pub(crate) fn name(self, number: u32) -> Result<String> {
        if let Some(name) = self.names.lock().by_number.get(&number) {
            return Ok(name.to_string());
        }
        let name: String = self
            .prepare_cached("SELECT name FROM names WHERE id = ?1")?
            .query_row([number], |row| row.get(0))?;
        self.names.learn(&name, number);
        Ok(name)
    }

    /// The number of a name, given to it now if it has none. Only inside a write; after a rollback,
    /// [`Names::forget`] must be called.
    pub(crate) fn number(self, name: &str) -> Result<u32> {
        if let Some(&number) = self.names.lock().by_name.get(name) {
            return Ok(number);
        }
        let number = if let Some(number) = Names::find(&self, name)? {
            number
        } else {
            self.prepare_cached("INSERT INTO names (name) VALUES (?1)")?
                .execute([name])?;
            self.last_insert_rowid() as u32
        };
        self.names.learn(name, number);
        Ok(number)
    }

    /// Empties a name permanently; its number stays taken.
    pub(crate) fn erase(self, number: u32) -> Result<()> {
        // No name that a caller may give holds a control character, so this one meets no other.
        self.prepare_cached("UPDATE names SET name = char(0) || id WHERE id = ?1")?
            .execute([number])?;
        self.names.forget();
        Ok(())
    }
}
