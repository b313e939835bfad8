//! The interface between a view and [`Shelf`](super::Shelf), which manages its files.

use std::ops::Range;

use anamne_store::view::{Record, ViewError};
use rayon::prelude::*;

use super::file::SegmentFile;
use super::rows::RowIndex;
use super::writer::SegmentWriter;

/// Encodes, writes and reads the entries of one view.
pub(crate) trait Layout: Send + Sync + Sized + 'static {
    /// The view's name and the extension of its files.
    const NAME: &'static str;
    /// The type of segment, stored in its header.
    const KIND: u32;

    /// The entry of a row in the tail.
    type Entry: Send + Sync;
    /// An open segment.
    type Segment: Send + Sync;
    /// Statistics over all live rows.
    type Summary: Clone + Default + Send + Sync;

    /// Everything that determines the contents of the files; a change requires a rebuild.
    fn parameters(&self) -> String;

    /// The entry of a record.
    fn encode(&self, record: &Record) -> Result<Self::Entry, ViewError>;

    /// The entries of several records, in order.
    fn encode_all(&self, records: &[&Record]) -> Result<Vec<Self::Entry>, ViewError> {
        records
            .par_iter()
            .map(|record| self.encode(record))
            .collect()
    }

    /// The entries of several records for the tail, in order, if asking the model would make a query wait: some may be
    /// pending. `None` if the usual entries are made without waiting.
    fn entries_at_hand(&self, _: &[&Record]) -> Option<Result<Vec<Self::Entry>, ViewError>> {
        None
    }

    /// Whether a fold must make the entry again.
    fn is_pending(_: &Self::Entry) -> bool {
        false
    }

    /// The approximate size of an entry in bytes.
    fn weight(entry: &Self::Entry) -> usize;

    /// Checks the lengths of the sections; reads as little as possible.
    fn open(&self, file: SegmentFile) -> Result<Self::Segment, ViewError>;

    /// The file of an open segment.
    fn file(segment: &Self::Segment) -> &SegmentFile;

    /// The row of every slot, the first section of every layout.
    fn rows(segment: &Self::Segment) -> Result<RowIndex<'_>, ViewError> {
        Ok(RowIndex(Self::file(segment).section(0)?))
    }

    /// Writes all sections; `sources` are sorted by row.
    fn write(
        &self,
        sources: &[Source<'_, Self>],
        writer: &mut SegmentWriter,
    ) -> Result<(), ViewError>;

    /// Adds an entry to the statistics.
    fn add(summary: &mut Self::Summary, entry: &Self::Entry);

    /// Subtracts an entry from the statistics.
    fn withdraw(summary: &mut Self::Summary, entry: &Self::Entry);

    /// Subtracts an entry in a segment from the statistics.
    fn withdraw_slots(
        summary: &mut Self::Summary,
        segment: &Self::Segment,
        slots: Range<usize>,
    ) -> Result<(), ViewError>;

    /// Encodes the statistics for the manifest.
    fn encode_summary(summary: &Self::Summary) -> Vec<u8>;

    /// Decodes the statistics; `None` if they are inconsistent.
    fn decode_summary(bytes: &[u8]) -> Option<Self::Summary>;
}

/// A row to be written into a new segment.
pub(crate) struct Source<'a, L: Layout> {
    /// The row.
    pub(crate) row: u32,
    /// The location of its entry.
    pub(crate) place: EntryLocation<'a, L>,
}

/// The location of a row's entry.
pub(crate) enum EntryLocation<'a, L: Layout> {
    /// In memory.
    Entry(&'a L::Entry),
    /// In an older segment.
    Slots(&'a L::Segment, Range<usize>),
}
