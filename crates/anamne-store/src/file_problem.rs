//! File errors that have their own next step.

use std::io::ErrorKind;

use anamne_types::NextStep;
use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::StoreError;
use crate::view::ViewError;

/// Why a file can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileProblem {
    /// This user lacks permission to read or write it.
    PermissionDenied,
    /// Another process is using it.
    Busy,
    /// A newer version wrote it.
    NewerFormat,
    /// It is damaged.
    Damaged,
}

impl FileProblem {
    /// The next step for a person.
    pub fn next_step(self) -> NextStep {
        match self {
            Self::PermissionDenied => NextStep::FixPermissions,
            Self::Busy => NextStep::WaitAndRetry,
            Self::NewerFormat => NextStep::InstallNewer,
            Self::Damaged => NextStep::Repair,
        }
    }

    /// Classifies an I/O error.
    pub fn of_io(error: &std::io::Error) -> Option<Self> {
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Some(Self::PermissionDenied)
            }
            ErrorKind::WouldBlock | ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => {
                Some(Self::Busy)
            }
            _ => None,
        }
    }

    /// Classifies a SQLite error.
    pub fn of_sqlite(error: &rusqlite::Error) -> Option<Self> {
        let error = error.sqlite_error()?;
        match error.code {
            // The file was replaced while open; no permission is missing.
            _ if error.extended_code == ffi::SQLITE_READONLY_DBMOVED => None,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(Self::Busy),
            ErrorCode::PermissionDenied | ErrorCode::ReadOnly => Some(Self::PermissionDenied),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(Self::Damaged),
            // `SQLITE_ERROR`: a valid statement was rejected because a table is missing.
            _ => matches!(
                error.extended_code,
                ffi::SQLITE_ERROR | ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS
            )
            .then_some(Self::Damaged),
        }
    }
}

impl StoreError {
    /// The class of this error, if it has its own next step.
    pub fn problem(&self) -> Option<FileProblem> {
        match self {
            Self::ReadOnly { .. } => Some(FileProblem::PermissionDenied),
            Self::Busy { .. } => Some(FileProblem::Busy),
            Self::Newer { .. } => Some(FileProblem::NewerFormat),
            Self::Damaged { .. } | Self::Unverified { .. } | Self::Json(_) => {
                Some(FileProblem::Damaged)
            }
            Self::Io { source, .. } => FileProblem::of_io(source),
            Self::Sqlite(error) => FileProblem::of_sqlite(error),
            _ => None,
        }
    }
}

impl StoreError {
    /// Whether the error only prevents access for now, and says nothing about the content.
    pub(crate) fn keeps_out(&self) -> bool {
        match self {
            // A database reported as read-only may be damaged: its header contains a read-only flag.
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => false,
            error => matches!(
                error.problem(),
                Some(FileProblem::Busy | FileProblem::PermissionDenied)
            ),
        }
    }
}

impl ViewError {
    /// The class of this error, if it has its own next step.
    pub fn problem(&self) -> Option<FileProblem> {
        match self {
            Self::Io { source, .. } => FileProblem::of_io(source),
            Self::Source(error) => error.problem(),
            Self::Busy { .. } => Some(FileProblem::Busy),
            Self::Damaged { .. } => Some(FileProblem::Damaged),
            Self::Feed(_) | Self::Engine(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn of_code(code: i32) -> Option<FileProblem> {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        StoreError::from(error).problem()
    }

    #[test]
    fn sqlite_errors_distinguish_lock_damage_and_permission() {
        for (code, problem) in [
            (ffi::SQLITE_BUSY, Some(FileProblem::Busy)),
            (ffi::SQLITE_BUSY_SNAPSHOT, Some(FileProblem::Busy)),
            (ffi::SQLITE_LOCKED, Some(FileProblem::Busy)),
            (ffi::SQLITE_LOCKED_SHAREDCACHE, Some(FileProblem::Busy)),
            (ffi::SQLITE_PERM, Some(FileProblem::PermissionDenied)),
            (ffi::SQLITE_READONLY, Some(FileProblem::PermissionDenied)),
            (
                ffi::SQLITE_READONLY_DIRECTORY,
                Some(FileProblem::PermissionDenied),
            ),
            (ffi::SQLITE_CORRUPT, Some(FileProblem::Damaged)),
            (ffi::SQLITE_NOTADB, Some(FileProblem::Damaged)),
            (ffi::SQLITE_IOERR_SHORT_READ, Some(FileProblem::Damaged)),
            (ffi::SQLITE_NOMEM, None),
            (ffi::SQLITE_INTERRUPT, None),
        ] {
            assert_eq!(of_code(code), problem, "{code}");
        }
    }

    #[test]
    fn io_errors_are_classified_alike_for_reading_and_writing() {
        for action in ["read", "look at", "open", "write", "create", "lock"] {
            for (kind, problem) in [
                (
                    ErrorKind::PermissionDenied,
                    Some(FileProblem::PermissionDenied),
                ),
                (
                    ErrorKind::ReadOnlyFilesystem,
                    Some(FileProblem::PermissionDenied),
                ),
                (ErrorKind::ResourceBusy, Some(FileProblem::Busy)),
                (ErrorKind::StorageFull, None),
                (ErrorKind::TimedOut, None),
            ] {
                let error = StoreError::io(action, Path::new("store"))(kind.into());
                assert_eq!(error.problem(), problem, "{action} {kind:?}");
            }
        }
    }
}
