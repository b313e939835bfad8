//! BM25 in integers, and the best rows so far.
//!
//! `score = Σ occurrences · idf · (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average))` with
//! `idf = ln(1 + (N − n + ½) / (n + ½))` (Robertson and Zaragoza, 2009). Lengths are rounded down to
//! tantivy's 256 steps, in the published part as in the tail. The terms of a sum are rounded to integers, so that a
//! score does not depend on the order of addition: a row has the same score in every segment or tail, and pruning is
//! exact.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tantivy::fieldnorm::FieldNormReader;

use super::engine::SEARCHED;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Counts over the live documents of both parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Number of live documents.
    pub(super) documents: u64,
    /// Total terms of live documents, by field, with lengths rounded down to steps.
    pub(super) terms: [u64; SEARCHED],
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        for (terms, more) in self.terms.iter_mut().zip(other.terms) {
            *terms += more;
        }
    }

    pub(super) fn remove(&mut self, other: &Self) {
        self.documents -= other.documents;
        for (terms, less) in self.terms.iter_mut().zip(other.terms) {
            *terms -= less;
        }
    }
}

/// The quantised length of a document with this many terms.
pub(super) fn length_step(terms: u32) -> u8 {
    FieldNormReader::fieldnorm_to_id(terms)
}

/// The length of a step.
pub(super) fn step_length(step: u8) -> u64 {
    u64::from(FieldNormReader::id_to_fieldnorm(step))
}

/// `ln(1 + (N − n + ½) / (n + ½))`, with n capped at N.
pub(super) fn inverse_frequency(documents: u64, holding: f64) -> f32 {
    let documents = documents as f64;
    let holding = holding.min(documents);
    ((documents - holding + 0.5) / (holding + 0.5)).ln_1p() as f32
}

/// `k1 · (1 − b + b · length / average)` for every length step.
pub(super) struct LengthNorms([f32; 256]);

impl LengthNorms {
    /// For a field with `terms` terms in `documents` documents.
    pub(super) fn new(terms: u64, documents: u64) -> Self {
        let average = (terms.max(1) as f64 / documents.max(1) as f64) as f32;
        Self(std::array::from_fn(|step| {
            K1 * (1.0 - B + B * step_length(step as u8) as f32 / average)
        }))
    }

    /// The integer score of a term with this weight and `count` occurrences in a document.
    ///
    /// At least 1, so that every match is found, and at most the weight's bound.
    #[inline]
    pub(super) fn part(&self, weight: Weight, count: u32, step: u8) -> u32 {
        let count = count as f32;
        (weight.0 * (count / (count + self.0[usize::from(step)]))) as u32 + 1
    }
}

/// The weight of a query term, in the query's integer scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight(f32);

impl Weight {
    /// Upper bound of the scores with this weight.
    pub(super) fn bound(self) -> u32 {
        self.0 as u32 + 2
    }
}

/// Converts between scores and integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale(f32);

impl Scale {
    /// The finest scale that keeps the sum of all weights below 2³¹.
    pub(super) fn new(sum_of_weights: f32) -> Self {
        let exponent = (29.0 - sum_of_weights.max(1e-6).log2())
            .floor()
            .clamp(0.0, 24.0);
        Self(exponent.exp2())
    }

    /// The weight of a term: `importance` in this scale.
    pub(super) fn weight(self, importance: f32) -> Weight {
        Weight(importance * self.0)
    }

    /// The score of an integer sum.
    pub(super) fn score(self, sum: u32) -> f32 {
        sum as f32 / self.0
    }
}

/// A term's weight before scaling: `idf · (k1 + 1) · factor`.
pub(super) fn importance(inverse_frequency: f32, factor: f32) -> f32 {
    inverse_frequency * (K1 + 1.0) * factor
}

/// The best rows so far: higher sums first, ties by lower row.
pub(super) struct BestRows {
    limit: usize,
    worst_first: BinaryHeap<Reverse<u64>>,
    floor: u32,
}

impl BestRows {
    /// Keeps at most `limit` rows.
    pub(super) fn new(limit: usize) -> Self {
        let floor = if limit == 0 { u32::MAX } else { 1 };
        Self {
            limit,
            worst_first: BinaryHeap::with_capacity(limit.min(1_024) + 1),
            floor,
        }
    }

    /// An empty list with the same limit and floor.
    pub(super) fn empty_like(&self) -> Self {
        Self {
            floor: self.floor,
            ..Self::new(self.limit)
        }
    }

    /// Adds the rows of `others` for which `counts` holds.
    pub(super) fn join(&mut self, others: Self, counts: impl Fn(u32) -> bool) {
        for (sum, row) in others.into_sorted() {
            if sum >= self.floor && counts(row) {
                self.offer(sum, row);
            }
        }
    }

    /// Sums below this are rejected.
    #[inline]
    pub(super) fn floor(&self) -> u32 {
        self.floor
    }

    /// Adds the row if it is among the best.
    #[inline]
    pub(super) fn offer(&mut self, sum: u32, row: u32) {
        if sum < self.floor {
            return;
        }
        let key = u64::from(sum) << 32 | u64::from(!row);
        if self.worst_first.len() < self.limit {
            self.worst_first.push(Reverse(key));
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && key > worst.0
        {
            worst.0 = key;
        }
        if self.worst_first.len() == self.limit
            && let Some(Reverse(worst)) = self.worst_first.peek()
        {
            self.floor = (worst >> 32) as u32;
        }
    }

    /// The rows with their sums, best first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (u32, u32)> {
        self.worst_first
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(key)| ((key >> 32) as u32, !(key as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_rows_come_best_first_and_ties_by_row() {
        let mut best = BestRows::new(3);
        for (sum, row) in [(5, 9), (7, 4), (5, 2), (1, 1), (5, 3), (7, 8)] {
            best.offer(sum, row);
        }
        assert_eq!(best.floor(), 5);
        assert_eq!(
            best.into_sorted().collect::<Vec<_>>(),
            [(7, 4), (7, 8), (5, 2)]
        );
        let mut first = BestRows::new(2);
        first.offer(5, 7);
        first.offer(4, 2);
        let mut second = first.empty_like();
        for (sum, row) in [(3, 1), (4, 9), (4, 1), (6, 3)] {
            second.offer(sum, row);
        }
        first.join(second, |row| row != 3);
        assert_eq!(first.into_sorted().collect::<Vec<_>>(), [(5, 7), (4, 1)]);
        let mut none = BestRows::new(0);
        none.offer(9, 1);
        assert_eq!(none.into_sorted().count(), 0);
    }

    #[test]
    fn parts_stay_within_their_bound_and_sums_within_32_bits() {
        let norms = LengthNorms::new(1_000, 100);
        for weights in [
            vec![0.000_001],
            vec![14.0; 7],
            vec![31.0; 20_000],
            vec![1.0e9, 3.0],
        ] {
            let scale = Scale::new(weights.iter().sum());
            let mut sum = 0_u32;
            for weight in weights.into_iter().map(|weight| scale.weight(weight)) {
                assert!(norms.part(weight, u32::MAX, 0) <= weight.bound());
                assert!(norms.part(weight, 1, 255) >= 1);
                sum = sum
                    .checked_add(weight.bound())
                    .expect("the scale leaves room");
            }
        }
    }
}
