//! A store of three years, mostly archives: how its age affects a question about last week.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anamne::{Recall, Space, Temperature};

use super::budgets;
use super::figures::{Budget, Figure, Section, Timed};
use super::opening::{median, start};
use crate::failure::Failure;
use crate::generator::Generator;
use crate::latencies::Latencies;
use crate::store::{THREE_YEARS, ask, open_at_the_end, temporary_folder, time_of, write};

/// Age in days up to which memories stay in the active tier.
const ACTIVE_DAYS: f64 = 30.0;

/// Number of processes started to measure opening.
const RUNS: usize = 5;

/// Number of warm-up questions.
const WARM_UP: usize = 20;

/// A store of the records with these numbers, written at the end of the time span.
struct AgedTiers {
    folder: PathBuf,
    generator: Generator,
    records: u64,
}

impl AgedTiers {
    fn open(&self) -> Result<Space, Failure> {
        open_at_the_end(&self.folder)
    }

    /// The first record that stays in the active tier.
    fn first_active(&self) -> u64 {
        self.records - (self.records as f64 * ACTIVE_DAYS / THREE_YEARS) as u64
    }

    fn fill(&self, numbers: std::ops::Range<u64>) -> Result<(), Failure> {
        let space = self.open()?;
        let draft = |number| {
            let draft = self.generator.record(number).draft();
            draft.occurred_at(time_of(number, self.records, THREE_YEARS))
        };
        write(&space, numbers.map(draft))?;
        space.fold()?;
        space.settle(&mut |_, _| {})?;
        Ok(())
    }
}

/// Measures a store of this many records over three years, next to one that holds only its last month, and an empty
/// one.
pub(crate) fn measure(
    records: u64,
    queries: u64,
    parent: Option<&Path>,
) -> Result<Section, Failure> {
    let folder = temporary_folder(parent)?;
    let store = |name: &str| AgedTiers {
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
    let asked = |store: &AgedTiers, numbers: std::ops::Range<u64>, temperature| {
        let questions: Vec<String> = (0..queries)
            .map(|number| {
                let about = numbers.start + number * (numbers.end - numbers.start) / queries;
                store.generator.question_about(about, number)
            })
            .collect();
        let space = store.open()?;
        Latencies::warmed(&questions, WARM_UP, |question| {
            ask(&space, &Recall::new(question).temperature(temperature)).map(drop)
        })
    };
    let hot = asked(&years, first..records, Temperature::Hot)?;
    let bare = asked(&month, first..records, Temperature::Hot)?;
    let all = asked(&years, 0..records, Temperature::All)?;
    let question = years.generator.question_about(records - 1, 0);
    let (opened, memory) = open_processes(&years, &question)?;
    let (opened_empty, _) = open_processes(&empty, &question)?;
    let hot = Timed::new("hot", "recall, hot", &hot);
    let month = Timed::new("month", "a store of that month alone", &bare);
    let all = Timed::new("all", "recall, all tiers", &all);
    let mut figures = vec![
        hot.p95_beside(month).promised(Budget::RatioAtMost(1.2)),
        hot.p50_beside(month),
        all.p95().promised(budgets::recall(records)),
        all.p50(),
        Figure::ms("open_ms", "open", opened).beside(
            "empty_open_ms",
            "an empty store",
            opened_empty,
        ),
        Figure::rate(
            "moved_per_s",
            "moved to colder tiers, indexed there",
            moves.memories as f64 / moves.took.as_secs_f64(),
        ),
        Figure::ms(
            "longest_wait_ms",
            "a writer waited at most",
            moves.longest_wait_ms,
        )
        .promised(Budget::AtMost(50.0)),
    ];
    if let Some(bytes) = memory {
        let figure = Figure::mb("hot_mb", "memory, hot alone", bytes);
        figures.push(figure.promised(Budget::AtMost(60.0)));
    }
    Ok(Section::new("tiers", figures))
}

/// The result of moving everything that has aged.
struct Moves {
    memories: u64,
    took: Duration,
    longest_wait_ms: f64,
}

impl Moves {
    fn of(store: &AgedTiers) -> Result<Self, Failure> {
        let space = store.open()?;
        let started = Instant::now();
        let moved = space.age(&mut |_, _| {})?;
        space.fold()?;
        let took = started.elapsed();
        if moved.memories < store.first_active() / 2 {
            return Err(format!("only {} memories moved", moved.memories).into());
        }
        Ok(Self {
            memories: moved.memories,
            took,
            longest_wait_ms: moved.longest_wait_ms,
        })
    }
}

/// Medians: milliseconds until a new process has opened the store, and its anonymous bytes after a hot query.
fn open_processes(store: &AgedTiers, question: &str) -> Result<(f64, Option<f64>), Failure> {
    let mut opened = Latencies::default();
    let mut memory = Vec::new();
    for _ in 0..RUNS {
        let first = start(&store.folder, true, question, &[])?.first;
        opened.note(first.opened_ms);
        memory.extend(first.first_bytes);
    }
    Ok((opened.p50(), median(memory.into_iter())))
}
