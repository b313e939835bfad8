//! A queue for one test, and a clock set by hand.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anamne_jobs::{Lease, Level, NewTask, Queue, Settings, TaskId};
use anamne_store::Clock;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// A clock that changes only when told to.
pub(crate) struct SetClock(Mutex<Timestamp>);

impl SetClock {
    pub(crate) fn at(instant: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(instant.parse().expect("an instant"))))
    }

    pub(crate) fn set(&self, instant: &str) {
        *self.0.lock().expect("no panic before") = instant.parse().expect("an instant");
    }

    pub(crate) fn advance(&self, seconds: i64) {
        *self.0.lock().expect("no panic before") += SignedDuration::from_secs(seconds);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}

/// A queue in a temporary folder.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<SetClock>,
    pub(crate) queue: Queue,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = SetClock::at("2026-03-04T12:00:00Z");
        let path = folder.path().join("tasks.db");
        let queue = Queue::open_with(&path, clock.clone(), settings).expect("a queue");
        Self {
            folder,
            clock,
            queue,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.queue.path().to_owned()
    }

    /// Another handle on the same file, like that of another process.
    pub(crate) fn other(&self) -> Queue {
        let settings = self.queue.settings().clone();
        Queue::open_with(&self.path(), self.clock.clone(), settings).expect("a queue")
    }

    /// Queues a task of the kind `k` and returns its id.
    pub(crate) fn add(&self, key: &str) -> TaskId {
        self.enqueue(&NewTask::new("k", key))
    }

    pub(crate) fn enqueue(&self, task: &NewTask) -> TaskId {
        self.queue.enqueue(task).expect("queued");
        let unfinished = self.queue.unfinished(usize::MAX).expect("a list");
        let found = unfinished
            .iter()
            .find(|found| found.kind == task.kind && found.key == task.key);
        found.expect("it is there").id
    }

    /// The next task of the kind `k` at any level.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease_at(Level::Asleep)
    }

    pub(crate) fn lease_at(&self, level: Level) -> Option<Lease> {
        self.queue.lease("worker", &["k"], level).expect("no error")
    }

    /// The time in this many seconds.
    pub(crate) fn clock_in(&self, seconds: i64) -> Timestamp {
        self.clock.now() + SignedDuration::from_secs(seconds)
    }

    /// Makes the next task a dead letter.
    pub(crate) fn kill(&self, error: &str) -> TaskId {
        let lease = self.lease().expect("a task");
        let id = lease.task().id;
        lease.bury(error).expect("buried");
        id
    }
}

/// Settings with short delays and leases in round numbers.
pub(crate) fn plain() -> Settings {
    Settings {
        lease: Duration::from_mins(1),
        max_attempts: 3,
        first_delay: Duration::from_secs(10),
        max_delay: Duration::from_secs(15),
        ..Settings::default()
    }
}
