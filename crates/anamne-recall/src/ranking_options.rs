//! Options that change the order of results: weights, role, formula, reranker, diversity. Applied in `reordering.rs`.

use std::collections::BTreeMap;

use anamne_embed::Reranker;
use anamne_store::RecallConfig;
use anamne_types::{InvalidValue, Ranking, Recall, Signals};

use crate::model::Weights;
use crate::roles::RolePreferences;
use crate::weights;

/// The ranking options of a query and its space.
pub(crate) struct RankingOptions<'a> {
    /// Weights that override the defaults.
    pub(crate) weights: Option<Weights>,
    /// The preferences of the requested role.
    pub(crate) role_preferences: Option<RolePreferences>,
    /// The reranker of the first results.
    pub(crate) reranker: Option<&'a dyn Reranker>,
    /// The ranking formula.
    pub(crate) ranking: Ranking,
    /// The weight of diversity.
    pub(crate) diversity: f32,
}

impl<'a> RankingOptions<'a> {
    /// The options of `recall` in a space with these settings.
    ///
    /// Refused: unknown names of features or roles; weights or a role together with another formula or a single signal,
    /// where they would have no effect.
    pub(crate) fn of(
        recall: &Recall,
        settings: &RecallConfig,
        reranker: Option<&'a dyn Reranker>,
    ) -> Result<Self, InvalidValue> {
        let is_full = recall.signals == Signals::Full;
        let uses_features = is_full && recall.ranking == Ranking::Full;
        if !uses_features {
            check_alone("weights", !recall.weights.is_empty())?;
            check_alone("role", recall.role.is_some())?;
        }
        if !is_full && recall.ranking != Ranking::Full {
            let accepts = "full if a single signal is requested";
            return Err(InvalidValue::new("ranking", accepts, "another formula"));
        }
        let role_preferences = recall
            .role
            .as_ref()
            .map(|role| RolePreferences::named(role, settings));
        let weights = weights::overridden(&settings.weights, &recall.weights)?;
        Ok(Self {
            weights: weights.filter(|_| uses_features),
            role_preferences: role_preferences.transpose()?,
            reranker: reranker.filter(|_| is_full),
            ranking: recall.ranking,
            diversity: recall.diversity,
        })
    }

    /// The weights of the features.
    pub(crate) fn weights(&self) -> &Weights {
        self.weights.as_ref().unwrap_or(&Weights::DEFAULT)
    }

    /// Whether results are ordered only by the scores that confidence was fitted on.
    pub(crate) fn is_default(&self) -> bool {
        self.weights.is_none()
            && self.role_preferences.is_none()
            && self.reranker.is_none()
            && self.ranking == Ranking::Full
            && self.diversity == 0.0
    }

    /// Whether search hits must be in exact order.
    pub(crate) fn needs_exact_order(&self) -> bool {
        self.ranking != Ranking::Full
    }
}

/// Refuses an option that has no effect with another formula or a single signal.
fn check_alone(field: &str, is_given: bool) -> Result<(), InvalidValue> {
    if !is_given {
        return Ok(());
    }
    let accepts = "omitted unless ranking and signals are full: other formulas have no features";
    Err(InvalidValue::new(field, accepts, "given"))
}

/// Validates the feature weights of a space's settings, whose names only this crate knows.
///
/// The error contains the setting and the accepted names.
pub fn check_settings(settings: &RecallConfig) -> Result<(), InvalidValue> {
    weights::overridden(&settings.weights, &BTreeMap::new()).map(drop)
}
