//! Scores a query over published part and tail, with one set of statistics.

use anamne_text::analyser::QueryTerms;
use anamne_types::Row;
use roaring::RoaringBitmap;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;

use super::LexicalHit;
use super::engine::{EngineError, SEARCHED};
use super::score::{BestRows, LengthNorms, Scale, Weight, importance, inverse_frequency};
use super::state::{Overlay, State};
use super::walk::{Cursor, Walk};

/// Up to this many postings are looked at one by one to count those of live documents; where there
/// are more, their share is estimated.
const COUNTED: u32 = 128;

/// One term in one field, with its postings in every segment.
struct Clause<'a> {
    field: usize,
    term: &'a str,
    importance: f32,
    /// By segment; `None` where the term does not stand.
    postings: Vec<Option<BlockSegmentPostings>>,
}

/// The best `limit` rows that pass the filter.
pub(super) fn search(
    state: &State,
    field_factors: [f32; SEARCHED],
    query: &QueryTerms,
    limit: usize,
    filter: Option<&RoaringBitmap>,
) -> Result<Vec<LexicalHit>, EngineError> {
    let counts = state.counts();
    let norms = counts
        .terms
        .map(|terms| LengthNorms::new(terms, counts.documents));
    let clauses = clauses(state, field_factors, query, counts.documents)?;
    let scale = Scale::new(clauses.iter().map(|clause| clause.importance).sum());
    let mut best = BestRows::new(limit);
    if limit > 0 {
        let terms = clauses
            .iter()
            .map(|clause| (clause.field, clause.term, scale.weight(clause.importance)));
        state.tail.search(terms, &norms, filter, &mut best);
        search_published(state, clauses, scale, &norms, filter, &mut best);
    }
    Ok(best
        .into_sorted()
        .map(|(sum, row)| LexicalHit {
            row: Row(row),
            score: scale.score(sum),
        })
        .collect())
}

/// The inverse document frequency of each term in the text.
pub(super) fn inverse_frequencies(
    state: &State,
    query: &QueryTerms,
) -> Result<Vec<f32>, EngineError> {
    let documents = state.counts().documents;
    let frequency = |term: &str| Ok(inverse_frequency(documents, held_by(state, 0, term)?));
    query
        .terms
        .iter()
        .map(|term| frequency(&term.text))
        .collect()
}

/// How many live rows hold the term in the field; as [`holding`], but postings are read only where some rows are dead.
fn held_by(state: &State, field: usize, term: &str) -> Result<f64, EngineError> {
    let mut holding = f64::from(state.tail.holding(field, term));
    for (segment, overlay) in state.segments() {
        let reader = &segment.postings[field];
        let Some(place) = reader.terms().get(term)? else {
            continue;
        };
        holding += if overlay.dead.is_none() {
            f64::from(place.doc_freq)
        } else {
            let postings =
                reader.read_block_postings_from_terminfo(&place, IndexRecordOption::WithFreqs)?;
            live_share(&postings, overlay, segment.documents)
        };
    }
    Ok(holding)
}

fn clauses<'a>(
    state: &State,
    field_factors: [f32; SEARCHED],
    query: &'a QueryTerms,
    documents: u64,
) -> Result<Vec<Clause<'a>>, EngineError> {
    let mut clauses = Vec::with_capacity(query.terms.len());
    for (field, factor) in field_factors
        .into_iter()
        .enumerate()
        .filter(|(_, factor)| *factor > 0.0)
    {
        for term in &query.terms {
            let (holding, postings) = holding(state, field, &term.text)?;
            if holding > 0.0 {
                let importance = importance(
                    inverse_frequency(documents, holding),
                    factor * term.occurrences as f32,
                );
                clauses.push(Clause {
                    field,
                    term: &term.text,
                    importance,
                    postings,
                });
            }
        }
    }
    Ok(clauses)
}

/// How many live rows hold the term in the field, and its postings by segment.
fn holding(
    state: &State,
    field: usize,
    term: &str,
) -> Result<(f64, Vec<Option<BlockSegmentPostings>>), EngineError> {
    let mut holding = f64::from(state.tail.holding(field, term));
    let mut found = Vec::with_capacity(state.overlays.len());
    for (segment, overlay) in state.segments() {
        let reader = &segment.postings[field];
        let postings = match reader.terms().get(term)? {
            Some(place) => Some(
                reader.read_block_postings_from_terminfo(&place, IndexRecordOption::WithFreqs)?,
            ),
            None => None,
        };
        holding += postings.as_ref().map_or(0.0, |postings| {
            live_share(postings, overlay, segment.documents)
        });
        found.push(postings);
    }
    Ok((holding, found))
}

/// How many of a term's documents live: counted where they are few, else estimated.
fn live_share(postings: &BlockSegmentPostings, overlay: &Overlay, documents: u32) -> f64 {
    let holding = postings.doc_freq();
    let Some(dead) = &overlay.dead else {
        return f64::from(holding);
    };
    if holding <= COUNTED {
        return postings
            .docs()
            .iter()
            .filter(|document| !dead.contains(**document))
            .count() as f64;
    }
    f64::from(holding) * overlay.counts.documents as f64 / f64::from(documents)
}

fn search_published(
    state: &State,
    mut clauses: Vec<Clause>,
    scale: Scale,
    norms: &[LengthNorms; SEARCHED],
    filter: Option<&RoaringBitmap>,
    best: &mut BestRows,
) {
    let weights: Vec<Weight> = clauses
        .iter()
        .map(|clause| scale.weight(clause.importance))
        .collect();
    for (number, (segment, overlay)) in state.segments().enumerate() {
        let cursors = clauses
            .iter_mut()
            .zip(&weights)
            .filter_map(|(clause, weight)| {
                let postings = clause.postings[number].take()?;
                Some(Cursor::new(
                    postings,
                    *weight,
                    &norms[clause.field],
                    &segment.lengths[clause.field],
                ))
            });
        let cursors = cursors.collect();
        Walk {
            segment,
            dead: overlay.dead.as_ref(),
            filter,
        }
        .run(cursors, best);
    }
}
