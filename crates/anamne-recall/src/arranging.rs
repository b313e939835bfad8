//! Ordering the results of one question where that is not as usual.
//!
//! Confidence was fitted on the usual scores, so that every result is judged by those, whatever it is ordered by.

use crate::confidence::{Verdict, judge, judge_plainly};
use crate::diversity::{self, Likeness};
use crate::error::RecallError;
use crate::formulas;
use crate::looking::Looking;
use crate::model::Features;
use crate::near;
use crate::ranked::{Ranked, sort};
use crate::repetition::diversify;
use crate::reranking;
use crate::words::Reader;

/// Judges every result by the score that confidence was fitted on; then they are ordered by their own again.
pub(crate) fn judge_all(
    looking: &Looking<'_>,
    reader: &mut Reader<'_>,
    ranked: &mut [Ranked],
) -> Verdict {
    if !looking.ranks_in_full() {
        return judge_plainly(ranked, ranked.len());
    }
    let arrangement = looking.arrangement;
    let by_features = arrangement.weights.is_some() || arrangement.standpoint.is_some();
    if !by_features {
        return judge(reader, ranked, ranked.len());
    }
    for ranked in &mut *ranked {
        let role_fit = 0.0;
        let usual = Features {
            role_fit,
            ..ranked.features
        };
        ranked.score = usual.score();
    }
    sort(ranked);
    let verdict = judge(reader, ranked, ranked.len());
    for ranked in &mut *ranked {
        ranked.score = ranked.features.score_by(arrangement.weights_shown());
    }
    sort(ranked);
    verdict
}

/// Orders results where that is not as usual. Returns whether the reranker failed; then the order is the one without it.
pub(crate) fn arrange(
    looking: &Looking<'_>,
    ranked: &mut Vec<Ranked>,
) -> Result<bool, RecallError> {
    let (recall, columns, arrangement) = (looking.recall, looking.columns, looking.arrangement);
    formulas::order(arrangement.ranking, ranked, |ranked| {
        near::of(looking, ranked)
    })?;
    // What is not sure enough is no result, and takes nothing away from those that are.
    let (mut sure, unsure): (Vec<_>, Vec<_>) = std::mem::take(ranked)
        .into_iter()
        .partition(|ranked| ranked.confidence >= recall.min_confidence);
    let mut has_failed = false;
    if let Some(reranker) = arrangement.reranker {
        sure = diversify(sure, columns, recall.limit.max(reranking::LOOKED_AT));
        has_failed = reranking::look_again(reranker, looking, &mut sure)?;
    }
    if arrangement.diversity > 0.0 {
        let table = looking.sources.weighted_table();
        let table = table.map(|table| (table, looking.sources.embedder.dimensions()));
        let likeness = |pool: &[Ranked]| Likeness::of(pool, columns, table);
        sure = diversity::spread(sure, recall.limit, arrangement.diversity, likeness);
    }
    sure.extend(unsure);
    *ranked = if looking.ranks_in_full() {
        diversify(sure, columns, recall.limit)
    } else {
        sure
    };
    Ok(has_failed)
}
