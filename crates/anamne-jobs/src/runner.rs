//! Runs tasks one after the other on the calling thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;

use super::settings::microseconds;
use super::{Activity, FailureOutcome, Lease, Level, Progress, Queue, QueueError, Task};

/// Task handlers.
pub trait Handlers {
    /// The kinds of tasks that it handles.
    fn kinds(&self) -> Vec<&str>;

    /// Runs a task. It may have started before, see [the contract](super#nothing-takes-effect-twice). A panic counts as
    /// a failure.
    fn run(&self, task: &Task, context: &mut TaskContext<'_>) -> Result<(), TaskError>;
}

/// Why a handler did not finish a task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// A failure; a retry may succeed.
    #[error("{0}")]
    Failed(String),
    /// A permanent failure; every retry would fail too.
    #[error("{0}")]
    Permanent(String),
    /// It can't run before this time; the attempt is not counted.
    #[error("not before {until}: {reason}")]
    Postponed {
        /// The earliest time of the next attempt.
        until: Timestamp,
        /// The reason.
        reason: String,
    },
    /// It stopped because [`TaskContext::should_stop`] said so; the attempt is not counted. Stopping without such a
    /// request is a failure.
    #[error("it stopped unexpectedly")]
    Stopped,
    /// The queue itself failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

impl TaskError {
    /// A failure that a retry may fix, with the error.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The outcome of a task run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Done,
    /// It failed, and is retried at this time.
    Failed(Timestamp),
    /// It failed permanently.
    Dead,
    /// It was stopped, and returned to the queue.
    Released,
    /// It waits until this time.
    Postponed(Timestamp),
    /// Its lease expired meanwhile, so that it runs again elsewhere; it had no effect here.
    Lost,
}

/// A task run and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRun {
    /// The task at its start.
    pub task: Task,
    /// The outcome.
    pub outcome: Outcome,
    /// The error; empty on success.
    pub error: String,
}

/// Runs the tasks of a queue with the given handlers. It has no thread of its own.
pub struct Runner<H> {
    queue: Queue,
    handlers: H,
    activity: Arc<Activity>,
    worker: String,
    at_any_level: bool,
}

impl<H: Handlers> Runner<H> {
    /// A runner; `worker` is the name shown in reports, `activity` holds the counts of this process.
    pub fn new(
        queue: Queue,
        handlers: H,
        activity: Arc<Activity>,
        worker: impl Into<String>,
    ) -> Self {
        Self {
            queue,
            handlers,
            activity,
            worker: worker.into(),
            at_any_level: false,
        }
    }

    /// Runs everything that is due, whatever the load.
    #[must_use]
    pub fn at_any_level(mut self) -> Self {
        self.at_any_level = true;
        self
    }

    /// The handlers.
    pub fn handlers(&self) -> &H {
        &self.handlers
    }

    /// Runs the next task that may run now, on this thread; `None` if there is none.
    pub fn run_next(&self) -> Result<Option<TaskRun>, QueueError> {
        let level = self.level()?;
        let kinds = self.handlers.kinds();
        let Some(mut lease) = self.queue.lease(&self.worker, &kinds, level)? else {
            return Ok(None);
        };
        let task = lease.task().clone();
        let mut context = TaskContext {
            lease: &mut lease,
            level: &|| self.level(),
            looked: None,
            stored: None,
            asked_to_stop: false,
            queue_error: None,
        };
        let run = AssertUnwindSafe(|| self.handlers.run(&task, &mut context));
        let ended = catch_unwind(run)
            .unwrap_or_else(|panic| Err(TaskError::Failed(panic_message(panic.as_ref()))));
        let ended = match context.queue_error.take() {
            // An error of the queue takes precedence over the handler's error.
            Some(queue_error) if ended.is_err() => Err(TaskError::Queue(queue_error)),
            _ => ended,
        };
        let asked_to_stop = context.asked_to_stop;
        end(lease, ended, asked_to_stop).map(Some)
    }

    fn level(&self) -> Result<Level, QueueError> {
        self.activity.flush_if_due(&self.queue)?;
        if self.at_any_level {
            return Ok(Level::Asleep);
        }
        Ok(self.queue.activity()?.level)
    }
}

/// Records how a task ended.
fn end(
    lease: Lease,
    ended: Result<(), TaskError>,
    asked_to_stop: bool,
) -> Result<TaskRun, QueueError> {
    let task = lease.task().clone();
    let error = ended
        .as_ref()
        .err()
        .map(ToString::to_string)
        .unwrap_or_default();
    let outcome = match ended {
        Ok(()) => lease.complete().map(|()| Outcome::Done),
        Err(TaskError::Queue(QueueError::LeaseLost(_))) => Ok(Outcome::Lost),
        Err(TaskError::Stopped) if asked_to_stop => lease.release().map(|()| Outcome::Released),
        Err(TaskError::Postponed { until, reason }) => lease
            .postpone(until, &reason)
            .map(|()| Outcome::Postponed(until)),
        Err(TaskError::Permanent(_)) => lease.bury(&error).map(|()| Outcome::Dead),
        Err(TaskError::Failed(_) | TaskError::Stopped | TaskError::Queue(_)) => {
            lease.fail(&error).map(|failed| match failed {
                FailureOutcome::Again(begin) => Outcome::Failed(begin),
                FailureOutcome::Dead => Outcome::Dead,
            })
        }
    };
    let outcome = match outcome {
        Err(QueueError::LeaseLost(_)) => Outcome::Lost,
        outcome => outcome?,
    };
    Ok(TaskRun {
        task,
        outcome,
        error,
    })
}

/// The message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", said.unwrap_or("without a word"))
}

/// What a running handler can ask of the queue and report to it.
pub struct TaskContext<'run> {
    lease: &'run mut Lease,
    level: &'run dyn Fn() -> Result<Level, QueueError>,
    /// Times of the last stop check and of the last progress report.
    looked: Option<i64>,
    stored: Option<i64>,
    asked_to_stop: bool,
    queue_error: Option<QueueError>,
}

impl TaskContext<'_> {
    /// Whether the handler should return [`TaskError::Stopped`] as soon as possible: the load is too high for this
    /// task, its kind or the queue was paused, or the lease was lost.
    ///
    /// Call it between steps: it renews the lease when due. It reads the queue at most once per
    /// [`Settings::check_interval`](super::Settings::check_interval), and costs next to nothing in between.
    pub fn should_stop(&mut self) -> bool {
        if !self.asked_to_stop && is_due(&mut self.looked, &self.lease.queue) {
            match self.look() {
                Ok(stop) => self.asked_to_stop = stop,
                Err(queue_error) => {
                    self.queue_error = Some(queue_error);
                    self.asked_to_stop = true;
                }
            }
        }
        self.asked_to_stop
    }

    fn look(&mut self) -> Result<bool, QueueError> {
        if !self.lease.is_held()? {
            return Err(QueueError::LeaseLost(self.lease.task().id));
        }
        self.lease.renew_if_due()?;
        let task = self.lease.task();
        if self.lease.queue.is_paused(&task.kind)? {
            return Ok(true);
        }
        Ok(!(self.level)()?.allows(task.priority, task.cheap))
    }

    /// Reports progress: `done` of `total` steps, 0 if the total is unknown. Written at most once per
    /// [`Settings::check_interval`](super::Settings::check_interval), and when all steps are done.
    pub fn progress(&mut self, done: u64, total: u64, text: &str) -> Result<(), TaskError> {
        let is_last = total > 0 && done >= total;
        if is_due(&mut self.stored, &self.lease.queue) || is_last {
            self.lease.renew_if_due()?;
            self.lease.progress(&Progress {
                done,
                total,
                text: text.to_owned(),
            })?;
        }
        Ok(())
    }

    /// Extends the lease, for example before a long step.
    pub fn renew(&mut self) -> Result<(), TaskError> {
        Ok(self.lease.renew()?)
    }

    /// The current time by the queue's clock.
    pub fn now(&self) -> Timestamp {
        self.lease.queue.now()
    }
}

/// Whether the interval since `last` has passed; if so, sets `last` to the current time.
fn is_due(last: &mut Option<i64>, queue: &Queue) -> bool {
    let now = queue.now_in_microseconds();
    let every = microseconds(queue.settings().check_interval);
    let is_due = last.is_none_or(|last| now < last || now.saturating_sub(last) >= every);
    if is_due {
        *last = Some(now);
    }
    is_due
}
