//! A vector search, from the query to the hits.

use std::cmp::Ordering;

use anamne_store::view::ViewError;
use anamne_types::Row;
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use super::codes::Query;
use super::layout::VectorsLayout;
use super::scan::{AllowedRows, Candidate, candidates};
use super::{VectorHit, simd, similarity};
use crate::segments::{Layout, Snapshot};

/// Tolerance for the sign distance, in standard deviations: a vector whose signs overstate its distance by more is
/// missed. That is one in a hundred at the end of the result, fewer before.
const DEVIATIONS: f32 = 2.3;

/// Number of codes prefetched at a time.
const PREFETCHED_CODES: usize = 16;

/// How exact a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// As many comparisons as necessary.
    Exact,
    /// At most four times as many vectors as requested memories are compared in eight bits.
    Bounded,
}

/// The memories nearest to `query`; see [`VectorsView::search`](super::VectorsView::search).
pub(super) fn nearest(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    limit: usize,
    filter: Option<&RoaringBitmap>,
    effort: Effort,
) -> Result<Vec<VectorHit>, ViewError> {
    let summary = snapshot.summary();
    if limit == 0 || summary.rows == 0 {
        return Ok(Vec::new());
    }
    let rows = summary.rows as usize;
    if let Some(filter) = filter.filter(|filter| filter.len() as usize <= 512 + rows / 256) {
        return one_by_one(snapshot, query, limit, filter);
    }
    let vectors = summary.vectors as usize;
    let allowed = AllowedRows::new(filter, snapshot.masked(), rows);
    let most = match effort {
        Effort::Exact => most_candidates(limit, rows),
        Effort::Bounded => 4 * limit,
    };
    // With several vectors per memory, proportionally more vectors are needed for as many memories.
    let most = (most * vectors / rows).min(3 * most);
    let candidates = candidates(snapshot, query, &allowed, most)?;
    let tail = snapshot
        .tail()
        .filter(|(row, _)| filter.is_none_or(|filter| filter.contains(*row)));
    let tail = tail.filter_map(|(row, entry)| {
        Some(VectorHit {
            row: Row(row),
            similarity: entry.best(query)?,
        })
    });
    let mut hits = rescore(snapshot, query, &candidates, tail.collect(), limit, effort)?;
    // The memory's best vector may not be among the candidates.
    if vectors > rows && effort == Effort::Exact {
        for hit in &mut hits {
            hit.similarity = similarity(snapshot, query, hit.row.0)?.unwrap_or(hit.similarity);
        }
        hits.sort_unstable_by(order);
    }
    Ok(hits)
}

/// Maximum number of memories whose vectors are compared in eight bits: bounds the time of queries without near
/// matches, for which signs carry little information.
fn most_candidates(limit: usize, rows: usize) -> usize {
    let doublings = (rows / 10_000).checked_ilog2().unwrap_or(0) as usize;
    (1_000 + 20 * limit) * (4 + doublings) / 4
}

/// For filters so narrow that looking up their rows is cheaper than a scan.
fn one_by_one(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    limit: usize,
    filter: &RoaringBitmap,
) -> Result<Vec<VectorHit>, ViewError> {
    let mut hits = Vec::with_capacity(filter.len() as usize);
    for row in filter {
        if let Some(similarity) = similarity(snapshot, query, row)? {
            hits.push(VectorHit {
                row: Row(row),
                similarity,
            });
        }
    }
    Ok(best_rows(&mut hits, limit))
}

/// Rescores the candidates with eight-bit codes, nearest by signs first, until the remaining ones are too far away for
/// the best `limit`. `hits` already contains other results.
fn rescore(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    candidates: &[Candidate],
    mut hits: Vec<VectorHit>,
    limit: usize,
    effort: Effort,
) -> Result<Vec<VectorHit>, ViewError> {
    let rows = snapshot
        .segments()
        .iter()
        .map(|live| Ok(VectorsLayout::rows(&live.segment)?.0));
    let rows = rows.collect::<Result<Vec<&[u32]>, ViewError>>()?;
    let (mut done, mut step) = match effort {
        Effort::Exact => (0, 64 + 2 * limit),
        // So few candidates that checking the limit in between costs more than it saves.
        Effort::Bounded => (0, candidates.len()),
    };
    loop {
        let best = best_rows(&mut hits, limit);
        let reach = best
            .get(limit - 1)
            .map_or(u32::MAX, |last| reach(query, last.similarity));
        let round = &candidates[done..candidates.len().min(done + step)];
        let round =
            &round[..round.partition_point(|candidate| u32::from(candidate.distance) <= reach)];
        if round.is_empty() {
            return Ok(best);
        }
        for candidates in round.chunks(PREFETCHED_CODES) {
            let mut codes = [(&[][..], 0.0); PREFETCHED_CODES];
            for (candidate, code) in candidates.iter().zip(&mut codes) {
                let segment = &snapshot.segments()[usize::from(candidate.segment)].segment;
                *code = segment.code(candidate.slot as usize)?;
                simd::prefetch(code.0);
            }
            let mut scored = candidates.iter();
            query.cosines(&codes[..candidates.len()], |similarity| {
                hits.extend(scored.next().map(|candidate| VectorHit {
                    row: Row(rows[usize::from(candidate.segment)][candidate.slot as usize]),
                    similarity,
                }));
            });
        }
        done += round.len();
        step = done;
    }
}

/// The maximum number of differing signs of a vector with this cosine.
///
/// For vectors at the angle `θ`, a random rotation flips each sign with probability `θ/π` (Charikar, 2002), so the
/// number of differing signs is approximately binomial.
fn reach(query: &Query, cosine: f32) -> u32 {
    let places = query.places.len() as f32;
    let share = cosine.clamp(-1.0, 1.0).acos() / std::f32::consts::PI;
    (places * share + DEVIATIONS * (places * share * (1.0 - share)).sqrt()).ceil() as u32
}

/// The `limit` best distinct rows among `hits`, in order; reorders `hits`.
fn best_rows(hits: &mut [VectorHit], limit: usize) -> Vec<VectorHit> {
    // Rows with several vectors occur several times, but seldom many times near the top.
    for considered in [limit, limit.saturating_mul(4), hits.len()] {
        let considered = considered.min(hits.len());
        if considered < hits.len() {
            hits.select_nth_unstable_by(considered, order);
        }
        hits[..considered].sort_unstable_by(order);
        let mut seen = FxHashSet::default();
        let distinct = hits[..considered]
            .iter()
            .filter(|hit| seen.insert(hit.row.0));
        let best: Vec<VectorHit> = distinct.take(limit).copied().collect();
        if best.len() == limit || considered == hits.len() {
            return best;
        }
    }
    Vec::new()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that sorting requires
fn order(one: &VectorHit, other: &VectorHit) -> Ordering {
    other
        .similarity
        .total_cmp(&one.similarity)
        .then(one.row.cmp(&other.row))
}
