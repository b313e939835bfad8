//! Mapped files, kept open to detect changes.
//!
//! Published files never change, so any write or truncation is damage, and reading a mapping beyond the end of its file
//! kills the process. One `fstat` per file before each query detects this without reading.

use std::fs::{File, Metadata};
use std::path::Path;
use std::time::SystemTime;

use anamne_store::view::ViewError;

/// A file with its metadata at the time it was opened.
#[derive(Debug)]
pub(crate) struct WatchedFile {
    file: File,
    length: u64,
    modified: Option<SystemTime>,
}

impl WatchedFile {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, ViewError> {
        let file = File::open(path).map_err(|error| ViewError::io("open", path, error))?;
        let metadata = file
            .metadata()
            .map_err(|error| ViewError::io("read", path, error))?;
        Ok(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            file,
        })
    }

    /// The file, for mapping.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Length in bytes when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Whether the file is unmodified since it was opened. A deleted file counts as unmodified: its contents stay
    /// available while it is open. About half a microsecond.
    pub(crate) fn is_unmodified(&self) -> bool {
        let same = |now: Metadata| now.len() == self.length && now.modified().ok() == self.modified;
        self.file.metadata().is_ok_and(same)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_that_is_cut_off_or_written_to_is_noticed_and_a_deleted_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let write = || -> WatchedFile {
            fs::write(&path, b"published").expect("a file");
            // Simulates an old file, because file system clocks may be coarse.
            let file = OpenOptions::new().write(true).open(&path).expect("a file");
            let long_ago = SystemTime::now() - Duration::from_hours(1);
            file.set_modified(long_ago).expect("set");
            WatchedFile::open(&path).expect("held")
        };
        let held = write();
        assert!(held.is_unmodified());
        let mut file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.write_all(b"P").expect("a flipped bit");
        assert!(!held.is_unmodified());
        let held = write();
        let file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.set_len(3).expect("cut off");
        assert!(!held.is_unmodified());
        let held = write();
        fs::remove_file(&path).expect("removed");
        assert!(held.is_unmodified());
    }
}
