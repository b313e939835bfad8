//! Safe reading of foreign files: regular files only, bounded size, never blocking.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Why a file was rejected.
#[derive(Debug)]
pub enum RejectedFile {
    /// Not a regular file: a folder, FIFO, socket or device.
    NotRegular,
    /// Longer than this many bytes.
    TooLong(u64),
    /// A system error.
    Io(std::io::Error),
}

impl fmt::Display for RejectedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegular => formatter.write_str("not a regular file"),
            Self::TooLong(limit) => write!(formatter, "longer than {limit} bytes"),
            Self::Io(error) => error.fmt(formatter),
        }
    }
}

/// Opens a regular file for reading; `None` if the path does not exist. Symlinks are followed.
///
/// Checks the type before opening, so that no device is touched; opens without blocking, in case a FIFO has replaced
/// the file; then checks the type of the opened file again.
pub(crate) fn open_regular(path: &Path) -> Result<Option<File>, RejectedFile> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(RejectedFile::NotRegular),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(RejectedFile::Io(error)),
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(RejectedFile::Io(error)),
    };
    if file.metadata().map_err(RejectedFile::Io)?.is_file() {
        Ok(Some(file))
    } else {
        Err(RejectedFile::NotRegular)
    }
}

/// Reads a regular file of at most `limit` bytes; `None` if it does not exist.
pub fn read_regular(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, RejectedFile> {
    let Some(file) = open_regular(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    // A file can be longer than its metadata says, and can grow while being read.
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(RejectedFile::Io)?;
    if bytes.len() as u64 > limit {
        return Err(RejectedFile::TooLong(limit));
    }
    Ok(Some(bytes))
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit_and_nothing_else_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert!(matches!(read_regular(&path, 4), Ok(None)));
        std::fs::write(&path, "four").expect("written");
        assert_eq!(
            read_regular(&path, 4).expect("read").expect("there"),
            b"four"
        );
        assert!(matches!(
            read_regular(&path, 3),
            Err(RejectedFile::TooLong(3))
        ));
        assert!(matches!(read_regular(&path.join("below"), 3), Ok(None)));
        let unfit = read_regular(folder.path(), 4);
        assert!(matches!(unfit, Err(RejectedFile::NotRegular)), "{unfit:?}");
        #[cfg(unix)]
        {
            let zero = folder.path().join("zero");
            std::os::unix::fs::symlink("/dev/zero", &zero).expect("a link");
            let unfit = read_regular(&zero, 4);
            assert!(matches!(unfit, Err(RejectedFile::NotRegular)), "{unfit:?}");
        }
    }
}
