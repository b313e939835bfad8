//! A second look at the best results by a model that reads question and text together.

use anamne_embed::{EmbedError, Reranker, checked_scores};
use anamne_types::Memory;

use crate::rank::{Ranked, best_first};

/// Results that the reranker looks at: the first ones.
pub(crate) const LOOKED_AT: usize = 20;

/// Bytes of each text that it is shown: more than such models read.
const TEXT_BYTES: usize = 4_096;

/// What a memory says, as far as a reranker is shown it.
pub(crate) fn text(memory: &Memory) -> String {
    let mut text = memory.content.clone();
    memory.body.append_searchable(&mut text);
    text.truncate(text.floor_char_boundary(TEXT_BYTES));
    text
}

/// Orders the first results by their score and the reranker's together, each counting the same: the reranker's, 0 to 1, is
/// added with the range of those results' scores as its weight. They stay before all others. On an error nothing changes.
///
/// `texts` are those of the first results, at most [`LOOKED_AT`].
pub(crate) fn rerank(
    reranker: &dyn Reranker,
    query: &str,
    texts: &[String],
    ranked: &mut [Ranked],
) -> Result<(), EmbedError> {
    let looked_at = texts.len().min(ranked.len());
    let ranked = &mut ranked[..looked_at];
    if ranked.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = checked_scores(reranker, query, &texts)?;
    let weight = weight(ranked);
    for (ranked, score) in ranked.iter_mut().zip(scores) {
        ranked.score += weight * score;
        ranked.aside_mut().reranker = Some((score, weight));
    }
    ranked.sort_unstable_by(best_first);
    Ok(())
}

/// The range of the scores; 1 where they are all equal, and the reranker alone decides.
fn weight(ranked: &[Ranked]) -> f32 {
    let scores = || ranked.iter().map(|ranked| ranked.score);
    let range = scores().fold(f32::MIN, f32::max) - scores().fold(f32::MAX, f32::min);
    if range > 0.0 { range } else { 1.0 }
}
