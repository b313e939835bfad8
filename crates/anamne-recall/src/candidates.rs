//! Stages 2 and 3: search hits and their neighbours as candidates.

use anamne_index::threads::PARALLEL_ROWS;
use anamne_store::view::Attributes;
use anamne_types::Row;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use crate::model;
use crate::views::{Columns, LexicalSearch, SearchHit, VectorSearch};
use anamne_text::analyser::QueryTerms;

/// A row that may be returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) row: Row,
    pub(crate) attributes: Attributes,
    /// The BM25 score of the lexical view.
    pub(crate) lexical: Option<f32>,
    /// Rank in the lexical search, from 0.
    pub(crate) lexical_rank: Option<u32>,
    /// Rank in the vector search, from 0.
    pub(crate) vector_rank: Option<u32>,
    /// Cosine of at least one of its vectors, if already known.
    pub(crate) similarity: Option<f32>,
    /// The feature `lsi_similarity`, if already known.
    pub(crate) lsi_similarity: Option<f32>,
    /// Graph proximity to the direct hits: 0 to 1.
    pub(crate) proximity: f32,
}

impl Candidate {
    /// A candidate that no search found.
    pub(crate) fn unfound(row: Row, attributes: Attributes) -> Self {
        Self {
            row,
            attributes,
            lexical: None,
            lexical_rank: None,
            vector_rank: None,
            similarity: None,
            lsi_similarity: None,
            proximity: 0.0,
        }
    }
}

/// The hits of both searches, without attributes.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    pub(crate) lexical: Vec<SearchHit>,
    pub(crate) vectors: Vec<SearchHit>,
    /// The rows that contain the query's rare word, if it has one.
    pub(crate) rare: Vec<Row>,
    /// The views that failed during the search.
    pub(crate) failed: Vec<&'static str>,
}

/// A lexical search to run.
pub(crate) type LexicalPart<'a> = Option<(&'a dyn LexicalSearch, &'a QueryTerms)>;

/// A vector search to run.
pub(crate) type VectorPart<'a> = Option<(&'a dyn VectorSearch, &'a [f32])>;

/// Runs both searches, in parallel in a large store; `exact` if their order is the final order.
pub(crate) fn search(
    lexical: LexicalPart<'_>,
    vectors: VectorPart<'_>,
    rows: usize,
    limit: usize,
    filter: Option<&RoaringBitmap>,
    exact: bool,
) -> Searched {
    let lexical_search = || lexical.map(|(view, terms)| view.search(terms, limit, filter));
    let vector_search = || {
        vectors.map(|(view, query)| {
            if exact {
                view.search(query, limit, filter)
            } else {
                view.candidates(query, limit, filter)
            }
        })
    };
    let (lexical_hits, vector_hits) = if rows > PARALLEL_ROWS {
        rayon::join(lexical_search, vector_search)
    } else {
        (lexical_search(), vector_search())
    };
    let mut searched = Searched::default();
    match lexical_hits {
        Some(Ok(hits)) => searched.lexical = hits,
        Some(Err(_)) => searched.failed.push("lexical"),
        None => {}
    }
    match vector_hits {
        Some(Ok(hits)) => searched.vectors = hits,
        Some(Err(_)) => searched.failed.push("vectors"),
        None => {}
    }
    searched
}

/// The hits joined by row, with attributes, without expired and forgotten rows.
pub(crate) struct Pool {
    pub(crate) candidates: Vec<Candidate>,
    index_by_row: FxHashMap<Row, usize>,
}

impl Pool {
    /// Joins the hits of both searches.
    pub(crate) fn of(searched: &Searched, columns: &dyn Columns, now: i64) -> Self {
        let mut pool = Self {
            candidates: Vec::new(),
            index_by_row: FxHashMap::default(),
        };
        for (rank, hit) in searched.lexical.iter().enumerate() {
            if let Some(candidate) = pool.add(hit.row, columns, now) {
                candidate.lexical = Some(hit.score);
                candidate.lexical_rank = Some(rank as u32);
            }
        }
        for (rank, hit) in searched.vectors.iter().enumerate() {
            if let Some(candidate) = pool.add(hit.row, columns, now) {
                (candidate.vector_rank, candidate.similarity) =
                    (Some(rank as u32), Some(hit.score));
            }
        }
        pool
    }

    /// Replaces all candidates by these.
    pub(crate) fn replace(&mut self, candidates: Vec<Candidate>) {
        self.index_by_row.clear();
        self.index_by_row.extend(
            candidates
                .iter()
                .enumerate()
                .map(|(index, candidate)| (candidate.row, index)),
        );
        self.candidates = candidates;
    }

    /// Whether the row is a candidate.
    pub(crate) fn contains(&self, row: Row) -> bool {
        self.index_by_row.contains_key(&row)
    }

    /// Adds the direct thread neighbours of the best candidates, if they pass the filter.
    pub(crate) fn add_neighbours(
        &mut self,
        columns: &dyn Columns,
        filter: Option<&RoaringBitmap>,
        now: i64,
    ) {
        for index in 0..self.candidates.len().min(model::SEEDS) {
            let Candidate {
                row, attributes, ..
            } = self.candidates[index];
            let [adjacent, _] = thread_neighbours(columns, row, &attributes);
            for neighbour in adjacent.into_iter().flatten() {
                if filter.is_none_or(|filter| filter.contains(neighbour.0)) {
                    self.add(neighbour, columns, now);
                }
            }
        }
    }

    fn add(&mut self, row: Row, columns: &dyn Columns, now: i64) -> Option<&mut Candidate> {
        if let Some(&index) = self.index_by_row.get(&row) {
            return self.candidates.get_mut(index);
        }
        let attributes = columns.attributes(row)?;
        if attributes.expires_at <= now {
            return None;
        }
        self.index_by_row.insert(row, self.candidates.len());
        self.candidates.push(Candidate::unfound(row, attributes));
        self.candidates.last_mut()
    }
}

/// The rows one and two positions before and after `row` in its thread.
///
/// Conversations stored in order have them in adjacent rows, which are tried first.
pub(crate) fn thread_neighbours(
    columns: &dyn Columns,
    row: Row,
    attributes: &Attributes,
) -> [[Option<Row>; 2]; 2] {
    if attributes.thread == 0 {
        return [[None; 2]; 2];
    }
    let adjacent = |other: Option<u32>, position: Option<u32>| {
        let other = Row(other?);
        let found = columns.attributes(other)?;
        (found.thread == attributes.thread && Some(found.position) == position).then_some(other)
    };
    let (position, number) = (attributes.position, row.0);
    let mut neighbours = [1, 2].map(|distance| {
        [
            adjacent(number.checked_sub(distance), position.checked_sub(distance)),
            adjacent(number.checked_add(distance), position.checked_add(distance)),
        ]
    });
    let is_complete = (1..).zip(&neighbours).all(|(distance, [before, after])| {
        after.is_some() && (before.is_some() || position < distance)
    });
    if !is_complete {
        let (previous, next) = columns.neighbours(row, neighbours.len());
        for (index, [before, after]) in neighbours.iter_mut().enumerate() {
            *before = before.or_else(|| previous.get(index).copied());
            *after = after.or_else(|| next.get(index).copied());
        }
    }
    neighbours
}
