//! How much of the evidence a context block holds, by what it may cost.

mod held;
mod report;
mod runs;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::output;
use crate::recall::{Corpus, Failure};
use report::Report;

/// What to measure, and on what.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder with one folder a set, each with *.records.jsonl and *.queries.jsonl; the bundled conversation when
    /// not given.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Only these sets.
    #[arg(long)]
    set: Vec<String>,
    /// Only these corpora.
    #[arg(long)]
    corpus: Vec<String>,
    /// Tokens that a block may cost.
    #[arg(long, value_delimiter = ',', default_values_t = [250, 500, 1_000, 1_500, 2_000, 4_000])]
    budget: Vec<usize>,
    /// Print {set: {category: {run: {budget: {metric: value}}}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Fail unless the engine's blocks of 1 500 tokens hold all evidence of this share of each set's questions.
    #[arg(long)]
    floor: Option<f64>,
}

/// Measures and prints; the exit code says whether the floor was reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let corpora = match &arguments.data {
        Some(folder) => Corpus::find(folder, &arguments.set, &arguments.corpus)?,
        None => vec![Corpus::bundled()?],
    };
    let mut report = Report::new(&arguments.budget);
    for corpus in corpora {
        output::complain(&format!("{}/{}", corpus.set, corpus.name));
        report.add(&corpus.set, runs::measure(&corpus, &arguments.budget)?);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    let below = arguments
        .floor
        .map_or_else(Vec::new, |floor| report.sets_below(floor));
    if below.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    output::complain(&format!("below the floor: {}", below.join(", ")));
    Ok(ExitCode::FAILURE)
}
