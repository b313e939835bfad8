//! Periodic work.

use anamne_jobs::{Periodic, PeriodicState, Priority, QueueError, Timing};

use crate::bench::Bench;

fn every(seconds: u64) -> Periodic {
    at(Timing::Every(seconds))
}

fn at(timing: Timing) -> Periodic {
    Periodic {
        name: "tidy",
        kind: "k",
        timing,
        priority: Priority::Batch,
    }
}

/// Schedules it and returns its state.
fn schedule(bench: &Bench, periodic: Periodic) -> PeriodicState {
    bench.queue.schedule(&periodic).expect("scheduled");
    bench.queue.periodic().expect("a list").remove(0)
}

#[test]
fn due_work_is_queued_and_missed_times_result_in_one_task() {
    let bench = Bench::new();
    let state = schedule(&bench, every(60));
    assert_eq!(state.next, bench.clock_in(60));
    assert!(bench.lease().is_none());
    bench.clock.advance(60);
    let lease = bench.lease().expect("it is due");
    assert_eq!(lease.task().key, "tidy");
    bench.clock.advance(65);
    assert!(bench.lease().is_none(), "one at a time");
    lease.complete().expect("done");
    assert!(
        bench.lease().is_none(),
        "what was due meanwhile was met by the one that ran"
    );
    bench.clock.advance(10_000);
    bench.lease().expect("it is due").complete().expect("done");
    assert!(bench.lease().is_none(), "missed times come to one");
    let state = bench.queue.periodic().expect("a list").remove(0);
    assert_eq!(
        state.next.to_string(),
        "2026-03-04T14:49:00Z",
        "its beat stays"
    );
    assert_eq!(state.last, Some(bench.clock_in(0)));
}

#[test]
fn daily_work_is_due_at_its_time_of_day() {
    let bench = Bench::new();
    let state = schedule(&bench, at(Timing::Daily(3, 23)));
    assert_eq!(state.timing, Timing::Daily(3, 23));
    assert_eq!(state.timing.to_string(), "23 3 * * *");
    assert_eq!(state.next.to_string(), "2026-03-05T03:23:00Z");
    bench.clock.set("2026-03-05T03:22:59Z");
    assert!(bench.lease().is_none());
    bench.clock.set("2026-03-05T03:23:00Z");
    bench.lease().expect("it is due").complete().expect("done");
    let next = || bench.queue.periodic().expect("a list").remove(0).next;
    assert_eq!(next().to_string(), "2026-03-06T03:23:00Z");
    bench.clock.set("2026-12-31T03:22:00Z");
    assert!(bench.lease().is_some(), "missed times come to one");
    assert_eq!(next().to_string(), "2026-12-31T03:23:00Z");
    let late = at(Timing::Daily(23, 59));
    assert_eq!(
        schedule(&bench, late).next.to_string(),
        "2026-12-31T23:59:00Z"
    );
}

#[test]
fn scheduling_again_keeps_the_time_unless_the_timing_changed() {
    let bench = Bench::new();
    let first = schedule(&bench, every(60)).next;
    bench.clock.advance(30);
    assert_eq!(schedule(&bench, every(60)).next, first);
    bench.clock.advance(100);
    assert_eq!(schedule(&bench, every(60)).next, first, "it is overdue");
    let changed = schedule(&bench, every(600)).next;
    assert_eq!(changed, bench.clock_in(600));
    bench.clock.set("2020-01-01T00:00:00Z");
    let set_back = schedule(&bench, every(600)).next;
    assert_eq!(
        set_back,
        bench.clock_in(600),
        "a clock that was set back holds nothing up"
    );
    assert_eq!(bench.queue.periodic().expect("a list").len(), 1);
    bench.queue.unschedule("tidy").expect("done");
    bench.queue.unschedule("tidy").expect("nothing to do");
    assert_eq!(bench.queue.periodic().expect("a list"), []);
    bench.clock.advance(10_000);
    assert!(bench.lease().is_none());
}

#[test]
fn invalid_names_are_refused_and_extreme_intervals_work() {
    let bench = Bench::new();
    let nameless = Periodic {
        name: "",
        ..every(60)
    };
    assert!(matches!(
        bench.queue.schedule(&nameless),
        Err(QueueError::Refused(_))
    ));
    assert_eq!(schedule(&bench, every(0)).next, bench.clock_in(1));
    let huge = every(u64::MAX);
    bench
        .queue
        .schedule(&huge)
        .expect("scheduled, for a day that nobody sees");
    assert!(bench.lease().is_none());
}

#[test]
fn a_clock_that_was_years_ahead_does_not_put_periodic_work_off_for_years() {
    let bench = Bench::new();
    bench.queue.schedule(&every(60)).expect("scheduled");
    bench.clock.set("2036-03-05T00:00:00Z");
    bench.lease().expect("it is due").complete().expect("done");
    bench.clock.set("2026-03-05T00:00:00Z");
    // No process schedules it again meanwhile.
    assert!(bench.lease().is_none());
    bench.clock.advance(60);
    bench.lease().expect("it is due").complete().expect("done");
}
