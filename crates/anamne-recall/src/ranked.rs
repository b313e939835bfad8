//! A ranked candidate, as passed on to the later stages.

use anamne_types::Row;

use crate::candidates::Candidate;
use crate::model::Features;
use crate::second_look::PairFeatures;

/// A candidate with its features and score.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) candidate: Candidate,
    pub(crate) features: Features,
    pub(crate) score: f32,
    /// The probability that it is relevant; set after ranking.
    pub(crate) confidence: f32,
    /// The rows before and after it in its thread, if they were read.
    pub(crate) adjacent: Option<[Option<Row>; 2]>,
    /// What the second look compared; `None` beyond the best candidates.
    pub(crate) pair: Option<Box<PairFeatures>>,
    /// Whether a better result has the same words.
    pub(crate) repeats: bool,
    /// What else determined its rank, if anything.
    pub(crate) overrides: Option<Box<RankOverrides>>,
}

/// Name, value and weight of a part of a score.
pub(crate) type ScorePart = (&'static str, f32, f32);

/// What determined the rank of a result besides the weighted sum of its features.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankOverrides {
    /// The parts of its score, if another formula produced it.
    pub(crate) formula: Vec<ScorePart>,
    /// The reranker's score and its weight.
    pub(crate) reranker: Option<(f32, f32)>,
    /// The rare word of the query that moved it to the front.
    pub(crate) rare_word: Option<String>,
    /// The maximum similarity to an earlier result, if diversity was requested.
    pub(crate) similarity: Option<f32>,
}

impl Ranked {
    /// A scored candidate without confidence.
    pub(crate) fn new(candidate: Candidate, features: Features, score: f32) -> Self {
        Self {
            candidate,
            features,
            score,
            confidence: 0.0,
            adjacent: None,
            pair: None,
            repeats: false,
            overrides: None,
        }
    }

    /// The overrides, created on first use.
    pub(crate) fn overrides_mut(&mut self) -> &mut RankOverrides {
        self.overrides.get_or_insert_default()
    }

    /// Whether one of the searches found it.
    pub(crate) fn is_found(&self) -> bool {
        self.is_in_top(usize::MAX)
    }

    /// Whether it is among the first `places` hits of either search.
    pub(crate) fn is_in_top(&self, places: usize) -> bool {
        let ranks = [self.candidate.lexical_rank, self.candidate.vector_rank];
        let mut ranks = ranks.into_iter().flatten();
        ranks.any(|rank| (rank as usize) < places)
    }

    /// A result that no search found, for tests.
    #[cfg(test)]
    pub(crate) fn sample(row: u32, features: Features) -> Self {
        let attributes = anamne_store::view::Attributes::default();
        let candidate = Candidate::unfound(Row(row), attributes);
        Self::new(candidate, features, 0.0)
    }
}

/// Sorts by score, best first; ties by row. Sorts keys, because results are large.
pub(crate) fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by_cached_key(|ranked| (descending_key(ranked.score), ranked.candidate.row));
}

/// An integer that decreases with the score, in the order of [`f32::total_cmp`].
fn descending_key(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    // For negative numbers all bits except the sign are reversed in order.
    !(bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed())
}

/// The lowest score, and the difference between the highest and the lowest.
pub(crate) fn range_of_scores(ranked: &[Ranked]) -> (f32, f32) {
    let scores = || ranked.iter().map(|ranked| ranked.score);
    let least = scores().fold(f32::MAX, f32::min);
    (least, scores().fold(f32::MIN, f32::max) - least)
}
