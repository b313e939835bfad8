//! Errors of the store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_types::{InvalidValue, MemoryId, NextStep, Seq};

use crate::file_problem::FileProblem;
use crate::files::is_write_denied;

/// The result type of this crate.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An error of the source, the journal or the process lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// An invalid value; nothing was changed.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// No such memory in this space.
    #[error("no memory {id} in the space {space}")]
    NoMemory {
        /// The requested id.
        id: MemoryId,
        /// The searched space.
        space: String,
    },
    /// No memory with this citation in this space.
    #[error("no memory {citation} in the space {space}")]
    NoCitation {
        /// The requested citation.
        citation: String,
        /// The searched space.
        space: String,
    },
    /// No such space in this store.
    #[error("no space named {0:?} in this store")]
    NoSpace(String),
    /// The space was deleted while it was open here.
    #[error("the space {0:?} was deleted since it was opened; nothing was changed")]
    SpaceGone(String),
    /// The memory's state doesn't allow this.
    #[error("the memory {id} {state}")]
    State {
        /// The memory.
        id: MemoryId,
        /// Its state, and what to do.
        state: &'static str,
    },
    /// The memory has changed since the caller read it; nothing was changed.
    #[error("the memory {id} has version {found} by now, not {expected}; read it again")]
    VersionDiffers {
        /// The memory.
        id: MemoryId,
        /// The version that the caller expected.
        expected: u32,
        /// Its version.
        found: u32,
    },
    /// The space was changed since the caller read its state; nothing was changed now.
    #[error("the space {0:?} was changed since its state was read; read it again")]
    SpaceChanged(String),
    /// The external id belongs to a memory with other content.
    #[error(
        "the id {external_id:?} belongs to memory {id} with different content; edit that memory, or use a new id"
    )]
    Conflict {
        /// The external id.
        external_id: String,
        /// The existing memory.
        id: MemoryId,
    },
    /// Timeout waiting for the write lock.
    #[error(
        "{path} has been locked by another process for {waited:?}; try again, or look for a hanging process"
    )]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// The time waited.
        waited: Duration,
    },
    /// A file was written by a newer version of Anamne.
    #[error(
        "{path} has format {found}, but this version knows formats up to {known}; install a newer Anamne to open it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: i64,
        /// The newest supported format version.
        known: i64,
    },
    /// A file is damaged.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A memory in the database doesn't match its digest and can't be repaired from the journal.
    #[error("the database is damaged: the memory {id} doesn't match the digest of event {seq}")]
    Unverified {
        /// The memory.
        id: MemoryId,
        /// The event of its current version.
        seq: Seq,
    },
    /// A memory is erased from the source and the journal, but a reader blocks truncation of the WAL, which has older
    /// pages.
    #[error(
        "the memory is erased, but {path} still has old pages that are being read; they are removed when the space is next opened"
    )]
    StillRead {
        /// The file.
        path: PathBuf,
    },
    /// The memory with this id, or with this external id, was erased permanently, so the id is not given to another one.
    #[error(
        "the memory {id} was permanently erased in this space and can't be stored again under its id; use a new id"
    )]
    WasErased {
        /// The id.
        id: MemoryId,
    },
    /// The write would exceed the space's quota; nothing was changed.
    #[error(
        "quota exceeded in the space {space}: {used} of {limit} bytes used, {wanted} more needed; erase memories, or raise quota.bytes in space.toml"
    )]
    QuotaExceeded {
        /// The space's name.
        space: String,
        /// The quota in bytes.
        limit: u64,
        /// The current size of the space's folder, in bytes.
        used: u64,
        /// The maximum size of the write, in bytes.
        wanted: u64,
    },
    /// The write would exceed the quota of the store; nothing was changed.
    #[error(
        "quota exceeded in the store: {used} of {limit} {what} used; erase memories, or raise the quota"
    )]
    StoreQuotaExceeded {
        /// `memories` or `bytes`.
        what: &'static str,
        /// The quota.
        limit: u64,
        /// The current use.
        used: u64,
    },
    /// A file is not writable; reading still works.
    #[error("can't {action} {path}: {reason}; check the permissions of its folder")]
    ReadOnly {
        /// The attempted action, such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The disk is full, or the file size limit is reached.
    #[error("can't {action} {path}: disk full ({reason}); free some space and try again")]
    DiskFull {
        /// The attempted action, such as `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// A target folder is not empty.
    #[error("{path} is not empty; use an empty or new folder")]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The space of an import has memories already, or had some.
    #[error("the space {0:?} is not empty, and an export file is never merged into one")]
    NotEmptySpace(String),
    /// A file is no export file, or not as it was written.
    #[error("{path} is no complete export file: {reason}; nothing was imported")]
    InvalidExport {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A target folder is inside the store.
    #[error("{path} is inside the store {store}; use a folder outside of it")]
    Within {
        /// The folder.
        path: PathBuf,
        /// The store.
        store: PathBuf,
    },
    /// The backup folder contains something other than an earlier state of this space.
    #[error(
        "{path} is not an earlier state of this space: its event {seq} differs; use another folder"
    )]
    Diverged {
        /// The folder.
        path: PathBuf,
        /// The last event there, which differs from this space's.
        seq: Seq,
    },
    /// The backup folder has content that this space has lost to damage.
    #[error(
        "{path} has the content of event {seq} of the memory {id}, which was lost to damage here; the backup is unchanged: keep it, and back up to another folder"
    )]
    OnlyInBackup {
        /// The space's folder in the backup.
        path: PathBuf,
        /// The memory.
        id: MemoryId,
        /// The event whose content is lost.
        seq: Seq,
    },
    /// A file could not be read or written.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// The attempted action, such as `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// SQLite failed.
    #[error("{}", what_failed(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// A stored value could not be serialised or parsed.
    #[error("invalid stored record: {0}")]
    Json(#[from] serde_json::Error),
}

/// The database failure, and what to do.
fn what_failed(error: &rusqlite::Error) -> String {
    match FileProblem::of_sqlite(error) {
        Some(FileProblem::Busy) => {
            format!("the source database is locked by another process ({error}); try again later")
        }
        Some(FileProblem::PermissionDenied) => format!(
            "no permission to use the source database ({error}); check the permissions of the store's folder"
        ),
        _ if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) => {
            format!("disk full ({error}); free some space and try again")
        }
        _ => format!("the source database failed: {error}"),
    }
}

/// Whether SQLite reports a corrupt file.
pub(crate) fn is_broken(error: &rusqlite::Error) -> bool {
    FileProblem::of_sqlite(error) == Some(FileProblem::Damaged)
}

/// Operations that fail without read permission.
const READING: [&str; 3] = ["read", "look at", "open"];

impl StoreError {
    /// Turns an error of the operating system into one that says what failed, and where.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        use std::io::ErrorKind;
        let path = path.to_owned();
        move |source| match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::DiskFull {
                    action,
                    path,
                    reason: source.to_string(),
                }
            }
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly {
                action,
                path,
                reason: source.to_string(),
            },
            ErrorKind::PermissionDenied if !READING.contains(&action) => Self::ReadOnly {
                action,
                path,
                reason: source.to_string(),
            },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }

    /// Converts SQLite's errors for a full or read-only disk, with the database's path.
    #[must_use]
    pub fn of_database(self, path: &Path) -> Self {
        use rusqlite::ffi::{self, ErrorCode};
        let Self::Sqlite(error) = self else {
            return self;
        };
        let Some(&ffi::Error {
            code,
            extended_code,
        }) = error.sqlite_error()
        else {
            return Self::Sqlite(error);
        };
        let (action, path, reason) = ("write", path.to_owned(), error.to_string());
        let is_full = code == ErrorCode::DiskFull
            || matches!(
                extended_code,
                ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE
            );
        let is_denied = matches!(
            code,
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied
        );
        if is_full {
            Self::DiskFull {
                action,
                path,
                reason,
            }
        } else if is_denied && is_write_denied(&path) {
            Self::ReadOnly {
                action,
                path,
                reason,
            }
        } else {
            Self::Sqlite(error)
        }
    }

    /// The next step, if any.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::NoMemory { .. } | Self::NoCitation { .. } => Some(NextStep::ListMemories),
            Self::NoSpace(_) | Self::SpaceGone(_) => Some(NextStep::ListSpaces),
            Self::State { state, .. } => {
                let is_of_forgotten = state.contains("forgotten");
                is_of_forgotten.then_some(NextStep::ListForgotten)
            }
            Self::QuotaExceeded { .. } | Self::StoreQuotaExceeded { .. } => {
                Some(NextStep::MakeRoom)
            }
            Self::NotEmptySpace(_) => Some(NextStep::ImportAsAnother),
            _ => self.problem().map(FileProblem::next_step),
        }
    }

    /// Whether only writing fails, so that reading still works.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::ReadOnly { .. })
    }

    /// Whether the disk takes no writes now, because it is read-only or full, so that reading still works.
    pub fn prevents_writing(&self) -> bool {
        self.is_read_only() || matches!(self, Self::DiskFull { .. })
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// Whether the database file is damaged and must be restored from the journal.
    pub fn is_broken_database(&self) -> bool {
        matches!(self, Self::Sqlite(error) if is_broken(error))
    }

    /// Whether the content of a memory in a colder tier could not be read.
    pub(crate) fn is_of_colder_tier(&self) -> bool {
        use rusqlite::ffi;
        match self {
            Self::Sqlite(error) => error
                .sqlite_error()
                .is_some_and(|error| error.extended_code == ffi::SQLITE_CONSTRAINT_FUNCTION),
            _ => false,
        }
    }

    /// Whether it concerns one memory only, so that others can be processed.
    pub fn is_of_one_memory(&self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::NoMemory { .. }
                | Self::State { .. }
                | Self::Conflict { .. }
                | Self::WasErased { .. }
                | Self::Unverified { .. }
        )
    }

    /// Whether it is unrepaired damage, so that sound parts can still be read individually.
    pub fn is_unrepaired_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. }) || self.may_be_damage()
    }

    /// Whether a damaged database may be the cause; an examination decides.
    pub(crate) fn may_be_damage(&self) -> bool {
        use rusqlite::ffi::ErrorCode;
        if self.is_broken_database() || self.is_of_colder_tier() {
            return true;
        }
        match self {
            Self::Json(_) | Self::Unverified { .. } => true,
            Self::Sqlite(error) => match error.sqlite_error_code() {
                // The database is missing, or its files don't belong together.
                Some(code) => matches!(
                    code,
                    ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed
                ),
                // An impossible value, or a missing row.
                None => true,
            },
            _ => false,
        }
    }
}
