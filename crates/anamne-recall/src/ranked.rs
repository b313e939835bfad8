//! A candidate that was ranked: what every stage after the ranking passes on.

use crate::candidates::Candidate;
use crate::model::Features;

/// A candidate with its signals and its score.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) candidate: Candidate,
    pub(crate) features: Features,
    pub(crate) score: f32,
    /// The probability that it bears on the question; set once all are ranked.
    pub(crate) confidence: f32,
    /// What else made its place, where that is not as usual.
    pub(crate) overrides: Option<Box<RankOverrides>>,
}

/// Name, value and weight of a part of a score.
pub(crate) type ScorePart = (&'static str, f32, f32);

/// What made the place of a result, beside the weighted sum of its features.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankOverrides {
    /// The parts of its score, where another formula made it.
    pub(crate) formula: Vec<ScorePart>,
    /// The reranker's score and what it weighed.
    pub(crate) reranker: Option<(f32, f32)>,
    /// The rare word of the question that it came first for.
    pub(crate) rare_word: Option<String>,
    /// How like it is to a result before it, where that counted.
    pub(crate) similarity: Option<f32>,
}

impl Ranked {
    /// A candidate with its signals, scored; its confidence comes later.
    pub(crate) fn new(candidate: Candidate, features: Features, score: f32) -> Self {
        Self {
            candidate,
            features,
            score,
            confidence: 0.0,
            overrides: None,
        }
    }

    /// What else made its place, to be added to.
    pub(crate) fn overrides_mut(&mut self) -> &mut RankOverrides {
        self.overrides.get_or_insert_default()
    }

    /// Whether one of the searches found it.
    pub(crate) fn is_found(&self) -> bool {
        self.is_among_first(usize::MAX)
    }

    /// Whether it is among the first `places` that one of the searches found.
    pub(crate) fn is_among_first(&self, places: usize) -> bool {
        let ranks = [self.candidate.lexical_rank, self.candidate.vector_rank];
        let mut ranks = ranks.into_iter().flatten();
        ranks.any(|rank| (rank as usize) < places)
    }

    /// A result that nothing found, for tests.
    #[cfg(test)]
    pub(crate) fn sample(row: u32, features: Features) -> Self {
        let attributes = anamne_store::view::Attributes::default();
        let candidate = Candidate::unfound(anamne_types::Row(row), attributes);
        Self::new(candidate, features, 0.0)
    }
}

/// Orders by score, best first; equals by rising row. What is sorted are keys: results are large, and moved once.
pub(crate) fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by_cached_key(|ranked| (falling(ranked.score), ranked.candidate.row));
}

/// A number that is the lower the higher the score is, in the order of [`f32::total_cmp`].
fn falling(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    // Of negative numbers all bits but the sign count backwards.
    !(bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed())
}

/// The lowest score and how far the highest is above it.
pub(crate) fn range_of_scores(ranked: &[Ranked]) -> (f32, f32) {
    let scores = || ranked.iter().map(|ranked| ranked.score);
    let least = scores().fold(f32::MAX, f32::min);
    (least, scores().fold(f32::MIN, f32::max) - least)
}
