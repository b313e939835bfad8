//! What may run depends on the recalls and writes of all processes.

use anamne_jobs::{Activity, Level, NewTask, Priority};

use crate::bench::Bench;

#[test]
fn each_level_takes_its_own_work() {
    let runs = |level: Level| {
        let bench = Bench::new();
        for priority in Priority::ALL {
            for cheap in [true, false] {
                let task = NewTask::new("k", format!("{priority} {cheap}")).priority(priority);
                bench.enqueue(&if cheap { task.cheap() } else { task });
            }
        }
        let mut taken = Vec::new();
        while let Some(lease) = bench.lease_at(level) {
            let task = lease.task();
            assert!(level.allows(task.priority, task.cheap));
            taken.push(task.key.clone());
        }
        taken
    };
    assert_eq!(runs(Level::High), ["urgent true"]);
    assert_eq!(
        runs(Level::Low),
        [
            "urgent true",
            "urgent false",
            "normal true",
            "normal false",
            "low true",
            "low false"
        ]
    );
    assert_eq!(runs(Level::Asleep).len(), 8);
}

#[test]
fn counts_of_one_process_are_visible_to_all() {
    let bench = Bench::new();
    let other = bench.other();
    let activity = Activity::new(bench.clock.clone());
    let level = || other.activity().expect("no error").level;
    assert_eq!(level(), Level::Asleep);
    activity.note_recall();
    assert_eq!(level(), Level::Asleep, "counting touches no file");
    assert!(activity.flush_if_due(&bench.queue).expect("flushed"));
    assert_eq!(level(), Level::Low);
    for _ in 0..29 {
        activity.note_write();
    }
    assert!(
        !activity.flush_if_due(&bench.queue).expect("not due"),
        "once in three seconds"
    );
    bench.clock.advance(3);
    assert!(activity.flush_if_due(&bench.queue).expect("flushed"));
    let now = other.activity().expect("no error");
    assert_eq!((now.level, now.recalls, now.writes), (Level::High, 1, 29));
    bench.clock.advance(60);
    assert_eq!(level(), Level::High, "the last minute counts");
    bench.clock.advance(60);
    assert_eq!(level(), Level::Low);
    bench.clock.advance(3 * 60);
    assert_eq!(level(), Level::Low);
    bench.clock.advance(60);
    assert_eq!(level(), Level::Asleep);
}

#[test]
fn nothing_is_written_where_nothing_was_counted() {
    let bench = Bench::new();
    let activity = Activity::new(bench.clock.clone());
    assert!(!activity.flush(&bench.queue).expect("nothing to add"));
    activity.note_recall();
    assert!(activity.flush(&bench.queue).expect("added"));
    assert!(!activity.flush(&bench.queue).expect("nothing to add"));
}

#[test]
fn a_clock_set_back_does_not_keep_the_space_awake() {
    let bench = Bench::new();
    let activity = Activity::new(bench.clock.clone());
    activity.note_recall();
    activity.flush_if_due(&bench.queue).expect("flushed");
    bench.clock.set("2025-01-01T00:00:00Z");
    assert_eq!(
        bench.queue.activity().expect("no error").level,
        Level::Asleep
    );
    activity.note_recall();
    assert!(activity.flush_if_due(&bench.queue).expect("flushed"));
    assert_eq!(bench.queue.activity().expect("no error").level, Level::Low);
}
