//! Leases: how a worker holds a task.

use rusqlite::{Transaction, params};

use super::database::QueueId;
use super::rows::find;
use super::task::{MAX_ERROR_CHARS, shortened};
use super::{Progress, Queue, QueueError, Task};

/// The right to run and end a task. A lease that is dropped without ending the task expires, as if its holder had been
/// killed.
#[derive(Debug)]
#[must_use = "a lease that is dropped runs out, and its task waits for that"]
pub struct Lease {
    pub(super) queue: Queue,
    pub(super) task: Task,
    pub(super) fence: i64,
    pub(super) until: i64,
}

impl Lease {
    /// The task at the time of the lease.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Extends the lease.
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

    /// Renews the lease once a third of it has passed, or if the clock was set back: other workers would treat the
    /// lease as expired.
    pub(super) fn renew_if_due(&mut self) -> Result<(), QueueError> {
        let left = self.until.saturating_sub(self.queue.now_in_microseconds());
        let whole = self.queue.inner.settings.lease_microseconds();
        if (whole / 3 * 2 + 1..=whole).contains(&left) {
            return Ok(());
        }
        self.renew()
    }

    /// Records the progress.
    pub fn progress(&mut self, progress: &Progress) -> Result<(), QueueError> {
        let text = shortened(&progress.text, MAX_ERROR_CHARS);
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

    /// Whether this lease still holds the task.
    pub(super) fn is_held(&self) -> Result<bool, QueueError> {
        let held = self
            .queue
            .look(|transaction, stamp| self.check(transaction, stamp));
        match held {
            Err(QueueError::LeaseLost(_)) => Ok(false),
            held => held.map(|_| true),
        }
    }

    /// Runs `work` in one write transaction, if this lease still holds the task.
    pub(super) fn change<T>(
        &self,
        mut work: impl FnMut(&Transaction<'_>, &Task) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        self.queue.change(|transaction, stamp| {
            let task = self.check(transaction, stamp)?;
            work(transaction, &task)
        })
    }

    /// The current task, if this lease still holds it.
    fn check(&self, transaction: &Transaction<'_>, stamp: QueueId) -> Result<Task, QueueError> {
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
