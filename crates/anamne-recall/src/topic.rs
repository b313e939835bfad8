//! Which threads are about a topic, said in words.

use std::collections::BTreeSet;

use anamne_index::columns::RowPredicate;
use anamne_types::Row;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use crate::error::RecallError;
use crate::recall_context::RecallContext;
use crate::words::Reader;

/// Memories that each search brings up for a topic.
const DEPTH: usize = 400;

/// A memory that says less of the topic's words than this, weighted by how rare they are, is not about it.
const LEAST: f32 = 0.5;

/// Nor is one that says less of them than this share of what the best one says.
const OF_BEST: f32 = 0.6;

/// The memories of the threads that are about a topic, and those in no thread that are.
///
/// A thread is as much about it as that one of its memories that says most of it: how well each of the topic's words is met,
/// or how near the meaning is. What both searches bring up for the words is judged, and nothing else.
pub(crate) fn select(
    context: &RecallContext<'_>,
    words: &str,
) -> Result<RoaringBitmap, RecallError> {
    let known = context.known_rows()?;
    let about = about(context, words, known.as_ref());
    let best = about.iter().map(|(_, about)| *about).fold(0.0, f32::max);
    let cut = LEAST.max(OF_BEST * best);
    let (mut threads, mut rows) = (BTreeSet::new(), RoaringBitmap::new());
    for (row, about) in about {
        if about < cut {
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

/// How much each memory that the searches bring up is about the words: 0 to 1.
fn about(
    context: &RecallContext<'_>,
    words: &str,
    known: Option<&RoaringBitmap>,
) -> Vec<(Row, f32)> {
    let prepared = context.prepare(words);
    let searched = context.search(&prepared, DEPTH, known);
    let mut reader = Reader::new(&prepared.query, context.columns);
    let mut found: FxHashMap<Row, f32> = FxHashMap::default();
    let most = prepared.query.lexical_most.max(f32::MIN_POSITIVE);
    for hit in &searched.lexical {
        let met = reader.read(hit.row).closeness();
        found.insert(hit.row, met.max(hit.score / most).min(1.0));
    }
    // The cosines of another model than the built-in one begin somewhere else; it brings memories up all the same.
    let cosines_count = context.sources.weighted_table().is_some();
    for hit in &searched.vectors {
        let met = reader.read(hit.row).closeness();
        let near = if cosines_count { hit.score } else { 0.0 };
        let about = found.entry(hit.row).or_default();
        *about = about.max(met).max(near);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|(row, _)| *row);
    found
}
