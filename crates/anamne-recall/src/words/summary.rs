//! What a row's wordpieces say to a question, read in one pass.

use std::ops::Range;

use anamne_types::Row;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::plan::Question;
use super::vocabulary::Vocabulary;
use super::weights::{Clusters, Weights};
use crate::views::Columns;

/// What the question finds in one text, or in several taken together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary<'reader> {
    /// Words of the text.
    pub(crate) words: f32,
    /// How often each content term occurs.
    pub(crate) frequencies: &'reader [f32],
    /// For each piece of the question, the square of the cosine to the nearest piece of the text; 0 below the threshold.
    pub(crate) nearest: &'reader [f32],
    weights: &'reader Weights,
}

impl Summary<'_> {
    /// BM25 with k1 = 1 and b = 0.75 over the question's terms, over the most that it could reach: 0 to 1.
    pub(crate) fn bm25(&self, average_words: f32) -> f32 {
        let saturation = 0.25 + 0.75 * self.words / average_words.max(1.0);
        let terms = self.frequencies.iter().zip(&self.weights.terms);
        let (sum, most) = terms.fold((0.0, 0.0), |(sum, most), (frequency, weight)| {
            (
                sum + weight * frequency / (frequency + saturation),
                most + weight,
            )
        });
        if most > 0.0 { sum / most } else { 0.0 }
    }

    /// How well each piece of the question is met, weighted by rarity: 0 to 1.
    pub(crate) fn closeness(&self) -> f32 {
        let pieces = self.nearest.iter().zip(&self.weights.pieces);
        let (sum, most) = pieces.fold((0.0, 0.0), |(sum, most), (near, weight)| {
            (sum + near * weight, most + weight)
        });
        if most > 0.0 { sum / most } else { 0.0 }
    }
}

/// A square of a cosine above this says that the piece itself is there.
const SAME_PIECE: f32 = 0.99;

/// About as many summaries as a recall needs; room for them is made at once.
const USUAL: usize = 700;

/// Where a [`Reader`] keeps a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(usize);

/// Reads summaries of rows, each row once, and joins them.
///
/// A summary is a run of numbers of the same length for all: words, frequencies, nearest. They lie one after the other,
/// so that some hundred of them cost no allocation each.
pub(crate) struct Reader<'question> {
    pub(crate) question: &'question Question,
    columns: &'question dyn Columns,
    weights: Weights,
    places_of_rows: FxHashMap<Row, Place>,
    numbers: Vec<f32>,
    terms: usize,
    pieces: usize,
    /// Where the text at hand meets the question.
    places: Vec<u32>,
}

impl<'question> Reader<'question> {
    pub(crate) fn new(question: &'question Question, columns: &'question dyn Columns) -> Self {
        let (terms, pieces) = (question.term_weights.len(), question.piece_weights.len());
        Self {
            question,
            columns,
            weights: Weights::of(question),
            places_of_rows: FxHashMap::with_capacity_and_hasher(USUAL, FxBuildHasher),
            numbers: Vec::with_capacity(USUAL * (1 + terms + pieces)),
            terms,
            pieces,
            places: Vec::new(),
        }
    }

    /// The place of the row's summary. O(tokens of the row) the first time.
    pub(crate) fn place(&mut self, row: Row) -> Place {
        if let Some(&place) = self.places_of_rows.get(&row) {
            return place;
        }
        let place = self.empty();
        self.read_tokens(place, self.columns.tokens(row).unwrap_or_default());
        self.places_of_rows.insert(row, place);
        place
    }

    /// The row's summary. O(tokens of the row) the first time.
    pub(crate) fn read(&mut self, row: Row) -> Summary<'_> {
        let place = self.place(row);
        self.at(place)
    }

    /// The tokens of a row's text.
    pub(crate) fn tokens(&self, row: Row) -> &'question [u16] {
        self.columns.tokens(row).unwrap_or_default()
    }

    /// A summary of nothing, to which others can be added.
    pub(crate) fn empty(&mut self) -> Place {
        let place = Place(self.numbers.len());
        self.numbers
            .resize(place.0 + 1 + self.terms + self.pieces, 0.0);
        place
    }

    /// The summary at a place.
    pub(crate) fn at(&self, place: Place) -> Summary<'_> {
        Summary {
            words: self.numbers[place.0],
            frequencies: &self.numbers[self.frequencies(place)],
            nearest: &self.numbers[self.nearest(place)],
            weights: &self.weights,
        }
    }

    /// Weighs the question's words anew after how they lie in what was found: `rows` are the rows found, each with the
    /// stretch of conversation that it lies in, those of one stretch next to each other. O(rows · words).
    pub(crate) fn weigh_by_clusters<Stretch: PartialEq>(&mut self, rows: &[(Stretch, Row)]) {
        let mut clusters = Clusters::new(self.terms + self.pieces);
        for stretch in rows.chunk_by(|one, other| one.0 == other.0) {
            for &(_, row) in stretch {
                let place = self.place(row);
                let numbers = &self.numbers[place.0 + 1..place.0 + 1 + self.terms + self.pieces];
                let (frequencies, nearest) = numbers.split_at(self.terms);
                let held = frequencies.iter().map(|frequency| *frequency > 0.0);
                clusters.add_row(held.chain(nearest.iter().map(|near| *near > SAME_PIECE)));
            }
            clusters.end_stretch();
        }
        let (terms, pieces) = clusters.shares(self.terms);
        self.weights.gather(terms, pieces);
    }

    /// Adds to the summary at `sum` the words and frequencies of another one at `weight`, and takes over its nearest
    /// pieces where they are nearer after `closeness`.
    pub(crate) fn add(&mut self, sum: Place, other: Place, weight: f32, closeness: f32) {
        for at in 0..=self.terms {
            self.numbers[sum.0 + at] += self.numbers[other.0 + at] * weight;
        }
        for at in 1 + self.terms..1 + self.terms + self.pieces {
            let other = self.numbers[other.0 + at] * closeness;
            let own = &mut self.numbers[sum.0 + at];
            *own = own.max(other);
        }
    }

    /// Multiplies the length of the text at a place.
    pub(crate) fn lengthen(&mut self, place: Place, factor: f32) {
        self.numbers[place.0] *= factor;
    }

    fn frequencies(&self, place: Place) -> Range<usize> {
        place.0 + 1..place.0 + 1 + self.terms
    }

    fn nearest(&self, place: Place) -> Range<usize> {
        let start = place.0 + 1 + self.terms;
        start..start + self.pieces
    }

    /// Reads `tokens` once. O(tokens + meetings).
    fn read_tokens(&mut self, place: Place, tokens: &[u16]) {
        let (question, vocabulary) = (self.question, Vocabulary::get());
        let (words, numbers) = self.numbers[place.0..]
            .split_first_mut()
            .expect("a summary begins with the number of its words");
        let (frequencies, nearest) = numbers.split_at_mut(self.terms);
        let begun: u32 = tokens
            .iter()
            .map(|&token| vocabulary.beginnings.holds(token))
            .sum();
        *words = begun as f32;
        if self.places.len() < tokens.len() {
            self.places.resize(tokens.len(), 0);
        }
        let found = question
            .meetings
            .places(tokens, &mut self.places[..tokens.len()]);
        for &at in &self.places[..found] {
            let at = at as usize;
            let Some(meeting) = question.meetings.of(tokens[at]) else {
                continue;
            };
            for (piece, closeness) in question.meetings.pieces_met(meeting) {
                let nearest = &mut nearest[piece];
                *nearest = nearest.max(closeness);
            }
            let whole = tokens
                .get(at + 1)
                .is_none_or(|&next| !vocabulary.continuations.contains(next));
            if whole {
                for &term in &meeting.terms {
                    frequencies[usize::from(term)] += 1.0;
                }
            } else if meeting.begins_sequence {
                for (term, occurrences) in question.meetings.sequences_at(&tokens[at..]) {
                    frequencies[term] += occurrences;
                }
            }
        }
    }
}
