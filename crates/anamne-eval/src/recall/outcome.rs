//! What one question came to.

use super::metrics::Ranking;

/// recall@10 of a question by the feature that is left out.
pub(crate) type Without = Vec<(String, f64)>;

/// What one question came to.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) category: String,
    pub(crate) counts: bool,
    pub(crate) answerable: bool,
    pub(crate) rankings: Vec<(String, Ranking)>,
    /// Confidence and relevance of the full recall's first ten results.
    pub(crate) judged: Vec<(f32, bool)>,
    /// What the full recall said of the whole answer: the probability that there is one.
    pub(crate) answered: f32,
    /// Confidence of the full recall's first result.
    pub(crate) best_confidence: f32,
    /// Whether it was put to another conversation than its own.
    pub(crate) foreign: bool,
    /// What it comes to without each feature, where that was asked for.
    pub(crate) without: Without,
}

impl Outcome {
    /// One figure of a run.
    pub(crate) fn figure(&self, run: &str, metric: &str) -> Option<f64> {
        let (_, ranking) = self.rankings.iter().find(|(name, _)| *name == run)?;
        ranking.figures.get(metric).copied()
    }
}
