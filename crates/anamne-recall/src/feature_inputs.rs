//! What the features of a candidate are made from, beside the candidate.

use std::ops::Range;

use anamne_types::Row;

use crate::lsi::LsiQuery;
use crate::model::{Features, Weights};
use crate::query_intent::QueryIntent;
use crate::roles::RolePreferences;
use crate::views::Columns;
use crate::words::ParsedQuery;

/// What ranking needs beside the candidates.
pub(crate) struct FeatureInputs<'a> {
    pub(crate) query: &'a ParsedQuery,
    pub(crate) columns: &'a dyn Columns,
    /// The cosine of rows with the question's vector; `None` where a row has no vector.
    pub(crate) cosines: &'a dyn Fn(&[Row]) -> Vec<Option<f32>>,
    /// Recency counts from here, microseconds since 1970.
    pub(crate) latest: i64,
    /// The ranges of time that the question asks about, microseconds since 1970.
    pub(crate) times: &'a [Range<i64>],
    /// The terms of the question by which a text says such a time itself.
    pub(crate) date_terms: &'a [usize],
    /// The τ of recency, in days.
    pub(crate) recency_days: f32,
    /// Which numbers of authors are roles rather than persons: those that speak as a user, and as a program.
    pub(crate) user_authors: &'a [u32],
    pub(crate) program_authors: &'a [u32],
    /// Other weights than those of the table, where the space or the question has them.
    pub(crate) weights: Option<&'a Weights>,
    /// The kinds and categories that the question asks for by its wording.
    pub(crate) intent: QueryIntent,
    /// How often a memory was opened of late, 0 to 1.
    pub(crate) access: &'a dyn Fn(Row) -> f32,
    /// Where the question lies in what the space tells together, where that is known.
    pub(crate) lsi: Option<&'a LsiQuery<'a>>,
    /// How memories look to the role as which it is asked, if any.
    pub(crate) role_preferences: Option<&'a RolePreferences>,
}

impl FeatureInputs<'_> {
    /// The weighted sum of features.
    pub(crate) fn score(&self, features: &Features) -> f32 {
        match self.weights {
            None => features.score(),
            Some(weights) => features.score_by(weights),
        }
    }
}
