//! By which formula results are ordered.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::body::words;

words! {
    /// The formula by which results are ordered. All but the first are there for comparison: formulas that others have published.
    #[derive(Default)]
    Ranking as "ranking" {
        /// The weighted sum of all features.
        #[default]
        Full = 1 "full",
        /// Reciprocal rank fusion of the search by words and the one by meaning, `Σ 1 / (60 + rank)` (Cormack, Clarke and
        /// Büttcher 2009).
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
pub fn check_weight(field: &str, feature: &str, weight: f32) -> Result<(), Refusal> {
    if weight.is_finite() && weight.abs() <= HEAVIEST {
        return Ok(());
    }
    let accepts = format!("a number from -{HEAVIEST} to {HEAVIEST} for {feature}");
    Err(Refusal::new(field, accepts, weight))
}
