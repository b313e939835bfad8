//! What an entry says about a file and its backup, and how both come in line again after an interrupted run.

use std::fs;
use std::path::PathBuf;

use super::record::{Entry, state};
use super::{target, write};

/// Where the file is written that takes the place of the entry's.
pub(super) fn temporary_path(entry: &Entry) -> Option<PathBuf> {
    let intent = entry.intent.as_ref()?;
    Some(entry.path.with_file_name(&intent.temporary))
}

/// What a file goes back to.
pub(super) enum Former {
    /// There was no file.
    Absent,
    /// A file with these bytes.
    Bytes(Vec<u8>),
}

impl Former {
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Absent => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

/// What a file was without us; `None` if that isn't known for sure.
pub(super) fn former(entry: &Entry) -> Option<Former> {
    if !entry.is_original {
        return None;
    }
    let Some(path) = entry.backup_path() else {
        return entry.former.is_none().then_some(Former::Absent);
    };
    let bytes = target::bytes(&path)?;
    (state(Some(&bytes)) == entry.former).then_some(Former::Bytes(bytes))
}

/// Removes the backup of an entry if `bytes`, which exist elsewhere, have all of it.
pub(super) fn remove_backup(entry: &Entry, bytes: &[u8]) {
    if let Some(path) = entry.backup_path()
        && target::bytes(&path).is_some_and(|backup| bytes.starts_with(&backup))
    {
        let _ = fs::remove_file(path);
    }
}

/// Removes what was made for a change that didn't happen. `bytes` is what the file had before it.
pub(super) fn roll_back(entry: &Entry, bytes: Option<&[u8]>) {
    let _ = temporary_path(entry).map(fs::remove_file);
    if entry.intent.as_ref().is_some_and(|intent| intent.is_new) {
        remove_backup(entry, bytes.unwrap_or_default());
        write::remove_empty_folders(&entry.folders);
    }
}

/// Brings an entry in line with its file after an interrupted run; false if it has nothing to say any more.
pub(super) fn mend(entry: &mut Entry) -> bool {
    let Ok(target) = target::read(&entry.path) else {
        return true;
    };
    let now = state(target.bytes.as_deref());
    if let Some(intent) = entry.intent.clone() {
        if now == intent.from {
            roll_back(entry, target.bytes.as_deref());
            if intent.is_new {
                return false;
            }
            entry.wrote = intent.wrote;
        }
        // If the file is neither, somebody changed it since: our entry may be in it.
        let _ = temporary_path(entry).map(fs::remove_file);
        entry.intent = None;
    }
    if now != entry.former || now == entry.wrote {
        return true;
    }
    // The file is what it was before us.
    remove_backup(entry, target.bytes.as_deref().unwrap_or_default());
    if now.is_none() {
        write::remove_empty_folders(&entry.folders);
    }
    false
}
