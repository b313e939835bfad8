//! The note that views may still contain erased text.
//!
//! The source can't know what views keep in their files. So an erasure leaves a note beside them before
//! it counts as finished, and whoever has the views purged takes it away. A crash in between leaves the
//! note, and the next process that settles the space does the rest.

use std::path::{Path, PathBuf};

use anamne_types::Seq;

use crate::Result;
use crate::files::{found, remove_if_there, replace_file};

fn path_in(folder: &Path) -> PathBuf {
    folder.join("views.unclean")
}

/// Notes that the views of the space in `folder` must be purged of what was erased up to `through`. The
/// write lock must be held.
pub(crate) fn note(folder: &Path, through: Seq) -> Result<()> {
    replace_file(&path_in(folder), format!("{through}\n").as_bytes())
}

/// Up to which event there are erasures that the views may not know of; `None` when they are clean.
pub(crate) fn noted(folder: &Path) -> Result<Option<Seq>> {
    let path = path_in(folder);
    let text = found("read", &path, std::fs::read_to_string(&path))?;
    // A note that can't be read still says that there is something to do; the next purge replaces none of it.
    Ok(text.map(|text| Seq(text.trim().parse().unwrap_or(0))))
}

/// Takes the note away, unless there were later erasures. The write lock must be held.
pub(crate) fn done(folder: &Path, through: Seq) -> Result<()> {
    match noted(folder)? {
        Some(noted) if noted <= through => remove_if_there(&path_in(folder)),
        _ => Ok(()),
    }
}
