//! Does a prompt get memories only when they are likely evidence?
//!
//! A host's hook asks the memory about every prompt, and most prompts are no questions to it. Each conversation is asked
//! its own questions and what it knows nothing of: questions about the others, and [`own`] prompts.

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::PromptRequest;

use crate::corpus::ConversationFilter;
use crate::failure::Failure;
use crate::output;
use features::FeatureFile;
use report::Report;

mod features;
mod outcome;
mod own;
mod rates;
mod report;
mod runs;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Fail unless, of each set, this share of answerable questions gets evidence at the engine's threshold.
    #[arg(long)]
    floor: Option<f64>,
    /// Fail if, in any set, more than this share of prompts that it knows nothing of gets anything at the engine's
    /// threshold.
    #[arg(long)]
    ceiling: Option<f64>,
    /// Also write a JSON line per prompt with the inputs of its relevance, to fit the gate on.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
}

/// Measures and prints; the exit code tells whether floor and ceiling are kept.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let corpora = arguments.chosen.corpora()?;
    let file = arguments.features.as_deref();
    let mut features = file.map(FeatureFile::create).transpose()?;
    let mut report = Report::new(PromptRequest::THRESHOLD);
    for corpus in &corpora {
        output::print_error(&format!("{}/{}", corpus.set, corpus.name));
        report.add(runs::measure(corpus, &corpora, features.as_mut())?);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(output::judge(
        &report.missed(arguments.floor, arguments.ceiling),
    ))
}
