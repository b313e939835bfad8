//! The file `views/summaries.db`.

use std::path::Path;

use anamne_store::view::ViewError;
use anamne_store::{SideDatabase, SideError, SideFile, StoreError, UnusableFile};
use rusqlite::{Connection, ErrorCode, Transaction};

use super::SummaryError;

/// The version of the file format.
pub const SUMMARIES_FORMAT: i64 = 4;

/// The version of the algorithm that chooses sentences: a new one rebuilds all summaries.
macro_rules! summariser {
    () => {
        1
    };
}

/// That version.
pub(super) const SUMMARISER: u32 = summariser!();

const DATABASE: SideDatabase = SideDatabase {
    // `Anmn` in ASCII.
    application_id: 0x416e_6d6e,
    page_size: SideDatabase::SMALL_PAGES,
    unusable: UnusableFile::ReplacedWhere(has_another_summariser),
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

/// Why work in a transaction failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FeedOrStore {
    /// The log could not be read.
    #[error(transparent)]
    Feed(#[from] ViewError),
    /// The file failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for FeedOrStore {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl SideError for FeedOrStore {
    fn is_damage(&self) -> bool {
        match self {
            Self::Store(error) => error.is_damage(),
            Self::Feed(_) => false,
        }
    }
}

/// The summaries of a space: a view of its log in one SQLite file, which several processes may use at once.
///
/// One connection is kept open and checked before each use, to notice a file that another process quarantined or removed.
/// Calls from several threads are serialised.
#[derive(Debug)]
pub struct Summaries {
    file: SideFile,
}

impl Summaries {
    /// Opens `views/summaries.db` of a space; creates it if it is missing, accessible to the owner only.
    ///
    /// A damaged file is quarantined, and one of another version is removed; the summaries are then built again.
    pub fn open(path: &Path) -> Result<Self, SummaryError> {
        let summaries = Self {
            file: SideFile::at(DATABASE, path),
        };
        summaries.with(|_| Ok(()))?;
        Ok(summaries)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Runs `work` on the database. A damaged file is quarantined, and `work` runs again on a new one.
    pub(crate) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, SummaryError> {
        let done = self.file.with(|connection| Ok(work(connection)?));
        done.map_err(|error| self.failed(error))
    }

    /// The same in one write transaction.
    pub(crate) fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, SummaryError> {
        let done = self.file.change(|transaction| Ok(work(transaction)?));
        done.map_err(|error| self.failed(error))
    }

    /// The same for work that reads the log as well. If that fails, nothing is changed.
    pub(crate) fn change_with_feed<T>(
        &self,
        work: impl FnMut(&Transaction<'_>) -> Result<T, FeedOrStore>,
    ) -> Result<T, SummaryError> {
        self.file.change(work).map_err(|error| match error {
            FeedOrStore::Feed(error) => error.into(),
            FeedOrStore::Store(error) => self.failed(error),
        })
    }

    /// Removes all traces of deleted text: quarantined copies, and remains in the file and its log.
    pub(crate) fn rewrite(&self) -> Result<(), SummaryError> {
        self.file.remove_quarantined()?;
        // secure_delete leaves copies of cells that moved within a page.
        self.with(|connection| connection.execute_batch("VACUUM"))?;
        self.file.truncate_wal().map_err(|error| self.failed(error))
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
