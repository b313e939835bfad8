//! The settings of an open space; notices changes by a person or another process.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::Result;
use crate::config::SpaceConfig;
use crate::files::{FileIdentity, found, identity_of};

/// The content of `space.toml` when last read.
#[derive(Debug)]
pub(crate) struct Settings {
    path: PathBuf,
    read: Mutex<Read>,
}

#[derive(Debug)]
struct Read {
    stamp: Option<FileStamp>,
    config: Arc<SpaceConfig>,
}

/// Detects changes of the file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    identity: FileIdentity,
    modified: Option<SystemTime>,
    length: u64,
}

impl FileStamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            identity: identity_of(metadata),
            modified: metadata.modified().ok(),
            length: metadata.len(),
        }
    }
}

impl Settings {
    /// The settings `config`, just read from `path`.
    pub(crate) fn new(path: &Path, config: SpaceConfig) -> Self {
        let read = Read {
            // Unknown: the first check reads the file again.
            stamp: None,
            config: Arc::new(config),
        };
        Self {
            path: path.to_owned(),
            read: Mutex::new(read),
        }
    }

    /// The settings as last read. Accesses no files.
    pub(crate) fn known(&self) -> Arc<SpaceConfig> {
        self.lock().config.clone()
    }

    /// The current settings in the file. Costs one `stat` if it did not change.
    ///
    /// [`crate::StoreError::Damaged`] if it can't be read; the last known settings stay available to readers. A missing
    /// file counts as unchanged.
    pub(crate) fn current(&self) -> Result<Arc<SpaceConfig>> {
        let metadata = found("look at", &self.path, std::fs::metadata(&self.path))?;
        let Some(stamp) = metadata.as_ref().map(FileStamp::of) else {
            return Ok(self.known());
        };
        let mut read = self.lock();
        if read.stamp != Some(stamp)
            && let Some(config) = SpaceConfig::read(&self.path)?
        {
            *read = Read {
                stamp: Some(stamp),
                config: Arc::new(config),
            };
        }
        Ok(read.config.clone())
    }

    /// Changes and rewrites the file. The write lock must be held.
    pub(crate) fn change(&self, change: impl FnOnce(&mut SpaceConfig)) -> Result<Arc<SpaceConfig>> {
        let mut config = SpaceConfig::clone(&*self.current()?);
        let before = config.clone();
        change(&mut config);
        config.check()?;
        config.check_days(&before)?;
        config.write(&self.path)?;
        let config = Arc::new(config);
        *self.lock() = Read {
            stamp: None,
            config: config.clone(),
        };
        Ok(config)
    }

    fn lock(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
