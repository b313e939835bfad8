//! How the wordpieces of texts match a query.

use rustc_hash::FxHashMap;

use super::vocabulary::TokenSet;

/// Maximum words of several pieces per first two pieces.
const MAX_SEQUENCES_PER_PREFIX: usize = 64;

/// How each token of a text matches a query.
#[derive(Default)]
pub(super) struct WordMatches {
    /// The tokens that match.
    matching_tokens: TokenSet,
    /// How they match.
    by_token: FxHashMap<u16, TokenMatch>,
    /// The wordpieces that they match, as linked lists.
    piece_matches: Vec<PieceMatch>,
    /// Words of several pieces, by their first two.
    sequences: FxHashMap<[u16; 2], Vec<WordPieceSequence>>,
}

/// A word of several pieces.
#[derive(Clone, Debug)]
struct WordPieceSequence {
    /// The pieces after the first two.
    rest: Vec<u16>,
    /// Its term.
    term: usize,
    /// How often the query contains it.
    occurrences: f32,
}

/// How a token of a text matches the query.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenMatch {
    /// The 1-based index of its first wordpiece match; 0 for none.
    first_match: u32,
    /// The query terms that it stands for.
    pub(super) terms: Vec<u16>,
    /// Whether a word of several pieces starts with it.
    pub(super) begins_sequence: bool,
}

/// A wordpiece of the query that a token matches.
#[derive(Clone, Copy, Debug, Default)]
struct PieceMatch {
    piece: u16,
    /// The squared cosine.
    squared_cosine: f32,
    /// The 1-based index of the token's next match; 0 for none.
    next: u32,
}

impl WordMatches {
    /// Adds a term that a token stands for.
    pub(super) fn add_term(&mut self, token: u16, term: usize) {
        self.token_match_mut(token).terms.push(term as u16);
    }

    /// Adds the cosine of a token to a wordpiece of the query.
    pub(super) fn add_piece(&mut self, token: u16, piece: usize, cosine: f32) {
        let number = self.piece_matches.len() as u32 + 1;
        let next = std::mem::replace(&mut self.token_match_mut(token).first_match, number);
        self.piece_matches.push(PieceMatch {
            piece: piece as u16,
            squared_cosine: cosine * cosine,
            next,
        });
    }

    /// Adds an occurrence of a query term that consists of these pieces.
    pub(super) fn add_sequence(&mut self, first: [u16; 2], rest: &[u16], term: usize) {
        self.token_match_mut(first[0]).begins_sequence = true;
        let with_prefix = self.sequences.entry(first).or_default();
        let known = with_prefix
            .iter_mut()
            .find(|known| known.term == term && known.rest == rest);
        if let Some(known) = known {
            known.occurrences += 1.0;
        } else if with_prefix.len() < MAX_SEQUENCES_PER_PREFIX {
            with_prefix.push(WordPieceSequence {
                rest: rest.to_vec(),
                term,
                occurrences: 1.0,
            });
        }
    }

    fn token_match_mut(&mut self, token: u16) -> &mut TokenMatch {
        self.matching_tokens.insert(token);
        self.by_token.entry(token).or_default()
    }

    /// Writes the positions of matching tokens to `positions`, which is as long as `tokens`, and returns their number.
    #[inline]
    pub(super) fn positions(&self, tokens: &[u16], positions: &mut [u32]) -> usize {
        let mut found = 0;
        for (at, &token) in (0..).zip(tokens) {
            // Written for every token and kept for some: cheaper than an unpredictable branch.
            positions[found] = at;
            found += self.matching_tokens.bit(token) as usize;
        }
        found
    }

    /// How a token matches the query.
    #[inline]
    pub(super) fn of(&self, token: u16) -> Option<&TokenMatch> {
        self.by_token.get(&token)
    }

    /// Whether a token matches at all: much cheaper than [`Self::of`].
    #[inline]
    pub(super) fn is_matched_by(&self, token: u16) -> bool {
        self.matching_tokens.contains(token)
    }

    /// The query's wordpieces that a token matches, with squared cosines.
    #[inline]
    pub(super) fn matched_pieces(
        &self,
        token_match: &TokenMatch,
    ) -> impl Iterator<Item = (usize, f32)> {
        let mut next = token_match.first_match;
        std::iter::from_fn(move || {
            let found = *self.piece_matches.get(next.checked_sub(1)? as usize)?;
            next = found.next;
            Some((usize::from(found.piece), found.squared_cosine))
        })
    }

    /// The terms of the words of several pieces that `tokens` starts with, and how often the query contains each.
    pub(super) fn sequences_at(&self, tokens: &[u16]) -> impl Iterator<Item = (usize, f32)> {
        let (with_prefix, rest) = match tokens {
            [first, second, rest @ ..] => (self.sequences.get(&[*first, *second]), rest),
            _ => (None, &[][..]),
        };
        let found = with_prefix
            .into_iter()
            .flatten()
            .filter(move |sequence| rest.starts_with(&sequence.rest));
        found.map(|sequence| (sequence.term, sequence.occurrences))
    }
}
