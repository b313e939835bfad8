//! Several processes that write and recall on one store.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::Serialize;

use super::space::{open, rare_word};
use super::worker;
use crate::failure::Failure;

/// The result of a crowd.
#[derive(Debug, Default, Serialize)]
pub(super) struct CrowdResult {
    processes: usize,
    writes: usize,
    recalls: usize,
    /// Acknowledged writes that another process's next recall did not find.
    missed: usize,
    /// Processes that ended with an error.
    errors: usize,
    /// Acknowledged writes that are missing at the end.
    lost: usize,
    slowest_call_ms: f64,
    journal_problems: Vec<String>,
    seconds: f64,
}

impl CrowdResult {
    /// Whether nothing was missed or lost, no process failed, no call took a second or more, and the journal verifies.
    pub(super) fn kept(&self) -> bool {
        self.missed + self.errors + self.lost == 0
            && self.slowest_call_ms < 1_000.0
            && self.journal_problems.is_empty()
    }
}

pub(super) fn run(store: &Path, processes: usize, writes: usize) -> Result<CrowdResult, Failure> {
    let started = Instant::now();
    let program = std::env::current_exe()?;
    let mut workers = Vec::new();
    for number in 0..processes {
        let mut command = Command::new(&program);
        command.arg("torture-worker").arg("--store").arg(store);
        for (name, value) in [
            ("--number", number),
            ("--processes", processes),
            ("--writes", writes),
        ] {
            command.arg(name).arg(value.to_string());
        }
        workers.push(command.stdout(Stdio::piped()).spawn()?);
    }
    let mut crowd = CrowdResult {
        processes,
        ..CrowdResult::default()
    };
    for worker in workers {
        let output = worker.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let figures: Vec<f64> = text
            .split_whitespace()
            .filter_map(|figure| figure.parse().ok())
            .collect();
        match (output.status.success(), figures[..].as_ref()) {
            (true, &[written, recalls, missed, slowest]) => {
                crowd.writes += written as usize;
                crowd.recalls += recalls as usize;
                crowd.missed += missed as usize;
                crowd.slowest_call_ms = crowd.slowest_call_ms.max(slowest);
            }
            _ => crowd.errors += 1,
        }
    }
    let space = open(store)?;
    for process in 0..processes {
        for write in 0..writes {
            crowd.lost += usize::from(!worker::finds(&space, &rare_word(process, write))?);
        }
    }
    crowd.journal_problems = space.verify_journal()?.problems;
    crowd.seconds = started.elapsed().as_secs_f64();
    Ok(crowd)
}

impl fmt::Display for CrowdResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            processes,
            writes,
            recalls,
            missed,
            errors,
            lost,
            slowest_call_ms,
            journal_problems,
            seconds,
        } = self;
        write!(
            formatter,
            "{processes} processes, {writes} writes, {recalls} recalls of others' writes in {seconds:.1} s: {missed} missed, {lost} lost, \
             {errors} processes failed, slowest call {slowest_call_ms:.1} ms, journal problems: {}",
            journal_problems.len()
        )
    }
}
