//! A published segment, opened for search: postings, lengths, rows and dead documents.

use std::path::Path;
use std::sync::Arc;

use roaring::RoaringBitmap;
use tantivy::directory::OwnedBytes;
use tantivy::index::{SegmentComponent, SegmentId, SegmentReader};
use tantivy::{Index, InvertedIndexReader, SegmentMeta};

use crate::held::WatchedFile;

use super::engine::{EngineError, Fields, SEARCHED};
use super::score::{Counts, step_length};

/// A set of documents of one segment.
#[derive(Clone, Debug)]
pub(super) struct DocumentSet(Box<[u64]>);

impl DocumentSet {
    pub(super) fn new(documents: u32) -> Self {
        Self(vec![0; documents.div_ceil(64) as usize].into())
    }

    #[inline]
    pub(super) fn contains(&self, document: u32) -> bool {
        self.0[document as usize / 64] >> (document % 64) & 1 != 0
    }

    /// Adds a document; returns whether it was new.
    pub(super) fn insert(&mut self, document: u32) -> bool {
        let word = &mut self.0[document as usize / 64];
        let before = *word;
        *word |= 1 << (document % 64);
        *word != before
    }
}

/// Maps documents to rows and live rows to documents.
#[derive(Debug)]
enum Rows {
    /// Document 0 has row `first`, and so on; all are live.
    Consecutive { first: u32, documents: u32 },
    /// The general case: the row of each document, and the live documents by ascending row.
    Listed {
        of_document: Box<[u32]>,
        by_row: Box<[u32]>,
    },
}

impl Rows {
    fn new(of_document: Vec<u32>, dead: Option<&DocumentSet>) -> Self {
        let first = of_document.first().copied().unwrap_or(0);
        let is_next =
            |(document, row): (usize, &u32)| u64::from(*row) == u64::from(first) + document as u64;
        if dead.is_none() && of_document.iter().enumerate().all(is_next) {
            return Self::Consecutive {
                first,
                documents: of_document.len() as u32,
            };
        }
        let alive = |document: &u32| dead.is_none_or(|dead| !dead.contains(*document));
        let mut by_row: Box<[u32]> = (0..of_document.len() as u32).filter(alive).collect();
        by_row.sort_unstable_by_key(|document| of_document[*document as usize]);
        Self::Listed {
            of_document: of_document.into(),
            by_row,
        }
    }
}

/// An immutable segment with a fixed set of deletions.
pub(super) struct Segment {
    id: SegmentId,
    deletions: Option<u64>,
    files: Vec<WatchedFile>,
    /// The postings, by field.
    pub(super) postings: [Arc<InvertedIndexReader>; SEARCHED],
    /// The quantised length of each document, by field.
    pub(super) lengths: [OwnedBytes; SEARCHED],
    rows: Rows,
    /// The deleted documents.
    pub(super) dead: Option<DocumentSet>,
    /// Number of documents, including dead ones.
    pub(super) documents: u32,
    /// Counts over the live documents.
    pub(super) counts: Counts,
}

impl Segment {
    /// Verifies the checksums of the segment's files in `folder`, then opens it.
    pub(super) fn open(
        folder: &Path,
        index: &Index,
        meta: &SegmentMeta,
        fields: Fields,
    ) -> Result<Self, EngineError> {
        let files = hold_files(folder, meta)?;
        verify_files(index, meta)?;
        let reader = SegmentReader::open(&index.segment(meta.clone()))?;
        let documents = reader.max_doc();
        let dead = dead_documents(&reader);
        let rows = Rows::new(read_rows(&reader)?, dead.as_ref());
        let [text, author] = fields.searched;
        let mut segment = Self {
            id: meta.id(),
            deletions: meta.delete_opstamp(),
            files,
            postings: [reader.inverted_index(text)?, reader.inverted_index(author)?],
            lengths: [read_lengths(&reader, text)?, read_lengths(&reader, author)?],
            rows,
            dead,
            documents,
            counts: Counts::default(),
        };
        segment.counts = segment.count_live();
        Ok(segment)
    }

    /// Whether its files are unmodified since they were verified.
    pub(super) fn is_unmodified(&self) -> bool {
        self.files.iter().all(WatchedFile::is_unmodified)
    }

    /// Whether this is the segment of `meta` with the same deletions.
    pub(super) fn is(&self, meta: &SegmentMeta) -> bool {
        self.id == meta.id()
            && self.deletions == meta.delete_opstamp()
            && self.documents == meta.max_doc()
    }

    /// The row of a document. O(1).
    #[inline]
    pub(super) fn row(&self, document: u32) -> u32 {
        match &self.rows {
            Rows::Consecutive { first, .. } => first + document,
            Rows::Listed { of_document, .. } => of_document[document as usize],
        }
    }

    /// The live document of a row. O(log documents).
    pub(super) fn document(&self, row: u32) -> Option<u32> {
        match &self.rows {
            Rows::Consecutive { first, documents } => row
                .checked_sub(*first)
                .filter(|document| document < documents),
            Rows::Listed {
                of_document,
                by_row,
            } => by_row
                .binary_search_by_key(&row, |document| of_document[*document as usize])
                .ok()
                .map(|place| by_row[place]),
        }
    }

    /// The live documents of `rows`, in ascending order. O(rows · log documents).
    pub(super) fn documents_of(&self, rows: &RoaringBitmap) -> Vec<u32> {
        let mut documents: Vec<u32> = rows.iter().filter_map(|row| self.document(row)).collect();
        documents.sort_unstable();
        documents
    }

    /// The contribution of one document to the counts.
    pub(super) fn counts_of(&self, document: u32) -> Counts {
        let terms = self
            .lengths
            .each_ref()
            .map(|lengths| step_length(lengths[document as usize]));
        Counts {
            documents: 1,
            terms,
        }
    }

    fn count_live(&self) -> Counts {
        let mut counts = Counts::default();
        for document in 0..self.documents {
            let dead = self.dead.as_ref();
            if dead.is_none_or(|dead| !dead.contains(document)) {
                counts.add(&self.counts_of(document));
            }
        }
        counts
    }
}

/// Keeps the files open that queries read; the others are read only once, on opening.
fn hold_files(folder: &Path, meta: &SegmentMeta) -> Result<Vec<WatchedFile>, EngineError> {
    use SegmentComponent::{FieldNorms, Postings, Terms};
    let hold = |component| WatchedFile::open(&folder.join(meta.relative_path(component)));
    let held: Result<_, _> = [Postings, Terms, FieldNorms]
        .into_iter()
        .map(hold)
        .collect();
    held.map_err(|error| EngineError::new(error.to_string()))
}

/// Reads every file of a segment and verifies the CRC at its end.
pub(super) fn verify_files(index: &Index, meta: &SegmentMeta) -> Result<(), EngineError> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let components = [Postings, Positions, Terms, Store, FastFields, FieldNorms];
    let deletions = meta.has_deletes().then_some(Delete);
    for component in components.into_iter().chain(deletions) {
        let path = meta.relative_path(component);
        let whole = index.directory().validate_checksum(&path);
        if !whole.map_err(|error| EngineError::new(error.to_string()))? {
            return Err(EngineError::new(format!(
                "the checksum of {} does not match",
                path.display()
            )));
        }
    }
    Ok(())
}

fn dead_documents(reader: &SegmentReader) -> Option<DocumentSet> {
    let alive = reader.alive_bitset()?;
    let mut dead = DocumentSet::new(reader.max_doc());
    for document in (0..reader.max_doc()).filter(|document| alive.is_deleted(*document)) {
        dead.insert(document);
    }
    Some(dead)
}

fn read_rows(reader: &SegmentReader) -> Result<Vec<u32>, EngineError> {
    let column = reader.fast_fields().u64("row")?;
    let row_of = |document| {
        column
            .first(document)
            .and_then(|row| u32::try_from(row).ok())
    };
    let rows: Option<Vec<u32>> = (0..reader.max_doc()).map(row_of).collect();
    rows.ok_or_else(|| EngineError::new("a document has no row"))
}

/// The length bytes of a field; tantivy writes one for every document of every text field.
fn read_lengths(
    reader: &SegmentReader,
    field: tantivy::schema::Field,
) -> Result<OwnedBytes, EngineError> {
    let file = reader
        .fieldnorms_readers()
        .get_inner_file()
        .open_read(field);
    let lengths = file
        .ok_or_else(|| EngineError::new("a field has no lengths"))?
        .read_bytes()?;
    if lengths.len() != reader.max_doc() as usize {
        return Err(EngineError::new(
            "the number of lengths doesn't match the number of documents",
        ));
    }
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[u32], dead: &[u32]) {
        let mut set = DocumentSet::new(rows.len() as u32);
        for document in dead {
            assert!(set.insert(*document) && !set.insert(*document));
        }
        let table = Rows::new(rows.to_vec(), (!dead.is_empty()).then_some(&set));
        let found: Vec<u32> = match &table {
            Rows::Consecutive { first, documents } => {
                (0..*documents).map(|document| first + document).collect()
            }
            Rows::Listed {
                of_document,
                by_row,
            } => by_row
                .iter()
                .map(|document| of_document[*document as usize])
                .collect(),
        };
        let alive = rows
            .iter()
            .enumerate()
            .filter(|(document, _)| !dead.contains(&(*document as u32)));
        let mut expected: Vec<u32> = alive.map(|(_, row)| *row).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_live_row_is_listed_once_by_rising_row() {
        check(&[], &[]);
        check(&[5, 6, 7], &[]);
        check(&[5, 7, 6], &[]);
        check(&[1, 9, 1, 3], &[0]);
        check(&[u32::MAX - 1, u32::MAX], &[]);
    }
}
