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
