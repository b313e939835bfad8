//! Candidates and entries of a context block.

use std::cell::OnceCell;
use std::rc::Rc;

use anamne_text::tokens::estimate_tokens;
use anamne_types::{Dispute, Memory, MemoryId};

use super::companions::Companion;
use super::lines::{speaker, write_entry};
use super::passages::LongText;

/// A section of a context block.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its heading.
    pub heading: &'static str,
    /// Token budget of its entries in the first round.
    pub most: usize,
}

/// A memory that may be included in a context block.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'memory> {
    /// The memory.
    pub memory: &'memory Memory,
    /// The probability that it is relevant; 0 without a query.
    pub confidence: f32,
    /// The memories that contradict it.
    pub disputes: &'memory [Dispute],
    /// The passage to show instead of the whole.
    pub passage: Option<&'memory str>,
    /// The index of its section.
    pub section: usize,
}

impl<'memory> Candidate<'memory> {
    /// The text to show if there is room.
    pub(super) fn shown(&self) -> &'memory str {
        self.passage.unwrap_or(&self.memory.content)
    }
}

/// A memory that is included in the block.
pub(super) struct BlockEntry<'memory> {
    pub(super) candidate: Candidate<'memory>,
    pub(super) marks: String,
    pub(super) shown: String,
    pub(super) shortened: bool,
    /// The question that it answers.
    pub(super) question: Option<Companion>,
    /// The memories that contradict it.
    pub(super) conflicting: Vec<Companion>,
    /// The token cost of its whole text.
    pub(super) tokens: usize,
    /// Its parsed text, if it was parsed for shortening.
    pub(super) long: LazyText<'memory>,
}

/// A text that is parsed when it is first shortened; a candidate may be tried several times.
pub(super) type LazyText<'memory> = Rc<OnceCell<LongText<'memory>>>;

impl BlockEntry<'_> {
    /// Whether a memory is shown here, as the entry itself or as one that contradicts it.
    pub(super) fn shows(&self, id: MemoryId) -> bool {
        let mut conflicting = self.conflicting.iter();
        self.candidate.memory.id == id || conflicting.any(|other| other.memory.id == id)
    }

    /// The maximum token cost of its own lines.
    pub(super) fn cost(&self) -> usize {
        entry_cost(&self.marks, self.candidate.memory, &self.shown)
    }
}

/// The token cost of a companion.
pub(super) fn companion_cost(companion: &Companion) -> usize {
    entry_cost(&companion.marks, &companion.memory, &companion.shown)
}

/// The maximum token cost of a memory's lines.
pub(super) fn entry_cost(marks: &str, memory: &Memory, shown: &str) -> usize {
    let mut line = String::new();
    write_entry(
        &mut line,
        marks,
        speaker(memory).as_deref().or(Some("unknown")),
        shown,
    );
    estimate_tokens(&line)
}
