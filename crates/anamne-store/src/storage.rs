//! What the journal asks of the disk: a trait, so that tests can make any of it fail.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// A segment that has grown past this many bytes is sealed, and the next one begun.
pub(crate) const SEGMENT_BYTES: u64 = 2 << 20;

/// Every way in which the journal changes what is on disk.
///
/// Each method is one step that a crash or a bad disk may stop, with the path of the file that it is about.
pub trait Storage: Debug + Send + Sync {
    /// Opens a file for reading and writing, made if it is missing, readable by its owner only.
    fn open(&self, path: &Path) -> std::io::Result<File>;

    /// Writes bytes from `offset` on.
    fn write(&self, path: &Path, file: &mut File, offset: u64, bytes: &[u8])
    -> std::io::Result<()>;

    /// Makes a file as long as this.
    fn resize(&self, path: &Path, file: &File, length: u64) -> std::io::Result<()>;

    /// Makes what was written to a file durable.
    fn sync(&self, path: &Path, file: &File) -> std::io::Result<()>;

    /// Puts a file in the place of another, at once.
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> std::io::Result<()>;

    /// Makes the entries of a folder durable.
    fn sync_folder(&self, folder: &Path) -> std::io::Result<()>;

    /// How many bytes fill a segment of the journal.
    fn segment_bytes(&self) -> u64 {
        SEGMENT_BYTES
    }
}

/// The machine's own disk.
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
