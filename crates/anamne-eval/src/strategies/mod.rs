//! What does learning which search strategy to use add?
//!
//! Every question is asked with every strategy, and what each finds is recorded. A stream of questions with feedback is
//! then replayed over the records.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::corpus::ConversationFilter;
use crate::failure::Failure;
use crate::output;

mod cost;
mod figures;
mod learning;
mod recorded;
mod replay;
mod report;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// Read what the strategies find from this file instead of searching; written by `--record`.
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    recorded: Option<PathBuf>,
    /// Also write what the strategies find, a JSON line per question, to fit the learner on.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Measure instead what a search with experience costs, on a store of so many generated records.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    cost: Option<u64>,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(records) = arguments.cost {
        cost::measure(records)?;
        return Ok(ExitCode::SUCCESS);
    }
    let questions = questions(arguments)?;
    report::print(&questions);
    Ok(ExitCode::SUCCESS)
}

fn questions(arguments: &Arguments) -> Result<Vec<recorded::Question>, Failure> {
    if let Some(file) = &arguments.recorded {
        return recorded::read(file);
    }
    let mut questions = Vec::new();
    for corpus in &arguments.chosen.corpora()? {
        output::print_error(&format!("{}/{}", corpus.set, corpus.name));
        questions.extend(recorded::ask(corpus)?);
    }
    if let Some(file) = &arguments.record {
        recorded::write(file, &questions)?;
    }
    Ok(questions)
}
