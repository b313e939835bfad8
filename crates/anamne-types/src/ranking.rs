//! Ranking formulas.

use crate::InvalidValue;
use crate::body::string_enum;
use crate::limits::accept;

string_enum! {
    /// The ranking formula.
    ///
    /// All but the first are published formulas for comparison, over the hits of the lexical and the vector search:
    ///
    /// - *lexical*: BM25 over the highest in the list of the lexical search; 0 if not listed;
    /// - *semantic*: the cosine, at least 0; 0 if not in the list of the vector search;
    /// - *graph*: 1 for a memory next to one of the first sixteen of either list in its thread, or linked with one,
    ///   else 0;
    /// - *importance*: divided by ten; *recency*: `exp(-Δt/τ)`.
    ///
    /// With every formula, confidence uses the full one, duplicates rank behind, and a superseding memory ranks before
    /// the superseded one. Weights and roles apply to the full formula only.
    #[derive(Default)]
    Ranking as "ranking" {
        /// The weighted sum of all features.
        #[default]
        Full = 1 "full",
        /// Reciprocal rank fusion of both searches, `Σ 1 / (60 + rank)` (Cormack, Clarke and Büttcher 2009).
        ReciprocalRank = 2 "reciprocal_rank",
        /// `0.4 · semantic + 0.3 · lexical + 0.2 · graph + 0.1 · importance`.
        MeaningFirst = 3 "meaning_first",
        /// `0.5 · lexical + 0.2 · graph + 0.2 · importance + 0.1 · recency`.
        WordsFirst = 4 "words_first",
    }
}

/// The maximum absolute weight of a feature.
const MAX_WEIGHT: f32 = 1_000.0;

/// Checks the weight of a feature in `field`: -1000 to 1000. Whether the feature exists is checked by recall.
pub fn check_weight(field: &str, feature: &str, weight: f32) -> Result<(), InvalidValue> {
    let accepts = format_args!("a number from -{MAX_WEIGHT} to {MAX_WEIGHT} for {feature}");
    let is_light = weight.is_finite() && weight.abs() <= MAX_WEIGHT;
    accept(is_light, field, accepts, weight)
}
