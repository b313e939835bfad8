//! How a worker gets a task, and keeps it.

use rusqlite::{OptionalExtension, Transaction, params};

use super::database::Stamp;
use super::ending::bury;
use super::enqueueing::find;
use super::periodic::queue_what_is_due;
use super::settings::{LONGEST_LEASE, microseconds};
use super::task::{LONGEST_ERROR, shortened};
use super::{Level, Progress, Queue, QueueError, Task, TaskId};

/// The right to do a task, and to end it. One that is dropped without a word runs out, as if its holder had been killed.
#[derive(Debug)]
#[must_use = "a lease that is dropped runs out, and its task waits for that"]
pub struct Lease {
    pub(super) queue: Queue,
    pub(super) task: Task,
    pub(super) fence: i64,
    pub(super) until: i64,
}

impl Queue {
    /// The most important task of these kinds that may run now at this level, leased to `worker`; `None` where there is
    /// none. Queues the periodic work that is due and takes back what was leased to workers that are gone.
    ///
    /// Taken first is the higher priority, then the earlier beginning, then what was queued first. [`Level::Asleep`] takes
    /// everything. O(log tasks), and more where many tasks
    /// wait that may not run now or are of other kinds.
    pub fn lease(
        &self,
        worker: &str,
        kinds: &[&str],
        level: Level,
    ) -> Result<Option<Lease>, QueueError> {
        let now = self.now_in_microseconds();
        let until = now.saturating_add(self.inner.settings.lease_microseconds());
        let kinds = serde_json::Value::from(kinds).to_string();
        let worker = shortened(worker, LONGEST_ERROR);
        let leased = self.change(|transaction, stamp| {
            queue_what_is_due(transaction, now)?;
            self.take_back(transaction, now, stamp)?;
            let_go_on(transaction, now)?;
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

    /// Puts tasks whose lease ran out back into the queue; those that had their last attempt die.
    fn take_back(
        &self,
        transaction: &Transaction<'_>,
        now: i64,
        stamp: Stamp,
    ) -> Result<(), QueueError> {
        // A lease that ends later than any that could be given now was given by a clock that was set back since.
        let mut gone = transaction.prepare_cached(
            "SELECT id FROM tasks INDEXED BY tasks_running
             WHERE state = 2 AND (leased_until <= ?1 OR leased_until > ?2) ORDER BY id",
        )?;
        let gone = gone
            .query_map([now, latest(now)], |row| row.get::<_, i64>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        for id in gone {
            let task = find(transaction, TaskId(id as u64), stamp)?;
            if task.attempts >= self.inner.settings.most_attempts {
                let error = "the process that did it ended, or stood still, in every attempt";
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

/// Has tasks begin at once that were put off by a clock that was set back since: they would wait for years.
fn let_go_on(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE tasks SET not_before = ?1, created = min(created, ?1)
         WHERE state = 1 AND priority IN (0, 1, 2, 3) AND not_before > ?2 AND max(created, coalesce(started, 0)) > ?2",
    )?;
    statement.execute([now, latest(now)])?;
    Ok(())
}

/// Up to this instant a time may lie ahead; what is later was noted by a clock that was set back since.
pub(super) fn latest(now: i64) -> i64 {
    now.saturating_add(microseconds(LONGEST_LEASE))
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

impl Lease {
    /// The task as it was when the lease was given.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Holds the task for another while.
    pub fn renew(&mut self) -> Result<(), QueueError> {
        let now = self.queue.now_in_microseconds();
        let until = now.saturating_add(self.queue.inner.settings.lease_microseconds());
        self.change(|transaction, task| {
            let mut statement =
                transaction.prepare_cached("UPDATE tasks SET leased_until = ?2 WHERE id = ?1")?;
            statement.execute(params![task.id.0 as i64, until])?;
            Ok(())
        })?;
        self.until = until;
        Ok(())
    }

    /// Renews the lease once a third of it has passed, and where the clock was set back: others would take it for one
    /// that ran out.
    pub(super) fn renew_if_due(&mut self) -> Result<(), QueueError> {
        let left = self.until.saturating_sub(self.queue.now_in_microseconds());
        let whole = self.queue.inner.settings.lease_microseconds();
        if (whole / 3 * 2 + 1..=whole).contains(&left) {
            return Ok(());
        }
        self.renew()
    }

    /// Says how far the task has come.
    pub fn progress(&mut self, progress: &Progress) -> Result<(), QueueError> {
        let text = shortened(&progress.text, LONGEST_ERROR);
        let [done, total] =
            [progress.done, progress.total].map(|steps| i64::try_from(steps).unwrap_or(i64::MAX));
        self.change(|transaction, task| {
            let mut statement = transaction.prepare_cached(
                "UPDATE tasks SET progress_done = ?2, progress_total = ?3, progress_text = ?4 WHERE id = ?1",
            )?;
            statement.execute(params![task.id.0 as i64, done, total, text])?;
            Ok(())
        })
    }

    /// Whether this may still end the task.
    pub(super) fn is_held(&self) -> Result<bool, QueueError> {
        let held = self
            .queue
            .look(|transaction, stamp| self.check(transaction, stamp));
        match held {
            Err(QueueError::LeaseLost(_)) => Ok(false),
            held => held.map(|_| true),
        }
    }

    /// Changes the state in one transaction, if this lease still holds the task.
    pub(super) fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, &Task) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.queue.change(|transaction, stamp| {
            let task = self.check(transaction, stamp)?;
            work(transaction, &task)
        })
    }

    /// The task as it is now, if this lease still holds it.
    fn check(&self, transaction: &Transaction<'_>, stamp: Stamp) -> Result<Task, QueueError> {
        let lost = QueueError::LeaseLost(self.task.id);
        if stamp != self.task.file {
            return Err(lost);
        }
        let mut statement = transaction
            .prepare_cached("SELECT 1 FROM tasks WHERE id = ?1 AND state = 2 AND fence = ?2")?;
        if !statement.exists(params![self.task.id.0 as i64, self.fence])? {
            return Err(lost);
        }
        find(transaction, self.task.id, stamp)
    }
}
