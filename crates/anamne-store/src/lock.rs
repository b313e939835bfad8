//! The lock that orders writers of different processes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError as MutexTaken};
use std::time::{Duration, Instant};

use crate::files::open_private_file;
use crate::{Result, StoreError};

/// How long a writer waits for the others before it gives up with [`StoreError::Busy`].
pub const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The write lock of one space. The operating system frees it when its holder dies.
#[derive(Debug)]
pub(crate) struct WriteLock {
    path: PathBuf,
    /// Opened by the first who writes, so that a space in a folder that may only be read can be read.
    file: OnceLock<File>,
}

impl WriteLock {
    /// The lock of the file at `path`, which need not exist yet. Touches nothing.
    pub(crate) fn at(path: &Path) -> Self {
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

    /// Takes the lock if nobody holds it.
    pub(crate) fn try_acquire(&self) -> Result<Option<WriteGuard<'_>>> {
        let file = self.file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(WriteGuard::of(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &self.path)(error)),
        }
    }

    /// Waits for the lock, at most [`LONGEST_WAIT`].
    ///
    /// Waiting is polling with growing, uneven pauses: a blocking lock could not be bounded in time.
    pub(crate) fn acquire(&self) -> Result<WriteGuard<'_>> {
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

/// Varies a pause by up to a half, so that waiters don't march in step.
fn uneven(pause: Duration, started: Instant) -> Duration {
    let noise = started.elapsed().subsec_nanos() ^ std::process::id().wrapping_mul(0x9E37_79B9);
    pause / 2 + pause * (noise % 1024) / 1024
}

/// Proof that this process alone writes to the space.
#[derive(Debug)]
pub(crate) struct WriteGuard<'lock> {
    file: &'lock File,
    since: Instant,
}

impl<'lock> WriteGuard<'lock> {
    fn of(file: &'lock File) -> Self {
        let since = Instant::now();
        Self { file, since }
    }

    /// Gives the lock back, and says how long it was held.
    pub(crate) fn release(self) -> Duration {
        let since = self.since;
        drop(self);
        since.elapsed()
    }
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        // An unlock that fails leaves a lock that ends with the file handle; nothing else to do here.
        let _ = self.file.unlock();
    }
}

/// The lock of whoever moves memories between tiers, or must not have them moved. Always taken before the write
/// lock, never after it.
#[derive(Debug)]
pub(crate) struct MoveLock {
    threads: Mutex<()>,
    processes: WriteLock,
}

/// Proof that nobody else moves memories.
#[derive(Debug)]
pub(crate) struct MoveGuard<'lock> {
    // The lock of the file goes first.
    _process: WriteGuard<'lock>,
    _thread: MutexGuard<'lock, ()>,
}

impl MoveLock {
    /// The lock of the file at `path`, which need not exist yet. Touches nothing.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            threads: Mutex::default(),
            processes: WriteLock::at(path),
        }
    }

    /// Takes the lock if nobody holds it.
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

    /// Waits for the lock, which is held for a batch of moves at a time.
    pub(crate) fn acquire(&self) -> Result<MoveGuard<'_>> {
        let thread = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(MoveGuard {
            _process: self.processes.acquire()?,
            _thread: thread,
        })
    }
}
