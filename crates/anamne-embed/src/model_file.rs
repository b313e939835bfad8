//! A file of a model, in memory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::EmbedError;

/// A file of a model, in memory.
pub struct ModelFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl ModelFile {
    /// A file with these bytes. Errors name it by `path`, which is not accessed.
    pub fn new(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        let path = path.into();
        Self { path, bytes }
    }

    /// The path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn read(folder: &Path, name: &str, most: u64) -> Result<Self, EmbedError> {
        let path = folder.join(name);
        // Opening a pipe would wait for a writer, and a device has no end.
        let fits = fs::metadata(&path).map(|found| found.is_file() && found.len() <= most);
        match fits {
            Ok(true) => {}
            Ok(false) => {
                let problem = format!("not a regular file of at most {most} bytes");
                return Err(EmbedError::Malformed { path, problem });
            }
            Err(source) => return Err(EmbedError::Read { path, source }),
        }
        match fs::read(&path) {
            Ok(bytes) => Ok(Self { path, bytes }),
            Err(source) => Err(EmbedError::Read { path, source }),
        }
    }

    pub(crate) fn malformed(&self, problem: impl Into<String>) -> EmbedError {
        EmbedError::Malformed {
            path: self.path.clone(),
            problem: problem.into(),
        }
    }

    pub(crate) fn unsupported(&self, problem: String, remedy: &'static str) -> EmbedError {
        EmbedError::Unsupported {
            path: self.path.clone(),
            problem,
            remedy,
        }
    }
}
