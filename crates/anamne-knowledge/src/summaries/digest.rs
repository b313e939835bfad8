//! Reads a period's turns one by one, and chooses the sentences of its summary.

use anamne_embed::StaticModel;
use anamne_types::{MemoryId, Role, Row};
use jiff::Timestamp;

use super::choosing::{self, Candidate};
use super::turns::PreviousTurns;
use super::words::Weights;

/// Length limits of a summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Length as a share of the source, in characters.
    pub share: f64,
    /// Minimum budget, in characters.
    pub at_least: usize,
    /// Maximum budget, in characters.
    pub at_most: usize,
    /// Maximum number of sentences.
    pub sentences: usize,
}

impl Bounds {
    /// The budget for a source of `characters`, in characters.
    pub(crate) fn budget(&self, characters: usize) -> usize {
        let share = (characters as f64 * self.share) as usize;
        share.clamp(self.at_least, self.at_most.max(self.at_least))
    }
}

/// A text to summarise, with its source.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'text> {
    /// The memory.
    pub id: MemoryId,
    /// The memory's row.
    pub row: Row,
    /// The author; empty if unknown.
    pub author: &'text str,
    /// The author's role, for a message.
    pub role: Option<Role>,
    /// The text.
    pub text: &'text str,
    /// The time.
    pub at: Timestamp,
}

/// A sentence of a summary: verbatim from a memory, with `…` for omissions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SummarySentence {
    /// The text.
    pub text: String,
    /// The author; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Whether it is in the first person: `I`, `my`, `we`.
    pub own: bool,
    /// The source memory.
    pub memory: MemoryId,
    /// The memory's row, cited as `m12`.
    pub row: Row,
    /// When it was said.
    pub at: Timestamp,
    /// Its score; comparable within one summary.
    pub score: f32,
}

/// Maximum number of passages compared with each other; further ones are dropped by their value alone.
pub(crate) const MOST_COMPARED: usize = 1_000;

/// The turns read so far, as candidates for the summary.
///
/// Memory use is bounded for any number of turns. The result depends only on the turns and their order.
pub struct Digest<'model> {
    model: &'model StaticModel,
    weights: Weights<'model>,
    before: PreviousTurns,
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
            before: PreviousTurns::default(),
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

    /// Reads a sentence of another summary, which is chosen as a whole or not at all.
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

    /// Forgets the previous turns as context: another conversation begins.
    pub fn start_conversation(&mut self) {
        self.before = PreviousTurns::default();
    }

    /// Number of characters read so far.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Number of turns read so far.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// The sentences of a summary within these bounds, in the order of the turns.
    ///
    /// O(p²) cosines for the p passages compared, at most a thousand.
    pub fn sentences(self, bounds: &Bounds) -> Vec<SummarySentence> {
        let budget = bounds.budget(self.characters);
        self.sentences_within(bounds, budget)
    }

    /// The same from the `most` passages that say most for their length: for a caller who waits. Beyond a few hundred,
    /// comparing them costs more than reading them.
    pub fn sentences_among(self, bounds: &Bounds, most: usize) -> Vec<SummarySentence> {
        let budget = bounds.budget(self.characters);
        self.chosen(bounds, budget, most.min(MOST_COMPARED))
    }

    /// The same with a given budget of characters.
    pub(crate) fn sentences_within(self, bounds: &Bounds, budget: usize) -> Vec<SummarySentence> {
        self.chosen(bounds, budget, MOST_COMPARED)
    }

    fn chosen(mut self, bounds: &Bounds, budget: usize, most: usize) -> Vec<SummarySentence> {
        choosing::keep_best(&mut self.candidates, most);
        self.candidates
            .sort_by_key(|candidate| (candidate.turn, candidate.offset));
        choosing::choose(self.model, self.candidates, bounds.sentences, budget)
    }
}
