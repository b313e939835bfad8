//! Does recall find the evidence?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::Depth;

use crate::corpus::ConversationFilter;
use crate::failure::Failure;
use crate::held_out::HeldOutOption;
use crate::output;
use features::FeatureFile;
use report::Report;

mod ablation;
mod calibration;
mod features;
pub(crate) mod metrics;
mod noise;
mod outcome;
mod report;
pub(crate) mod runs;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    #[command(flatten)]
    held_out: HeldOutOption,
    /// Print {set: {category: {run: {metric: value}}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Fail unless the full recall's recall@10 of each measured set reaches this value.
    #[arg(long)]
    floor: Option<f64>,
    /// Also write a JSON line per question with its first 300 results, their features and whether they are evidence, to
    /// fit weights on. They are the results at the last given depth.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// Store this share of the records without their thread, like facts: 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    alone: f64,
    /// Also ask every question with each feature left out.
    #[arg(long)]
    ablation: bool,
    /// Also measure deeper recall: a number of hops from 1 to 4, or `deep`; may be given several times. `shallow` is
    /// the run `full`. Knowledge is extracted before each question.
    #[arg(long, value_name = "DEPTH", value_parser = depth_named)]
    depth: Vec<Depth>,
}

/// Parses a depth.
fn depth_named(name: &str) -> Result<Depth, String> {
    let depth = match name {
        "shallow" => Depth::Shallow,
        "deep" => Depth::Deep,
        hops => Depth::Hops(hops.parse().map_err(|_| DEPTHS.to_owned())?),
    };
    depth.check().map_err(|refusal| refusal.to_string())?;
    Ok(depth)
}

const DEPTHS: &str = "a depth is shallow, a number of hops from 1 to 4, or deep";

/// Measures and prints; the exit code tells whether the floor was reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    let mut corpora = arguments.chosen.corpora()?;
    for corpus in &mut corpora {
        corpus.detach_from_threads(arguments.alone);
    }
    let file = arguments.features.as_deref();
    let mut features = file.map(FeatureFile::create).transpose()?;
    let forests = arguments.held_out.forests(&corpora)?;
    for (corpus, forest) in corpora.iter().zip(&forests) {
        let trees = arguments.held_out.label(forest.as_ref());
        output::print_error(&format!("{}/{}: {trees}", corpus.set, corpus.name));
        let outcomes = runs::measure(
            corpus,
            forest.as_ref(),
            &corpus.foreign_questions(&corpora),
            &arguments.depth,
            features.as_mut(),
            arguments.ablation,
        )?;
        report.add(&corpus.set, outcomes);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(output::judge(&report.sets_below(arguments.floor)))
}
