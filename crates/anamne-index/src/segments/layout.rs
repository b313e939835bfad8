//! What a view must say of itself for [`Shelf`](super::Shelf) to keep its files.

use std::ops::Range;

use anamne_store::view::{Record, ViewError};
use rayon::prelude::*;

use super::file::SegmentFile;
use super::rows::RowIndex;
use super::writer::SegmentWriter;

/// How the entries of one view are made, written and read.
pub(crate) trait Layout: Send + Sync + Sized + 'static {
    /// The view's name and the ending of its files.
    const NAME: &'static str;
    /// The number of this kind of segment, in its header.
    const KIND: u32;

    /// What is kept of one row while it is in the tail.
    type Entry: Send + Sync;
    /// A segment, opened.
    type Segment: Send + Sync;
    /// Statistics over all live rows.
    type Summary: Clone + Default + Send + Sync;

    /// Everything on which the contents of the files depend; other parameters are a rebuild.
    fn parameters(&self) -> String;

    /// The entry of a record.
    fn encode(&self, record: &Record) -> Result<Self::Entry, ViewError>;

    /// The entries of many records, in their order.
    fn encode_all(&self, records: &[&Record]) -> Result<Vec<Self::Entry>, ViewError> {
        records
            .par_iter()
            .map(|record| self.encode(record))
            .collect()
    }

    /// About how many bytes the entry takes.
    fn weight(entry: &Self::Entry) -> usize;

    /// Checks that the sections have fitting lengths; reads no more than it must.
    fn open(&self, file: SegmentFile) -> Result<Self::Segment, ViewError>;

    /// The file of a segment.
    fn file(segment: &Self::Segment) -> &SegmentFile;

    /// The row of every slot: the first section of every layout.
    fn rows(segment: &Self::Segment) -> Result<RowIndex<'_>, ViewError> {
        Ok(RowIndex(Self::file(segment).section(0)?))
    }

    /// Writes all sections; `sources` come by rising row.
    fn write(
        &self,
        sources: &[Source<'_, Self>],
        writer: &mut SegmentWriter,
    ) -> Result<(), ViewError>;

    /// Counts an entry in.
    fn add(summary: &mut Self::Summary, entry: &Self::Entry);

    /// Counts an entry out again.
    fn withdraw(summary: &mut Self::Summary, entry: &Self::Entry);

    /// Counts an entry out that stands in a segment.
    fn withdraw_slots(
        summary: &mut Self::Summary,
        segment: &Self::Segment,
        slots: Range<usize>,
    ) -> Result<(), ViewError>;

    /// The statistics as they stand in the manifest.
    fn encode_summary(summary: &Self::Summary) -> Vec<u8>;

    /// Reads them back; `None` when they do not add up.
    fn decode_summary(bytes: &[u8]) -> Option<Self::Summary>;
}

/// A row that goes into a new segment.
pub(crate) struct Source<'a, L: Layout> {
    /// The row.
    pub(crate) row: u32,
    /// Where its entry is.
    pub(crate) place: Place<'a, L>,
}

/// Where the entry of a row is.
pub(crate) enum Place<'a, L: Layout> {
    /// In memory.
    Entry(&'a L::Entry),
    /// In an older segment.
    Slots(&'a L::Segment, Range<usize>),
}
