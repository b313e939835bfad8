//! The layout of columns in a segment: rows, attributes, token offsets, tokens.

use std::ops::Range;
use std::sync::Arc;

use anamne_store::view::{Attributes, Record, ViewError};

use super::attributes::{WIDTH, decode, encode};
use super::{MEMORY_TOKENS, Tokenise};
use crate::segments::{
    ByteReader, ByteWriter, EntryLocation, Layout, SegmentFile, SegmentWriter, Source,
};

const ROWS: usize = 0;
const ATTRIBUTES: usize = 1;
const STARTS: usize = 2;
const TOKENS: usize = 3;

/// The layout of the columns view.
pub(super) struct ColumnsLayout {
    tokens: Arc<dyn Tokenise>,
}

/// The stored columns of a memory.
pub(super) struct ColumnsEntry {
    pub(super) attributes: Attributes,
    pub(super) tokens: Box<[u16]>,
}

/// Counts over all live rows.
#[derive(Clone, Default)]
pub(super) struct ColumnsSummary {
    pub(super) rows: u64,
    pub(super) tokens: u64,
    /// Number of memories that contain each token.
    pub(super) frequencies: Vec<u32>,
}

/// An open segment.
pub(super) struct ColumnsSegment {
    file: SegmentFile,
}

impl ColumnsLayout {
    /// A layout with the given vocabulary.
    pub(super) fn new(tokens: Arc<dyn Tokenise>) -> Self {
        Self { tokens }
    }
}

impl ColumnsSegment {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.file.count::<u32>(ROWS)
    }

    /// The attributes of a slot.
    pub(super) fn attributes(&self, slot: usize) -> Result<Attributes, ViewError> {
        let attributes = self.attributes_of(slot..slot + 1)?.first();
        attributes
            .map(decode)
            .ok_or_else(|| self.file.damaged("attributes are cut off"))
    }

    /// The attributes of a range of slots.
    pub(super) fn attributes_of(&self, slots: Range<usize>) -> Result<&[[u8; WIDTH]], ViewError> {
        Ok(self
            .file
            .part::<u8>(ATTRIBUTES, slots.start * WIDTH..slots.end * WIDTH)?
            .as_chunks()
            .0)
    }

    /// The attributes of all slots.
    pub(super) fn all_attributes(&self) -> Result<&[[u8; WIDTH]], ViewError> {
        Ok(self.file.section::<u8>(ATTRIBUTES)?.as_chunks().0)
    }

    /// The tokens of a slot.
    pub(super) fn tokens(&self, slot: usize) -> Result<&[u16], ViewError> {
        let &[start, end] = self.file.part::<u32>(STARTS, slot..slot + 2)? else {
            return Err(self.file.damaged("starts are cut off"));
        };
        self.file.part(TOKENS, start as usize..end as usize)
    }
}

impl ColumnsSummary {
    fn add(&mut self, tokens: &[u16]) {
        self.rows += 1;
        self.tokens += tokens.len() as u64;
        for token in distinct(tokens) {
            let at = usize::from(token);
            if at >= self.frequencies.len() {
                self.frequencies.resize(at + 1, 0);
            }
            self.frequencies[at] += 1;
        }
    }

    fn withdraw(&mut self, tokens: &[u16]) {
        self.rows = self.rows.saturating_sub(1);
        self.tokens = self.tokens.saturating_sub(tokens.len() as u64);
        for token in distinct(tokens) {
            if let Some(frequency) = self.frequencies.get_mut(usize::from(token)) {
                *frequency = frequency.saturating_sub(1);
            }
        }
    }
}

fn distinct(tokens: &[u16]) -> Vec<u16> {
    let mut distinct = tokens.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

impl Layout for ColumnsLayout {
    const NAME: &'static str = "columns";
    const KIND: u32 = 1;

    type Entry = ColumnsEntry;
    type Segment = ColumnsSegment;
    type Summary = ColumnsSummary;

    fn parameters(&self) -> String {
        format!(
            "columns 1, tokens {}, at most {MEMORY_TOKENS}",
            self.tokens.name()
        )
    }

    fn encode(&self, record: &Record) -> Result<ColumnsEntry, ViewError> {
        let mut tokens = Vec::with_capacity(record.text.len() / 4);
        self.tokens.tokens(&record.text, &mut tokens);
        tokens.truncate(MEMORY_TOKENS);
        Ok(ColumnsEntry {
            attributes: record.attributes,
            tokens: tokens.into(),
        })
    }

    fn weight(entry: &ColumnsEntry) -> usize {
        size_of::<ColumnsEntry>() + size_of_val(&*entry.tokens)
    }

    fn open(&self, file: SegmentFile) -> Result<ColumnsSegment, ViewError> {
        let rows = file.count::<u32>(ROWS);
        if file.count::<u8>(ATTRIBUTES) != rows * WIDTH || file.count::<u32>(STARTS) != rows + 1 {
            return Err(file.damaged("inconsistent sections"));
        }
        Ok(ColumnsSegment { file })
    }

    fn file(segment: &ColumnsSegment) -> &SegmentFile {
        &segment.file
    }

    fn write(
        &self,
        sources: &[Source<'_, Self>],
        writer: &mut SegmentWriter,
    ) -> Result<(), ViewError> {
        writer.begin_section()?;
        for source in sources {
            writer.put(&[source.row])?;
        }
        writer.begin_section()?;
        for source in sources {
            writer.put(&encode(&attributes(source)?))?;
        }
        writer.begin_section()?;
        let mut start = 0;
        for source in sources {
            writer.put(&[start])?;
            // At most 524 288 rows of 4 096 tokens: fits in 32 bits.
            start += tokens(source)?.len() as u32;
        }
        writer.put(&[start])?;
        writer.begin_section()?;
        sources
            .iter()
            .try_for_each(|source| writer.put(tokens(source)?))
    }

    fn add(summary: &mut ColumnsSummary, entry: &ColumnsEntry) {
        summary.add(&entry.tokens);
    }

    fn withdraw(summary: &mut ColumnsSummary, entry: &ColumnsEntry) {
        summary.withdraw(&entry.tokens);
    }

    fn withdraw_slots(
        summary: &mut ColumnsSummary,
        segment: &ColumnsSegment,
        slots: Range<usize>,
    ) -> Result<(), ViewError> {
        for slot in slots {
            summary.withdraw(segment.tokens(slot)?);
        }
        Ok(())
    }

    fn encode_summary(summary: &ColumnsSummary) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        writer.u64(summary.rows);
        writer.u64(summary.tokens);
        writer.u64(summary.frequencies.len() as u64);
        for &frequency in &summary.frequencies {
            writer.u32(frequency);
        }
        writer.finish()
    }

    fn decode_summary(bytes: &[u8]) -> Option<ColumnsSummary> {
        let mut reader = ByteReader::new(bytes);
        let (rows, tokens, vocabulary) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let frequencies = (0..vocabulary)
            .map(|_| reader.u32())
            .collect::<Option<Vec<_>>>()?;
        reader.end()?;
        Some(ColumnsSummary {
            rows,
            tokens,
            frequencies,
        })
    }
}

fn attributes(source: &Source<'_, ColumnsLayout>) -> Result<Attributes, ViewError> {
    match &source.place {
        EntryLocation::Entry(entry) => Ok(entry.attributes),
        EntryLocation::Slots(segment, slots) => segment.attributes(slots.start),
    }
}

fn tokens<'a>(source: &Source<'a, ColumnsLayout>) -> Result<&'a [u16], ViewError> {
    match &source.place {
        EntryLocation::Entry(entry) => Ok(&entry.tokens),
        EntryLocation::Slots(segment, slots) => segment.tokens(slots.start),
    }
}
