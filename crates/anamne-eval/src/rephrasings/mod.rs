//! Is a question that is asked again in other words told from the next question of a conversation?

use std::path::PathBuf;
use std::process::ExitCode;

use anamne_experience::rephrasing::{REPHRASED, rephrasing};

use crate::cache::pairs::{Pair, of_file, own};
use crate::corpus::{ConversationFilter, Corpus};
use crate::failure::Failure;
use crate::output::line;

/// Questions before one with which it is compared, as the product compares it.
const BEFORE: usize = 16;

/// Thresholds that are compared.
const THRESHOLDS: [f32; 10] = [0.6, 0.65, 0.7, 0.75, 0.8, 0.825, 0.85, 0.875, 0.9, 0.95];

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// More labelled pairs, in the form of our own
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
}

/// The likenesses of the pairs of one set; none where numbers or operators differ.
struct Compared {
    name: String,
    likenesses: Vec<Option<f32>>,
}

impl Compared {
    fn of<'pair>(
        name: String,
        pairs: impl Iterator<Item = (&'pair str, &'pair str)>,
    ) -> Result<Self, Failure> {
        let compared = pairs.map(|(one, other)| Ok(rephrasing(one, other)?));
        Ok(Self {
            name,
            likenesses: compared.collect::<Result<_, Failure>>()?,
        })
    }

    /// The share of pairs that are taken for the same question.
    fn share(&self, threshold: f32) -> f64 {
        let same = self
            .likenesses
            .iter()
            .flatten()
            .filter(|one| **one >= threshold);
        same.count() as f64 / self.likenesses.len().max(1) as f64
    }
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut all = Vec::new();
    let mut sets = own()?;
    if let Some(file) = &arguments.pairs {
        sets.push(of_file(file)?);
    }
    for set in &sets {
        for same in [true, false] {
            let pairs = set.pairs.iter().filter(|pair| pair.same == same);
            let pairs = pairs.map(|Pair { a, b, .. }| (a.as_str(), b.as_str()));
            let is = if same { "the same" } else { "different" };
            all.push(Compared::of(format!("{}: {is}", set.name), pairs)?);
        }
    }
    let corpora = arguments.chosen.corpora()?;
    let mut names: Vec<&str> = corpora.iter().map(|corpus| corpus.set.as_str()).collect();
    names.dedup();
    for set in names {
        let pairs = corpora
            .iter()
            .filter(|corpus| corpus.set == set)
            .flat_map(neighbours);
        all.push(Compared::of(format!("{set}: next to each other"), pairs)?);
    }
    let thresholds: Vec<String> = THRESHOLDS.iter().map(ToString::to_string).collect();
    line(&format!(
        "share taken for the same question, by threshold (in use: {REPHRASED})"
    ));
    line(&format!(
        "{:36} {:>7}  {}",
        "pairs",
        "number",
        thresholds.join("  ")
    ));
    for compared in &all {
        let shares = THRESHOLDS.map(|threshold| format!("{:.3}", compared.share(threshold)));
        let (name, count) = (&compared.name, compared.likenesses.len());
        line(&format!("{name:36} {count:>7}  {}", shares.join("  ")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Each question of a conversation with the ones before it.
fn neighbours(corpus: &Corpus) -> impl Iterator<Item = (&str, &str)> {
    let questions = &corpus.queries;
    (0..questions.len()).flat_map(move |place| {
        let before = &questions[place.saturating_sub(BEFORE)..place];
        before
            .iter()
            .map(move |one| (one.text.as_str(), questions[place].text.as_str()))
    })
}
