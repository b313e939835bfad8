//! `anamne tasks`.

use anamne::queue::{Outcome, Pause, QueueReport, RetryOutcome, Task, TaskId, Timing};
use anamne::{ChoreReport, EmbeddingBatch, Space, Store};
use serde_json::json;

use crate::failure::Failure;
use crate::next_step::StoreOwner;
use crate::output::{DIM, GREEN, Output, RED, YELLOW, counted};
use crate::place::Place;
use crate::reached::Reached;
use crate::wording::{number, one_line};

/// The hint for a task that failed or waits for something: its error is stored only as text.
const LOOK: &str = "check for damage with `anamne doctor`, and model budgets with `anamne costs`";

/// Maximum number of waiting tasks in the list.
const SHOWN: usize = 20;

/// Show background work; run, pause, retry or cancel it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Tasks wait in one queue per space, shared by all processes. Chores are
periodic work of each server. Under load only urgent, cheap tasks run; under
light load everything but batches; batches run after some idle minutes. A
failed task is retried after a delay; after its last attempt it waits for
`retry` or `cancel`.

Examples:
  anamne tasks
  anamne tasks run
  anamne tasks pause
  anamne tasks dead
  anamne tasks retry --all

With --json: {\"activity\": {\"level\": high|low|asleep, \"recalls\", \"writes\"},
  \"paused\": [{\"kind\": null for everything, \"since\"}], \"kinds\": [{\"kind\",
  \"waiting\", \"running\", \"dead\", \"done\", \"cancelled\"}], \"running\": [task, …],
  \"waiting\": [task, …] (the next 20), \"oldest_waiting\": task or null,
  \"periodic\": [{\"name\", \"kind\", \"timing\", \"next\", \"last\"}],
  \"recent\": [task, …], \"chores\": [{\"name\", \"what\", \"every_seconds\",
  \"last_at\", \"took_ms\", \"problem\", \"next_at\"}], \"batches\": [{\"model\",
  \"stage\", \"id\", \"texts\", \"answered\", \"sent_at\", \"outcome\"}];
  a task: {\"id\", \"kind\", \"key\", \"payload\", \"priority\", \"cheap\", \"state\",
  \"not_before\", \"attempts\", \"worker\", \"progress\", \"error\", \"created\", …}")]
pub(crate) struct Tasks {
    #[command(subcommand)]
    change: Option<Change>,
}

/// What can be done with the queue beside looking at it.
#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Run everything that is due now
    Run,
    /// Pause background work in all processes
    #[command(after_help = "Running tasks stop and return to the queue.")]
    Pause {
        /// Only tasks of this kind
        kind: Option<String>,
    },
    /// Resume paused work
    #[command(
        after_help = "Kinds that were paused one by one stay paused when everything is resumed."
    )]
    Resume {
        /// Only this kind
        kind: Option<String>,
    },
    /// Retry failed tasks
    Retry {
        /// The task's number
        #[arg(required_unless_present = "all")]
        id: Option<TaskId>,
        /// All failed tasks
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Cancel a waiting or failed task
    Cancel {
        /// The task's number
        id: TaskId,
    },
    /// List failed tasks and their errors
    Dead,
}

impl Tasks {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        match self.change {
            None => show(&space, output),
            Some(Change::Run) if space.begin_tasks()? => print_begun(output),
            Some(Change::Run) => {
                drop(space);
                let store = Store::open_with(place.options_with_model(output)?)?;
                run(&place.existing_space_of(&store)?, output)
            }
            Some(Change::Pause { kind }) => pause(&space, kind.as_deref(), output),
            Some(Change::Resume { kind }) => resume(&space, kind.as_deref(), output),
            Some(Change::Retry { id, .. }) => retry(&space, id, output),
            Some(Change::Cancel { id }) => cancel(&space, id, output),
            Some(Change::Dead) => dead(&space, output),
        }
    }
}

/// A server works by itself; its report of tasks says what came of it.
fn print_begun(output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({ "begun": true }));
    }
    output.note("the server does what is due now; `anamne tasks` shows how far it is");
    Ok(())
}

/// Works the queue off; each task is told as it ends.
fn run(space: &Space, output: &mut Output) -> Result<(), Failure> {
    let (mut ran, mut failed) = (Vec::new(), false);
    space.run_tasks(&mut |one| {
        let error = one_line(&one.error);
        let what = match &one.outcome {
            Outcome::Done => "done".to_owned(),
            Outcome::Released => "stopped; back in the queue".to_owned(),
            Outcome::Lost => "lost to another process".to_owned(),
            Outcome::Dead => format!("failed permanently: {error}"),
            Outcome::Postponed(_) => format!("postponed: {error}"),
            Outcome::Failed(_) => format!("failed, will be retried: {error}"),
        };
        output.note(format_args!("{} {what}", one.task.kind));
        failed |= !one.error.is_empty();
        ran.push(json!({ "task": one.task, "outcome": what, "error": one.error }));
    })?;
    if output.is_json() {
        return output.json(&json!({ "ran": ran }));
    }
    if ran.is_empty() {
        output.note("nothing is due");
    }
    if failed {
        output.note(LOOK);
    }
    Ok(())
}

fn show(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let work = space.work()?;
    let waiting = space.waiting(SHOWN, work.queue.running.len())?;
    if output.is_json() {
        let mut whole = serde_json::to_value(&work.queue).map_err(std::io::Error::from)?;
        whole["waiting"] = json!(waiting);
        whole["chores"] = space.owner().worded(&work.chores);
        whole["batches"] = json!(work.batches);
        return output.json(&whole);
    }
    print(&work.queue, &waiting, output)?;
    print_chores(&work.chores, space.owner(), output)?;
    print_batches(&work.batches, output)
}

/// The batches of texts that a remote model was asked to embed.
fn print_batches(batches: &[EmbeddingBatch], output: &mut Output) -> Result<(), Failure> {
    for batch in batches {
        let texts = counted(batch.texts, "text");
        let mut said = vec![format!("{texts} for {}", batch.model)];
        if let Some(sent) = batch.sent_at {
            said.push(format!("sent {}", output.dates.relative(sent)));
        }
        if batch.outcome.is_empty() {
            said.push(batch.stage.clone().into_owned());
        } else {
            said.push(format!(
                "{}, {} answered",
                batch.outcome,
                number(batch.answered)
            ));
        }
        output.entry(DIM, "batch   ", &said.join("; "))?;
    }
    Ok(())
}

/// What each process does with what it has open, and when one of them did it last.
fn print_chores(
    chores: &[ChoreReport],
    owner: StoreOwner,
    output: &mut Output,
) -> Result<(), Failure> {
    for chore in chores {
        let mut said = format!("{}: {}", chore.name, chore.what);
        if let Some(at) = chore.last_at {
            said = format!("{said}; last {}", output.dates.relative(at));
        }
        if !chore.problem.is_empty() {
            let failed = owner.on_one_line(one_line(&chore.problem), chore.next_step);
            said = format!("{said}; failed: {failed}");
        }
        let color = if chore.problem.is_empty() { DIM } else { RED };
        output.entry(color, "chore   ", &said)?;
    }
    Ok(())
}

fn print(report: &QueueReport, waiting: &[Task], output: &mut Output) -> Result<(), Failure> {
    let activity = report.activity;
    let lately = format!(
        "{}: {} and {} by agents and servers in two minutes",
        activity.level.as_str(),
        counted(activity.recalls, "recall"),
        counted(activity.writes, "write")
    );
    output.entry(DIM, "activity", &lately)?;
    for Pause { kind, since } in &report.paused {
        let kind = kind.as_deref().unwrap_or("everything");
        let since = output.dates.relative(*since);
        output.entry(YELLOW, "paused  ", &format!("{kind}, {since}"))?;
    }
    for task in &report.running {
        output.entry(GREEN, "running ", &running(task, output))?;
    }
    for task in waiting {
        output.entry(DIM, "waiting ", &waits(task, output))?;
    }
    if waiting.iter().any(|task| !task.error.is_empty()) {
        output.entry(DIM, "next    ", LOOK)?;
    }
    let total = |count: fn(&anamne::queue::KindCount) -> u64| report.kinds.iter().map(count).sum();
    let further: u64 = total(|kind| kind.waiting) - waiting.len() as u64;
    if further > 0 {
        let further = format!("{} more", number(further));
        output.entry(DIM, "waiting ", &further)?;
    }
    let dead: u64 = total(|kind| kind.dead);
    if dead > 0 {
        let dead = format!("{}; see `anamne tasks dead`", counted(dead, "task"));
        output.entry(RED, "dead    ", &dead)?;
    }
    for periodic in &report.periodic {
        let next = output.dates.relative(periodic.next);
        let next = format!("{}, {}, {next}", periodic.name, often(periodic.timing));
        output.entry(DIM, "periodic", &next)?;
    }
    if report.running.is_empty() && waiting.is_empty() {
        output.entry(DIM, "waiting ", "nothing")?;
    }
    Ok(())
}

/// `every day at 03:23 UTC`, `every 24 h`.
fn often(timing: Timing) -> String {
    match timing {
        Timing::Daily(hour, minute) => format!("every day at {hour:02}:{minute:02} UTC"),
        Timing::Every(seconds) if seconds % 3_600 == 0 => format!("every {} h", seconds / 3_600),
        Timing::Every(seconds) => format!("every {seconds} s"),
    }
}

/// `12 summary thread 4`: its number, kind and key.
fn name(task: &Task) -> String {
    format!("{} {} {}", task.id, task.kind, task.key)
}

fn running(task: &Task, output: &Output) -> String {
    let progress = &task.progress;
    let mut said = vec![name(task)];
    if let Some(started) = task.started {
        let started = output.dates.relative(started);
        said.push(format!("started {started} by {}", task.worker));
    }
    if progress.total > 0 {
        let (done, total) = (number(progress.done), number(progress.total));
        said.push(format!("{done} of {total}"));
    }
    if !progress.text.is_empty() {
        said.push(progress.text.clone());
    }
    said.join(", ")
}

fn waits(task: &Task, output: &Output) -> String {
    let mut said = vec![name(task), task.priority.to_string()];
    if task.not_before > output.dates.now {
        said.push(output.dates.relative(task.not_before));
    }
    if !task.error.is_empty() {
        let attempts = counted(u64::from(task.attempts), "attempt");
        said.push(format!("after {attempts}: {}", task.error));
    }
    said.join(", ")
}

fn pause(space: &Reached, kind: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let changed = space.pause(kind)?;
    if output.is_json() {
        return output.json(&json!({ "paused": kind, "changed": changed }));
    }
    let what = kind.unwrap_or("everything");
    output.line(if changed {
        format!("paused {what}")
    } else {
        format!("{what} is already paused")
    })
}

fn resume(space: &Reached, kind: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let changed = space.resume(kind)?;
    if output.is_json() {
        return output.json(&json!({ "resumed": kind, "changed": changed }));
    }
    let what = kind.unwrap_or("everything");
    output.line(if changed {
        format!("resumed {what}")
    } else {
        format!("{what} is not paused")
    })?;
    for still in space.work()?.queue.paused {
        let still = still.kind.as_deref().unwrap_or("everything").to_owned();
        output.note(format_args!("{still} is still paused"));
    }
    Ok(())
}

fn retry(space: &Reached, id: Option<TaskId>, output: &mut Output) -> Result<(), Failure> {
    let retried = space.retry(id)?;
    if output.is_json() {
        return output.json(&json!({ "retried": retried }));
    }
    for retried in &retried {
        output.line(match retried {
            RetryOutcome::Queued(id) => format!("{id} is queued again"),
            RetryOutcome::Newer(newer) => format!("dropped, replaced by {newer}"),
        })?;
    }
    if retried.is_empty() {
        output.note("no failed tasks");
    }
    Ok(())
}

fn cancel(space: &Reached, id: TaskId, output: &mut Output) -> Result<(), Failure> {
    let cancelled = space.cancel(id)?;
    if output.is_json() {
        return output.json(&json!({ "cancelled": cancelled }));
    }
    output.line(format_args!("cancelled {}", one_line(&name(&cancelled))))
}

fn dead(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let dead = space.failed_tasks()?;
    if output.is_json() {
        return output.json(&json!({ "dead": dead }));
    }
    for task in &dead {
        let when = task.finished.map(|when| output.dates.relative(when));
        let when = when.unwrap_or_default();
        output.line(format_args!(
            "{}, {when}, after {}",
            one_line(&name(task)),
            counted(u64::from(task.attempts), "attempt")
        ))?;
        output.entry(RED, "error", &task.error)?;
    }
    output.flush()?;
    output.note(if dead.is_empty() {
        "no failed tasks"
    } else {
        LOOK
    });
    Ok(())
}
