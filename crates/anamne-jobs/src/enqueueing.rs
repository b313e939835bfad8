//! Adding tasks to the queue.

use rusqlite::{Transaction, params};

use super::rows::{find, list, unfinished};
use super::{NewTask, Queue, QueueError, Task, TaskId};

impl Queue {
    /// Queues a task. O(log tasks).
    ///
    /// If a task of the same kind and key is waiting, it takes the new payload and cost, and the higher priority. If it
    /// has already started, and so may have missed the change, another task follows it with the latest payload; the
    /// started task also takes the higher priority, in case it has to wait again.
    pub fn enqueue(&self, task: &NewTask) -> Result<(), QueueError> {
        let payload = task.checked()?;
        let now = self.now_in_microseconds();
        self.change(|transaction, _| enqueue(transaction, task, &payload, now, now))
    }

    /// Looks up a task. Finished tasks are kept for a while.
    pub fn task(&self, id: TaskId) -> Result<Task, QueueError> {
        self.look(|transaction, stamp| find(transaction, id, stamp))
    }

    /// The waiting and running tasks in lease order; at most `most`.
    pub fn unfinished(&self, most: usize) -> Result<Vec<Task>, QueueError> {
        let order = "state <= 2 ORDER BY state DESC, priority, not_before, id";
        self.look(|transaction, stamp| list(transaction, order, most, stamp))
    }
}

/// Queues a task that may start at `begin`, or merges it with the unfinished one.
pub(super) fn enqueue(
    transaction: &Transaction<'_>,
    task: &NewTask,
    payload: &str,
    begin: i64,
    now: i64,
) -> Result<(), QueueError> {
    let (priority, cheap) = (task.priority.number(), task.cheap);
    let Some((id, has_begun)) = unfinished(transaction, &task.kind, &task.key)? else {
        let mut statement = transaction.prepare_cached(
            "INSERT INTO tasks (kind, key, payload, priority, cheap, state, not_before, created)
             VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)",
        )?;
        statement.execute(params![
            task.kind, task.key, payload, priority, cheap, begin, now
        ])?;
        return Ok(());
    };
    if has_begun {
        let raise = "UPDATE tasks SET priority = min(priority, ?2) WHERE id = ?1";
        transaction.execute(raise, params![id, priority])?;
        let mut statement = transaction.prepare_cached(
            "INSERT INTO again (task, payload, priority, cheap, not_before, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (task) DO UPDATE SET payload = excluded.payload, cheap = excluded.cheap,
                priority = min(priority, excluded.priority), not_before = min(not_before, excluded.not_before)",
        )?;
        statement.execute(params![id, payload, priority, cheap, begin, now])?;
        return Ok(());
    }
    let mut statement = transaction.prepare_cached(
        "UPDATE tasks SET payload = ?2, cheap = ?3, priority = min(priority, ?4), not_before = min(not_before, ?5)
         WHERE id = ?1",
    )?;
    statement.execute(params![id, payload, cheap, priority, begin])?;
    Ok(())
}
