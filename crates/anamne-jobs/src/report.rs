//! A report on the queue for users.

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use super::activity::activity;
use super::pausing::pauses;
use super::periodic::states;
use super::rows::list;
use super::{ActivityNow, Pause, PeriodicState, Queue, QueueError, Task};

/// Number of recently finished tasks in the report.
const RECENT: usize = 10;

/// Number of tasks of one kind, by state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KindCount {
    /// The kind.
    pub kind: String,
    /// Waiting for a worker.
    pub waiting: u64,
    /// Leased by a worker.
    pub running: u64,
    /// Failed permanently.
    pub dead: u64,
    /// Recently completed; see [`Settings::finished_kept`](super::Settings::finished_kept).
    pub done: u64,
    /// Recently cancelled.
    pub cancelled: u64,
}

/// A snapshot of the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueReport {
    /// The current load.
    pub activity: ActivityNow,
    /// Current pauses.
    pub paused: Vec<Pause>,
    /// Counts, sorted by kind.
    pub kinds: Vec<KindCount>,
    /// Running tasks, longest first.
    pub running: Vec<Task>,
    /// The task that has waited longest.
    pub oldest_waiting: Option<Task>,
    /// Periodic work by next due time.
    pub periodic: Vec<PeriodicState>,
    /// Recently finished tasks, latest first.
    pub recent: Vec<Task>,
}

impl Queue {
    /// A report on the current state. O(tasks).
    pub fn report(&self) -> Result<QueueReport, QueueError> {
        let now = self.now_in_microseconds();
        self.look(|transaction, stamp| {
            let listed = |condition: &str, most| list(transaction, condition, most, stamp);
            Ok(QueueReport {
                activity: activity(transaction, now, &self.inner.settings)?,
                paused: pauses(transaction)?,
                kinds: kinds(transaction)?,
                running: listed("state = 2 ORDER BY started, id", usize::MAX)?,
                oldest_waiting: listed("state = 1 ORDER BY created, id", 1)?.pop(),
                periodic: states(transaction)?,
                recent: listed("state >= 4 ORDER BY finished DESC, id DESC", RECENT)?,
            })
        })
    }
}

fn kinds(transaction: &Transaction<'_>) -> Result<Vec<KindCount>, QueueError> {
    let mut statement = transaction.prepare_cached(
        "SELECT kind, sum(state = 1), sum(state = 2), sum(state = 3), sum(state = 4), sum(state = 5) FROM tasks
         GROUP BY kind ORDER BY kind",
    )?;
    let kinds = statement.query_map([], |row| {
        let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
        Ok(KindCount {
            kind: row.get(0)?,
            waiting: count(1)?,
            running: count(2)?,
            dead: count(3)?,
            done: count(4)?,
            cancelled: count(5)?,
        })
    })?;
    Ok(kinds.collect::<Result<_, _>>()?)
}
