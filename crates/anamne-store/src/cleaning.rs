//! The note that views may still contain erased text.
//!
//! The source can't know what views store in their files. So an erasure writes a note beside them before it counts as
//! finished, and the purge of the views deletes it. After a crash in between, the note remains, and the next process
//! that settles the space finishes the purge.

use std::path::{Path, PathBuf};

use anamne_types::Seq;

use crate::Result;
use crate::files::{found, remove_if_there, replace_file};

fn path_in(folder: &Path) -> PathBuf {
    folder.join("views.unclean")
}

/// Records that the views of the space in `folder` must be purged of what was erased up to `through`. The write lock
/// must be held.
pub(crate) fn note(folder: &Path, through: Seq) -> Result<()> {
    replace_file(&path_in(folder), format!("{through}\n").as_bytes())
}

/// The last event up to which erasures may be missing from the views; `None` if they are clean.
pub(crate) fn noted(folder: &Path) -> Result<Option<Seq>> {
    let path = path_in(folder);
    let text = found("read", &path, std::fs::read_to_string(&path))?;
    // An unreadable note still means that a purge is due.
    Ok(text.map(|text| Seq(text.trim().parse().unwrap_or(0))))
}

/// Deletes the note, unless there were later erasures. The write lock must be held.
pub(crate) fn done(folder: &Path, through: Seq) -> Result<()> {
    match noted(folder)? {
        Some(noted) if noted <= through => remove_if_there(&path_in(folder)),
        _ => Ok(()),
    }
}
