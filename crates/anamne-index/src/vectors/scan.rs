//! The first pass: which vectors have the most signs in common with the query.

use std::ops::Range;

use anamne_store::view::ViewError;
use rayon::prelude::*;
use roaring::RoaringBitmap;

use super::codes::Query;
use super::layout::{VectorsLayout, VectorsSegment};
use super::simd::{self, BLOCKS, LANES};
use crate::segments::{Layout, Live, Snapshot};

/// Blocks of eight vectors that one thread takes at a time.
const PIECE: usize = 2_048;
/// With fewer vectors, one thread is done before a second has begun.
const PARALLEL: usize = 50_000;

/// A vector: the number of its segment, and its slot there.
pub(super) type Candidate = (usize, usize);

/// The rows that may be found.
pub(super) struct Allowed<'a> {
    filter: Option<Filter<'a>>,
    masked: &'a RoaringBitmap,
}

enum Filter<'a> {
    Bitmap(&'a RoaringBitmap),
    /// A bit per row: for filters of which many rows are asked in vain.
    Bits(Vec<u64>),
}

impl<'a> Allowed<'a> {
    /// What passes `filter` and is not masked by the tail.
    pub(super) fn new(filter: Option<&'a RoaringBitmap>, masked: &'a RoaringBitmap, rows: usize) -> Self {
        let filter = filter.map(|filter| {
            if filter.len() as usize > rows / 8 { Filter::Bitmap(filter) } else { Filter::Bits(bits(filter)) }
        });
        Self { filter, masked }
    }

    #[inline]
    fn contains(&self, row: u32, dead: &RoaringBitmap) -> bool {
        let passes = match &self.filter {
            None => true,
            Some(Filter::Bitmap(filter)) => filter.contains(row),
            Some(Filter::Bits(bits)) => {
                bits.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
            }
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

/// The allowed vectors that differ from the query in the fewest signs: `wanted`, and all that tie
/// with the last. Which ones they are does not depend on the order in which they are looked at.
pub(super) fn candidates(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    allowed: &Allowed<'_>,
    wanted: usize,
) -> Result<Vec<Candidate>, ViewError> {
    let pieces = pieces(snapshot.segments());
    let vectors: usize = snapshot.segments().iter().map(|live| live.segment.len()).sum();
    let threads = if vectors < PARALLEL { 1 } else { rayon::current_num_threads().clamp(1, 4) };
    let scan = |pieces: &[(usize, Range<usize>)]| -> Result<Selection, ViewError> {
        let mut selection = Selection::new(query.places.len(), wanted);
        for (segment, blocks) in pieces {
            selection.scan(&snapshot.segments()[*segment], *segment, blocks.clone(), query, allowed)?;
        }
        Ok(selection)
    };
    if threads == 1 {
        return Ok(scan(&pieces)?.finish());
    }
    let shares = pieces.par_chunks(pieces.len().div_ceil(threads).max(1)).map(scan);
    let shares = shares.collect::<Result<Vec<_>, _>>()?;
    Ok(shares.into_iter().reduce(Selection::merged).map(Selection::finish).unwrap_or_default())
}

fn pieces(segments: &[Live<VectorsLayout>]) -> Vec<(usize, Range<usize>)> {
    let mut pieces = Vec::new();
    for (number, live) in segments.iter().enumerate() {
        let blocks = live.segment.len().div_ceil(LANES);
        pieces.extend((0..blocks).step_by(PIECE).map(|start| (number, start..blocks.min(start + PIECE))));
    }
    pieces
}

/// The nearest vectors so far, and how near one must be to join them.
struct Selection {
    wanted: usize,
    /// How many are at each distance; exact up to `within`.
    counts: Vec<usize>,
    /// How many are at most `within` away.
    count: usize,
    /// The least distance within which `wanted` vectors lie, as far as is known.
    within: u32,
    /// All that were near enough when they were met.
    found: Vec<(u16, Candidate)>,
}

impl Selection {
    fn new(dimensions: usize, wanted: usize) -> Self {
        let (counts, within) = (vec![0; dimensions + 1], dimensions as u32);
        Self { wanted: wanted.max(1), counts, count: 0, within, found: Vec::with_capacity(4 * wanted) }
    }

    fn scan(
        &mut self,
        live: &Live<VectorsLayout>,
        number: usize,
        blocks: Range<usize>,
        query: &Query,
        allowed: &Allowed<'_>,
    ) -> Result<(), ViewError> {
        let segment: &VectorsSegment = &live.segment;
        let rows = VectorsLayout::rows(segment)?.0;
        let mut distances = [0; LANES * BLOCKS];
        for start in blocks.clone().step_by(BLOCKS) {
            let signs = segment.signs(start..blocks.end.min(start + BLOCKS))?;
            let mut near = simd::distances(&query.signs, signs, self.within, &mut distances);
            while near != 0 {
                let block = near.trailing_zeros() as usize;
                near &= near - 1;
                for lane in 0..LANES {
                    let (distance, slot) = (distances[block * LANES + lane], (start + block) * LANES + lane);
                    // The last block may be filled up with slots that hold nothing.
                    if u32::from(distance) <= self.within
                        && let Some(&row) = rows.get(slot)
                        && allowed.contains(row, &live.dead)
                    {
                        self.add(distance, (number, slot));
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, distance: u16, candidate: Candidate) {
        self.found.push((distance, candidate));
        self.counts[usize::from(distance)] += 1;
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
        // Beyond the lesser of the two distances one side stopped counting, but the other alone has
        // enough within it.
        self.within = self.within.min(other.within);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count = self.counts[..=self.within as usize].iter().sum();
        self.found.extend(other.found);
        self.tighten();
        self
    }

    fn finish(self) -> Vec<Candidate> {
        let within = self.within;
        self.found.into_iter().filter(|(distance, _)| u32::from(*distance) <= within).map(|(_, found)| found).collect()
    }
}
