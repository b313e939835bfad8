//! Finds the best documents of one segment.
//!
//! MaxScore (Turtle and Flood, 1995) over windows of documents, as in Lucene's bulk scorer: the postings of essential
//! terms, which can lift a document over the floor alone or together, are added up window by window in a small array;
//! the more common terms are looked up only for documents that can still reach the floor. With a narrow filter, only
//! the filter's documents are looked up in the postings. In both cases the filter applies before the limit.

use roaring::RoaringBitmap;
use tantivy::postings::BlockSegmentPostings;

use super::score::{BestRows, LengthNorms, Weight};
use super::segment::{DocumentSet, Segment};

/// Documents per window; their sums take 8 KiB.
const WINDOW: usize = 2_048;

/// Number of sums checked together.
const STRIDE: usize = 32;

/// Postings in a full block; only the last block of a term is shorter.
const BLOCK: usize = 128;

/// A lookup costs about as much as adding up this many postings.
const LOOK_UP_COST: u64 = 12;

/// The postings of one term in one segment.
pub(super) struct Cursor<'a> {
    postings: BlockSegmentPostings,
    place: usize,
    weight: Weight,
    norms: &'a LengthNorms,
    lengths: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at the first document that contains the term.
    pub(super) fn new(
        postings: BlockSegmentPostings,
        weight: Weight,
        norms: &'a LengthNorms,
        lengths: &'a [u8],
    ) -> Self {
        Self {
            postings,
            place: 0,
            weight,
            norms,
            lengths,
        }
    }

    fn document(&self) -> Option<u32> {
        self.postings.docs().get(self.place).copied()
    }

    #[inline]
    fn part(&self, document: u32, count: u32) -> u32 {
        self.norms
            .part(self.weight, count, self.lengths[document as usize])
    }

    /// Adds the scores of the documents in `low..low + WINDOW` to their sums, and advances past them.
    fn add_up(&mut self, low: u32, sums: &mut [u32; WINDOW]) {
        let high = low.saturating_add(WINDOW as u32);
        loop {
            let (documents, counts) = (self.postings.docs(), self.postings.freqs());
            let end = if documents.last().is_some_and(|last| *last < high) {
                documents.len()
            } else {
                self.place + documents[self.place..].partition_point(|document| *document < high)
            };
            for (document, count) in documents[self.place..end]
                .iter()
                .zip(&counts[self.place..end])
            {
                sums[(document - low) as usize] += self.part(*document, *count);
            }
            self.place = end;
            if end < documents.len() || documents.len() < BLOCK {
                return;
            }
            self.postings.advance();
            self.place = 0;
        }
    }

    /// The term's score for a document; documents must be requested in ascending order.
    fn look_up(&mut self, document: u32) -> u32 {
        self.place = self.postings.seek(document);
        if self.postings.doc(self.place) != document {
            return 0;
        }
        self.part(document, self.postings.freq(self.place))
    }
}

/// A search of one segment.
pub(super) struct SegmentSearch<'a> {
    pub(super) segment: &'a Segment,
    /// Documents that are deleted or masked by the tail.
    pub(super) dead: Option<&'a DocumentSet>,
    pub(super) filter: Option<&'a RoaringBitmap>,
}

impl SegmentSearch<'_> {
    /// Offers every document that can be among the best.
    pub(super) fn run(&self, mut cursors: Vec<Cursor>, best: &mut BestRows) {
        if let Some(filter) = self.filter.filter(|filter| is_narrow(filter, &cursors)) {
            return self.look_up_all(&self.segment.documents_of(filter), &mut cursors, best);
        }
        cursors.sort_by_key(|cursor| cursor.weight.bound());
        let reach = reach_of(&cursors);
        let mut sums = [0; WINDOW];
        let mut essential = 0;
        loop {
            essential += reach[essential..]
                .iter()
                .take_while(|reach| **reach < best.floor())
                .count();
            let Some(low) = cursors[essential..]
                .iter()
                .filter_map(Cursor::document)
                .min()
            else {
                return;
            };
            let (common, rare) = cursors.split_at_mut(essential);
            for cursor in rare {
                cursor.add_up(low, &mut sums);
            }
            self.offer_window(low, &sums, common, &reach[..essential], best);
            sums.fill(0);
        }
    }

    /// Offers the documents of a window whose sums can still reach the floor.
    fn offer_window(
        &self,
        low: u32,
        sums: &[u32; WINDOW],
        common: &mut [Cursor],
        reach: &[u32],
        best: &mut BestRows,
    ) {
        let most = reach.last().copied().unwrap_or(0);
        for (stride, sums) in sums.chunks_exact(STRIDE).enumerate() {
            let needed = best.floor().saturating_sub(most).max(1);
            if sums.iter().fold(0, |highest, sum| highest.max(*sum)) < needed {
                continue;
            }
            for (place, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum >= needed) {
                let document = low + (stride * STRIDE + place) as u32;
                self.offer(document, *sum, common, reach, best);
            }
        }
    }

    /// Completes the sum of a document while it can reach the floor, then offers it.
    fn offer(
        &self,
        document: u32,
        mut sum: u32,
        common: &mut [Cursor],
        reach: &[u32],
        best: &mut BestRows,
    ) {
        let row = self.segment.row(document);
        if self.dead.is_some_and(|dead| dead.contains(document))
            || self.filter.is_some_and(|filter| !filter.contains(row))
        {
            return;
        }
        for (cursor, reach) in common.iter_mut().zip(reach).rev() {
            if sum + reach < best.floor() {
                return;
            }
            sum += cursor.look_up(document);
        }
        best.offer(sum, row);
    }

    fn look_up_all(&self, documents: &[u32], cursors: &mut [Cursor], best: &mut BestRows) {
        for &document in documents
            .iter()
            .filter(|document| self.dead.is_none_or(|dead| !dead.contains(**document)))
        {
            let sum = cursors
                .iter_mut()
                .map(|cursor| cursor.look_up(document))
                .sum();
            if sum > 0 {
                best.offer(sum, self.segment.row(document));
            }
        }
    }
}

/// For each cursor, the maximum score that it and all before it can add to a document.
fn reach_of(cursors: &[Cursor]) -> Vec<u32> {
    let add = |reach: &mut u32, cursor: &Cursor| {
        *reach += cursor.weight.bound();
        Some(*reach)
    };
    cursors.iter().scan(0, add).collect()
}

/// Whether looking up each row of the filter costs less than adding up the postings.
fn is_narrow(filter: &RoaringBitmap, cursors: &[Cursor]) -> bool {
    let postings: u64 = cursors
        .iter()
        .map(|cursor| u64::from(cursor.postings.doc_freq()))
        .sum();
    filter.len() * cursors.len() as u64 * LOOK_UP_COST < postings
}
