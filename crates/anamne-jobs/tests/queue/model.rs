//! Random call sequences through two handles: the queue behaves like an in-memory model.

use std::collections::{BTreeMap, BTreeSet};

use anamne_jobs::{
    FailureOutcome, Lease, Level, NewTask, Priority, QueueError, RetryOutcome, Settings, Task,
    TaskId, TaskState,
};
use proptest::prelude::*;
use serde_json::json;

use crate::bench::{Bench, plain};

const KINDS: [&str; 2] = ["k", "other"];
const SECOND: i64 = 1_000_000;
const LEVELS: [Level; 3] = [Level::High, Level::Low, Level::Asleep];

#[derive(Clone, Copy, Debug)]
enum Step {
    Enqueue {
        kind: usize,
        key: u8,
        priority: usize,
        cheap: bool,
        payload: u8,
    },
    Lease {
        kinds: usize,
        level: usize,
    },
    Complete(usize),
    Fail(usize),
    Bury(usize),
    Release(usize),
    Postpone(usize, i64),
    Renew(usize),
    Advance(i64),
    Pause(Option<usize>),
    Resume(Option<usize>),
    Cancel(u64),
    Retry(u64),
    RetryAll,
}

fn step() -> impl Strategy<Value = Step> {
    let held = 0..4_usize;
    let id = 1..12_u64;
    let kind = proptest::option::weighted(0.8, 0..2_usize);
    let asked = (0..2_usize, 0..3_u8, 0..4_usize, any::<bool>(), any::<u8>());
    // Mostly all kinds, mostly no load limit.
    let kinds = prop_oneof![3 => Just(0_usize), 1 => 1..3_usize];
    let level = prop_oneof![3 => Just(2_usize), 1 => 0..2_usize];
    // Leases expire after 60 seconds.
    let seconds = prop_oneof![1..20_i64, Just(60), Just(60)];
    prop_oneof![
        6 => asked.prop_map(|(kind, key, priority, cheap, payload)| Step::Enqueue {
            kind, key, priority, cheap, payload
        }),
        9 => (kinds, level).prop_map(|(kinds, level)| Step::Lease { kinds, level }),
        2 => held.clone().prop_map(Step::Complete),
        3 => held.clone().prop_map(Step::Fail),
        1 => held.clone().prop_map(Step::Bury),
        1 => held.clone().prop_map(Step::Release),
        1 => (held.clone(), 0..40_i64).prop_map(|(held, delay)| Step::Postpone(held, delay)),
        1 => held.prop_map(Step::Renew),
        4 => seconds.prop_map(Step::Advance),
        1 => kind.clone().prop_map(Step::Pause),
        4 => kind.prop_map(Step::Resume),
        2 => id.clone().prop_map(Step::Cancel),
        1 => id.prop_map(Step::Retry),
        1 => Just(Step::RetryAll),
    ]
}

/// The requested properties of a task, with small numbers in place of values.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    payload: u8,
    priority: Priority,
    cheap: bool,
    not_before: i64,
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    kind: &'static str,
    key: u8,
    asked: Asked,
    state: TaskState,
    attempts: u32,
    fence: u32,
    until: i64,
    has_begun: bool,
    again: Option<Asked>,
    died: i64,
}

/// The model: microseconds since the start, and tasks by id.
struct Model {
    settings: Settings,
    now: i64,
    tasks: BTreeMap<u64, Known>,
    last: u64,
    pauses: BTreeSet<Option<&'static str>>,
}

impl Model {
    fn unfinished(&mut self, kind: &str, key: u8) -> Option<(u64, &mut Known)> {
        let is_it = |task: &Known| {
            task.kind == kind
                && task.key == key
                && matches!(task.state, TaskState::Waiting | TaskState::Running)
        };
        let mut found = self.tasks.iter_mut().filter(|(_, task)| is_it(task));
        found.next().map(|(id, task)| (*id, task))
    }

    fn enqueue(&mut self, kind: &'static str, key: u8, asked: Asked) {
        if let Some((_, task)) = self.unfinished(kind, key) {
            let merge = |old: &Asked| Asked {
                priority: old.priority.min(asked.priority),
                not_before: old.not_before.min(asked.not_before),
                ..asked.clone()
            };
            if task.has_begun {
                task.asked.priority = task.asked.priority.min(asked.priority);
                task.again = Some(task.again.as_ref().map_or(asked.clone(), merge));
                return;
            }
            task.asked = merge(&task.asked);
            return;
        }
        self.last += 1;
        let task = Known {
            kind,
            key,
            asked,
            state: TaskState::Waiting,
            attempts: 0,
            fence: 0,
            until: 0,
            has_begun: false,
            again: None,
            died: 0,
        };
        self.tasks.insert(self.last, task);
    }

    fn lease(&mut self, kinds: &[&str], level: Level) -> Option<u64> {
        let gone: Vec<_> = self
            .tasks
            .iter()
            .filter(|(_, task)| task.state == TaskState::Running && task.until <= self.now)
            .map(|(id, _)| *id)
            .collect();
        for id in gone {
            if self.tasks[&id].attempts >= self.settings.max_attempts {
                self.bury(id);
            } else {
                self.of(id).state = TaskState::Waiting;
            }
        }
        let may_run = |task: &Known| {
            task.state == TaskState::Waiting
                && task.asked.not_before <= self.now
                && level.allows(task.asked.priority, task.asked.cheap)
                && kinds.contains(&task.kind)
                && !self.pauses.contains(&None)
                && !self.pauses.contains(&Some(task.kind))
        };
        let may_run = self.tasks.iter().filter(|(_, task)| may_run(task));
        let next =
            may_run.min_by_key(|(id, task)| (task.asked.priority, task.asked.not_before, **id));
        let next = *next?.0;
        let until = self.now + self.settings.lease.as_micros() as i64;
        let task = self.of(next);
        task.state = TaskState::Running;
        task.attempts += 1;
        task.fence += 1;
        task.until = until;
        task.has_begun = true;
        Some(next)
    }

    fn of(&mut self, id: u64) -> &mut Known {
        self.tasks.get_mut(&id).expect("the model has it")
    }

    fn holds(&self, id: u64, fence: u32) -> bool {
        self.tasks
            .get(&id)
            .is_some_and(|task| task.state == TaskState::Running && task.fence == fence)
    }

    fn end(&mut self, id: u64, state: TaskState) {
        let task = self.of(id);
        task.state = state;
        let (kind, key, again) = (task.kind, task.key, task.again.take());
        if let Some(again) = again {
            self.enqueue(kind, key, again);
        }
    }

    fn bury(&mut self, id: u64) {
        let (kind, key, now) = (self.tasks[&id].kind, self.tasks[&id].key, self.now);
        self.tasks.retain(|_, task| {
            task.state != TaskState::Dead || task.kind != kind || task.key != key
        });
        self.of(id).died = now;
        self.end(id, TaskState::Dead);
    }

    fn retry(&mut self, id: u64) -> RetryOutcome {
        let (kind, key, now) = (self.tasks[&id].kind, self.tasks[&id].key, self.now);
        if let Some((newer, _)) = self.unfinished(kind, key) {
            self.end(id, TaskState::Cancelled);
            return RetryOutcome::Newer(TaskId(newer));
        }
        let task = self.of(id);
        task.state = TaskState::Waiting;
        task.attempts = 0;
        task.asked.not_before = now;
        RetryOutcome::Queued(TaskId(id))
    }

    fn dead(&self) -> Vec<u64> {
        let mut dead: Vec<_> = self
            .tasks
            .iter()
            .filter(|(_, task)| task.state == TaskState::Dead)
            .map(|(id, task)| (task.died, *id))
            .collect();
        dead.sort_unstable();
        dead.into_iter().rev().map(|(_, id)| id).collect()
    }
}

/// A queue, its model, and the leases held, some of them lost.
struct Pair {
    bench: Bench,
    other: anamne_jobs::Queue,
    model: Model,
    held: Vec<(Lease, u32)>,
    begun: jiff::Timestamp,
    turn: bool,
}

impl Pair {
    fn new() -> Self {
        let bench = Bench::with(plain());
        Self {
            other: bench.other(),
            begun: bench.clock_in(0),
            model: Model {
                settings: plain(),
                now: 0,
                tasks: BTreeMap::new(),
                last: 0,
                pauses: BTreeSet::new(),
            },
            held: Vec::new(),
            bench,
            turn: false,
        }
    }

    fn microseconds(&self, instant: jiff::Timestamp) -> i64 {
        instant.as_microsecond() - self.begun.as_microsecond()
    }

    fn take(&mut self, number: usize) -> Option<(Lease, u32)> {
        (number < self.held.len()).then(|| self.held.remove(number))
    }

    /// Ends a lease in the queue; if it was still held, applies `model` with the result.
    fn end<T>(
        &mut self,
        number: usize,
        ends: impl FnOnce(Lease) -> Result<T, QueueError>,
        model: impl FnOnce(&mut Self, u64, T),
    ) {
        let Some((lease, fence)) = self.take(number) else {
            return;
        };
        let id = lease.task().id.0;
        match ends(lease) {
            Ok(done) => {
                assert!(self.model.holds(id, fence), "a lost lease ended task {id}");
                model(self, id, done);
            }
            Err(QueueError::LeaseLost(_)) => {
                assert!(!self.model.holds(id, fence), "task {id} was held");
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks a call's result against whether the model's task is in one of these states.
    fn allowed<T>(&self, id: u64, states: &[TaskState], given: Result<T, QueueError>) -> Option<T> {
        match (self.model.tasks.get(&id), given) {
            (Some(task), Ok(given)) if states.contains(&task.state) => Some(given),
            (Some(task), Err(QueueError::State { .. })) if !states.contains(&task.state) => None,
            (None, Err(QueueError::NoTask(_))) => None,
            (known, given) => panic!("{known:?}, but {:?}", given.err()),
        }
    }

    fn step(&mut self, step: Step) {
        self.turn = !self.turn;
        let queue = if self.turn {
            &self.bench.queue
        } else {
            &self.other
        }
        .clone();
        match step {
            Step::Enqueue {
                kind,
                key,
                priority,
                cheap,
                payload,
            } => {
                let (kind, priority) = (KINDS[kind], Priority::ALL[priority]);
                let task = NewTask {
                    cheap,
                    ..NewTask::new(kind, key.to_string())
                        .payload(json!(payload))
                        .priority(priority)
                };
                let asked = Asked {
                    payload,
                    priority,
                    cheap,
                    not_before: self.model.now,
                };
                queue.enqueue(&task).expect("queued");
                self.model.enqueue(kind, key, asked);
            }
            Step::Lease { kinds, level } => {
                let kinds = [&KINDS[..], &KINDS[..1], &KINDS[1..]][kinds];
                let leased = queue
                    .lease("worker", kinds, LEVELS[level])
                    .expect("no error");
                let expected = self.model.lease(kinds, LEVELS[level]);
                assert_eq!(leased.as_ref().map(|lease| lease.task().id.0), expected);
                if let Some(lease) = leased {
                    let fence = self.model.tasks[&lease.task().id.0].fence;
                    self.held.push((lease, fence));
                }
            }
            Step::Complete(number) => self.end(number, Lease::complete, |pair, id, ()| {
                pair.model.end(id, TaskState::Done);
            }),
            Step::Bury(number) => self.end(
                number,
                |lease| lease.bury("x"),
                |pair, id, ()| pair.model.bury(id),
            ),
            Step::Fail(number) => self.end(number, |lease| lease.fail("x"), Self::failed),
            Step::Release(number) => self.end(number, Lease::release, |pair, id, ()| {
                let task = pair.model.of(id);
                task.state = TaskState::Waiting;
                task.attempts -= 1;
            }),
            Step::Postpone(number, delay) => {
                let (begin, at) = (self.bench.clock_in(delay), self.model.now + delay * SECOND);
                self.end(
                    number,
                    |lease| lease.postpone(begin, "x"),
                    |pair, id, ()| {
                        let task = pair.model.of(id);
                        task.state = TaskState::Waiting;
                        task.attempts -= 1;
                        task.asked.not_before = at;
                    },
                );
            }
            Step::Renew(number) => {
                if let Some((mut lease, fence)) = self.take(number) {
                    let id = lease.task().id.0;
                    let renewed = lease.renew();
                    assert_eq!(renewed.is_ok(), self.model.holds(id, fence), "{renewed:?}");
                    if renewed.is_ok() {
                        let until = self.model.now + self.model.settings.lease.as_micros() as i64;
                        self.model.of(id).until = until;
                        self.held.push((lease, fence));
                    }
                }
            }
            Step::Advance(seconds) => {
                self.bench.clock.advance(seconds);
                self.model.now += seconds * SECOND;
            }
            Step::Pause(kind) => {
                let kind = kind.map(|kind| KINDS[kind]);
                assert_eq!(
                    queue.pause(kind).expect("no error"),
                    self.model.pauses.insert(kind)
                );
            }
            Step::Resume(kind) => {
                let kind = kind.map(|kind| KINDS[kind]);
                assert_eq!(
                    queue.resume(kind).expect("no error"),
                    self.model.pauses.remove(&kind)
                );
            }
            Step::Cancel(id) => {
                let can_be = [TaskState::Waiting, TaskState::Dead];
                let cancelled = self.allowed(id, &can_be, queue.cancel(TaskId(id)));
                if cancelled.is_some() {
                    self.model.of(id).again = None;
                    self.model.end(id, TaskState::Cancelled);
                }
            }
            Step::Retry(id) => {
                let retried = self.allowed(id, &[TaskState::Dead], queue.retry(TaskId(id)));
                if let Some(retried) = retried {
                    assert_eq!(retried, self.model.retry(id));
                }
            }
            Step::RetryAll => {
                let dead = self.model.dead();
                let expected: Vec<_> = dead.into_iter().map(|id| self.model.retry(id)).collect();
                assert_eq!(queue.retry_all().expect("no error"), expected);
            }
        }
    }

    fn failed(&mut self, id: u64, failed: FailureOutcome) {
        let attempts = self.model.tasks[&id].attempts;
        let now = self.bench.clock_in(0);
        match failed {
            FailureOutcome::Dead => {
                assert_eq!(attempts, self.model.settings.max_attempts);
                self.model.bury(id);
            }
            FailureOutcome::Again(begin) => {
                assert!(attempts < self.model.settings.max_attempts);
                let longest = [10, 15][attempts as usize - 1];
                assert!(
                    begin >= now && begin <= self.bench.clock_in(longest),
                    "{begin}"
                );
                let begin = self.microseconds(begin);
                let task = self.model.of(id);
                task.state = TaskState::Waiting;
                task.asked.not_before = begin;
            }
        }
    }

    /// Compares the whole visible state.
    fn compare(&self) {
        let seen = |task: &Task| {
            let begin = self.microseconds(task.not_before);
            let state = (task.state, task.attempts, begin);
            (
                task.id.0,
                task.kind.clone(),
                task.key.clone(),
                task.payload.clone(),
                task.priority,
                task.cheap,
                state,
            )
        };
        let expected = |id: &u64, task: &Known| {
            let state = (task.state, task.attempts, task.asked.not_before);
            let asked = &task.asked;
            (
                *id,
                task.kind.to_owned(),
                task.key.to_string(),
                json!(asked.payload),
                asked.priority,
                asked.cheap,
                state,
            )
        };
        let mut unfinished: Vec<_> = self
            .other
            .unfinished(usize::MAX)
            .expect("a list")
            .iter()
            .map(seen)
            .collect();
        unfinished.sort_by_key(|task| task.0);
        let is_unfinished =
            |task: &Known| matches!(task.state, TaskState::Waiting | TaskState::Running);
        let known: Vec<_> = self
            .model
            .tasks
            .iter()
            .filter(|(_, task)| is_unfinished(task))
            .map(|(id, task)| expected(id, task))
            .collect();
        assert_eq!(unfinished, known);
        let dead: Vec<_> = self
            .other
            .dead_letters()
            .expect("a list")
            .iter()
            .map(|task| task.id.0)
            .collect();
        assert_eq!(dead, self.model.dead());
        for (id, task) in &self.model.tasks {
            assert_eq!(
                self.other.task(TaskId(*id)).expect("it is there").state,
                task.state
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_calls_does_what_it_does_to_the_model(steps in proptest::collection::vec(step(), 1..70)) {
        let mut pair = Pair::new();
        for step in steps {
            pair.step(step);
            pair.compare();
        }
    }
}
