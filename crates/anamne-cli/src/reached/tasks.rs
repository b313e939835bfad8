//! Background work of a space in either place.

use anamne::queue::{RetryOutcome, Task, TaskId, TaskState};
use anamne::{Space, WorkReport};
use anamne_client::{Method, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Reached;
use crate::failure::Failure;

/// Whether something changed.
#[derive(Deserialize)]
struct Changed {
    changed: bool,
}

impl Reached {
    /// The state of background work.
    pub(crate) fn work(&self) -> Result<WorkReport, Failure> {
        self.ask(Space::work, |space| space.read(&["tasks"], &Query::new()))
    }

    /// The next waiting tasks; `running` others are unfinished, too.
    pub(crate) fn waiting(&self, most: usize, running: usize) -> Result<Vec<Task>, Failure> {
        let unfinished: Vec<Task> = self.ask(
            |space| Ok(space.task_queue()?.unfinished(most + running)?),
            |space| {
                let query = Query::new().with("limit", most + running);
                space.read_field(&["tasks", "unfinished"], &query, "tasks")
            },
        )?;
        let waiting = unfinished
            .into_iter()
            .filter(|task| task.state == TaskState::Waiting);
        Ok(waiting.take(most).collect())
    }

    /// Pauses the queue or a kind of task; returns whether it was not paused before.
    pub(crate) fn pause(&self, kind: Option<&str>) -> Result<bool, Failure> {
        self.ask(
            |space| Ok(space.task_queue()?.pause(kind)?),
            |space| {
                let paused: Changed = space.post(&["tasks", "pauses"], &json!({ "kind": kind }))?;
                Ok(paused.changed)
            },
        )
    }

    /// Resumes the queue or a kind of task; returns whether it was paused.
    pub(crate) fn resume(&self, kind: Option<&str>) -> Result<bool, Failure> {
        self.ask(
            |space| Ok(space.task_queue()?.resume(kind)?),
            |space| {
                let query = Query::new().maybe("kind", kind);
                let route = &["tasks", "pauses"];
                let resumed: Changed =
                    space.call_with(Method::Delete, route, &query, None::<&()>)?;
                Ok(resumed.changed)
            },
        )
    }

    /// Queues failed tasks again: one, or all.
    pub(crate) fn retry(&self, id: Option<TaskId>) -> Result<Vec<RetryOutcome>, Failure> {
        match self {
            Self::Here(space) => {
                let queue = space.task_queue()?;
                Ok(match id {
                    Some(id) => vec![queue.retry(id)?],
                    None => queue.retry_all()?,
                })
            }
            Self::There(space) => {
                #[derive(Deserialize)]
                struct Retried {
                    retried: Vec<RetryOutcome>,
                }
                let retried: Retried = space.post(&["tasks", "retries"], &json!({ "task": id }))?;
                Ok(retried.retried)
            }
        }
    }

    /// Cancels a waiting or failed task.
    pub(crate) fn cancel(&self, id: TaskId) -> Result<Task, Failure> {
        self.ask(
            |space| Ok(space.task_queue()?.cancel(id)?),
            |space| space.call(Method::Delete, &["tasks", &id.to_string()], None::<&()>),
        )
    }

    /// The failed tasks, latest first.
    pub(crate) fn failed_tasks(&self) -> Result<Vec<Task>, Failure> {
        match self {
            Self::Here(space) => Ok(space.task_queue()?.dead_letters()?),
            Self::There(_) => Ok(self.work()?.failed),
        }
    }

    /// Lets a server begin everything that is due; false on this machine, where the command does it itself.
    pub(crate) fn begin_tasks(&self) -> Result<bool, Failure> {
        self.begin(&["tasks", "runs"])
    }

    /// Lets a server begin to move old memories; false on this machine.
    pub(crate) fn begin_moves(&self) -> Result<bool, Failure> {
        self.begin(&["tiers", "moves"])
    }

    fn begin(&self, route: &[&str]) -> Result<bool, Failure> {
        let Self::There(space) = self else {
            return Ok(false);
        };
        let begun: Value = space.call(Method::Post, route, None::<&()>)?;
        drop(begun);
        Ok(true)
    }
}
