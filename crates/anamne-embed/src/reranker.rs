//! Models that read a question and a text together and say whether the one answers the other.

use crate::{EmbedError, ModelIdentity};

/// Reads a question with each of some texts, such as a cross-encoder does, and says how likely each is to answer it.
///
/// The same model gives the same question and text the same score.
pub trait Reranker: Send + Sync {
    /// Which model this is.
    fn model(&self) -> &ModelIdentity;

    /// The probability that each of `texts` answers `query`, 0 to 1, in their order; a model that gives logits passes them
    /// through [`probability`]. A text that is too long for the model is cut by it.
    ///
    /// Errors: [`EmbedError::Rerank`] where the model can't be reached or refuses.
    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// The probability that a logit stands for: `1 / (1 + e^−logit)`.
pub fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// The scores of a reranker, of which there is one a text, from 0 to 1: else it counts as failed.
///
/// Errors: those of [`Reranker::scores`], and [`EmbedError::Rerank`] where the scores are not as they must be.
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

    /// Gives the scores that it was made with.
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
