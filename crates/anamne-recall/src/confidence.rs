//! How sure each result is: a calibrated probability that it bears on the question.

use crate::model::{self, Features};
use crate::rank::Ranked;

/// How many of each search's first results count for agreement.
const FIRST: usize = 10;

/// Judges how sure each of the first `places` results is.
pub(crate) fn judge(ranked: &mut [Ranked], places: usize) {
    let content = |ranked: &Ranked| ranked.score - ranked.features.author * model::AUTHOR_WEIGHT;
    let best = ranked
        .iter()
        .max_by(|one, other| content(one).total_cmp(&content(other)));
    let (best_content, best_author) =
        best.map_or((0.0, 0.0), |best| (content(best), best.features.author));
    let tenth = match ranked.get(FIRST - 1) {
        Some(tenth) => tenth.score,
        // Fewer candidates than that: what has nothing in common with a question scores about nothing.
        None => 0.0,
    };
    for (rank, ranked) in ranked.iter_mut().take(places).enumerate() {
        let by_both = [ranked.candidate.lexical_rank, ranked.candidate.vector_rank]
            .iter()
            .all(|rank| rank.is_some_and(|rank| (rank as usize) < FIRST));
        let standing = Standing {
            rank,
            best_content,
            best_author,
            tenth,
            by_both,
        };
        ranked.confidence = confidence(&ranked.features, ranked.score, &standing);
    }
}

/// What confidence is judged by, beside the features.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// The place in the answer, from 0.
    rank: usize,
    /// The best score among the candidates, their authors aside.
    best_content: f32,
    /// The author feature of that best candidate.
    best_author: f32,
    /// The score of the tenth candidate; of the last one where there are fewer.
    tenth: f32,
    /// Whether both searches have it among their first ten.
    by_both: bool,
}

/// The probability that a result bears on the question: a logistic regression on results whose relevance is
/// known, each set of conversations weighing the same.
fn confidence(features: &Features, score: f32, standing: &Standing) -> f32 {
    let content = score - features.author * model::AUTHOR_WEIGHT;
    let logit = -2.2401 - 0.0496 * score
        + 0.1044 * (content - standing.best_content)
        + 0.3476 * (score - standing.tenth)
        - 0.3467 * features.words
        + 2.4425 * features.semantic
        - 0.3333 * features.lexical
        + 0.3808 * f32::from(u8::from(standing.by_both))
        - 0.2331 * (standing.rank as f32).ln_1p()
        + 0.0198 * standing.best_author
        - 0.3942 * features.author;
    1.0 / (1.0 + (-logit).exp())
}
