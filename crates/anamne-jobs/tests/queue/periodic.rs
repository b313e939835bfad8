//! Work that comes again and again.

use std::time::Duration;

use anamne_jobs::{Periodic, QueueError, Timing};

use crate::bench::Bench;

fn every(seconds: u64) -> Periodic {
    Periodic::new("tidy", "k", Timing::Every(Duration::from_secs(seconds)))
}

#[test]
fn periodic_work_is_queued_when_it_is_due_and_missed_times_come_to_one() {
    let bench = Bench::new();
    let state = bench.queue.schedule(&every(60)).expect("scheduled");
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
fn cron_says_when() {
    let bench = Bench::new();
    let daily = Periodic::new("daily", "k", "0 3 * * *".parse().expect("a timing"));
    bench.queue.schedule(&daily).expect("scheduled");
    bench.clock.set("2026-03-05T02:59:59Z");
    assert!(bench.lease().is_none());
    bench.clock.set("2026-03-05T03:00:00Z");
    assert!(bench.lease().is_some());
    let state = bench.queue.periodic().expect("a list").remove(0);
    assert_eq!(state.next.to_string(), "2026-03-06T03:00:00Z");
}

#[test]
fn scheduling_again_keeps_the_time_unless_the_timing_changed() {
    let bench = Bench::new();
    let first = bench.queue.schedule(&every(60)).expect("scheduled").next;
    bench.clock.advance(30);
    assert_eq!(
        bench.other().schedule(&every(60)).expect("scheduled").next,
        first
    );
    bench.clock.advance(100);
    assert_eq!(
        bench.queue.schedule(&every(60)).expect("scheduled").next,
        first,
        "it is overdue"
    );
    let changed = bench.queue.schedule(&every(600)).expect("scheduled").next;
    assert_eq!(changed, bench.clock_in(600));
    bench.clock.set("2020-01-01T00:00:00Z");
    let set_back = bench.queue.schedule(&every(600)).expect("scheduled").next;
    assert_eq!(
        set_back,
        bench.clock_in(600),
        "a clock that was set back holds nothing up"
    );
    assert_eq!(bench.queue.periodic().expect("a list").len(), 1);
    assert!(bench.queue.unschedule("tidy").expect("done"));
    assert!(!bench.queue.unschedule("tidy").expect("done"));
    bench.clock.advance(10_000);
    assert!(bench.lease().is_none());
}

#[test]
fn odd_intervals_are_refused() {
    let bench = Bench::new();
    let odd = Periodic::new("tidy", "k", Timing::Every(Duration::from_millis(1_500)));
    assert!(matches!(
        bench.queue.schedule(&odd),
        Err(QueueError::Refused(_))
    ));
    assert!(matches!(
        bench.queue.schedule(&every(0)),
        Err(QueueError::Refused(_))
    ));
    assert_eq!(
        "@every 90s"
            .parse::<Timing>()
            .expect("a timing")
            .to_string(),
        "@every 90s"
    );
    for refused in ["@every 0s", "@every 90", "@every -1s", "@every s"] {
        assert!(refused.parse::<Timing>().is_err(), "{refused}");
    }
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
    // No process schedules it anew meanwhile.
    assert!(bench.lease().is_none());
    bench.clock.advance(60);
    bench.lease().expect("it is due").complete().expect("done");
}
