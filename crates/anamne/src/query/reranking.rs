//! The reranker that a space has chosen in its settings.

use anamne_embed::{EmbedError, ModelIdentity, Reranker};

use crate::models::Models;

/// A reranker of the store by its name, which is loaded when the first text is scored.
pub(super) struct ChosenReranker<'store> {
    models: &'store Models,
    /// Without a revision, which isn't known before it is loaded.
    identity: ModelIdentity,
}

impl<'store> ChosenReranker<'store> {
    pub(super) fn new(models: &'store Models, name: &str) -> Self {
        Self {
            models,
            identity: ModelIdentity::new(name, ""),
        }
    }
}

impl Reranker for ChosenReranker<'_> {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    /// Fails if the model is missing or damaged; then recall continues without it and says so.
    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let name = &self.identity.name;
        let Some(reranker) = self.models.usable_reranker(name) else {
            return Err(EmbedError::Rerank {
                model: name.clone(),
                problem: "it is missing or damaged".to_owned(),
            });
        };
        reranker.scores(query, texts)
    }
}
