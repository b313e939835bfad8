//! The scheduler: a durable queue of tasks in one file, shared by all processes that have a space open.
//!
//! A worker *leases* the next task, does it and *completes* it. A lease runs out; so the task of a worker that was killed
//! runs again, and a worker that was only slow learns that it lost its lease and can't end the task any more. Which task
//! is next depends on how much is asked and told at the moment, in all processes ([`Level`]).
//!
//! # Nothing takes effect twice
//!
//! A task may *begin* more than once. Its effect happens once where the handler commits a watermark of its own in the same
//! transaction as the effect, and looks for it first.
//!
//! The file is not a source: where it is damaged or deleted it is recreated, for everything that tasks do can be computed again
//! from the log. Periodic work is scheduled by whoever opens the space, so it reappears by itself.
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
pub use deciding::Retried;
pub use ending::Failed;
pub use error::QueueError;
pub use lease::Lease;
pub use level::Level;
pub use pausing::Pause;
pub use periodic::{Periodic, PeriodicState, Timing};
pub use report::{KindCount, QueueReport};
pub use runner::{Handlers, Outcome, Ran, Runner, TaskContext, TaskError};
pub use settings::{LONGEST_LEASE, Settings};
pub use task::{
    LONGEST_ERROR, LONGEST_KEY, LONGEST_KIND, LONGEST_PAYLOAD, NewTask, Priority, Progress, Task,
    TaskId, TaskState,
};

use database::{DATABASE, Stamp};

/// A handle on the queue of a space; clones share it. Every method may be called from several threads, and by several
/// processes at once; each is one short transaction.
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
    /// Opens the file at `path` with the usual [`Settings`], and makes it where there is none. A damaged file is set
    /// aside; one of a newer format, or of another program, is refused.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, QueueError> {
        Self::open_with(path, clock, Settings::default())
    }

    /// The same with other settings.
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

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        self.inner.file.path()
    }

    /// By which thresholds this handle decides.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The present instant by the queue's clock.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Notes something under a name; what was noted there before is replaced. Gone after [`Queue::purge`].
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

    /// What was noted under a name.
    pub fn noted(&self, name: &str) -> Result<Option<String>, QueueError> {
        self.look(|transaction, _| {
            let mut statement =
                transaction.prepare_cached("SELECT value FROM notes WHERE name = ?1")?;
            Ok(statement.query_row([name], |row| row.get(0)).optional()?)
        })
    }

    /// Takes out what may speak of memories that were erased: finished tasks, dead letters, errors, progress, and copies
    /// that were quarantined; nothing of it is left in the file or its log. Work that waits stays.
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
            file.remove_set_aside()?;
            Ok(file.cut_log()?)
        })
    }

    fn now_in_microseconds(&self) -> i64 {
        self.now().as_microsecond()
    }

    /// Reads one consistent state.
    fn look<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, Stamp) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.in_file(|file| {
            file.with(|connection| {
                let transaction = connection.transaction()?;
                work(&transaction, Stamp::of(&transaction)?)
            })
        })
    }

    /// Changes the state in one transaction, which is durable when this returns.
    fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, Stamp) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.in_file(|file| file.change(|transaction| work(transaction, Stamp::of(transaction)?)))
    }

    /// Names the file in what goes wrong with it.
    fn in_file<T>(
        &self,
        work: impl FnOnce(&SideFile) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let started = Instant::now();
        work(&self.inner.file).map_err(|error| error.of_file(self.path(), started.elapsed()))
    }
}
