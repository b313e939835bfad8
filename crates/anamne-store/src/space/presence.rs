//! Whether the folder of an open space is still that of this space: it may be deleted, and another one created there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::files::{FileIdentity, look_at, look_into};
use crate::{Result, StoreError};

/// The folder of a space as it was found when the space was opened.
#[derive(Debug)]
pub(super) struct Presence {
    folder: PathBuf,
    lock: PathBuf,
    identity: Option<FileIdentity>,
    /// The lock file, if there was one. It is never replaced, and while it is open no other file gets its identity.
    opened: Option<(File, FileIdentity)>,
    /// Whether it was found to be another one: from then on, nothing there belongs to this space.
    gone: AtomicBool,
}

impl Presence {
    /// The present state of the folder, whose writers use the lock file `lock`.
    pub(super) fn of(folder: &Path, lock: &Path) -> Result<Self> {
        // Opened for reading only, so that a space in a read-only folder can be read.
        let opened = match File::open(lock) {
            Ok(file) => {
                let identity = look_into(&file, lock)?.identity;
                Some((file, identity))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io("open", lock)(error)),
        };
        Ok(Self {
            folder: folder.to_owned(),
            lock: lock.to_owned(),
            identity: look_at(folder)?.map(|found| found.identity),
            opened,
            gone: AtomicBool::new(false),
        })
    }

    /// Whether the folder was found to be another one before. Accesses no files.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Whether the folder is still the same. Costs one or two `stat`s.
    pub(super) fn lasts(&self) -> Result<bool> {
        let lasts = !self.is_gone() && self.is_same()?;
        self.gone.fetch_or(!lasts, Ordering::AcqRel);
        Ok(lasts)
    }

    fn is_same(&self) -> Result<bool> {
        if let (Some((_, opened)), Some(found)) = (&self.opened, look_at(&self.lock)?) {
            return Ok(found.identity == *opened);
        }
        let found = look_at(&self.folder)?.map(|found| found.identity);
        Ok(found.is_some() && found == self.identity)
    }
}
