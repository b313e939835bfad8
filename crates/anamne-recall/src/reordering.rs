//! Applies ranking options that change the default order.
//!
//! Confidence was fitted on default scores, so every result is judged by those, whatever its order.

use crate::adjacency;
use crate::confidence::{AnswerConfidence, full_confidence, search_only_confidence};
use crate::disputes::KnownDisputes;
use crate::diversity::{self, ResultSimilarity};
use crate::duplicates::demote_duplicates;
use crate::error::RecallError;
use crate::formulas;
use crate::model::{Features, Weights};
use crate::ranked::{Ranked, sort};
use crate::recall_context::RecallContext;
use crate::reranking;
use crate::words::Reader;

/// Sets every result's confidence by its default score, then restores the order by its own score.
pub(crate) fn default_confidence(
    context: &RecallContext<'_>,
    reader: &mut Reader<'_>,
    ranked: &mut [Ranked],
) -> AnswerConfidence {
    if !context.ranks_in_full() {
        return search_only_confidence(ranked, ranked.len());
    }
    let options = context.options;
    let changes_scores = options.weights.is_some() || options.role_preferences.is_some();
    if !changes_scores {
        return full_confidence(reader, ranked, ranked.len());
    }
    for ranked in &mut *ranked {
        let role_fit = 0.0;
        let features = Features {
            role_fit,
            ..ranked.features
        };
        ranked.score = features.score(&Weights::DEFAULT);
    }
    sort(ranked);
    let confidence = full_confidence(reader, ranked, ranked.len());
    for ranked in &mut *ranked {
        ranked.score = ranked.features.score(options.weights());
    }
    sort(ranked);
    confidence
}

/// Applies formula, reranker and diversity. Returns whether the reranker failed; then the order is the one without it.
pub(crate) fn reorder(
    context: &RecallContext<'_>,
    ranked: &mut Vec<Ranked>,
    disputes: &mut KnownDisputes,
) -> Result<bool, RecallError> {
    let (recall, columns, options) = (context.recall, context.columns, context.options);
    let mut holds = |ranked: &Ranked| disputes.holds(context, ranked);
    formulas::order(options.ranking, ranked, |ranked| {
        adjacency::adjacent_results(context, ranked)
    })?;
    // Results below the confidence threshold don't affect the order of those above.
    let (mut confident, others): (Vec<_>, Vec<_>) = std::mem::take(ranked)
        .into_iter()
        .partition(|ranked| ranked.confidence >= recall.min_confidence);
    let mut has_failed = false;
    if let Some(reranker) = options.reranker {
        let limit = recall.limit.max(reranking::RERANKED);
        confident = demote_duplicates(confident, columns, limit, &mut holds);
        has_failed = reranking::rerank_first(reranker, context, &mut confident)?;
    }
    if options.diversity > 0.0 {
        let table = context.sources.weighted_table();
        let table = table.map(|table| (table, context.sources.embedder.dimensions()));
        let similarity = |pool: &[Ranked]| ResultSimilarity::of(pool, columns, table);
        confident = diversity::diversify(confident, recall.limit, options.diversity, similarity);
    }
    confident.extend(others);
    *ranked = if context.ranks_in_full() {
        demote_duplicates(confident, columns, recall.limit, holds)
    } else {
        confident
    };
    Ok(has_failed)
}
