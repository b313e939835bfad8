//! What the queue looks like to a person.

use rusqlite::Transaction;
use serde::Serialize;

use super::activity::activity;
use super::pausing::pauses;
use super::periodic::states;
use super::rows::list;
use super::{ActivityNow, Pause, PeriodicState, Queue, QueueError, Task};

/// So many of the tasks that finished last are told of.
const RECENT: usize = 10;

/// How many tasks of one kind there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// The kind.
    pub kind: String,
    /// Those that nobody holds.
    pub waiting: u64,
    /// Those that somebody does.
    pub running: u64,
    /// Those that failed for good.
    pub dead: u64,
    /// Those that were done lately; see [`Settings::finished_kept`](super::Settings::finished_kept).
    pub done: u64,
    /// Those that were taken away lately.
    pub cancelled: u64,
}

/// The queue at one instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueReport {
    /// How much is asked and told now.
    pub activity: ActivityNow,
    /// What is paused.
    pub paused: Vec<Pause>,
    /// Counts by kind, sorted by kind.
    pub kinds: Vec<KindCount>,
    /// What is being done, longest first.
    pub running: Vec<Task>,
    /// What has waited longest.
    pub oldest_waiting: Option<Task>,
    /// Periodic work, what is due first.
    pub periodic: Vec<PeriodicState>,
    /// What finished lately, the last one first.
    pub recent: Vec<Task>,
}

impl Queue {
    /// What the queue looks like now. O(tasks).
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
