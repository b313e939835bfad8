//! The traits by which recall reads views, and their implementations.

use std::cmp::Ordering;

use anamne_index::columns::{ColumnsSnapshot, RowPredicate};
use anamne_index::lexical::{LexicalHit, LexicalView};
use anamne_index::vectors::{VectorHit, VectorsView};
use anamne_store::view::{Attributes, ViewError};
use anamne_text::analyser::QueryTerms;
use anamne_types::{Dispute, Row};
use roaring::RoaringBitmap;

pub use crate::connections::{Connections, Linked, NamedEntity, RelatedEntity};
use crate::error::RecallError;

/// A row found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// The row.
    pub row: Row,
    /// The score of the search.
    pub score: f32,
}

/// Hits, best first, or why the search failed.
pub type Hits = Result<Vec<SearchHit>, ViewError>;

/// Orders scored rows: best first; ties by row.
pub(crate) fn best_first(one: (f32, Row), other: (f32, Row)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}

/// Lexical search.
pub trait LexicalSearch: Send + Sync {
    /// The best rows in `filter` by BM25, best first.
    fn search(&self, terms: &QueryTerms, limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// The inverse document frequency of each term, in order; never negative.
    fn idf(&self, terms: &QueryTerms) -> Vec<f32>;
}

/// Vector search.
pub trait VectorSearch: Send + Sync {
    /// The best rows in `filter` by cosine of their best vector, best first.
    fn search(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// Approximately the same in bounded time, for rows that are rescored afterwards.
    fn candidates(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// The cosine of each of `rows`, in order.
    fn similarities(&self, query: &[f32], rows: &[Row]) -> Result<Vec<Option<f32>>, ViewError>;
}

/// The columns that ranking reads.
pub trait Columns: Send + Sync {
    /// The row's attributes; `None` without a live memory.
    fn attributes(&self, row: Row) -> Option<Attributes>;

    /// The tokens of the row's text.
    fn tokens(&self, row: Row) -> Option<&[u16]>;

    /// The number of live rows that contain a token.
    fn token_frequency(&self, token: u16) -> u32;

    /// The number of live rows.
    fn rows(&self) -> usize;

    /// Mean number of tokens per row.
    fn average_tokens(&self) -> f32;

    /// The live rows that match.
    fn select(&self, predicate: &RowPredicate) -> RoaringBitmap;

    /// The nearest rows of the same thread before and after `row`, nearest first, at most `reach` per side.
    fn neighbours(&self, row: Row, reach: usize) -> (Vec<Row>, Vec<Row>);
}

impl LexicalSearch for LexicalView {
    fn search(&self, terms: &QueryTerms, limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        LexicalView::search(self, terms, limit, filter).map(search_hits)
    }

    fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        LexicalView::idf(self, terms)
    }
}

impl From<LexicalHit> for SearchHit {
    fn from(hit: LexicalHit) -> Self {
        Self {
            row: hit.row,
            score: hit.score,
        }
    }
}

impl From<VectorHit> for SearchHit {
    fn from(hit: VectorHit) -> Self {
        Self {
            row: hit.row,
            score: hit.similarity,
        }
    }
}

/// Converts the hits of a view.
pub(crate) fn search_hits<Hit: Into<SearchHit>>(hits: Vec<Hit>) -> Vec<SearchHit> {
    hits.into_iter().map(Into::into).collect()
}

impl VectorSearch for VectorsView {
    fn search(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        VectorsView::search(self, query, limit, filter).map(search_hits)
    }

    fn candidates(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        VectorsView::candidates(self, query, limit, filter).map(search_hits)
    }

    fn similarities(&self, query: &[f32], rows: &[Row]) -> Result<Vec<Option<f32>>, ViewError> {
        VectorsView::similarities(self, query, rows)
    }
}

impl Columns for ColumnsSnapshot {
    fn attributes(&self, row: Row) -> Option<Attributes> {
        ColumnsSnapshot::attributes(self, row)
    }

    fn tokens(&self, row: Row) -> Option<&[u16]> {
        ColumnsSnapshot::tokens(self, row)
    }

    fn token_frequency(&self, token: u16) -> u32 {
        ColumnsSnapshot::token_frequency(self, token)
    }

    fn rows(&self) -> usize {
        ColumnsSnapshot::rows(self)
    }

    fn average_tokens(&self) -> f32 {
        ColumnsSnapshot::average_tokens(self)
    }

    fn select(&self, predicate: &RowPredicate) -> RoaringBitmap {
        ColumnsSnapshot::select(self, predicate)
    }

    fn neighbours(&self, row: Row, reach: usize) -> (Vec<Row>, Vec<Row>) {
        let neighbours = ColumnsSnapshot::neighbours(self, row, reach);
        (neighbours.previous, neighbours.next)
    }
}

/// Contradictions between memories.
pub trait Disputes {
    /// The memories that contradict each of these rows. Must be nearly free if there are none.
    fn of(&self, rows: &[Row]) -> Vec<Vec<Dispute>>;
}

/// The memories that name an entity.
#[derive(Clone, Debug, Default)]
pub struct EntityMentions {
    /// Their rows.
    pub rows: RoaringBitmap,
    /// All names of the entity.
    pub names: Vec<String>,
    /// Whether the knowledge graph is behind.
    pub is_behind: bool,
}

/// The threads that name the same entities as a thread.
#[derive(Clone, Debug, Default)]
pub struct RelatedThreads {
    /// The other threads, most closely related first.
    pub threads: Vec<String>,
    /// Whether the knowledge graph is behind.
    pub is_behind: bool,
}

/// Entity names in memories. Only queried for scopes that need it.
pub trait EntityNames {
    /// The memories that name an entity by any of its names.
    ///
    /// [`RecallError::NoEntity`] for an unknown name, [`RecallError::NotExtracted`] if entities have not been
    /// extracted.
    fn naming(&self, name: &str) -> Result<EntityMentions, RecallError>;

    /// The threads that name the same rare entities.
    ///
    /// [`RecallError::NotExtracted`] if entities have not been extracted.
    fn related_threads(&self, thread: &str) -> Result<RelatedThreads, RecallError>;
}

/// Columns with only tokens, for tests.
#[cfg(test)]
pub(crate) struct Rows(pub(crate) Vec<Vec<u16>>);

#[cfg(test)]
impl Columns for Rows {
    fn attributes(&self, _: Row) -> Option<Attributes> {
        None
    }

    fn tokens(&self, row: Row) -> Option<&[u16]> {
        self.0.get(row.0 as usize).map(Vec::as_slice)
    }

    fn token_frequency(&self, _: u16) -> u32 {
        0
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn average_tokens(&self) -> f32 {
        0.0
    }

    fn select(&self, _: &RowPredicate) -> RoaringBitmap {
        RoaringBitmap::new()
    }

    fn neighbours(&self, _: Row, _: usize) -> (Vec<Row>, Vec<Row>) {
        (Vec::new(), Vec::new())
    }
}
