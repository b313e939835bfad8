//! Files of a space that are never read again but may hold erased content: quarantined files, and leftovers of
//! interrupted writes.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::files::{SET_ASIDE, UNFINISHED, entries, remove_if_there};

/// Other name markers of unfinished files, in addition to those in [`crate::files`]: a database being restored from the
/// journal, a journal being rewritten, and bytes cut off after the last sound line of a segment.
const OTHERS: [&str; 2] = [".unfinished", ".jsonl.tail"];

/// Whether the name is that of a leftover file or folder.
fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [SET_ASIDE, UNFINISHED]
        .iter()
        .chain(&OTHERS)
        .any(|mark| name.contains(mark))
}

/// Removes the leftovers in the space's folder, beside its databases and in its journal. Those of views are left to the
/// views. The write lock must be held.
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

/// The quarantined files and folders anywhere under the folder of a space.
pub fn quarantined_in(space: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in entries(space)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.contains(".damaged") {
            found.push(path);
        } else if path.is_dir() {
            found.append(&mut quarantined_in(&path)?);
        }
    }
    found.sort();
    Ok(found)
}
