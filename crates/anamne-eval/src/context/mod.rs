//! How much of the evidence a context block contains, by token budget.

mod held;
mod report;
pub(crate) mod runs;

use std::process::ExitCode;

use crate::corpus::ConversationFilter;
use crate::failure::Failure;
use crate::held_out::HeldOutOption;
use crate::output;
use report::Report;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    #[command(flatten)]
    held_out: HeldOutOption,
    /// Token budgets of a block.
    #[arg(long, value_delimiter = ',', default_values_t = [250, 500, 1_000, 1_500, 2_000, 4_000])]
    budget: Vec<usize>,
    /// Print {set: {category: {run: {budget: {metric: value}}}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Fail unless blocks of 1 500 tokens contain all evidence for this share of each set's questions.
    #[arg(long)]
    floor: Option<f64>,
}

/// Measures and prints; the exit code tells whether the floor was reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut report = Report::new(&arguments.budget);
    let corpora = arguments.chosen.corpora()?;
    let forests = arguments.held_out.forests(&corpora)?;
    for (corpus, forest) in corpora.iter().zip(&forests) {
        let trees = arguments.held_out.label(forest.as_ref());
        output::print_error(&format!("{}/{}: {trees}", corpus.set, corpus.name));
        let outcomes = runs::measure(corpus, forest.as_ref(), &arguments.budget)?;
        report.add(&corpus.set, outcomes);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(output::judge(&report.sets_below(arguments.floor)))
}
