//! Copies the files of colder tiers that changed since the last backup.

use std::path::{Path, PathBuf};

use anamne_types::InvalidValue;

use super::{Manifest, put_in_place};
use crate::Result;
use crate::files::{open_private_file, remove_if_there};
use crate::restore::with_side_files;
use crate::source::contents::{self, files_in};

/// The files of the new backup; some are staged beside their final path.
pub(super) struct Copies {
    memories: PathBuf,
    names: Vec<String>,
    /// Staged files with their final paths.
    waiting: Vec<(PathBuf, PathBuf)>,
}

/// Copies the tiers of the folder `source` to the backup's folder, staged beside the existing ones and named after
/// `snapshot`, the copy of the active database.
///
/// No memories may move in the meantime.
pub(super) fn copy(
    source: &Path,
    backup: &Path,
    snapshot: &Path,
    known: Option<&Manifest>,
) -> Result<Copies> {
    let memories = backup.join("memories");
    let mut copies = Copies {
        names: Vec::new(),
        waiting: Vec::new(),
        memories: memories.clone(),
    };
    for (tier, path) in files_in(source)? {
        let target = contents::file_of(&memories, tier);
        let name = format!("{tier}.db");
        let file = contents::open_to_read(&path)?;
        let is_intact =
            known.is_some_and(|known| known.is_intact(backup, &format!("memories/{name}")));
        let is_there = is_intact
            && contents::open_to_read(&target)
                .and_then(|copied| Ok(contents::stamp(&copied)? == contents::stamp(&file)?))
                .unwrap_or(false);
        copies.names.push(name);
        if is_there {
            continue;
        }
        let copy = contents::staged_file_of(snapshot, tier);
        drop(open_private_file(&copy)?);
        let Some(into) = copy.to_str() else {
            return Err(InvalidValue::new("folder", "a path in UTF-8", copy.display()).into());
        };
        super::open_copied(&path)?.execute("VACUUM INTO ?1", [into])?;
        super::sync(&copy)?;
        copies.waiting.push((copy, target));
    }
    Ok(copies)
}

impl Copies {
    /// Moves the copies into place and removes files that the source no longer has; returns the bytes written.
    pub(super) fn put_in_place(self) -> Result<u64> {
        let mut bytes = 0;
        for (copy, target) in &self.waiting {
            bytes += put_in_place(copy, target)?;
        }
        for (tier, path) in files_in(&self.memories)? {
            if !self.names.contains(&format!("{tier}.db")) {
                for file in with_side_files(&path) {
                    remove_if_there(&file)?;
                }
            }
        }
        Ok(bytes)
    }
}

/// The tier files in a backup, relative to the space's folder.
pub(super) fn listed(folder: &Path) -> Result<Vec<String>> {
    let files = files_in(&folder.join("memories"))?;
    Ok(files
        .into_iter()
        .map(|(tier, _)| format!("memories/{tier}.db"))
        .collect())
}
