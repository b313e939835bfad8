//! The engine's side of the comparison with a server: a store, recalls and durable writes of one thread.
//!
//! `tools/load/served.py` runs it, then sends the same questions and records to `anamne serve` on the same machine.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anamne::Recall;
use serde_json::json;

use crate::failure::Failure;
use crate::generator::{Generator, Record};
use crate::latencies::Latencies;
use crate::output;
use crate::store::{self, BATCH};

/// About the time that a client takes between two questions.
const PAUSE: Duration = Duration::from_micros(300);

/// What to prepare and measure.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder for the store and the requests; must not exist.
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Number of memories in the store.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    records: u64,
    /// Number of questions, and of records written individually.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(10..=100_000))]
    queries: u64,
}

/// Fills a store, measures the engine with it, writes requests for the server, and prints JSON.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    fs::create_dir(&arguments.folder)?;
    let generator = Generator::new(arguments.records);
    let place = arguments.folder.join("store");
    let space = store::open(&place)?;
    for start in (0..arguments.records).step_by(BATCH) {
        let end = (start + BATCH as u64).min(arguments.records);
        let records = generator.records(start..end);
        let drafts: Vec<_> = records.iter().map(Record::draft).collect();
        for outcome in space.remember_each(&drafts)? {
            outcome?;
        }
    }
    space.fold()?;
    space.settle(&mut |_, _| {})?;
    let mut writes = Latencies::default();
    let first = arguments.records;
    for record in generator.records(first..first + arguments.queries) {
        let draft = record.draft();
        writes.time(|| space.remember(draft))?;
    }
    drop(space);

    // The store as the server gets it: with the records written above, opened anew.
    let space = store::open(&place)?;
    let questions = generator.questions(arguments.queries);
    let recalls = Latencies::warmed(&questions, 50, |question| {
        space.recall(&Recall::new(question))?;
        Ok(())
    })?;
    // As a server works for one client: between two questions, the processor does something else.
    let mut paused = Latencies::default();
    for question in &questions {
        std::thread::sleep(PAUSE);
        paused.time(|| space.recall(&Recall::new(question)))?;
    }
    // Records that neither the store nor the writes above have.
    let next = first + arguments.queries;
    let texts: Vec<String> = generator
        .records(next..next + arguments.queries)
        .into_iter()
        .map(|record| record.text)
        .collect();
    let requests = json!({ "questions": questions, "texts": texts });
    let file = arguments.folder.join("requests.json");
    fs::write(file, requests.to_string())?;
    let figures = json!({
        "records": arguments.records,
        "recall_p50_ms": recalls.p50(),
        "recall_p95_ms": recalls.p95(),
        "recalls_per_second": recalls.per_second(),
        "recall_paused_p50_ms": paused.p50(),
        "write_p50_ms": writes.p50(),
        "writes_per_second": writes.per_second(),
    });
    output::line(&figures.to_string());
    Ok(ExitCode::SUCCESS)
}
