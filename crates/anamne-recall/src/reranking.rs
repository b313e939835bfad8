//! Reranking of the best results by a model that reads query and text together.

use anamne_embed::{EmbedError, Reranker, checked_scores};
use anamne_types::{Body, Row};

use crate::error::RecallError;
use crate::ranked::{Ranked, range_of_scores, sort};
use crate::recall_context::RecallContext;

/// The first results that are reranked.
pub(crate) const RERANKED: usize = 20;

/// Maximum bytes of each text: more than such models read.
const TEXT_BYTES: usize = 4_096;

/// Reranks the first results; returns whether that failed, with the order unchanged.
pub(crate) fn rerank_first(
    reranker: &dyn Reranker,
    context: &RecallContext<'_>,
    ranked: &mut [Ranked],
) -> Result<bool, RecallError> {
    let first = ranked.iter().take(RERANKED);
    let rows: Vec<Row> = first.map(|ranked| ranked.candidate.row).collect();
    // A memory forgotten meanwhile has an empty text.
    let mut texts = vec![String::new(); rows.len()];
    for (row, memory) in context.memory_reader().rows(&rows)? {
        if let Some(place) = rows.iter().position(|known| *known == row) {
            texts[place] = text(&memory.content, &memory.body);
        }
    }
    Ok(rerank(reranker, &context.recall.query, &texts, ranked).is_err())
}

/// A memory's text for the reranker.
fn text(content: &str, body: &Body) -> String {
    let mut text = content.to_owned();
    body.append_searchable(&mut text);
    text.truncate(text.floor_char_boundary(TEXT_BYTES));
    text
}

/// Orders the first results by the sum of their score and the reranker's, with equal weight: the reranker's score, 0 to
/// 1, is multiplied by the range of those results' scores. They stay before all others. On an error nothing changes.
///
/// `texts` are those of the first results, at most [`RERANKED`].
fn rerank(
    reranker: &dyn Reranker,
    query: &str,
    texts: &[String],
    ranked: &mut [Ranked],
) -> Result<(), EmbedError> {
    let reranked = texts.len().min(ranked.len());
    let ranked = &mut ranked[..reranked];
    if ranked.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = checked_scores(reranker, query, &texts)?;
    // With equal scores the reranker alone decides.
    let weight = match range_of_scores(ranked).1 {
        range if range > 0.0 => range,
        _ => 1.0,
    };
    for (ranked, score) in ranked.iter_mut().zip(scores) {
        ranked.score += weight * score;
        ranked.overrides_mut().reranker = Some((score, weight));
    }
    sort(ranked);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Features;
    use anamne_embed::ModelIdentity;

    /// Scores a text by the number that it contains; fails otherwise.
    struct ByNumber(ModelIdentity);

    impl Reranker for ByNumber {
        fn model(&self) -> &ModelIdentity {
            &self.0
        }

        fn scores(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
            let number = |text: &&str| {
                text.parse().map_err(|_| EmbedError::Rerank {
                    model: self.0.to_string(),
                    problem: "no number".to_owned(),
                })
            };
            texts.iter().map(number).collect()
        }
    }

    /// Rows with these scores after reranking with these texts.
    fn reranked(scores: &[f32], texts: &[&str]) -> (Vec<(u32, f32)>, bool) {
        let ranked = (0..).zip(scores).map(|(row, score)| {
            let mut ranked = Ranked::sample(row, Features::default());
            ranked.score = *score;
            ranked
        });
        let mut ranked: Vec<_> = ranked.collect();
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let reranker = ByNumber(ModelIdentity::new("by number", "1"));
        let is_ok = rerank(&reranker, "which?", &texts, &mut ranked).is_ok();
        let rows = ranked
            .iter()
            .map(|ranked| (ranked.candidate.row.0, ranked.score));
        (rows.collect(), is_ok)
    }

    #[test]
    fn both_scores_have_equal_weight_and_other_results_stay_behind() {
        let (rows, _) = reranked(&[10.0, 9.0, 6.0, 5.5], &["0.1", "0.2", "0.9"]);
        let close = |one: f32, other: f32| (one - other).abs() < 1e-5;
        let expected = [(0, 10.4), (1, 9.8), (2, 9.6), (3, 5.5)];
        for ((row, score), (expected_row, expected_score)) in rows.iter().zip(expected) {
            assert!(
                *row == expected_row && close(*score, expected_score),
                "{rows:?}"
            );
        }
        let (rows, _) = reranked(&[10.0, 9.0, 6.0, 5.5], &["0.0", "1.0", "0.9"]);
        assert_eq!(
            rows.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
            [1, 0, 2, 3]
        );
    }

    #[test]
    fn equal_scores_are_ordered_by_the_reranker() {
        let (rows, _) = reranked(&[3.0, 3.0], &["0.2", "0.7"]);
        assert_eq!(rows, [(1, 3.7), (0, 3.2)]);
    }

    #[test]
    fn a_failure_changes_nothing() {
        let (rows, is_ok) = reranked(&[3.0, 2.0], &["0.2", "what?"]);
        assert_eq!((rows, is_ok), (vec![(0, 3.0), (1, 2.0)], false));
        let (rows, is_ok) = reranked(&[3.0, 2.0], &["0.2", "1.2"]);
        assert_eq!((rows, is_ok), (vec![(0, 3.0), (1, 2.0)], false));
        assert!(reranked(&[], &[]).1);
    }

    #[test]
    fn a_long_text_is_truncated_at_a_character_boundary() {
        let fact = Body::Fact { category: None };
        assert_eq!(text("short", &fact), "short");
        let cut = text(&"x€".repeat(TEXT_BYTES), &fact);
        assert!(cut.len() <= TEXT_BYTES && cut.len() > TEXT_BYTES - 4);
    }
}
