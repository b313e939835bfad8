//! Knowledge without a language model: what is read out of texts, what contradicts what, what a day comes to.

use std::process::ExitCode;

use crate::failure::Failure;

mod conflicts;
mod everything;
mod reading;
mod summaries;

pub(crate) use everything::everything;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(clap::Subcommand)]
enum Measurement {
    /// Names and statements, in texts of which it is known what a careful reader finds.
    Reading(reading::Arguments),
    /// Contradictions and updates, in conversations with questions that turn on them.
    Conflicts(conflicts::Arguments),
    /// How much of what people ask about later a day's summary still holds, beside simpler ways of the same length.
    Summaries(summaries::Arguments),
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.measurement {
        Measurement::Reading(arguments) => reading::run(arguments)?,
        Measurement::Conflicts(arguments) => conflicts::run(arguments)?,
        Measurement::Summaries(arguments) => summaries::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
