//! Reading a period's turns one by one, and choosing from them what its summary says.

use anamne_embed::StaticModel;
use anamne_types::{MemoryId, Role, Row};
use jiff::Timestamp;

use super::choosing::{self, Candidate};
use super::turns::Before;
use super::words::Weights;

/// How long a summary may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its share of the characters of what it digests.
    pub share: f64,
    /// However little there is, it may have so many characters.
    pub at_least: usize,
    /// However much there is, it has at most so many characters.
    pub at_most: usize,
    /// It has at most so many sentences.
    pub sentences: usize,
}

impl Bounds {
    /// The characters that a digest of a text of `characters` may have.
    pub(crate) fn budget(&self, characters: usize) -> usize {
        let share = (characters as f64 * self.share) as usize;
        share.clamp(self.at_least, self.at_most.max(self.at_least))
    }
}

/// Something said, as a summary reads it.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'text> {
    /// The memory that says it.
    pub id: MemoryId,
    /// The memory's row.
    pub row: Row,
    /// Who said it; empty when not known.
    pub author: &'text str,
    /// The role of who said it, where it is a message.
    pub role: Option<Role>,
    /// What was said.
    pub text: &'text str,
    /// When that was.
    pub at: Timestamp,
}

/// A sentence of a summary: word for word what a memory says, with `…` where something was left out.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SummarySentence {
    /// What is said.
    pub text: String,
    /// Who said it; empty when not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Whether it speaks of the author: `I`, `my`, `we`.
    pub own: bool,
    /// The memory that says it.
    pub memory: MemoryId,
    /// The memory's row, by which it is cited: `m12`.
    pub row: Row,
    /// When it was said.
    pub at: Timestamp,
    /// How much spoke for it; comparable inside one summary.
    pub score: f32,
}

/// Passages are weighed against each other among so many at most; the others are left out by what speaks for each alone.
pub(crate) const MOST_COMPARED: usize = 1_000;

/// Turns read so far, and what of them may stand in the summary.
///
/// Memory is bounded however many turns there are. The result depends on the turns and their order alone.
pub struct Digest<'model> {
    model: &'model StaticModel,
    weights: Weights<'model>,
    before: Before,
    candidates: Vec<Candidate>,
    characters: usize,
    turns: usize,
}

impl Digest<'static> {
    /// A digest with the built-in model.
    pub fn new() -> Self {
        let model = StaticModel::builtin();
        Self {
            model,
            weights: Weights::builtin(),
            before: Before::default(),
            candidates: Vec::new(),
            characters: 0,
            turns: 0,
        }
    }
}

impl Default for Digest<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest<'_> {
    /// Reads the next turn. Linear in its text.
    pub fn read(&mut self, turn: &Turn<'_>) {
        let read = self.before.read(turn, &mut self.weights);
        self.characters += turn.text.chars().count();
        let order = self.turns;
        self.turns += 1;
        for passage in read.passages {
            self.candidates
                .push(Candidate::of(turn, order, read.worth, passage));
        }
        if self.candidates.len() >= 4 * MOST_COMPARED {
            choosing::keep_best(&mut self.candidates, MOST_COMPARED);
        }
    }

    /// Reads a sentence of another summary, which is taken whole or not at all.
    pub(crate) fn read_sentence(&mut self, sentence: SummarySentence) {
        let words = self.weights.words(&sentence.text);
        let order = self.turns;
        self.turns += 1;
        self.characters += sentence.text.chars().count();
        self.candidates
            .push(Candidate::again(sentence, order, &words));
        if self.candidates.len() >= 4 * MOST_COMPARED {
            choosing::keep_best(&mut self.candidates, MOST_COMPARED);
        }
    }

    /// What the next turn says is seen by itself: another conversation begins.
    pub fn turn_away(&mut self) {
        self.before = Before::default();
    }

    /// The characters read so far.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// The turns read so far.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// What a summary within these bounds says, in the order in which it was said.
    ///
    /// O(p²) cosines for the p passages compared, at most a thousand.
    pub fn sentences(self, bounds: &Bounds) -> Vec<SummarySentence> {
        let budget = bounds.budget(self.characters);
        self.sentences_within(bounds, budget)
    }

    /// The same with a budget of characters that is passed in.
    pub(crate) fn sentences_within(
        mut self,
        bounds: &Bounds,
        budget: usize,
    ) -> Vec<SummarySentence> {
        choosing::keep_best(&mut self.candidates, MOST_COMPARED);
        self.candidates
            .sort_by_key(|candidate| (candidate.turn, candidate.offset));
        choosing::choose(self.model, self.candidates, bounds.sentences, budget)
    }
}
