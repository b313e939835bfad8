//! Writes files so that each is complete or not there.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::target;

/// Lets only the owner read and write a new file.
pub(super) fn owner_only(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

pub(super) fn create_private_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Replaces a file of ours. A leftover of an earlier run is overwritten.
pub(super) fn replace_private(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    owner_only(&mut options);
    fill(&options.open(temporary)?, bytes)?;
    fs::rename(temporary, path)?;
    sync_folder(path)
}

/// The permissions of a new file.
#[derive(Clone, Copy)]
pub(super) enum Mode<'a> {
    /// Those of this file, with its owner.
    Like(&'a Metadata),
    /// The usual ones.
    Usual,
    /// The usual ones, and whoever may read it may run it.
    Executable,
}

impl<'a> Mode<'a> {
    /// That of a file, if it exists.
    pub(super) fn like(metadata: Option<&'a Metadata>) -> Self {
        metadata.map_or(Self::Usual, Self::Like)
    }
}

/// Writes a new file.
pub(super) fn create(path: &Path, bytes: &[u8], mode: Mode<'_>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    if let Mode::Like(_) = mode {
        owner_only(&mut options);
    }
    let file = options.open(path)?;
    match mode {
        Mode::Like(like) => {
            give_owner(&file, like)?;
            file.set_permissions(like.permissions())?;
        }
        Mode::Usual => {}
        Mode::Executable => make_executable(&file)?,
    }
    fill(&file, bytes)?;
    sync_folder(path)
}

fn fill(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Lets everybody run a file who may read it.
#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = file.metadata()?.permissions();
    let readable = permissions.mode() & 0o444;
    permissions.set_mode(permissions.mode() | (readable >> 2));
    file.set_permissions(permissions)
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Gives a file the owner of another one. Without that, a run as root would take files away from their owner.
#[cfg(unix)]
fn give_owner(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    let denied = |_| io::Error::new(ErrorKind::PermissionDenied, "it belongs to somebody else");
    fchown(file, Some(like.uid()), Some(like.gid())).map_err(denied)
}

#[cfg(not(unix))]
fn give_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes a rename or a new name in the folder of `path` durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// A name beside `path` that is free: the wanted one, or the first free one with a number.
pub(super) fn free_name(path: &Path, wanted: &str) -> io::Result<String> {
    for number in 1..1_000 {
        let name = match number {
            1 => wanted.to_owned(),
            _ => format!("{wanted}-{number}"),
        };
        if target::metadata(&path.with_file_name(&name))?.is_none() {
            return Ok(name);
        }
    }
    let reason = format!("there are too many files named {wanted}");
    Err(io::Error::new(ErrorKind::AlreadyExists, reason))
}

/// The folders above `path` that don't exist, the outermost first.
pub(super) fn missing_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    for folder in path.ancestors().skip(1) {
        if target::metadata(folder)?.is_some() {
            break;
        }
        missing.push(folder.to_owned());
    }
    missing.reverse();
    Ok(missing)
}

/// Creates folders, the outermost first.
pub(super) fn create_folders(folders: &[PathBuf]) -> io::Result<()> {
    for folder in folders {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => sync_folder(folder)?,
        }
    }
    Ok(())
}

/// Removes folders that are empty, the innermost first.
pub(super) fn remove_empty_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
