//! Stage 5: a second look at the best candidates together.
//!
//! The weighted sum of the features judges each candidate by itself, in the same way for every query. Boosted trees
//! (LambdaMART, Burges 2010) correct the scores of the best by what is known of query and text together
//! ([`PairFeatures`]) and by how each value compares with those of the other candidates. They were fitted by
//! `crates/anamne-eval/fitting/second_look.py` on top of the weighted sum.

mod forest;
mod pair;

use crate::feature_inputs::FeatureInputs;
use crate::model::{Features, SECOND_LOOK, Weights};
use crate::ranked::{Ranked, sort};
use crate::views::best_first;
use crate::words::Reader;
use forest::Column;
pub use forest::Forest;
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
pub(crate) fn correct(
    forest: &Forest,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    ranked: &mut [Ranked],
) {
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
    best.truncate(SECOND_LOOK);
    let query = PairQuery::of(inputs);
    for (_, ranked) in &mut best {
        ranked.pair = Some(Box::new(query.features(inputs, reader, ranked)));
    }
    let corrections = forest.sums(&columns(&best));
    for ((_, ranked), correction) in best.into_iter().zip(corrections) {
        ranked.features.second_look = correction;
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

/// The inputs of the candidates, best first, in the order of [`input_names`].
fn columns(best: &[(f32, &mut Ranked)]) -> Vec<Column> {
    let count = OWN_NAMES.len() + PairFeatures::NAMES.len();
    let mut columns = vec![[0.0; SECOND_LOOK]; SCORE_NAMES.len() + 2 * count];
    let (scores, values) = columns.split_at_mut(SCORE_NAMES.len());
    let (plain, relative) = values.split_at_mut(count);
    let score = |place: usize| best.get(place).map_or(0.0, |(score, _)| *score);
    let (first, tenth) = (score(0), score(TENTH.min(best.len().saturating_sub(1))));
    for (lane, (score, ranked)) in best.iter().enumerate() {
        scores[0][lane] = score - first;
        scores[1][lane] = score - tenth;
        let pair = ranked.pair.as_deref().copied().unwrap_or_default();
        let values = own_values(&ranked.features).chain(pair.values());
        for (column, value) in plain.iter_mut().zip(values) {
            column[lane] = value;
        }
    }
    for (relative, plain) in relative.iter_mut().zip(plain) {
        standardise(&plain[..best.len()], relative);
    }
    columns
}

/// Each value minus the mean, in standard deviations; 0 where all are equal.
fn standardise(values: &[f32], relative: &mut [f32]) {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let deviation = (squares.sum::<f32>() / count).sqrt();
    if deviation > SAME {
        for (relative, value) in relative.iter_mut().zip(values) {
            *relative = (value - mean) / deviation;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_with_those_of_the_other_candidates() {
        let mut relative = [0.0; 4];
        standardise(&[1.0, 3.0, 5.0], &mut relative);
        let deviation = (8.0_f32 / 3.0).sqrt();
        for (value, expected) in relative.iter().zip([-2.0, 0.0, 2.0, 0.0]) {
            assert!((value - expected / deviation).abs() < 1e-6, "{relative:?}");
        }
        let mut same = [0.0; 2];
        standardise(&[7.0, 7.0], &mut same);
        assert!(same.iter().all(|value| value.abs() < 1e-6));
    }

    #[test]
    fn there_is_a_column_for_every_input() {
        let mut ranked = Ranked::sample(1, Features::default());
        assert_eq!(columns(&[(0.0, &mut ranked)]).len(), input_names().count());
        assert_eq!(columns(&[]).len(), input_names().count());
    }
}
