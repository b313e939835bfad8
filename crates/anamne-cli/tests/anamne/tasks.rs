//! Background work can be listed, paused, cancelled and retried.

use anamne::queue::{Level, NewTask, Priority, Queue};
use anamne::{Options, Store};
use serde_json::{Value, json};

use crate::bench::Bench;

/// A space, and its task queue.
fn begun() -> (Bench, Queue) {
    let bench = Bench::new();
    bench.remember(&["The lantern was trimmed today"]);
    let options = Options::new(bench.store()).background(false);
    let store = Store::open_with(options).expect("a store");
    let queue = store.existing_space("core").expect("a space").task_queue();
    (bench, queue.expect("a queue"))
}

/// Makes a task fail permanently; returns its number.
fn killed(queue: &Queue, key: &str) -> u64 {
    queue
        .enqueue(&NewTask::new("summary", key))
        .expect("queued");
    let lease = queue.lease("tests", &["summary"], Level::Asleep);
    let lease = lease.expect("no error").expect("a task");
    let id = lease.task().id.0;
    lease.bury("the model gave no answer").expect("buried");
    id
}

#[test]
fn what_waits_runs_and_died_is_shown() {
    let (bench, queue) = begun();
    let empty = bench.run(&["tasks"]);
    assert_eq!(empty.code, 0, "{}", empty.stderr);
    assert!(
        empty.stdout.contains("waiting   nothing"),
        "{}",
        empty.stdout
    );
    killed(&queue, "thread 1");
    queue
        .enqueue(&NewTask::new("extract", "7").priority(Priority::Urgent))
        .expect("queued");
    queue
        .enqueue(&NewTask::new("extract", "8").payload(json!({"row": 8})))
        .expect("queued");
    let lease = queue
        .lease("worker 1", &["extract"], Level::Asleep)
        .expect("no error");
    let shown = bench.run(&["tasks"]).stdout;
    for line in [
        "activity  asleep: 0 recalls and 0 writes by agents and servers in two minutes",
        "running   2 extract 7, started just now by worker 1",
        "waiting   3 extract 8, normal",
        "dead      1 task; see `anamne tasks dead`",
    ] {
        assert!(shown.contains(line), "{line:?} is not in {shown}");
    }
    let report = bench.json(&["tasks"]);
    assert_eq!(report["activity"]["level"], "asleep");
    assert_eq!(
        (
            &report["running"][0]["id"],
            &report["waiting"][0]["payload"]
        ),
        (&json!(2), &json!({"row": 8}))
    );
    assert_eq!(
        (&report["kinds"][1]["dead"], &report["kinds"][0]["waiting"]),
        (&json!(1), &json!(1))
    );
    drop(lease);
}

#[test]
fn pausing_and_resuming_reaches_the_queue() {
    let (bench, queue) = begun();
    queue
        .enqueue(&NewTask::new("extract", "7"))
        .expect("queued");
    assert_eq!(
        bench.json(&["tasks", "pause"]),
        json!({"paused": null, "changed": true})
    );
    assert_eq!(
        bench.json(&["tasks", "pause", "extract"]),
        json!({"paused": "extract", "changed": true})
    );
    let next = || {
        queue
            .lease("tests", &["extract"], Level::Asleep)
            .expect("no error")
    };
    assert!(next().is_none());
    assert!(
        bench
            .run(&["tasks"])
            .stdout
            .contains("paused    everything, just now")
    );
    let resumed = bench.run(&["tasks", "resume"]);
    assert_eq!(resumed.stdout, "resumed everything\n");
    assert!(
        resumed.stderr.contains("extract is still paused"),
        "{}",
        resumed.stderr
    );
    assert!(next().is_none());
    assert_eq!(bench.json(&["tasks", "resume", "extract"])["changed"], true);
    assert_eq!(
        bench.json(&["tasks", "resume", "extract"])["changed"],
        false
    );
    assert!(next().is_some());
}

#[test]
fn dead_tasks_are_listed_retried_and_dismissed() {
    let (bench, queue) = begun();
    let [first, second, third] = ["a", "b", "c"].map(|key| killed(&queue, key).to_string());
    let dead = bench.json(&["tasks", "dead"]);
    assert_eq!(dead["dead"].as_array().map(Vec::len), Some(3));
    let listed = bench.run(&["tasks", "dead"]).stdout;
    assert!(
        listed.contains(&format!("{first} summary a, just now, after 1 attempt\n")),
        "{listed}"
    );
    assert!(
        listed.contains("error  the model gave no answer"),
        "{listed}"
    );
    assert_eq!(
        bench.json(&["tasks", "retry", &first]),
        json!({"retried": [{"queued": 1}]})
    );
    assert_eq!(
        bench.json(&["tasks", "cancel", &second])["cancelled"]["state"],
        "cancelled"
    );
    assert_eq!(
        bench.json(&["tasks", "cancel", &first])["cancelled"]["id"],
        1
    );
    assert_eq!(
        bench.json(&["tasks", "retry", "--all"]),
        json!({"retried": [{"queued": 3}]})
    );
    assert_eq!(bench.json(&["tasks", "dead"]), json!({"dead": []}));
    assert_eq!(third, "3");
}

#[test]
fn what_can_not_be_done_is_said() {
    let (bench, queue) = begun();
    queue
        .enqueue(&NewTask::new("extract", "7"))
        .expect("queued");
    let lease = queue
        .lease("tests", &["extract"], Level::Asleep)
        .expect("no error");
    let refused = |arguments: &[&str], code: i32| -> Value {
        let ran = bench.run(&[&["--json", "tasks"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        ran.error()
    };
    let message = refused(&["cancel", "1"], 2)["message"].clone();
    assert_eq!(
        message,
        "the task 1 is running; only one that is waiting can be cancelled"
    );
    let absent = refused(&["cancel", "9"], 3);
    assert_eq!(
        [&absent["kind"], &absent["message"], &absent["next_step"]],
        ["not_found", "no task 9", "list_tasks"]
    );
    assert_eq!(absent["hint"], "list them with `anamne tasks`");
    refused(&["retry", "1"], 2);
    refused(&["retry"], 2);
    refused(&["cancel", "m1"], 2);
    refused(&["pause", ""], 2);
    drop(lease);
}
