//! The file `views/summaries.db`.

use std::path::Path;

use anamne_store::{SideDatabase, SideFile, StoreError, Unusable};
use rusqlite::{Connection, ErrorCode, Transaction};

use super::SummaryError;

/// The format of the file.
pub const SUMMARIES_FORMAT: i64 = 1;

/// The version of what chooses sentences: another one makes all summaries again.
macro_rules! summariser {
    () => {
        1
    };
}

const DATABASE: SideDatabase = SideDatabase {
    // `Anmn` in ASCII.
    application_id: 0x416e_6d6e,
    unusable: Unusable::ReplacedWhere(has_another_summariser),
    ..SideDatabase::new(
        SUMMARIES_FORMAT,
        concat!(
            include_str!("schema.sql"),
            "UPDATE state SET summariser = ",
            summariser!(),
            ";"
        ),
    )
};

fn has_another_summariser(connection: &Connection) -> rusqlite::Result<bool> {
    let another = concat!("SELECT summariser <> ", summariser!(), " FROM state");
    connection.query_row(another, [], |row| row.get(0))
}

/// The summaries of a space: a view of its log in one SQLite file, which several processes may use at once.
///
/// One connection is held open, and looked after before each use: a file that was quarantined or removed by another process
/// is noticed. Calls of several threads wait for each other.
#[derive(Debug)]
pub struct Summaries {
    file: SideFile,
}

impl Summaries {
    /// The summaries in this file, `views/summaries.db` of a space; it is made where it is missing, for the owner only.
    ///
    /// A file that is damaged is quarantined, one that another version made is removed; the summaries are recreated then.
    pub fn open(path: &Path) -> Result<Self, SummaryError> {
        let summaries = Self {
            file: SideFile::at(DATABASE, path),
        };
        summaries.with(|_| Ok(()))?;
        Ok(summaries)
    }

    /// Where they lie.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Does something with the database. A damaged one is quarantined, and it is done once more with a new one.
    pub(crate) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, SummaryError> {
        let done = self.file.with(|connection| Ok(work(connection)?));
        done.map_err(|error| self.failed(error))
    }

    /// The same in one transaction that writes.
    pub(crate) fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, SummaryError> {
        let done = self.file.change(|transaction| Ok(work(transaction)?));
        done.map_err(|error| self.failed(error))
    }

    /// Leaves nothing of what was removed: neither in copies that were quarantined, nor in the file or its log.
    pub(crate) fn rewrite(&self) -> Result<(), SummaryError> {
        self.file.remove_set_aside()?;
        // What secure_delete leaves are copies of cells that moved inside a page.
        self.with(|connection| connection.execute_batch("VACUUM"))?;
        self.file.cut_log().map_err(|error| self.failed(error))
    }

    fn failed(&self, error: StoreError) -> SummaryError {
        let path = self.path().to_owned();
        match error {
            StoreError::Sqlite(source) => match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    SummaryError::Locked { path }
                }
                _ => SummaryError::Database { path, source },
            },
            StoreError::Busy { path, .. } => SummaryError::Locked { path },
            StoreError::StillRead { path } => SummaryError::Busy { path },
            error => SummaryError::Store(error),
        }
    }
}
