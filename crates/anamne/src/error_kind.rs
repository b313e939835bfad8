//! The kinds of errors, and their next steps. Doors word both.

use anamne_embed::EmbedError;
use anamne_experience::ExperienceError;
use anamne_jobs::QueueError;
use anamne_knowledge::graph::GraphError;
use anamne_knowledge::summaries::SummaryError;
use anamne_llm::BridgeError;
use anamne_recall::RecallError;
use anamne_store::FileProblem;
use anamne_types::NextStep;

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

    /// The kind's name in JSON.
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

    /// The next step, if it is the same for every error of the kind.
    pub fn next_step(self) -> Option<NextStep> {
        match self {
            Self::PermissionDenied => Some(NextStep::FixPermissions),
            Self::Busy => Some(NextStep::WaitAndRetry),
            Self::NewerFormat => Some(NextStep::InstallNewer),
            Self::Damaged => Some(NextStep::Repair),
            Self::Refused | Self::Denied | Self::NotFound | Self::Failed => None,
        }
    }
}

impl From<FileProblem> for ErrorKind {
    fn from(problem: FileProblem) -> Self {
        match problem {
            FileProblem::PermissionDenied => Self::PermissionDenied,
            FileProblem::Busy => Self::Busy,
            FileProblem::NewerFormat => Self::NewerFormat,
            FileProblem::Damaged => Self::Damaged,
        }
    }
}

impl Error {
    /// The next step, if there is one.
    pub fn next_step(&self) -> Option<NextStep> {
        let own = match self {
            Self::Store(error) => error.next_step(),
            Self::Recall(error) => error.next_step(),
            Self::Queue(error) => error.next_step(),
            Self::Bridge(error) => error.next_step(),
            Self::BadLine { next_step, .. } | Self::BadNote { next_step, .. } => *next_step,
            Self::UnknownModel { .. } | Self::UnknownReranker { .. } | Self::Model { .. } => {
                Some(NextStep::ImportModel)
            }
            Self::OtherPurpose { .. } | Self::ModelInUse { .. } => Some(NextStep::ChooseModel),
            Self::Knowledge(GraphError::NoContradiction { .. }) => {
                Some(NextStep::ListContradictions)
            }
            _ => None,
        };
        own.or_else(|| self.kind().next_step())
    }

    /// The kind of file problem, if it is one with its own next step.
    pub(crate) fn problem(&self) -> Option<FileProblem> {
        match self {
            Self::Store(error) | Self::Recall(RecallError::Store(error)) => error.problem(),
            Self::View(error) => error.problem(),
            Self::Recall(RecallError::Embed(error)) | Self::Embed(error) => of_embed(error),
            Self::Knowledge(error) => of_graph(error),
            Self::Summaries(error) => of_summaries(error),
            Self::Experience(error) => of_experience(error),
            Self::Queue(error) => of_queue(error),
            Self::Bridge(error) => of_bridge(error),
            Self::Stream { source, .. } => FileProblem::of_io(source),
            _ => None,
        }
    }
}

fn of_embed(error: &EmbedError) -> Option<FileProblem> {
    match error {
        EmbedError::Read { source, .. } => FileProblem::of_io(source),
        _ => None,
    }
}

fn of_graph(error: &GraphError) -> Option<FileProblem> {
    match error {
        GraphError::Store(error) => error.problem(),
        GraphError::Feed(error) => error.problem(),
        GraphError::Sqlite(error) => FileProblem::of_sqlite(error),
        GraphError::Claim { .. } => Some(FileProblem::Damaged),
        _ => None,
    }
}

fn of_summaries(error: &SummaryError) -> Option<FileProblem> {
    match error {
        SummaryError::Database { source, .. } => FileProblem::of_sqlite(source),
        SummaryError::Locked { .. } | SummaryError::Busy { .. } => Some(FileProblem::Busy),
        SummaryError::Store(error) => error.problem(),
        SummaryError::Feed(error) => error.problem(),
        _ => None,
    }
}

fn of_experience(error: &ExperienceError) -> Option<FileProblem> {
    match error {
        ExperienceError::Store(error) => error.problem(),
        ExperienceError::Feed(error) => error.problem(),
        ExperienceError::Database(error) => FileProblem::of_sqlite(error),
        ExperienceError::Embed(error) => of_embed(error),
        _ => None,
    }
}

fn of_queue(error: &QueueError) -> Option<FileProblem> {
    match error {
        QueueError::Busy { .. } => Some(FileProblem::Busy),
        QueueError::Damaged { .. } => Some(FileProblem::Damaged),
        QueueError::Store(error) => error.problem(),
        QueueError::Sqlite(error) => FileProblem::of_sqlite(error),
        _ => None,
    }
}

fn of_bridge(error: &BridgeError) -> Option<FileProblem> {
    match error {
        BridgeError::Newer { .. } => Some(FileProblem::NewerFormat),
        BridgeError::Io { source, .. } => FileProblem::of_io(source),
        BridgeError::Ledger { source, .. } => FileProblem::of_sqlite(source),
        BridgeError::Store(error) => error.problem(),
        _ => None,
    }
}
