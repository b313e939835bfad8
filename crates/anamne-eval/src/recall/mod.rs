//! Does the memory bring back the evidence?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::Error;

use crate::output;

mod calibration;
mod data;
mod features;
mod metrics;
mod report;
mod runs;

pub(crate) use data::Corpus;
use features::FeatureFile;
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
    /// Print {set: {category: {run: {metric: value}}}} instead of tables.
    #[arg(long)]
    json: bool,
    /// Fail unless the full recall's recall@10 over each measured set reaches this.
    #[arg(long)]
    floor: Option<f64>,
    /// Also write a JSON line for each question with its first 300 results, their features and whether they are
    /// evidence: what weights are fitted on.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
}

/// Measures and prints; the exit code says whether the floor was reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    let corpora = match &arguments.data {
        Some(folder) => Corpus::find(folder, &arguments.set, &arguments.corpus)?,
        None => vec![Corpus::bundled()?],
    };
    let mut features = arguments
        .features
        .as_deref()
        .map(FeatureFile::create)
        .transpose()?;
    for corpus in corpora {
        output::complain(&format!("{}/{}", corpus.set, corpus.name));
        let outcomes = runs::measure(&corpus, features.as_mut())?;
        report.add(&corpus.set, outcomes);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    let reached = arguments
        .floor
        .is_none_or(|floor| report.sets_below(floor).is_empty());
    if !reached {
        output::complain(&format!(
            "below the floor: {}",
            report.sets_below(arguments.floor.unwrap_or(0.0)).join(", ")
        ));
    }
    Ok(if reached {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Why a benchmark could not be run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine failed.
    Engine(Error),
    /// The data could not be read.
    Data(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Engine(error) => error.fmt(formatter),
            Self::Data(reason) => formatter.write_str(reason),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}
