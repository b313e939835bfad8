//! Atomic replacement of output files.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::wording::file_name;

/// Writes a file beside `path` and renames it, so that no partial file is ever visible.
///
/// `path` must be a regular file or not exist: a device, pipe, folder or symbolic link is rejected. The new file is
/// readable by its owner only.
pub(crate) fn write_whole<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    check_replaceable(path)?;
    let failed = |error| Failure::failed(format!("can't write {}: {error}", file_name(path)));
    let (part, file) = create_beside(path).map_err(failed)?;
    let mut buffered = std::io::BufWriter::new(&file);
    let written = write(&mut buffered).and_then(|written| {
        buffered.flush().map_err(failed)?;
        drop(buffered);
        file.sync_all().map_err(failed)?;
        fs::rename(&part, path).map_err(failed)?;
        Ok(written)
    });
    if written.is_err() {
        // If the file can't be removed either, it stays for the user to find.
        let _ = fs::remove_file(&part);
    }
    written
}

fn check_replaceable(path: &Path) -> Result<(), Failure> {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if metadata.is_file() {
        return Ok(());
    }
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a symbolic link",
        _ => "not a regular file",
    };
    let name = file_name(path);
    Err(
        Failure::refused("output", format!("can't replace {name}: it is {kind}"))
            .hint("use a new file; without --output the data goes to standard output"),
    )
}

/// A new file beside `path` with an unused name.
fn create_beside(path: &Path) -> std::io::Result<(PathBuf, File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut number = 0_u32;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}-{number}.part", std::process::id()));
        let part = path.with_file_name(name);
        match options.open(&part) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < 100 => {
                number += 1;
            }
            opened => return Ok((part, opened?)),
        }
    }
}
