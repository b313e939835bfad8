//! By which formula results are ordered.

use crate::InvalidValue;
use crate::body::words;
use crate::limits::accept;

words! {
    /// The formula by which results are ordered.
    ///
    /// All but the first are there for comparison: formulas that others have published, over what the search by words and the one by
    /// meaning find. In them
    ///
    /// - *lexical* is BM25 over the most in the list of the search by words, and 0 for what is not in it;
    /// - *semantic* is the cosine, no less than 0, and 0 for what is not in the list of the search by meaning;
    /// - *graph* is 1 for a memory that stands next to another of the first sixteen of either list in its thread, or has a link with
    ///   it, else 0;
    /// - *importance* is over ten, and *recency* `exp(-Δt/τ)`.
    ///
    /// Whatever the formula, confidence is judged by the full one, what repeats a better result goes behind, and what took a
    /// memory's place comes before it. Weights and roles have a say in the full formula alone.
    #[derive(Default)]
    Ranking as "ranking" {
        /// The weighted sum of all features.
        #[default]
        Full = 1 "full",
        /// Reciprocal rank fusion of both searches, `Σ 1 / (60 + place)` (Cormack, Clarke and Büttcher 2009).
        ReciprocalRank = 2 "reciprocal_rank",
        /// `0.4 · semantic + 0.3 · lexical + 0.2 · graph + 0.1 · importance`.
        MeaningFirst = 3 "meaning_first",
        /// `0.5 · lexical + 0.2 · graph + 0.2 · importance + 0.1 · recency`.
        WordsFirst = 4 "words_first",
    }
}

/// The most that a feature may weigh, in either direction.
const HEAVIEST: f32 = 1_000.0;

/// Checks the weight that `field` gives to a feature: a number from -1000 to 1000. Whether there is such a feature is known
/// where results are ranked.
pub fn check_weight(field: &str, feature: &str, weight: f32) -> Result<(), InvalidValue> {
    let accepts = format_args!("a number from -{HEAVIEST} to {HEAVIEST} for {feature}");
    let is_light = weight.is_finite() && weight.abs() <= HEAVIEST;
    accept(is_light, field, accepts, weight)
}
