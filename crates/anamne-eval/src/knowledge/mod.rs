//! Knowledge without a language model: extraction, contradictions, summaries.

use std::process::ExitCode;

use crate::failure::Failure;

mod conflicts;
mod enrichment;
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
    /// Entities and statements, on annotated texts.
    Reading(reading::Arguments),
    /// Contradictions and updates, on conversations with questions about them.
    Conflicts(conflicts::Arguments),
    /// Category, importance, keywords and links that rules note beside memories, on annotated memories.
    Enrichment(enrichment::Arguments),
    /// How much of what people ask about later is in a day's summary, compared with simpler methods of the same length.
    Summaries(summaries::Arguments),
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.measurement {
        Measurement::Reading(arguments) => reading::run(arguments)?,
        Measurement::Conflicts(arguments) => conflicts::run(arguments)?,
        Measurement::Enrichment(arguments) => enrichment::run(arguments)?,
        Measurement::Summaries(arguments) => summaries::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
