//! Stage 5: a second look at the best candidates together.
//!
//! The weighted sum of the features judges each candidate by itself, in the same way for every query. Boosted trees
//! (LambdaMART, Burges 2010) correct the scores of the best by what is known of query and text together
//! ([`PairFeatures`]) and by how each value compares with those of the other candidates. They were fitted by
//! `crates/anamne-eval/fitting/second_look.py` on top of the weighted sum.

mod forest;
mod pair;

use crate::feature_inputs::FeatureInputs;
use crate::model::{self, Features, Weights};
use crate::ranked::{Ranked, sort};
use crate::views::best_first;
use crate::words::Reader;
use forest::Forest;
pub(crate) use pair::PairFeatures;
use pair::PairQuery;

/// Declares which features of the first stage are inputs: those that conversations with known evidence can teach.
/// `role`, like the length of a text and whether a program wrote it, helped on known kinds of conversation only.
macro_rules! inputs {
    ($($name:ident,)+) => {
        const OWN_NAMES: &[&str] = &[$(stringify!($name),)+];

        fn own_values(features: &Features) -> impl Iterator<Item = f32> {
            [$(features.$name,)+].into_iter()
        }
    };
}

inputs! {
    lexical,
    semantic,
    words,
    window_lexical,
    window_words,
    window_semantic,
    thread_lexical,
    thread_words,
    thread_feedback,
    lsi_similarity,
    rare_term,
    author,
    date,
    mentions_time,
    long_query_recency,
    recency,
}

/// Inputs of a candidate besides its features: its score below the best and above the tenth.
const SCORE_NAMES: [&str; 2] = ["behind", "ahead"];

/// The place that `ahead` compares with.
const TENTH: usize = 9;

/// Deviations below this count as none.
const SAME: f32 = 1e-4;

/// The names of the inputs, in order: of the score, of all values, and of all standardised values.
fn input_names() -> impl Iterator<Item = String> {
    let values = || OWN_NAMES.iter().chain(PairFeatures::NAMES);
    let plain = SCORE_NAMES
        .iter()
        .chain(values())
        .map(|name| (*name).to_owned());
    plain.chain(values().map(|name| format!("relative_{name}")))
}

/// Corrects the scores of the best of `ranked` and orders all again. Which are the best is judged by the default
/// weights, so that a request with its own weights or with a role doesn't change corrections and confidence.
/// O(their tokens + trees).
pub(crate) fn correct(inputs: &FeatureInputs<'_>, reader: &mut Reader<'_>, ranked: &mut [Ranked]) {
    let mut best: Vec<(f32, &mut Ranked)> = ranked
        .iter_mut()
        .map(|ranked| (default_score(ranked), ranked))
        .collect();
    best.sort_unstable_by(|one, other| {
        best_first(
            (one.0, one.1.candidate.row),
            (other.0, other.1.candidate.row),
        )
    });
    best.truncate(model::SECOND_LOOK);
    let query = PairQuery::of(inputs);
    for (_, ranked) in &mut best {
        ranked.pair = Some(Box::new(query.features(inputs, reader, ranked)));
    }
    let forest = Forest::fitted();
    let tree_inputs = tree_inputs(&best);
    for ((_, ranked), tree_inputs) in best.into_iter().zip(tree_inputs) {
        ranked.features.second_look = forest.sum(&tree_inputs);
        ranked.score = ranked.features.score(inputs.weights);
    }
    sort(ranked);
}

/// The score with default weights and without a role.
fn default_score(ranked: &Ranked) -> f32 {
    let role_fit = 0.0;
    let features = Features {
        role_fit,
        ..ranked.features
    };
    features.score(&Weights::DEFAULT)
}

/// The inputs of each candidate, best first, in the order of [`input_names`].
fn tree_inputs(best: &[(f32, &mut Ranked)]) -> Vec<Vec<f32>> {
    let values = best.iter().map(|(_, ranked)| {
        let pair = ranked.pair.as_deref().copied().unwrap_or_default();
        own_values(&ranked.features).chain(pair.values()).collect()
    });
    let values: Vec<Vec<f32>> = values.collect();
    let relative = standardised(&values);
    let score = |place: usize| best.get(place).map_or(0.0, |(score, _)| *score);
    let (first, tenth) = (score(0), score(TENTH.min(best.len().saturating_sub(1))));
    let all = best.iter().zip(values).zip(relative);
    all.map(|(((score, _), values), relative)| {
        let scores = [score - first, score - tenth];
        scores.into_iter().chain(values).chain(relative).collect()
    })
    .collect()
}

/// Each value minus its mean over the candidates, in standard deviations; 0 where all are equal.
fn standardised(values: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let columns = values.first().map_or(0, Vec::len);
    let count = values.len().max(1) as f32;
    let mut relative = values.to_vec();
    for column in 0..columns {
        let mean = values.iter().map(|row| row[column]).sum::<f32>() / count;
        let squares = values.iter().map(|row| (row[column] - mean).powi(2));
        let deviation = (squares.sum::<f32>() / count).sqrt();
        for row in &mut relative {
            row[column] = if deviation > SAME {
                (row[column] - mean) / deviation
            } else {
                0.0
            };
        }
    }
    relative
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_with_those_of_the_other_candidates() {
        let values = [vec![1.0, 7.0], vec![3.0, 7.0], vec![5.0, 7.0]];
        let relative = standardised(&values);
        let deviation = (8.0_f32 / 3.0).sqrt();
        for (row, expected) in relative.iter().zip([-2.0 / deviation, 0.0, 2.0 / deviation]) {
            assert!((row[0] - expected).abs() < 1e-6, "{relative:?}");
            assert!(row[1].abs() < 1e-6, "{relative:?}");
        }
        assert!(standardised(&[]).is_empty());
    }

    #[test]
    fn a_candidate_has_an_input_for_every_name() {
        let mut ranked = Ranked::sample(1, Features::default());
        let inputs = tree_inputs(&[(0.0, &mut ranked)]);
        assert_eq!(inputs[0].len(), input_names().count());
    }
}
