//! Extraction: its throughput for a conversation, its effect on recall latency, and whether it is reproducible.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anamne::{Draft, Options, Recall, Space, Store};
use jiff::SignedDuration;

use super::budgets;
use super::figures::{Figure, Section, Timed};
use super::probe::anonymous_bytes;
use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::knowledge::everything;
use crate::latencies::Latencies;
use crate::store::{self, SPACE, temporary_folder};

/// Duration of the baseline queries before the extraction.
const BEFORE: Duration = Duration::from_secs(4);

/// Writes the bundled conversation repeatedly until the space holds this many messages, each time some months later and
/// in separate threads, then extracts it while questions are asked.
pub(crate) fn measure(messages: u64, folder: Option<&Path>) -> Result<Section, Failure> {
    let place = temporary_folder(folder)?;
    let questions = fill(place.path(), messages)?;
    let store = Store::open_with(Options::new(place.path()).background(true))?;
    let space = store.space(SPACE)?;
    let started = Instant::now();
    let before = ask_while(&space, &questions, || started.elapsed() < BEFORE)?;
    let memory_before = anonymous_bytes("self").unwrap_or(0);
    let extracted = extract(&space, &questions)?;
    let before = Timed::new("recall_before", "before", &before);
    let meanwhile = Timed::new("recall", "recall meanwhile", &extracted.latencies);
    let mut figures = vec![
        Figure::rate(
            "messages_per_second",
            "messages extracted while questions are asked",
            messages as f64 / extracted.seconds,
        )
        .promised(budgets::EXTRACT),
        meanwhile
            .p95_beside(before)
            .promised(budgets::RECALL_WHILE_EXTRACTING),
        meanwhile.p50_beside(before),
        Figure::mb(
            "memory_mb",
            "memory that it adds, at most",
            extracted.peak.saturating_sub(memory_before) as f64,
        )
        .promised(budgets::EXTRACTION_MEMORY),
    ];
    let first = everything(&space)?;
    let started = Instant::now();
    space.extract_again(&mut |_| true)?;
    figures.push(Figure::rate(
        "alone_per_second",
        "messages extracted again, alone",
        messages as f64 / started.elapsed().as_secs_f64(),
    ));
    if everything(&space)? != first {
        return Err("the graph that was extracted again is another one".into());
    }
    Ok(Section::new("extract", figures))
}

/// Fills the store; returns questions about it.
fn fill(folder: &Path, messages: u64) -> Result<Vec<String>, Failure> {
    let corpus = Corpus::bundled()?;
    let space = store::open(folder)?;
    let draft = |number: u64| {
        let length = corpus.records.len();
        let (round, place) = (number as usize / length, number as usize % length);
        let record = &corpus.records[place];
        // An identical text would be a duplicate.
        let mut draft = Draft::new(format!("{} ({round})", record.text))
            .thread(format!("{} {round}", record.thread))
            .author(&record.author);
        draft.position = Some(record.position);
        let later = SignedDuration::from_hours(24 * 150 * round as i64 / 26);
        draft.occurred_at = record.time.map(|time| time + later);
        draft
    };
    store::write(&space, (0..messages).map(draft))?;
    space.settle(&mut |_, _| {})?;
    let asked = corpus.queries.iter().map(|query| query.text.clone());
    let said = corpus.records.iter().step_by(9);
    let words = said.map(|record| record.text.split(' ').take(8).collect::<Vec<_>>().join(" "));
    Ok(asked.chain(words).collect())
}

struct Extraction {
    seconds: f64,
    latencies: Latencies,
    peak: u64,
}

/// Extracts in the background while this thread asks questions.
fn extract(space: &Space, questions: &[String]) -> Result<Extraction, Failure> {
    let (done, peak) = (AtomicBool::new(false), AtomicU64::new(0));
    let started = Instant::now();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(anonymous_bytes("self").unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let extractor = scope.spawn(|| {
            let extracted = space.extract_in_background();
            let seconds = started.elapsed().as_secs_f64();
            done.store(true, Ordering::Relaxed);
            extracted.map(|_| seconds)
        });
        let latencies = ask_while(space, questions, || !done.load(Ordering::Relaxed));
        watcher.join().expect("the watcher does not panic");
        let seconds = extractor.join().expect("the extractor does not panic")?;
        Ok(Extraction {
            seconds,
            latencies: latencies?,
            peak: peak.load(Ordering::Relaxed),
        })
    })
}

/// Asks the questions repeatedly.
fn ask_while(
    space: &Space,
    questions: &[String],
    go_on: impl Fn() -> bool,
) -> Result<Latencies, Failure> {
    let mut latencies = Latencies::default();
    for question in questions.iter().cycle().take_while(|_| go_on()) {
        latencies.time(|| space.recall(&Recall::new(question)))?;
    }
    Ok(latencies)
}
