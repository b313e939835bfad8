//! Manual operations: retrying dead letters, cancelling tasks.

use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};

use super::database::QueueId;
use super::ending::finish;
use super::rows::{find, list, unfinished};
use super::{Queue, QueueError, Task, TaskId, TaskState};

/// The result of retrying a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RetryOutcome {
    /// It is queued again, with its attempts reset.
    Queued(TaskId),
    /// A newer task of the same kind and key is unfinished, so the dead letter was cancelled.
    Newer(TaskId),
}

impl Queue {
    /// The dead letters, latest first.
    pub fn dead_letters(&self) -> Result<Vec<Task>, QueueError> {
        self.look(dead)
    }

    /// Queues a dead letter again, to start now.
    pub fn retry(&self, id: TaskId) -> Result<RetryOutcome, QueueError> {
        let now = self.now_in_microseconds();
        self.change(|transaction, stamp| {
            let task = find(transaction, id, stamp)?;
            if task.state != TaskState::Dead {
                return Err(wrong_state(&task, TaskState::Dead, "tried again"));
            }
            self.retry_in(transaction, &task, now)
        })
    }

    /// Queues every dead letter again, to start now.
    pub fn retry_all(&self) -> Result<Vec<RetryOutcome>, QueueError> {
        let now = self.now_in_microseconds();
        self.change(|transaction, stamp| {
            let dead = dead(transaction, stamp)?;
            let retried = dead
                .iter()
                .map(|task| self.retry_in(transaction, task, now));
            retried.collect()
        })
    }

    /// Cancels a waiting task together with its queued repetition, or dismisses a dead letter.
    pub fn cancel(&self, id: TaskId) -> Result<Task, QueueError> {
        let now = self.now_in_microseconds();
        self.change(|transaction, stamp| {
            let task = find(transaction, id, stamp)?;
            if !matches!(task.state, TaskState::Waiting | TaskState::Dead) {
                return Err(wrong_state(&task, TaskState::Waiting, "cancelled"));
            }
            transaction.execute("DELETE FROM again WHERE task = ?1", [id.0 as i64])?;
            let kept = self.inner.settings.finished_kept;
            finish(transaction, &task, TaskState::Cancelled, now, kept)?;
            find(transaction, id, stamp)
        })
    }

    fn retry_in(
        &self,
        transaction: &Transaction<'_>,
        task: &Task,
        now: i64,
    ) -> Result<RetryOutcome, QueueError> {
        if let Some((newer, _)) = unfinished(transaction, &task.kind, &task.key)? {
            let kept = self.inner.settings.finished_kept;
            finish(transaction, task, TaskState::Cancelled, now, kept)?;
            return Ok(RetryOutcome::Newer(TaskId(newer as u64)));
        }
        let mut statement = transaction.prepare_cached(
            "UPDATE tasks SET state = 1, attempts = 0, not_before = ?2, finished = NULL WHERE id = ?1",
        )?;
        statement.execute(params![task.id.0 as i64, now])?;
        Ok(RetryOutcome::Queued(task.id))
    }
}

fn dead(transaction: &Transaction<'_>, stamp: QueueId) -> Result<Vec<Task>, QueueError> {
    let order = "state = 3 ORDER BY finished DESC, id DESC";
    list(transaction, order, usize::MAX, stamp)
}

fn wrong_state(task: &Task, wanted: TaskState, action: &'static str) -> QueueError {
    QueueError::State {
        id: task.id,
        state: task.state,
        wanted,
        action,
    }
}
