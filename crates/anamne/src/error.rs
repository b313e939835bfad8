//! The error type of the engine and its kinds.

use std::path::PathBuf;

use anamne_text::echo::shorten;
use anamne_types::{InvalidValue, NextStep, Right};

use crate::models::ModelPurpose;
use crate::write::import::ImportReport;

/// Errors of the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source, the journal or a lock failed, or a value was rejected.
    #[error(transparent)]
    Store(#[from] anamne_store::StoreError),
    /// A view failed.
    #[error(transparent)]
    View(#[from] anamne_store::view::ViewError),
    /// A recall failed.
    #[error(transparent)]
    Recall(#[from] anamne_recall::RecallError),
    /// Knowledge extraction or lookup failed.
    #[error(transparent)]
    Knowledge(anamne_knowledge::graph::GraphError),
    /// Building or reading summaries failed.
    #[error(transparent)]
    Summaries(#[from] anamne_knowledge::summaries::SummaryError),
    /// Folding or reading experience failed.
    #[error(transparent)]
    Experience(#[from] anamne_experience::ExperienceError),
    /// A language model call failed, or its settings are invalid.
    #[error(transparent)]
    Bridge(#[from] anamne_llm::BridgeError),
    /// The task queue failed, or rejected a task.
    #[error(transparent)]
    Queue(#[from] anamne_jobs::QueueError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
    /// Unknown embedding model.
    #[error(
        "unknown embedding model {name:?} (available: {known}); add a Model2Vec folder to {folder}",
        name = shorten(name),
        folder = folder.display()
    )]
    UnknownModel {
        /// The requested name.
        name: String,
        /// The available names.
        known: String,
        /// The folder of embedding models.
        folder: PathBuf,
    },
    /// Unknown reranker.
    #[error(
        "unknown reranker {:?} (available: {})",
        shorten(name),
        if known.is_empty() { "none" } else { known.as_str() }
    )]
    UnknownReranker {
        /// The requested name.
        name: String,
        /// The available names.
        known: String,
    },
    /// A model of the store is for another purpose than the requested one.
    #[error(
        "the model {:?} is {}",
        shorten(name),
        match wanted {
            ModelPurpose::Reranking => "an embedding model, not a reranker",
            ModelPurpose::Embedding => "a reranker, not an embedding model",
        }
    )]
    OtherPurpose {
        /// The requested name.
        name: String,
        /// What it was to be used for.
        wanted: ModelPurpose,
    },
    /// A model failed to load.
    #[error("the model {:?} can't be loaded: {source}", shorten(name))]
    Model {
        /// The requested name.
        name: String,
        /// Why it failed.
        source: anamne_embed::EmbedError,
    },
    /// A folder given by the caller is no usable model.
    #[error("{} can't be imported: {source}", folder.display())]
    NotImported {
        /// The folder.
        folder: PathBuf,
        /// Why it failed.
        source: anamne_embed::EmbedError,
    },
    /// Another model has this name. One for another purpose can't be replaced.
    #[error(
        "the store has another model {:?}; choose another name, or replace one of the same kind",
        shorten(name)
    )]
    ModelExists {
        /// The name.
        name: String,
    },
    /// A space uses the model.
    #[error("the model {:?} is used by {}", shorten(name), users(spaces, *others))]
    ModelInUse {
        /// The model's name.
        name: String,
        /// The spaces that the caller may read.
        spaces: Vec<String>,
        /// The number of other spaces.
        others: usize,
    },
    /// Reading from or writing to a caller's stream failed.
    #[error("can't {action}: {source}")]
    Stream {
        /// The attempted action.
        action: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// An invalid line stopped an import.
    #[error("line {line}: {reason} (before it {taken})")]
    BadLine {
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// Whether it was stored, and one of its links was refused. Links come last, so every memory was stored.
        stored: bool,
        /// The next step.
        next_step: Option<NextStep>,
        /// What was imported before; it stays.
        taken: Box<ImportReport>,
    },
    /// An invalid Markdown note stopped an import.
    #[error("{file}: {reason} (before it {taken})")]
    BadNote {
        /// The note's path in the imported folder.
        file: String,
        /// What is wrong with it.
        reason: String,
        /// Whether it was stored, and one of its links was refused. Links come last, so every memory was stored.
        stored: bool,
        /// The next step.
        next_step: Option<NextStep>,
        /// What was imported before; it stays.
        taken: Box<ImportReport>,
    },
    /// The caller's scope does not allow it. Nothing was changed.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A request with a key is not worked on. Nothing was changed.
    #[error(transparent)]
    RequestKey(#[from] RequestKeyError),
    /// There is nothing of this kind with the name.
    #[error("no {what} {:?}", shorten(name))]
    Nothing {
        /// The kind, such as "experiment".
        what: &'static str,
        /// The requested name.
        name: String,
    },
    /// A file or folder given by the caller is invalid.
    #[error("{path}: {reason}")]
    Unsuitable {
        /// The file or folder.
        path: PathBuf,
        /// The problem and what to do.
        reason: &'static str,
    },
}

/// The spaces that use something, at most three by name.
fn users(spaces: &[String], others: usize) -> String {
    const NAMED: usize = 3;
    let mut parts: Vec<_> = spaces
        .iter()
        .take(NAMED)
        .map(|space| format!("the space {:?}", shorten(space)))
        .collect();
    match others + spaces.len().saturating_sub(NAMED) {
        0 => {}
        1 => parts.push("1 other space".to_owned()),
        more => parts.push(format!("{more} other spaces")),
    }
    parts.join(", ")
}

/// Why a request with a key is not worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestKeyError {
    /// The key came with another request.
    #[error("this key came with another request in the last 24 hours; use a new key")]
    OtherRequest,
    /// The same request is being worked on.
    #[error("a request with this key is being worked on; try again in a second")]
    UnderWay,
}

/// An action that the caller's scope forbids.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// Reading a space. Whether it exists is not revealed.
    #[error("access denied: this caller may not read the space {0:?}")]
    Read(String),
    /// Writing to a space.
    #[error("access denied: this caller may not write to the space {0:?}")]
    Write(String),
    /// An action that needs a right.
    #[error("access denied: this caller lacks the right to {0}")]
    Right(Right),
    /// Acting as a more trusted actor.
    #[error("access denied: this caller may not act as {0}")]
    Actor(anamne_types::ActorKind),
}

/// Error kinds that doors map to exit codes, HTTP statuses and MCP errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Invalid input.
    Refused,
    /// The caller's scope does not allow it.
    Denied,
    /// Not found.
    NotFound,
    /// The system does not let this user read or write a file of the store.
    PermissionDenied,
    /// Another process is using a file of the store.
    Busy,
    /// A newer version wrote a file of the store.
    NewerFormat,
    /// A file of the store is damaged.
    Damaged,
    /// Any other failure.
    Failed,
}

impl Error {
    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        use anamne_jobs::QueueError;
        use anamne_knowledge::graph::GraphError;
        use anamne_llm::BridgeError;
        use anamne_recall::RecallError;
        use anamne_store::StoreError;
        match self {
            Self::Denied(_) => ErrorKind::Denied,
            Self::RequestKey(RequestKeyError::UnderWay) => ErrorKind::Busy,
            Self::Store(
                StoreError::Refused(_)
                | StoreError::State { .. }
                | StoreError::VersionDiffers { .. }
                | StoreError::SpaceChanged(_)
                | StoreError::Conflict { .. }
                | StoreError::WasErased { .. }
                | StoreError::QuotaExceeded { .. }
                | StoreError::StoreQuotaExceeded { .. }
                | StoreError::NotEmpty { .. }
                | StoreError::NotEmptySpace(_)
                | StoreError::InvalidExport { .. }
                | StoreError::Within { .. }
                | StoreError::Diverged { .. }
                | StoreError::OnlyInBackup { .. },
            )
            | Self::RequestKey(_)
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
            | Self::UnknownReranker { .. }
            | Self::OtherPurpose { .. }
            | Self::Model { .. }
            | Self::NotImported { .. }
            | Self::ModelExists { .. }
            | Self::ModelInUse { .. }
            | Self::Recall(
                RecallError::Refused(_)
                | RecallError::TooLongAgo { .. }
                | RecallError::NotExtracted { .. },
            ) => ErrorKind::Refused,
            Self::Store(
                StoreError::NoMemory { .. }
                | StoreError::NoCitation { .. }
                | StoreError::NoSpace(_)
                | StoreError::SpaceGone(_),
            )
            | Self::Nothing { .. }
            | Self::Queue(QueueError::NoTask(_))
            | Self::Recall(RecallError::NoEntity { .. })
            | Self::Knowledge(GraphError::NoEntity { .. } | GraphError::NoContradiction { .. }) => {
                ErrorKind::NotFound
            }
            _ => self.problem().map_or(ErrorKind::Failed, ErrorKind::from),
        }
    }

    pub(crate) fn nothing(what: &'static str, name: impl Into<String>) -> Self {
        let name = name.into();
        Self::Nothing { what, name }
    }

    /// The field and limit of a rejected value.
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
