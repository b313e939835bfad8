//! Mapped files, kept open to detect changes.
//!
//! What is published never changes, so whoever writes to it or cuts it off damages it; and reading a mapping beyond the
//! end of its file kills the process. One `fstat` a file before each question tells, without reading anything.

use std::fs::{File, Metadata};
use std::path::Path;
use std::time::SystemTime;

use anamne_store::view::ViewError;

/// A file as it was when it was opened.
#[derive(Debug)]
pub(crate) struct HeldFile {
    file: File,
    length: u64,
    modified: Option<SystemTime>,
}

impl HeldFile {
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

    /// The file, for mapping it.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Bytes in it when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Whether nobody has written to it or cut it off since; also so for one that was deleted, which stays as it was for
    /// those who have it open. About half a microsecond.
    pub(crate) fn is_untouched(&self) -> bool {
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
        let write = || -> HeldFile {
            fs::write(&path, b"published").expect("a file");
            // As if it had been written long ago: the clock of a file system may be coarse.
            let file = OpenOptions::new().write(true).open(&path).expect("a file");
            let long_ago = SystemTime::now() - Duration::from_hours(1);
            file.set_modified(long_ago).expect("set");
            HeldFile::open(&path).expect("held")
        };
        let held = write();
        assert!(held.is_untouched());
        let mut file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.write_all(b"P").expect("a flipped bit");
        assert!(!held.is_untouched());
        let held = write();
        let file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.set_len(3).expect("cut off");
        assert!(!held.is_untouched());
        let held = write();
        fs::remove_file(&path).expect("removed");
        assert!(held.is_untouched());
    }
}
