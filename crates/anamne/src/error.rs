//! The one error of the engine, and what kind of failure it is to a door.

use std::path::PathBuf;

use anamne_text::echo::shorten;
use anamne_types::{InvalidValue, NextStep, Right};

use crate::tell::import::ImportReport;

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
    /// Knowledge could not be extracted or read.
    #[error(transparent)]
    Knowledge(anamne_knowledge::graph::GraphError),
    /// Summaries could not be chosen or read.
    #[error(transparent)]
    Summaries(#[from] anamne_knowledge::summaries::SummaryError),
    /// A language model could not be asked, or its settings are wrong.
    #[error(transparent)]
    Bridge(#[from] anamne_llm::BridgeError),
    /// The queue of background work failed, or refused a task.
    #[error(transparent)]
    Queue(#[from] anamne_jobs::QueueError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
    /// A space was to use a model that there is not.
    #[error(
        "unknown embedding model {name:?} (available: {known}); add a Model2Vec folder to {folder}",
        name = shorten(name),
        folder = folder.display()
    )]
    UnknownModel {
        /// The name that was asked for.
        name: String,
        /// The names of those that there are.
        known: String,
        /// Where folders of models lie.
        folder: PathBuf,
    },
    /// A model of the store could not be loaded.
    #[error("the embedding model {:?} can't be loaded: {source}", shorten(name))]
    Model {
        /// The name that was asked for.
        name: String,
        /// Why it can't.
        source: anamne_embed::EmbedError,
    },
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
        /// What a person can do about that.
        next_step: Option<NextStep>,
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
        /// What a person can do about that.
        next_step: Option<NextStep>,
        /// What was taken before the import ended; it stays.
        taken: Box<ImportReport>,
    },
    /// The caller's scope does not allow it. Nothing was changed.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A file or folder of the caller's is not what it should be.
    #[error("{path}: {reason}")]
    Unsuitable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: &'static str,
    },
}

/// What the caller's scope does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// A space may not be read. Whether it exists is not said.
    #[error("access denied: this caller may not read the space {0:?}")]
    Read(String),
    /// A space may not be written.
    #[error("access denied: this caller may not write to the space {0:?}")]
    Write(String),
    /// Something beyond reading and writing is not allowed.
    #[error("access denied: this caller lacks the right to {0}")]
    Right(Right),
    /// A caller can't act as somebody who is trusted more.
    #[error("access denied: this caller may not act as {0}")]
    Actor(anamne_types::ActorKind),
}

/// The kinds of failure that doors tell apart: exit codes, HTTP statuses, MCP errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller sent something that is not accepted.
    Refused,
    /// The caller's scope does not allow it.
    Denied,
    /// What was asked for is not there.
    NotFound,
    /// The system does not let this user read or write a file of the store.
    PermissionDenied,
    /// Another process is using a file of the store.
    Busy,
    /// A newer version wrote a file of the store.
    NewerFormat,
    /// A file of the store does not hold what it should.
    Damaged,
    /// The engine failed.
    Failed,
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        use anamne_jobs::QueueError;
        use anamne_knowledge::graph::GraphError;
        use anamne_llm::BridgeError;
        use anamne_recall::RecallError;
        use anamne_store::StoreError;
        match self {
            Self::Denied(_) => ErrorKind::Denied,
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
            | Self::Queue(QueueError::Refused(_) | QueueError::State { .. })
            | Self::Bridge(
                BridgeError::Refused(_)
                | BridgeError::Address { .. }
                | BridgeError::KeyUnusable { .. }
                | BridgeError::TooLong { .. },
            )
            | Self::UnknownModel { .. }
            | Self::Model { .. }
            | Self::Recall(
                RecallError::Refused(_)
                | RecallError::TooLongAgo { .. }
                | RecallError::NotExtracted { .. },
            ) => ErrorKind::Refused,
            Self::Store(
                StoreError::NoMemory { .. }
                | StoreError::NoCitation { .. }
                | StoreError::NoSpace(_),
            )
            | Self::Queue(QueueError::NoTask(_))
            | Self::Recall(RecallError::NoEntity { .. })
            | Self::Knowledge(GraphError::NoEntity { .. } | GraphError::NoContradiction { .. }) => {
                ErrorKind::NotFound
            }
            _ => self.trouble().map_or(ErrorKind::Failed, ErrorKind::from),
        }
    }

    /// The field and limit, where a value was refused.
    pub fn refusal(&self) -> Option<&InvalidValue> {
        match self {
            Self::Store(anamne_store::StoreError::Refused(refusal))
            | Self::Recall(anamne_recall::RecallError::Refused(refusal))
            | Self::Queue(anamne_jobs::QueueError::Refused(refusal))
            | Self::Bridge(anamne_llm::BridgeError::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }
}

impl From<InvalidValue> for Error {
    fn from(refusal: InvalidValue) -> Self {
        Self::Store(refusal.into())
    }
}
