//! The first pass: vectors that share the most signs with the query.

use std::ops::Range;

use anamne_store::view::ViewError;
use rayon::prelude::*;
use roaring::RoaringBitmap;

use super::codes::Query;
use super::layout::{VectorsLayout, VectorsSegment};
use super::simd::{self, BLOCKS, Distances, LANES};
use crate::segments::{Layout, LiveSegment, Snapshot};

/// Blocks of eight vectors per unit of work for a thread.
const PIECE: usize = 2_048;
/// With fewer vectors, one thread finishes before a second has started.
const PARALLEL: usize = 200_000;

/// A vector that is near by its signs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    /// Number of signs that differ from the query.
    pub(super) distance: u16,
    /// The index of its segment.
    pub(super) segment: u16,
    /// Its slot in the segment.
    pub(super) slot: u32,
}

/// The rows that a search may return.
pub(super) struct AllowedRows<'a> {
    filter: Option<Filter<'a>>,
    masked: &'a RoaringBitmap,
}

enum Filter<'a> {
    Bitmap(&'a RoaringBitmap),
    /// A bit per row, for filters with many lookups that miss.
    Bits(Vec<u64>),
}

impl<'a> AllowedRows<'a> {
    /// The rows in `filter` that the tail does not mask.
    pub(super) fn new(
        filter: Option<&'a RoaringBitmap>,
        masked: &'a RoaringBitmap,
        rows: usize,
    ) -> Self {
        let filter = filter.map(|filter| {
            if filter.len() as usize > rows / 8 {
                Filter::Bitmap(filter)
            } else {
                Filter::Bits(bits(filter))
            }
        });
        Self { filter, masked }
    }

    /// Whether every row of a segment with these dead rows is allowed.
    fn all(&self, dead: &RoaringBitmap) -> bool {
        self.filter.is_none() && dead.is_empty() && self.masked.is_empty()
    }

    #[inline]
    fn contains(&self, row: u32, dead: &RoaringBitmap) -> bool {
        let passes = match &self.filter {
            None => true,
            Some(Filter::Bitmap(filter)) => filter.contains(row),
            Some(Filter::Bits(bits)) => bits
                .get(row as usize / 64)
                .is_some_and(|word| word >> (row % 64) & 1 == 1),
        };
        passes && !dead.contains(row) && !self.masked.contains(row)
    }
}

fn bits(filter: &RoaringBitmap) -> Vec<u64> {
    let mut bits = vec![0; filter.max().map_or(0, |row| row as usize / 64 + 1)];
    for row in filter {
        bits[row as usize / 64] |= 1 << (row % 64);
    }
    bits
}

/// The allowed vectors with the fewest differing signs, by ascending distance: `wanted`, and all ties with the last.
/// The result does not depend on the division into segments.
pub(super) fn candidates(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    allowed: &AllowedRows<'_>,
    wanted: usize,
) -> Result<Vec<Candidate>, ViewError> {
    let pieces = pieces(snapshot.segments());
    let lengths = snapshot.segments().iter().map(|live| live.segment.len());
    let vectors: usize = lengths.sum();
    let threads = if vectors < PARALLEL {
        1
    } else {
        rayon::current_num_threads().clamp(1, 4)
    };
    let scan = |pieces: &[(usize, Range<usize>)]| -> Result<Selection, ViewError> {
        let mut selection = Selection::new(query.places.len(), wanted);
        for (segment, blocks) in pieces {
            let live = &snapshot.segments()[*segment];
            selection.scan(live, *segment, blocks.clone(), query, allowed)?;
        }
        Ok(selection)
    };
    if threads == 1 {
        return Ok(scan(&pieces)?.finish());
    }
    let shares = pieces
        .par_chunks(pieces.len().div_ceil(threads).max(1))
        .map(scan);
    let shares = shares.collect::<Result<Vec<_>, _>>()?;
    Ok(shares
        .into_iter()
        .reduce(Selection::merged)
        .map(Selection::finish)
        .unwrap_or_default())
}

fn pieces(segments: &[LiveSegment<VectorsLayout>]) -> Vec<(usize, Range<usize>)> {
    let mut pieces = Vec::new();
    for (number, live) in segments.iter().enumerate() {
        let blocks = live.segment.len().div_ceil(LANES);
        let starts = (0..blocks).step_by(PIECE);
        pieces.extend(starts.map(|start| (number, start..blocks.min(start + PIECE))));
    }
    pieces
}

/// The nearest vectors so far, and the distance limit for new ones.
struct Selection {
    wanted: usize,
    /// Number of vectors at each distance; exact up to `within`.
    counts: Vec<usize>,
    /// Number of vectors with a distance of at most `within`.
    count: usize,
    /// The smallest distance known to cover `wanted` vectors.
    within: u32,
    /// All vectors that were within the limit when they were scanned.
    found: Vec<Candidate>,
}

impl Selection {
    fn new(dimensions: usize, wanted: usize) -> Self {
        let (counts, within) = (vec![0; dimensions + 1], dimensions as u32);
        Self {
            wanted: wanted.max(1),
            counts,
            count: 0,
            within,
            found: Vec::with_capacity(4 * wanted.min(4_096)),
        }
    }

    fn scan(
        &mut self,
        live: &LiveSegment<VectorsLayout>,
        number: usize,
        blocks: Range<usize>,
        query: &Query,
        allowed: &AllowedRows<'_>,
    ) -> Result<(), ViewError> {
        let segment: &VectorsSegment = &live.segment;
        let rows = VectorsLayout::rows(segment)?.0;
        let all = allowed.all(&live.dead);
        let mut distances = Distances::new();
        for start in blocks.clone().step_by(BLOCKS) {
            let signs = segment.signs(start..blocks.end.min(start + BLOCKS))?;
            let mut near = simd::distances(&query.signs, signs, self.within, &mut distances);
            while near != 0 {
                let block = near.trailing_zeros() as usize;
                near &= near - 1;
                let mut lanes = distances.near[block];
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let (distance, slot) =
                        (distances.of[block][lane], (start + block) * LANES + lane);
                    // The last block may be padded with empty slots, and the limit may have decreased within these
                    // blocks.
                    if u32::from(distance) <= self.within
                        && let Some(&row) = rows.get(slot)
                        && (all || allowed.contains(row, &live.dead))
                    {
                        self.add(Candidate {
                            distance,
                            segment: number as u16,
                            slot: slot as u32,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn add(&mut self, candidate: Candidate) {
        self.found.push(candidate);
        self.counts[usize::from(candidate.distance)] += 1;
        self.count += 1;
        self.tighten();
    }

    fn tighten(&mut self) {
        while self.within > 0 && self.count - self.counts[self.within as usize] >= self.wanted {
            self.count -= self.counts[self.within as usize];
            self.within -= 1;
        }
    }

    fn merged(mut self, other: Self) -> Self {
        // Beyond the smaller of the two limits one side stopped counting, but the other side alone has enough vectors
        // within it.
        self.within = self.within.min(other.within);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count = self.counts[..=self.within as usize].iter().sum();
        self.found.extend(other.found);
        self.tighten();
        self
    }

    /// The vectors within the limit, by ascending distance; a counting sort, because the counts are known.
    fn finish(self) -> Vec<Candidate> {
        let mut next = Vec::with_capacity(self.within as usize + 1);
        let mut before = 0;
        for count in &self.counts[..=self.within as usize] {
            next.push(before);
            before += count;
        }
        let mut sorted = vec![Candidate::default(); before];
        for candidate in self.found {
            if let Some(place) = next.get_mut(usize::from(candidate.distance)) {
                sorted[*place] = candidate;
                *place += 1;
            }
        }
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The candidates of a scan over these distances, split into several shares.
    fn scanned(distances: &[u16], wanted: usize, shares: usize) -> Vec<(u16, u32)> {
        let slots: Vec<u32> = (0..distances.len() as u32).collect();
        let shares = slots.chunks(distances.len().div_ceil(shares)).map(|slots| {
            let mut selection = Selection::new(256, wanted);
            for &slot in slots {
                let distance = distances[slot as usize];
                if u32::from(distance) <= selection.within {
                    selection.add(Candidate {
                        distance,
                        segment: 0,
                        slot,
                    });
                }
            }
            selection
        });
        let found = shares.reduce(Selection::merged).unwrap().finish();
        found
            .into_iter()
            .map(|candidate| (candidate.distance, candidate.slot))
            .collect()
    }

    #[test]
    fn scans_in_any_number_of_shares_find_the_nearest_and_their_ties() {
        let mut state = 1_u64;
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 57) as u16 + (state >> 40 & 127) as u16
        };
        let distances: Vec<u16> = (0..5_000).map(step).collect();
        let mut sorted: Vec<(u16, u32)> = distances.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        for wanted in [1, 10, 300, 4_999, 5_000, 9_000] {
            let last = sorted[wanted.min(sorted.len()) - 1].0;
            let expected: Vec<_> = sorted
                .iter()
                .copied()
                .filter(|&(distance, _)| distance <= last)
                .collect();
            for shares in [1, 2, 3, 7] {
                assert_eq!(
                    scanned(&distances, wanted, shares),
                    expected,
                    "{wanted} wanted of {shares} shares"
                );
            }
        }
    }
}
