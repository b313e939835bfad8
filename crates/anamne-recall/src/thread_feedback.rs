//! The feature `thread_feedback`: similarity to the best-scoring threads.
//!
//! A query in the middle of a conversation says little about its topic ("that is done, what is next?"), but the best
//! matches name the topic, and other threads on it share rare words with them: pseudo-relevance feedback (Rocchio 1971)
//! over whole threads. Rarity is relative to the compared threads, so that common phrases don't count.

use anamne_types::Row;

use crate::model;
use crate::views::{Columns, best_first};

/// A high-scoring row with its thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoredRow {
    pub(crate) score: f32,
    pub(crate) row: Row,
    pub(crate) thread: u32,
}

/// The high-scoring rows of one thread as one text.
struct ThreadText {
    thread: u32,
    /// The score of its best row.
    score: f32,
    rows: Vec<Row>,
}

/// Statistics of a token.
#[derive(Clone, Copy, Default)]
struct TokenStats {
    /// The number of the last text that contains it, from 1.
    last_text: u8,
    /// How many texts contain it.
    text_count: u8,
    /// The seeds that contain it, one bit each.
    seeds: u8,
}

/// The distinct tokens of all texts, concatenated.
struct DistinctTokens {
    stats: Vec<TokenStats>,
    distinct: Vec<u16>,
    /// The end of each text's tokens.
    ends: Vec<usize>,
}

/// Sums over the tokens of one text.
#[derive(Clone, Copy, Default)]
struct TokenSums {
    /// The squared length of its vector.
    square: f32,
    /// The dot product with the weighted seed vectors.
    seed_product: f32,
}

const _: () =
    assert!(model::COMPARED < u8::MAX as usize && model::SEED_THREADS <= u8::BITS as usize);

/// The similarity of each thread to the best ones except itself, 0 to 1: the weighted mean cosine of idf-weighted
/// tokens. O(tokens of the best [`model::COMPARED`] rows).
pub(crate) fn thread_feedback(
    scored_rows: Vec<ScoredRow>,
    columns: &dyn Columns,
) -> Vec<(u32, f32)> {
    let thread_texts = thread_texts(scored_rows);
    let tokens = DistinctTokens::read(&thread_texts, columns);
    let squares = squared_weights(thread_texts.len());
    let length = |sums: TokenSums| sums.square.sqrt().max(f32::MIN_POSITIVE);
    let seed_shares = seed_shares(&thread_texts);
    let seeds: Vec<f32> = (0..)
        .zip(&seed_shares)
        .map(|(index, share)| share / length(tokens.sums(index, &squares, &[])))
        .collect();
    let seed_weights: Vec<f32> = (0..1_u32 << seeds.len())
        .map(|mask| seed_sum(&seeds, mask))
        .collect();
    let feedback = |(index, text): (usize, &ThreadText)| {
        let sums = tokens.sums(index, &squares, &seed_weights);
        let itself = seed_shares.get(index).copied().unwrap_or(0.0);
        (
            text.thread,
            (sums.seed_product / length(sums) - itself).max(0.0),
        )
    };
    thread_texts.iter().enumerate().map(feedback).collect()
}

/// The best rows by thread, the best thread first; ties by row.
fn thread_texts(mut scored_rows: Vec<ScoredRow>) -> Vec<ThreadText> {
    let best_first = |one: &ScoredRow, other: &ScoredRow| {
        best_first((one.score, one.row), (other.score, other.row))
    };
    if scored_rows.len() > model::COMPARED {
        scored_rows.select_nth_unstable_by(model::COMPARED, best_first);
        scored_rows.truncate(model::COMPARED);
    }
    scored_rows.sort_unstable_by(best_first);
    let mut thread_texts: Vec<ThreadText> = Vec::with_capacity(scored_rows.len());
    for ScoredRow { score, row, thread } in scored_rows {
        if let Some(text) = thread_texts.iter_mut().find(|text| text.thread == thread) {
            text.rows.push(row);
        } else {
            let rows = vec![row];
            thread_texts.push(ThreadText {
                thread,
                score,
                rows,
            });
        }
    }
    thread_texts
}

impl DistinctTokens {
    /// Reads the first tokens of every row.
    fn read(thread_texts: &[ThreadText], columns: &dyn Columns) -> Self {
        let rows: usize = thread_texts.iter().map(|text| text.rows.len()).sum();
        let mut tokens = Self {
            stats: Vec::new(),
            distinct: vec![0; rows * model::COMPARED_TOKENS],
            ends: Vec::with_capacity(thread_texts.len()),
        };
        let mut end = 0;
        for (number, text) in (1_u8..).zip(thread_texts) {
            let is_seed = usize::from(number) <= model::SEED_THREADS;
            let seed = u8::from(is_seed) << (number - 1).min(u8::BITS as u8 - 1);
            for &row in &text.rows {
                let compared = columns.tokens(row).unwrap_or_default();
                let compared = &compared[..compared.len().min(model::COMPARED_TOKENS)];
                end += tokens.add(compared, number, seed, end);
            }
            tokens.ends.push(end);
        }
        tokens
    }

    /// Adds tokens to the text with this number, whose own tokens end at `end`, and returns how many are new to it.
    fn add(&mut self, tokens: &[u16], number: u8, seed: u8, end: usize) -> usize {
        let highest = tokens.iter().max().map_or(0, |&token| usize::from(token));
        if self.stats.len() <= highest {
            self.stats.resize(highest + 1, TokenStats::default());
        }
        let (stats, distinct) = (&mut self.stats[..], &mut self.distinct[end..]);
        let mut found = 0;
        for &token in tokens {
            let token_stats = &mut stats[usize::from(token)];
            let is_new = u8::from(token_stats.last_text != number);
            token_stats.last_text = number;
            token_stats.text_count += is_new;
            token_stats.seeds |= seed;
            // Written for every token and kept for some: cheaper than an unpredictable branch.
            distinct[found] = token;
            found += usize::from(is_new);
        }
        found
    }

    /// The sums of a text; with empty `seed_weights` only its length.
    fn sums(&self, index: usize, squares: &[f32], seed_weights: &[f32]) -> TokenSums {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut sums = TokenSums::default();
        for &token in &self.distinct[start..self.ends[index]] {
            let token_stats = self.stats[usize::from(token)];
            let square = squares[usize::from(token_stats.text_count)];
            sums.square += square;
            sums.seed_product += square
                * seed_weights
                    .get(usize::from(token_stats.seeds))
                    .copied()
                    .unwrap_or(0.0);
        }
        sums
    }
}

/// The squared weight of a token by how many texts contain it.
fn squared_weights(thread_texts: usize) -> Vec<f32> {
    let weight = |containing: usize| {
        let (all, containing) = (thread_texts as f32, containing as f32);
        let idf = (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln();
        idf.powf(2.0 * model::FEEDBACK_IDF_POWER)
    };
    (0..=thread_texts).map(weight).collect()
}

/// The weights of the best threads, 1 in total.
fn seed_shares(thread_texts: &[ThreadText]) -> Vec<f32> {
    let best = thread_texts.first().map_or(0.0, |text| text.score);
    let share = |text: &ThreadText| ((text.score - best) / model::FEEDBACK_TEMPERATURE).exp();
    let seed_shares: Vec<f32> = thread_texts
        .iter()
        .take(model::SEED_THREADS)
        .map(share)
        .collect();
    let sum: f32 = seed_shares.iter().sum();
    seed_shares.into_iter().map(|share| share / sum).collect()
}

/// The sum over the seeds whose bits are set.
fn seed_sum(seeds: &[f32], mask: u32) -> f32 {
    let seeds = seeds.iter().enumerate();
    seeds
        .filter(|(seed, _)| mask >> seed & 1 == 1)
        .map(|(_, weight)| weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::Rows;

    fn scored_rows(scores: &[f32]) -> Vec<ScoredRow> {
        (0..)
            .zip(scores)
            .map(|(row, &score)| ScoredRow {
                score,
                row: Row(row),
                thread: row + 1,
            })
            .collect()
    }

    #[test]
    fn sharing_rare_words_with_the_best_thread_counts_more_than_common_ones() {
        const COMMON: u16 = 1;
        let rows = Rows(vec![
            vec![COMMON, 10, 11, 12],
            vec![COMMON, 20, 21, 22],
            vec![COMMON, 10, 11, 30],
            vec![COMMON, 40, 41, 42],
        ]);
        let feedback = thread_feedback(scored_rows(&[9.0, 2.0, 1.0, 0.5]), &rows);
        assert_eq!(
            feedback
                .iter()
                .map(|feedback| feedback.0)
                .collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
        assert!(feedback[2].1 > 0.2, "{feedback:?}");
        assert!(feedback[1].1 < 0.1 && feedback[3].1 < 0.1, "{feedback:?}");
    }

    #[test]
    fn empty_input_and_rows_without_tokens_have_no_similarity() {
        assert!(thread_feedback(Vec::new(), &Rows(Vec::new())).is_empty());
        let feedback = thread_feedback(
            scored_rows(&[1.0, 1.0]),
            &Rows(vec![Vec::new(), Vec::new()]),
        );
        assert_eq!(feedback, [(1, 0.0), (2, 0.0)]);
    }
}
