//! Many processes on one store, and processes that are killed: is every acknowledged write found?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::Error;
use serde_json::json;

use crate::output;

mod crowd;
mod kills;
mod worker;

/// How hard to try.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Processes that write and recall at once.
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// Writes of each, each followed by a recall of what another one wrote last.
    #[arg(long, default_value_t = 2_000)]
    writes: usize,
    /// How often a writer is killed at a random instant.
    #[arg(long, default_value_t = 200)]
    kills: usize,
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

/// The process that is killed.
#[derive(clap::Args)]
pub(crate) struct WriterArguments {
    #[arg(long)]
    store: PathBuf,
    #[arg(long)]
    number: usize,
}

/// What went wrong in the benchmark itself.
#[derive(Debug)]
pub(crate) struct Failure(String);

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

/// Runs both tortures; the exit code says whether every promise was kept.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let temporary = tempfile::tempdir()?;
    let store = arguments
        .store
        .clone()
        .unwrap_or_else(|| temporary.path().to_owned());
    let crowd = crowd::run(&store, arguments.processes, arguments.writes)?;
    let kills = kills::run(&store, arguments.kills)?;
    let kept = crowd.kept() && kills.kept();
    if arguments.json {
        output::line(&json!({ "crowd": crowd, "kills": kills, "kept": kept }).to_string());
    } else {
        output::line(&format!(
            "{crowd}\n{kills}\n{}",
            if kept {
                "every promise was kept"
            } else {
                "PROMISES WERE BROKEN"
            }
        ));
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

/// Runs the process that is killed.
pub(crate) fn write(arguments: &WriterArguments) -> Result<ExitCode, Failure> {
    kills::write_for_ever(&arguments.store, arguments.number)?;
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
