//! Opening a store in a new process: time to the first answer, and memory use.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::budgets;
use super::figures::{Figure, Section};
use super::peers::Peers;
use super::probe::{FirstAnswer, ManyAnswers};
use super::site::Site;
use crate::failure::Failure;
use crate::latencies::Latencies;

/// Number of processes; figures are medians.
const RUNS: u64 = 5;

/// Total number of questions per process.
const QUESTIONS: u64 = 200;

/// The figures of both measurements.
pub(crate) struct OpeningFigures {
    pub(crate) open: Section,
    pub(crate) memory: Section,
}

/// The report of one process.
pub(crate) struct ProcessReport {
    pub(crate) first: FirstAnswer,
    many: ManyAnswers,
    /// Milliseconds from process start to the first answer.
    from_exec_ms: f64,
}

/// Starts processes on the store, one after another. The files are in the page cache.
pub(crate) fn measure(site: &Site, peers: &Peers) -> Result<OpeningFigures, Failure> {
    let questions = site.generator.questions(QUESTIONS + RUNS);
    let (many, firsts) = questions.split_at(QUESTIONS as usize - 1);
    let (mut opened, mut answered) = (Latencies::default(), Latencies::default());
    let (mut from_exec, mut tantivy) = (Latencies::default(), Latencies::default());
    let mut stored = Vec::new();
    for first in &firsts[..RUNS as usize] {
        let one = start(&site.store(), false, first, many)?;
        opened.note(one.first.opened_ms);
        answered.note(one.first.answered_ms);
        from_exec.note(one.from_exec_ms);
        tantivy.time(|| peers.tantivy.open_and_ask(first))?;
        stored.push(one);
    }
    let open = vec![
        Figure::ms("first_answer_ms", "open and answer", answered.p50())
            .beside(
                "tantivy_first_answer_ms",
                "bare tantivy, the same",
                tantivy.p50(),
            )
            .promised(budgets::OPEN),
        Figure::ms("from_exec_ms", "from exec to first answer", from_exec.p50()),
        Figure::ms("open_ms", "open alone", opened.p50()),
    ];
    Ok(OpeningFigures {
        open: Section::new("open", open),
        memory: memory(site, &stored),
    })
}

/// Starts a process that opens the store and answers one question, then many; with `hot`, the store spans three years
/// and the questions are about its last month.
pub(crate) fn start(
    store: &Path,
    hot: bool,
    first: &str,
    many: &[String],
) -> Result<ProcessReport, Failure> {
    let started = Instant::now();
    let mut child = Command::new(std::env::current_exe()?)
        .args(["probe", "--query", first, "--store"])
        .arg(store)
        .args(hot.then_some("--hot"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut questions = child.stdin.take().ok_or(NO_PIPE)?;
    let mut answers = BufReader::new(child.stdout.take().ok_or(NO_PIPE)?);
    let mut line = String::new();
    answers.read_line(&mut line)?;
    let from_exec_ms = started.elapsed().as_secs_f64() * 1_000.0;
    if line.is_empty() {
        child.wait()?;
        return Err("the process that opens the store failed".into());
    }
    let first = serde_json::from_str(&line)?;
    for question in many {
        writeln!(questions, "{question}")?;
    }
    drop(questions);
    line.clear();
    answers.read_line(&mut line)?;
    if !child.wait()?.success() {
        return Err("the process that asks the store failed".into());
    }
    Ok(ProcessReport {
        first,
        many: serde_json::from_str(&line)?,
        from_exec_ms,
    })
}

const NO_PIPE: &str = "the process has no standard input or output";

fn memory(site: &Site, stored: &[ProcessReport]) -> Section {
    let median = |bytes: fn(&ProcessReport) -> Option<u64>| median(stored.iter().filter_map(bytes));
    let idle = median(|stored| stored.first.idle_bytes);
    let first = median(|stored| stored.first.first_bytes);
    let many = median(|stored| stored.many.bytes);
    let (Some(idle), Some(first), Some(many)) = (idle, first, many) else {
        return Section::skipped("memory", "this system does not tell anonymous memory apart");
    };
    let answers = stored.last().map_or(0, |stored| stored.many.questions);
    Section::new(
        "memory",
        vec![
            Figure::mb("many_mb", &format!("after {answers} answers"), many)
                .beside(
                    "vectors_mb",
                    "one f32 vector a record",
                    site.records as f64 * 1024.0 / 1e6,
                )
                .promised(budgets::memory(site.records)),
            Figure::mb("first_mb", "after the first answer", first)
                .promised(budgets::memory(site.records)),
            Figure::mb("idle_mb", "idle: open, asked nothing", idle).promised(budgets::IDLE_MEMORY),
        ],
    )
}

/// The median of byte counts; `None` if there are none.
pub(crate) fn median(bytes: impl Iterator<Item = u64>) -> Option<f64> {
    let mut all: Vec<u64> = bytes.collect();
    all.sort_unstable();
    all.get(all.len() / 2).map(|&bytes| bytes as f64)
}
