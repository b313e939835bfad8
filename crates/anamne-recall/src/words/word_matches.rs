//! What the wordpieces of texts mean to one question.

use rustc_hash::FxHashMap;

use super::vocabulary::TokenSet;

/// Words of several pieces that are looked for at most, for each way in which they begin.
const MAX_SEQUENCES_PER_PREFIX: usize = 64;

/// What each token of a text means to a question.
#[derive(Default)]
pub(super) struct WordMatches {
    /// The tokens that mean something.
    known: TokenSet,
    /// What they mean.
    by_token: FxHashMap<u16, TokenMatch>,
    /// The pieces that they meet, in chains.
    piece_matches: Vec<PieceMatch>,
    /// Words of several pieces, by the first two.
    sequences: FxHashMap<[u16; 2], Vec<WordPieceSequence>>,
}

/// A word of several pieces.
#[derive(Clone, Debug)]
struct WordPieceSequence {
    /// The pieces after the first two.
    rest: Vec<u16>,
    /// The term that it is.
    term: usize,
    /// How often the question says it.
    occurrences: f32,
}

/// What a token of a text means to the question.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenMatch {
    /// The place, from 1, of the first piece of the question that it meets; 0 for none.
    first_match: u32,
    /// Terms of the question that it is.
    pub(super) terms: Vec<u16>,
    /// Whether it begins one of the sequences.
    pub(super) begins_sequence: bool,
}

/// A piece of the question that a token of a text meets.
#[derive(Clone, Copy, Debug, Default)]
struct PieceMatch {
    piece: u16,
    /// The square of the cosine.
    closeness: f32,
    /// The place of the token's next one, likewise.
    next: u32,
}

impl WordMatches {
    /// A token is a term of the question.
    pub(super) fn add_term(&mut self, token: u16, term: usize) {
        self.token_match_mut(token).terms.push(term as u16);
    }

    /// A token is as close to a piece of the question as this cosine.
    pub(super) fn add_piece(&mut self, token: u16, piece: usize, cosine: f32) {
        let place = self.piece_matches.len() as u32 + 1;
        let next = std::mem::replace(&mut self.token_match_mut(token).first_match, place);
        self.piece_matches.push(PieceMatch {
            piece: piece as u16,
            closeness: cosine * cosine,
            next,
        });
    }

    /// These pieces together are a term of the question, which says it once more.
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
        self.known.insert(token);
        self.by_token.entry(token).or_default()
    }

    /// Writes to `places` where the tokens stand that mean something to the question, and returns how many do.
    /// `places` is as long as `tokens`.
    #[inline]
    pub(super) fn positions(&self, tokens: &[u16], positions: &mut [u32]) -> usize {
        let mut found = 0;
        for (at, &token) in (0..).zip(tokens) {
            // Written at every token and kept at some: cheaper than a branch that is hard to foresee.
            positions[found] = at;
            found += self.known.holds(token) as usize;
        }
        found
    }

    /// What a token means to the question.
    #[inline]
    pub(super) fn of(&self, token: u16) -> Option<&TokenMatch> {
        self.by_token.get(&token)
    }

    /// Whether a token means anything to the question: far cheaper than to ask what.
    #[inline]
    pub(super) fn is_matched_by(&self, token: u16) -> bool {
        self.known.contains(token)
    }

    /// The pieces of the question that a token meets, with the squares of the cosines.
    #[inline]
    pub(super) fn matched_pieces(
        &self,
        token_match: &TokenMatch,
    ) -> impl Iterator<Item = (usize, f32)> {
        let mut next = token_match.first_match;
        std::iter::from_fn(move || {
            let piece_matches = *self.piece_matches.get(next.checked_sub(1)? as usize)?;
            next = piece_matches.next;
            Some((usize::from(piece_matches.piece), piece_matches.closeness))
        })
    }

    /// The terms of the words of several pieces that `tokens` begins with, and how often the question says each word.
    pub(super) fn sequences_at(&self, tokens: &[u16]) -> impl Iterator<Item = (usize, f32)> {
        let (with_prefix, behind) = match tokens {
            [first, second, behind @ ..] => (self.sequences.get(&[*first, *second]), behind),
            _ => (None, &[][..]),
        };
        let found = with_prefix
            .into_iter()
            .flatten()
            .filter(move |sequence| behind.starts_with(&sequence.rest));
        found.map(|sequence| (sequence.term, sequence.occurrences))
    }
}
