//! A search from the query to the hits.

use std::cmp::Ordering;

use anamne_store::view::ViewError;
use anamne_types::Row;
use roaring::RoaringBitmap;

use super::codes::Query;
use super::layout::VectorsLayout;
use super::scan::{Allowed, candidates};
use super::{VectorHit, similarity};
use crate::segments::{Layout, Snapshot};

/// The memories nearest to `query`; see [`VectorsView::search`](super::VectorsView::search).
pub(super) fn nearest(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    limit: usize,
    filter: Option<&RoaringBitmap>,
) -> Result<Vec<VectorHit>, ViewError> {
    let summary = snapshot.summary();
    if limit == 0 || summary.rows == 0 {
        return Ok(Vec::new());
    }
    if let Some(filter) = filter.filter(|filter| filter.len() <= 512 + summary.rows / 256) {
        return one_by_one(snapshot, query, limit, filter);
    }
    let wanted = wanted(limit, summary.rows as usize, summary.vectors as usize);
    let allowed = Allowed::new(filter, snapshot.masked(), summary.rows as usize);
    let mut hits = rescore(snapshot, query, &candidates(snapshot, query, &allowed, wanted)?)?;
    let tail = snapshot.tail().filter(|(row, _)| filter.is_none_or(|filter| filter.contains(*row)));
    hits.extend(tail.filter_map(|(row, entry)| Some(VectorHit { row: Row(row), similarity: entry.best(query)? })));
    keep_best(&mut hits, limit);
    // A vector that is not among the candidates may be the best of a memory that another one brought in.
    for hit in &mut hits {
        hit.similarity = similarity(snapshot, query, hit.row.0)?.unwrap_or(hit.similarity);
    }
    hits.sort_unstable_by(order);
    Ok(hits)
}

/// How many vectors are compared in eight bits.
///
/// Signs rank the nearest with some error, so more must be taken the more there are to be confused
/// with them. The figures are chosen on texts so that recall@10 is at least 0.99.
fn wanted(limit: usize, rows: usize, vectors: usize) -> usize {
    let doublings = (rows / 10_000).checked_ilog2().unwrap_or(0) as usize;
    let memories = (160 + 12 * limit) * (4 + doublings) / 4;
    // The vectors of one memory are near to each other, and together they count once.
    memories * vectors.div_ceil(rows).min(3)
}

/// For filters so narrow that looking their rows up costs less than a scan.
fn one_by_one(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    limit: usize,
    filter: &RoaringBitmap,
) -> Result<Vec<VectorHit>, ViewError> {
    let mut hits = Vec::with_capacity(filter.len() as usize);
    for row in filter {
        if let Some(similarity) = similarity(snapshot, query, row)? {
            hits.push(VectorHit { row: Row(row), similarity });
        }
    }
    keep_best(&mut hits, limit);
    Ok(hits)
}

/// The best similarity of each memory among the candidates; those of one memory stand side by side.
fn rescore(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    candidates: &[(usize, usize)],
) -> Result<Vec<VectorHit>, ViewError> {
    let mut hits: Vec<VectorHit> = Vec::with_capacity(candidates.len());
    for &(segment, slot) in candidates {
        let segment = &snapshot.segments()[segment].segment;
        let (row, similarity) = (Row(VectorsLayout::rows(segment)?.0[slot]), segment.cosine(query, slot)?);
        match hits.last_mut() {
            Some(hit) if hit.row == row => hit.similarity = hit.similarity.max(similarity),
            _ => hits.push(VectorHit { row, similarity }),
        }
    }
    Ok(hits)
}

fn keep_best(hits: &mut Vec<VectorHit>, limit: usize) {
    if hits.len() > limit {
        hits.select_nth_unstable_by(limit - 1, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
}

fn order(one: &VectorHit, other: &VectorHit) -> Ordering {
    other.similarity.total_cmp(&one.similarity).then(one.row.cmp(&other.row))
}
