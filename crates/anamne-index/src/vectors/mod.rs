//! The vectors view: memories by cosine similarity.
//!
//! A memory has one vector for its whole text and, where it is long, one for each window of whole
//! sentences; the view answers with the best per memory. Every vector is turned by a fixed random
//! rotation, after which all of its places are alike, and kept twice: the sign of each place in one
//! bit, and all of it in eight bits a place with a scale of its own. A search runs over the signs,
//! then compares those that look nearest in eight bits.

mod codes;
mod layout;
mod parts;
mod rotation;
mod scan;
mod search;
mod simd;

use std::path::PathBuf;
use std::sync::Arc;

use anamne_embed::Embedder;
use anamne_store::view::ViewError;
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::segments::{RowLocation, Shelf, Snapshot, view_of_shelf};
use codes::Query;
use layout::VectorsLayout;
pub use parts::embedded_texts;
use search::Effort;

/// Maximum dimensions of an embedder.
pub const DIMENSIONS: usize = 8_192;

/// A memory that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The memory.
    pub row: Row,
    /// Cosine between the query and the memory's best vector, −1 to 1.
    pub similarity: f32,
}

/// The view named `vectors`.
///
/// Callers serialise catching up: `refresh`, `position`, reading the log from there, `follow`.
/// Searching needs no such care.
pub struct VectorsView {
    shelf: Shelf<VectorsLayout>,
}

impl VectorsView {
    /// The view in `directory`, which need not exist.
    ///
    /// What can't be read marks the view as broken, and so does a folder that another model filled: the
    /// next fold rebuilds it. Fails only for an embedder of 0 or more than 8 192 dimensions.
    pub fn open(
        directory: impl Into<PathBuf>,
        embedder: Arc<dyn Embedder>,
    ) -> Result<Self, ViewError> {
        Ok(Self {
            shelf: Shelf::open(directory.into(), VectorsLayout::new(embedder)?),
        })
    }

    /// The `limit` memories nearest to `query`, nearest first, ties by rising row.
    ///
    /// `query` is as long as the embedder's vectors, and need not be of unit length; a zero query is
    /// close to nothing. With a `filter`, only memories in it are considered: the answer has `limit`
    /// memories whenever the filter lets as many pass. Fails when the view is broken, or the query has
    /// another length or is not finite. O(vectors), or O(filter) where that is narrow.
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<VectorHit>, ViewError> {
        self.nearest(query, limit, filter, Effort::Exact)
    }

    /// About the `limit` memories nearest to `query`, in bounded time: for callers that judge each of them again.
    ///
    /// What is nearest by far is always among them; near the edge of the answer one in ten may be overlooked, and the
    /// similarity is that of one of a memory's vectors, not always of its best. Otherwise as [`VectorsView::search`].
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

    /// Cosine between `query` and the best vector of `row`; `None` where there is none.
    ///
    /// Fails as [`VectorsView::search`] does. For several rows, [`VectorsView::similarities`] is faster.
    pub fn similarity(&self, query: &[f32], row: Row) -> Result<Option<f32>, ViewError> {
        Ok(self.similarities(query, &[row])?.pop().flatten())
    }

    /// [`VectorsView::similarity`] for each of `rows`, in their order. O(rows · log n).
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

    /// Whether there is something of `row`: at least one vector, unless the memory changed lately. Fails when the view is
    /// broken. O(segments · log n).
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

    /// About how many bytes of the view a search of all of it for the best `limit` memories reads: the signs of every
    /// vector, and eight-bit codes of twice as many as are wanted. O(1).
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
