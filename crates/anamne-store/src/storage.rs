//! The disk operations of the journal, as a trait, so that tests can inject failures.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// A segment larger than this many bytes is sealed, and a new one started.
pub(crate) const SEGMENT_BYTES: u64 = 2 << 20;

/// Every way in which the journal changes the disk.
///
/// Each method is one step that a crash or a failing disk may interrupt, with the path of the affected file.
pub trait Storage: Debug + Send + Sync {
    /// Opens a file for reading and writing; creates it with owner-only permissions if it is missing.
    fn open(&self, path: &Path) -> std::io::Result<File>;

    /// Writes bytes at `offset`.
    fn write(&self, path: &Path, file: &mut File, offset: u64, bytes: &[u8])
    -> std::io::Result<()>;

    /// Truncates or extends a file to this length.
    fn resize(&self, path: &Path, file: &File, length: u64) -> std::io::Result<()>;

    /// Syncs the content of a file.
    fn sync(&self, path: &Path, file: &File) -> std::io::Result<()>;

    /// Atomically replaces one file with another.
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> std::io::Result<()>;

    /// Syncs a folder.
    fn sync_folder(&self, folder: &Path) -> std::io::Result<()>;

    /// The segment size in bytes.
    fn segment_bytes(&self) -> u64 {
        SEGMENT_BYTES
    }
}

/// The real disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Storage for Disk {
    fn open(&self, path: &Path) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    fn write(&self, _: &Path, file: &mut File, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }

    fn resize(&self, _: &Path, file: &File, length: u64) -> std::io::Result<()> {
        file.set_len(length)
    }

    fn sync(&self, _: &Path, file: &File) -> std::io::Result<()> {
        file.sync_data()
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        #[cfg(not(unix))]
        let _ = folder;
        Ok(())
    }
}
