//! How an attempt ends: completed, failed, released, postponed, or buried as a dead letter.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::enqueueing::enqueue;
use super::retries::retry_delay;
use super::settings::latest;
use super::task::{MAX_ERROR_CHARS, instant, shortened};
use super::{Lease, NewTask, Priority, QueueError, Settings, Task, TaskState};

/// The result of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureOutcome {
    /// The task is retried at this time.
    Again(Timestamp),
    /// That was the last attempt.
    Dead,
}

impl Lease {
    /// Marks the task as done.
    pub fn complete(self) -> Result<(), QueueError> {
        let now = self.queue.now_in_microseconds();
        let kept = self.queue.inner.settings.finished_kept;
        self.change(|transaction, task| finish(transaction, task, TaskState::Done, now, kept))
    }

    /// Marks this attempt as failed: the task is retried after a delay, or becomes a dead letter after its last
    /// attempt.
    pub fn fail(self, error: &str) -> Result<FailureOutcome, QueueError> {
        let now = self.queue.now_in_microseconds();
        let settings = &self.queue.inner.settings;
        self.change(|transaction, task| {
            if task.attempts >= settings.max_attempts {
                bury(transaction, task, error, now, settings)?;
                return Ok(FailureOutcome::Dead);
            }
            let again = now.saturating_add(retry_delay(task, settings));
            put_back(transaction, task, again, Some(error), task.attempts)?;
            Ok(FailureOutcome::Again(instant(again)))
        })
    }

    /// Makes the task a dead letter, because another attempt would fail the same way.
    pub fn bury(self, error: &str) -> Result<(), QueueError> {
        let now = self.queue.now_in_microseconds();
        let settings = &self.queue.inner.settings;
        self.change(|transaction, task| bury(transaction, task, error, now, settings))
    }

    /// Returns the task to the queue without counting this attempt; it may be leased again immediately.
    pub fn release(self) -> Result<(), QueueError> {
        let begin = self.task.not_before;
        self.give_back(begin, None)
    }

    /// Returns the task to the queue until `begin` without counting this attempt, and records the reason.
    pub fn postpone(self, begin: Timestamp, reason: &str) -> Result<(), QueueError> {
        self.give_back(begin, Some(reason))
    }

    fn give_back(self, begin: Timestamp, reason: Option<&str>) -> Result<(), QueueError> {
        let begin = begin.as_microsecond();
        self.change(|transaction, task| {
            let attempts = task.attempts.saturating_sub(1);
            put_back(transaction, task, begin, reason, attempts)
        })
    }
}

fn put_back(
    transaction: &Transaction<'_>,
    task: &Task,
    begin: i64,
    error: Option<&str>,
    attempts: u32,
) -> Result<(), QueueError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE tasks SET state = 1, not_before = ?2, error = coalesce(?3, error), attempts = ?4 WHERE id = ?1",
    )?;
    let error = error.map(|error| shortened(error, MAX_ERROR_CHARS));
    statement.execute(params![task.id.0 as i64, begin, error, attempts])?;
    Ok(())
}

/// Makes a task a dead letter, replacing an earlier one of the same kind and key.
pub(super) fn bury(
    transaction: &Transaction<'_>,
    task: &Task,
    error: &str,
    now: i64,
    settings: &Settings,
) -> Result<(), QueueError> {
    let mut earlier = transaction
        .prepare_cached("DELETE FROM tasks WHERE state = 3 AND kind = ?1 AND key = ?2")?;
    earlier.execute([&task.kind, &task.key])?;
    let mut statement = transaction
        .prepare_cached("UPDATE tasks SET state = 3, finished = ?2, error = ?3 WHERE id = ?1")?;
    let error = shortened(error, MAX_ERROR_CHARS);
    statement.execute(params![task.id.0 as i64, now, error])?;
    let mut oldest = transaction.prepare_cached(
        "DELETE FROM tasks WHERE id IN
            (SELECT id FROM tasks WHERE state = 3 ORDER BY finished DESC, id DESC LIMIT -1 OFFSET ?1)",
    )?;
    oldest.execute([settings.dead_kept])?;
    follow(transaction, task, now)
}

/// Marks a task as finished, queues its pending repetition, and deletes the oldest finished tasks.
pub(super) fn finish(
    transaction: &Transaction<'_>,
    task: &Task,
    state: TaskState,
    now: i64,
    kept: u32,
) -> Result<(), QueueError> {
    let mut statement =
        transaction.prepare_cached("UPDATE tasks SET state = ?2, finished = ?3 WHERE id = ?1")?;
    statement.execute(params![task.id.0 as i64, state.number(), now])?;
    let mut oldest = transaction.prepare_cached(
        "DELETE FROM tasks WHERE id IN
            (SELECT id FROM tasks WHERE state >= 4 ORDER BY finished DESC, id DESC LIMIT -1 OFFSET ?1)",
    )?;
    oldest.execute([kept])?;
    follow(transaction, task, now)
}

/// Queues the repetition that was requested after the task had started.
fn follow(transaction: &Transaction<'_>, task: &Task, now: i64) -> Result<(), QueueError> {
    let mut statement = transaction.prepare_cached(
        "DELETE FROM again WHERE task = ?1
         RETURNING payload, priority, cheap, iif(created > ?2, ?3, not_before)",
    )?;
    let asked = statement
        .query_row([task.id.0 as i64, latest(now), now], |row| {
            let priority = Priority::of(row.get(1)?).unwrap_or(Priority::Normal);
            Ok((row.get::<_, String>(0)?, priority, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((payload, priority, cheap, begin)) = asked else {
        return Ok(());
    };
    let next = NewTask {
        kind: task.kind.clone(),
        key: task.key.clone(),
        payload: serde_json::Value::Null,
        priority,
        cheap,
    };
    enqueue(transaction, &next, &payload, begin, now)
}
