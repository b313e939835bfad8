//! What recall needs of the views, as narrow traits, and the views that have it.

use std::cmp::Ordering;

use anamne_index::columns::{ColumnsSnapshot, RowPredicate};
use anamne_index::lexical::{LexicalHit, LexicalView};
use anamne_index::vectors::{VectorHit, VectorsView};
use anamne_store::view::{Attributes, ViewError};
use anamne_text::analyser::QueryTerms;
use anamne_types::{Dispute, Row};
use roaring::RoaringBitmap;

pub use crate::connections::{Connections, Linked, Named, Related};
use crate::error::RecallError;

/// A row and how well one search liked it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    /// The row.
    pub row: Row,
    /// The search's own score.
    pub score: f32,
}

/// What a search found, best first, or why it could not.
pub type Hits = Result<Vec<SearchHit>, ViewError>;

/// The order of scores with their rows: the best first; equals by rising row.
pub(crate) fn best_first(one: (f32, Row), other: (f32, Row)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}

/// Search by words.
pub trait LexicalSearch: Send + Sync {
    /// The best rows by BM25, best first, among those in `filter`.
    fn search(&self, terms: &QueryTerms, limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// The inverse document frequency of each term, in their order; never negative.
    fn idf(&self, terms: &QueryTerms) -> Vec<f32>;
}

/// Search by meaning.
pub trait VectorSearch: Send + Sync {
    /// The best rows by cosine of their best vector, best first, among those in `filter`.
    fn search(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// About the same in bounded time, for rows that are judged anew afterwards.
    fn candidates(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits;

    /// The cosine of each of `rows`, in their order.
    fn similarities(&self, query: &[f32], rows: &[Row]) -> Result<Vec<Option<f32>>, ViewError>;
}

/// What ranking reads of each row.
pub trait Columns: Send + Sync {
    /// The row's attributes; `None` when no live memory is there.
    fn attributes(&self, row: Row) -> Option<Attributes>;

    /// The tokens of the row's text.
    fn tokens(&self, row: Row) -> Option<&[u16]>;

    /// In how many live rows a token occurs.
    fn token_frequency(&self, token: u16) -> u32;

    /// How many live rows there are.
    fn rows(&self) -> usize;

    /// Tokens of a row on average.
    fn average_tokens(&self) -> f32;

    /// The live rows that pass.
    fn select(&self, predicate: &RowPredicate) -> RoaringBitmap;

    /// The nearest rows of the same thread before and after `row`, nearest first, at most `reach` a side.
    fn neighbours(&self, row: Row, reach: usize) -> (Vec<Row>, Vec<Row>);
}

impl LexicalSearch for LexicalView {
    fn search(&self, terms: &QueryTerms, limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        LexicalView::search(self, terms, limit, filter).map(lexical_hits)
    }

    fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        LexicalView::idf(self, terms)
    }
}

/// What the lexical view found.
pub(crate) fn lexical_hits(hits: Vec<LexicalHit>) -> Vec<SearchHit> {
    let found = |hit: LexicalHit| SearchHit {
        row: hit.row,
        score: hit.score,
    };
    hits.into_iter().map(found).collect()
}

/// What the vectors view found.
fn vector_hits(hits: Vec<VectorHit>) -> Vec<SearchHit> {
    let found = |hit: VectorHit| SearchHit {
        row: hit.row,
        score: hit.similarity,
    };
    hits.into_iter().map(found).collect()
}

impl VectorSearch for VectorsView {
    fn search(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        VectorsView::search(self, query, limit, filter).map(vector_hits)
    }

    fn candidates(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        VectorsView::candidates(self, query, limit, filter).map(vector_hits)
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

/// What contradicts memories.
pub trait Disputes {
    /// The memories that say otherwise than each of these rows. Must cost next to nothing where nothing does.
    fn of(&self, rows: &[Row]) -> Vec<Vec<Dispute>>;
}

/// The memories that name somebody or something.
#[derive(Clone, Debug, Default)]
pub struct Mentioning {
    /// Their rows.
    pub rows: RoaringBitmap,
    /// All names that it goes by.
    pub names: Vec<String>,
    /// Whether some memories have not been read for names yet.
    pub is_behind: bool,
}

/// The threads that name the same as one thread does.
#[derive(Clone, Debug, Default)]
pub struct RelatedThreads {
    /// Those beside the thread itself, the most closely related first.
    pub threads: Vec<String>,
    /// Whether some memories have not been read for names yet.
    pub is_behind: bool,
}

/// What is known of who and what memories name. Asked only where the question is about that.
pub trait Naming {
    /// The memories that name a person, place or thing by any of its names.
    ///
    /// [`RecallError::NoEntity`] where nothing has this name, [`RecallError::NotExtracted`] where memories were not read for
    /// names.
    fn naming(&self, name: &str) -> Result<Mentioning, RecallError>;

    /// The threads that name the same rare things as this one.
    ///
    /// [`RecallError::NotExtracted`] where memories were not read for names.
    fn related_threads(&self, thread: &str) -> Result<RelatedThreads, RecallError>;
}

/// Rows with these tokens and nothing else, for tests.
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
