//! Inputs of the features besides the candidate.

use std::ops::Range;

use anamne_types::Row;

use crate::lsi::LsiQuery;
use crate::model::Weights;
use crate::query_intent::QueryIntent;
use crate::roles::RolePreferences;
use crate::views::Columns;
use crate::words::ParsedQuery;

/// Inputs of the features besides the candidate.
pub(crate) struct FeatureInputs<'a> {
    pub(crate) query: &'a ParsedQuery,
    pub(crate) columns: &'a dyn Columns,
    /// The cosine of rows with the query's vector; `None` for a row without vectors.
    pub(crate) cosines: &'a dyn Fn(&[Row]) -> Vec<Option<f32>>,
    /// The reference time of recency, microseconds since 1970.
    pub(crate) latest: i64,
    /// The time ranges that the query mentions, microseconds since 1970.
    pub(crate) times: &'a [Range<i64>],
    /// The query terms that name such a time.
    pub(crate) date_terms: &'a [usize],
    /// The τ of recency, in days.
    pub(crate) recency_days: f32,
    /// The numbers of authors that are roles rather than persons: users and programs.
    pub(crate) user_authors: &'a [u32],
    pub(crate) program_authors: &'a [u32],
    /// The weights of the features.
    pub(crate) weights: &'a Weights,
    /// The kinds and categories that the query's wording asks for.
    pub(crate) intent: QueryIntent,
    /// The access score of a memory, 0 to 1.
    pub(crate) access: &'a dyn Fn(Row) -> f32,
    /// The query in the latent index, if available.
    pub(crate) lsi: Option<&'a LsiQuery<'a>>,
    /// The preferences of the requested role, if any.
    pub(crate) role_preferences: Option<&'a RolePreferences>,
}
