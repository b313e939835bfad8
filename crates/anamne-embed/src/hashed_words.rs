//! Tokens of words that the vocabulary has no letters for: feature hashing (Weinberger et al. 2009).
//!
//! The vocabulary is English. It splits a Russian word into single letters, which say nothing about its meaning, so that
//! all Russian texts are alike. Instead, the term of such a word (its stem) is hashed to one of the ids above the
//! vocabulary, whose row is a direction by chance: different words are nearly orthogonal, equal ones equal.

use anamne_text::analyser::{TextPart, parts_by_script};

/// Dimensions of a row.
pub(crate) const DIMENSIONS: usize = 256;

/// The first id of a hashed word: the size of the vocabulary.
pub(crate) const FIRST: u16 = 30_522;

/// Ids of function words: the first ones.
const FUNCTION_WORDS: u16 = 2_048;

/// All ids.
const IDS: usize = (u16::MAX - FIRST) as usize + 1;

/// The size of each code.
const CODE: i8 = 64;

/// The inverse length of each row of codes.
const INVERSE_NORM: f32 = 1.0 / (CODE as f32 * 16.0);

/// The length of a word's row in a sum: the median of the vocabulary's words of five letters and more.
const WORD_NORM: f32 = 1.06;

/// The same for a function word.
const FUNCTION_WORD_NORM: f32 = 0.3;

/// Signs by chance. The row of an id begins at its number, so that two rows share no part in the same place.
static CODES: [i8; IDS + DIMENSIONS] = codes();

/// SplitMix64 (Steele, Lea and Flood 2014).
#[expect(clippy::large_stack_arrays, reason = "computed when compiled")]
const fn codes() -> [i8; IDS + DIMENSIONS] {
    let mut codes = [CODE; IDS + DIMENSIONS];
    let (mut at, mut state) = (0, 0_u64);
    while at < codes.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        if mixed(state) & 1 == 1 {
            codes[at] = -CODE;
        }
        at += 1;
    }
    codes
}

const fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// A token of a hashed word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashedWord(u16);

impl HashedWord {
    /// The word with this token; `None` for one of the vocabulary.
    pub(crate) fn of(token: u16) -> Option<Self> {
        token.checked_sub(FIRST).map(Self)
    }

    /// The token of a term.
    pub(crate) fn token(term: &str, is_function_word: bool) -> u16 {
        // FNV-1a.
        let hash = term.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let hash = mixed(hash);
        let id = if is_function_word {
            hash % u64::from(FUNCTION_WORDS)
        } else {
            u64::from(FUNCTION_WORDS) + hash % (IDS as u64 - u64::from(FUNCTION_WORDS))
        };
        FIRST + id as u16
    }

    pub(crate) fn is_function_word(self) -> bool {
        self.0 < FUNCTION_WORDS
    }

    pub(crate) fn unit_row(self) -> (&'static [i8], f32) {
        let start = usize::from(self.0);
        (&CODES[start..start + DIMENSIONS], INVERSE_NORM)
    }

    /// Adds the row, times `weight`, to `sum`.
    pub(crate) fn add_row(self, weight: f32, sum: &mut [f32]) {
        let norm = if self.is_function_word() {
            FUNCTION_WORD_NORM
        } else {
            WORD_NORM
        };
        let (codes, inverse_norm) = self.unit_row();
        let scale = norm * inverse_norm * weight;
        for (sum, &code) in sum.iter_mut().zip(codes) {
            *sum += f32::from(code) * scale;
        }
    }
}

/// Passes the token of each word in another script, and the text between them, to `emit`. O(bytes).
pub(crate) fn each_part(text: &str, emit: &mut dyn FnMut(Part<'_>)) {
    parts_by_script(text, &mut |part| match part {
        TextPart::Latin(text) => emit(Part::Latin(text)),
        TextPart::Term {
            text,
            is_function_word,
        } => emit(Part::Token(HashedWord::token(text, is_function_word))),
    });
}

/// A part of a text.
pub(crate) enum Part<'text> {
    /// For the vocabulary.
    Latin(&'text str),
    /// A hashed word.
    Token(u16),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Embedder, StaticModel};

    fn tokens(text: &str) -> Vec<u16> {
        let mut tokens = Vec::new();
        StaticModel::builtin_tokens().tokens(text, &mut tokens);
        tokens
    }

    fn cosine(one: &str, other: &str) -> f32 {
        let vectors = StaticModel::builtin().embed_batch(&[one, other]).unwrap();
        let (one, other) = vectors.split_at(DIMENSIONS);
        one.iter().zip(other).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_ids_follow_the_vocabulary() {
        assert_eq!(StaticModel::builtin_tokens().rows(), usize::from(FIRST));
        assert_eq!(StaticModel::builtin().dimensions(), DIMENSIONS);
    }

    #[test]
    fn inflections_of_a_word_are_the_same_token() {
        assert_eq!(tokens("Мастерская"), tokens("мастерскую"));
        assert_eq!(tokens("Мастерская").len(), 1);
        assert_ne!(tokens("Мастерская"), tokens("скрипка"));
    }

    #[test]
    fn what_stands_between_is_read_by_the_vocabulary() {
        let mixed = tokens("сервер docker, база");
        assert_eq!(mixed[1..mixed.len() - 1], tokens("docker,"));
        assert_eq!(tokens("naïve café – 3 €"), tokens("naive cafe – 3 €"));
    }

    #[test]
    fn texts_are_alike_by_the_words_that_they_share() {
        let violin = "Мастер чинит старую скрипку для оркестра";
        assert!(cosine(violin, "Оркестр ждёт скрипку от мастера") > 0.5);
        assert!(cosine(violin, "Поезд в Казань уходит вечером") < 0.3);
        assert!(cosine("数据库每天备份", "备份数据库的脚本") > 0.3);
        assert!(cosine("数据库每天备份", "晚上去公园散步") < 0.3);
    }

    #[test]
    fn function_words_count_little() {
        let [function] = tokens("который")[..] else {
            panic!("one token")
        };
        assert!(StaticModel::builtin_tokens().is_hashed_function_word(function));
        assert!(cosine("скрипка", "которая скрипка") > 0.9);
    }

    #[test]
    fn rows_are_nearly_orthogonal() {
        let rows: Vec<_> = (0..200_u16)
            .map(|id| HashedWord(id * 171).unit_row())
            .collect();
        for (index, (one, inverse)) in rows.iter().enumerate() {
            for (other, _) in &rows[..index] {
                let products = one
                    .iter()
                    .zip(*other)
                    .map(|(a, b)| i32::from(*a) * i32::from(*b));
                let cosine = products.sum::<i32>() as f32 * inverse * inverse;
                assert!(cosine.abs() < 0.35, "{cosine}");
            }
        }
    }
}
