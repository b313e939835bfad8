//! The scheduler: a durable queue of tasks in one file, shared by all processes that have a space open.
//!
//! A worker *leases* the next task, runs it and *completes* it. Leases expire: the task of a killed worker runs again,
//! and a worker that was only slow learns that it lost its lease and can't end the task any more. Which task is next
//! depends on the current load of all processes ([`Level`]).
//!
//! # Nothing takes effect twice
//!
//! A task may *start* more than once. Its effect happens once if the handler commits its own watermark in the same
//! transaction as the effect, and checks it first.
//!
//! The file is not a source: a damaged or deleted file is recreated, because everything that tasks do can be computed
//! again from the log. Whoever opens the space schedules the periodic work again.
//!
//! ```
//! use std::sync::Arc;
//! use anamne_store::SystemClock;
//! use anamne_jobs::{Level, NewTask, Queue};
//!
//! let folder = tempfile::tempdir()?;
//! let queue = Queue::open(&folder.path().join("tasks.db"), Arc::new(SystemClock))?;
//! queue.enqueue(&NewTask::new("summary", "thread 12"))?;
//! let lease = queue.lease("worker 1", &["summary"], Level::Low)?.expect("a task waits");
//! assert_eq!(lease.task().key, "thread 12");
//! lease.complete()?;
//! assert!(queue.unfinished(1)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activity;
mod database;
mod deciding;
mod ending;
mod enqueueing;
mod error;
mod lease;
mod level;
mod pausing;
mod periodic;
mod report;
mod retries;
mod rows;
mod runner;
mod settings;
mod taking;
mod task;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anamne_store::{Clock, SideFile};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction};

pub use activity::{Activity, ActivityNow};
pub use database::TASKS_FORMAT;
pub use deciding::RetryOutcome;
pub use ending::FailureOutcome;
pub use error::QueueError;
pub use lease::Lease;
pub use level::Level;
pub use pausing::Pause;
pub use periodic::{Periodic, PeriodicState, Timing};
pub use report::{KindCount, QueueReport};
pub use runner::{Handlers, Outcome, Runner, TaskContext, TaskError, TaskRun};
pub use settings::{MAX_LEASE, Settings};
pub use task::{
    MAX_ERROR_CHARS, MAX_KEY_BYTES, MAX_KIND_CHARS, MAX_PAYLOAD_BYTES, NewTask, Priority, Progress,
    Task, TaskId, TaskState,
};

use database::{DATABASE, QueueId};

/// A handle on the queue of a space; clones share it. Every method may be called by several threads and processes at
/// once; each is one short transaction.
#[derive(Clone)]
pub struct Queue {
    inner: Arc<Inner>,
}

struct Inner {
    file: SideFile,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

impl Queue {
    /// Opens the file at `path` with the default [`Settings`], or creates it. A damaged file is quarantined; a file of
    /// a newer format or of another program is refused.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, QueueError> {
        Self::open_with(path, clock, Settings::default())
    }

    /// Like [`Queue::open`], with other settings.
    pub fn open_with(
        path: &Path,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Result<Self, QueueError> {
        let queue = Self {
            inner: Arc::new(Inner {
                file: SideFile::at(DATABASE, path),
                clock,
                settings,
            }),
        };
        queue.look(|_, _| Ok(()))?;
        Ok(queue)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.inner.file.path()
    }

    /// The settings of this handle.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The current time by the queue's clock.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Stores a note under a name, replacing the previous one. Deleted by [`Queue::purge`] if the name begins with
    /// `chore/`.
    pub fn note(&self, name: &str, value: &str) -> Result<(), QueueError> {
        self.change(|transaction, _| {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO notes (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?;
            statement.execute([name, value])?;
            Ok(())
        })
    }

    /// The note stored under a name.
    pub fn noted(&self, name: &str) -> Result<Option<String>, QueueError> {
        self.look(|transaction, _| {
            let mut statement =
                transaction.prepare_cached("SELECT value FROM notes WHERE name = ?1")?;
            Ok(statement.query_row([name], |row| row.get(0)).optional()?)
        })
    }

    /// Deletes everything that may contain text of erased memories: finished tasks, dead letters, errors, progress,
    /// notes of chores, and quarantined copies; none of it is left in the file or its WAL. Unfinished tasks stay.
    pub fn purge(&self) -> Result<(), QueueError> {
        self.change(|transaction, _| {
            transaction.execute_batch(
                "DELETE FROM tasks WHERE state >= 3;
                 DELETE FROM notes WHERE name LIKE 'chore/%';
                 UPDATE tasks SET error = '', progress_text = '';",
            )?;
            Ok(())
        })?;
        self.in_file(|file| {
            file.remove_quarantined()?;
            Ok(file.truncate_wal()?)
        })
    }

    fn now_in_microseconds(&self) -> i64 {
        self.now().as_microsecond()
    }

    /// Runs `work` in a read transaction.
    fn look<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, QueueId) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.in_file(|file| {
            file.with(|connection| {
                let transaction = connection.transaction()?;
                work(&transaction, QueueId::of(&transaction)?)
            })
        })
    }

    /// Runs `work` in one write transaction, which is durable on return.
    fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, QueueId) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.in_file(|file| file.change(|transaction| work(transaction, QueueId::of(transaction)?)))
    }

    /// Adds the path to errors.
    fn in_file<T>(
        &self,
        work: impl FnOnce(&SideFile) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let started = Instant::now();
        work(&self.inner.file).map_err(|error| error.of_file(self.path(), started.elapsed()))
    }
}
