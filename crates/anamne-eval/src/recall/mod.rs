//! Does the memory bring back the evidence?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne::{Depth, Error};

use crate::output;

mod ablation;
mod calibration;
mod data;
mod features;
mod metrics;
mod report;
mod runs;

pub(crate) use data::{Corpus, Query, Record};
use features::FeatureFile;
use report::Report;
pub(crate) use runs::{fuse, tell};

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
    /// evidence: what weights are fitted on. They are those of the last depth that is given.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// Tell this share of the records on their own, without their thread, as facts are told: 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    alone: f64,
    /// Also ask every question without each of the features.
    #[arg(long)]
    ablation: bool,
    /// Also measure how much comes back when the question goes deeper: a number of hops from 1 to 4, or `deep`; may be
    /// given several times. `shallow` is the run `full`. What was told is woven into knowledge before each question.
    #[arg(long, value_name = "DEPTH", value_parser = depth_named)]
    depth: Vec<Depth>,
}

/// The depth that is called so.
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

/// Measures and prints; the exit code says whether the floor was reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    let mut corpora = match &arguments.data {
        Some(folder) => Corpus::find(folder, &arguments.set, &arguments.corpus)?,
        None => vec![Corpus::bundled()?],
    };
    for corpus in &mut corpora {
        corpus.tell_alone(arguments.alone);
    }
    let mut features = arguments
        .features
        .as_deref()
        .map(FeatureFile::create)
        .transpose()?;
    for corpus in &corpora {
        output::complain(&format!("{}/{}", corpus.set, corpus.name));
        let foreign = corpus.foreign_questions(&corpora);
        let outcomes = runs::measure(
            corpus,
            &foreign,
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
