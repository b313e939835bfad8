//! Whether the results of one question are ordered otherwise than usual: by other weights, as a role sees them, by another
//! formula, looked at again by a reranker, or not all alike. `arranging.rs` does it.

use std::collections::BTreeMap;

use anamne_embed::Reranker;
use anamne_store::RecallConfig;
use anamne_types::{InvalidValue, Ranking, Recall, Signals};

use crate::model::Weights;
use crate::roles::RolePreferences;
use crate::weights;

/// What a question and its space say about the order of results, beside the usual.
pub(crate) struct RankingOptions<'a> {
    /// Other weights than the usual ones.
    pub(crate) weights: Option<Weights>,
    /// How memories look to the role as which it is asked.
    pub(crate) role_preferences: Option<RolePreferences>,
    /// What looks at the first results again.
    pub(crate) reranker: Option<&'a dyn Reranker>,
    /// The formula.
    pub(crate) ranking: Ranking,
    /// How little alike results must be.
    pub(crate) diversity: f32,
}

impl<'a> RankingOptions<'a> {
    /// What `recall` asks for in a space with these settings.
    ///
    /// Refused: names of features or roles that there are not; weights or a role beside another formula or a single signal,
    /// where they would say nothing.
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
            let accepts = "full where a single signal is asked for";
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

    /// The weights that an explanation shows.
    pub(crate) fn weights_shown(&self) -> &Weights {
        self.weights.as_ref().unwrap_or(&Weights::DEFAULT)
    }

    /// Whether results are ordered by the scores that confidence was fitted on, and by nothing else.
    pub(crate) fn is_default(&self) -> bool {
        self.weights.is_none()
            && self.role_preferences.is_none()
            && self.reranker.is_none()
            && self.ranking == Ranking::Full
            && self.diversity == 0.0
    }

    /// Whether what the searches find must be in exact order.
    pub(crate) fn needs_exact_order(&self) -> bool {
        self.ranking != Ranking::Full
    }
}

/// Refuses what would say nothing beside another formula or a single signal.
fn check_alone(field: &str, is_given: bool) -> Result<(), InvalidValue> {
    if !is_given {
        return Ok(());
    }
    let accepts =
        "left out unless ranking and signals are full, for other formulas have no features";
    Err(InvalidValue::new(field, accepts, "given"))
}

/// Checks what a space's settings say of features, which can be known here alone.
///
/// The refusal names the setting, and what there is.
pub fn check_settings(settings: &RecallConfig) -> Result<(), InvalidValue> {
    weights::overridden(&settings.weights, &BTreeMap::new()).map(drop)
}
