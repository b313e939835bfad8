//! The file that a change is about.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::edit::MAX_LENGTH;

/// The maximum number of symbolic links that lead to a file.
const MAX_LINKS: usize = 40;

/// A file as it is now.
pub(super) struct Target {
    /// The file itself, not a link to it.
    pub(super) path: PathBuf,
    /// Its bytes; `None` if it doesn't exist.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) metadata: Option<Metadata>,
}

/// Reads the file at a path. The error is the reason why it must be left alone.
pub(super) fn read(path: &Path) -> Result<Target, String> {
    let path = resolved(path)?;
    let metadata = metadata(&path).map_err(|error| error.to_string())?;
    let bytes = match &metadata {
        Some(metadata) => {
            check(metadata)?;
            Some(content(&path).map_err(|error| error.to_string())?)
        }
        None => None,
    };
    if bytes.as_ref().is_some_and(|bytes| bytes.len() > MAX_LENGTH) {
        return Err(format!("it is longer than {} MiB", MAX_LENGTH >> 20));
    }
    Ok(Target {
        path,
        bytes,
        metadata,
    })
}

impl Target {
    /// Its text; `None` if it doesn't exist.
    pub(super) fn text(&self) -> Result<Option<&str>, String> {
        let text = self.bytes.as_deref().map(str::from_utf8).transpose();
        text.map_err(|_| "it is not UTF-8 text".to_owned())
    }

    /// Why it can't be replaced, if it can't.
    pub(super) fn check_writable(&self) -> Result<(), String> {
        match &self.metadata {
            Some(metadata) if metadata.permissions().readonly() => {
                Err("it is read-only".to_owned())
            }
            Some(metadata) if names(metadata) > 1 => {
                Err("it has several names (hard links), which a change would part".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The bytes of a file; `None` if there is none or if it isn't a regular file that can be read.
pub(super) fn bytes(path: &Path) -> Option<Vec<u8>> {
    let metadata = metadata(path).ok()??;
    check(&metadata).ok()?;
    content(path).ok()
}

/// What is at a path, links not followed.
pub(super) fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn check(metadata: &Metadata) -> Result<(), String> {
    if metadata.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok(())
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(MAX_LENGTH as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// Where symbolic links lead, with the real name of the folder. The file and its folders need not exist.
fn resolved(path: &Path) -> Result<PathBuf, String> {
    let mut path = std::path::absolute(path).map_err(|error| error.to_string())?;
    for _ in 0..MAX_LINKS {
        let found = metadata(&path).map_err(|error| error.to_string())?;
        if !found.is_some_and(|found| found.is_symlink()) {
            return real(&path).map_err(|error| error.to_string());
        }
        let next = fs::read_link(&path).map_err(|error| error.to_string())?;
        path = path.parent().unwrap_or(Path::new("/")).join(next);
    }
    Err("its symbolic links lead in a circle".to_owned())
}

/// The path with links among its existing folders resolved.
fn real(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    while let (Some(folder), Some(name)) = (existing.parent(), existing.file_name()) {
        missing.push(name);
        existing = folder;
        if metadata(folder)?.is_some() {
            break;
        }
    }
    let real = fs::canonicalize(existing)?;
    Ok(missing
        .iter()
        .rev()
        .fold(real, |path, name| path.join(name)))
}
