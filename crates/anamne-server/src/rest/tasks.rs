//! The queue of background work: show, run, pause, retry, cancel.

use anamne::queue::{Outcome, RetryOutcome, Task, TaskId, TaskRun};
use anamne::text::echo::shorten;
use anamne::{Error, Space, WorkReport};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Numbered, Page, Routes, conceal};
use super::work::{Begun, WorkKind, begin};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

/// Tasks of a run that are told one by one.
const MOST_TOLD: usize = 100;

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(report))
        .routes(routes!(unfinished))
        .routes(routes!(show))
        .routes(routes!(run))
        .routes(routes!(retry))
        .routes(routes!(cancel))
        .routes(routes!(pause))
        .routes(routes!(resume))
}

/// Show background work: load, pauses, tasks by kind, failed tasks, chores
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/tasks",
    tag = "tasks",
    operation_id = "report_tasks",
    params(InSpace),
    responses((status = 200, body = WorkReport), (status = "default", body = Problem))
)]
async fn report(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<WorkReport>, Problem> {
    let told = caller.with_space(space, |space| {
        let mut work = space.work()?;
        let queue = &mut work.queue;
        let tasks = queue.running.iter_mut().chain(&mut queue.recent);
        let tasks = tasks.chain(&mut queue.oldest_waiting);
        let tasks = tasks.chain(&mut work.failed).map(|task| &mut task.error);
        let chores = work.chores.iter_mut().map(|chore| &mut chore.problem);
        conceal(space, tasks.chain(chores));
        Ok(work)
    });
    told.await.map(Json)
}

/// Tasks.
#[derive(Debug, Serialize, ToSchema)]
struct Tasks {
    /// The tasks.
    tasks: Vec<Task>,
}

/// List running and waiting tasks in their order; needs the right to configure
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/tasks/unfinished",
    tag = "tasks",
    operation_id = "list_unfinished_tasks",
    params(InSpace, Page),
    responses((status = 200, body = Tasks), (status = "default", body = Problem))
)]
async fn unfinished(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(page): Query<Page>,
) -> Result<Json<Tasks>, Problem> {
    let limit = page.checked()?;
    let listed = caller.with_space(space, move |space| {
        Ok(Tasks {
            tasks: space.task_queue()?.unfinished(limit)?,
        })
    });
    listed.await.map(Json)
}

/// Show a task; needs the right to configure
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/tasks/{number}",
    tag = "tasks",
    operation_id = "show_task",
    params(Numbered),
    responses((status = 200, body = Task), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(Numbered { space, number }): Path<Numbered>,
) -> Result<Json<Task>, Problem> {
    let shown = caller.with_space(space, move |space| {
        Ok(space.task_queue()?.task(id(number)?)?)
    });
    shown.await.map(Json)
}

/// The id with this number.
fn id(number: u64) -> Result<TaskId, Error> {
    Ok(number.to_string().parse()?)
}

/// Queue and run everything that is due: extraction, summaries, enrichment, scheduled backups
///
/// The answer comes as the work begins, and names the route that has its outcome: which tasks ran, and which failed.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/tasks/runs",
    tag = "tasks",
    operation_id = "run_tasks",
    params(InSpace),
    responses((status = 202, body = Begun), (status = "default", body = Problem))
)]
async fn run(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let kind = WorkKind {
        what: "tasks",
        progress: "tasks",
    };
    begin(caller, space, kind, check_writes, |space| {
        run_all(space, &mut |_| {})
    })
    .await
}

fn check_writes(space: &Space) -> Result<(), Error> {
    if space.scope().may_write(space.name()) {
        return Ok(());
    }
    Err(anamne::Denied::Write(space.name().to_owned()).into())
}

/// Tasks that were run.
#[derive(Debug, Serialize)]
pub(super) struct TasksRun {
    /// Number of tasks.
    ran: u64,
    /// Number of those that failed, to be retried or for good.
    failed: u64,
    /// The first of them.
    tasks: Vec<RanTask>,
}

/// A task that was run.
#[derive(Debug, Serialize)]
struct RanTask {
    kind: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
}

/// Runs everything that is due; each task is told as it ends.
pub(super) fn run_all(space: &Space, ended: &mut dyn FnMut(&TaskRun)) -> Result<TasksRun, Problem> {
    let (mut failed, mut tasks) = (0, Vec::new());
    let ran = space.run_tasks(&mut |run| {
        ended(run);
        failed += u64::from(!run.error.is_empty());
        if tasks.len() < MOST_TOLD {
            let mut error = shorten(&run.error).into_owned();
            conceal(space, [&mut error]);
            tasks.push(RanTask {
                kind: run.task.kind.clone(),
                outcome: outcome_name(&run.outcome),
                error,
            });
        }
    })?;
    Ok(TasksRun { ran, failed, tasks })
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed(_) => "failed, to be retried",
        Outcome::Dead => "failed",
        Outcome::Released => "stopped, to be continued",
        Outcome::Postponed(_) => "postponed",
        Outcome::Lost => "continued by another process",
    }
}

/// What became of failed tasks.
#[derive(Debug, Serialize, ToSchema)]
struct Retried {
    /// For each: the number under which it is queued again, or the newer task that replaces it.
    retried: Vec<RetryOutcome>,
}

/// Which failed tasks to retry.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Retry {
    /// One, by its number; all without it.
    task: Option<u64>,
}

/// Queue failed tasks again; needs the right to configure
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/tasks/retries",
    tag = "tasks",
    operation_id = "retry_tasks",
    request_body = Retry,
    params(InSpace),
    responses((status = 200, body = Retried), (status = "default", body = Problem))
)]
async fn retry(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(retry): Json<Retry>,
) -> Result<Json<Retried>, Problem> {
    let retried = caller.with_space(space, move |space| {
        let queue = space.task_queue()?;
        let retried = match retry.task {
            Some(number) => vec![queue.retry(id(number)?)?],
            None => queue.retry_all()?,
        };
        Ok(Retried { retried })
    });
    retried.await.map(Json)
}

/// Cancel a waiting or failed task; needs the right to configure
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/tasks/{number}",
    tag = "tasks",
    operation_id = "cancel_task",
    params(Numbered),
    responses((status = 200, body = Task), (status = "default", body = Problem))
)]
async fn cancel(
    caller: Caller,
    Path(Numbered { space, number }): Path<Numbered>,
) -> Result<Json<Task>, Problem> {
    let cancelled = caller.with_space(space, move |space| {
        Ok(space.task_queue()?.cancel(id(number)?)?)
    });
    cancelled.await.map(Json)
}

/// What to pause.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewPause {
    /// One kind of task; everything without it.
    kind: Option<String>,
}

/// Whether something changed.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Changed {
    /// False if it was so before.
    changed: bool,
}

/// Pause the queue or a kind of task; needs the right to configure
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/tasks/pauses",
    tag = "tasks",
    operation_id = "pause_tasks",
    request_body = NewPause,
    params(InSpace),
    responses((status = 200, body = Changed), (status = "default", body = Problem))
)]
async fn pause(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(pause): Json<NewPause>,
) -> Result<Json<Changed>, Problem> {
    let paused = caller.with_space(space, move |space| {
        Ok(Changed {
            changed: space.task_queue()?.pause(pause.kind.as_deref())?,
        })
    });
    paused.await.map(Json)
}

/// What to resume.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Resumed {
    /// One kind of task; the whole queue without it.
    kind: Option<String>,
}

/// Resume the queue or a kind of task; needs the right to configure
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/tasks/pauses",
    tag = "tasks",
    operation_id = "resume_tasks",
    params(InSpace, Resumed),
    responses((status = 200, body = Changed), (status = "default", body = Problem))
)]
async fn resume(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(resumed): Query<Resumed>,
) -> Result<Json<Changed>, Problem> {
    let resumed = caller.with_space(space, move |space| {
        Ok(Changed {
            changed: space.task_queue()?.resume(resumed.kind.as_deref())?,
        })
    });
    resumed.await.map(Json)
}
