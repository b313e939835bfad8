//! Durable writes of many threads at once, next to one thread, and of one thread while another imports.

use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anamne::{Draft, Space};

use super::budgets;
use super::figures::{Figure, Section, Timed};
use super::site::Site;
use crate::failure::Failure;
use crate::generator::Record;
use crate::latencies::Latencies;
use crate::store::BATCH;

/// Numbers of threads that write at the same time; one thread is the reference.
const THREADS: [usize; 4] = [2, 4, 8, 64];

/// The number of threads with a budget.
const PROMISED: usize = 64;

/// Each number of threads takes its turn this often, so that all meet the same disturbances.
const ROUNDS: u64 = 5;

/// Writes as many records with one thread and with several, in turn.
pub(crate) fn measure(
    records: u64,
    writes: u64,
    parent: Option<&Path>,
) -> Result<Section, Failure> {
    let site = Site::new(records, parent)?;
    let space = site.open()?;
    site.for_each_batch(|_, records| {
        let drafts: Vec<Draft> = records.iter().map(Record::draft).collect();
        space
            .remember_each(&drafts)?
            .into_iter()
            .try_for_each(|stored| stored.map(drop))?;
        Ok(())
    })?;
    let crowd = Crowd {
        site: &site,
        space: &space,
        next: AtomicU64::new(records),
    };
    crowd.write(1, writes.min(50))?;
    let mut one = Rate::default();
    let mut several = THREADS.map(|threads| (threads, Rate::default()));
    for _ in 0..ROUNDS {
        one.add(crowd.write(1, writes)?);
        for (threads, rate) in &mut several {
            rate.add(crowd.write(*threads, writes)?);
        }
    }
    let beside_import = crowd.write_beside_an_import(writes)?;
    let alone = Timed::new("one", "one thread", &one.latencies);
    let mut figures = vec![
        Figure::rate("one_per_second", "one thread", one.per_second()),
        alone.p50(),
        alone.p95(),
    ];
    for (threads, rate) in &several {
        let (key, label) = (format!("threads_{threads}"), format!("{threads} threads"));
        let figure = Figure::rate(&format!("{key}_per_second"), &label, rate.per_second()).beside(
            "one_per_second",
            "one thread",
            one.per_second(),
        );
        let budget = (*threads == PROMISED).then_some(budgets::MANY_WRITERS);
        figures.push(figure.promised(budget));
        let timed = Timed::new(&key, &label, &rate.latencies);
        figures.extend([timed.p50_beside(alone), timed.p95_beside(alone)]);
    }
    let beside = Timed::new("import", "one thread while another imports", &beside_import);
    figures.extend([beside.p50_beside(alone), beside.p95_beside(alone)]);
    Ok(Section::new("writers", figures))
}

/// What some threads wrote, and in what time.
#[derive(Default)]
struct Rate {
    writes: u64,
    took: Duration,
    latencies: Latencies,
}

impl Rate {
    fn add(&mut self, other: Self) {
        self.writes += other.writes;
        self.took += other.took;
        self.latencies.extend(other.latencies);
    }

    fn per_second(&self) -> f64 {
        self.writes as f64 / self.took.as_secs_f64()
    }
}

/// Threads that write to one space.
struct Crowd<'run> {
    site: &'run Site,
    space: &'run Space,
    /// The number of the next record.
    next: AtomicU64,
}

impl Crowd<'_> {
    /// Writes `writes` records, the same number with each thread, each waiting for its answer before the next.
    fn write(&self, threads: usize, writes: u64) -> Result<Rate, Failure> {
        let each = writes.div_ceil(threads as u64);
        let start = Barrier::new(threads + 1);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        let drafts = self.drafts(each);
                        start.wait();
                        self.remember(drafts)
                    })
                })
                .collect();
            start.wait();
            let started = Instant::now();
            let mut rate = Rate::default();
            for writer in writers {
                let written = writer.join().expect("no writer panics");
                rate.latencies.extend(written.map_err(Failure::from)?);
            }
            rate.took = started.elapsed();
            rate.writes = each * threads as u64;
            Ok(rate)
        })
    }

    /// Writes single records while another thread imports batches.
    fn write_beside_an_import(&self, writes: u64) -> Result<Latencies, Failure> {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let importer = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let batch = self.drafts(BATCH as u64);
                    self.space
                        .remember_each(&batch)
                        .map_err(|error| error.to_string())?;
                }
                Ok(())
            });
            let written = self.remember(self.drafts(writes.min(500)));
            done.store(true, Ordering::Relaxed);
            let imported: Result<(), String> = importer.join().expect("no importer panics");
            imported.map_err(Failure::from)?;
            written.map_err(Failure::from)
        })
    }

    fn remember(&self, drafts: Vec<Draft>) -> Result<Latencies, String> {
        let mut latencies = Latencies::default();
        for draft in drafts {
            let stored = latencies.time(|| self.space.remember(draft));
            if stored.map_err(|error| error.to_string())?.duplicate {
                return Err("a generated record was taken for a duplicate".to_owned());
            }
        }
        Ok(latencies)
    }

    /// The next generated records.
    fn drafts(&self, count: u64) -> Vec<Draft> {
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        let records = self.site.generator.records(first..first + count);
        records.iter().map(Record::draft).collect()
    }
}
