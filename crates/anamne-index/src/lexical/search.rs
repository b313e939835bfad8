//! Scores a query over published parts and tails, of one view or of several tiers, with one set of statistics.

use anamne_text::analyser::{QueryTerm, QueryTerms};
use anamne_types::Row;
use roaring::RoaringBitmap;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;

use super::LexicalHit;
use super::engine::{EngineError, SEARCHED, guarded};
use super::score::{BestRows, Counts, LengthNorms, Scale, Weight, importance, inverse_frequency};
use super::state::{Overlay, State};
use super::walk::{Cursor, SegmentSearch};
use crate::threads::halves;

/// Up to this many postings are checked one by one to count live documents; for longer lists the count is estimated.
const COUNTED: u32 = 128;

/// A failure, and the state in which it occurred.
#[derive(Debug)]
pub(super) struct StateError {
    pub(super) state: usize,
    pub(super) error: EngineError,
}

/// One term in one field.
struct Clause<'a> {
    field: usize,
    term: &'a QueryTerm,
}

/// The statistics and postings of the clauses in one state.
struct ClauseLookup {
    /// The index of the state.
    state: usize,
    /// Number of live rows that contain each clause.
    holding: Vec<f64>,
    /// The postings of the clauses present, by segment.
    postings: Vec<Vec<(usize, BlockSegmentPostings)>>,
}

/// A prepared search over all states.
struct Search<'a> {
    states: &'a [&'a State],
    clauses: &'a [Clause<'a>],
    /// By clause; `None` if no live row contains it.
    weights: Vec<Option<Weight>>,
    norms: [LengthNorms; SEARCHED],
    scale: Scale,
    limit: usize,
    filter: Option<&'a RoaringBitmap>,
}

/// The best `limit` rows of all states that match the filter. A row in several states belongs to the first.
pub(super) fn search(
    states: &[&State],
    query: &QueryTerms,
    limit: usize,
    filter: Option<&RoaringBitmap>,
) -> Result<Vec<LexicalHit>, StateError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let clauses = clauses(query);
    let readings = each(states, |number, state| {
        ClauseLookup::of(number, state, &clauses)
    })?;
    let holding = |clause: usize| readings.iter().map(|reading| reading.holding[clause]).sum();
    Search::weighed(states, &clauses, &holding, limit, filter).hits(readings)
}

/// Number of live rows per state that contain each clause of a query, and the total number of rows.
#[derive(Clone, Debug, Default)]
pub struct TermStatistics {
    documents: u64,
    /// Number of query terms. Clauses are ordered by field: first those of the text, then those of the author's name.
    terms: usize,
    /// By view, then by clause.
    holding: Vec<Vec<f64>>,
}

impl TermStatistics {
    /// Number of rows in the view at index `view` whose text contains the query term at index `term`; an estimate if
    /// rows of the view were deleted or changed.
    pub fn frequency(&self, view: usize, term: usize) -> f64 {
        let holding = self.holding.get(view);
        holding
            .and_then(|held| held.get(term))
            .copied()
            .unwrap_or(0.0)
    }

    /// Estimated maximum number of postings that a search of this view reads.
    pub fn postings(&self, view: usize) -> u64 {
        let holding = self.holding.get(view);
        holding.map_or(0, |held| held.iter().sum::<f64>().round() as u64)
    }

    /// The inverse document frequency of each term in the texts of all views.
    pub fn idf(&self) -> Vec<f32> {
        let of_term = |term| self.holding.iter().map(|held| held[term]).sum();
        (0..self.terms)
            .map(|term| inverse_frequency(self.documents, of_term(term)))
            .collect()
    }

    /// Number of live rows in all views that contain a clause.
    fn holding_of(&self, clause: usize) -> f64 {
        let held = self.holding.iter().filter_map(|held| held.get(clause));
        held.sum()
    }
}

/// Looks up every clause in every state.
pub(super) fn statistics(
    states: &[&State],
    query: &QueryTerms,
) -> Result<TermStatistics, StateError> {
    statistics_of(states, query, SEARCHED)
}

/// The same for the first `fields` fields; the text is the first.
pub(super) fn statistics_of(
    states: &[&State],
    query: &QueryTerms,
    fields: usize,
) -> Result<TermStatistics, StateError> {
    let mut clauses = clauses(query);
    clauses.truncate(query.terms.len() * fields);
    let holding = each(states, |_, state| {
        let held = clauses
            .iter()
            .map(|clause| live_frequency(state, clause.field, &clause.term.text));
        held.collect::<Result<Vec<f64>, _>>()
    })?;
    Ok(TermStatistics {
        documents: counts(states).documents,
        terms: query.terms.len(),
        holding,
    })
}

/// The best rows of the `chosen` states, scored by the statistics of all of them.
pub(super) fn search_chosen(
    states: &[&State],
    chosen: &[bool],
    statistics: &TermStatistics,
    query: &QueryTerms,
    limit: usize,
    filter: Option<&RoaringBitmap>,
) -> Result<Vec<LexicalHit>, StateError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let clauses = clauses(query);
    let is_chosen = |number: usize| chosen.get(number).copied().unwrap_or(false);
    let readings = each(states, |number, state| {
        let chosen = is_chosen(number).then(|| ClauseLookup::of(number, state, &clauses));
        chosen.transpose()
    })?;
    let holding = |clause| statistics.holding_of(clause);
    let search = Search::weighed(states, &clauses, &holding, limit, filter);
    search.hits(readings.into_iter().flatten().collect())
}

/// Runs `ask` on every state; an error names the state.
fn each<T>(
    states: &[&State],
    ask: impl Fn(usize, &State) -> Result<T, EngineError>,
) -> Result<Vec<T>, StateError> {
    let ask = |(number, state): (usize, &&State)| guarded_in(number, || ask(number, state));
    states.iter().enumerate().map(ask).collect()
}

/// Runs `work` on this state; see [`guarded`].
fn guarded_in<T>(
    state: usize,
    work: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, StateError> {
    guarded(work).map_err(|error| StateError { state, error })
}

/// Counts over the searchable documents of all states.
fn counts(states: &[&State]) -> Counts {
    let mut counts = Counts::default();
    for state in states {
        counts.add(&state.counts());
    }
    counts
}

/// Number of live rows that contain the term in the field; as in a [`ClauseLookup`], but reads postings only if some rows
/// are dead.
fn live_frequency(state: &State, field: usize, term: &str) -> Result<f64, EngineError> {
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

fn clauses(query: &QueryTerms) -> Vec<Clause<'_>> {
    let in_field = |field| query.terms.iter().map(move |term| Clause { field, term });
    (0..SEARCHED).flat_map(in_field).collect()
}

impl ClauseLookup {
    /// Looks up the clauses in a state's tail and segments.
    fn of(number: usize, state: &State, clauses: &[Clause<'_>]) -> Result<Self, EngineError> {
        let in_tail = |clause: &Clause| state.tail.holding(clause.field, &clause.term.text);
        let mut reading = Self {
            state: number,
            holding: clauses.iter().map(in_tail).map(f64::from).collect(),
            postings: Vec::with_capacity(state.overlays.len()),
        };
        for (segment, overlay) in state.segments() {
            let mut found = Vec::with_capacity(clauses.len());
            for (place, clause) in clauses.iter().enumerate() {
                let reader = &segment.postings[clause.field];
                let Some(term) = reader.terms().get(&clause.term.text)? else {
                    continue;
                };
                let postings = reader
                    .read_block_postings_from_terminfo(&term, IndexRecordOption::WithFreqs)?;
                reading.holding[place] += live_share(&postings, overlay, segment.documents);
                found.push((place, postings));
            }
            reading.postings.push(found);
        }
        Ok(reading)
    }
}

/// Number of a term's live documents: counted if there are few postings, else estimated.
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

impl<'a> Search<'a> {
    /// Computes the weight of each clause from the number of live rows that contain it.
    fn weighed(
        states: &'a [&'a State],
        clauses: &'a [Clause<'a>],
        holding: &dyn Fn(usize) -> f64,
        limit: usize,
        filter: Option<&'a RoaringBitmap>,
    ) -> Self {
        let counts = counts(states);
        let weigh = |(place, clause): (usize, &Clause)| {
            let holding = holding(place);
            let idf = inverse_frequency(counts.documents, holding);
            (holding > 0.0).then(|| importance(idf, clause.term.occurrences as f32))
        };
        let importances: Vec<Option<f32>> = clauses.iter().enumerate().map(weigh).collect();
        let scale = Scale::new(importances.iter().flatten().sum());
        let weight = |importance: Option<f32>| Some(scale.weight(importance?));
        Self {
            states,
            clauses,
            weights: importances.into_iter().map(weight).collect(),
            norms: counts
                .terms
                .map(|terms| LengthNorms::new(terms, counts.documents)),
            scale,
            limit,
            filter,
        }
    }

    /// The best rows of these states, with their scores.
    fn hits(&self, readings: Vec<ClauseLookup>) -> Result<Vec<LexicalHit>, StateError> {
        let hit = |(sum, row)| LexicalHit {
            row: Row(row),
            score: self.scale.score(sum),
        };
        Ok(self.run(readings)?.into_sorted().map(hit).collect())
    }

    /// Searches these states, on two threads if that is faster.
    fn run(&self, mut readings: Vec<ClauseLookup>) -> Result<BestRows, StateError> {
        let documents = |reading: &ClauseLookup| self.states[reading.state].counts().documents;
        let rows = readings.iter().map(documents);
        let rows: Vec<usize> = rows.map(|rows| rows as usize).collect();
        let Some(half) = halves(&rows) else {
            return self.best_of(readings);
        };
        let colder = readings.split_off(half);
        let (best, others) = rayon::join(|| self.best_of(readings), || self.best_of(colder));
        let mut best = best?;
        best.join(others?, |_| true);
        Ok(best)
    }

    /// The best rows of these states, hottest first, without rows that a hotter state contains.
    ///
    /// A colder state is searched only for rows that can still enter the result. Rows that a hotter state also contains
    /// take slots in its list and are dropped when the lists are merged.
    fn best_of(&self, readings: Vec<ClauseLookup>) -> Result<BestRows, StateError> {
        let mut best = BestRows::new(self.limit);
        for reading in readings {
            let number = reading.state;
            let (state, hotter) = (self.states[number], &self.states[..number]);
            let mut own = best.empty_like();
            guarded_in(number, || {
                self.search_state(state, reading, &mut own);
                Ok(())
            })?;
            if hotter.is_empty() {
                best = own;
            } else {
                best.join(own, |row| !hotter.iter().any(|hotter| hotter.holds(row)));
            }
        }
        Ok(best)
    }

    fn search_state(&self, state: &State, reading: ClauseLookup, best: &mut BestRows) {
        let weighed = self.clauses.iter().zip(&self.weights);
        let terms = weighed
            .filter_map(|(clause, weight)| Some((clause.field, &*clause.term.text, (*weight)?)));
        state.tail.search(terms, &self.norms, self.filter, best);
        for ((segment, overlay), postings) in state.segments().zip(reading.postings) {
            let cursor = |(place, postings): (usize, BlockSegmentPostings)| {
                let (weight, field) = (self.weights[place]?, self.clauses[place].field);
                let (norms, lengths) = (&self.norms[field], &segment.lengths[field]);
                Some(Cursor::new(postings, weight, norms, lengths))
            };
            let cursors = postings.into_iter().filter_map(cursor).collect();
            let walk = SegmentSearch {
                segment,
                dead: overlay.dead.as_ref(),
                filter: self.filter,
            };
            walk.run(cursors, best);
        }
    }
}
