//! Files of a space that nobody reads again, though they may hold what was erased: what a repair quarantined as damaged,
//! and what an interrupted write left behind.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::files::{SET_ASIDE, UNFINISHED, entries, remove_if_there};

/// Names of files that are being put together, beside those of [`crate::files`]: a database that is replayed from the
/// journal, a journal that is rewritten, and what stood behind the last sound line of a segment.
const OTHERS: [&str; 2] = [".unfinished", ".jsonl.tail"];

/// Whether the name is that of a file or folder which nobody reads again.
fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [SET_ASIDE, UNFINISHED]
        .iter()
        .chain(&OTHERS)
        .any(|mark| name.contains(mark))
}

/// Removes what lies in the folder of a space itself, beside its databases and in its journal. Those of views are the
/// business of who knows the views. The write lock must be held.
pub(crate) fn remove(space: &Path) -> Result<()> {
    for folder in [space, &space.join("memories"), &space.join("journal")] {
        for path in entries(folder)? {
            if is_leftover(&path) {
                remove_if_there(&path)?;
            }
        }
    }
    Ok(())
}

/// Whether there are such files.
pub(crate) fn is_any(space: &Path) -> Result<bool> {
    for folder in [space, &space.join("memories"), &space.join("journal")] {
        if entries(folder)?.iter().any(|path| is_leftover(path)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The files and folders anywhere under the folder of a space that were quarantined as damaged.
pub fn set_aside_in(space: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in entries(space)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.contains(".damaged") {
            found.push(path);
        } else if path.is_dir() {
            found.append(&mut set_aside_in(&path)?);
        }
    }
    found.sort();
    Ok(found)
}
