//! A store may have been copied from elsewhere, so what lies in it may be more than files and folders: a symbolic link
//! would lead reads and writes to other files of the user, and a pipe would hold up whoever opens it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anamne_types::Refusal;

use crate::bounded::{Unfit, read_regular};
use crate::{Result, StoreError};

/// Settings that are longer than this were not written by anyone who means well.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// Refuses a space in whose folder anything is neither a regular file nor a folder. The folder itself may be missing.
///
/// O(files of the space), without a look into any of them.
pub(crate) fn refuse_special_files(space: &Path) -> Result<()> {
    match fs::symlink_metadata(space) {
        Ok(metadata) if metadata.is_dir() => look_through(space, space),
        Ok(_) => Err(refused(space, space)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("look at", space)(error)),
    }
}

fn look_through(space: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(StoreError::io("read", folder))? {
        let entry = entry.map_err(StoreError::io("read", folder))?;
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_file() => {}
            Ok(kind) if kind.is_dir() => match look_through(space, &path) {
                // Views come and go while others work.
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                looked => looked?,
            },
            Ok(_) => return Err(refused(space, &path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io("look at", &path)(error)),
        }
    }
    Ok(())
}

fn refused(space: &Path, path: &Path) -> StoreError {
    let expected =
        "a folder with regular files and folders in it, and no symbolic links, pipes or devices";
    // Short enough to be shown whole.
    let within = space.parent().unwrap_or(space);
    let path = path.strip_prefix(within).unwrap_or(path);
    Refusal::new("space", expected, path.display()).into()
}

/// Refuses what stands under a path and is not a regular file.
pub(crate) fn refuse_special_file(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let expected = "a regular file, and no symbolic link, pipe or device";
            Err(Refusal::new(name, expected, "something else").into())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("look at", path)(error)),
    }
}

/// Reads a file of settings; `None` where it is not there. Refused where it is no regular file, or far too long.
pub(crate) fn read_settings(path: &Path) -> Result<Option<String>> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(StoreError::damaged(path, "it is a symbolic link"));
    }
    let bytes = match read_regular(path, LONGEST_SETTINGS) {
        Ok(bytes) => bytes,
        Err(Unfit::Io(error)) => return Err(StoreError::io("read", path)(error)),
        Err(unfit) => return Err(StoreError::damaged(path, unfit.to_string())),
    };
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| StoreError::damaged(path, "it is not UTF-8"))
}
