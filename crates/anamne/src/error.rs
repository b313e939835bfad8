//! The one error of the engine, and what kind of failure it is to a door.

use std::path::PathBuf;

use anamne_types::Refusal;

use crate::import::ImportReport;

/// What can go wrong when the engine is asked or told something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source, the journal or a lock failed, or a value was refused.
    #[error(transparent)]
    Store(#[from] anamne_store::StoreError),
    /// A view could not be built.
    #[error(transparent)]
    View(#[from] anamne_store::view::ViewError),
    /// A recall could not be answered.
    #[error(transparent)]
    Recall(#[from] anamne_recall::RecallError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
    /// Data could not be read from or written to a caller's stream.
    #[error("can't {action}: {source}")]
    Stream {
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A line of an import can't be taken, and the import ended there.
    #[error("line {line}: {reason} (before it {taken})")]
    BadLine {
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// What was taken before the import ended; it stays.
        taken: Box<ImportReport>,
    },
    /// A Markdown note of an import can't be taken, and the import ended there.
    #[error("{file}: {reason} (before it {taken})")]
    BadNote {
        /// The note's path in the folder that was imported.
        file: String,
        /// What is wrong with it.
        reason: String,
        /// What was taken before the import ended; it stays.
        taken: Box<ImportReport>,
    },
    /// A file or folder of the caller's is not what it should be.
    #[error("{path}: {reason}")]
    Unsuitable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: &'static str,
    },
}

/// The kinds of failure that doors tell apart: exit codes, HTTP statuses, MCP errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller sent something that is not accepted.
    Refused,
    /// What was asked for is not there.
    NotFound,
    /// The engine failed.
    Failed,
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        use anamne_recall::RecallError;
        use anamne_store::StoreError;
        match self {
            Self::Store(
                StoreError::Refused(_)
                | StoreError::State { .. }
                | StoreError::Conflict { .. }
                | StoreError::WasErased { .. }
                | StoreError::QuotaExceeded { .. }
                | StoreError::NotEmpty { .. }
                | StoreError::Within { .. }
                | StoreError::Diverged { .. },
            )
            | Self::BadLine { .. }
            | Self::BadNote { .. }
            | Self::Unsuitable { .. }
            | Self::Recall(RecallError::Refused(_)) => ErrorKind::Refused,
            Self::Store(
                StoreError::NoMemory { .. }
                | StoreError::NoCitation { .. }
                | StoreError::NoSpace(_),
            ) => ErrorKind::NotFound,
            _ => ErrorKind::Failed,
        }
    }

    /// The field and limit, where a value was refused.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Store(anamne_store::StoreError::Refused(refusal))
            | Self::Recall(anamne_recall::RecallError::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Store(refusal.into())
    }
}
