//! What the wordpieces of texts mean to one question.

use rustc_hash::FxHashMap;

use super::vocabulary::TokenSet;

/// Words of several pieces that are looked for at most, for each way in which they begin.
const MOST_ALIKE: usize = 64;

/// What each token of a text means to a question.
#[derive(Default)]
pub(super) struct Meetings {
    /// The tokens that mean something.
    known: TokenSet,
    /// What they mean.
    by_token: FxHashMap<u16, Meeting>,
    /// The pieces that they meet, in chains.
    met: Vec<MetPiece>,
    /// Words of several pieces, by the first two.
    sequences: FxHashMap<[u16; 2], Vec<Sequence>>,
}

/// A word of several pieces.
#[derive(Clone, Debug)]
struct Sequence {
    /// The pieces after the first two.
    rest: Vec<u16>,
    /// The term that it is.
    term: usize,
    /// How often the question says it.
    occurrences: f32,
}

/// What a token of a text means to the question.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    /// The place, from 1, of the first piece of the question that it meets; 0 for none.
    first_met: u32,
    /// Terms of the question that it is.
    pub(super) terms: Vec<u16>,
    /// Whether it begins one of the sequences.
    pub(super) begins_sequence: bool,
}

/// A piece of the question that a token of a text meets.
#[derive(Clone, Copy, Debug, Default)]
struct MetPiece {
    piece: u16,
    /// The square of the cosine.
    closeness: f32,
    /// The place of the token's next one, likewise.
    next: u32,
}

impl Meetings {
    /// A token is a term of the question.
    pub(super) fn add_term(&mut self, token: u16, term: usize) {
        self.meeting_mut(token).terms.push(term as u16);
    }

    /// A token is as close to a piece of the question as this cosine.
    pub(super) fn add_piece(&mut self, token: u16, piece: usize, cosine: f32) {
        let place = self.met.len() as u32 + 1;
        let next = std::mem::replace(&mut self.meeting_mut(token).first_met, place);
        self.met.push(MetPiece {
            piece: piece as u16,
            closeness: cosine * cosine,
            next,
        });
    }

    /// These pieces together are a term of the question, which says it once more.
    pub(super) fn add_sequence(&mut self, first: [u16; 2], rest: &[u16], term: usize) {
        self.meeting_mut(first[0]).begins_sequence = true;
        let alike = self.sequences.entry(first).or_default();
        let known = alike
            .iter_mut()
            .find(|known| known.term == term && known.rest == rest);
        if let Some(known) = known {
            known.occurrences += 1.0;
        } else if alike.len() < MOST_ALIKE {
            alike.push(Sequence {
                rest: rest.to_vec(),
                term,
                occurrences: 1.0,
            });
        }
    }

    fn meeting_mut(&mut self, token: u16) -> &mut Meeting {
        self.known.insert(token);
        self.by_token.entry(token).or_default()
    }

    /// Writes to `places` where the tokens stand that mean something to the question, and returns how many do.
    /// `places` is as long as `tokens`.
    #[inline]
    pub(super) fn places(&self, tokens: &[u16], places: &mut [u32]) -> usize {
        let mut found = 0;
        for (at, &token) in (0..).zip(tokens) {
            // Written at every token and kept at some: cheaper than a branch that is hard to foresee.
            places[found] = at;
            found += self.known.holds(token) as usize;
        }
        found
    }

    /// What a token means to the question.
    #[inline]
    pub(super) fn of(&self, token: u16) -> Option<&Meeting> {
        self.by_token.get(&token)
    }

    /// Whether a token means anything to the question: far cheaper than to ask what.
    #[inline]
    pub(super) fn is_met_by(&self, token: u16) -> bool {
        self.known.contains(token)
    }

    /// The pieces of the question that a token meets, with the squares of the cosines.
    #[inline]
    pub(super) fn pieces_met(&self, meeting: &Meeting) -> impl Iterator<Item = (usize, f32)> {
        let mut next = meeting.first_met;
        std::iter::from_fn(move || {
            let met = *self.met.get(next.checked_sub(1)? as usize)?;
            next = met.next;
            Some((usize::from(met.piece), met.closeness))
        })
    }

    /// The terms of the words of several pieces that `tokens` begins with, and how often the question says each word.
    pub(super) fn sequences_at(&self, tokens: &[u16]) -> impl Iterator<Item = (usize, f32)> {
        let (alike, behind) = match tokens {
            [first, second, behind @ ..] => (self.sequences.get(&[*first, *second]), behind),
            _ => (None, &[][..]),
        };
        let found = alike
            .into_iter()
            .flatten()
            .filter(move |sequence| behind.starts_with(&sequence.rest));
        found.map(|sequence| (sequence.term, sequence.occurrences))
    }
}
