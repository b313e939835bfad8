//! The physical limit of a scan: every byte must be read from memory once.

use std::hint::black_box;
use std::time::Instant;

use anamne::text::sentences::windows;

use crate::generator::Generator;

/// Bytes of a vector's 1-bit code: one bit for each of 256 dimensions.
const CODE_BYTES: f64 = 32.0;

/// Texts with more words have a vector per window of about `WINDOW_WORDS` words in addition to the whole text's vector,
/// as `docs/format.md` specifies.
const WHOLE_WORDS: usize = 80;
const WINDOW_WORDS: usize = 60;

/// Number of texts sampled to estimate the vectors per record.
const SAMPLE: u64 = 1_000;

/// Number of passes over the buffer; the best counts.
const ROUNDS: usize = 3;

/// Bytes per second at which one core sums a buffer larger than its caches; the buffer is smaller for small stores.
pub(crate) fn measure(records: u64) -> f64 {
    let bytes: usize = if records < 10_000 {
        64 << 20
    } else {
        512 << 20
    };
    let buffer: Vec<u64> = (0..bytes as u64 / 8).collect();
    let round = || {
        let started = Instant::now();
        black_box(sum(black_box(&buffer)));
        bytes as f64 / started.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| round()).fold(0.0, f64::max)
}

/// Eight independent sums, so that the additions don't depend on one another.
fn sum(buffer: &[u64]) -> u64 {
    let mut sums = [0_u64; 8];
    for words in buffer.as_chunks::<8>().0 {
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = sum.wrapping_add(*word);
        }
    }
    sums.into_iter().fold(0, u64::wrapping_add)
}

/// Estimated bytes of the 1-bit codes of all vectors of a store, from a sample of its records.
pub(crate) fn bytes_of_codes(generator: &Generator, records: u64) -> f64 {
    let sample = records.min(SAMPLE);
    let vectors: usize = generator
        .records(0..sample)
        .iter()
        .map(|record| vectors_of(&record.text))
        .sum();
    vectors as f64 / sample as f64 * records as f64 * CODE_BYTES
}

fn vectors_of(text: &str) -> usize {
    if text.split(' ').count() <= WHOLE_WORDS {
        return 1;
    }
    match windows(text, WINDOW_WORDS).len() {
        0 | 1 => 1,
        windows => 1 + windows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_counts_every_word_once() {
        let buffer: Vec<u64> = (0..64).collect();
        assert_eq!(sum(&buffer), 63 * 64 / 2);
    }

    #[test]
    fn long_texts_have_a_vector_for_each_window_and_one_for_the_whole() {
        assert_eq!(vectors_of("A few words."), 1);
        let long = "Ten plain words stand in every sentence of this text. ".repeat(18);
        assert_eq!(
            vectors_of(long.trim_end()),
            1 + windows(long.trim_end(), WINDOW_WORDS).len()
        );
    }
}
