//! The work that nobody waits for: what there is, when it runs, and what became of it. All of it is decided here.
//!
//! *Chores* keep in order what this process has open; each has a line in [`CHORES`]. *Tasks* ([`tasks`]) stand in the queue that
//! all processes share, and looking after that queue is a chore. What is heavy waits until little is asked and told.

mod aging;
mod examining;
mod tasks;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anamne_jobs::Priority;
use anamne_store::Effort;
use anamne_types::{NextStep, Right};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::core::Inner;
use crate::derived::reembedding::Portion;
use crate::due::Due;
use crate::space::Space;
pub use aging::Moved;
use worker::Worker;

const SECONDS: i64 = 1_000_000;
const HOURS: i64 = 3_600 * SECONDS;

/// What a chore did is written down for other processes at most once in so long, unless it failed.
const BETWEEN_NOTES: i64 = 60 * SECONDS;

/// What has to wait until less goes on is looked at again after so long.
const BETWEEN_LOOKS: i64 = 60 * SECONDS;

/// One kind of work on what a process has open.
struct Chore {
    name: &'static str,
    /// What it does, for a person.
    what: &'static str,
    /// At most once in so long, in microseconds.
    every: i64,
    /// After trouble it waits so long.
    after_trouble: i64,
    /// How much may go on meanwhile.
    priority: Priority,
    /// Whether it is worth waking the background for. Asked after every question: cheap.
    is_due: fn(&Inner) -> bool,
    /// Whether it is done whenever something else is.
    is_minor: bool,
    run: fn(&Arc<Inner>) -> Result<(), Error>,
}

/// All of it, in the order in which it is done.
const CHORES: [Chore; 9] = [
    Chore {
        name: "retention",
        what: "forget and erase by retention",
        every: HOURS,
        after_trouble: HOURS,
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
        what: "remove erased content from derived files",
        every: 0,
        after_trouble: 0,
        priority: Priority::Urgent,
        is_due: |_| false,
        is_minor: true,
        run: |inner| inner.clean_derived(&mut |_, _| {}),
    },
    Chore {
        name: "backup_erasure",
        what: "remove erased content from backups",
        every: HOURS,
        after_trouble: HOURS,
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
        after_trouble: 0,
        priority: Priority::Urgent,
        is_due: |inner| inner.derived.is_due(Effort::Due).unwrap_or(true),
        is_minor: true,
        run: |inner| {
            // A model that can't be reached keeps nothing else back.
            let caught_up = inner.derived.catch_up(Effort::Due, &mut |_, _| {});
            inner.source.seal_journal()?;
            caught_up
        },
    },
    Chore {
        name: "uses",
        what: "record which memories were used",
        every: 0,
        after_trouble: 0,
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
        after_trouble: HOURS,
        priority: Priority::Low,
        is_due: |_| true,
        is_minor: false,
        run: |inner| inner.age_what_has_settled(),
    },
    Chore {
        name: "examination",
        what: "verify everything and restore damage",
        every: 24 * HOURS,
        after_trouble: 24 * HOURS,
        priority: Priority::Low,
        is_due: |_| true,
        is_minor: false,
        run: |inner| inner.examine_if_due(),
    },
    Chore {
        name: "tasks",
        what: "run queued tasks",
        every: 5 * SECONDS,
        after_trouble: 600 * SECONDS,
        priority: Priority::Urgent,
        is_due: |_| true,
        is_minor: false,
        run: Inner::tend_tasks,
    },
    Chore {
        name: "embedding",
        what: "embed memories for a newly chosen model",
        every: 0,
        after_trouble: 60 * SECONDS,
        priority: Priority::Urgent,
        is_due: |inner| inner.derived.tiers.is_reembedding(),
        is_minor: true,
        run: Inner::reembed_meanwhile,
    },
];

/// What became of a chore when it last ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Last {
    at: Timestamp,
    took_ms: f64,
    trouble: String,
    #[serde(default)]
    next_step: Option<NextStep>,
}

/// What this process knows of one chore.
struct State {
    due: Due,
    noted: Due,
}

/// The background of a space in this process.
pub(crate) struct Jobs {
    worker: Option<Worker>,
    states: [State; CHORES.len()],
    /// How many questions were asked of the space in this process.
    pub(crate) asked: AtomicU64,
    /// Whether something was told or changed here since the retention was last looked at.
    pub(crate) written: AtomicBool,
    /// Whether an erasure is still to reach a backup.
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
    /// Wakes the background where something is due.
    pub(crate) fn wake_background(self: &Arc<Self>) {
        if let Some(worker) = &self.jobs.worker
            && self.is_work_due()
        {
            worker.wake(&Arc::downgrade(self));
        }
    }

    /// Wakes it for what a former process left undone.
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

    /// One round of background work. What goes wrong is kept for the next check-up, and keeps nothing else back; the next
    /// round tries again.
    pub(crate) fn look_after(self: &Arc<Self>) {
        for (chore, state) in CHORES.iter().zip(&self.jobs.states) {
            let present = self.source.now();
            let is_due = state.due.is_due(present) && (chore.is_minor || (chore.is_due)(self));
            if !is_due {
                continue;
            }
            if self.allows(chore.priority) {
                self.run_chore(chore, state, present);
            } else {
                // Else every question would wake the background for it.
                state.due.put_off(present, BETWEEN_LOOKS);
            }
        }
    }

    /// Makes vectors of a model that was chosen, for as long as somebody but the background holds the space; what the former
    /// vectors and other views want is done in between.
    fn reembed_meanwhile(self: &Arc<Self>) -> Result<(), Error> {
        while self.derived.tiers.reembed_portion(&mut |_, _| {})? == Portion::More {
            if Arc::strong_count(self) == 1 {
                return Ok(());
            }
            self.clean_derived(&mut |_, _| {})?;
            self.derived.catch_up(Effort::Due, &mut |_, _| {})?;
        }
        Ok(())
    }

    /// Whether what goes on in all processes leaves room for work of this priority.
    fn allows(&self, priority: Priority) -> bool {
        if priority == Priority::Urgent {
            return true;
        }
        let level = self.queue().and_then(|queue| Ok(queue.activity()?.level));
        // A queue that can't be read keeps nothing else back.
        level.map_or(true, |level| level.allows(priority, true))
    }

    fn run_chore(self: &Arc<Self>, chore: &Chore, state: &State, present: Timestamp) {
        // First, so that trouble is not met again with every question.
        state
            .due
            .put_off(present, chore.every.max(chore.after_trouble));
        let ran = (chore.run)(self);
        if ran.is_ok() && chore.every < chore.after_trouble {
            state.due.put_off(present, chore.every);
        }
        let next_step = ran.as_ref().err().and_then(Error::next_step);
        let trouble = ran.err().map(|error| error.to_string());
        if trouble.is_some() || (!chore.is_minor && state.noted.is_due(present)) {
            state.noted.put_off(present, BETWEEN_NOTES);
            let last = Last {
                at: present,
                took_ms: self.source.now().duration_since(present).as_secs_f64() * 1_000.0,
                trouble: trouble.clone().unwrap_or_default(),
                next_step,
            };
            self.note_chore(chore, &last);
        }
        self.site.troubles.note(trouble);
    }

    /// Writes down for other processes what became of a chore. Where that fails nothing is lost but this.
    fn note_chore(&self, chore: &Chore, last: &Last) {
        if let (Ok(queue), Ok(text)) = (self.queue(), serde_json::to_string(last)) {
            let _ = queue.note(&note_name(chore), &text);
        }
    }
}

fn note_name(chore: &Chore) -> String {
    format!("chore/{}", chore.name)
}

/// A kind of background work that is not queued, and what became of it when some process last did it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChoreReport {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// It runs at most once in so many seconds; 0 where it runs whenever there is something to do.
    pub every_seconds: u64,
    /// When it last ran; `None` where nobody wrote that down.
    pub last_at: Option<Timestamp>,
    /// How long that took, in milliseconds.
    pub took_ms: Option<f64>,
    /// Why it failed; empty where it did not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// What a person can do about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
    /// When it is next due, where that is known.
    pub next_at: Option<Timestamp>,
}

impl Space {
    /// The background work that is not queued, with what became of it in whichever process did it last. O(1).
    pub fn chores(&self) -> Result<Vec<ChoreReport>, Error> {
        self.require(Right::Configure)?;
        let queue = self.inner.queue()?;
        let report = |chore: &Chore| -> Result<ChoreReport, Error> {
            let noted = queue.noted(&note_name(chore))?;
            let last: Option<Last> = noted.and_then(|text| serde_json::from_str(&text).ok());
            let pause = SignedDuration::from_micros(chore.every);
            let next = last.as_ref().filter(|_| chore.every > 0);
            Ok(ChoreReport {
                name: chore.name,
                what: chore.what,
                every_seconds: (chore.every / SECONDS) as u64,
                last_at: last.as_ref().map(|last| last.at),
                took_ms: last.as_ref().map(|last| last.took_ms),
                next_at: next.and_then(|last| last.at.checked_add(pause).ok()),
                next_step: last.as_ref().and_then(|last| last.next_step),
                trouble: last.map(|last| last.trouble).unwrap_or_default(),
            })
        };
        CHORES.iter().map(report).collect()
    }
}
