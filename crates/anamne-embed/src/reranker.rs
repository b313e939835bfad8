//! Models that read a query and a text together and score the text as an answer.

use crate::{EmbedError, ModelIdentity};

/// Scores texts as answers to a query, as a cross-encoder does.
///
/// A model is deterministic: the same query and text have the same score.
pub trait Reranker: Send + Sync {
    /// The identity of the model.
    fn model(&self) -> &ModelIdentity;

    /// The probability that each of `texts` answers `query`, 0 to 1, in order; a model with logits applies
    /// [`probability`]. The model truncates texts that are too long for it.
    ///
    /// Errors: [`EmbedError::Rerank`] if the model can't be reached or rejects the texts.
    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// Converts a logit to a probability: `1 / (1 + e^−logit)`.
pub fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// The scores of a reranker, checked: one per text, from 0 to 1.
///
/// Errors: those of [`Reranker::scores`], and [`EmbedError::Rerank`] for invalid scores.
pub fn checked_scores(
    reranker: &dyn Reranker,
    query: &str,
    texts: &[&str],
) -> Result<Vec<f32>, EmbedError> {
    let scores = reranker.scores(query, texts)?;
    let failed = |problem: String| {
        let model = reranker.model().to_string();
        Err(EmbedError::Rerank { model, problem })
    };
    if scores.len() != texts.len() {
        let (given, asked) = (scores.len(), texts.len());
        return failed(format!("it gave {given} scores for {asked} texts"));
    }
    match scores.iter().find(|score| !(0.0..=1.0).contains(*score)) {
        Some(score) => failed(format!(
            "it gave the score {score}, which is not from 0 to 1"
        )),
        None => Ok(scores),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns fixed scores.
    struct Scripted(ModelIdentity, Vec<f32>);

    impl Reranker for Scripted {
        fn model(&self) -> &ModelIdentity {
            &self.0
        }

        fn scores(&self, _: &str, _: &[&str]) -> Result<Vec<f32>, EmbedError> {
            Ok(self.1.clone())
        }
    }

    #[test]
    fn scores_are_one_a_text_and_probabilities() {
        let check = |scores: &[f32], accepted: bool| {
            let scripted = Scripted(ModelIdentity::new("scripted", "1"), scores.to_vec());
            let checked = checked_scores(&scripted, "which?", &["this", "that"]);
            assert_eq!(checked.is_ok(), accepted, "{scores:?}: {checked:?}");
        };
        check(&[0.0, 1.0], true);
        check(&[0.5], false);
        check(&[0.5, 0.5, 0.5], false);
        check(&[0.5, 1.5], false);
        check(&[-0.1, 0.5], false);
        check(&[f32::NAN, 0.5], false);
        check(&[probability(-30.0), probability(30.0)], true);
    }
}
