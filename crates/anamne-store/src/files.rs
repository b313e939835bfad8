//! Owner-only files and folders, and atomic writes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::storage::{Disk, Storage};
use crate::trouble::Trouble;
use crate::{Result, StoreError};

/// Makes a folder and those above it, readable by the owner only.
pub fn create_private_folder(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(StoreError::io("create the folder", path))
}

/// Opens a file for reading and writing, made if it is missing, readable by the owner only.
pub fn open_private_file(path: &Path) -> Result<File> {
    Disk.open(path)
        .map_err(StoreError::io("open for writing", path))
}

/// What marks a file that is not finished yet; one that a crash left behind means nothing.
pub(crate) const UNFINISHED: &str = ".tmp-";

/// What marks a file or folder that was quarantined because it was damaged.
pub(crate) const SET_ASIDE: &str = ".damaged-";

/// Atomically replaces the content of `path`, also across a crash.
pub fn replace_file(path: &Path, content: &[u8]) -> Result<()> {
    replace_file_on(&Disk, path, content)
}

/// The same on a storage that is passed in.
pub(crate) fn replace_file_on(storage: &dyn Storage, path: &Path, content: &[u8]) -> Result<()> {
    let temporary = unfinished(path);
    let failed = |action| StoreError::io(action, &temporary);
    let mut file = storage.open(&temporary).map_err(failed("open"))?;
    storage
        .resize(&temporary, &file, 0)
        .map_err(failed("write"))?;
    storage
        .write(&temporary, &mut file, 0, content)
        .map_err(failed("write"))?;
    storage.sync(&temporary, &file).map_err(failed("sync"))?;
    storage
        .rename(&temporary, path)
        .map_err(StoreError::io("replace", path))?;
    sync_folder_on(storage, path)
}

/// A name beside `path` that no other thread or process takes.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}{UNFINISHED}{}-{number}", std::process::id()))
}

/// Removes from `folder` what a crash left unfinished. Whoever else writes there must be shut out by a lock.
pub(crate) fn remove_unfinished(folder: &Path) -> Result<()> {
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

/// What came of an action on a path; `None` where nothing is there.
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

/// The paths in a folder; none where there is no such folder.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = found("read", folder, fs::read_dir(folder))?;
    let entries = entries.into_iter().flatten();
    entries
        .map(|entry| Ok(entry.map_err(StoreError::io("read", folder))?.path()))
        .collect()
}

/// Whether something is there. An error where that can't be told, for which "no" would be a wrong answer.
pub(crate) fn is_there(path: &Path) -> Result<bool> {
    path.try_exists().map_err(StoreError::io("look at", path))
}

/// Removes a file, or a folder with all that is in it, if it is there.
pub fn remove_if_there(path: &Path) -> Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    found("remove", path, removed).map(|_| ())
}

/// The bytes of all files under a folder. A file that goes away meanwhile counts as nothing.
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

/// Whether the file at `path`, or the folder in which it lies, takes no writes of this process. Finds out by
/// trying; any other trouble than a missing permission is a no.
pub(crate) fn may_only_be_read(path: &Path) -> bool {
    let denied = |error| Trouble::of_io(error) == Some(Trouble::PermissionDenied);
    if let Err(error) = OpenOptions::new().write(true).open(path) {
        return denied(&error);
    }
    let probe = unfinished(path);
    match open_new(&probe) {
        Ok(_) => {
            // One that stays is swept away as unfinished.
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

/// Which file stands under a path, whatever its content: it differs after a file was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

/// What is known of a file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) identity: FileIdentity,
    pub(crate) length: u64,
}

/// Looks at the file under `path`; `None` where there is none. Costs one `stat`, about a microsecond.
pub(crate) fn look_at(path: &Path) -> Result<Option<FileState>> {
    let metadata = found("look at", path, fs::metadata(path))?;
    Ok(metadata.as_ref().map(state_of))
}

/// How long the file under `path` is; 0 where there is none.
pub(crate) fn length_of(path: &Path) -> Result<u64> {
    Ok(look_at(path)?.map_or(0, |state| state.length))
}

/// Which file lies at a path: another one after it was replaced. `None` where there is none.
pub fn identity_at(path: &Path) -> Option<FileIdentity> {
    look_at(path).ok().flatten().map(|state| state.identity)
}

/// What is known of an open file.
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

/// Where there is no file number, the moment at which the file was made stands for it.
#[cfg(not(unix))]
pub(crate) fn identity_of(metadata: &Metadata) -> FileIdentity {
    let made = metadata
        .created()
        .ok()
        .and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    FileIdentity(0, made.map_or(0, |age| age.as_nanos() as u64))
}

/// Makes the entries of the folder that holds `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> Result<()> {
    sync_folder_on(&Disk, path)
}

/// The same on a storage that is passed in.
pub(crate) fn sync_folder_on(storage: &dyn Storage, path: &Path) -> Result<()> {
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
