//! Doing tasks one after the other, on whichever thread asks.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;

use super::settings::microseconds;
use super::{Activity, Failed, Lease, Level, Progress, Queue, QueueError, Task};

/// What can do tasks.
pub trait Handlers {
    /// The kinds of tasks that it does.
    fn kinds(&self) -> Vec<&str>;

    /// Does a task. It may have begun before, see [the contract](super#nothing-takes-effect-twice). A panic counts as a
    /// failure.
    fn run(&self, task: &Task, context: &mut TaskContext<'_>) -> Result<(), TaskError>;
}

/// Why a handler did not finish a task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// It failed, and may go well next time.
    #[error("{0}")]
    Failed(String),
    /// It failed, and would fail every time.
    #[error("{0}")]
    Hopeless(String),
    /// It can't be done before an instant; no attempt is counted.
    #[error("not before {until}: {reason}")]
    Postponed {
        /// When it can be tried.
        until: Timestamp,
        /// Why not now.
        reason: String,
    },
    /// It stopped because [`TaskContext::should_stop`] said so; no attempt is counted. Without having been asked to, this is a
    /// failure.
    #[error("it stopped unexpectedly")]
    Stopped,
    /// The queue itself failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

impl TaskError {
    /// A failure that may go well next time, with what went wrong.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What became of a task that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Done,
    /// It failed, and is tried again from this instant on.
    Failed(Timestamp),
    /// It failed for good.
    Dead,
    /// It was stopped, and waits again.
    Released,
    /// It waits until this instant.
    Postponed(Timestamp),
    /// Its lease ran out meanwhile, so that it runs again elsewhere; nothing of it took effect here.
    Lost,
}

/// A task that was run, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The task as it was when it began.
    pub task: Task,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it failed; empty where it did not.
    pub error: String,
}

/// Does the tasks of a queue with the handlers that it was given. It has no thread of its own.
pub struct Runner<H> {
    queue: Queue,
    handlers: H,
    activity: Arc<Activity>,
    worker: String,
    at_any_level: bool,
}

impl<H: Handlers> Runner<H> {
    /// A runner that goes by the name `worker`, for people who look at the queue. `activity` is what this process counts.
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

    /// Has everything run that is due, however much is asked meanwhile.
    #[must_use]
    pub fn at_any_level(mut self) -> Self {
        self.at_any_level = true;
        self
    }

    /// The handlers.
    pub fn handlers(&self) -> &H {
        &self.handlers
    }

    /// Does the next task that may run now, on this thread; `None` where there is none.
    pub fn run_next(&self) -> Result<Option<Ran>, QueueError> {
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
            told: None,
            asked_to_stop: false,
            trouble: None,
        };
        let run = AssertUnwindSafe(|| self.handlers.run(&task, &mut context));
        let ended = catch_unwind(run)
            .unwrap_or_else(|panic| Err(TaskError::Failed(said_in(panic.as_ref()))));
        let ended = match context.trouble.take() {
            // Whatever the handler made of it: the queue's own trouble comes first.
            Some(trouble) if ended.is_err() => Err(TaskError::Queue(trouble)),
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

/// Tells the queue how a task ended.
fn end(lease: Lease, ended: Result<(), TaskError>, asked_to_stop: bool) -> Result<Ran, QueueError> {
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
        Err(TaskError::Hopeless(_)) => lease.bury(&error).map(|()| Outcome::Dead),
        Err(TaskError::Failed(_) | TaskError::Stopped | TaskError::Queue(_)) => {
            lease.fail(&error).map(|failed| match failed {
                Failed::Again(begin) => Outcome::Failed(begin),
                Failed::Dead => Outcome::Dead,
            })
        }
    };
    let outcome = match outcome {
        Err(QueueError::LeaseLost(_)) => Outcome::Lost,
        outcome => outcome?,
    };
    Ok(Ran {
        task,
        outcome,
        error,
    })
}

/// What a panic said.
fn said_in(panic: &(dyn Any + Send)) -> String {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", said.unwrap_or("without a word"))
}

/// What a running handler may ask of the queue, and tell it.
pub struct TaskContext<'run> {
    lease: &'run mut Lease,
    level: &'run dyn Fn() -> Result<Level, QueueError>,
    /// When it was last looked whether to stop, and when progress was last told.
    looked: Option<i64>,
    told: Option<i64>,
    asked_to_stop: bool,
    trouble: Option<QueueError>,
}

impl TaskContext<'_> {
    /// Whether the handler should return [`TaskError::Stopped`] as soon as it can: so much is asked now that this task may not
    /// run, its kind or the queue was paused, or the lease was lost.
    ///
    /// Call it between steps: it renews the lease when that is due. It looks at the queue at most once in
    /// [`Settings::look_every`](super::Settings::look_every), and costs next to nothing in between.
    pub fn should_stop(&mut self) -> bool {
        if !self.asked_to_stop && is_due(&mut self.looked, &self.lease.queue) {
            match self.look() {
                Ok(stop) => self.asked_to_stop = stop,
                Err(trouble) => {
                    self.trouble = Some(trouble);
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

    /// Says how far the task has come: `done` of `total` steps, 0 where nobody knows how many there are. Written at most once in
    /// [`Settings::look_every`](super::Settings::look_every), and when all steps are done.
    pub fn progress(&mut self, done: u64, total: u64, text: &str) -> Result<(), TaskError> {
        let is_last = total > 0 && done >= total;
        if is_due(&mut self.told, &self.lease.queue) || is_last {
            self.lease.renew_if_due()?;
            self.lease.progress(&Progress {
                done,
                total,
                text: text.to_owned(),
            })?;
        }
        Ok(())
    }

    /// Holds the task for another while, as before a step that takes long.
    pub fn renew(&mut self) -> Result<(), TaskError> {
        Ok(self.lease.renew()?)
    }

    /// The present instant by the queue's clock.
    pub fn now(&self) -> Timestamp {
        self.lease.queue.now()
    }
}

/// Whether something that is done once in a while is to be done now; then it counts as done.
fn is_due(last: &mut Option<i64>, queue: &Queue) -> bool {
    let now = queue.now_in_microseconds();
    let every = microseconds(queue.settings().look_every);
    let is_due = last.is_none_or(|last| now < last || now.saturating_sub(last) >= every);
    if is_due {
        *last = Some(now);
    }
    is_due
}
