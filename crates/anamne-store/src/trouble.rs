//! The troubles of files that have a next step of their own, told apart in one place.

use std::io::ErrorKind;

use anamne_types::NextStep;
use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::StoreError;
use crate::view::ViewError;

/// Why a file can't be used, where that is more than a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The system does not let this user read or write it.
    PermissionDenied,
    /// Another process is using it.
    Busy,
    /// A newer version wrote it.
    NewerFormat,
    /// It does not hold what it should.
    Damaged,
}

impl Trouble {
    /// What a person does next: the same for every error of this trouble.
    pub fn next_step(self) -> NextStep {
        match self {
            Self::PermissionDenied => NextStep::FixPermissions,
            Self::Busy => NextStep::WaitAndRetry,
            Self::NewerFormat => NextStep::InstallNewer,
            Self::Damaged => NextStep::Repair,
        }
    }

    /// What an error of the system means.
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

    /// What an error of SQLite means.
    pub fn of_sqlite(error: &rusqlite::Error) -> Option<Self> {
        let error = error.sqlite_error()?;
        match error.code {
            // The file was replaced under a connection; nobody lacks a permission.
            _ if error.extended_code == ffi::SQLITE_READONLY_DBMOVED => None,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(Self::Busy),
            ErrorCode::PermissionDenied | ErrorCode::ReadOnly => Some(Self::PermissionDenied),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(Self::Damaged),
            // The first: a statement that a sound database understands was not understood, for a table is missing.
            _ => matches!(
                error.extended_code,
                ffi::SQLITE_ERROR | ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS
            )
            .then_some(Self::Damaged),
        }
    }
}

impl StoreError {
    /// Which trouble it is, where it is one of those that have a next step of their own.
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::ReadOnly { .. } => Some(Trouble::PermissionDenied),
            Self::Busy { .. } => Some(Trouble::Busy),
            Self::Newer { .. } => Some(Trouble::NewerFormat),
            Self::Damaged { .. } | Self::Unproven { .. } | Self::Json(_) => Some(Trouble::Damaged),
            Self::Io { source, .. } => Trouble::of_io(source),
            Self::Sqlite(error) => Trouble::of_sqlite(error),
            _ => None,
        }
    }
}

impl StoreError {
    /// Whether it says nothing of what a file holds, only that nobody may look at it now.
    pub(crate) fn keeps_out(&self) -> bool {
        match self {
            // A database that says it is read-only may be a damaged one: its header has a bit for that.
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => false,
            error => matches!(
                error.trouble(),
                Some(Trouble::Busy | Trouble::PermissionDenied)
            ),
        }
    }
}

impl ViewError {
    /// Which trouble it is, where it is one of those that have a next step of their own.
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Io { source, .. } => Trouble::of_io(source),
            Self::Source(error) => error.trouble(),
            Self::Busy { .. } => Some(Trouble::Busy),
            Self::Damaged { .. } => Some(Trouble::Damaged),
            Self::Feed(_) | Self::Engine(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn of_code(code: i32) -> Option<Trouble> {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        StoreError::from(error).trouble()
    }

    #[test]
    fn sqlite_tells_a_lock_from_damage_and_from_a_missing_permission() {
        for (code, trouble) in [
            (ffi::SQLITE_BUSY, Some(Trouble::Busy)),
            (ffi::SQLITE_BUSY_SNAPSHOT, Some(Trouble::Busy)),
            (ffi::SQLITE_LOCKED, Some(Trouble::Busy)),
            (ffi::SQLITE_LOCKED_SHAREDCACHE, Some(Trouble::Busy)),
            (ffi::SQLITE_PERM, Some(Trouble::PermissionDenied)),
            (ffi::SQLITE_READONLY, Some(Trouble::PermissionDenied)),
            (
                ffi::SQLITE_READONLY_DIRECTORY,
                Some(Trouble::PermissionDenied),
            ),
            (ffi::SQLITE_CORRUPT, Some(Trouble::Damaged)),
            (ffi::SQLITE_NOTADB, Some(Trouble::Damaged)),
            (ffi::SQLITE_IOERR_SHORT_READ, Some(Trouble::Damaged)),
            (ffi::SQLITE_NOMEM, None),
            (ffi::SQLITE_INTERRUPT, None),
        ] {
            assert_eq!(of_code(code), trouble, "{code}");
        }
    }

    #[test]
    fn the_system_says_the_same_of_reading_and_of_writing() {
        for action in ["read", "look at", "open", "write", "create", "lock"] {
            for (kind, trouble) in [
                (ErrorKind::PermissionDenied, Some(Trouble::PermissionDenied)),
                (
                    ErrorKind::ReadOnlyFilesystem,
                    Some(Trouble::PermissionDenied),
                ),
                (ErrorKind::ResourceBusy, Some(Trouble::Busy)),
                (ErrorKind::StorageFull, None),
                (ErrorKind::TimedOut, None),
            ] {
                let error = StoreError::io(action, Path::new("store"))(kind.into());
                assert_eq!(error.trouble(), trouble, "{action} {kind:?}");
            }
        }
    }
}
