//! The tantivy index folder: private files and checksummed lists.
//!
//! tantivy appends a CRC to every segment file, but not to `meta.json` and `.managed.json`, which it replaces
//! atomically. Here both end in a checksum line, so that a flipped bit in a watermark, a segment name or a deletion
//! count is detected.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use xxhash_rust::xxh3::xxh3_64;

use super::engine::EngineError;

/// Length of the checksum line: newline, 16 hexadecimal digits, newline.
const SEAL_BYTES: usize = 18;

/// A memory-mapped folder whose files only the owner may read.
#[derive(Clone, Debug)]
pub(super) struct SealedDirectory {
    files: MmapDirectory,
    folder: PathBuf,
}

impl SealedDirectory {
    /// Opens a folder, which must exist.
    pub(super) fn open(folder: &Path) -> Result<Self, EngineError> {
        let files =
            MmapDirectory::open(folder).map_err(|error| EngineError::new(error.to_string()))?;
        Ok(Self {
            files,
            folder: folder.to_owned(),
        })
    }
}

fn seal(data: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(data.len() + SEAL_BYTES);
    sealed.extend_from_slice(data);
    sealed.extend_from_slice(format!("\n{:016x}\n", xxh3_64(data)).as_bytes());
    sealed
}

fn unseal(mut sealed: Vec<u8>) -> io::Result<Vec<u8>> {
    let length = sealed.len().saturating_sub(SEAL_BYTES);
    let (data, line) = sealed.split_at(length);
    if line != format!("\n{:016x}\n", xxh3_64(data)).as_bytes() {
        let reason = "its checksum does not match";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    sealed.truncate(length);
    Ok(sealed)
}

/// Creates the file if it is missing, readable by the owner only.
pub(super) fn open_private(path: &Path) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

impl Directory for SealedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let writer = self.files.open_write(path)?;
        make_private(&self.folder.join(path))
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(writer)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        unseal(self.files.atomic_read(path)?)
            .map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, &seal(data))
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        open_private(&self.folder.join(&lock.filepath)).map_err(LockError::wrap_io_error)?;
        self.files.acquire_lock(lock)
    }

    fn watch(&self, watch_callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(watch_callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_list_reads_back_and_every_flipped_bit_is_noticed() {
        let sealed = seal(b"{\"opstamp\":7}");
        assert_eq!(unseal(sealed.clone()).expect("whole"), b"{\"opstamp\":7}");
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unseal(damaged).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(
                unseal(sealed[..length].to_vec()).is_err(),
                "length {length}"
            );
        }
    }
}
