//! By which formula results are ordered.

use serde::{Deserialize, Serialize};

/// The formula by which results are ordered. All but the first are there for comparison: formulas that others have published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// The weighted sum of all features.
    #[default]
    Full,
    /// Reciprocal rank fusion of the search by words and the one by meaning, `Σ 1 / (60 + rank)` (Cormack, Clarke and Büttcher
    /// 2009).
    ReciprocalRank,
    /// `0.4 · semantic + 0.3 · lexical + 0.2 · graph + 0.1 · importance`.
    MeaningFirst,
    /// `0.5 · lexical + 0.2 · graph + 0.2 · importance + 0.1 · recency`.
    WordsFirst,
}
