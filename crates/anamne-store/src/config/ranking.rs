//! Ranking settings of a space.

use std::collections::BTreeMap;

use anamne_types::{Category, InvalidValue, Kind, Limits, check_weight};
use serde::{Deserialize, Serialize};

use super::check_model;

/// Ranking settings of a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecallConfig {
    /// The τ of `exp(-Δt/τ)`, in days: recency falls to 37 % after this time.
    pub recency_days: f32,
    /// Overridden feature weights, by the names in explanations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f32>,
    /// The name of the model that scores the first results again; none if absent. A reranker of the program takes its
    /// place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// Roles in addition to the built-in ones, or replacing them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, RoleConfig>,
}

/// Points that memories gain or lose for a role. For scale: a cosine higher by 0.1 is worth about half a point, and the
/// top results of a query differ by some points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleConfig {
    /// Points for importance 10; importance 5 gains nothing, lower importance loses as much.
    pub importance: f32,
    /// Points by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<Kind, f32>,
    /// Points by fact category.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<Category, f32>,
}

impl RoleConfig {
    /// The maximum points gained or lost, for each field and in total.
    pub const MOST_POINTS: f32 = 3.0;

    /// Checks the numbers of the role `name`.
    fn check(&self, name: &str) -> Result<(), InvalidValue> {
        let is_name = !name.trim().is_empty() && !name.chars().any(char::is_control);
        if !is_name || name.len() > Limits::NAME_BYTES {
            let accepts = format!(
                "named by 1 to {} bytes without control characters",
                Limits::NAME_BYTES
            );
            return Err(InvalidValue::new(
                "recall.roles",
                accepts,
                format!("{name:?}"),
            ));
        }
        let mut points = self
            .kinds
            .values()
            .chain(self.categories.values())
            .chain([&self.importance]);
        match points.find(|points| !points.is_finite() || points.abs() > Self::MOST_POINTS) {
            None => Ok(()),
            Some(points) => Err(InvalidValue::new(
                format!("recall.roles.{name}"),
                format!("of points from -{0} to {0}", Self::MOST_POINTS),
                points,
            )),
        }
    }
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            recency_days: 30.0,
            weights: BTreeMap::new(),
            reranker: None,
            roles: BTreeMap::new(),
        }
    }
}

impl RecallConfig {
    /// Checks bounds. Recall checks the feature names.
    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        let days = self.recency_days;
        if !(days > 0.0 && days.is_finite()) {
            let accepts = "a number above 0";
            return Err(InvalidValue::new("recall.recency_days", accepts, days));
        }
        let mut weights = self.weights.iter();
        weights
            .try_for_each(|(feature, weight)| check_weight("recall.weights", feature, *weight))?;
        if let Some(model) = &self.reranker {
            check_model("recall.reranker", model)?;
        }
        let mut roles = self.roles.iter();
        roles.try_for_each(|(name, role)| role.check(name))
    }
}
