//! Recorded runs.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// The set of runs that write SQL.
pub(crate) const SQL: &str = "sql";

const FILES: [(&str, &str); 3] = [
    (SQL, "intercode_sql.jsonl"),
    ("bash", "intercode_bash.jsonl"),
    ("airline", "taubench_airline.jsonl"),
];

/// Longest error that is told, in bytes.
const MOST_ERROR_BYTES: usize = 2_000;

/// The runs of one benchmark, in the order in which they are told: the first trials of all tasks, then the second ones.
pub(crate) struct RunSet {
    pub(crate) name: &'static str,
    pub(crate) runs: Vec<Run>,
}

/// One attempt at a task.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub(crate) task_id: String,
    pub(crate) goal: String,
    pub(crate) agent: String,
    pub(crate) trial: u32,
    /// The database or file system. Of airline it tells the answer, and is not used.
    pub(crate) group: String,
    pub(crate) success: bool,
    pub(crate) score: f32,
    /// What the answer is: only to tell tasks apart and to measure.
    #[serde(default)]
    reference: serde_json::Value,
    steps: Vec<RecordedStep>,
}

#[derive(Debug, Deserialize)]
struct RecordedStep {
    action: String,
    #[serde(default)]
    observation: Option<String>,
    #[serde(default)]
    valid: Option<bool>,
    #[serde(default)]
    actor: Option<String>,
}

/// What an agent did, and the error it got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'run> {
    pub(crate) action: &'run str,
    pub(crate) error: Option<&'run str>,
}

impl Run {
    /// The agent's own steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let own = |step: &&RecordedStep| step.actor.as_deref() != Some("user");
        self.steps.iter().filter(own).map(RecordedStep::step)
    }

    /// The answer as text; empty if there is none.
    pub(crate) fn reference(&self) -> &str {
        self.reference.as_str().unwrap_or_default()
    }

    /// What tasks with the same answer share: the same question may be asked in other words.
    pub(crate) fn key(&self) -> String {
        match self.reference() {
            "" => self.task_id.clone(),
            reference => format!("{} {}", self.group, reference.to_lowercase()),
        }
    }

    /// One of `parts` parts of the tasks, by hash.
    pub(crate) fn part(&self, parts: u64) -> u64 {
        // FNV-1a, 64 bits.
        let hash = self
            .key()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        (hash >> 20) % parts
    }

    /// Whether constants were chosen on its task.
    pub(crate) fn is_chosen_on(&self) -> bool {
        self.part(2) == 0
    }
}

impl RecordedStep {
    fn step(&self) -> Step<'_> {
        let observation = self.observation.as_deref().unwrap_or_default();
        let has_failed = match self.valid {
            Some(valid) => !valid,
            None => observation.starts_with("Error"),
        };
        let end = observation.floor_char_boundary(MOST_ERROR_BYTES);
        let error = if end == 0 {
            "failed"
        } else {
            &observation[..end]
        };
        Step {
            action: &self.action,
            error: has_failed.then_some(error),
        }
    }
}

/// Reads the runs of every benchmark.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<RunSet>, Failure> {
    FILES
        .iter()
        .map(|(name, file)| {
            let mut runs = read(&folder.join(file))?;
            // Stable: the tasks of a trial keep their order.
            runs.sort_by_key(|run| run.trial);
            Ok(RunSet { name, runs })
        })
        .collect()
}

fn read(file: &Path) -> Result<Vec<Run>, Failure> {
    let opened = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    BufReader::new(opened)
        .lines()
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect()
}
