//! The sentences of a row, and whom they are about.

use std::sync::LazyLock;

use anamne_types::Row;

use super::summary::Reader;
use super::vocabulary::{TokenSet, Vocabulary};

/// Pronouns of the first and the second person.
const FIRST_PERSON: &str = "i me my mine myself we us our ours";
const SECOND_PERSON: &str = "you your yours yourself u";

/// Tokens that end a sentence.
const ENDS: &str = ". ! ?";

/// How many pronouns of each person a sentence has, and whether it is a question.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentenceStats {
    pub(crate) first_person: u32,
    pub(crate) second_person: u32,
    pub(crate) is_question: bool,
}

/// Token sets for splitting and classifying sentences.
struct SentenceTokens {
    first_person: TokenSet,
    second_person: TokenSet,
    ends: TokenSet,
    questions: TokenSet,
    /// The union of these.
    all: TokenSet,
}

static MARKS: LazyLock<SentenceTokens> = LazyLock::new(|| {
    let token_set = |words: &[&str]| {
        let words = words.iter().flat_map(|words| words.split(' '));
        Vocabulary::get().token_set(words)
    };
    SentenceTokens {
        first_person: token_set(&[FIRST_PERSON]),
        second_person: token_set(&[SECOND_PERSON]),
        ends: token_set(&[ENDS]),
        questions: token_set(&["?"]),
        all: token_set(&[FIRST_PERSON, SECOND_PERSON, ENDS]),
    }
});

impl Reader<'_> {
    /// Whether a row's text ends with a question mark. O(1).
    pub(crate) fn ends_with_question(&self, row: Row) -> bool {
        let last = self.tokens(row).last();
        last.is_some_and(|&token| MARKS.questions.contains(token))
    }

    /// Calls `take` for each sentence of a row, with its match of the query's wordpieces (as
    /// [`Summary::word_match`](super::Summary::word_match)). O(tokens of the row).
    pub(crate) fn each_sentence(&mut self, row: Row, mut take: impl FnMut(SentenceStats, f32)) {
        let marks = &*MARKS;
        let query = self.query;
        let most: f32 = query.piece_weights.iter().sum();
        let mut nearest = vec![0.0_f32; query.piece_weights.len()];
        let (mut sentence, mut has_begun) = (SentenceStats::default(), false);
        let mut end = |sentence: &mut SentenceStats, nearest: &mut [f32]| {
            let weighted = nearest.iter().zip(&query.piece_weights);
            let sum: f32 = weighted.map(|(near, weight)| near * weight).sum();
            take(*sentence, if most > 0.0 { sum / most } else { 0.0 });
            *sentence = SentenceStats::default();
            nearest.fill(0.0);
        };
        for &token in self.tokens(row) {
            has_begun = true;
            if query.matches.is_matched_by(token)
                && let Some(token_match) = query.matches.of(token)
            {
                for (piece, squared_cosine) in query.matches.matched_pieces(token_match) {
                    nearest[piece] = nearest[piece].max(squared_cosine);
                }
            }
            if marks.all.contains(token) {
                sentence.first_person += marks.first_person.bit(token);
                sentence.second_person += marks.second_person.bit(token);
                if marks.ends.contains(token) {
                    sentence.is_question = marks.questions.contains(token);
                    end(&mut sentence, &mut nearest);
                    has_begun = false;
                }
            }
        }
        if has_begun {
            end(&mut sentence, &mut nearest);
        }
    }
}
