//! The sentences of a row, and of whom they speak.

use std::sync::LazyLock;

use anamne_types::Row;

use super::summary::Reader;
use super::vocabulary::{TokenSet, Vocabulary};

/// The words by which speakers mean themselves, and those whom they speak to.
const FIRST_PERSON: &str = "i me my mine myself we us our ours";
const SECOND_PERSON: &str = "you your yours yourself u";

/// The signs at which sentences end.
const ENDS: &str = ". ! ?";

/// How often a sentence speaks of its speaker and of its hearer, and whether it asks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sentence {
    pub(crate) first_person: u32,
    pub(crate) second_person: u32,
    pub(crate) is_question: bool,
}

/// The tokens that sentences are told apart and understood by.
struct Marks {
    first_person: TokenSet,
    second_person: TokenSet,
    ends: TokenSet,
    questions: TokenSet,
    /// Any of these.
    all: TokenSet,
}

static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let set_of = |words: &[&str]| {
        let words = words.iter().flat_map(|words| words.split(' '));
        Vocabulary::get().set_of(words)
    };
    Marks {
        first_person: set_of(&[FIRST_PERSON]),
        second_person: set_of(&[SECOND_PERSON]),
        ends: set_of(&[ENDS]),
        questions: set_of(&["?"]),
        all: set_of(&[FIRST_PERSON, SECOND_PERSON, ENDS]),
    }
});

impl Reader<'_> {
    /// Goes through the sentences of a row, each with how well it meets the question's pieces (as
    /// [`Summary::closeness`](super::Summary::closeness)). O(tokens of the row).
    pub(crate) fn each_sentence(&mut self, row: Row, mut take: impl FnMut(Sentence, f32)) {
        let marks = &*MARKS;
        let question = self.question;
        let most: f32 = question.piece_weights.iter().sum();
        let mut nearest = vec![0.0_f32; question.piece_weights.len()];
        let (mut sentence, mut has_begun) = (Sentence::default(), false);
        let mut end = |sentence: &mut Sentence, nearest: &mut [f32]| {
            let met = nearest.iter().zip(&question.piece_weights);
            let sum: f32 = met.map(|(near, weight)| near * weight).sum();
            take(*sentence, if most > 0.0 { sum / most } else { 0.0 });
            *sentence = Sentence::default();
            nearest.fill(0.0);
        };
        for &token in self.tokens(row) {
            has_begun = true;
            if question.meetings.is_met_by(token)
                && let Some(meeting) = question.meetings.of(token)
            {
                for (piece, closeness) in question.meetings.pieces_met(meeting) {
                    nearest[piece] = nearest[piece].max(closeness);
                }
            }
            if marks.all.contains(token) {
                sentence.first_person += marks.first_person.holds(token);
                sentence.second_person += marks.second_person.holds(token);
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
