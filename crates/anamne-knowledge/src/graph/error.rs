//! Errors of the graph.

use anamne_store::StoreError;
use anamne_store::view::ViewError;
use anamne_text::echo::shorten;

/// An error of extracting or reading the graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Its database could not be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log could not be read.
    #[error(transparent)]
    Feed(#[from] ViewError),
    /// Its database could not be read or written.
    #[error("knowledge: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A claim could not be encoded or decoded.
    #[error("knowledge: a claim can't be read: {reason}")]
    Claim {
        /// The reason.
        reason: String,
    },
    /// No entity with this name.
    #[error("no entity is called \"{}\"", shorten(name))]
    NoEntity {
        /// The requested name.
        name: String,
    },
    /// No contradiction with this id.
    #[error("no contradiction has the id \"{}\"", shorten(id))]
    NoContradiction {
        /// The requested id.
        id: String,
    },
}

impl GraphError {
    /// Whether the database is damaged, so that the graph must be extracted again.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Store(error) => error.is_broken_database(),
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
            ),
            Self::Claim { .. } => true,
            _ => false,
        }
    }

    /// Whether a write timed out because another process held the database.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Sqlite(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy))
    }
}
