//! Detection of results that duplicate a better one.

use std::cell::OnceCell;

use crate::ranked::Ranked;
use crate::views::Columns;

/// Memories whose wordpieces overlap at least by this share are duplicates; the later one is demoted.
const DUPLICATE_OVERLAP: f32 = 0.9;

/// Moves duplicates of better results behind the others, within the first `limit` results.
pub(crate) fn demote_duplicates(
    ranked: Vec<Ranked>,
    columns: &dyn Columns,
    limit: usize,
) -> Vec<Ranked> {
    let mut kept: Vec<Ranked> = Vec::with_capacity(ranked.len());
    let mut texts: Vec<PieceSet<'_>> = Vec::new();
    let mut repeated = Vec::new();
    let mut rest = ranked.into_iter();
    for ranked in rest.by_ref() {
        let pieces = PieceSet::of(columns.tokens(ranked.candidate.row).unwrap_or_default());
        if texts.iter().any(|other| other.is_duplicate_of(&pieces)) {
            repeated.push(ranked);
        } else {
            texts.push(pieces);
            kept.push(ranked);
        }
        if kept.len() == limit {
            break;
        }
    }
    kept.append(&mut repeated);
    kept.extend(rest);
    kept
}

/// Words of 64 bits in a fingerprint.
const FINGERPRINT_WORDS: usize = 8;

/// The wordpieces of a text.
struct PieceSet<'a> {
    tokens: &'a [u16],
    /// One bit per wordpiece, with collisions.
    fingerprint: [u64; FINGERPRINT_WORDS],
    /// The distinct wordpieces, ascending; computed on the first comparison that passes the fingerprint.
    distinct: OnceCell<Vec<u16>>,
}

impl<'a> PieceSet<'a> {
    /// O(tokens).
    fn of(tokens: &'a [u16]) -> Self {
        let mut fingerprint = [0; FINGERPRINT_WORDS];
        for &token in tokens {
            fingerprint[usize::from(token >> 6) % FINGERPRINT_WORDS] |= 1 << (token & 63);
        }
        Self {
            tokens,
            fingerprint,
            distinct: OnceCell::new(),
        }
    }

    fn distinct(&self) -> &[u16] {
        self.distinct.get_or_init(|| distinct(self.tokens))
    }

    /// Whether the wordpieces overlap by at least [`DUPLICATE_OVERLAP`]. O(1) if the fingerprints rule it out, else as
    /// [`overlap_at_least`]; each text is sorted at most once.
    fn is_duplicate_of(&self, other: &Self) -> bool {
        let fingerprints = self.fingerprint.iter().zip(&other.fingerprint);
        let apart: u32 = fingerprints
            .map(|(one, other)| (one ^ other).count_ones())
            .sum();
        // Each differing bit is at least one wordpiece that only one text has.
        let both = self.tokens.len() + other.tokens.len();
        apart as f32 <= (1.0 - DUPLICATE_OVERLAP) * both as f32
            && overlap_at_least(self.distinct(), other.distinct(), DUPLICATE_OVERLAP)
    }
}

/// The distinct tokens, ascending.
pub(crate) fn distinct(tokens: &[u16]) -> Vec<u16> {
    let mut distinct = tokens.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Whether the Jaccard similarity of two ascending lists without repetition is at least `share`; false if one is empty.
/// O(1) if the lengths rule it out, else O(lengths) with early exit.
pub(crate) fn overlap_at_least<T: Ord>(one: &[T], other: &[T], share: f32) -> bool {
    let all = one.len() + other.len();
    let is_enough = |both: usize| both > 0 && both as f32 >= share * (all - both) as f32;
    let (fewer, mut rest) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    // Upper bound of the intersection.
    let mut both = fewer.len();
    is_enough(both)
        && fewer.iter().all(|item| {
            let below = rest.iter().take_while(|other| *other < item).count();
            rest = &rest[below..];
            rest.first() == Some(item) || {
                both -= 1;
                is_enough(both)
            }
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::Features;
    use crate::views::Rows;

    /// Pseudo-random numbers (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % bound
        }
    }

    /// Texts over small or large vocabularies, half of them modified copies of earlier ones.
    fn texts(numbers: &mut Numbers) -> Vec<Vec<u16>> {
        let vocabulary = [3, 40, 900, 1 << 16][numbers.below(4)];
        let longest = [4, 30, 300][numbers.below(3)];
        let mut texts: Vec<Vec<u16>> = Vec::new();
        for _ in 0..30 {
            let mut text = if texts.is_empty() || numbers.below(2) == 0 {
                let length = numbers.below(longest);
                (0..length)
                    .map(|_| numbers.below(vocabulary) as u16)
                    .collect()
            } else {
                texts[numbers.below(texts.len())].clone()
            };
            for _ in 0..numbers.below(1 + text.len() / 5) {
                let at = numbers.below(text.len());
                if numbers.below(3) == 0 {
                    text.swap_remove(at);
                } else {
                    text[at] = numbers.below(vocabulary) as u16;
                }
            }
            texts.push(text);
        }
        texts
    }

    /// The definition: Jaccard similarity of at least 0.9.
    fn are_duplicates(one: &[u16], other: &[u16]) -> bool {
        let (one, other): (BTreeSet<_>, BTreeSet<_>) =
            (one.iter().collect(), other.iter().collect());
        let (both, either) = (one.intersection(&other).count(), one.union(&other).count());
        both > 0 && both as f32 >= DUPLICATE_OVERLAP * either as f32
    }

    #[test]
    fn duplicate_detection_agrees_with_the_definition() {
        let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
        let mut same = 0;
        for _ in 0..30 {
            let texts = texts(&mut numbers);
            let pieces: Vec<PieceSet<'_>> = texts.iter().map(|text| PieceSet::of(text)).collect();
            for (one, pieces_of_one) in texts.iter().zip(&pieces) {
                for (other, pieces_of_other) in texts.iter().zip(&pieces) {
                    let expected = are_duplicates(one, other);
                    assert_eq!(pieces_of_one.is_duplicate_of(pieces_of_other), expected);
                    same += usize::from(expected && one != other);
                }
            }
        }
        assert!(same > 500, "only {same} pairs say the same");
    }

    #[test]
    fn demotion_agrees_with_the_definition() {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..30 {
            let (texts, limit) = (texts(&mut numbers), 1 + numbers.below(32));
            let (mut kept, mut repeated, mut rest) = (Vec::new(), Vec::new(), Vec::new());
            for (row, text) in (0_u32..).zip(&texts) {
                if kept.len() == limit {
                    rest.push(row);
                } else if kept
                    .iter()
                    .any(|kept| are_duplicates(&texts[*kept as usize], text))
                {
                    repeated.push(row);
                } else {
                    kept.push(row);
                }
            }
            let ranked =
                (0..texts.len() as u32).map(|row| Ranked::sample(row, Features::default()));
            let ranked = demote_duplicates(ranked.collect(), &Rows(texts), limit);
            let rows: Vec<u32> = ranked.iter().map(|ranked| ranked.candidate.row.0).collect();
            assert_eq!(rows, [kept, repeated, rest].concat());
        }
    }
}
