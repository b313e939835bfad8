//! What can go wrong with the queue.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_store::StoreError;
use anamne_types::{NextStep, Refusal};

use super::{TaskId, TaskState};

/// An error of the queue of tasks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// A value is outside what the queue accepts; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such task.
    #[error("no task {0}")]
    NoTask(TaskId),
    /// The task is not in a state in which this can be done; nothing was changed.
    #[error("the task {id} is {state}; only one that is {wanted} can be {action}")]
    State {
        /// The task.
        id: TaskId,
        /// What it is.
        state: TaskState,
        /// What it would have to be.
        wanted: TaskState,
        /// What was asked for, such as `cancelled`.
        action: &'static str,
    },
    /// The lease ran out and the task went back to the queue, so its former holder has no say in it any more.
    #[error(
        "the lease of the task {0} was lost: it ran out before it was renewed; the task runs again"
    )]
    LeaseLost(TaskId),
    /// Others have been writing for longer than the bounded wait.
    #[error(
        "{path} has been in use by others for {waited:?}; try again, or look for a process that hangs"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The file holds what no queue wrote. The queue sets such a file aside by itself, so that this is met only where
    /// that did not help.
    #[error("{path} is damaged: {reason}; remove it, and the queue is made anew")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file was written by a newer version, or can't be written or made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// SQLite failed.
    #[error("the queue's database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl QueueError {
    /// What a person can do next, where there is something.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::NoTask(_) => Some(NextStep::ListTasks),
            Self::Store(error) => error.next_step(),
            _ => None,
        }
    }

    /// Whether the file itself is broken, so that only a new one helps.
    pub(super) fn is_damage(&self) -> bool {
        use rusqlite::ffi::{self, ErrorCode};
        match self {
            Self::Damaged { .. } => true,
            Self::Sqlite(error) => match error.sqlite_error() {
                Some(found) => {
                    // The last three: the file ends early, or lacks a table that every queue has.
                    matches!(
                        found.code,
                        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase
                    ) || matches!(
                        found.extended_code,
                        ffi::SQLITE_IOERR_SHORT_READ
                            | ffi::SQLITE_IOERR_CORRUPTFS
                            | ffi::SQLITE_ERROR
                    )
                }
                // A value that nobody wrote, or a row that must be there and is not.
                None => true,
            },
            _ => false,
        }
    }

    /// Names the file in what SQLite says of a disk that is full or may not be written, and of long waits.
    pub(super) fn of_file(self, path: &Path, waited: Duration) -> Self {
        use rusqlite::ffi::ErrorCode;
        let Self::Sqlite(error) = &self else {
            return self;
        };
        let path = path.to_owned();
        let (action, reason) = ("write", error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, waited }
            }
            Some(ErrorCode::DiskFull) => Self::Store(StoreError::DiskFull {
                action,
                path,
                reason,
            }),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Store(StoreError::ReadOnly {
                    action,
                    path,
                    reason,
                })
            }
            _ => self,
        }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}
