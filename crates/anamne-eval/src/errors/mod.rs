//! Is an error in another form told from another error?

mod speed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anamne_experience::normal;
use anamne_experience::normal::near::{Compared, NEAR};
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::line;
use crate::trajectories::recovered_errors;

/// The labelled pairs, which `fitting/error_pairs.py` writes.
const PAIRS: &str = include_str!("../../data/errors/pairs.jsonl");

/// Thresholds that are compared.
const THRESHOLDS: [f64; 8] = [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0];

/// The half of the pairs on which nothing was chosen.
const REPORTED: &str = "report";

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of recorded runs, as for `trajectories`: also forms of their errors
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Also print the pairs of the half to tune on that are mistaken
    #[arg(long)]
    mistakes: bool,
    /// Instead, measure questions about errors never met, beside so many that were
    #[arg(long, value_name = "N", conflicts_with_all = ["data", "mistakes"], value_parser = clap::value_parser!(u32).range(1_000..=100_000))]
    cost: Option<u32>,
}

/// Two messages, and whether they are the same error.
#[derive(Deserialize)]
struct Pair {
    half: String,
    kind: String,
    same: bool,
    one: String,
    other: String,
}

impl Pair {
    /// 1 if both have the same normal form.
    fn likeness(&self) -> f64 {
        let (one, other) = (normal::error(&self.one), normal::error(&self.other));
        if one == other {
            return f64::INFINITY;
        }
        Compared::of(&one).likeness(&Compared::of(&other))
    }
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(errors) = arguments.cost {
        return speed::run(errors as usize);
    }
    let pairs: Vec<Pair> = PAIRS
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    line(
        "the share of pairs that are taken for the same error: with the same normal form, and by threshold",
    );
    print("own pairs", &pairs);
    if arguments.mistakes {
        let tuned = pairs.iter().filter(|pair| pair.half != REPORTED);
        for pair in tuned.filter(|pair| pair.same != (pair.likeness() >= NEAR)) {
            line(&format!(
                "  {} {:.2}\n    {:?}\n    {:?}",
                pair.kind,
                pair.likeness(),
                pair.one,
                pair.other
            ));
        }
    }
    if let Some(folder) = &arguments.data {
        print("recorded runs", &forms_of(recovered_errors(folder)?));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(name: &str, pairs: &[Pair]) {
    let mut groups: BTreeMap<(&str, bool, &str), Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        let likeness = pair.likeness();
        for kind in ["all", &pair.kind] {
            let group = groups.entry((&pair.half, !pair.same, kind)).or_default();
            group.push(likeness);
        }
    }
    let thresholds = THRESHOLDS
        .map(|threshold| format!("{threshold:>6.2}"))
        .concat();
    line(&format!("\n{name:52} pairs  equal{thresholds}"));
    for ((half, is_different, kind), likenesses) in groups {
        let share = |least: f64| {
            let found = likenesses.iter().filter(|likeness| **likeness >= least);
            format!("{:6.3}", found.count() as f64 / likenesses.len() as f64)
        };
        let is = if is_different {
            "different"
        } else {
            "the same"
        };
        line(&format!(
            "  {:50} {:5} {}{}",
            format!("{half}: {is}: {kind}"),
            likenesses.len(),
            share(f64::INFINITY),
            THRESHOLDS.map(share).concat()
        ));
    }
}

/// Recorded errors, each with its other forms.
fn forms_of(errors: BTreeSet<(bool, String)>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (chosen_on, error) in errors {
        let half = if chosen_on { "tune" } else { REPORTED };
        for (kind, other) in forms(&error) {
            pairs.push(Pair {
                half: half.to_owned(),
                kind: kind.to_owned(),
                same: true,
                one: error.clone(),
                other,
            });
        }
    }
    pairs
}

/// A message in other forms.
fn forms(error: &str) -> [(&'static str, String); 6] {
    [
        ("prefix", format!("error: {error}")),
        ("prefix of a test", format!("E   {error}")),
        (
            "program and time",
            format!("2031-03-04 09:15:00 worker: {error}"),
        ),
        ("place before", format!("src/run.py:12:34: {error}")),
        ("place after", format!("{error}\n  --> src/main.rs:3:14")),
        ("without quotes", error.replace(['\'', '`', '"'], "")),
    ]
}
