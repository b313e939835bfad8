//! Names of threads, sessions, authors and tags, stored once under a number.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::Result;

/// Cache of the names used by this process.
///
/// A number is never reused for another name: a name without users is emptied on erasure, and its number stays taken.
/// So number-to-name entries never become stale; name-to-number entries may, and their users check them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<KnownName>,
}

#[derive(Debug, Default)]
struct KnownName {
    /// Names used by the writer; trusted only while no other connection commits.
    by_name: FxHashMap<Box<str>, u32>,
    by_number: FxHashMap<u32, Box<str>>,
    /// `PRAGMA data_version` of the writer's connection when `by_name` was last trusted.
    data_version: i64,
}

/// The cache is cleared at this number of names.
const MOST_KNOWN: usize = 100_000;

impl Names {
    /// The number of a name, if it has one.
    pub(crate) fn find(connection: &Connection, name: &str) -> Result<Option<u32>> {
        Ok(connection
            .prepare_cached("SELECT id FROM names WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?)
    }

    /// The number of a name, for queries. If the index has none, scans all names, because the index may have lost it.
    pub(crate) fn find_unindexed(connection: &Connection, name: &str) -> Result<Option<u32>> {
        if let Some(number) = Self::find(connection, name)? {
            return Ok(Some(number));
        }
        Ok(connection
            .prepare_cached("SELECT id FROM names NOT INDEXED WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?)
    }

    /// Begins a write: drops cached entries if another process has committed since the last one.
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

    /// Clears the cache, so that numbers assigned in a rolled-back transaction are not used.
    pub(crate) fn forget(&self) {
        *self.lock() = KnownName::default();
    }

    /// Combines the cache with a connection to its database.
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

/// A connection with its name cache: everything needed to read or write a complete memory.
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
    /// The name with this number.
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

    /// The number of a name, assigned now if it has none. Only inside a write; after a rollback, [`Names::forget`] must
    /// be called.
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

    /// Erases a name permanently; its number stays taken.
    pub(crate) fn erase(self, number: u32) -> Result<()> {
        // Valid names contain no control characters, so this can't collide with one.
        self.prepare_cached("UPDATE names SET name = char(0) || id WHERE id = ?1")?
            .execute([number])?;
        self.names.forget();
        Ok(())
    }
}
