//! Errors of the graph.

use anamne_store::StoreError;
use anamne_store::view::ViewError;
use anamne_text::echo::shorten;

/// Why the graph could not be extracted or read.
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
    /// A claim is not in the form in which it was written.
    #[error("knowledge: a claim can't be read: {reason}")]
    Claim {
        /// Why not.
        reason: String,
    },
    /// No entity with this name.
    #[error("no entity is called \"{}\"", shorten(name))]
    NoEntity {
        /// What was asked for.
        name: String,
    },
    /// No contradiction with this id.
    #[error("no contradiction has the id \"{}\"", shorten(id))]
    NoContradiction {
        /// What was asked for.
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

    /// Whether another process held the database for longer than a write waits.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Sqlite(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy))
    }
}
