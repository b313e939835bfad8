//! The background tasks: kinds, scheduling and execution.

use std::sync::Arc;

use anamne_jobs::{
    Handlers, NewTask, Periodic, Priority, Queue, QueueError, QueueReport, Runner, Task,
    TaskContext, TaskError, TaskRun, Timing,
};
use anamne_store::view::MemoryFeed;
use anamne_types::Right;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::core::Inner;
use crate::derived::batches::EmbeddingBatch;
use crate::derived::graph::SMALL_BATCH;
use crate::jobs::{ChoreReport, chore_reports};
use crate::knowledge::graph::Pace;
use crate::maintenance::backups::BACK_UP;
use crate::space::Space;

/// Extraction into the knowledge graph.
const EXTRACT: &str = "extract";

/// The former name of [`EXTRACT`]: queues of older versions hold such tasks.
const EXTRACT_FORMERLY: &str = "weave";

/// Updating summaries.
const SUMMARISE: &str = "summarise";

/// Nightly consolidation.
const CONSOLIDATE: &str = "consolidate";
const AT_NIGHT: Timing = Timing::Daily(3, 23);

/// Extraction, judgement of contradictions and enrichment by a language model.
const READ: &str = "read-by-model";
const JUDGE: &str = "judge-by-model";
const ENRICH: &str = "enrich-by-model";

/// Lessons of finished attempts by a language model.
const LEARN: &str = "learn-by-model";

/// Periods summarised per step in the background.
const FEW_PERIODS: usize = 4;

/// Runs the tasks of one space.
struct TaskHandlers<'space> {
    inner: &'space Arc<Inner>,
    /// Whether this is the background, which stops when it holds the last reference to the space.
    in_background: bool,
}

impl Handlers for TaskHandlers<'_> {
    fn kinds(&self) -> Vec<&str> {
        vec![
            EXTRACT,
            EXTRACT_FORMERLY,
            SUMMARISE,
            CONSOLIDATE,
            READ,
            JUDGE,
            ENRICH,
            LEARN,
            BACK_UP,
        ]
    }

    fn run(&self, task: &Task, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        match task.kind.as_str() {
            EXTRACT | EXTRACT_FORMERLY => self.extract(context),
            SUMMARISE => self.summarise(context),
            CONSOLIDATE => self.consolidate(context),
            READ => self.inner.read_by_model(context),
            JUDGE => self.inner.judge_by_model(context),
            ENRICH => self.inner.enrich_by_model(context),
            LEARN => self.inner.write_lessons_by_model(context),
            BACK_UP => {
                let made = self.inner.back_up_as_scheduled();
                made.map(|_| ()).map_err(TaskError::failed)
            }
            kind => Err(TaskError::Permanent(format!("unknown task kind {kind}"))),
        }
    }
}

impl TaskHandlers<'_> {
    /// Whether only the background still holds the space, so that it should be closed.
    fn is_abandoned(&self) -> bool {
        self.in_background && Arc::strong_count(self.inner) == 1
    }

    /// Why to stop now, if at all. Doesn't count as an attempt.
    fn interruption(&self, context: &mut TaskContext<'_>) -> Option<TaskError> {
        if context.should_stop() {
            return Some(TaskError::Stopped);
        }
        self.is_abandoned().then(|| TaskError::Postponed {
            until: context.now(),
            reason: "the program closed the space".to_owned(),
        })
    }

    fn extract(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let head = MemoryFeed::head(&*self.inner.source).map_err(TaskError::failed)?;
        let begun = self
            .inner
            .derived
            .knowledge
            .open()
            .and_then(|graph| Ok(graph.position()?));
        let begun = begun.map_err(TaskError::failed)?;
        let total = head.0.saturating_sub(begun.0);
        let mut pace = Pace::new(self.inner);
        let mut stopped = Ok(());
        let extracted = self
            .inner
            .derived
            .knowledge
            .extract(SMALL_BATCH, &mut |reached| {
                let done = reached.0.saturating_sub(begun.0).min(total);
                stopped = context.progress(done, total, "events");
                if let Some(interruption) = self.interruption(context) {
                    stopped = Err(interruption);
                }
                pace.rest();
                stopped.is_ok()
            });
        let (_, skipped) = extracted.map_err(TaskError::failed)?;
        self.inner.site.problems.note_skipped(&skipped);
        stopped?;
        let graph = self
            .inner
            .derived
            .knowledge
            .open()
            .map_err(TaskError::failed)?;
        // If another process extracted the model's readings meanwhile.
        graph
            .follow_readings(&*self.inner.source)
            .map_err(TaskError::failed)
    }

    fn summarise(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let feed = self.inner.source.undamaged_feed();
        let summaries = self
            .inner
            .derived
            .summaries
            .open()
            .map_err(TaskError::failed)?;
        let caught_up = summaries.catch_up(&feed, &mut |_| {});
        caught_up.map_err(TaskError::failed)?;
        let mut pace = Pace::new(self.inner);
        let mut done = 0;
        loop {
            let built = summaries.build(&feed, FEW_PERIODS, &mut |_| {});
            let built = built.map_err(TaskError::failed)?;
            done += built.built as u64;
            context.progress(done, done + built.waiting as u64, "periods")?;
            if built.waiting == 0 || built.built == 0 {
                self.inner.site.problems.note_skipped(&feed.skipped());
                return self.enrich(context);
            }
            if let Some(interruption) = self.interruption(context) {
                return Err(interruption);
            }
            pace.rest();
        }
    }
}

impl TaskHandlers<'_> {
    /// Enriches what was told, as a part of summarising: both are in one file.
    fn enrich(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let head = MemoryFeed::head(&*self.inner.source).map_err(TaskError::failed)?;
        let mut pace = Pace::new(self.inner);
        let mut stopped = Ok(());
        let enriched = self
            .inner
            .derived
            .summaries
            .enrich(SMALL_BATCH, &mut |reached| {
                stopped = context.progress(reached.0.min(head.0), head.0, "events");
                if let Some(interruption) = self.interruption(context) {
                    stopped = Err(interruption);
                }
                pace.rest();
                stopped.is_ok()
            });
        let (_, skipped) = enriched.map_err(TaskError::failed)?;
        self.inner.site.problems.note_skipped(&skipped);
        stopped
    }

    fn consolidate(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let mut interruption = None;
        let folded = self.inner.consolidate(&mut || {
            interruption = self.interruption(context);
            interruption.is_none()
        });
        let (_, passed) = folded.map_err(TaskError::failed)?;
        self.inner.site.problems.note_skipped(&passed);
        interruption.map_or(Ok(()), Err)
    }
}

impl Inner {
    pub(crate) fn queue(&self) -> Result<Queue, QueueError> {
        self.derived.tasks.open(|queue| {
            queue.schedule(&Periodic {
                name: CONSOLIDATE,
                kind: CONSOLIDATE,
                timing: AT_NIGHT,
                priority: Priority::Batch,
            })?;
            self.schedule_backups(queue)
        })
    }

    /// Queues due tasks and runs those that the load allows.
    pub(super) fn run_due_tasks(self: &Arc<Self>) -> Result<(), Error> {
        self.queue_tasks()?;
        self.run_tasks(true, &mut |_| {})?;
        Ok(())
    }

    /// Queues the tasks the space needs. Waiting or running tasks are not queued again.
    fn queue_tasks(&self) -> Result<(), Error> {
        let queue = self.queue()?;
        let head = MemoryFeed::head(&*self.source)?;
        let graph = self.derived.knowledge.open()?;
        if graph.position()? != head || graph.is_expiry_due(self.source.now())? {
            queue.enqueue(&NewTask::new(EXTRACT, "knowledge").priority(Priority::Normal))?;
        }
        if self.derived.summaries.is_behind()? {
            queue.enqueue(&NewTask::new(SUMMARISE, "periods").priority(Priority::Low))?;
        }
        if self.is_model_behind()? {
            queue.enqueue(&NewTask::new(READ, "memories").priority(Priority::Batch))?;
        }
        if self.is_model_enrichment_behind()? {
            queue.enqueue(&NewTask::new(ENRICH, "memories").priority(Priority::Batch))?;
        }
        if self.has_unwritten_lessons()? {
            queue.enqueue(&NewTask::new(LEARN, "attempts").priority(Priority::Batch))?;
        }
        if self.has_unjudged()? {
            queue.enqueue(&NewTask::new(JUDGE, "contradictions").priority(Priority::Batch))?;
        }
        Ok(())
    }

    fn run_tasks(
        self: &Arc<Self>,
        in_background: bool,
        ran: &mut dyn FnMut(&TaskRun),
    ) -> Result<u64, Error> {
        let modules = TaskHandlers {
            inner: self,
            in_background,
        };
        let worker = format!("process {}", std::process::id());
        let mut runner = Runner::new(
            self.queue()?,
            modules,
            self.derived.tasks.activity.clone(),
            worker,
        );
        if !in_background {
            runner = runner.at_any_level();
        }
        let mut done = 0;
        while let Some(one) = runner.run_next()? {
            ran(&one);
            done += 1;
            if runner.handlers().is_abandoned() {
                break;
            }
        }
        Ok(done)
    }
}

/// The background work of a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkReport {
    /// The queue.
    #[serde(flatten)]
    pub queue: QueueReport,
    /// The tasks that failed for good, latest first.
    pub failed: Vec<Task>,
    /// The chores with their latest runs.
    pub chores: Vec<ChoreReport>,
    /// The batches of texts that a remote model was asked to embed, oldest first.
    pub batches: Vec<EmbeddingBatch>,
}

impl Space {
    /// The state of background work, for callers that may only read the space. O(tasks).
    pub fn work(&self) -> Result<WorkReport, Error> {
        let queue = self.inner.queue()?;
        Ok(WorkReport {
            queue: queue.report()?,
            failed: queue.dead_letters()?,
            chores: chore_reports(&queue)?,
            batches: self.embedding()?.batches,
        })
    }

    /// The queue of background work, shared by all processes.
    pub fn task_queue(&self) -> Result<Queue, Error> {
        self.require(Right::Configure)?;
        Ok(self.inner.queue()?)
    }

    /// Queues and runs every due task on this thread, ignoring load; `ran` receives each task. Returns the number of
    /// tasks.
    pub fn run_tasks(&self, ran: &mut dyn FnMut(&TaskRun)) -> Result<u64, Error> {
        self.require_write()?;
        self.inner.queue_tasks()?;
        self.inner.run_tasks(false, ran)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anamne_jobs::{Level, Outcome};
    use anamne_types::{Draft, Recall};
    use jiff::{Timestamp, ToSpan};

    use crate::set_clock::SetClock;
    use crate::{Options, Space, Store};

    fn space(clock: &Arc<SetClock>, folder: &std::path::Path) -> Space {
        let options = Options {
            clock: clock.clone(),
            ..Options::new(folder).background(false)
        };
        let store = Store::open_with(options).expect("a store");
        store.space("tests").expect("a space")
    }

    fn clock() -> Arc<SetClock> {
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().expect("an instant");
        Arc::new(SetClock::at(start))
    }

    fn extracted(space: &Space) -> bool {
        let graph = space.inner.derived.knowledge.open().expect("opened");
        graph.position().expect("read").0 > 0
    }

    #[test]
    fn the_background_extracts_what_was_told() {
        let (folder, clock) = (tempfile::tempdir().expect("a folder"), clock());
        let space = space(&clock, folder.path());
        space.remember("Mara Lind lives in Bonn").expect("told");
        space.inner.run_round();
        assert!(extracted(&space));
        assert_eq!(space.inner.site.problems.take(), Vec::<String>::new());
    }

    #[test]
    fn while_much_is_asked_nothing_is_extracted() {
        let (folder, clock) = (tempfile::tempdir().expect("a folder"), clock());
        let space = space(&clock, folder.path());
        space.remember("Mara Lind lives in Bonn").expect("told");
        for _ in 0..40 {
            space.recall(&Recall::new("Bonn")).expect("answered");
        }
        space.inner.run_round();
        assert!(!extracted(&space));
        // Waiting work doesn't let every query wake the background.
        assert!(!space.inner.jobs.due("aging").is_due(space.now()));
        assert!(!space.inner.jobs.due("examination").is_due(space.now()));
        let queue = space.task_queue().expect("a queue");
        assert_eq!(queue.activity().expect("read").level, Level::High);
        clock.set("2026-03-01T00:10:00Z".parse().expect("an instant"));
        space.inner.run_round();
        assert!(extracted(&space));
    }

    #[test]
    fn what_is_asked_for_is_done_however_much_goes_on() {
        let (folder, clock) = (tempfile::tempdir().expect("a folder"), clock());
        let space = space(&clock, folder.path());
        for number in 0..50 {
            space
                .remember(format!("Mara Lind has {number} hives"))
                .expect("told");
        }
        let mut ran = Vec::new();
        let count = space
            .run_tasks(&mut |one| ran.push(one.clone()))
            .expect("run");
        assert!(extracted(&space));
        assert_eq!(count, ran.len() as u64);
        assert!(
            ran.iter().all(|one| one.outcome == Outcome::Done),
            "{ran:?}"
        );
        assert_eq!(
            space.run_tasks(&mut |_| {}).expect("run"),
            0,
            "nothing is left"
        );
        let later = space.now() + 1.minutes();
        space
            .remember(Draft::new("Mara Lind left").occurred_at(later))
            .expect("told");
        assert!(space.run_tasks(&mut |_| {}).expect("run") > 0);
    }

    #[test]
    fn a_paused_queue_does_nothing() {
        let (folder, clock) = (tempfile::tempdir().expect("a folder"), clock());
        let space = space(&clock, folder.path());
        space.remember("Mara Lind lives in Bonn").expect("told");
        let queue = space.task_queue().expect("a queue");
        queue.pause(None).expect("paused");
        assert_eq!(space.run_tasks(&mut |_| {}).expect("run"), 0);
        assert!(!extracted(&space));
        queue.resume(None).expect("resumed");
        assert!(space.run_tasks(&mut |_| {}).expect("run") > 0);
        assert!(extracted(&space));
    }
}
