//! Transcripts in a folder.

use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::{TranscriptError, TranscriptFile, TranscriptFormat};

/// The most entries of folders that one search looks at.
const MAX_ENTRIES: usize = 500_000;

/// Files under a folder.
#[derive(Default)]
pub(super) struct Found {
    /// The files that were asked for, in no order.
    pub(super) files: Vec<(PathBuf, fs::Metadata)>,
    /// Folders that can't be read.
    pub(super) errors: Vec<TranscriptError>,
}

/// The regular files at most `depth` folders below `root` whose path `wanted` accepts. A missing root has none. Links to
/// folders are not followed. O(entries), at most [`MAX_ENTRIES`] of them.
pub(super) fn files_below(root: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Found {
    let mut found = Found::default();
    let mut waiting = vec![(root.to_owned(), 0)];
    let mut left = MAX_ENTRIES;
    while let Some((folder, level)) = waiting.pop() {
        for entry in entries(&folder, &mut found.errors) {
            let Some(rest) = left.checked_sub(1) else {
                found.errors.push(too_many(root));
                return found;
            };
            left = rest;
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && level < depth => waiting.push((path, level + 1)),
                Ok(kind) if !kind.is_dir() && wanted(&path) => found.add(path),
                _ => {}
            }
        }
    }
    found
}

impl Found {
    fn add(&mut self, path: PathBuf) {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => self.files.push((path, metadata)),
            Ok(_) => {}
            // A host removed it since the folder was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => self.errors.push(TranscriptError::io(&path)(error)),
        }
    }
}

/// A transcript with what the file system knows about it.
pub(super) fn transcript(
    format: TranscriptFormat,
    path: PathBuf,
    session: String,
    metadata: &fs::Metadata,
) -> TranscriptFile {
    TranscriptFile {
        format,
        path,
        session,
        bytes: metadata.len(),
        modified: metadata.modified().ok().and_then(timestamp),
    }
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

fn entries(folder: &Path, errors: &mut Vec<TranscriptError>) -> Vec<DirEntry> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.take(MAX_ENTRIES).filter_map(Result::ok).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            errors.push(TranscriptError::io(folder)(error));
            Vec::new()
        }
    }
}

fn too_many(root: &Path) -> TranscriptError {
    let reason = format!("it holds more than {MAX_ENTRIES} entries; the rest was not searched");
    TranscriptError::io(root)(std::io::Error::other(reason))
}
