//! How a task comes into the queue, and how it is taken out before it began.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

use super::database::Stamp;
use super::task::{self, COLUMNS};
use super::{NewTask, Queue, QueueError, Task, TaskId, TaskState};

/// What became of a request to queue something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Enqueued {
    /// It is a task of its own.
    New(TaskId),
    /// The same was waiting already: that task has the new payload and cost, the higher of both priorities, and the earlier
    /// of both beginnings.
    Merged(TaskId),
    /// The same has begun already, and may have missed what this was about: once that task ends, another one follows with
    /// the payload given last. Its priority counts for the one that has begun too, should that have to wait again.
    Again(TaskId),
}

impl Queue {
    /// Queues a task, or merges it with the unfinished one of the same kind and key. O(log tasks).
    pub fn enqueue(&self, task: &NewTask) -> Result<Enqueued, QueueError> {
        let payload = task.checked()?;
        let now = self.now_in_microseconds();
        self.change(|transaction, _| enqueue(transaction, task, &payload, now))
    }

    /// A task by its number. Finished ones are there for a while.
    pub fn task(&self, id: TaskId) -> Result<Task, QueueError> {
        self.look(|transaction, stamp| find(transaction, id, stamp))
    }

    /// Those that wait and those that run, in the order in which they are taken; at most `most`.
    pub fn unfinished(&self, most: usize) -> Result<Vec<Task>, QueueError> {
        let order = "state <= 2 ORDER BY state DESC, priority, not_before, id";
        self.look(|transaction, stamp| list(transaction, order, most, stamp))
    }

    /// Takes out a task that waits, and what was to follow it.
    pub fn cancel(&self, id: TaskId) -> Result<Task, QueueError> {
        let now = self.now_in_microseconds();
        self.change(|transaction, stamp| {
            let found = find(transaction, id, stamp)?;
            expect(&found, TaskState::Waiting, "cancelled")?;
            transaction.execute("DELETE FROM again WHERE task = ?1", [id.0 as i64])?;
            let kept = self.inner.settings.finished_kept;
            super::ending::finish(transaction, &found, TaskState::Cancelled, now, kept)?;
            find(transaction, id, stamp)
        })
    }
}

pub(super) fn enqueue(
    transaction: &Transaction<'_>,
    task: &NewTask,
    payload: &str,
    now: i64,
) -> Result<Enqueued, QueueError> {
    let not_before = task.not_before.map_or(now, Timestamp::as_microsecond);
    let priority = task.priority.number();
    let Some((id, has_begun)) = unfinished(transaction, &task.kind, &task.key)? else {
        return insert(transaction, task, payload, not_before, now).map(Enqueued::New);
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
        statement.execute(params![id, payload, priority, task.cheap, not_before, now])?;
        return Ok(Enqueued::Again(TaskId(id as u64)));
    }
    let mut statement = transaction.prepare_cached(
        "UPDATE tasks SET payload = ?2, cheap = ?3, priority = min(priority, ?4), not_before = min(not_before, ?5)
         WHERE id = ?1",
    )?;
    statement.execute(params![id, payload, task.cheap, priority, not_before])?;
    Ok(Enqueued::Merged(TaskId(id as u64)))
}

/// The unfinished task of a kind and key, and whether it has ever begun.
pub(super) fn unfinished(
    transaction: &Transaction<'_>,
    kind: &str,
    key: &str,
) -> Result<Option<(i64, bool)>, QueueError> {
    let mut statement = transaction.prepare_cached(
        "SELECT id, started IS NOT NULL FROM tasks WHERE kind = ?1 AND key = ?2 AND state <= 2",
    )?;
    let found = statement.query_row([kind, key], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(found.optional()?)
}

fn insert(
    transaction: &Transaction<'_>,
    task: &NewTask,
    payload: &str,
    not_before: i64,
    now: i64,
) -> Result<TaskId, QueueError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO tasks (kind, key, payload, priority, cheap, state, not_before, created)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)",
    )?;
    let priority = task.priority.number();
    statement.execute(params![
        task.kind, task.key, payload, priority, task.cheap, not_before, now
    ])?;
    Ok(TaskId(transaction.last_insert_rowid() as u64))
}

pub(super) fn find(
    transaction: &Transaction<'_>,
    id: TaskId,
    stamp: Stamp,
) -> Result<Task, QueueError> {
    let statement = format!("SELECT {COLUMNS} FROM tasks WHERE id = ?1");
    let mut statement = transaction.prepare_cached(&statement)?;
    let mut rows = statement.query([i64::try_from(id.0).unwrap_or(-1)])?;
    match rows.next()? {
        Some(row) => task::read(row, stamp),
        None => Err(QueueError::NoTask(id)),
    }
}

/// The tasks for which a condition holds, with its order.
pub(super) fn list(
    transaction: &Transaction<'_>,
    condition: &str,
    most: usize,
    stamp: Stamp,
) -> Result<Vec<Task>, QueueError> {
    let statement = format!("SELECT {COLUMNS} FROM tasks WHERE {condition} LIMIT ?1");
    let mut statement = transaction.prepare_cached(&statement)?;
    let mut rows = statement.query([i64::try_from(most).unwrap_or(i64::MAX)])?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next()? {
        tasks.push(task::read(row, stamp)?);
    }
    Ok(tasks)
}

pub(super) fn expect(
    task: &Task,
    wanted: TaskState,
    action: &'static str,
) -> Result<(), QueueError> {
    if task.state == wanted {
        return Ok(());
    }
    Err(QueueError::State {
        id: task.id,
        state: task.state,
        wanted,
        action,
    })
}
