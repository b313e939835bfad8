//! Reads tasks from the database.

use rusqlite::{OptionalExtension, Row, Transaction};

use super::database::QueueId;
use super::task::instant;
use super::{Priority, Progress, QueueError, Task, TaskId, TaskState};

/// The columns that [`read`] expects, in order.
const COLUMNS: &str = "id, kind, key, payload, priority, cheap, state, not_before, attempts, worker, \
     progress_done, progress_total, progress_text, error, created, started, finished";

/// Reads a task from a row with the [`COLUMNS`].
fn read(row: &Row<'_>, file: QueueId) -> Result<Task, QueueError> {
    let unknown = |what: &str| QueueError::damaged("tasks.db".as_ref(), what);
    let payload: String = row.get(3)?;
    Ok(Task {
        id: TaskId(row.get::<_, i64>(0)? as u64),
        kind: row.get(1)?,
        key: row.get(2)?,
        payload: serde_json::from_str(&payload).map_err(|_| unknown("a payload is no JSON"))?,
        priority: Priority::of(row.get(4)?).ok_or_else(|| unknown("an unknown priority"))?,
        cheap: row.get(5)?,
        state: TaskState::of(row.get(6)?).ok_or_else(|| unknown("an unknown state"))?,
        not_before: instant(row.get(7)?),
        attempts: row.get(8)?,
        worker: row.get(9)?,
        progress: Progress {
            done: row.get::<_, i64>(10)? as u64,
            total: row.get::<_, i64>(11)? as u64,
            text: row.get(12)?,
        },
        error: row.get(13)?,
        created: instant(row.get(14)?),
        started: row.get::<_, Option<i64>>(15)?.map(instant),
        finished: row.get::<_, Option<i64>>(16)?.map(instant),
        file,
    })
}

pub(super) fn find(
    transaction: &Transaction<'_>,
    id: TaskId,
    stamp: QueueId,
) -> Result<Task, QueueError> {
    let statement = format!("SELECT {COLUMNS} FROM tasks WHERE id = ?1");
    let mut statement = transaction.prepare_cached(&statement)?;
    let mut rows = statement.query([i64::try_from(id.0).unwrap_or(-1)])?;
    match rows.next()? {
        Some(row) => read(row, stamp),
        None => Err(QueueError::NoTask(id)),
    }
}

/// The tasks that satisfy a condition, which includes the order.
pub(super) fn list(
    transaction: &Transaction<'_>,
    condition: &str,
    most: usize,
    stamp: QueueId,
) -> Result<Vec<Task>, QueueError> {
    let statement = format!("SELECT {COLUMNS} FROM tasks WHERE {condition} LIMIT ?1");
    let mut statement = transaction.prepare_cached(&statement)?;
    let mut rows = statement.query([i64::try_from(most).unwrap_or(i64::MAX)])?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next()? {
        tasks.push(read(row, stamp)?);
    }
    Ok(tasks)
}

/// The unfinished task of a kind and key, and whether it has ever started.
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
