//! `backup.json`: the files of a backup with checksums.

use std::path::{Path, PathBuf};

use anamne_types::{NextStep, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::examine::{Examination, Finding, Part};
use crate::files::{found, replace_file};
use crate::journal::{Digest, Segment};
use crate::settings_file::check_format;
use crate::{Result, StoreError};

/// The version of the file.
const FORMAT: i64 = 1;

/// The manifest of the backup of one space.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    anamne_backup: i64,
    space: String,
    /// Whether the file list is complete; `false` during an update.
    complete: bool,
    made_at: Timestamp,
    last_seq: Seq,
    last_hash: Digest,
    files: Vec<FileChecksum>,
}

/// A file with its length and checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileChecksum {
    path: String,
    bytes: u64,
    blake3: Digest,
}

impl FileChecksum {
    fn of(folder: &Path, path: String) -> Result<Self> {
        let file = folder.join(&path);
        let content = std::fs::read(&file).map_err(StoreError::io("read", &file))?;
        Ok(Self {
            bytes: content.len() as u64,
            blake3: Digest::of(&content),
            path,
        })
    }
}

impl Manifest {
    fn path(folder: &Path) -> PathBuf {
        folder.join("backup.json")
    }

    /// The manifest in the folder of a space; `None` if it is not a backup.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Format {
            anamne_backup: i64,
        }
        let path = Self::path(folder);
        let Some(text) = found("read", &path, std::fs::read(&path))? else {
            return Ok(None);
        };
        let unreadable = |error: serde_json::Error| StoreError::damaged(&path, error.to_string());
        let Format { anamne_backup } = serde_json::from_slice(&text).map_err(unreadable)?;
        check_format(&path, anamne_backup, FORMAT)?;
        serde_json::from_slice(&text).map(Some).map_err(unreadable)
    }

    /// The manifest of a backup in progress, up to the event `end`.
    pub(crate) fn begin(space: &str, end: (Seq, Digest), made_at: Timestamp) -> Self {
        Self {
            anamne_backup: FORMAT,
            space: space.to_owned(),
            complete: false,
            made_at,
            last_seq: end.0,
            last_hash: end.1,
            files: Vec::new(),
        }
    }

    /// Whether the backup is complete up to this event.
    pub(crate) fn is_whole_up_to(&self, end: (Seq, Digest)) -> bool {
        self.complete && (self.last_seq, self.last_hash) == end
    }

    /// Whether a file of a complete backup is unchanged.
    pub(super) fn is_intact(&self, folder: &Path, path: &str) -> bool {
        let known = self.files.iter().find(|sum| sum.path == path);
        self.complete
            && known.is_some_and(|sum| {
                FileChecksum::of(folder, path.to_owned()).is_ok_and(|now| now == *sum)
            })
    }

    /// Whether every file of a complete backup is there with its length; nothing is read of them.
    pub(super) fn has_files(&self, folder: &Path) -> bool {
        let is_there = |sum: &FileChecksum| {
            let file = folder.join(&sum.path);
            match file.symlink_metadata() {
                Ok(there) => there.is_file() && there.len() == sum.bytes,
                Err(_) => folder.join(format!("{}.zst", sum.path)).exists(),
            }
        };
        self.complete && self.files.iter().all(is_there)
    }

    /// Writes the manifest unchanged.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = Self::path(folder);
        let text = serde_json::to_vec_pretty(self)?;
        replace_file(&path, &text)
    }

    /// Writes the manifest as complete, with checksums of the current files.
    pub(crate) fn finish(mut self, folder: &Path) -> Result<()> {
        let segments = Segment::list(&folder.join("journal"))?;
        let mut paths = vec!["memories/active.db".to_owned()];
        paths.extend(super::contents::listed(folder)?);
        paths.extend(
            segments
                .iter()
                .map(|segment| format!("journal/{}", segment.file_name())),
        );
        self.files = paths
            .into_iter()
            .map(|path| FileChecksum::of(folder, path))
            .collect::<Result<_, _>>()?;
        self.complete = true;
        self.write(folder)
    }

    /// Adds differences from the manifest to an examination of the same folder.
    pub(crate) fn compare(&self, folder: &Path, found: &mut Examination) {
        if !self.complete {
            found.notes.push(
                "the last backup was interrupted; this copy is usable, and the next backup to this folder completes it"
                    .to_owned(),
            );
            found.next_steps.push(NextStep::BackUp);
            return;
        }
        if found.last_seq > self.last_seq {
            found.notes.push(format!(
                "it was modified after the backup (event {}), so the checksums of its manifest no longer apply",
                self.last_seq
            ));
            return;
        }
        for sum in &self.files {
            let problem = match FileChecksum::of(folder, sum.path.clone()) {
                Ok(now) if now == *sum => continue,
                Ok(_) => "checksum mismatch with backup.json",
                Err(_) if folder.join(format!("{}.zst", sum.path)).exists() => continue,
                Err(_) => "listed in backup.json, but unreadable",
            };
            let finding = Finding::new(Part::Backup, sum.path.clone(), None, problem);
            found.findings.push(finding);
        }
    }
}
