//! Owner-only files and folders, and atomic writes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::file_problem::FileProblem;
use crate::storage::{Disk, Storage};
use crate::{Result, StoreError};

/// Creates a folder and its parents, with owner-only permissions.
pub fn create_private_folder(path: &Path) -> Result<()> {
    private_folder()
        .create(path)
        .map_err(StoreError::io("create the folder", path))
}

/// Creates folders and their parents for their owner only.
pub(crate) fn private_folder() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens a file for reading and writing; creates it with owner-only permissions if it is missing.
pub fn open_private_file(path: &Path) -> Result<File> {
    Disk.open(path)
        .map_err(StoreError::io("open for writing", path))
}

/// The marker in the name of an unfinished file; leftovers of a crash are ignored.
pub const UNFINISHED: &str = ".tmp-";

/// The marker in the name of a quarantined file or folder.
pub(crate) const SET_ASIDE: &str = ".damaged-";

/// Atomically and durably replaces the content of `path`.
pub fn replace_file(path: &Path, content: &[u8]) -> Result<()> {
    replace_file_on(&Disk, path, content)
}

/// The same on a given storage. A crash may leave a file whose name contains [`UNFINISHED`].
pub fn replace_file_on(storage: &dyn Storage, path: &Path, content: &[u8]) -> Result<()> {
    let temporary = unfinished(path);
    let replaced = write_new(storage, &temporary, content).and_then(|()| {
        storage
            .rename(&temporary, path)
            .map_err(StoreError::io("replace", path))
    });
    if replaced.is_err() {
        // The first error is the one reported.
        let _ = storage.remove(&temporary);
    }
    replaced?;
    sync_folder_on(storage, path)
}

fn write_new(storage: &dyn Storage, path: &Path, content: &[u8]) -> Result<()> {
    let failed = |action| StoreError::io(action, path);
    let mut file = storage.open(path).map_err(failed("open"))?;
    storage.resize(path, &file, 0).map_err(failed("write"))?;
    storage
        .write(path, &mut file, 0, content)
        .map_err(failed("write"))?;
    storage.sync(path, &file).map_err(failed("sync"))
}

/// A unique name beside `path`, across threads and processes.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}{UNFINISHED}{}-{number}", std::process::id()))
}

/// Removes the unfinished files that a crash left in `folder`. A lock must keep other writers out.
pub fn remove_unfinished(folder: &Path) -> Result<()> {
    for path in entries(folder)? {
        let marked = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().contains(UNFINISHED));
        if marked {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// Turns "not found" into `None`, and other errors into a [`StoreError`].
pub(crate) fn found<T>(
    action: &'static str,
    path: &Path,
    outcome: std::io::Result<T>,
) -> Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(action, path)(error)),
    }
}

/// The paths in a folder; empty if there is no such folder.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = found("read", folder, fs::read_dir(folder))?;
    let entries = entries.into_iter().flatten();
    entries
        .map(|entry| Ok(entry.map_err(StoreError::io("read", folder))?.path()))
        .collect()
}

/// Whether the path exists. Fails if that can't be determined, instead of returning `false`.
pub(crate) fn is_there(path: &Path) -> Result<bool> {
    path.try_exists().map_err(StoreError::io("look at", path))
}

/// Removes a file, or a folder with its content, if it exists.
pub fn remove_if_there(path: &Path) -> Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    found("remove", path, removed).map(|_| ())
}

/// The total size of all files under a folder. A file that disappears meanwhile counts as 0.
pub(crate) fn bytes_under(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for path in entries(folder)? {
        bytes += match found("look at", &path, fs::symlink_metadata(&path))? {
            Some(metadata) if metadata.is_dir() => bytes_under(&path)?,
            Some(metadata) => metadata.len(),
            None => 0,
        };
    }
    Ok(bytes)
}

/// Whether this process lacks permission to write to the file at `path` or its folder. Determined by trying; any other
/// error returns `false`.
pub(crate) fn is_write_denied(path: &Path) -> bool {
    let denied = |error| FileProblem::of_io(error) == Some(FileProblem::PermissionDenied);
    if let Err(error) = OpenOptions::new().write(true).open(path) {
        return denied(&error);
    }
    let probe = unfinished(path);
    match open_new(&probe) {
        Ok(_) => {
            // If this fails, the leftover is removed later as unfinished.
            let _ = fs::remove_file(&probe);
            false
        }
        Err(error) => denied(&error),
    }
}

fn open_new(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The identity of a file, whatever its content: it changes when the file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

impl std::fmt::Display for FileIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.0, self.1)
    }
}

/// Metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) identity: FileIdentity,
    pub(crate) length: u64,
}

/// The metadata of the file at `path`; `None` if it is missing. Costs one `stat`, about a microsecond.
pub(crate) fn look_at(path: &Path) -> Result<Option<FileState>> {
    let metadata = found("look at", path, fs::metadata(path))?;
    Ok(metadata.as_ref().map(state_of))
}

/// The length of the file at `path`; 0 if it is missing.
pub(crate) fn length_of(path: &Path) -> Result<u64> {
    Ok(look_at(path)?.map_or(0, |state| state.length))
}

/// The identity of the file at a path, which changes when the file is replaced. `None` if it is missing.
pub fn identity_at(path: &Path) -> Option<FileIdentity> {
    look_at(path).ok().flatten().map(|state| state.identity)
}

/// The metadata of an open file.
pub(crate) fn look_into(file: &File, path: &Path) -> Result<FileState> {
    let metadata = file.metadata().map_err(StoreError::io("look at", path))?;
    Ok(state_of(&metadata))
}

fn state_of(metadata: &Metadata) -> FileState {
    FileState {
        identity: identity_of(metadata),
        length: metadata.len(),
    }
}

#[cfg(unix)]
pub(crate) fn identity_of(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    FileIdentity(metadata.dev(), metadata.ino())
}

/// Without inode numbers, the creation time serves as identity.
#[cfg(not(unix))]
pub(crate) fn identity_of(metadata: &Metadata) -> FileIdentity {
    let made = metadata
        .created()
        .ok()
        .and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    FileIdentity(0, made.map_or(0, |age| age.as_nanos() as u64))
}

/// Syncs the folder that contains `path`.
pub(crate) fn sync_folder_of(path: &Path) -> Result<()> {
    sync_folder_on(&Disk, path)
}

/// Syncs the folder that contains `path`, on a given storage.
pub fn sync_folder_on(storage: &dyn Storage, path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) => storage
            .sync_folder(folder)
            .map_err(StoreError::io("sync", folder)),
        None => Ok(()),
    }
}

/// Quarantines a damaged file or folder beside itself; returns its new path.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let aside = (1..u32::MAX)
        .map(|number| path.with_file_name(format!("{name}{SET_ASIDE}{number}")))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| path.with_file_name(format!("{name}{SET_ASIDE}0")));
    fs::rename(path, &aside).map_err(StoreError::io("set aside", path))?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{entries, replace_file};

    #[test]
    fn a_failed_replacement_leaves_no_unfinished_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings");
        fs::create_dir_all(path.join("not empty")).expect("a folder in its place");
        replace_file(&path, b"text").expect_err("a folder is not replaced");
        assert_eq!(entries(folder.path()).expect("a list"), [path]);
    }
}
