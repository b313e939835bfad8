//! Every task takes effect exactly once, with any number of workers and kills.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne_jobs::{
    Activity, Handlers, Level, NewTask, Queue, Runner, Settings, Task, TaskContext, TaskError,
    TaskId,
};
use rusqlite::{Connection, TransactionBehavior};

use crate::bench::{Bench, SetClock};

#[test]
fn threads_with_handles_of_their_own_share_the_work() {
    let bench = Bench::new();
    for number in 0..120 {
        bench.add(&format!("task {number}"));
    }
    let work = |queue: Queue| {
        let mut done = Vec::new();
        while let Some(lease) = queue.lease("w", &["k"], Level::Asleep).expect("no error") {
            done.push(lease.task().id);
            lease.complete().expect("done");
        }
        done
    };
    let mut done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let queue = bench.other();
                scope.spawn(move || work(queue))
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    done.sort_unstable();
    assert_eq!(done, (1..=120).map(TaskId).collect::<Vec<_>>());
}

/// Environment variables that configure the worker process.
const FOLDER: &str = "ANAMNE_QUEUE_TEST_FOLDER";
const NOW: &str = "ANAMNE_QUEUE_TEST_NOW";
const WAITS: &str = "ANAMNE_QUEUE_TEST_WAITS";

/// Number of kill rounds, and tasks queued per round.
const ROUNDS: usize = 32;
const TASKS_A_ROUND: usize = 16;
const TASKS: usize = ROUNDS * TASKS_A_ROUND;

fn settings() -> Settings {
    Settings {
        lease: Duration::from_mins(1),
        max_attempts: u32::MAX,
        finished_kept: 1_000,
        ..Settings::default()
    }
}

#[test]
fn every_task_takes_effect_once_though_workers_are_killed_over_and_over() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return work(Path::new(&folder));
    }
    let bench = Bench::with(settings());
    let outside = bench.folder.path().join("outside.db");
    Connection::open(&outside)
        .and_then(|outside| outside.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE effects (id INTEGER PRIMARY KEY); CREATE TABLE total (n INTEGER); INSERT INTO total VALUES (0);"))
        .expect("made");
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut kills = 0;
    for round in 0..ROUNDS {
        for number in round * TASKS_A_ROUND..(round + 1) * TASKS_A_ROUND {
            let task = NewTask::new("outside", number.to_string());
            bench.queue.enqueue(&task).expect("queued");
        }
        // In every other round they are killed between two steps, else at any point.
        let waits = round % 2 == 0;
        for mut worker in [Worker::start(&bench, waits), Worker::start(&bench, waits)] {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            worker.follow(random as usize % 10 + 1);
            // Somewhere in the half millisecond after that step: the point of the kill varies, the expectation does
            // not.
            let instant = Instant::now() + Duration::from_nanos(random >> 20 & 0x7_ffff);
            while !waits && Instant::now() < instant {
                std::hint::spin_loop();
            }
            kills += usize::from(worker.kill());
        }
        // The leases of killed workers have expired.
        bench.clock.advance(3_600);
    }
    let mut last = Worker::start(&bench, false);
    last.follow(usize::MAX);
    last.kill();
    assert_eq!(bench.queue.unfinished(9).expect("a list"), []);
    assert!(kills > 0, "nobody was killed");
    let begun_again = attempts(&bench);
    assert!(begun_again > 0, "no task was begun twice");
    let outside = Connection::open(&outside).expect("a database");
    let total: u32 = outside
        .query_row("SELECT n FROM total", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(total as usize, TASKS, "effects elsewhere");
}

/// Number of tasks that were started more than once.
fn attempts(bench: &Bench) -> usize {
    let tasks = (1..=TASKS as u64).map(|id| bench.queue.task(TaskId(id)).expect("it is kept"));
    tasks.filter(|task| task.attempts > 1).count()
}

/// A worker process that prints each step.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    waits: bool,
}

impl Worker {
    fn start(bench: &Bench, waits: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let test = "crash::every_task_takes_effect_once_though_workers_are_killed_over_and_over";
        let mut child = command
            .args([test, "--exact", "--nocapture"])
            .env(FOLDER, bench.folder.path())
            .env(NOW, bench.clock_in(0).to_string())
            .env(WAITS, if waits { "yes" } else { "no" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        Self {
            stdin: child.stdin.take().expect("a pipe"),
            lines: BufReader::new(child.stdout.take().expect("a pipe")).lines(),
            child,
            waits,
        }
    }

    /// Waits until it has done this many steps, or ended.
    fn follow(&mut self, steps: usize) {
        let mut done = 0;
        for line in self.lines.by_ref() {
            let line = line.expect("text");
            // The test harness may have written the start of the line.
            let Some((_, step)) = line.split_once("step: ") else {
                continue;
            };
            done += 1;
            if step == "idle" || done == steps {
                return;
            }
            if self.waits {
                self.stdin.write_all(b"go on\n").expect("it waits");
            }
        }
    }

    /// Kills it; returns whether it was still running.
    fn kill(mut self) -> bool {
        self.child.kill().expect("killed");
        let ended = self.child.wait().expect("ended");
        assert_ne!(ended.code(), Some(101), "it panicked");
        !ended.success()
    }
}

/// The code of the worker process.
fn work(folder: &Path) {
    let clock = SetClock::at(&std::env::var(NOW).expect("an instant"));
    let waits = std::env::var(WAITS).as_deref() == Ok("yes");
    let step = move |name: &str| {
        writeln!(std::io::stdout(), "step: {name}").expect("it is read");
        if waits {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).expect("a line");
        }
    };
    let path = folder.join("tasks.db");
    let queue = Queue::open_with(&path, clock.clone(), settings()).expect("a queue");
    let database = Connection::open(folder.join("outside.db")).expect("a database");
    database.busy_timeout(Duration::from_mins(1)).expect("set");
    let outside = Outside {
        database: RefCell::new(database),
        step,
    };
    let activity = Arc::new(Activity::new(clock));
    let runner = Runner::new(queue, outside, activity, "runner").at_any_level();
    while runner.run_next().expect("no error").is_some() {
        step("completed");
    }
    step("idle");
}

/// A handler whose effect is in another database, committed together with the task's id.
struct Outside<Step> {
    database: RefCell<Connection>,
    step: Step,
}

impl<Step: Fn(&str)> Handlers for Outside<Step> {
    fn kinds(&self) -> Vec<&str> {
        vec!["outside"]
    }

    fn run(&self, task: &Task, _: &mut TaskContext<'_>) -> Result<(), TaskError> {
        (self.step)("begun");
        let mut database = self.database.borrow_mut();
        let transaction = database
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(TaskError::failed)?;
        let record = "INSERT INTO effects (id) VALUES (?1) ON CONFLICT DO NOTHING";
        let is_new = transaction
            .execute(record, [task.id.0 as i64])
            .map_err(TaskError::failed)?
            > 0;
        if is_new {
            transaction
                .execute("UPDATE total SET n = n + 1", [])
                .map_err(TaskError::failed)?;
        }
        transaction.commit().map_err(TaskError::failed)?;
        (self.step)("effect");
        Ok(())
    }
}
