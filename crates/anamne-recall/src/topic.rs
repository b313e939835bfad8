//! The threads about a topic given in words.

use std::collections::BTreeSet;

use anamne_index::columns::RowPredicate;
use anamne_types::Row;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use crate::error::RecallError;
use crate::recall_context::RecallContext;
use crate::words::Reader;

/// Hits per search for a topic.
const DEPTH: usize = 400;

/// The minimum rarity-weighted share of the topic's words that a memory must match.
const MIN_MATCH: f32 = 0.5;

/// The minimum share of the best memory's match.
const MIN_SHARE_OF_BEST: f32 = 0.6;

/// The memories of the threads about a topic, and matching memories without a thread.
///
/// A thread matches as well as its best memory: by the topic's words or by cosine. Only the hits of both searches are
/// scored.
pub(crate) fn select(
    context: &RecallContext<'_>,
    words: &str,
) -> Result<RoaringBitmap, RecallError> {
    let known = context.known_rows()?;
    let scored = match_scores(context, words, known.as_ref());
    let best = scored.iter().map(|(_, score)| *score).fold(0.0, f32::max);
    let cut = MIN_MATCH.max(MIN_SHARE_OF_BEST * best);
    let (mut threads, mut rows) = (BTreeSet::new(), RoaringBitmap::new());
    for (row, score) in scored {
        if score < cut {
            continue;
        }
        rows.insert(row.0);
        let attributes = context.columns.attributes(row);
        threads.extend(attributes.map(|attributes| attributes.thread));
    }
    threads.remove(&0);
    if !threads.is_empty() {
        rows |= context.columns.select(&RowPredicate {
            threads: threads.into_iter().collect(),
            ..RowPredicate::default()
        });
    }
    Ok(rows)
}

/// How well each search hit matches the topic: 0 to 1.
fn match_scores(
    context: &RecallContext<'_>,
    words: &str,
    known: Option<&RoaringBitmap>,
) -> Vec<(Row, f32)> {
    let prepared = context.prepare(words);
    let searched = context.search(&prepared, DEPTH, known);
    let mut reader = Reader::new(&prepared.query, context.columns);
    let mut scores: FxHashMap<Row, f32> = FxHashMap::default();
    let max_score = prepared.query.max_lexical_score.max(f32::MIN_POSITIVE);
    for hit in &searched.lexical {
        let word_match = reader.read(hit.row).word_match();
        scores.insert(hit.row, word_match.max(hit.score / max_score).min(1.0));
    }
    // Cosines of other models are not comparable; they still find hits.
    let cosines_count = context.sources.weighted_table().is_some();
    for hit in &searched.vectors {
        let word_match = reader.read(hit.row).word_match();
        let cosine = if cosines_count { hit.score } else { 0.0 };
        let score = scores.entry(hit.row).or_default();
        *score = score.max(word_match).max(cosine);
    }
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_unstable_by_key(|(row, _)| *row);
    scores
}
