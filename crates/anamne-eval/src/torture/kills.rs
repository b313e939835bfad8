//! Processes killed at random times: two that write, and one that moves and folds what they wrote.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anamne::{Draft, Edit, MemoryId, Store};
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

use super::space::{SPACE, open};
use crate::chance::Chance;
use crate::failure::Failure;
use crate::knowledge::everything;

/// A process to be killed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
    /// Run the background work instead of writing.
    #[arg(long)]
    keep: bool,
}

/// Number of concurrent writers.
const WRITERS: usize = 2;

/// Maximum age in days of the memories, so that some move to every tier.
const DAYS: usize = 400;

/// The result of the kills.
#[derive(Debug, Default, Serialize)]
pub(super) struct Kills {
    killed: usize,
    acknowledged: usize,
    /// Acknowledged writes that are missing afterwards.
    lost: usize,
    /// Failed opens after a kill.
    failed_opens: usize,
    /// Problems found by reading everything back at the end.
    problems: Vec<String>,
    /// Memories in colder tiers at the end.
    moved: u64,
}

impl Kills {
    /// Whether nothing was lost, every open worked and everything verifies.
    pub(super) fn kept(&self) -> bool {
        self.lost + self.failed_opens == 0 && self.problems.is_empty()
    }
}

/// Kills `kills` processes, three at a time.
pub(super) fn run(store: &Path, kills: usize) -> Result<Kills, Failure> {
    let mut outcome = Kills::default();
    let mut acknowledged = HashMap::<MemoryId, u32>::new();
    let mut chance = Chance::new(u64::from(std::process::id()));
    while outcome.killed < kills {
        let company = KillRound::start(store, outcome.killed)?;
        let after = Duration::from_micros(1_000 + chance.below(200_000) as u64);
        for (id, version) in company.kill(after)? {
            outcome.acknowledged += 1;
            acknowledged.insert(id, version);
        }
        outcome.killed += WRITERS + 1;
        outcome.failed_opens += usize::from(open(store).is_err());
    }
    let opened = Store::open(store)?;
    let space = opened.space(SPACE)?;
    let is_lost = |id: &MemoryId, version: u32| {
        space.get(*id).map_or(true, |memory| {
            let name = memory.external_id.as_deref().unwrap_or_default();
            memory.version < version || memory.content != text(name, memory.version)
        })
    };
    outcome.lost = acknowledged
        .iter()
        .filter(|(id, version)| is_lost(id, **version))
        .count();
    let colder = space.tiers()?;
    outcome.moved = colder.iter().skip(1).map(|tier| tier.memories).sum();
    space.extract(&mut |_| true)?;
    let extracted = everything(&space)?;
    space.extract_again(&mut |_| true)?;
    if everything(&space)? != extracted {
        let problem =
            "the graph that was extracted between the kills is not the one that the log gives";
        outcome.problems.push(problem.to_owned());
    }
    for verification in opened.verify(Some(SPACE))? {
        let findings = verification.examination.findings;
        outcome
            .problems
            .extend(findings.iter().map(ToString::to_string));
    }
    Ok(outcome)
}

/// The text of a killed writer's memory in one of its versions.
fn text(name: &str, version: u32) -> String {
    // Includes something to extract: a name, and a place that changes.
    let place = ["Bonn", "Lyon", "Oslo"][version as usize % 3];
    format!("{name} in version {version}. Mara Lind lives in {place}.")
}

/// Writes, or runs the background work, until killed.
pub(crate) fn run_until_killed(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.keep {
        maintain_until_killed(&arguments.store)?;
    } else {
        write_until_killed(&arguments.store, arguments.number)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes and edits memories, and prints each acknowledgement, until killed.
fn write_until_killed(store: &Path, number: usize) -> Result<(), Failure> {
    let space = open(store)?;
    let mut chance = Chance::new(number as u64);
    let mut stored = Vec::new();
    for write in 0.. {
        if write % 4 == 3 {
            let (id, name): &(MemoryId, String) = &stored[chance.below(stored.len())];
            let version = space.get(*id)?.version + 1;
            let edit = Edit {
                content: Some(text(name, version)),
                ..Edit::default()
            };
            space.edit(*id, &edit)?;
            crate::output::line(&format!("{id} {version}"));
            continue;
        }
        let name = format!("line {write} of the killed writer {number}");
        let age = (24 * chance.below(DAYS) as i64).hours();
        let mut draft = Draft::new(text(&name, 1)).occurred_at(Timestamp::now() - age);
        draft.external_id = Some(name.clone());
        let id = space.remember(draft)?.id;
        crate::output::line(&format!("{id} 1"));
        stored.push((id, name));
    }
    Ok(())
}

/// Moves aged memories, folds every view and extracts, until killed.
fn maintain_until_killed(store: &Path) -> Result<(), Failure> {
    let space = open(store)?;
    loop {
        space.age(&mut |_, _| {})?;
        space.fold()?;
        space.settle(&mut |_, _| {})?;
        space.run_tasks(&mut |_| {})?;
        // Extracts directly, because a task leased by a killed process stays blocked until its lease expires.
        space.extract(&mut |_| true)?;
        space.summarise(&mut |_| {})?;
    }
}

/// The processes of one round, to be killed.
struct KillRound {
    writers: Vec<(Child, BufReader<ChildStdout>)>,
    keeper: Child,
}

impl KillRound {
    fn start(store: &Path, round: usize) -> Result<Self, Failure> {
        let start = |role: &[&str], number: usize| {
            Command::new(std::env::current_exe()?)
                .args(["torture-writer", "--number", &number.to_string(), "--store"])
                .arg(store)
                .args(role)
                .stdout(Stdio::piped())
                .spawn()
        };
        let mut writers = Vec::new();
        for number in 0..WRITERS {
            let mut writer = start(&[], round * WRITERS + number)?;
            let pipe = writer.stdout.take();
            let pipe = pipe.ok_or("no pipe from the writer")?;
            writers.push((writer, BufReader::new(pipe)));
        }
        Ok(Self {
            writers,
            keeper: start(&["--keep"], round)?,
        })
    }

    /// Kills them at a given time after the first acknowledgement, and returns all acknowledged writes.
    fn kill(mut self, after: Duration) -> Result<Vec<(MemoryId, u32)>, Failure> {
        let mut said = Vec::new();
        if let Some((_, pipe)) = self.writers.first_mut() {
            let mut line = String::new();
            if pipe.read_line(&mut line)? == 0 {
                return Err("a writer ended before it was killed".into());
            }
            said.extend(read(&line));
        }
        let deadline = Instant::now() + after;
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        for (writer, _) in &mut self.writers {
            writer.kill()?;
        }
        self.keeper.kill()?;
        self.keeper.wait()?;
        for (mut writer, mut pipe) in self.writers {
            // The pipe still holds what was printed before the kill; a torn last line doesn't count.
            let mut rest = String::new();
            pipe.read_to_string(&mut rest)?;
            said.extend(
                rest.split_inclusive('\n')
                    .filter(|line| line.ends_with('\n'))
                    .filter_map(read),
            );
            writer.wait()?;
        }
        Ok(said)
    }
}

/// Parses an acknowledgement.
fn read(line: &str) -> Option<(MemoryId, u32)> {
    let (id, version) = line.trim().split_once(' ')?;
    Some((id.parse().ok()?, version.parse().ok()?))
}

impl fmt::Display for Kills {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            killed,
            acknowledged,
            lost,
            failed_opens,
            problems,
            moved,
        } = self;
        write!(
            formatter,
            "{killed} kills, {acknowledged} acknowledged writes: {lost} lost, {failed_opens} opens failed, problems: {}, {moved} memories in colder tiers",
            problems.len()
        )?;
        problems
            .iter()
            .take(5)
            .try_for_each(|problem| write!(formatter, "\n  {problem}"))
    }
}
