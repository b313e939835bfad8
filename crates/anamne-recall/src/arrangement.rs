//! How the results of one question are ordered where that is not as usual.

use std::collections::BTreeMap;

use anamne_store::RecallConfig;
use anamne_types::{Recall, Refusal, Signals};

use crate::confidence::judge;
use crate::model::Weights;
use crate::rank::{Ranked, best_first};
use crate::weights;

/// What a question and its space say about the order of results, beside the usual.
#[derive(Debug, Default)]
pub(crate) struct Arrangement {
    /// Other weights than the usual ones.
    pub(crate) weights: Option<Weights>,
}

impl Arrangement {
    /// What `recall` asks for in a space with these settings.
    pub(crate) fn of(recall: &Recall, settings: &RecallConfig) -> Result<Self, Refusal> {
        Ok(Self {
            weights: weights::overridden(&settings.weights, &recall.weights)?
                .filter(|_| recall.signals == Signals::Full),
        })
    }

    /// The weights that an explanation shows.
    pub(crate) fn weights_shown(&self) -> &Weights {
        self.weights.as_ref().unwrap_or(&Weights::USUAL)
    }

    /// Whether results are ordered by the scores that confidence was fitted on.
    pub(crate) fn is_usual(&self) -> bool {
        self.weights.is_none()
    }

    /// Judges every result by the score that confidence was fitted on; then they are ordered by their own again.
    pub(crate) fn judge(&self, ranked: &mut [Ranked]) {
        for ranked in &mut *ranked {
            ranked.score = ranked.features.score();
        }
        ranked.sort_unstable_by(best_first);
        judge(ranked, ranked.len());
        for ranked in &mut *ranked {
            ranked.score = ranked.features.score_by(self.weights_shown());
        }
        ranked.sort_unstable_by(best_first);
    }
}

/// Checks what a space's settings say of features and roles, which can be known here alone.
///
/// The refusal names the setting, and what there is.
pub fn check_settings(settings: &RecallConfig) -> Result<(), Refusal> {
    weights::overridden(&settings.weights, &BTreeMap::new()).map(drop)
}
