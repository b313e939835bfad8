//! How much does planning save, and what does it cost in quality? Replays a query log over three years without and with
//! the planner.
//!
//! The store holds three years in thirteen tiers. Of the questions, 40 % are about something recent (ages are
//! exponentially distributed with a mean of three weeks), 20 % repeat an earlier one (half of them in other words), 12
//! % filter by a month, 20 % are about any record, and 8 % can't be answered. All but these have memories that answer
//! them. Questions about generated records are seven words: five of the record and two others. With `--data`, records
//! and questions come from conversations with known evidence; the records are spread over the three years in their own
//! order.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;

mod log;
mod material;
mod replay;

use material::Material;
use replay::Replay;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of generated records.
    #[arg(long, default_value_t = 30_000)]
    size: u64,
    /// Number of questions in the log.
    #[arg(long, default_value_t = 5_000)]
    queries: u64,
    /// Conversations with questions instead: a folder with one folder per set, each with *.records.jsonl and
    /// *.queries.jsonl.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Also print the questions whose answer was lost through planning.
    #[arg(long)]
    lost: bool,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let material = match &arguments.data {
        Some(folder) => Material::of_conversations(folder)?,
        None => Material::generated(arguments.size),
    };
    let store = material.write()?;
    let log = log::of(&material, arguments.queries);
    let off = Replay::run(&store, &log, false)?;
    let on = Replay::run(&store, &log, true)?;
    output::line(&replay::table(&log, &off, &on));
    if arguments.lost {
        for line in replay::lost(&log, &off, &on) {
            output::line(&line);
        }
    }
    Ok(ExitCode::SUCCESS)
}
