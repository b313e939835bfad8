//! A runner runs what is due, and stops when asked to.

use std::cell::RefCell;
use std::sync::Arc;

use anamne_jobs::{
    Activity, Handlers, NewTask, Outcome, Runner, Task, TaskContext, TaskError, TaskState,
};

use crate::bench::{Bench, plain};

/// Handles the kind `k` with a closure.
struct By<F>(F);

impl<F: Fn(&Task, &mut TaskContext<'_>) -> Result<(), TaskError>> Handlers for By<F> {
    fn kinds(&self) -> Vec<&str> {
        vec!["k"]
    }

    fn run(&self, task: &Task, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        (self.0)(task, context)
    }
}

fn runner<F>(bench: &Bench, work: F) -> (Runner<By<F>>, Arc<Activity>)
where
    F: Fn(&Task, &mut TaskContext<'_>) -> Result<(), TaskError>,
{
    let activity = Arc::new(Activity::new(bench.clock.clone()));
    let runner = Runner::new(bench.queue.clone(), By(work), activity.clone(), "runner");
    (runner, activity)
}

#[track_caller]
fn run<F>(runner: &Runner<By<F>>) -> Outcome
where
    F: Fn(&Task, &mut TaskContext<'_>) -> Result<(), TaskError>,
{
    runner
        .run_next()
        .expect("no error")
        .expect("something ran")
        .outcome
}

#[test]
fn tasks_are_done_in_their_order_and_tell_their_progress() {
    let bench = Bench::new();
    let id = bench.add("a");
    bench.add("b");
    let seen = RefCell::new(Vec::new());
    let (runner, _) = runner(&bench, |task, context| {
        seen.borrow_mut().push(task.key.clone());
        context.progress(1, 2, "half")?;
        context.progress(2, 2, "whole")
    });
    assert_eq!((run(&runner), run(&runner)), (Outcome::Done, Outcome::Done));
    assert_eq!(runner.run_next().expect("no error"), None);
    assert_eq!(*seen.borrow(), ["a", "b"]);
    let task = bench.queue.task(id).expect("the task");
    assert_eq!(
        (task.state, task.progress.text.as_str()),
        (TaskState::Done, "whole")
    );
}

#[test]
fn failures_panics_and_hopeless_tasks_end_as_they_should() {
    let bench = Bench::with(plain());
    let (runner, _) = runner(&bench, |task, context| match task.key.as_str() {
        "panics" => panic!("no such page: {}", task.id),
        "hopeless" => Err(TaskError::Permanent("it is not JSON".into())),
        "stops" => Err(TaskError::Stopped),
        "later" => Err(TaskError::Postponed {
            until: context.now() + jiff::SignedDuration::from_hours(1),
            reason: "the budget is spent".into(),
        }),
        _ => Err(TaskError::failed("no luck")),
    });
    let hour = bench.clock_in(3_600);
    for (key, error, attempts) in [
        ("fails", "no luck", 1),
        ("panics", "it panicked: no such page: 2", 1),
        ("stops", "it stopped unexpectedly", 1),
        ("later", "the budget is spent", 0),
        ("hopeless", "it is not JSON", 1),
    ] {
        let id = bench.enqueue(&NewTask::new("k", key));
        let outcome = run(&runner);
        let task = bench.queue.task(id).expect("the task");
        assert_eq!(
            (task.error.as_str(), task.attempts),
            (error, attempts),
            "{key}"
        );
        match key {
            "hopeless" => assert_eq!((outcome, task.state), (Outcome::Dead, TaskState::Dead)),
            "later" => assert_eq!(outcome, Outcome::Postponed(hour)),
            _ => assert!(matches!(outcome, Outcome::Failed(_)), "{key}: {outcome:?}"),
        }
        if task.state == TaskState::Waiting {
            bench.queue.cancel(id).expect("cancelled");
        }
    }
}

/// Runs a task that continues until it is asked to stop; `happens` is called in its third step.
#[track_caller]
fn stopped_by(bench: &Bench, happens: impl Fn(&Activity)) {
    let id = bench.add("long");
    let counted = Arc::new(Activity::new(bench.clock.clone()));
    let work = By(|_: &Task, context: &mut TaskContext<'_>| {
        for step in 0.. {
            if context.should_stop() {
                assert_eq!(step, 4, "asked to stop too early or too late");
                return Err(TaskError::Stopped);
            }
            assert!(step < 10, "not asked to stop");
            bench.clock.advance(3);
            if step == 3 {
                happens(&counted);
            }
        }
        Ok(())
    });
    let runner = Runner::new(bench.queue.clone(), work, counted.clone(), "runner");
    assert_eq!(run(&runner), Outcome::Released);
    let task = bench.queue.task(id).expect("the task");
    assert_eq!((task.state, task.attempts), (TaskState::Waiting, 0));
    assert_eq!(
        runner.run_next().expect("no error"),
        None,
        "it may not run now"
    );
}

#[test]
fn a_task_that_may_not_run_any_more_is_asked_to_stop() {
    let bench = Bench::new();
    let much_is_asked = |activity: &Activity| (0..30).for_each(|_| activity.note_recall());
    stopped_by(&bench, much_is_asked);
    let bench = Bench::new();
    stopped_by(&bench, |_| {
        assert!(bench.queue.pause(None).expect("paused"));
    });
}

#[test]
fn a_runner_at_any_level_runs_everything() {
    let bench = Bench::new();
    bench.enqueue(&NewTask::new("k", "batch").priority(anamne_jobs::Priority::Batch));
    let (runner, activity) = runner(&bench, |_, context| {
        assert!(!context.should_stop());
        Ok(())
    });
    (0..100).for_each(|_| activity.note_write());
    assert_eq!(runner.run_next().expect("no error"), None);
    assert_eq!(run(&runner.at_any_level()), Outcome::Done);
}

#[test]
fn asking_whether_to_stop_keeps_the_lease() {
    let bench = Bench::with(plain());
    bench.add("long");
    let other = bench.other();
    let (runner, _) = runner(&bench, |_, context| {
        for _ in 0..20 {
            assert!(!context.should_stop());
            bench.clock.advance(30);
            let taken = other.lease("other", &["k"], anamne_jobs::Level::Asleep)?;
            assert!(taken.is_none());
        }
        Ok(())
    });
    assert_eq!(run(&runner), Outcome::Done);
}

#[test]
fn a_clock_that_is_set_back_keeps_the_lease_too() {
    let bench = Bench::with(plain());
    bench.clock.set("2036-03-05T00:00:00Z");
    bench.add("long");
    let other = bench.other();
    let (runner, _) = runner(&bench, |_, context| {
        bench.clock.set("2026-03-05T00:00:00Z");
        assert!(!context.should_stop());
        let taken = other.lease("other", &["k"], anamne_jobs::Level::Asleep)?;
        assert!(taken.is_none(), "what costs money must not be done twice");
        Ok(())
    });
    assert_eq!(run(&runner), Outcome::Done);
}

#[test]
fn a_handler_that_lost_its_lease_does_not_end_the_task() {
    let bench = Bench::with(plain());
    for asks in [true, false] {
        let id = bench.add("slow");
        let (runner, _) = runner(&bench, |_, context| {
            bench.clock.advance(60);
            let quick = bench.lease().expect("the task");
            if asks {
                assert!(context.should_stop());
            }
            quick.complete()?;
            Err(TaskError::Permanent("too slow".into()))
        });
        assert_eq!(run(&runner), Outcome::Lost);
        assert_eq!(
            bench.queue.task(id).expect("the task").state,
            TaskState::Done
        );
    }
}
