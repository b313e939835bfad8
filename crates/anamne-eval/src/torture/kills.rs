//! Processes that are killed at random instants: two that write, and one that moves and folds what they wrote.

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

/// One of the processes that are killed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
    /// Move and fold what others told.
    #[arg(long)]
    keep: bool,
}

/// Processes that write at once.
const WRITERS: usize = 2;

/// What is told happened up to so many days ago, so that there is something to move to every tier.
const DAYS: usize = 400;

/// What the kills came to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Kills {
    killed: usize,
    acknowledged: usize,
    /// Acknowledged writes that are missing afterwards.
    lost: usize,
    /// Opens after a kill that failed.
    failed_opens: usize,
    /// What reading everything back found at the end.
    problems: Vec<String>,
    /// Memories that lie in colder tiers at the end.
    moved: u64,
}

impl Kills {
    /// Nothing lost, every open worked, everything verifies.
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
        let company = Company::start(store, outcome.killed)?;
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

/// What a memory of a killed writer says in one of its versions.
fn text(name: &str, version: u32) -> String {
    // Something to extract too: names, and a place that changes.
    let place = ["Bonn", "Lyon", "Oslo"][version as usize % 3];
    format!("{name} in version {version}. Mara Lind lives in {place}.")
}

/// Writes or keeps until it is killed.
pub(crate) fn be_killed(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.keep {
        keep_for_ever(&arguments.store)?;
    } else {
        write_for_ever(&arguments.store, arguments.number)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells and changes memories, and says so, until it is killed.
fn write_for_ever(store: &Path, number: usize) -> Result<(), Failure> {
    let space = open(store)?;
    let mut chance = Chance::new(number as u64);
    let mut told = Vec::new();
    for write in 0.. {
        if write % 4 == 3 {
            let (id, name): &(MemoryId, String) = &told[chance.below(told.len())];
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
        told.push((id, name));
    }
    Ok(())
}

/// Moves what has aged, folds every view and extracts, until it is killed.
fn keep_for_ever(store: &Path) -> Result<(), Failure> {
    let space = open(store)?;
    loop {
        space.age(&mut |_, _| {})?;
        space.fold()?;
        space.settle(&mut |_, _| {})?;
        space.run_tasks(&mut |_| {})?;
        // What a killed process held is not free for a while, but may be done all the same.
        space.extract(&mut |_| true)?;
        space.summarise(&mut |_| {})?;
    }
}

/// Processes that are going to be killed.
struct Company {
    writers: Vec<(Child, BufReader<ChildStdout>)>,
    keeper: Child,
}

impl Company {
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

    /// Kills them so long after the first acknowledgement, and returns what was acknowledged.
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
            // What it said before it died still stands in the pipe; a torn last line was not said.
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

/// What an acknowledgement says.
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
