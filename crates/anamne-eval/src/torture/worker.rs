//! A process of a crowd: it writes, publishes its acknowledged writes, and recalls the last write of another process.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anamne::{Draft, Recall, Space};

use super::space::{open, rare_word};
use crate::failure::Failure;
use crate::output;

/// The index of the process, and their number.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
    #[arg(long)]
    processes: usize,
    #[arg(long)]
    writes: usize,
}

/// Runs a worker; its last line reports writes, recalls, missed writes, and the slowest call in milliseconds.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let space = open(&arguments.store)?;
    let mut acknowledged = OpenOptions::new()
        .create(true)
        .append(true)
        .open(acknowledgements_path(&arguments.store, arguments.number))?;
    let (mut missed, mut recalls, mut slowest) = (0, 0, 0.0f64);
    for write in 0..arguments.writes {
        let word = rare_word(arguments.number, write);
        let started = Instant::now();
        let draft = Draft::new(format!(
            "process {} notes {word} as number {write}",
            arguments.number
        ));
        space.remember(draft)?;
        slowest = slowest.max(started.elapsed().as_secs_f64() * 1000.0);
        acknowledged.write_all(format!("{write}\n").as_bytes())?;
        let other =
            (arguments.number + 1 + write % (arguments.processes - 1).max(1)) % arguments.processes;
        if let Some(last) = last_acknowledged(&arguments.store, other) {
            let started = Instant::now();
            missed += usize::from(!finds(&space, &rare_word(other, last))?);
            slowest = slowest.max(started.elapsed().as_secs_f64() * 1000.0);
            recalls += 1;
        }
    }
    output::line(&format!(
        "{} {recalls} {missed} {slowest:.1}",
        arguments.writes
    ));
    Ok(ExitCode::SUCCESS)
}

/// Whether the first results contain the word.
pub(super) fn finds(space: &Space, word: &str) -> Result<bool, Failure> {
    let answer = space.recall(&Recall::new(word).limit(3))?;
    Ok(answer
        .results
        .iter()
        .any(|hit| hit.memory.content.contains(word)))
}

/// The file in which a worker publishes its acknowledged writes.
fn acknowledgements_path(store: &Path, number: usize) -> PathBuf {
    store.join(format!("acknowledged-{number}"))
}

/// The last complete line of another worker's file.
fn last_acknowledged(store: &Path, number: usize) -> Option<usize> {
    let text = fs::read_to_string(acknowledgements_path(store, number)).ok()?;
    let whole = &text[..text.rfind('\n')?];
    whole.lines().next_back()?.parse().ok()
}
