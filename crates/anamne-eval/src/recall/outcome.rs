//! The outcome of one question.

use super::metrics::Ranking;

/// recall@10 of a question by the omitted feature.
pub(crate) type FeatureAblation = Vec<(String, f64)>;

/// A result that an agent reads.
#[derive(Clone, Copy)]
pub(crate) struct PaidResult {
    pub(crate) confidence: f32,
    /// Its tokens.
    pub(crate) tokens: usize,
    /// Its share of the question's evidence.
    pub(crate) worth: f64,
}

/// The outcome of one question.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) category: String,
    pub(crate) counts: bool,
    pub(crate) answerable: bool,
    pub(crate) rankings: Vec<(String, Ranking)>,
    /// Confidence and relevance of the full recall's first ten results.
    pub(crate) judged: Vec<(f32, bool)>,
    /// The full recall's first ten results, as an agent pays for them.
    pub(crate) paid: Vec<PaidResult>,
    /// The full recall's probability that an answer exists.
    pub(crate) answered: f32,
    /// Confidence of the full recall's first result.
    pub(crate) best_confidence: f32,
    /// Whether the question is about another conversation.
    pub(crate) foreign: bool,
    /// recall@10 without each feature, if requested.
    pub(crate) without: FeatureAblation,
}

impl Outcome {
    /// One metric of a run.
    pub(crate) fn figure(&self, run: &str, metric: &str) -> Option<f64> {
        let (_, ranking) = self.rankings.iter().find(|(name, _)| *name == run)?;
        ranking.figures.get(metric).copied()
    }
}
