//! Reads columns.

use anamne_store::view::{Attributes, ViewError};
use anamne_types::Row;
use rayon::prelude::*;
use roaring::RoaringBitmap;

use super::attributes::{WIDTH, decode};
use super::layout::{ColumnsEntry, ColumnsLayout, ColumnsSegment};
use super::predicate::RowPredicate;
use crate::segments::{Layout, LiveSegment, RowLocation, Snapshot};

/// Rows scanned on each side by [`ColumnsSnapshot::neighbours`].
pub const NEARBY: u32 = 64;

/// Rows scanned per thread at a time.
const STRIDE: usize = 65_536;

/// A snapshot of the columns.
///
/// A row in a damaged part reads as missing, and the view is marked as broken; callers that need certainty check
/// [`View::health`](anamne_store::view::View::health) after reading.
#[derive(Clone)]
pub struct ColumnsSnapshot {
    snapshot: Snapshot<ColumnsLayout>,
}

/// The nearest memories in the same thread, by position, on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Earlier memories, nearest first.
    pub previous: Vec<Row>,
    /// Later memories, nearest first.
    pub next: Vec<Row>,
}

impl Neighbours {
    /// The `reach` nearest on each side of `own`, among the distinct (position, row) pairs of its thread; with equal
    /// positions the lower row is the earlier. O(n log n).
    pub fn nearest(own: (u32, Row), thread: Vec<(u32, Row)>, reach: usize) -> Self {
        let others = thread.into_iter().filter(|&(_, other)| other != own.1);
        let (mut before, mut after): (Vec<_>, Vec<_>) = others.partition(|other| *other < own);
        before.sort_unstable_by(|one, other| other.cmp(one));
        after.sort_unstable();
        let nearest = |side: Vec<(u32, Row)>| {
            let nearest = side.into_iter().take(reach);
            nearest.map(|(_, row)| row).collect()
        };
        Self {
            previous: nearest(before),
            next: nearest(after),
        }
    }
}

impl ColumnsSnapshot {
    pub(super) fn new(snapshot: Snapshot<ColumnsLayout>) -> Self {
        Self { snapshot }
    }

    /// The attributes of `row`; `None` without a live memory. O(segments · log n).
    pub fn attributes(&self, row: Row) -> Option<Attributes> {
        match self.find(row.0)? {
            RowLocation::Entry(entry) => Some(entry.attributes),
            RowLocation::Slots(segment, slots) => segment.attributes(slots.start).ok(),
        }
    }

    /// The tokens of `row`'s text, at most 4 096; `None` without a live memory.
    pub fn tokens(&self, row: Row) -> Option<&[u16]> {
        match self.find(row.0)? {
            RowLocation::Entry(entry) => Some(&entry.tokens),
            RowLocation::Slots(segment, slots) => segment.tokens(slots.start).ok(),
        }
    }

    /// Number of live memories that contain `token`. O(1).
    pub fn token_frequency(&self, token: u16) -> u32 {
        let frequencies = &self.snapshot.summary().frequencies;
        frequencies.get(usize::from(token)).copied().unwrap_or(0)
    }

    /// Number of live memories. O(1).
    pub fn rows(&self) -> usize {
        self.snapshot.summary().rows as usize
    }

    /// Total tokens of live memories. O(1).
    pub fn token_count(&self) -> u64 {
        self.snapshot.summary().tokens
    }

    /// Average tokens per live memory; 0 if there is none. O(1).
    pub fn average_tokens(&self) -> f32 {
        self.token_count() as f32 / self.rows().max(1) as f32
    }

    /// The matching live rows. About 1 to 3 ns per row over all threads.
    pub fn select(&self, predicate: &RowPredicate) -> RoaringBitmap {
        self.select_where(predicate.test())
    }

    /// The live rows whose attributes satisfy `test`.
    pub fn select_where(&self, test: impl Fn(&Attributes) -> bool + Sync) -> RoaringBitmap {
        let mut selected = RoaringBitmap::new();
        for live in self.snapshot.segments() {
            let mut rows = select_in(live, &test).unwrap_or_default();
            rows -= &live.dead;
            selected |= rows;
        }
        selected -= self.snapshot.masked();
        let passes = |(row, entry): (u32, &ColumnsEntry)| test(&entry.attributes).then_some(row);
        selected.extend(self.snapshot.tail().filter_map(passes));
        selected
    }

    /// The `reach` nearest memories on each side of `row` in its thread, by position.
    ///
    /// Scans only the 64 rows before and after it, because conversations are mostly stored in order. Neighbours with
    /// more distant rows are missed; the caller may query the source for them. O(128 rows).
    pub fn neighbours(&self, row: Row, reach: usize) -> Neighbours {
        let Some(own) = self.attributes(row) else {
            return Neighbours::default();
        };
        if own.thread == 0 || reach == 0 {
            return Neighbours::default();
        }
        let thread = self.thread_nearby(row, own.thread);
        Neighbours::nearest((own.position, row), thread, reach)
    }

    /// Position and row of the memories of `thread` among `row` and the 64 rows before and after it, unordered: input
    /// for [`Neighbours::nearest`] if a thread spans several tiers. O(128 rows).
    pub fn thread_nearby(&self, row: Row, thread: u32) -> Vec<(u32, Row)> {
        self.nearby(row.0, thread).unwrap_or_default()
    }

    fn nearby(&self, row: u32, thread: u32) -> Result<Vec<(u32, Row)>, ViewError> {
        let nearby = row.saturating_sub(NEARBY)..=row.saturating_add(NEARBY);
        let mut found = Vec::new();
        let segments = self.snapshot.segments().iter();
        for live in segments.filter(|live| live.spans(&nearby)) {
            let rows = ColumnsLayout::rows(&live.segment)?;
            let slots = rows.slots_between(&nearby);
            let attributes = live.segment.attributes_of(slots.clone())?;
            let attributes = attributes.iter().map(decode);
            for (&other, attributes) in rows.0[slots].iter().zip(attributes) {
                if attributes.thread == thread
                    && !live.dead.contains(other)
                    && !self.snapshot.masked().contains(other)
                {
                    found.push((attributes.position, Row(other)));
                }
            }
        }
        let tail = self
            .snapshot
            .tail_between(nearby)
            .filter(|(_, entry)| entry.attributes.thread == thread);
        found.extend(tail.map(|(other, entry)| (entry.attributes.position, Row(other))));
        Ok(found)
    }

    fn find(&self, row: u32) -> Option<RowLocation<'_, ColumnsLayout>> {
        self.snapshot.find(row).ok().flatten()
    }
}

/// The matching rows of a segment, including dead ones.
fn select_in(
    live: &LiveSegment<ColumnsLayout>,
    test: &(impl Fn(&Attributes) -> bool + Sync),
) -> Result<RoaringBitmap, ViewError> {
    let segment: &ColumnsSegment = &live.segment;
    let (rows, attributes) = (ColumnsLayout::rows(segment)?.0, segment.all_attributes()?);
    if segment.len() <= STRIDE {
        return Ok(select_among(rows, attributes, test));
    }
    let parts = rows.par_chunks(STRIDE).zip(attributes.par_chunks(STRIDE));
    Ok(parts
        .map(|(rows, attributes)| select_among(rows, attributes, test))
        .reduce(RoaringBitmap::new, |one, other| one | other))
}

/// Dense rows are collected as bits first, which is several times faster.
fn select_among(
    rows: &[u32],
    attributes: &[[u8; WIDTH]],
    test: &impl Fn(&Attributes) -> bool,
) -> RoaringBitmap {
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
        return RoaringBitmap::new();
    };
    let passing = rows
        .iter()
        .zip(attributes)
        .filter(|(_, bytes)| test(&decode(bytes)))
        .map(|(&row, _)| row);
    let start = first & !0xffff;
    let width = (last - start) as usize / 8 + 1;
    if width > 8 * rows.len() {
        return passing.collect();
    }
    let mut bits = vec![0_u8; width];
    for row in passing {
        bits[(row - start) as usize / 8] |= 1 << (row % 8);
    }
    RoaringBitmap::from_lsb0_bytes(start, &bits)
}
