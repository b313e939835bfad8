//! The vectors view: memories by cosine similarity.
//!
//! A memory has one vector for its whole text and, if it is long, one for each window of whole sentences; the view
//! returns the best per memory. Every vector is rotated by a fixed random rotation, which makes the distribution of all
//! dimensions alike, and stored twice: as one sign bit per dimension, and as eight-bit codes with a scale per vector. A
//! search scans the signs, then rescores the nearest with the eight-bit codes.

mod codes;
mod layout;
mod parts;
mod rotation;
mod scan;
mod search;
mod simd;
mod simd_level;

use std::path::PathBuf;
use std::sync::Arc;

use anamne_embed::Embedder;
use anamne_store::view::ViewError;
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::segments::{RowLocation, SegmentedView, Snapshot, view_of_shelf};
use codes::Query;
use layout::VectorsLayout;
pub use parts::embedded_texts;
use search::Effort;
pub use simd_level::SimdLevel;

/// Maximum dimensions of an embedder.
pub const DIMENSIONS: usize = 8_192;

/// A memory found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The memory.
    pub row: Row,
    /// Cosine between the query and the memory's best vector, −1 to 1.
    pub similarity: f32,
}

/// The view named `vectors`.
///
/// Callers must serialise catch-up: `refresh`, `position`, reading the log from there, `follow`. Searching is
/// concurrent.
pub struct VectorsView {
    shelf: SegmentedView<VectorsLayout>,
}

impl VectorsView {
    /// Opens the view in `directory`, which may not exist yet.
    ///
    /// Unreadable files, or files written with another model, mark the view as broken: the next fold rebuilds it. Fails
    /// only for an embedder with 0 or more than 8 192 dimensions.
    pub fn open(
        directory: impl Into<PathBuf>,
        embedder: Arc<dyn Embedder>,
    ) -> Result<Self, ViewError> {
        Ok(Self {
            shelf: SegmentedView::open(directory.into(), VectorsLayout::new(embedder)?),
        })
    }

    /// The `limit` memories nearest to `query`, nearest first, ties by ascending row.
    ///
    /// `query` has the length of the embedder's vectors, and need not be normalised; a zero query matches nothing. With
    /// a `filter`, only memories in it are considered: the filter applies before the limit. Fails if the view is
    /// broken, or the query has another length or is not finite. O(vectors), or O(filter) if the filter is narrow.
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<VectorHit>, ViewError> {
        self.nearest(query, limit, filter, Effort::Exact)
    }

    /// About the `limit` nearest memories to `query`, in bounded time: for callers that rescore them.
    ///
    /// The clearly nearest memories are always included; near the end of the list one in ten may be missed, and the
    /// similarity may be that of any of the memory's vectors, not always of its best. Otherwise as
    /// [`VectorsView::search`].
    pub fn candidates(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<VectorHit>, ViewError> {
        self.nearest(query, limit, filter, Effort::Bounded)
    }

    fn nearest(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
        effort: Effort,
    ) -> Result<Vec<VectorHit>, ViewError> {
        let snapshot = self.shelf.whole_snapshot()?;
        match self.prepare(query)? {
            Some(query) => search::nearest(&snapshot, &query, limit, filter, effort),
            None => Ok(Vec::new()),
        }
    }

    /// Cosine between `query` and the best vector of `row`; `None` if it has none.
    ///
    /// Fails as [`VectorsView::search`] does. For several rows, [`VectorsView::similarities`] is faster.
    pub fn similarity(&self, query: &[f32], row: Row) -> Result<Option<f32>, ViewError> {
        Ok(self.similarities(query, &[row])?.pop().flatten())
    }

    /// [`VectorsView::similarity`] for each of `rows`, in order. O(rows · log n).
    pub fn similarities(&self, query: &[f32], rows: &[Row]) -> Result<Vec<Option<f32>>, ViewError> {
        let snapshot = self.shelf.whole_snapshot()?;
        match self.prepare(query)? {
            Some(query) => rows
                .iter()
                .map(|row| similarity(&snapshot, &query, row.0))
                .collect(),
            None => Ok(vec![None; rows.len()]),
        }
    }

    /// Whether the view contains `row`. A published row has at least one vector; a recently changed one may have none.
    /// Fails if the view is broken. O(segments · log n).
    pub fn holds(&self, row: Row) -> Result<bool, ViewError> {
        Ok(self.shelf.whole_snapshot()?.find(row.0)?.is_some())
    }

    /// Number of live memories with a vector. O(1).
    pub fn rows(&self) -> usize {
        self.shelf.snapshot().summary().rows as usize
    }

    /// Total number of vectors. O(1).
    pub fn vectors(&self) -> usize {
        self.shelf.snapshot().summary().vectors as usize
    }

    /// Approximate bytes that a full search for the best `limit` memories reads: the signs of every vector, and
    /// eight-bit codes of twice as many as requested. O(1).
    pub fn scanned_bytes(&self, limit: usize) -> u64 {
        let vectors = self.vectors() as u64;
        let padded = self.shelf.layout().rotation().padded() as u64;
        let compared = vectors.min(2 * limit as u64);
        vectors * padded / 8 + compared * (padded + 4)
    }

    fn prepare(&self, query: &[f32]) -> Result<Option<Query>, ViewError> {
        let rotation = self.shelf.layout().rotation();
        if query.len() != rotation.dimensions() {
            let expected = rotation.dimensions();
            return Err(ViewError::Engine(format!(
                "the query has {} dimensions and not {expected}",
                query.len()
            )));
        }
        if !query.iter().all(|place| place.is_finite()) {
            return Err(ViewError::Engine("the query is not finite".into()));
        }
        Ok(Query::new(rotation, query))
    }
}

fn similarity(
    snapshot: &Snapshot<VectorsLayout>,
    query: &Query,
    row: u32,
) -> Result<Option<f32>, ViewError> {
    match snapshot.find(row)? {
        Some(RowLocation::Entry(entry)) => Ok(entry.best(query)),
        Some(RowLocation::Slots(segment, slots)) => segment.best(query, slots),
        None => Ok(None),
    }
}

view_of_shelf!(VectorsView, VectorsLayout);
