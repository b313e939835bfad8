//! Many processes on one store, processes that are killed, damaged files: is every acknowledged write found?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::Error;
use serde_json::json;

use crate::output;
use crowd::Crowd;
use damage::Damages;
use kills::Kills;

mod crowd;
mod damage;
mod dice;
mod kills;
mod worker;

/// How hard to try.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Processes that write and recall at once.
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// Writes of each (0 for none of this), each followed by a recall of what another one wrote last.
    #[arg(long, default_value_t = 2_000)]
    writes: usize,
    /// How many processes are killed at random instants, two that write and one that moves and folds at a time; 0 for
    /// none.
    #[arg(long, default_value_t = 200)]
    kills: usize,
    /// How many copies of a store get one damaged file each, half of them while a process works with them.
    #[arg(long, default_value_t = 40)]
    damage: usize,
    /// What the damages are drawn from; the first one from this number, the next one from the number after it. On the
    /// same `--store` the same number does the same damage.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// A store to torture; a temporary one when not given.
    #[arg(long)]
    store: Option<PathBuf>,
}

/// One of the processes that [`run`] starts.
#[derive(clap::Args)]
pub(crate) struct WorkerArguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
    #[arg(long)]
    processes: usize,
    #[arg(long)]
    writes: usize,
}

/// One of the processes that are killed.
#[derive(clap::Args)]
pub(crate) struct WriterArguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
    /// Move and fold what others told.
    #[arg(long)]
    keep: bool,
}

pub(crate) use damage::PatientArguments;

/// What went wrong in the benchmark itself.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Runs the tortures; the exit code says whether every promise was kept.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let temporary = tempfile::tempdir()?;
    let store = arguments
        .store
        .clone()
        .unwrap_or_else(|| temporary.path().to_owned());
    let crowd = match arguments.writes {
        0 => None,
        writes => Some(crowd::run(&store, arguments.processes, writes)?),
    };
    let kills = match arguments.kills {
        0 => None,
        kills => Some(kills::run(&store, kills)?),
    };
    let damages = match arguments.damage {
        0 => None,
        cases => Some(damage::run(&store.join("damage"), cases, arguments.seed)?),
    };
    let kept = crowd.as_ref().is_none_or(Crowd::kept)
        && kills.as_ref().is_none_or(Kills::kept)
        && damages.as_ref().is_none_or(Damages::kept);
    if arguments.json {
        let outcome = json!({ "crowd": crowd, "kills": kills, "damages": damages, "kept": kept });
        output::line(&outcome.to_string());
    } else {
        let said = [
            crowd.map(|crowd| crowd.to_string()),
            kills.map(|kills| kills.to_string()),
            damages.map(|damages| damages.to_string()),
        ];
        said.iter().flatten().for_each(|said| output::line(said));
        output::line(if kept {
            "every promise was kept"
        } else {
            "PROMISES WERE BROKEN"
        });
    }
    Ok(if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs one of the processes.
pub(crate) fn work(arguments: &WorkerArguments) -> Result<ExitCode, Failure> {
    worker::run(arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the process whose store is damaged.
pub(crate) fn be_examined(arguments: &PatientArguments) -> Result<ExitCode, Failure> {
    damage::run_patient(arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the process that is killed.
pub(crate) fn write(arguments: &WriterArguments) -> Result<ExitCode, Failure> {
    if arguments.keep {
        kills::keep_for_ever(&arguments.store)?;
    } else {
        kills::write_for_ever(&arguments.store, arguments.number)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The space that is tortured.
const SPACE: &str = "torture";

/// A word that stands in one memory only: letters made from two numbers.
fn rare_word(process: usize, write: usize) -> String {
    let mut state = (process as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (write as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut word = String::new();
    for index in 0..12 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let letters: &[u8] = if index % 2 == 0 {
            b"bdfgklmnprstvz"
        } else {
            b"aeiou"
        };
        word.push(char::from(letters[(state >> 33) as usize % letters.len()]));
    }
    word
}
