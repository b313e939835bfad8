//! `server/server.db`: the keys and tenants of a server, beside the spaces of its store.
//!
//! Secrets are not in it: a key is found by its public part, and its secret part is compared with a hash. The file can't
//! be recomputed, so a damaged one is kept, and every request is refused until it is repaired: an empty one would open
//! the server to everybody on the machine.

mod copying;
mod deleted_spaces;
mod in_space;
mod key_text;
mod keys;
mod mirroring;
mod restoring;
mod schedule;
mod series;
mod tenants;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{Clock, SideDatabase, SideFile, StoreError, UnusableFile};
use anamne_types::Right;
use jiff::Timestamp;
use rusqlite::{Connection, Row};

pub use copying::{ServerBackup, TenantBackup};
pub(crate) use in_space::ServerRecordsOfSpace;
pub use key_text::{KeyText, contains_key};
pub use keys::FoundKey;
pub use restoring::{DamagedSpace, ServerRestore};
pub use schedule::{BackupSchedule, BackupStatus};
pub use tenants::Use;

use crate::Error;
use crate::store::Store;

/// Settings of the file.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    unusable: UnusableFile::Kept,
    additions: include_str!("additions.sql"),
    ..SideDatabase::new(1, include_str!("server.sql"))
};

/// The keys and tenants of a server, in an SQLite file shared by processes. Created at the first write.
pub struct ServerRecords {
    folder: PathBuf,
    /// One connection reads, another writes, so that a request doesn't wait for a commit.
    reading: SideFile,
    writing: SideFile,
    clock: Arc<dyn Clock>,
}

impl ServerRecords {
    /// The records of the store in `root`. No I/O.
    pub(crate) fn of_store(root: &Path, clock: Arc<dyn Clock>) -> Self {
        let folder = root.join("server");
        let path = folder.join("server.db");
        Self {
            reading: SideFile::at(DATABASE, &path),
            writing: SideFile::at(DATABASE, &path),
            folder,
            clock,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.reading.path()
    }

    /// Reads; `T::default()` if there is no file.
    fn read<T: Default>(
        &self,
        work: impl FnMut(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, Error> {
        // A path that can't be looked at is not one without keys.
        let path = self.path();
        let there = path.try_exists().map_err(|source| StoreError::Io {
            action: "look at",
            path: path.to_owned(),
            source,
        })?;
        if !there {
            return Ok(T::default());
        }
        Ok(self.reading.with(work)?)
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Store {
    /// The keys and tenants of the server whose store this is. [`Error::Denied`] without [`Right::Configure`], or if
    /// the scope leaves out a space.
    pub fn server_records(&self) -> Result<ServerRecords, Error> {
        self.require(Right::Configure)?;
        if !self.scope.reads_all() {
            return Err(Error::Denied(crate::Denied::Right(Right::Configure)));
        }
        let clock = self.options.clock.clone();
        Ok(ServerRecords::of_store(self.folder.root(), clock))
    }
}

/// The time in a column, in microseconds.
fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Timestamp>> {
    let stored: Option<i64> = row.get(column)?;
    let out_of_range = |at| rusqlite::Error::IntegralValueOutOfRange(0, at);
    stored
        .map(|at| Timestamp::from_microsecond(at).map_err(|_| out_of_range(at)))
        .transpose()
}

/// JSON in a column. A field that this version doesn't know is an error: it may be a restriction.
fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}
