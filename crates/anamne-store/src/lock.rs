//! Locks that serialise writers across threads and processes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError as MutexTaken};
use std::time::{Duration, Instant};

use crate::files::open_private_file;
use crate::{Result, StoreError};

/// The maximum time a writer waits before [`StoreError::Busy`].
pub const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A lock file that serialises writers, such as those of one space. The operating system releases it when its holder
/// dies.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    /// Opened by the first writer, so that a space in a read-only folder can be read.
    file: OnceLock<File>,
}

impl WriteLock {
    /// The lock of the file at `path`, which need not exist yet. Accesses no files.
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: OnceLock::new(),
        }
    }

    fn file(&self) -> Result<&File> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = open_private_file(&self.path)?;
        Ok(self.file.get_or_init(|| file))
    }

    /// Takes the lock if it is free.
    pub fn try_acquire(&self) -> Result<Option<WriteGuard<'_>>> {
        let file = self.file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(WriteGuard::of(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &self.path)(error)),
        }
    }

    /// Waits for the lock, at most [`LONGEST_WAIT`]; [`StoreError::Busy`] after that.
    ///
    /// Polls with growing, randomised pauses: a blocking lock can't have a timeout.
    pub fn acquire(&self) -> Result<WriteGuard<'_>> {
        let started = Instant::now();
        let mut pause = Duration::from_micros(20);
        loop {
            if let Some(guard) = self.try_acquire()? {
                return Ok(guard);
            }
            let waited = started.elapsed();
            if waited >= LONGEST_WAIT {
                let path = self.path.clone();
                return Err(StoreError::Busy { path, waited });
            }
            std::thread::sleep(uneven(pause, started));
            pause = (pause * 3 / 2).min(Duration::from_micros(500));
        }
    }
}

/// Varies a pause by up to a half, so that waiters don't retry in lockstep.
fn uneven(pause: Duration, started: Instant) -> Duration {
    let noise = started.elapsed().subsec_nanos() ^ std::process::id().wrapping_mul(0x9E37_79B9);
    pause / 2 + pause * (noise % 1024) / 1024
}

/// Proof that nobody else has the lock, until it is dropped.
#[derive(Debug)]
pub struct WriteGuard<'lock> {
    file: &'lock File,
    since: Instant,
}

impl<'lock> WriteGuard<'lock> {
    fn of(file: &'lock File) -> Self {
        let since = Instant::now();
        Self { file, since }
    }

    /// Releases the lock; returns how long it was held.
    pub(crate) fn release(self) -> Duration {
        let since = self.since;
        drop(self);
        since.elapsed()
    }
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        // If unlocking fails, closing the file handle releases the lock.
        let _ = self.file.unlock();
    }
}

/// The lock for moving memories between tiers, or for keeping them from moving. Always taken before the write lock,
/// never after it.
#[derive(Debug)]
pub(crate) struct MoveLock {
    threads: Mutex<()>,
    processes: WriteLock,
}

/// Proof that nobody else moves memories.
#[derive(Debug)]
pub(crate) struct MoveGuard<'lock> {
    // The file lock is released first.
    _process: WriteGuard<'lock>,
    _thread: MutexGuard<'lock, ()>,
}

impl MoveLock {
    /// The lock of the file at `path`, which need not exist yet. Accesses no files.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            threads: Mutex::default(),
            processes: WriteLock::at(path),
        }
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_acquire(&self) -> Result<Option<MoveGuard<'_>>> {
        let thread = match self.threads.try_lock() {
            Ok(thread) => thread,
            Err(MutexTaken::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(MutexTaken::WouldBlock) => return Ok(None),
        };
        let process = self.processes.try_acquire()?;
        Ok(process.map(|process| MoveGuard {
            _process: process,
            _thread: thread,
        }))
    }

    /// Waits for the lock. Movers hold it for one batch at a time.
    pub(crate) fn acquire(&self) -> Result<MoveGuard<'_>> {
        let thread = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(MoveGuard {
            _process: self.processes.acquire()?,
            _thread: thread,
        })
    }
}
