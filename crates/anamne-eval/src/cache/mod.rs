//! May the cached result of one request be served for another? Measured on labelled pairs, beside cosine alone and
//! equality of word sets.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;
use report::Report;

pub(crate) mod pairs;
mod peers;
mod report;
mod speed;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A further file of pairs, one JSON object per line: a, b, same, group, kind
    #[arg(long, value_name = "FILE")]
    pairs: Vec<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Instead, measure lookups with this many cached results
    #[arg(long, value_name = "RESULTS", num_args = 0..=1, default_missing_value = "100000")]
    speed: Option<usize>,
    /// List the pairs that were judged wrongly, except those of the half for reporting.
    #[arg(long)]
    wrong: bool,
}

/// Measures and prints; fails if a share of false hits is above its limit.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(results) = arguments.speed {
        return speed::run(results);
    }
    let mut sets = pairs::own()?;
    for file in &arguments.pairs {
        sets.push(pairs::of_file(file)?);
    }
    // Peers choose their thresholds on the half for tuning.
    let threshold = peers::cosine_threshold(&sets[0].pairs)?;
    let mut report = Report::default();
    for set in &sets {
        report.add(set, threshold)?;
    }
    if arguments.wrong {
        report::list_wrong(&sets);
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(output::judge(&report.above_the_limit()))
}
