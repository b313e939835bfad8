//! How a row's wordpieces match a query, read in one pass.

use std::ops::Range;

use anamne_types::Row;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::query::ParsedQuery;
use super::vocabulary::Vocabulary;
use super::weights::{ClusterCounts, WordWeights};
use crate::views::Columns;

/// How one text, or several together, match the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary<'reader> {
    /// Number of words.
    pub(crate) words: f32,
    /// The frequency of each content term.
    pub(crate) frequencies: &'reader [f32],
    /// For each wordpiece of the query, the squared cosine of the nearest wordpiece of the text; 0 below the threshold.
    pub(crate) nearest: &'reader [f32],
    weights: &'reader WordWeights,
}

impl Summary<'_> {
    /// BM25 with k1 = 1 and b = 0.75 over the query's terms, divided by its maximum: 0 to 1.
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

    /// Whether it contains a content term that is not ignored.
    pub(crate) fn contains(&self, term: usize) -> bool {
        let of = |numbers: &[f32]| numbers.get(term).copied().unwrap_or(0.0);
        of(self.frequencies) > 0.0 && of(&self.weights.terms) > 0.0
    }

    /// How well the query's wordpieces are matched, weighted by rarity: 0 to 1.
    pub(crate) fn word_match(&self) -> f32 {
        let pieces = self.nearest.iter().zip(&self.weights.pieces);
        let (sum, most) = pieces.fold((0.0, 0.0), |(sum, most), (near, weight)| {
            (sum + near * weight, most + weight)
        });
        if most > 0.0 { sum / most } else { 0.0 }
    }
}

/// A squared cosine above this means the same wordpiece.
const SAME_PIECE: f32 = 0.99;

/// The usual number of summaries per recall, allocated at once.
const EXPECTED_SUMMARIES: usize = 700;

/// The index of a summary in a [`Reader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SummaryIndex(usize);

/// Reads summaries of rows, each row once, and combines them.
///
/// A summary is a fixed-length run of numbers: words, frequencies, nearest. They are stored contiguously, so that
/// hundreds of them need no allocation each.
pub(crate) struct Reader<'query> {
    pub(crate) query: &'query ParsedQuery,
    columns: &'query dyn Columns,
    weights: WordWeights,
    index_by_row: FxHashMap<Row, SummaryIndex>,
    numbers: Vec<f32>,
    terms: usize,
    pieces: usize,
    /// The positions of matching tokens in the current text.
    positions: Vec<u32>,
}

impl<'query> Reader<'query> {
    pub(crate) fn new(query: &'query ParsedQuery, columns: &'query dyn Columns) -> Self {
        let (terms, pieces) = (query.term_weights.len(), query.piece_weights.len());
        Self {
            query,
            columns,
            weights: WordWeights::of(query),
            index_by_row: FxHashMap::with_capacity_and_hasher(EXPECTED_SUMMARIES, FxBuildHasher),
            numbers: Vec::with_capacity(EXPECTED_SUMMARIES * (1 + terms + pieces)),
            terms,
            pieces,
            positions: Vec::new(),
        }
    }

    /// The index of the row's summary. O(tokens of the row) the first time.
    pub(crate) fn index_of(&mut self, row: Row) -> SummaryIndex {
        if let Some(&index) = self.index_by_row.get(&row) {
            return index;
        }
        let index = self.empty();
        self.read_tokens(index, self.columns.tokens(row).unwrap_or_default());
        self.index_by_row.insert(row, index);
        index
    }

    /// The row's summary. O(tokens of the row) the first time.
    pub(crate) fn read(&mut self, row: Row) -> Summary<'_> {
        let index = self.index_of(row);
        self.at(index)
    }

    /// The memories that contain a wordpiece.
    pub(crate) fn token_frequency(&self, token: u16) -> u32 {
        self.columns.token_frequency(token)
    }

    /// The mean tokens per memory.
    pub(crate) fn average_tokens(&self) -> f32 {
        self.columns.average_tokens()
    }

    /// The number of memories.
    pub(crate) fn rows(&self) -> usize {
        self.columns.rows()
    }

    /// The tokens of a row's text.
    pub(crate) fn tokens(&self, row: Row) -> &'query [u16] {
        self.columns.tokens(row).unwrap_or_default()
    }

    /// An empty summary, to which others can be added.
    pub(crate) fn empty(&mut self) -> SummaryIndex {
        let index = SummaryIndex(self.numbers.len());
        self.numbers
            .resize(index.0 + 1 + self.terms + self.pieces, 0.0);
        index
    }

    /// The summary at an index.
    pub(crate) fn at(&self, index: SummaryIndex) -> Summary<'_> {
        Summary {
            words: self.numbers[index.0],
            frequencies: &self.numbers[self.frequencies(index)],
            nearest: &self.numbers[self.nearest(index)],
            weights: &self.weights,
        }
    }

    /// Leaves words of the query out of the comparison. O(words).
    pub(crate) fn ignore_words(&mut self, is_ignored: impl Fn(&str) -> bool) {
        let table = Vocabulary::get().table;
        let terms = self.weights.terms.iter_mut().zip(&self.query.term_words);
        for (weight, _) in terms.filter(|(_, word)| is_ignored(word)) {
            *weight = 0.0;
        }
        let pieces = self.weights.pieces.iter_mut().zip(&self.query.pieces);
        for (weight, _) in pieces.filter(|(_, piece)| is_ignored(table.token_text(**piece))) {
            *weight = 0.0;
        }
    }

    /// Reweights the query's words by how they cluster in the hits: `rows` are the hits, each with its stretch of
    /// conversation, those of one stretch adjacent. O(rows · words).
    pub(crate) fn weight_by_clusters<Stretch: PartialEq>(&mut self, rows: &[(Stretch, Row)]) {
        let mut clusters = ClusterCounts::new(self.terms + self.pieces);
        for stretch in rows.chunk_by(|one, other| one.0 == other.0) {
            for &(_, row) in stretch {
                let index = self.index_of(row);
                let numbers = &self.numbers[index.0 + 1..index.0 + 1 + self.terms + self.pieces];
                let (frequencies, nearest) = numbers.split_at(self.terms);
                let contained = frequencies.iter().map(|frequency| *frequency > 0.0);
                clusters.add_row(contained.chain(nearest.iter().map(|near| *near > SAME_PIECE)));
            }
            clusters.end_stretch();
        }
        let (terms, pieces) = clusters.shares(self.terms);
        self.weights.boost_clustered(terms, pieces);
    }

    /// Adds the words and frequencies of another summary times `weight` to the summary at `sum`, and takes the maximum
    /// of the wordpiece matches, with the other's times `match_factor`.
    pub(crate) fn add(
        &mut self,
        sum: SummaryIndex,
        other: SummaryIndex,
        weight: f32,
        match_factor: f32,
    ) {
        for at in 0..=self.terms {
            self.numbers[sum.0 + at] += self.numbers[other.0 + at] * weight;
        }
        for at in 1 + self.terms..1 + self.terms + self.pieces {
            let other = self.numbers[other.0 + at] * match_factor;
            let own = &mut self.numbers[sum.0 + at];
            *own = own.max(other);
        }
    }

    /// Multiplies the word count of a summary.
    pub(crate) fn lengthen(&mut self, index: SummaryIndex, factor: f32) {
        self.numbers[index.0] *= factor;
    }

    fn frequencies(&self, index: SummaryIndex) -> Range<usize> {
        index.0 + 1..index.0 + 1 + self.terms
    }

    fn nearest(&self, index: SummaryIndex) -> Range<usize> {
        let start = index.0 + 1 + self.terms;
        start..start + self.pieces
    }

    /// Reads `tokens` once. O(tokens + matches).
    fn read_tokens(&mut self, index: SummaryIndex, tokens: &[u16]) {
        let (query, vocabulary) = (self.query, Vocabulary::get());
        let (words, numbers) = self.numbers[index.0..]
            .split_first_mut()
            .expect("a summary starts with its word count");
        let (frequencies, nearest) = numbers.split_at_mut(self.terms);
        let word_starts_count: u32 = tokens
            .iter()
            .map(|&token| vocabulary.word_starts.bit(token))
            .sum();
        *words = word_starts_count as f32;
        if self.positions.len() < tokens.len() {
            self.positions.resize(tokens.len(), 0);
        }
        let found = query
            .matches
            .positions(tokens, &mut self.positions[..tokens.len()]);
        for &at in &self.positions[..found] {
            let at = at as usize;
            let Some(token_match) = query.matches.of(tokens[at]) else {
                continue;
            };
            for (piece, squared_cosine) in query.matches.matched_pieces(token_match) {
                let nearest = &mut nearest[piece];
                *nearest = nearest.max(squared_cosine);
            }
            let is_whole_word = tokens
                .get(at + 1)
                .is_none_or(|&next| !vocabulary.continuations.contains(next));
            if is_whole_word {
                for &term in &token_match.terms {
                    frequencies[usize::from(term)] += 1.0;
                }
            } else if token_match.begins_sequence {
                for (term, occurrences) in query.matches.sequences_at(&tokens[at..]) {
                    frequencies[term] += occurrences;
                }
            }
        }
    }
}
