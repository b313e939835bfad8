//! What a text states and how it is worded, from its wordpieces alone.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::query::ParsedQuery;
use super::time_mentions::TIME_TOKENS;
use super::vocabulary::{TokenSet, Vocabulary};

/// Words that introduce a reason.
const REASON_WORDS: &str = "because since due reason so therefore caused cause";

/// Words that ask for an amount after "how".
const AMOUNT_WORDS: [&str; 3] = ["many", "much", "often"];

/// Maximum pairs of adjacent wordpieces of a query that are compared.
const MAX_PAIRS: usize = 96;

static NUMBERS: LazyLock<TokenSet> = LazyLock::new(|| {
    let vocabulary = Vocabulary::get();
    let mut numbers = TokenSet::default();
    for token in 0..vocabulary.table.rows() as u16 {
        let piece = vocabulary.table.token_text(token);
        if piece.bytes().all(|digit| digit.is_ascii_digit()) {
            numbers.insert(token);
        }
    }
    numbers
});

static REASONS: LazyLock<TokenSet> =
    LazyLock::new(|| Vocabulary::get().token_set(REASON_WORDS.split(' ')));

/// All tokens that state something.
static STATING: LazyLock<TokenSet> =
    LazyLock::new(|| NUMBERS.clone().union(&REASONS).union(&TIME_TOKENS));

/// What a text states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Statements {
    /// Its numbers in digits.
    pub(crate) numbers: u32,
    pub(crate) time: bool,
    pub(crate) reason: bool,
}

impl Statements {
    /// O(tokens).
    pub(crate) fn of(tokens: &[u16]) -> Self {
        let (stating, numbers) = (&*STATING, &*NUMBERS);
        let (reasons, times) = (&*REASONS, &*TIME_TOKENS);
        let mut stated = Self::default();
        for &token in tokens.iter().filter(|token| stating.contains(**token)) {
            stated.numbers += numbers.bit(token);
            stated.time |= times.contains(token);
            stated.reason |= reasons.contains(token);
        }
        stated
    }
}

/// The kinds of statement that a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) amount: bool,
    pub(crate) time: bool,
    pub(crate) reason: bool,
}

impl Wanted {
    /// O(words of the query).
    pub(crate) fn by(query: &ParsedQuery) -> Self {
        let asks_for_amount =
            |pair: &[String]| pair[0] == "how" && AMOUNT_WORDS.contains(&pair[1].as_str());
        let asks_for_reason = |word: &String| word == "why" || word == "reason";
        Self {
            amount: query.words.windows(2).any(asks_for_amount),
            time: query.asks_for_time,
            reason: query.words.iter().any(asks_for_reason),
        }
    }
}

/// The pairs of adjacent wordpieces of a query, of which at least one carries meaning.
pub(crate) struct Phrases {
    pairs: FxHashSet<[u16; 2]>,
    first: TokenSet,
}

impl Phrases {
    /// O(wordpieces of the query).
    pub(crate) fn of(query: &ParsedQuery) -> Self {
        let carries_meaning = |token: &u16| query.pieces.contains(token);
        let (mut pairs, mut first) = (FxHashSet::default(), TokenSet::default());
        for pair in query.tokens.windows(2).take(MAX_PAIRS) {
            if pair.iter().any(carries_meaning) {
                pairs.insert([pair[0], pair[1]]);
                first.insert(pair[0]);
            }
        }
        Self { pairs, first }
    }

    /// The share of the pairs that a text contains. O(tokens).
    pub(crate) fn share_in(&self, tokens: &[u16]) -> f32 {
        if self.pairs.is_empty() {
            return 0.0;
        }
        let mut found: Vec<[u16; 2]> = tokens
            .windows(2)
            .filter(|pair| self.first.contains(pair[0]))
            .map(|pair| [pair[0], pair[1]])
            .filter(|pair| self.pairs.contains(pair))
            .collect();
        found.sort_unstable();
        found.dedup();
        found.len() as f32 / self.pairs.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<u16> {
        let mut tokens = Vec::new();
        Vocabulary::get().table.tokens(text, &mut tokens);
        tokens
    }

    #[test]
    fn a_text_states_numbers_times_and_reasons() {
        let all = Statements::of(&tokens("We left on 12 June 2024 because it rained."));
        assert_eq!((all.numbers, all.time, all.reason), (2, true, true));
        let nothing = Statements::of(&tokens("A quiet evening."));
        assert_eq!(nothing, Statements::default());
    }
}
