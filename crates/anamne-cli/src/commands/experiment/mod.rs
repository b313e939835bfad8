//! `anamne experiment`.

mod report;

use std::path::{Path, PathBuf};

use anamne::ExperimentReport;
use serde_json::json;

use crate::commands::remember;
use crate::drawing::{effects_picture, weeks_picture};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::reached::{Reached, Strategies};
use crate::whole_file::write_whole;
use crate::wording::file_name;

/// Compare search strategies, and see which were learned
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An experiment assigns a strategy to each question of `anamne recall --learn`,
always the same to the same question, and counts which searches helped. The
first arm is the baseline. You may look as often as you like: with probability
1 - alpha, no interval ever misses the true difference. The experiment ends by
itself when feedback allows a conclusion; its searches stay counted. An arm is
compared once it and the baseline have searches with feedback.

Outside experiments the strategy is chosen by what feedback taught.
`strategies` shows which were used, week by week.

Examples:
  anamne experiment start pages default words
  anamne experiment
  anamne experiment show pages --output pages.svg
  anamne experiment stop pages
  anamne experiment strategies --output strategies.svg

With --json: {\"experiments\": [{\"name\", \"running\", \"alpha\", \"arms\": [{\"strategy\",
  \"searches\", \"judged\", \"successes\", \"rate\"}], \"uplifts\": [{\"arm\",
  \"difference\", \"low\", \"high\", \"p_value\"}], \"conclusion\"}]}; show and
  stop one of them; strategies {\"strategies\": [{\"name\", \"description\"}], \"weeks\": [{\"week\",
  \"strategy\", \"searches\", \"judged\", \"successes\"}]}; start as `anamne remember`")]
pub(crate) struct Experiment {
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Debug, clap::Subcommand)]
enum Part {
    /// Start an experiment
    Start {
        /// Its name
        name: String,
        /// The strategies, the baseline first; see `anamne experiment strategies`
        #[arg(required = true, num_args = 2.., value_name = "STRATEGY")]
        arms: Vec<String>,
        /// The accepted rate of false conclusions, between 0 and 1
        #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
        alpha: f64,
    },
    /// Show an experiment: arms, differences and their intervals
    Show {
        /// Its name
        name: String,
        /// Also draw it into this SVG file
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// End an experiment
    Stop {
        /// Its name
        name: String,
    },
    /// Show the strategies, and which were used by week
    Strategies {
        /// Also draw the weeks into this SVG file
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Experiment {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let listed = |error: Failure| error.listed_by("anamne experiment");
        match self.part {
            None => list(&place.reached_existing()?, output),
            Some(Part::Start { name, arms, alpha }) => {
                let space = place.reached_existing()?;
                let started = space.start_experiment(&name, &arms, alpha)?;
                remember::print(&started, output)?;
                space.settle(output)
            }
            Some(Part::Show { name, output: file }) => {
                let space = place.reached_existing()?;
                let experiment = space.experiment(&name).map_err(listed)?;
                show(&experiment, output)?;
                draw(file.as_deref(), &effects_picture(&experiment), output)
            }
            Some(Part::Stop { name }) => {
                let space = place.reached_existing()?;
                let experiment = space.stop_experiment(&name).map_err(listed)?;
                show(&experiment, output)?;
                space.settle(output)
            }
            Some(Part::Strategies { output: file }) => {
                let found = place.reached_existing()?.strategies()?;
                show_strategies(&found, output)?;
                let picture = weeks_picture(&found.weeks, &output.dates);
                draw(file.as_deref(), &picture, output)
            }
        }
    }
}

fn list(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let experiments = space.experiments()?;
    if output.is_json() {
        return output.json(&json!({ "experiments": experiments }));
    }
    if experiments.is_empty() {
        output.note("no experiments; `anamne experiment start` starts one");
    }
    for experiment in &experiments {
        report::print_line(experiment, output)?;
    }
    Ok(())
}

fn show(experiment: &ExperimentReport, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(experiment);
    }
    report::print(experiment, output)
}

fn show_strategies(found: &Strategies, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(found);
    }
    for strategy in &found.strategies {
        report::print_strategy(strategy, output)?;
    }
    output.line("")?;
    if found.weeks.is_empty() {
        return output.line("No search was recorded; `anamne recall --learn` records one.");
    }
    report::print_weeks(&found.weeks, output)
}

/// Writes a picture, if one is wanted.
fn draw(file: Option<&Path>, picture: &str, output: &mut Output) -> Result<(), Failure> {
    let Some(path) = file else {
        return Ok(());
    };
    write_whole(path, |into| {
        let name = file_name(path);
        let failed = |error| Failure::failed(format!("can't write {name}: {error}"));
        into.write_all(picture.as_bytes()).map_err(failed)
    })?;
    output.flush()?;
    output.note(format_args!("drawn into {}", file_name(path)));
    Ok(())
}
