//! A store may have been copied from elsewhere and contain more than files and folders: a symbolic link would redirect
//! reads and writes to other files of the user, and a pipe would block whoever opens it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anamne_types::InvalidValue;

use crate::files::found;
use crate::{Result, StoreError};

/// Rejects a space whose folder contains anything but regular files and folders. The folder itself may be missing.
///
/// O(files of the space), without opening any of them.
pub(crate) fn refuse_special_files(space: &Path) -> Result<()> {
    match found("look at", space, fs::symlink_metadata(space))? {
        Some(metadata) if metadata.is_dir() => look_through(space, space),
        Some(_) => Err(refused(space, space)),
        None => Ok(()),
    }
}

fn look_through(space: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(StoreError::io("read", folder))? {
        let entry = entry.map_err(StoreError::io("read", folder))?;
        let path = entry.path();
        match found("look at", &path, entry.file_type())? {
            Some(kind) if kind.is_dir() => match look_through(space, &path) {
                // Views are created and removed concurrently.
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                looked => looked?,
            },
            Some(kind) if !kind.is_file() => return Err(refused(space, &path)),
            _ => {}
        }
    }
    Ok(())
}

fn refused(space: &Path, path: &Path) -> StoreError {
    let expected = "a folder without symbolic links, pipes or devices";
    // Shortened for display.
    let within = space.parent().unwrap_or(space);
    let path = path.strip_prefix(within).unwrap_or(path);
    InvalidValue::new("space", expected, path.display()).into()
}

/// Rejects a path that exists and is not a regular file.
pub(crate) fn refuse_special_file(path: &Path) -> Result<()> {
    match found("look at", path, fs::symlink_metadata(path))? {
        Some(metadata) if !metadata.is_file() => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let expected = "a regular file, not a symbolic link, pipe or device";
            Err(InvalidValue::new(name, expected, "something else").into())
        }
        _ => Ok(()),
    }
}
