//! Files and folders that only their owner may read, and writes that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::StoreError;

/// Makes a folder and those above it, readable by the owner only.
pub fn create_private_folder(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(StoreError::io("create the folder", path))
}

/// Opens a file for reading and writing, made if it is not there, readable by the owner only.
pub fn open_private_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(StoreError::io("open", path))
}

/// Replaces the content of `path`: readers see the old or the new content, never a mixture, also after a crash.
pub fn replace_file(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let temporary = path.with_extension(format!("tmp-{}", std::process::id()));
    let mut file = open_private_file(&temporary)?;
    file.set_len(0)
        .map_err(StoreError::io("write", &temporary))?;
    file.write_all(content)
        .map_err(StoreError::io("write", &temporary))?;
    file.sync_all()
        .map_err(StoreError::io("sync", &temporary))?;
    fs::rename(&temporary, path).map_err(StoreError::io("replace", path))?;
    sync_folder_of(path)
}

/// Makes the entries of the folder that holds `path` durable.
pub fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let handle = File::open(folder).map_err(StoreError::io("open", folder))?;
        handle.sync_all().map_err(StoreError::io("sync", folder))?;
    }
    Ok(())
}

/// Moves a damaged file or folder out of the way, beside itself, and says where it is now.
pub fn set_aside(path: &Path) -> Result<std::path::PathBuf, StoreError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let aside = (1..u32::MAX)
        .map(|number| path.with_file_name(format!("{name}.damaged-{number}")))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| path.with_file_name(format!("{name}.damaged")));
    fs::rename(path, &aside).map_err(StoreError::io("set aside", path))?;
    Ok(aside)
}
