//! What may stand in a block, and what stands there.

use std::cell::OnceCell;
use std::rc::Rc;

use anamne_text::tokens::estimate_tokens;
use anamne_types::{Dispute, Memory};

use super::companions::Companion;
use super::lines::{speaker, write_entry};
use super::passages::LongText;

/// A part of a block under a heading of its own, where the block has several.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The heading.
    pub heading: &'static str,
    /// Tokens that its entries may cost before the other sections had their turn.
    pub most: usize,
}

/// A memory that may stand in a block.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'memory> {
    /// The memory.
    pub memory: &'memory Memory,
    /// The probability that it bears on the question; 0 where none was asked.
    pub confidence: f32,
    /// The memories that say otherwise.
    pub disputes: &'memory [Dispute],
    /// What of it is shown, where that is not the whole.
    pub passage: Option<&'memory str>,
    /// The place of its section.
    pub section: usize,
}

impl<'memory> Candidate<'memory> {
    /// What of it is shown where there is room.
    pub(super) fn shown(&self) -> &'memory str {
        self.passage.unwrap_or(&self.memory.content)
    }
}

/// A memory that goes into the block.
pub(super) struct BlockEntry<'memory> {
    pub(super) candidate: Candidate<'memory>,
    pub(super) marks: String,
    pub(super) shown: String,
    pub(super) shortened: bool,
    /// The question that it answers.
    pub(super) question: Option<Companion>,
    /// What speaks against it.
    pub(super) conflicting: Vec<Companion>,
    /// Its text, where it was read for shortening.
    pub(super) long: Long<'memory>,
}

/// A text, read when it is first shortened: candidates have several turns.
pub(super) type Long<'memory> = Rc<OnceCell<LongText<'memory>>>;

impl BlockEntry<'_> {
    /// What its own lines cost at most.
    pub(super) fn cost(&self) -> usize {
        entry_cost(&self.marks, self.candidate.memory, &self.shown)
    }
}

/// What a memory costs that stands beside an entry.
pub(super) fn companion_cost(beside: &Companion) -> usize {
    entry_cost(&beside.marks, &beside.memory, &beside.shown)
}

/// What the lines of a memory cost at most.
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
