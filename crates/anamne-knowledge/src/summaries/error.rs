//! Errors of summaries.

use std::path::PathBuf;

use anamne_store::StoreError;
use anamne_store::view::ViewError;

/// An error of the summaries of a space. None affects the source: the file is derived.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The database failed. Damage is repaired automatically; this is something else, such as a full disk.
    #[error(
        "the summaries in {path}: {source}; they are derived, so the file may be removed and is made anew"
    )]
    Database {
        /// The file.
        path: PathBuf,
        /// The SQLite error.
        source: rusqlite::Error,
    },
    /// Another process kept the file locked for longer than the bounded retry.
    #[error(
        "another process has been writing to {path} for ten seconds; try again, or look for a process that hangs"
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A file or folder could not be created or moved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log could not be read.
    #[error(transparent)]
    Feed(#[from] ViewError),
    /// Another process reads pages of the file that an erasure must overwrite.
    #[error(
        "another process reads {path}; what was erased leaves the file's log when the space is next settled"
    )]
    Busy {
        /// The file.
        path: PathBuf,
    },
}
