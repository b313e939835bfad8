//! Threads, sessions, authors and tags are stored once, under a number.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::StoreError;

/// Names that this process has met. A committed name keeps its number for ever, so what is here never gets stale.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_name: FxHashMap<Box<str>, u32>,
    by_number: FxHashMap<u32, Box<str>>,
}

/// Past this many names the memory of them is begun anew.
const MOST_KNOWN: usize = 100_000;

impl Names {
    /// The number of a name, if it has one.
    pub(crate) fn find(
        &self,
        connection: &Connection,
        name: &str,
    ) -> Result<Option<u32>, StoreError> {
        if let Some(&number) = self.lock().by_name.get(name) {
            return Ok(Some(number));
        }
        let found: Option<u32> = connection
            .prepare_cached("SELECT id FROM names WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        if let Some(number) = found {
            self.learn(name, number);
        }
        Ok(found)
    }

    /// The number of a name, given to it now if it has none. After a rollback, [`Names::forget`] must be called.
    pub(crate) fn number(&self, connection: &Connection, name: &str) -> Result<u32, StoreError> {
        if let Some(number) = self.find(connection, name)? {
            return Ok(number);
        }
        connection
            .prepare_cached("INSERT INTO names (name) VALUES (?1)")?
            .execute([name])?;
        let number = connection.last_insert_rowid() as u32;
        self.learn(name, number);
        Ok(number)
    }

    /// Forgets everything, so that numbers given in a transaction that was rolled back are not used.
    pub(crate) fn forget(&self) {
        *self.lock() = Known::default();
    }

    /// The name that has this number.
    pub(crate) fn name(&self, connection: &Connection, number: u32) -> Result<String, StoreError> {
        if let Some(name) = self.lock().by_number.get(&number) {
            return Ok(name.to_string());
        }
        let name: String = connection
            .prepare_cached("SELECT name FROM names WHERE id = ?1")?
            .query_row([number], |row| row.get(0))?;
        self.learn(&name, number);
        Ok(name)
    }

    fn learn(&self, name: &str, number: u32) {
        let mut known = self.lock();
        if known.by_name.len() >= MOST_KNOWN {
            *known = Known::default();
        }
        known.by_name.insert(name.into(), number);
        known.by_number.insert(number, name.into());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
