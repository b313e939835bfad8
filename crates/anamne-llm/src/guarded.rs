//! Reads and writes files that decide where text and keys go. They are read only if no other user can have written
//! them.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anamne_store::{Disk, Storage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::BridgeError;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Others may read it, but not write to it.
    Settings,
    /// Only its owner may read it.
    Secret,
}

/// Reads a text file; `None` if it is missing.
///
/// Rejected unless it is a regular file (not a link, pipe or device) of at most `most` bytes. On Unix the file and its
/// folder must also belong to the user of this process or to root, which can change every file anyway, and must not be
/// writable by others. Access control lists are covered: their mask is in the group bits. The standard library has no
/// such bits on other systems; there only the file type and size are checked.
pub(crate) fn read_guarded(
    path: &Path,
    privacy: Privacy,
    most: u64,
) -> Result<Option<String>, BridgeError> {
    let seen = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(BridgeError::io("look at", path)(error)),
    };
    // Check the folder first: anyone who can write to it can replace the file at any time.
    check_folder(path)?;
    // Check the type before opening: opening a pipe would block until someone writes to it.
    check_file(path, &seen, privacy)?;
    let file = File::open(path).map_err(BridgeError::io("read", path))?;
    let opened = file.metadata().map_err(BridgeError::io("look at", path))?;
    check_file(path, &opened, privacy)?;
    if !is_same_file(&seen, &opened) {
        return Err(refused(
            path,
            "it was replaced while being read",
            "try again",
        ));
    }
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(BridgeError::io("read", path))?;
    if bytes.len() as u64 > most {
        let reason = format!("longer than {most} bytes");
        return Err(refused(path, reason, "delete it and configure it again"));
    }
    // Invalid UTF-8 is rejected by whoever parses the text.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Rejects an existing path that is not a regular file: writes through a symbolic link would go elsewhere.
pub(crate) fn refuse_special_file(path: &Path) -> Result<(), BridgeError> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => check_kind(path, &metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BridgeError::io("look at", path)(error)),
    }
}

/// Atomically replaces a file by one that only its owner can read. A symbolic link is replaced, not followed.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<(), BridgeError> {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!("{name}.tmp-{}-{number}", std::process::id()));
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(BridgeError::io("remove", &new)(error));
        }
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options
        .open(&new)
        .map_err(BridgeError::io("create", &new))?;
    Disk.write(&new, &mut file, 0, content)
        .map_err(BridgeError::io("write", &new))?;
    Disk.sync(&new, &file)
        .map_err(BridgeError::io("sync", &new))?;
    Disk.rename(&new, path)
        .map_err(BridgeError::io("replace", path))?;
    let folder = folder_of(path);
    Disk.sync_folder(&folder)
        .map_err(BridgeError::io("sync", &folder))
}

/// Parses a settings file; rejects formats newer than this version supports.
pub(crate) fn parse_settings<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    known: i64,
    unreadable: impl Fn(toml::de::Error) -> BridgeError,
) -> Result<T, BridgeError> {
    #[derive(Deserialize)]
    struct Format {
        format: Option<i64>,
    }
    let Format { format } = toml::from_str(text).map_err(&unreadable)?;
    if let Some(found) = format.filter(|found| *found > known) {
        return Err(BridgeError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    toml::from_str(text).map_err(unreadable)
}

/// Writes a settings file as [`write_private`] does.
pub(crate) fn write_settings(path: &Path, settings: &impl Serialize) -> Result<(), BridgeError> {
    let text = toml::to_string(settings).map_err(|error| BridgeError::Config {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    write_private(path, text.as_bytes())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn refused(path: &Path, reason: impl Into<String>, remedy: impl Into<String>) -> BridgeError {
    BridgeError::Unsafe {
        path: path.to_owned(),
        reason: reason.into(),
        remedy: remedy.into(),
        next_step: None,
    }
}

/// The folder may be a symbolic link; its target is checked.
fn check_folder(path: &Path) -> Result<(), BridgeError> {
    let folder = folder_of(path);
    let metadata = std::fs::metadata(&folder).map_err(BridgeError::io("look at", &folder))?;
    match fault(&metadata, Privacy::Settings) {
        None => Ok(()),
        Some(ExposureReason::Writable(mode) | ExposureReason::Readable(mode)) => Err(refused(
            path,
            format!("others can write to its folder (mode {mode:o})"),
            format!("check it, then run `chmod go-w` on {}", folder.display()),
        )),
        Some(ExposureReason::Owner { owner, user }) => Err(refused(
            path,
            format!("its folder belongs to user {owner}, and this process runs as user {user}"),
            format!(
                "run this as the owner, or check it and run `chown` on {}",
                folder.display()
            ),
        )),
    }
}

fn check_kind(path: &Path, metadata: &Metadata) -> Result<(), BridgeError> {
    let anew = "put a regular file in its place";
    if metadata.file_type().is_symlink() {
        return Err(refused(path, "it is a symbolic link", anew));
    }
    if !metadata.is_file() {
        return Err(refused(path, "not a regular file", anew));
    }
    Ok(())
}

fn check_file(path: &Path, metadata: &Metadata, privacy: Privacy) -> Result<(), BridgeError> {
    check_kind(path, metadata)?;
    match fault(metadata, privacy) {
        None => Ok(()),
        Some(ExposureReason::Readable(mode)) => Err(BridgeError::KeyFileOpen {
            path: path.to_owned(),
            mode,
        }),
        Some(ExposureReason::Writable(mode)) => Err(refused(
            path,
            format!("others can write to it (mode {mode:o})"),
            "check what it says, then run `chmod go-w` on it",
        )),
        Some(ExposureReason::Owner { owner, user }) => Err(refused(
            path,
            format!("it belongs to user {owner}, and this process runs as user {user}"),
            "run this as the owner, or check what it says and run `chown` on it",
        )),
    }
}

/// Why a file may have been written or read by another user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))] // only Unix has owners and permissions
enum ExposureReason {
    Owner { owner: u32, user: u32 },
    Writable(u32),
    Readable(u32),
}

#[cfg(unix)]
fn fault(metadata: &Metadata, privacy: Privacy) -> Option<ExposureReason> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    judge(metadata.uid(), metadata.mode() & 0o777, user, privacy)
}

#[cfg(not(unix))]
fn fault(_: &Metadata, _: Privacy) -> Option<ExposureReason> {
    None
}

#[cfg(any(unix, test))]
fn judge(owner: u32, mode: u32, user: u32, privacy: Privacy) -> Option<ExposureReason> {
    const ROOT: u32 = 0;
    match privacy {
        _ if owner != user && owner != ROOT => Some(ExposureReason::Owner { owner, user }),
        Privacy::Secret if mode & 0o077 != 0 => Some(ExposureReason::Readable(mode)),
        _ if mode & 0o022 != 0 => Some(ExposureReason::Writable(mode)),
        _ => None,
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_and_root_may_have_written_it() {
        use Privacy::{Secret, Settings};
        let check = |owner, mode, user, privacy, expected| {
            let found = judge(owner, mode, user, privacy);
            assert_eq!(found, expected, "{owner} {mode:o} {user} {privacy:?}");
        };
        let foreign = |owner, user| Some(ExposureReason::Owner { owner, user });
        check(1000, 0o600, 1000, Settings, None);
        check(1000, 0o644, 1000, Settings, None);
        check(0, 0o644, 1000, Settings, None);
        check(
            1000,
            0o664,
            1000,
            Settings,
            Some(ExposureReason::Writable(0o664)),
        );
        check(
            1000,
            0o602,
            1000,
            Settings,
            Some(ExposureReason::Writable(0o602)),
        );
        check(0, 0o666, 0, Settings, Some(ExposureReason::Writable(0o666)));
        check(1001, 0o600, 1000, Settings, foreign(1001, 1000));
        // Root must not use a key file that belongs to another user.
        check(1000, 0o600, 0, Settings, foreign(1000, 0));
        check(1000, 0o600, 1000, Secret, None);
        check(
            1000,
            0o640,
            1000,
            Secret,
            Some(ExposureReason::Readable(0o640)),
        );
        check(
            1000,
            0o602,
            1000,
            Secret,
            Some(ExposureReason::Readable(0o602)),
        );
    }
}
