//! Writers that are killed at random instants.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anamne::{MemoryId, Store};
use serde::Serialize;

use super::{Failure, SPACE};

/// What the kills came to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Kills {
    rounds: usize,
    acknowledged: usize,
    /// Acknowledged writes that are not there afterwards.
    lost: usize,
    /// Opens after a kill that failed.
    failed_opens: usize,
    journal_problems: Vec<String>,
}

impl Kills {
    /// Nothing lost, every open worked, the journal verifies.
    pub(super) fn kept(&self) -> bool {
        self.lost + self.failed_opens == 0 && self.journal_problems.is_empty()
    }
}

pub(super) fn run(store: &Path, kills: usize) -> Result<Kills, Failure> {
    let mut outcome = Kills {
        rounds: kills,
        ..Kills::default()
    };
    let mut acknowledged: Vec<MemoryId> = Vec::new();
    let mut noise = Instant::now().elapsed().subsec_nanos() ^ std::process::id();
    for round in 0..kills {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        acknowledged.extend(write_until_killed(
            store,
            round,
            Duration::from_micros(2_000 + u64::from(noise >> 16)),
        )?);
        if Store::open(store)
            .and_then(|store| store.space(SPACE))
            .is_err()
        {
            outcome.failed_opens += 1;
        }
    }
    let space = Store::open(store)?.space(SPACE)?;
    outcome.acknowledged = acknowledged.len();
    outcome.lost = acknowledged
        .iter()
        .filter(|id| space.get(**id).is_err())
        .count();
    outcome.journal_problems = space.verify_journal()?.problems;
    Ok(outcome)
}

/// Starts a writer, kills it after a while, and returns the ids that were acknowledged to it.
fn write_until_killed(
    store: &Path,
    round: usize,
    after: Duration,
) -> Result<Vec<MemoryId>, Failure> {
    let mut writer = Command::new(std::env::current_exe()?)
        .args(["torture-writer", "--number", &round.to_string(), "--store"])
        .arg(store)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut reader = BufReader::new(
        writer
            .stdout
            .take()
            .ok_or_else(|| Failure("no pipe from the writer".into()))?,
    );
    let mut ids = Vec::new();
    let mut line = String::new();
    // The clock starts with the first acknowledgement, so that every kill meets a writer at work.
    let mut deadline = None;
    while deadline.is_none_or(|deadline| Instant::now() < deadline) {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(Failure("a writer ended before it was killed".into()));
        }
        ids.extend(line.trim().parse::<MemoryId>().ok());
        deadline.get_or_insert_with(|| Instant::now() + after);
    }
    writer.kill()?;
    // What it said before it died still stands in the pipe; a torn last line was not said.
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || !line.ends_with('\n') {
            break;
        }
        ids.extend(line.trim().parse::<MemoryId>().ok());
    }
    writer.wait()?;
    Ok(ids)
}

impl fmt::Display for Kills {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rounds,
            acknowledged,
            lost,
            failed_opens,
            journal_problems,
        } = self;
        write!(
            formatter,
            "{rounds} kills, {acknowledged} acknowledged writes: {lost} lost, {failed_opens} opens failed, journal problems: {}",
            journal_problems.len()
        )
    }
}

/// Writes and says so until it is killed.
pub(super) fn write_for_ever(store: &Path, number: usize) -> Result<(), Failure> {
    let space = Store::open(store)?.space(SPACE)?;
    for write in 0.. {
        let told = space.remember(format!("killed writer {number} wrote line {write}"))?;
        crate::output::line(&told.id.to_string());
    }
    Ok(())
}
