//! How alike threads are.
//!
//! A question in the midst of something says little of what it is about ("that is done, what is next?"), but what looks
//! best names the matter, and its other threads share rare words with it: relevance feedback (Rocchio 1971) without
//! asking anybody, over whole threads. Rare are words that few of the threads at hand hold, so that what everybody says
//! all the time counts for nothing.

use anamne_types::Row;

use crate::model;
use crate::views::{Columns, best_first};

/// A row that looks good, with its thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promising {
    pub(crate) score: f32,
    pub(crate) row: Row,
    pub(crate) thread: u32,
}

/// The promising rows of one thread, taken as one text.
struct Text {
    thread: u32,
    /// The score of its best row.
    score: f32,
    rows: Vec<Row>,
}

/// What is known of a token.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The number of the last text that held it, from 1.
    last: u8,
    /// How many texts hold it.
    texts: u8,
    /// The seeds that hold it, a bit each.
    seeds: u8,
}

/// The different tokens of each text, one text after the other.
struct Tokens {
    marks: Vec<Mark>,
    different: Vec<u16>,
    /// Where each text's tokens end.
    ends: Vec<usize>,
}

/// What the tokens of one text come to.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The square of its length.
    square: f32,
    /// The product with the seeds' directions, each as much as it has to say.
    towards: f32,
}

const _: () =
    assert!(model::COMPARED < u8::MAX as usize && model::SEED_THREADS <= u8::BITS as usize);

/// How alike each thread is to the best ones, 0 to 1, itself left aside: the mean cosine of their rare words.
/// O(tokens of the best [`model::COMPARED`] rows).
pub(crate) fn kinship(promising: Vec<Promising>, columns: &dyn Columns) -> Vec<(u32, f32)> {
    let texts = texts(promising);
    let tokens = Tokens::read(&texts, columns);
    let squares = squared_weights(texts.len());
    let length = |sums: Sums| sums.square.sqrt().max(f32::MIN_POSITIVE);
    let shares = shares(&texts);
    let seeds: Vec<f32> = (0..)
        .zip(&shares)
        .map(|(place, share)| share / length(tokens.sums(place, &squares, &[])))
        .collect();
    let along: Vec<f32> = (0..1_u32 << seeds.len())
        .map(|held| of_seeds(&seeds, held))
        .collect();
    let kinship = |(place, text): (usize, &Text)| {
        let sums = tokens.sums(place, &squares, &along);
        let itself = shares.get(place).copied().unwrap_or(0.0);
        (text.thread, (sums.towards / length(sums) - itself).max(0.0))
    };
    texts.iter().enumerate().map(kinship).collect()
}

/// The best rows by thread, the best thread first; equals by rising row.
fn texts(mut promising: Vec<Promising>) -> Vec<Text> {
    let best_first = |one: &Promising, other: &Promising| {
        best_first((one.score, one.row), (other.score, other.row))
    };
    if promising.len() > model::COMPARED {
        promising.select_nth_unstable_by(model::COMPARED, best_first);
        promising.truncate(model::COMPARED);
    }
    promising.sort_unstable_by(best_first);
    let mut texts: Vec<Text> = Vec::with_capacity(promising.len());
    for Promising { score, row, thread } in promising {
        if let Some(text) = texts.iter_mut().find(|text| text.thread == thread) {
            text.rows.push(row);
        } else {
            let rows = vec![row];
            texts.push(Text {
                thread,
                score,
                rows,
            });
        }
    }
    texts
}

impl Tokens {
    /// Reads the first tokens of every row.
    fn read(texts: &[Text], columns: &dyn Columns) -> Self {
        let rows: usize = texts.iter().map(|text| text.rows.len()).sum();
        let mut tokens = Self {
            marks: Vec::new(),
            different: vec![0; rows * model::COMPARED_TOKENS],
            ends: Vec::with_capacity(texts.len()),
        };
        let mut end = 0;
        for (number, text) in (1_u8..).zip(texts) {
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

    /// Adds tokens to the text with this number, whose own stand before `end`, and returns how many are new to it.
    fn add(&mut self, tokens: &[u16], number: u8, seed: u8, end: usize) -> usize {
        let highest = tokens.iter().max().map_or(0, |&token| usize::from(token));
        if self.marks.len() <= highest {
            self.marks.resize(highest + 1, Mark::default());
        }
        let (marks, different) = (&mut self.marks[..], &mut self.different[end..]);
        let mut found = 0;
        for &token in tokens {
            let mark = &mut marks[usize::from(token)];
            let is_new = u8::from(mark.last != number);
            mark.last = number;
            mark.texts += is_new;
            mark.seeds |= seed;
            // Written at every token and kept at some: cheaper than a branch that is hard to foresee.
            different[found] = token;
            found += usize::from(is_new);
        }
        found
    }

    /// What the tokens of the text at a place come to; without `along` its length alone.
    fn sums(&self, place: usize, squares: &[f32], along: &[f32]) -> Sums {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut sums = Sums::default();
        for &token in &self.different[start..self.ends[place]] {
            let mark = self.marks[usize::from(token)];
            let square = squares[usize::from(mark.texts)];
            sums.square += square;
            sums.towards += square * along.get(usize::from(mark.seeds)).copied().unwrap_or(0.0);
        }
        sums
    }
}

/// The square of the weight of a token that so many of `texts` hold.
fn squared_weights(texts: usize) -> Vec<f32> {
    let weight = |holding: usize| {
        let (all, holding) = (texts as f32, holding as f32);
        let idf = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
        idf.powf(2.0 * model::KIN_IDF_POWER)
    };
    (0..=texts).map(weight).collect()
}

/// How much each of the best threads has to say, 1 together.
fn shares(texts: &[Text]) -> Vec<f32> {
    let best = texts.first().map_or(0.0, |text| text.score);
    let share = |text: &Text| ((text.score - best) / model::KIN_TEMPERATURE).exp();
    let shares: Vec<f32> = texts.iter().take(model::SEED_THREADS).map(share).collect();
    let sum: f32 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

/// The sum over the seeds whose bits are set.
fn of_seeds(seeds: &[f32], held: u32) -> f32 {
    let seeds = seeds.iter().enumerate();
    seeds
        .filter(|(seed, _)| held >> seed & 1 == 1)
        .map(|(_, weight)| weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::Rows;

    fn promising(scores: &[f32]) -> Vec<Promising> {
        (0..)
            .zip(scores)
            .map(|(row, &score)| Promising {
                score,
                row: Row(row),
                thread: row + 1,
            })
            .collect()
    }

    #[test]
    fn a_thread_that_shares_rare_words_with_the_best_is_nearer_than_one_that_shares_common_ones() {
        const COMMON: u16 = 1;
        let rows = Rows(vec![
            vec![COMMON, 10, 11, 12],
            vec![COMMON, 20, 21, 22],
            vec![COMMON, 10, 11, 30],
            vec![COMMON, 40, 41, 42],
        ]);
        let kin = kinship(promising(&[9.0, 2.0, 1.0, 0.5]), &rows);
        assert_eq!(
            kin.iter().map(|kin| kin.0).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
        assert!(kin[2].1 > 0.2, "{kin:?}");
        assert!(kin[1].1 < 0.1 && kin[3].1 < 0.1, "{kin:?}");
    }

    #[test]
    fn nothing_and_rows_without_tokens_are_like_nothing() {
        assert!(kinship(Vec::new(), &Rows(Vec::new())).is_empty());
        let kin = kinship(promising(&[1.0, 1.0]), &Rows(vec![Vec::new(), Vec::new()]));
        assert_eq!(kin, [(1, 0.0), (2, 0.0)]);
    }
}
