//! What a row's wordpieces say to a question, read in one pass.

use anamne_types::Row;
use rustc_hash::FxHashMap;

use super::plan::Question;
use super::vocabulary::Vocabulary;
use crate::views::Columns;

/// What the question finds in one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Words of the text.
    pub(crate) words: f32,
    /// How often each content term occurs.
    pub(crate) frequencies: Vec<f32>,
    /// For each piece of the question, the square of the cosine to the nearest piece of the text; 0 below the threshold.
    pub(crate) nearest: Vec<f32>,
}

impl Summary {
    /// Nothing found yet.
    pub(crate) fn empty(question: &Question) -> Self {
        Self {
            words: 0.0,
            frequencies: vec![0.0; question.term_weights.len()],
            nearest: vec![0.0; question.piece_weights.len()],
        }
    }

    /// Reads `tokens` once. O(tokens + meetings).
    fn read(question: &Question, tokens: &[u16]) -> Self {
        let vocabulary = Vocabulary::get();
        let mut summary = Self::empty(question);
        let mut words = 0u32;
        for (place, &token) in tokens.iter().enumerate() {
            let (begins_word, meeting) = question.mark(token);
            words += begins_word;
            let Some(meeting) = meeting else { continue };
            for &(piece, closeness) in &meeting.pieces {
                let nearest = &mut summary.nearest[usize::from(piece)];
                *nearest = nearest.max(closeness);
            }
            let whole = tokens
                .get(place + 1)
                .is_none_or(|&next| !vocabulary.continues_word(next));
            if whole {
                for &term in &meeting.terms {
                    summary.frequencies[usize::from(term)] += 1.0;
                }
            } else if meeting.begins_sequence {
                for term in question.sequences_at(&tokens[place..]) {
                    summary.frequencies[term] += 1.0;
                }
            }
        }
        summary.words = words as f32;
        summary
    }

    /// Adds another text's words and frequencies, at `weight`.
    pub(crate) fn add(&mut self, other: &Self, weight: f32) {
        self.words += other.words * weight;
        for (own, other) in self.frequencies.iter_mut().zip(&other.frequencies) {
            *own += other * weight;
        }
    }

    /// Takes over another text's nearest pieces where they are nearer after `weight`.
    pub(crate) fn approach(&mut self, other: &Self, weight: f32) {
        for (own, other) in self.nearest.iter_mut().zip(&other.nearest) {
            *own = own.max(other * weight);
        }
    }

    /// BM25 with k1 = 1 and b = 0.75 over the question's terms, over the most that it could reach: 0 to 1.
    pub(crate) fn bm25(&self, question: &Question, average_words: f32) -> f32 {
        let saturation = 0.25 + 0.75 * self.words / average_words.max(1.0);
        let terms = self.frequencies.iter().zip(&question.term_weights);
        let (sum, most) = terms.fold((0.0, 0.0), |(sum, most), (frequency, weight)| {
            (
                sum + weight * frequency / (frequency + saturation),
                most + weight,
            )
        });
        if most > 0.0 { sum / most } else { 0.0 }
    }

    /// How well each piece of the question is met, weighted by rarity: 0 to 1.
    pub(crate) fn closeness(&self, question: &Question) -> f32 {
        let pieces = self.nearest.iter().zip(&question.piece_weights);
        let (sum, most) = pieces.fold((0.0, 0.0), |(sum, most), (near, weight)| {
            (sum + near * weight, most + weight)
        });
        if most > 0.0 { sum / most } else { 0.0 }
    }
}

/// Reads summaries of rows, each row once.
pub(crate) struct Reader<'question> {
    question: &'question Question,
    columns: &'question dyn Columns,
    read: FxHashMap<Row, usize>,
    summaries: Vec<Summary>,
}

impl<'question> Reader<'question> {
    pub(crate) fn new(question: &'question Question, columns: &'question dyn Columns) -> Self {
        Self {
            question,
            columns,
            read: FxHashMap::default(),
            summaries: Vec::new(),
        }
    }

    /// The place of the row's summary.
    pub(crate) fn place(&mut self, row: Row) -> usize {
        if let Some(&place) = self.read.get(&row) {
            return place;
        }
        let summary = Summary::read(self.question, self.columns.tokens(row).unwrap_or_default());
        self.summaries.push(summary);
        self.read.insert(row, self.summaries.len() - 1);
        self.summaries.len() - 1
    }

    /// The summary at a place that [`Reader::place`] gave.
    pub(crate) fn at(&self, place: usize) -> &Summary {
        &self.summaries[place]
    }
}
