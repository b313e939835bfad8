//! Chooses the next task for a worker.

use rusqlite::{OptionalExtension, Transaction, params};

use super::database::QueueId;
use super::ending::bury;
use super::periodic::enqueue_due;
use super::rows::find;
use super::settings::latest;
use super::task::{MAX_ERROR_CHARS, shortened};
use super::{Lease, Level, Queue, QueueError, TaskId};

impl Queue {
    /// The next task of these kinds that may run now at this level, leased to `worker`; `None` if there is none. First
    /// queues due periodic work and takes back expired leases.
    ///
    /// The order is by priority, then start time, then age in the queue. [`Level::Asleep`] allows everything. O(log
    /// tasks), and more if many waiting tasks are not allowed now or are of other kinds.
    pub fn lease(
        &self,
        worker: &str,
        kinds: &[&str],
        level: Level,
    ) -> Result<Option<Lease>, QueueError> {
        let now = self.now_in_microseconds();
        let until = now.saturating_add(self.inner.settings.lease_microseconds());
        let kinds = serde_json::Value::from(kinds).to_string();
        let worker = shortened(worker, MAX_ERROR_CHARS);
        let leased = self.change(|transaction, stamp| {
            enqueue_due(transaction, now)?;
            self.take_back(transaction, now, stamp)?;
            start_postponed_now(transaction, now)?;
            let Some(id) = next(transaction, &kinds, level, now)? else {
                return Ok(None);
            };
            let mut statement = transaction.prepare_cached(
                "UPDATE tasks SET state = 2, attempts = attempts + 1, fence = fence + 1, worker = ?2, leased_until = ?3,
                    started = ?4 WHERE id = ?1 RETURNING fence",
            )?;
            let fence: i64 =
                statement.query_row(params![id, worker, until, now], |row| row.get(0))?;
            Ok(Some((find(transaction, TaskId(id as u64), stamp)?, fence)))
        })?;
        Ok(leased.map(|(task, fence)| Lease {
            queue: self.clone(),
            task,
            fence,
            until,
        }))
    }

    /// Returns tasks with expired leases to the queue; those without attempts left become dead letters.
    fn take_back(
        &self,
        transaction: &Transaction<'_>,
        now: i64,
        stamp: QueueId,
    ) -> Result<(), QueueError> {
        // A lease that ends later than any that could be given now was given by a clock that has since been set back.
        let mut gone = transaction.prepare_cached(
            "SELECT id FROM tasks INDEXED BY tasks_running
             WHERE state = 2 AND (leased_until <= ?1 OR leased_until > ?2) ORDER BY id",
        )?;
        let gone = gone
            .query_map([now, latest(now)], |row| row.get::<_, i64>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        for id in gone {
            let task = find(transaction, TaskId(id as u64), stamp)?;
            if task.attempts >= self.inner.settings.max_attempts {
                let error = "the process died or hung in every attempt";
                bury(transaction, &task, error, now, &self.inner.settings)?;
            } else {
                let mut statement =
                    transaction.prepare_cached("UPDATE tasks SET state = 1 WHERE id = ?1")?;
                statement.execute([id])?;
            }
        }
        Ok(())
    }
}

/// Lets tasks start now that a clock, since set back, had postponed: they would wait for years.
fn start_postponed_now(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE tasks SET not_before = ?1, created = min(created, ?1)
         WHERE state = 1 AND priority IN (0, 1, 2, 3) AND not_before > ?2 AND max(created, coalesce(started, 0)) > ?2",
    )?;
    statement.execute([now, latest(now)])?;
    Ok(())
}

fn next(
    transaction: &Transaction<'_>,
    kinds: &str,
    level: Level,
    now: i64,
) -> Result<Option<i64>, QueueError> {
    let mut statement = transaction.prepare_cached(
        "SELECT id FROM tasks
         WHERE state = 1 AND priority <= ?1 AND not_before <= ?2 AND (cheap OR NOT ?3)
            AND kind IN (SELECT value FROM json_each(?4))
            AND kind NOT IN (SELECT kind FROM pauses)
            AND NOT EXISTS (SELECT 1 FROM pauses WHERE kind = '')
         ORDER BY priority, not_before, id LIMIT 1",
    )?;
    let lowest = level.lowest_priority().number();
    let found = statement.query_row(
        params![lowest, now, level.takes_only_cheap(), kinds],
        |row| row.get(0),
    );
    Ok(found.optional()?)
}
