//! Does experience of earlier runs predict later ones, and does it show what helps?
//!
//! Recorded runs of agents are told to the engine's view of experience, which is asked as the product asks it. No language
//! model takes part.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output::line;

mod data;
mod earlier;
mod figures;
mod fold;
mod lessons;
mod log;
mod predictions;
mod recovery;
mod similar;
mod tables;
mod told;

pub(crate) use log::Log;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the recorded runs: `intercode_sql.jsonl`, `intercode_bash.jsonl` and `taubench_airline.jsonl`
    #[arg(long, value_name = "DIR", required_unless_present = "fold")]
    data: Option<PathBuf>,
    /// Measure only whether lessons name what comes
    #[arg(long)]
    lessons: bool,
    /// Measure only whether what helped after an error is found
    #[arg(long, conflicts_with = "lessons")]
    recovery: bool,
    /// Measure how fast so many generated outcomes are folded, and the size of the file.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    fold: Option<u32>,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(outcomes) = arguments.fold {
        fold::measure(outcomes)?;
    }
    if let Some(folder) = &arguments.data {
        measure(folder, arguments)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(folder: &Path, arguments: &Arguments) -> Result<(), Failure> {
    line(
        "of the half of the tasks on which nothing was chosen, with 95 % intervals by task; in brackets, of the other half\n",
    );
    let sets = data::read_all(folder)?;
    for set in &sets {
        line(&format!("{}: {} runs", set.name, set.runs.len()));
        if arguments.recovery {
            recovery::print(set)?;
            continue;
        }
        lessons::print(set)?;
        if arguments.lessons {
            continue;
        }
        earlier::print(set)?;
        similar::print(set)?;
        if set.name == data::SQL {
            tables::print(set)?;
        }
        recovery::print(set)?;
        line("");
    }
    Ok(())
}

/// The errors of recorded runs that succeeded, each with whether constants were chosen on its task; one of both halves counts as
/// chosen on.
pub(crate) fn recovered_errors(folder: &Path) -> Result<BTreeSet<(bool, String)>, Failure> {
    let mut found = BTreeSet::new();
    for set in data::read_all(folder)? {
        for run in set.runs.iter().filter(|run| run.success) {
            let recovered = recovery::recoveries(run).into_iter();
            found.extend(recovered.map(|(error, _)| (run.is_chosen_on(), error.to_owned())));
        }
    }
    let chosen_on: BTreeSet<String> = found
        .iter()
        .filter(|one| one.0)
        .map(|one| one.1.clone())
        .collect();
    found.retain(|(is_chosen_on, error)| *is_chosen_on || !chosen_on.contains(error));
    Ok(found)
}
