//! Recent memories whose vectors a remote model was not asked for yet.
//!
//! Following the log never asks such a model, so its tails may lack vectors. The background completes them, and puts
//! itself off after a failure.

use std::sync::Arc;

use anamne_store::SpaceSource;
use anamne_store::view::{Fold, Health, View};
use anamne_types::Seq;

use super::reembedding::BatchOutcome;
use super::tiers::{OpenTier, Tiers};
use super::views;
use crate::Error;

impl OpenTier {
    /// Number of recent memories whose vectors a remote model was not asked for yet.
    fn pending(&self) -> usize {
        self.views.vectors.pending_rows()
    }

    /// Whether there are such memories.
    fn has_pending(&self) -> bool {
        self.pending() > 0
    }

    /// Folds the vectors, for which a remote model may be asked.
    fn fold_vectors(
        &self,
        source: &SpaceSource,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<Fold, Error> {
        let view = [self.views.vectors.clone() as Arc<dyn View>];
        let folds = self.followers.fold(source, &view, progress)?;
        Ok(folds.first().map_or(Fold::Nothing, |&(_, fold)| fold))
    }

    /// Whether a view is left to the embedding of what is pending, which puts itself off after a failure.
    pub(super) fn is_left_to_embedding(&self, view: &str) -> bool {
        view == views::VECTORS && self.has_pending() && self.views.vectors.health() == Health::Whole
    }
}

impl Tiers {
    /// Number of such memories in the open tiers. O(tails).
    pub(super) fn pending(&self) -> usize {
        self.open_now().iter().map(|tier| tier.pending()).sum()
    }

    /// Whether there are such memories.
    pub(super) fn has_pending(&self) -> bool {
        self.open_now().iter().any(|tier| tier.has_pending())
    }

    /// Asks the remote model in use for the vectors of recent memories.
    pub(super) fn embed_pending(
        &self,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<BatchOutcome, Error> {
        for tier in self.open_now().iter().filter(|tier| tier.has_pending()) {
            let fold = tier.fold_vectors(&self.source, progress);
            self.problems.note(tier.model.take_error());
            if fold? == Fold::Busy {
                return Ok(BatchOutcome::Busy);
            }
        }
        Ok(BatchOutcome::Done)
    }
}
