//! The layout of vectors in a segment: row and scale of each, signs in blocks of eight, eight-bit codes.

use std::ops::Range;
use std::sync::Arc;

use anamne_embed::Embedder;
use anamne_store::view::{Record, ViewError};
use rayon::prelude::*;

use super::DIMENSIONS;
use super::codes::{Code, Query, signs};
use super::parts::{self, POLICY};
use super::rotation::{Rotation, SEED};
use super::simd::LANES;
use crate::segments::{
    ByteReader, ByteWriter, EntryLocation, Layout, SegmentFile, SegmentWriter, Source,
};

const ROWS: usize = 0;
const SCALES: usize = 1;
const SIGNS: usize = 2;
const CODES: usize = 3;

/// The layout of the vectors view.
pub(super) struct VectorsLayout {
    embedder: Arc<dyn Embedder>,
    rotation: Rotation,
}

/// The vectors of a memory.
pub(super) struct VectorsEntry {
    scales: Box<[f32]>,
    /// One code of padded dimensions per scale.
    codes: Box<[i8]>,
    /// Whether some of its vectors are still to be made.
    is_pending: bool,
}

/// Counts over all live rows.
#[derive(Clone, Copy, Default)]
pub(super) struct VectorsSummary {
    /// Number of memories with a vector.
    pub(super) rows: u64,
    /// Total number of vectors.
    pub(super) vectors: u64,
}

/// An open segment.
pub(super) struct VectorsSegment {
    file: SegmentFile,
    padded: usize,
}

impl VectorsLayout {
    /// A layout for the embedder's vectors.
    pub(super) fn new(embedder: Arc<dyn Embedder>) -> Result<Self, ViewError> {
        let dimensions = embedder.dimensions();
        if !(1..=DIMENSIONS).contains(&dimensions) {
            return Err(ViewError::Engine(format!(
                "an embedder has 1 to {DIMENSIONS} dimensions, not {dimensions}"
            )));
        }
        Ok(Self {
            embedder,
            rotation: Rotation::new(dimensions),
        })
    }

    /// The rotation applied to vectors.
    pub(super) fn rotation(&self) -> &Rotation {
        &self.rotation
    }
}

impl VectorsEntry {
    /// Cosine with the best of the entry's vectors.
    pub(super) fn best(&self, query: &Query) -> Option<f32> {
        best(query, &self.codes, &self.scales)
    }
}

impl VectorsSegment {
    /// Number of vectors.
    pub(super) fn len(&self) -> usize {
        self.file.count::<u32>(ROWS)
    }

    /// The signs of blocks of eight vectors.
    pub(super) fn signs(&self, blocks: Range<usize>) -> Result<&[u64], ViewError> {
        let width = self.padded / 64 * LANES;
        self.file
            .part(SIGNS, blocks.start * width..blocks.end * width)
    }

    /// The eight-bit code of a slot, and its scale.
    #[inline]
    pub(super) fn code(&self, slot: usize) -> Result<(&[i8], f32), ViewError> {
        Ok((
            self.codes(slot..slot + 1)?,
            self.file.part::<f32>(SCALES, slot..slot + 1)?[0],
        ))
    }

    /// Cosine with the best of the vectors in `slots`.
    pub(super) fn best(
        &self,
        query: &Query,
        slots: Range<usize>,
    ) -> Result<Option<f32>, ViewError> {
        Ok(best(
            query,
            self.codes(slots.clone())?,
            self.file.part(SCALES, slots)?,
        ))
    }

    #[inline]
    fn codes(&self, slots: Range<usize>) -> Result<&[i8], ViewError> {
        self.file
            .part(CODES, slots.start * self.padded..slots.end * self.padded)
    }
}

fn best(query: &Query, codes: &[i8], scales: &[f32]) -> Option<f32> {
    let vectors = codes.chunks_exact(query.places.len()).zip(scales);
    vectors
        .map(|(places, &scale)| query.cosine(places, scale))
        .max_by(f32::total_cmp)
}

impl Layout for VectorsLayout {
    const NAME: &'static str = "vectors";
    const KIND: u32 = 2;

    type Entry = VectorsEntry;
    type Segment = VectorsSegment;
    type Summary = VectorsSummary;

    fn parameters(&self) -> String {
        let (model, dimensions) = (self.embedder.model().slug(), self.rotation.dimensions());
        format!(
            "vectors 1, model {model}, dimensions {dimensions}, rotation {SEED:016x}, parts {POLICY}"
        )
    }

    fn encode(&self, record: &Record) -> Result<VectorsEntry, ViewError> {
        if self.embedder.is_remote() {
            let mut entries = self.encode_all(&[record])?;
            return entries
                .pop()
                .ok_or_else(|| ViewError::Engine("embed: nothing came back".to_owned()));
        }
        let (mut scales, mut codes) = (Vec::new(), Vec::new());
        parts::embed(&*self.embedder, &record.text, |vector| {
            if let Some(code) = Code::new(&self.rotation, vector) {
                scales.push(code.scale);
                codes.extend_from_slice(&code.places);
            }
        })?;
        Ok(VectorsEntry {
            scales: scales.into(),
            codes: codes.into(),
            is_pending: false,
        })
    }

    fn encode_all(&self, records: &[&Record]) -> Result<Vec<VectorsEntry>, ViewError> {
        if !self.embedder.is_costly() || self.embedder.token_table().is_some() {
            return records
                .par_iter()
                .map(|record| self.encode(record))
                .collect();
        }
        // Asked only if it matters: it may read the settings of the model.
        let stays = |record: &Record| record.is_private && self.embedder.leaves_machine();
        let (texts, owners) = parts::texts_of(records, |record| !stays(record));
        let mut entries = vec![(Vec::new(), Vec::new()); records.len()];
        parts::embed_together(&*self.embedder, &texts, |at, vector| {
            if let Some(code) = Code::new(&self.rotation, vector) {
                let (scales, codes) = &mut entries[owners[at]];
                scales.push(code.scale);
                codes.extend_from_slice(&code.places);
            }
        })?;
        let entry = |(scales, codes): (Vec<f32>, Vec<i8>)| VectorsEntry {
            scales: scales.into(),
            codes: codes.into(),
            is_pending: false,
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    fn entries_at_hand(&self, records: &[&Record]) -> Option<Result<Vec<VectorsEntry>, ViewError>> {
        self.embedder.is_remote().then(|| self.looked_up(records))
    }

    fn is_pending(entry: &VectorsEntry) -> bool {
        entry.is_pending
    }

    fn weight(entry: &VectorsEntry) -> usize {
        size_of::<VectorsEntry>() + size_of_val(&*entry.codes) + size_of_val(&*entry.scales)
    }

    fn open(&self, file: SegmentFile) -> Result<VectorsSegment, ViewError> {
        let (vectors, padded) = (file.count::<u32>(ROWS), self.rotation.padded());
        let words = vectors.div_ceil(LANES) * LANES * (padded / 64);
        let fits = file.count::<f32>(SCALES) == vectors
            && file.count::<u64>(SIGNS) == words
            && file.count::<i8>(CODES) == vectors * padded;
        if !fits {
            return Err(file.damaged("inconsistent sections"));
        }
        Ok(VectorsSegment { file, padded })
    }

    fn file(segment: &VectorsSegment) -> &SegmentFile {
        &segment.file
    }

    fn write(
        &self,
        sources: &[Source<'_, Self>],
        writer: &mut SegmentWriter,
    ) -> Result<(), ViewError> {
        writer.begin_section()?;
        for source in sources {
            for _ in scales(source)? {
                writer.put(&[source.row])?;
            }
        }
        writer.begin_section()?;
        for source in sources {
            writer.put(scales(source)?)?;
        }
        writer.begin_section()?;
        self.write_signs(sources, writer)?;
        writer.begin_section()?;
        sources
            .iter()
            .try_for_each(|source| writer.put(codes(source)?))
    }

    fn add(summary: &mut VectorsSummary, entry: &VectorsEntry) {
        summary.rows += u64::from(!entry.scales.is_empty());
        summary.vectors += entry.scales.len() as u64;
    }

    fn withdraw(summary: &mut VectorsSummary, entry: &VectorsEntry) {
        summary.rows = summary
            .rows
            .saturating_sub(u64::from(!entry.scales.is_empty()));
        summary.vectors = summary.vectors.saturating_sub(entry.scales.len() as u64);
    }

    fn withdraw_slots(
        summary: &mut VectorsSummary,
        _: &VectorsSegment,
        slots: Range<usize>,
    ) -> Result<(), ViewError> {
        summary.rows = summary.rows.saturating_sub(u64::from(!slots.is_empty()));
        summary.vectors = summary.vectors.saturating_sub(slots.len() as u64);
        Ok(())
    }

    fn encode_summary(summary: &VectorsSummary) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        writer.u64(summary.rows);
        writer.u64(summary.vectors);
        writer.finish()
    }

    fn decode_summary(bytes: &[u8]) -> Option<VectorsSummary> {
        let mut reader = ByteReader::new(bytes);
        let summary = VectorsSummary {
            rows: reader.u64()?,
            vectors: reader.u64()?,
        };
        reader.end()?;
        Some(summary)
    }
}

impl VectorsLayout {
    /// The entries of these records with the vectors that the embedder has at hand.
    fn looked_up(&self, records: &[&Record]) -> Result<Vec<VectorsEntry>, ViewError> {
        let (texts, owners) = parts::texts_of(records, |_| true);
        let found = self.embedder.embed_at_hand(&texts);
        let found = found.map_err(|error| parts::failed(&error))?;
        let mut entries: Vec<_> = records
            .iter()
            .map(|_| (Vec::new(), Vec::new(), false))
            .collect();
        for (vector, owner) in found.iter().zip(owners) {
            let (scales, codes, is_pending) = &mut entries[owner];
            match vector {
                None => *is_pending = true,
                Some(vector) => {
                    if let Some(code) = Code::new(&self.rotation, vector) {
                        scales.push(code.scale);
                        codes.extend_from_slice(&code.places);
                    }
                }
            }
        }
        let entry = |(scales, codes, is_pending): (Vec<f32>, Vec<i8>, bool)| VectorsEntry {
            scales: scales.into(),
            codes: codes.into(),
            is_pending,
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    /// Writes signs in blocks of eight vectors, word by word; the last block is zero-padded.
    fn write_signs(
        &self,
        sources: &[Source<'_, Self>],
        writer: &mut SegmentWriter,
    ) -> Result<(), ViewError> {
        let words = self.rotation.padded() / 64;
        let mut gathered = Vec::with_capacity(words * LANES);
        for source in sources {
            for places in codes(source)?.chunks_exact(self.rotation.padded()) {
                signs(places, &mut gathered);
                if gathered.len() == words * LANES {
                    writer.put(&interleaved(&gathered, words))?;
                    gathered.clear();
                }
            }
        }
        if gathered.is_empty() {
            return Ok(());
        }
        gathered.resize(words * LANES, 0);
        writer.put(&interleaved(&gathered, words))
    }
}

/// Transposes a block from vector by vector to word by word.
fn interleaved(block: &[u64], words: usize) -> Vec<u64> {
    (0..words)
        .flat_map(|word| block.iter().skip(word).step_by(words).copied())
        .collect()
}

fn scales<'a>(source: &Source<'a, VectorsLayout>) -> Result<&'a [f32], ViewError> {
    match &source.place {
        EntryLocation::Entry(entry) => Ok(&entry.scales),
        EntryLocation::Slots(segment, slots) => segment.file.part(SCALES, slots.clone()),
    }
}

fn codes<'a>(source: &Source<'a, VectorsLayout>) -> Result<&'a [i8], ViewError> {
    match &source.place {
        EntryLocation::Entry(entry) => Ok(&entry.codes),
        EntryLocation::Slots(segment, slots) => segment.codes(slots.clone()),
    }
}
