//! The task database: ownership, and newer, damaged or lost files.

use std::fs;
use std::path::Path;

use anamne_jobs::{Level, NewTask, Queue, QueueError, TASKS_FORMAT};
use anamne_store::StoreError;
use rusqlite::Connection;

use crate::bench::{Bench, SetClock};

fn set_aside(bench: &Bench) -> Vec<String> {
    let names = fs::read_dir(bench.folder.path()).expect("a folder");
    let names = names.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let mut names: Vec<_> = names.filter(|name| name.contains(".damaged-")).collect();
    names.sort();
    names
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let bench = Bench::new();
    let id = bench.add("a");
    let path = bench.path();
    let connection = Connection::open(&path).expect("a database");
    connection
        .pragma_update(None, "user_version", TASKS_FORMAT + 1)
        .expect("set");
    let refused = Queue::open(&path, bench.clock.clone()).expect_err("newer");
    assert!(
        matches!(&refused, QueueError::Store(StoreError::Newer { found, .. }) if *found == TASKS_FORMAT + 1),
        "{refused}"
    );
    connection
        .pragma_update(None, "user_version", TASKS_FORMAT)
        .expect("set");
    assert_eq!(bench.other().task(id).expect("it is there").key, "a");
    assert_eq!(set_aside(&bench), [""; 0]);
}

/// Breaks the file of a closed queue, or of one open in this process, and expects a new file.
#[track_caller]
fn check(broken: impl Fn(&Path), open: bool) {
    let Bench {
        folder,
        clock,
        queue,
    } = Bench::new();
    let path = queue.path().to_owned();
    queue.enqueue(&NewTask::new("k", "before")).expect("queued");
    let held = queue
        .lease("w", &["k"], Level::Low)
        .expect("no error")
        .expect("the task");
    let queue = if open {
        broken(&path);
        // The lease holds no task of the new file.
        assert!(matches!(held.complete(), Err(QueueError::LeaseLost(_))));
        queue
    } else {
        drop(held);
        drop(queue);
        broken(&path);
        Queue::open(&path, clock.clone()).expect("a new one")
    };
    let bench = Bench {
        folder,
        clock,
        queue,
    };
    bench.add("after");
    bench.lease().expect("a task").complete().expect("done");
    assert_eq!(
        bench
            .queue
            .task(anamne_jobs::TaskId(1))
            .expect("the task")
            .key,
        "after"
    );
    assert_eq!(bench.other().unfinished(9).expect("a list"), []);
}

fn overwrite(path: &Path, content: &[u8]) {
    fs::write(path, content).expect("written");
}

/// Deletes the WAL and the shared-memory file, which hold changes that are not in the database yet.
fn without_log(path: &Path) {
    for ending in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = fs::remove_file(name);
    }
}

#[test]
fn a_file_that_is_no_database_is_set_aside() {
    check(
        |path| {
            without_log(path);
            overwrite(path, &b"no database at all, ".repeat(1_000));
        },
        false,
    );
}

#[test]
fn another_database_is_set_aside() {
    check(
        |path| {
            without_log(path);
            fs::remove_file(path).expect("removed");
            let other = Connection::open(path).expect("a database");
            other
                .execute_batch("CREATE TABLE tasks (id); PRAGMA user_version = 7;")
                .expect("made");
        },
        false,
    );
}

#[test]
fn a_file_without_one_of_its_tables_is_set_aside() {
    let drop_table = |path: &Path| {
        let other = Connection::open(path).expect("a database");
        other.execute_batch("DROP TABLE tasks").expect("dropped");
    };
    check(drop_table, false);
    check(drop_table, true);
}

#[test]
fn an_emptied_file_is_recreated() {
    check(
        |path| {
            without_log(path);
            overwrite(path, b"");
        },
        false,
    );
}

#[test]
fn a_deleted_file_is_recreated_even_while_in_use() {
    let delete = |path: &Path| fs::remove_file(path).expect("removed");
    check(delete, false);
    check(delete, true);
    let delete_all = |path: &Path| {
        without_log(path);
        delete(path);
    };
    check(delete_all, false);
    check(delete_all, true);
}

#[test]
fn a_lease_of_a_deleted_file_ends_no_task_of_the_new_one() {
    let bench = Bench::new();
    bench.add("old");
    let old = bench.lease().expect("the task");
    fs::remove_file(bench.path()).expect("removed");
    bench.add("new");
    let new = bench.lease().expect("the task");
    assert_eq!(new.task().id, old.task().id);
    assert!(matches!(old.complete(), Err(QueueError::LeaseLost(_))));
    new.complete().expect("done");
}

#[test]
fn pages_that_are_overwritten_never_cost_more_than_the_queue() {
    let whole = {
        let bench = Bench::new();
        for number in 0..16 {
            let payload = "x".repeat(3_000).into();
            bench.enqueue(&NewTask::new("k", number.to_string()).payload(payload));
        }
        let connection = Connection::open(bench.path()).expect("a database");
        let cut = "PRAGMA wal_checkpoint(TRUNCATE)";
        connection
            .query_row(cut, [], |_| Ok(()))
            .expect("written back");
        fs::read(bench.path()).expect("the file")
    };
    let pages = whole.len() / 4_096;
    assert!(pages > 20, "{pages} pages");
    let mut replaced = 0;
    for page in 0..pages {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = SetClock::at("2026-03-04T12:00:00Z");
        let path = folder.path().join("tasks.db");
        let mut content = whole.clone();
        content[page * 4_096..][..4_096].fill(0xA5);
        overwrite(&path, &content);
        let queue = Queue::open(&path, clock.clone()).expect("opened, or made anew");
        let bench = Bench {
            folder,
            clock,
            queue,
        };
        bench.queue.report().expect("a report");
        bench.add("after");
        let mut seen = 0;
        while let Some(lease) = bench.lease() {
            // Damage that is noticed only now loses the task and its lease.
            if let Err(error) = lease.complete() {
                assert!(
                    matches!(error, QueueError::LeaseLost(_)),
                    "page {page}: {error}"
                );
            }
            seen += 1;
            assert!(seen <= 17, "page {page}");
        }
        bench.add("at last");
        let lease = bench.lease().expect("a task");
        assert_eq!(lease.task().key, "at last", "page {page}");
        lease.complete().expect("done");
        replaced += usize::from(!set_aside(&bench).is_empty());
    }
    assert!(replaced > 0, "no damage was noticed");
}

#[test]
fn a_purge_leaves_nothing_of_what_was_said() {
    let bench = Bench::new();
    let secret = "the password is bellwether";
    bench.add("done");
    bench.lease().expect("a task").fail(secret).expect("failed");
    bench.clock.advance(3_600);
    bench.lease().expect("a task").complete().expect("done");
    bench.add("dead");
    bench.kill(secret);
    let waiting = bench.add("waiting");
    bench
        .lease()
        .expect("a task")
        .postpone(bench.clock_in(60), secret)
        .expect("postponed");
    let found = || {
        let names = fs::read_dir(bench.folder.path()).expect("a folder");
        let mut contents =
            names.map(|entry| fs::read(entry.expect("an entry").path()).expect("a file"));
        contents.any(|content| content.windows(10).any(|window| window == b"bellwether"))
    };
    assert!(found());
    bench.queue.purge().expect("purged");
    assert!(!found());
    let left = bench.queue.unfinished(9).expect("a list");
    assert_eq!((left.len(), left[0].id), (1, waiting));
    assert_eq!(bench.queue.dead_letters().expect("a list"), []);
}
