//! The states of a task.

use anamne_jobs::{
    FailureOutcome, Level, NewTask, Priority, Progress, QueueError, RetryOutcome, TaskId, TaskState,
};
use serde_json::json;

use crate::bench::{Bench, plain};

#[test]
fn a_request_made_twice_is_one_task_with_the_higher_priority_and_the_later_payload() {
    let bench = Bench::new();
    let id = bench.enqueue(
        &NewTask::new("k", "a")
            .priority(Priority::Low)
            .payload(json!(1)),
    );
    let again = NewTask::new("k", "a")
        .priority(Priority::Urgent)
        .payload(json!(2))
        .cheap();
    assert_eq!(bench.enqueue(&again), id);
    let lower = NewTask::new("k", "a")
        .priority(Priority::Batch)
        .payload(json!(3))
        .cheap();
    assert_eq!(bench.enqueue(&lower), id);
    assert_ne!(bench.enqueue(&NewTask::new("other", "a")), id);
    let task = bench.queue.task(id).expect("the task");
    assert_eq!(
        (task.priority, task.payload, task.cheap),
        (Priority::Urgent, json!(3), true)
    );
}

#[test]
fn a_request_while_a_task_runs_is_done_after_it() {
    let bench = Bench::new();
    let first = bench.add("a");
    let lease = bench.lease().expect("the task");
    for payload in [1, 2] {
        let again = NewTask::new("k", "a").payload(json!(payload));
        assert_eq!(bench.enqueue(&again), first);
    }
    assert!(bench.lease().is_none(), "one at a time");
    lease.complete().expect("done");
    let lease = bench.lease().expect("another one");
    assert_eq!(lease.task().payload, json!(2));
    assert_ne!(lease.task().id, first);
    lease.complete().expect("done");
    assert!(bench.lease().is_none());
}

#[test]
fn a_request_while_a_task_waits_for_a_retry_is_not_lost() {
    let bench = Bench::with(plain());
    let first = bench.add("a");
    let lease = bench.lease().expect("the task");
    lease.fail("the disk was full").expect("failed");
    let again = NewTask::new("k", "a").payload(json!(2));
    assert_eq!(bench.enqueue(&again), first);
    bench.clock.advance(20);
    let lease = bench.lease().expect("the second attempt");
    assert_eq!((lease.task().id, lease.task().attempts), (first, 2));
    lease.complete().expect("done");
    assert_eq!(
        bench.lease().expect("what was asked").task().payload,
        json!(2)
    );
}

#[test]
fn the_more_urgent_then_the_earlier_task_is_taken_first() {
    let bench = Bench::new();
    bench.enqueue(&NewTask::new("k", "batch").priority(Priority::Batch));
    bench.enqueue(&NewTask::new("k", "low").priority(Priority::Low));
    bench.enqueue(&NewTask::new("k", "first"));
    bench.enqueue(&NewTask::new("k", "later").priority(Priority::Urgent));
    let later = bench.lease().expect("the most urgent one");
    let begin = bench.clock_in(60);
    later.postpone(begin, "not yet").expect("postponed");
    bench.enqueue(&NewTask::new("k", "second"));
    bench.enqueue(&NewTask::new("unknown here", "x").priority(Priority::Urgent));
    let taken: Vec<_> = std::iter::from_fn(|| bench.lease())
        .map(|lease| lease.task().key.clone())
        .collect();
    assert_eq!(taken, ["first", "second", "low", "batch"]);
    bench.clock.advance(60);
    assert_eq!(bench.lease().expect("now").task().key, "later");
}

#[test]
fn an_expired_lease_goes_to_another_worker_and_its_former_holder_cannot_end_the_task() {
    let bench = Bench::with(plain());
    let id = bench.add("a");
    let slow = bench.lease().expect("the task");
    bench.clock.advance(59);
    assert!(bench.lease().is_none());
    bench.clock.advance(1);
    let mut quick = bench
        .other()
        .lease("quick", &["k"], Level::Low)
        .expect("no error")
        .expect("the task");
    assert_eq!((quick.task().id, quick.task().attempts), (id, 2));
    let is_lost = |error: &QueueError| matches!(error, QueueError::LeaseLost(lost) if *lost == id);
    assert!(slow.complete().is_err_and(|error| is_lost(&error)));
    let held = bench.queue.task(id).expect("the task");
    assert_eq!(held.state, TaskState::Running);
    quick
        .progress(&Progress {
            done: 1,
            total: 2,
            text: "half".into(),
        })
        .expect("still held");
    quick.complete().expect("done");
    let task = bench.queue.task(id).expect("the task");
    assert_eq!(
        (task.state, task.worker.as_str(), task.progress.done),
        (TaskState::Done, "quick", 1)
    );
}

#[test]
fn a_lost_lease_cannot_end_its_task_in_any_way() {
    let bench = Bench::with(plain());
    bench.add("a");
    let lost = || {
        let lease = bench.lease().expect("the task");
        bench.clock.advance(60);
        // Taken back by any worker that leases, whatever the kind.
        assert!(
            bench
                .queue
                .lease("x", &["none"], Level::Low)
                .expect("no error")
                .is_none()
        );
        lease
    };
    assert!(matches!(lost().fail("x"), Err(QueueError::LeaseLost(_))));
    assert!(matches!(lost().release(), Err(QueueError::LeaseLost(_))));
    let id = bench.add("b");
    let mut lease = lost();
    assert!(matches!(lease.renew(), Err(QueueError::LeaseLost(_))));
    assert!(matches!(lease.bury("x"), Err(QueueError::LeaseLost(_))));
    assert_ne!(
        bench.queue.task(id).expect("the task").state,
        TaskState::Dead
    );
}

#[test]
fn a_renewed_lease_holds_and_one_of_a_clock_that_was_set_back_does_not() {
    let bench = Bench::with(plain());
    bench.add("a");
    let mut lease = bench.lease().expect("the task");
    for _ in 0..5 {
        bench.clock.advance(50);
        lease.renew().expect("held");
        assert!(bench.lease().is_none());
    }
    bench.clock.set("2025-01-01T00:00:00Z");
    let taken = bench.lease().expect("nobody knows when it would run out");
    assert!(matches!(lease.renew(), Err(QueueError::LeaseLost(_))));
    taken.complete().expect("done");
}

#[test]
fn failed_tasks_wait_longer_and_longer_within_bounds_and_then_die() {
    let bench = Bench::with(plain());
    let mut pauses = Vec::new();
    for number in 0..60 {
        bench.add(&format!("task {number}"));
    }
    for (attempt, longest) in [(1, 10_000), (2, 15_000)] {
        for _ in 0..60 {
            let lease = bench.lease().expect("a task");
            assert_eq!(lease.task().attempts, attempt);
            let FailureOutcome::Again(begin) = lease.fail("no luck").expect("failed") else {
                panic!("dead before its last attempt");
            };
            let pause = begin.as_millisecond() - bench.queue.now().as_millisecond();
            assert!(
                (0..=longest).contains(&pause),
                "{pause} ms after attempt {attempt}"
            );
            pauses.push(pause);
        }
        bench.clock.advance(15);
    }
    let (low, high) = (pauses.iter().min(), pauses.iter().max());
    assert!(
        low < Some(&2_000) && high > Some(&12_000),
        "from {low:?} to {high:?} ms"
    );
    for _ in 0..60 {
        assert_eq!(
            bench
                .lease()
                .expect("a task")
                .fail("no luck")
                .expect("failed"),
            FailureOutcome::Dead
        );
    }
    assert!(bench.lease().is_none());
    let dead = bench.queue.dead_letters().expect("a list");
    assert_eq!((dead.len(), dead[0].error.as_str()), (60, "no luck"));
}

#[test]
fn a_task_whose_workers_all_vanish_dies_too() {
    let bench = Bench::with(plain());
    let id = bench.add("poison");
    for attempt in 1..=3 {
        assert_eq!(bench.lease().expect("the task").task().attempts, attempt);
        bench.clock.advance(60);
    }
    assert!(bench.lease().is_none());
    let dead = bench.queue.dead_letters().expect("a list");
    assert_eq!((dead[0].id, dead[0].attempts), (id, 3));
    assert!(dead[0].error.contains("died or hung"));
}

#[test]
fn a_released_task_counts_no_attempt() {
    let bench = Bench::with(plain());
    let id = bench.add("a");
    for _ in 0..10 {
        bench
            .lease()
            .expect("the task")
            .release()
            .expect("given back");
    }
    let later = bench.clock_in(3_600);
    bench
        .lease()
        .expect("the task")
        .postpone(later, "the budget is spent")
        .expect("postponed");
    let task = bench.queue.task(id).expect("the task");
    assert_eq!(
        (task.attempts, task.not_before, task.error.as_str()),
        (0, later, "the budget is spent")
    );
    assert!(bench.lease().is_none());
}

#[test]
fn dead_letters_can_be_tried_again_or_put_away() {
    let bench = Bench::with(plain());
    let [first, second, third] = ["a", "b", "c"].map(|key| {
        bench.add(key);
        bench.kill("no such page")
    });
    assert_eq!(
        bench.queue.retry(first).expect("retried"),
        RetryOutcome::Queued(first)
    );
    let lease = bench.lease().expect("the task");
    assert_eq!((lease.task().id, lease.task().attempts), (first, 1));
    lease.complete().expect("done");
    bench.queue.cancel(second).expect("put away");
    assert_eq!(
        bench.queue.task(second).expect("the task").state,
        TaskState::Cancelled
    );
    let newer = bench.add("c");
    assert_eq!(
        bench.queue.retry_all().expect("retried"),
        [RetryOutcome::Newer(newer)]
    );
    assert_eq!(bench.queue.dead_letters().expect("a list"), []);
    assert_eq!(
        bench.queue.task(third).expect("the task").state,
        TaskState::Cancelled
    );
    let refused = bench.queue.retry(first);
    assert!(matches!(
        refused,
        Err(QueueError::State {
            state: TaskState::Done,
            ..
        })
    ));
    assert!(matches!(
        bench.queue.retry(TaskId(99)),
        Err(QueueError::NoTask(TaskId(99)))
    ));
    assert!(matches!(
        bench.queue.cancel(TaskId(u64::MAX)),
        Err(QueueError::NoTask(_))
    ));
}

#[test]
fn a_task_that_dies_again_takes_the_place_of_its_earlier_letter() {
    let bench = Bench::new();
    bench.add("a");
    bench.kill("first");
    bench.add("a");
    let second = bench.kill("second");
    let dead = bench.queue.dead_letters().expect("a list");
    assert_eq!((dead.len(), dead[0].id), (1, second));
}

#[test]
fn a_running_task_cannot_be_cancelled_and_a_waiting_one_takes_its_repetition_along() {
    let bench = Bench::with(plain());
    let id = bench.add("a");
    let lease = bench.lease().expect("the task");
    let refused = bench.queue.cancel(id).expect_err("it runs");
    assert!(refused.to_string().contains("is running"), "{refused}");
    bench
        .queue
        .enqueue(&NewTask::new("k", "a"))
        .expect("queued");
    lease.fail("no luck").expect("failed");
    assert_eq!(
        bench.queue.cancel(id).expect("cancelled").state,
        TaskState::Cancelled
    );
    bench.clock.advance(60);
    assert!(bench.lease().is_none());
    assert_ne!(bench.add("a"), id);
}

#[test]
fn a_pause_holds_in_every_process_until_it_is_resumed() {
    let bench = Bench::new();
    let other = bench.other();
    bench.add("a");
    assert!(bench.queue.pause(Some("k")).expect("paused"));
    assert!(
        !other.pause(Some("k")).expect("paused"),
        "it was paused already"
    );
    assert!(
        other
            .lease("w", &["k"], Level::Asleep)
            .expect("no error")
            .is_none()
    );
    assert!(other.pause(None).expect("paused"));
    assert_eq!(bench.queue.pauses().expect("a list").len(), 2);
    assert!(bench.queue.resume(Some("k")).expect("resumed"));
    assert!(bench.lease().is_none(), "the whole queue is paused");
    assert!(bench.queue.resume(None).expect("resumed"));
    assert!(!bench.queue.resume(None).expect("resumed"));
    assert!(
        other
            .lease("w", &["k"], Level::Asleep)
            .expect("no error")
            .is_some()
    );
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    let bench = Bench::new();
    for (kind, key, payload) in [
        ("", String::new(), json!(null)),
        ("a\nb", String::new(), json!(null)),
        (&"k".repeat(65), String::new(), json!(null)),
        ("k", "é".repeat(300), json!(null)),
        ("k", String::new(), json!("x".repeat(70_000))),
    ] {
        let task = NewTask::new(kind, key).payload(payload);
        assert!(
            matches!(bench.queue.enqueue(&task), Err(QueueError::Refused(_))),
            "{kind:?}"
        );
    }
    let odd = NewTask::new("重さ 🐝", "\u{0}'; DROP TABLE tasks; --")
        .payload(json!({"ü": ["\u{1f41d}"]}));
    bench.queue.enqueue(&odd).expect("queued");
    let lease = bench
        .queue
        .lease("", &["重さ 🐝"], Level::Low)
        .expect("no error")
        .expect("the task");
    assert_eq!(
        (&lease.task().key, &lease.task().payload),
        (&odd.key, &odd.payload)
    );
    lease.fail(&"🐝".repeat(5_000)).expect("failed");
}

#[test]
fn what_finished_is_kept_for_a_while() {
    let settings = anamne_jobs::Settings {
        finished_kept: 3,
        dead_kept: 2,
        ..plain()
    };
    let bench = Bench::with(settings);
    for number in 0..5 {
        bench.add(&format!("done {number}"));
        bench.lease().expect("a task").complete().expect("done");
        bench.clock.advance(1);
        bench.add(&format!("dead {number}"));
        bench.kill("no luck");
    }
    let report = bench.queue.report().expect("a report");
    let recent: Vec<_> = report.recent.iter().map(|task| task.key.as_str()).collect();
    assert_eq!(recent, ["done 4", "done 3", "done 2"]);
    let dead: Vec<_> = bench
        .queue
        .dead_letters()
        .expect("a list")
        .into_iter()
        .map(|task| task.key)
        .collect();
    assert_eq!(dead, ["dead 4", "dead 3"]);
    assert_eq!((report.kinds[0].done, report.kinds[0].dead), (3, 2));
}

#[test]
fn a_task_put_off_by_a_clock_years_ahead_goes_on_when_the_clock_is_right() {
    for failed in [true, false] {
        let bench = Bench::new();
        bench.add("a");
        bench.clock.set("2036-03-05T00:00:00Z");
        let lease = bench.lease().expect("the task");
        if failed {
            lease.fail("no answer").expect("failed");
        } else {
            let opens = "2036-04-01T00:00:00Z".parse().expect("an instant");
            lease
                .postpone(opens, "no budget is left")
                .expect("postponed");
        }
        bench.clock.set("2026-03-05T00:00:00Z");
        // A repeated request does not speed up a task that has started before.
        bench.add("a");
        let lease = bench.lease().expect("it may go on");
        // From here on its start time was set by the correct clock, and is respected.
        let opens = "2026-04-01T00:00:00Z".parse().expect("an instant");
        lease
            .postpone(opens, "no budget is left")
            .expect("postponed");
        assert!(bench.lease().is_none());
        bench.clock.set("2026-04-01T00:00:00Z");
        assert!(bench.lease().is_some());
    }
}

#[test]
fn a_task_queued_by_a_clock_years_ahead_begins_when_the_clock_is_right() {
    let bench = Bench::new();
    bench.clock.set("2036-03-05T00:00:00Z");
    bench.add("a");
    bench.clock.set("2026-03-05T00:00:00Z");
    let lease = bench.lease().expect("it may begin");
    bench.clock.set("2036-03-05T00:00:00Z");
    assert_eq!(bench.add("a"), lease.task().id);
    bench.clock.set("2026-03-05T00:00:00Z");
    lease.complete().expect("done");
    assert!(bench.lease().is_some(), "what was asked for again follows");
}
