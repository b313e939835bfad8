//! What kind of failure an error is, and the next step for each kind: the same on every door.

use anamne_embed::EmbedError;
use anamne_jobs::QueueError;
use anamne_knowledge::graph::GraphError;
use anamne_knowledge::summaries::SummaryError;
use anamne_llm::BridgeError;
use anamne_recall::RecallError;
use anamne_store::Trouble;

use crate::{Error, ErrorKind};

impl ErrorKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Refused,
        Self::Denied,
        Self::NotFound,
        Self::PermissionDenied,
        Self::Busy,
        Self::NewerFormat,
        Self::Damaged,
        Self::Failed,
    ];

    /// The word of the kind in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::NotFound => "not_found",
            Self::PermissionDenied => "permission_denied",
            Self::Busy => "busy",
            Self::NewerFormat => "newer_format",
            Self::Damaged => "damaged",
            Self::Failed => "failed",
        }
    }

    /// What a person does next, where that is the same for every error of the kind.
    pub fn next_step(self) -> Option<&'static str> {
        match self {
            Self::PermissionDenied => Some(
                "give this user read and write permission for the store's folder (`ls -ld` shows its owner and mode), or choose another store with --store DIR",
            ),
            Self::Busy => Some(
                "wait until it is done, or stop it; `lsof` names the processes that have the store's files open",
            ),
            Self::NewerFormat => {
                Some("install a newer version of anamne; this version changed nothing")
            }
            Self::Damaged => Some(
                "`anamne repair` restores what is damaged from the other copy; `anamne verify` only looks",
            ),
            Self::Refused | Self::Denied | Self::NotFound | Self::Failed => None,
        }
    }
}

impl From<Trouble> for ErrorKind {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::PermissionDenied => Self::PermissionDenied,
            Trouble::Busy => Self::Busy,
            Trouble::NewerFormat => Self::NewerFormat,
            Trouble::Damaged => Self::Damaged,
        }
    }
}

impl Error {
    /// Which trouble with a file it is, where it is one of those that have a next step of their own.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Store(error) | Self::Recall(RecallError::Store(error)) => error.trouble(),
            Self::View(error) => error.trouble(),
            Self::Recall(RecallError::Embed(error)) | Self::Embed(error) => of_embed(error),
            Self::Knowledge(error) => of_graph(error),
            Self::Summaries(error) => of_summaries(error),
            Self::Queue(error) => of_queue(error),
            Self::Bridge(error) => of_bridge(error),
            Self::Stream { source, .. } => Trouble::of_io(source),
            _ => None,
        }
    }
}

fn of_embed(error: &EmbedError) -> Option<Trouble> {
    match error {
        EmbedError::Read { source, .. } => Trouble::of_io(source),
        _ => None,
    }
}

fn of_graph(error: &GraphError) -> Option<Trouble> {
    match error {
        GraphError::Store(error) => error.trouble(),
        GraphError::Feed(error) => error.trouble(),
        GraphError::Sqlite(error) => Trouble::of_sqlite(error),
        GraphError::Claim { .. } => Some(Trouble::Damaged),
        _ => None,
    }
}

fn of_summaries(error: &SummaryError) -> Option<Trouble> {
    match error {
        SummaryError::Database { source, .. } => Trouble::of_sqlite(source),
        SummaryError::Locked { .. } | SummaryError::Busy { .. } => Some(Trouble::Busy),
        SummaryError::Store(error) => error.trouble(),
        SummaryError::Feed(error) => error.trouble(),
        _ => None,
    }
}

fn of_queue(error: &QueueError) -> Option<Trouble> {
    match error {
        QueueError::Busy { .. } => Some(Trouble::Busy),
        QueueError::Damaged { .. } => Some(Trouble::Damaged),
        QueueError::Store(error) => error.trouble(),
        QueueError::Sqlite(error) => Trouble::of_sqlite(error),
        _ => None,
    }
}

fn of_bridge(error: &BridgeError) -> Option<Trouble> {
    match error {
        BridgeError::Newer { .. } => Some(Trouble::NewerFormat),
        BridgeError::Io { source, .. } => Trouble::of_io(source),
        BridgeError::Ledger { source, .. } => Trouble::of_sqlite(source),
        BridgeError::Store(error) => error.trouble(),
        _ => None,
    }
}
