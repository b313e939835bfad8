//! A store of three years, most of which lies in archives: what of its age does a question about last week feel?

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne::{Clock, Draft, Options, Recall, Space, Store, Temperature};
use jiff::{SignedDuration, Timestamp};

use super::data::Generator;
use super::figures::{Budget, Figure, Section, Unit};
use super::latencies::Latencies;
use super::probe::FirstAnswer;
use super::site::{SPACE, temporary_folder};
use super::{Failure, budgets};

/// Days that the records span.
const SPAN_DAYS: f64 = 1_095.0;

/// Days that stay in the active tier.
const ACTIVE_DAYS: f64 = 30.0;

/// The last instant of the records, in seconds since 1970: the end of 2025.
const END: i64 = 1_767_225_600;

/// Records of one transaction.
const BATCH: u64 = 512;

/// Processes that are started to see what opening costs.
const RUNS: usize = 5;

/// Questions that warm a store up.
const WARM_UP: usize = 20;

/// A clock that stands still.
#[derive(Debug)]
struct StandingClock(Timestamp);

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A store of the records with these numbers, told at the end of the span.
struct Aged {
    folder: PathBuf,
    generator: Generator,
    records: u64,
}

impl Aged {
    fn open(&self) -> Result<Space, Failure> {
        open_at(&self.folder)
    }

    fn draft(&self, number: u64) -> Draft {
        let left = (self.records - 1 - number) as f64 / self.records as f64;
        let age = SignedDuration::from_secs((left * SPAN_DAYS * 86_400.0) as i64);
        self.generator
            .record(number)
            .draft()
            .occurred_at(end() - age)
    }

    /// The first of the records that stay in the active tier.
    fn first_active(&self) -> u64 {
        self.records - (self.records as f64 * ACTIVE_DAYS / SPAN_DAYS) as u64
    }

    fn fill(&self, numbers: std::ops::Range<u64>) -> Result<(), Failure> {
        let space = self.open()?;
        for start in numbers.clone().step_by(BATCH as usize) {
            let batch = start..(start + BATCH).min(numbers.end);
            let drafts: Vec<Draft> = batch.map(|number| self.draft(number)).collect();
            space.remember_all(&drafts)?;
        }
        space.fold()?;
        space.settle(&mut |_, _| {})?;
        Ok(())
    }
}

/// The last instant of the records.
pub(crate) fn end() -> Timestamp {
    Timestamp::from_second(END).expect("an instant of this century")
}

/// Opens a store as of the end of the span, without background work.
pub(crate) fn open_at(folder: &Path) -> Result<Space, Failure> {
    let options = Options {
        clock: Arc::new(StandingClock(end())),
        ..Options::new(folder).background(false)
    };
    Ok(Store::open_with(options)?.space(SPACE)?)
}

/// Measures a store of so many records over three years beside one that holds its last month alone, and an empty one.
pub(crate) fn measure(
    records: u64,
    queries: u64,
    parent: Option<&Path>,
) -> Result<Section, Failure> {
    let folder = temporary_folder(parent)?;
    let store = |name: &str| Aged {
        folder: folder.path().join(name),
        generator: Generator::new(records),
        records,
    };
    let (years, month, empty) = (store("years"), store("month"), store("empty"));
    let first = years.first_active();
    years.fill(0..records)?;
    month.fill(first..records)?;
    drop(empty.open()?);
    let moves = Moves::of(&years)?;
    let ask = |store: &Aged, numbers: std::ops::Range<u64>, temperature| {
        let questions: Vec<String> = (0..queries)
            .map(|number| {
                let about = numbers.start + number * (numbers.end - numbers.start) / queries;
                store.generator.question_about(about, number)
            })
            .collect();
        time(&store.open()?, &questions, temperature)
    };
    let hot = ask(&years, first..records, Temperature::Hot)?;
    let bare = ask(&month, first..records, Temperature::Hot)?;
    let all = ask(&years, 0..records, Temperature::All)?;
    let question = years.generator.question_about(records - 1, 0);
    let (opened, memory) = open_processes(&years, &question)?;
    let (opened_empty, _) = open_processes(&empty, &question)?;
    let ms = |key: &str, label: &str, value| Figure::new(key, label, value, Unit::Milliseconds);
    let mut figures = vec![
        ms("hot_p95_ms", "recall, hot, p95", hot.p95())
            .beside("month_p95_ms", "a store of that month alone", bare.p95())
            .promised(Budget::RatioAtMost(1.2)),
        ms("hot_p50_ms", "recall, hot, p50", hot.p50()).beside(
            "month_p50_ms",
            "a store of that month alone",
            bare.p50(),
        ),
        ms("all_p95_ms", "recall, all tiers, p95", all.p95()).promised(budgets::recall(records)),
        ms("all_p50_ms", "recall, all tiers, p50", all.p50()),
        ms("open_ms", "open", opened).beside("empty_open_ms", "an empty store", opened_empty),
        Figure::new(
            "moved_per_s",
            "moved to colder tiers, indexed there",
            moves.memories as f64 / moves.took.as_secs_f64(),
            Unit::RecordsPerSecond,
        ),
        ms(
            "longest_wait_ms",
            "a writer waited at most",
            moves.longest_wait_ms,
        )
        .promised(Budget::AtMost(50.0)),
    ];
    if let Some(bytes) = memory {
        let figure = Figure::new("hot_mb", "memory, hot alone", bytes / 1e6, Unit::Megabytes);
        figures.push(figure.promised(Budget::AtMost(60.0)));
    }
    Ok(Section::new("tiers", figures))
}

/// What moving everything that has aged came to.
struct Moves {
    memories: u64,
    took: Duration,
    longest_wait_ms: f64,
}

impl Moves {
    fn of(store: &Aged) -> Result<Self, Failure> {
        let space = store.open()?;
        let started = Instant::now();
        let moved = space.age(&mut |_, _| {})?;
        space.fold()?;
        let took = started.elapsed();
        if moved.memories < store.first_active() / 2 {
            return Err(Failure::new(format!(
                "only {} memories moved",
                moved.memories
            )));
        }
        Ok(Self {
            memories: moved.memories,
            took,
            longest_wait_ms: moved.longest_wait_ms,
        })
    }
}

fn time(
    space: &Space,
    questions: &[String],
    temperature: Temperature,
) -> Result<Latencies, Failure> {
    let ask = |question: &str| -> Result<(), Failure> {
        let answer = space.recall(&Recall::new(question).temperature(temperature))?;
        if answer.results.is_empty() || !answer.degraded.is_empty() {
            return Err(Failure::new(format!(
                "{question:?} has no full answer (degraded: {:?})",
                answer.degraded
            )));
        }
        Ok(())
    };
    for question in questions.iter().take(WARM_UP) {
        ask(question)?;
    }
    let mut latencies = Latencies::default();
    for question in questions {
        latencies.time(|| ask(question))?;
    }
    Ok(latencies)
}

/// Milliseconds that a new process takes to open the store, and its anonymous bytes after a hot question, medians.
fn open_processes(store: &Aged, question: &str) -> Result<(f64, Option<f64>), Failure> {
    let mut opened = Latencies::default();
    let mut memory = Vec::new();
    for _ in 0..RUNS {
        let output = Command::new(std::env::current_exe()?)
            .args(["probe", "--hot", "--query", question, "--store"])
            .arg(&store.folder)
            .output()?;
        let line = String::from_utf8_lossy(&output.stdout);
        let first: FirstAnswer = match line.lines().next() {
            Some(line) if output.status.success() => serde_json::from_str(line)?,
            _ => return Err(Failure::new("the process that opens the store failed")),
        };
        opened.note(first.opened_ms);
        memory.extend(first.first_bytes);
    }
    memory.sort_unstable();
    Ok((
        opened.p50(),
        memory.get(RUNS / 2).map(|&bytes| bytes as f64),
    ))
}
