//! Errors of the queue.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_store::{SideError, StoreError, shows_damage};
use anamne_types::{InvalidValue, NextStep};

use super::{TaskId, TaskState};

/// An error of the task queue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// A value is outside what the queue accepts; nothing was changed.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// There is no such task.
    #[error("no task {0}")]
    NoTask(TaskId),
    /// The task is in the wrong state for this operation; nothing was changed.
    #[error("the task {id} is {state}; only one that is {wanted} can be {action}")]
    State {
        /// The task.
        id: TaskId,
        /// Its state.
        state: TaskState,
        /// The required state.
        wanted: TaskState,
        /// The operation, such as `cancelled`.
        action: &'static str,
    },
    /// The lease expired and the task returned to the queue, so its former holder can't end it any more.
    #[error("the lease of the task {0} expired before it was renewed; the task runs again")]
    LeaseLost(TaskId),
    /// Other writers held the lock for longer than the bounded wait.
    #[error(
        "{path} has been locked by another process for {waited:?}; try again, or look for a hanging process"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long this call waited.
        waited: Duration,
    },
    /// The file contains invalid data. The queue quarantines such files itself, so this is returned only if that did
    /// not help.
    #[error("{path} is damaged: {reason}; delete it to recreate the queue")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file was written by a newer version, or can't be written or created.
    #[error(transparent)]
    Store(StoreError),
    /// SQLite failed.
    #[error("the queue's database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl From<StoreError> for QueueError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Sqlite(error) => Self::Sqlite(error),
            StoreError::Busy { path, waited } => Self::Busy { path, waited },
            StoreError::Damaged { path, reason } => Self::Damaged { path, reason },
            error => Self::Store(error),
        }
    }
}

impl QueueError {
    /// What the user can do next, if anything.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::NoTask(_) => Some(NextStep::ListTasks),
            Self::Store(error) => error.next_step(),
            _ => None,
        }
    }
}

impl SideError for QueueError {
    fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Sqlite(error) => shows_damage(error),
            _ => false,
        }
    }
}

impl QueueError {
    /// Adds the path to SQLite errors about full or read-only disks and about long waits.
    pub(super) fn of_file(self, path: &Path, waited: Duration) -> Self {
        use rusqlite::ErrorCode;
        let Self::Sqlite(error) = self else {
            return self;
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy {
                path: path.to_owned(),
                waited,
            },
            _ => StoreError::Sqlite(error).of_database(path).into(),
        }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}
