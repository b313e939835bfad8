//! The weights of a query's words.

use super::query::ParsedQuery;
use crate::model;

/// The weights of a query's terms and wordpieces.
#[derive(Clone, Debug)]
pub(super) struct WordWeights {
    pub(super) terms: Vec<f32>,
    pub(super) pieces: Vec<f32>,
}

impl WordWeights {
    /// By rarity only.
    pub(super) fn of(query: &ParsedQuery) -> Self {
        Self {
            terms: query.term_weights.clone(),
            pieces: query.piece_weights.clone(),
        }
    }

    /// Boosts words that occur in clusters: `terms` and `pieces` are the mean numbers of rows per stretch with the
    /// word.
    pub(super) fn boost_clustered(&mut self, terms: &[f32], pieces: &[f32]) {
        let [of_terms, of_pieces] = model::CLUSTERING;
        for (weight, rows) in self.terms.iter_mut().zip(terms) {
            *weight *= rows.powf(of_terms);
        }
        for (weight, rows) in self.pieces.iter_mut().zip(pieces) {
            *weight *= rows.powf(of_pieces);
        }
    }
}

/// Counts the rows and the stretches of conversation that contain each word.
pub(super) struct ClusterCounts {
    rows: Vec<f32>,
    stretches: Vec<f32>,
    in_stretch: Vec<bool>,
}

impl ClusterCounts {
    pub(super) fn new(words: usize) -> Self {
        Self {
            rows: vec![1.0; words],
            stretches: vec![1.0; words],
            in_stretch: vec![false; words],
        }
    }

    pub(super) fn add_row(&mut self, held: impl Iterator<Item = bool>) {
        for (word, held) in held.enumerate() {
            self.rows[word] += f32::from(u8::from(held));
            self.in_stretch[word] |= held;
        }
    }

    pub(super) fn end_stretch(&mut self) {
        for (stretches, held) in self.stretches.iter_mut().zip(&mut self.in_stretch) {
            *stretches += f32::from(u8::from(std::mem::take(held)));
        }
    }

    /// Rows per stretch of each word, split after the first `terms` words.
    pub(super) fn shares(&mut self, terms: usize) -> (&[f32], &[f32]) {
        for (rows, stretches) in self.rows.iter_mut().zip(&self.stretches) {
            *rows /= stretches;
        }
        self.rows.split_at(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clustered_words_weigh_more_than_scattered_ones() {
        let mut clusters = ClusterCounts::new(2);
        for (first, second) in [
            ([true, true], [true, false]),
            ([false, true], [true, false]),
        ] {
            clusters.add_row(first.into_iter());
            clusters.add_row(second.into_iter());
            clusters.end_stretch();
        }
        let (clustered, scattered) = clusters.shares(1);
        assert_eq!((clustered, scattered), (&[4.0 / 3.0][..], &[1.0][..]));
        let mut weights = WordWeights {
            terms: vec![1.0, 1.0],
            pieces: Vec::new(),
        };
        weights.boost_clustered(&[4.0 / 3.0, 1.0], &[]);
        assert!(weights.terms[0] > weights.terms[1]);
    }
}
