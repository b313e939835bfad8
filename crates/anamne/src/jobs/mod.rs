//! Background work: kinds, schedule and results.
//!
//! *Chores* maintain what this process has open; each has a line in [`CHORES`]. *Tasks* ([`tasks`]) are in the queue
//! shared by all processes; running it is a chore. Heavy work waits for low load.

mod aging;
mod examining;
mod tasks;
mod worker;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anamne_jobs::{Priority, Queue};
use anamne_store::Effort;
use anamne_types::{NextStep, Right};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::core::Inner;
use crate::derived::reembedding::BatchOutcome;
use crate::due::Due;
use crate::space::Space;
pub use aging::Moved;
pub use tasks::WorkReport;
use worker::Worker;

const SECONDS: i64 = 1_000_000;
const HOURS: i64 = 3_600 * SECONDS;

/// Minimum interval between reports of a chore to other processes, unless it failed.
const BETWEEN_NOTES: i64 = 60 * SECONDS;

/// Delay before work that waits for low load is tried again.
const BETWEEN_LOOKS: i64 = 60 * SECONDS;

/// One kind of periodic work.
struct Chore {
    name: &'static str,
    /// Its description.
    what: &'static str,
    /// Its minimum interval, in microseconds.
    every: i64,
    /// Its delay after a failure.
    after_problem: i64,
    /// Its priority, which bounds the allowed load.
    priority: Priority,
    /// Whether it justifies waking the background. Called after every query: cheap.
    is_due: fn(&Inner) -> bool,
    /// Whether it runs in every round.
    is_minor: bool,
    run: fn(&Arc<Inner>) -> Result<(), Error>,
}

/// All chores, in order of execution.
const CHORES: [Chore; 9] = [
    Chore {
        name: "retention",
        what: "forget and erase by retention",
        every: HOURS,
        after_problem: HOURS,
        priority: Priority::Urgent,
        is_due: Inner::is_retention_due,
        is_minor: false,
        run: |inner| {
            if inner.apply_retention_after_writes()?.erased > 0 {
                inner.source.finish_erasures()?;
            }
            Ok(())
        },
    },
    Chore {
        name: "erasure",
        what: "follow the homes of members, and remove erased content from derived files",
        every: 0,
        after_problem: 0,
        priority: Priority::Urgent,
        is_due: |_| false,
        is_minor: true,
        run: |inner| {
            let followed = inner.source.follow_homes();
            inner.clean_derived(&mut |_, _| {})?;
            Ok(followed?)
        },
    },
    Chore {
        name: "backup_erasure",
        what: "remove erased content from backups",
        every: HOURS,
        after_problem: HOURS,
        priority: Priority::Urgent,
        is_due: |inner| inner.jobs.backups_pending.load(Ordering::Relaxed),
        is_minor: false,
        run: |inner| {
            inner.finish_in_backups();
            Ok(())
        },
    },
    Chore {
        name: "derived",
        what: "fold indexes, rebuild damaged views, save observations",
        every: 0,
        after_problem: 0,
        priority: Priority::Urgent,
        is_due: |inner| inner.derived.is_due(Effort::Due).unwrap_or(true),
        is_minor: true,
        run: |inner| {
            // An unreachable model doesn't block other work.
            let caught_up = inner.derived.catch_up(Effort::Due, &mut |_, _| {});
            inner.source.seal_journal()?;
            caught_up
        },
    },
    Chore {
        name: "uses",
        what: "record which memories were used",
        every: 0,
        after_problem: 0,
        priority: Priority::Urgent,
        is_due: |inner| inner.caches.has_many_uses(),
        is_minor: true,
        run: |inner| {
            inner.caches.note_uses(&inner.source);
            Ok(())
        },
    },
    Chore {
        name: "aging",
        what: "move old memories to colder tiers",
        every: HOURS,
        after_problem: HOURS,
        priority: Priority::Low,
        is_due: |_| true,
        is_minor: false,
        run: |inner| inner.age_in_background(),
    },
    Chore {
        name: "examination",
        what: "verify everything and restore damage",
        every: 24 * HOURS,
        after_problem: 24 * HOURS,
        priority: Priority::Low,
        is_due: |_| true,
        is_minor: false,
        run: |inner| inner.examine_if_due(),
    },
    Chore {
        name: "tasks",
        what: "run queued tasks",
        every: 5 * SECONDS,
        after_problem: 600 * SECONDS,
        priority: Priority::Urgent,
        is_due: |_| true,
        is_minor: false,
        run: Inner::run_due_tasks,
    },
    Chore {
        name: "embedding",
        what: "embed memories for a newly chosen model",
        every: 0,
        after_problem: 60 * SECONDS,
        priority: Priority::Urgent,
        is_due: |inner| inner.derived.tiers.is_reembedding(),
        is_minor: true,
        run: Inner::reembed_meanwhile,
    },
];

/// The latest result of a chore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LastRun {
    at: Timestamp,
    took_ms: f64,
    #[serde(alias = "trouble")]
    problem: String,
    #[serde(default)]
    next_step: Option<NextStep>,
}

/// The state of one chore in this process.
struct State {
    due: Due,
    noted: Due,
}

/// The background of a space in this process.
pub(crate) struct Jobs {
    worker: Option<Worker>,
    states: [State; CHORES.len()],
    /// Number of queries to the space in this process.
    pub(crate) asked: AtomicU64,
    /// Whether this process wrote since the retention was last checked.
    pub(crate) written: AtomicBool,
    /// Whether an erasure is pending in a backup.
    pub(crate) backups_pending: AtomicBool,
}

impl Jobs {
    pub(crate) fn new(background: bool) -> Self {
        Self {
            worker: background.then(Worker::default),
            states: std::array::from_fn(|_| State {
                due: Due::at_once(),
                noted: Due::at_once(),
            }),
            asked: AtomicU64::new(0),
            written: AtomicBool::new(false),
            backups_pending: AtomicBool::new(false),
        }
    }

    /// When a chore is due.
    pub(crate) fn due(&self, name: &str) -> &Due {
        let place = CHORES.iter().position(|chore| chore.name == name);
        &self.states[place.expect("every caller names a chore")].due
    }
}

impl Inner {
    /// Wakes the background if something is due.
    pub(crate) fn wake_background(self: &Arc<Self>) {
        if let Some(worker) = &self.jobs.worker
            && self.is_work_due()
        {
            worker.wake(&Arc::downgrade(self));
        }
    }

    /// Wakes it for unfinished work of earlier processes.
    pub(crate) fn wake_when_opened(self: &Arc<Self>) -> Result<(), Error> {
        if let Some(worker) = &self.jobs.worker
            && (self.source.unclean_views()?.is_some()
                || self.derived.tiers.is_reembedding()
                || self.are_backups_due())
        {
            worker.wake(&Arc::downgrade(self));
        }
        Ok(())
    }

    fn is_work_due(&self) -> bool {
        let now = self.source.now();
        let mut chores = CHORES.iter().zip(&self.jobs.states);
        chores.any(|(chore, state)| state.due.is_due(now) && (chore.is_due)(self))
    }

    /// One round of background work. Errors are kept for the next check and don't block other work; the next round
    /// retries.
    pub(crate) fn run_round(self: &Arc<Self>) {
        // An erased space has no work, and another one of its name is not this one.
        if self.source.check_present().is_err() {
            return;
        }
        for (chore, state) in CHORES.iter().zip(&self.jobs.states) {
            let present = self.source.now();
            let is_due = state.due.is_due(present) && (chore.is_minor || (chore.is_due)(self));
            if !is_due {
                continue;
            }
            if self.allows(chore.priority) {
                self.run_chore(chore, state, present);
            } else {
                // Otherwise every query would wake the background for it.
                state.due.put_off(present, BETWEEN_LOOKS);
            }
        }
    }

    /// Embeds with the requested model while the space is in use, and maintains the other views in between.
    fn reembed_meanwhile(self: &Arc<Self>) -> Result<(), Error> {
        while self.derived.tiers.reembed_batch(&mut |_, _| {})? == BatchOutcome::More {
            if Arc::strong_count(self) == 1 {
                return Ok(());
            }
            self.clean_derived(&mut |_, _| {})?;
            self.derived.catch_up(Effort::Due, &mut |_, _| {})?;
        }
        Ok(())
    }

    /// Whether the load of all processes allows work of this priority.
    fn allows(&self, priority: Priority) -> bool {
        if priority == Priority::Urgent {
            return true;
        }
        let level = self.queue().and_then(|queue| Ok(queue.activity()?.level));
        // An unreadable queue doesn't block other work.
        level.map_or(true, |level| level.allows(priority, true))
    }

    fn run_chore(self: &Arc<Self>, chore: &Chore, state: &State, present: Timestamp) {
        // First, so that a failure doesn't repeat with every query.
        state
            .due
            .put_off(present, chore.every.max(chore.after_problem));
        let ran = (chore.run)(self);
        if ran.is_ok() && chore.every < chore.after_problem {
            state.due.put_off(present, chore.every);
        }
        let next_step = ran.as_ref().err().and_then(Error::next_step);
        let problem = ran.err().map(|error| error.to_string());
        if problem.is_some() || (!chore.is_minor && state.noted.is_due(present)) {
            state.noted.put_off(present, BETWEEN_NOTES);
            let last = LastRun {
                at: present,
                took_ms: self.source.now().duration_since(present).as_secs_f64() * 1_000.0,
                problem: problem.clone().unwrap_or_default(),
                next_step,
            };
            self.note_chore(chore, &last);
        }
        self.site.problems.note(problem);
    }

    /// Reports a chore's result to other processes; failures are ignored.
    fn note_chore(&self, chore: &Chore, last: &LastRun) {
        if let (Ok(queue), Ok(text)) = (self.queue(), serde_json::to_string(last)) {
            let _ = queue.note(&note_name(chore), &text);
        }
    }
}

fn note_name(chore: &Chore) -> String {
    format!("chore/{}", chore.name)
}

/// A chore and its latest run in any process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChoreReport {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub name: Cow<'static, str>,
    /// What it does.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub what: Cow<'static, str>,
    /// Its minimum interval in seconds; 0 if it runs whenever there is work.
    pub every_seconds: u64,
    /// When it last ran; `None` if not recorded.
    pub last_at: Option<Timestamp>,
    /// Its duration in milliseconds.
    pub took_ms: Option<f64>,
    /// Its error; empty on success.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
    /// When it is next due, if known.
    pub next_at: Option<Timestamp>,
}

impl Space {
    /// The chores with their latest runs in any process. O(1).
    pub fn chores(&self) -> Result<Vec<ChoreReport>, Error> {
        self.require(Right::Configure)?;
        chore_reports(&self.inner.queue()?)
    }
}

/// The chores with their latest runs, which are noted beside the tasks.
fn chore_reports(queue: &Queue) -> Result<Vec<ChoreReport>, Error> {
    let report = |chore: &Chore| -> Result<ChoreReport, Error> {
        let noted = queue.noted(&note_name(chore))?;
        let last: Option<LastRun> = noted.and_then(|text| serde_json::from_str(&text).ok());
        let pause = SignedDuration::from_micros(chore.every);
        let next = last.as_ref().filter(|_| chore.every > 0);
        Ok(ChoreReport {
            name: chore.name.into(),
            what: chore.what.into(),
            every_seconds: (chore.every / SECONDS) as u64,
            last_at: last.as_ref().map(|last| last.at),
            took_ms: last.as_ref().map(|last| last.took_ms),
            next_at: next.and_then(|last| last.at.checked_add(pause).ok()),
            next_step: last.as_ref().and_then(|last| last.next_step),
            problem: last.map(|last| last.problem).unwrap_or_default(),
        })
    };
    CHORES.iter().map(report).collect()
}
