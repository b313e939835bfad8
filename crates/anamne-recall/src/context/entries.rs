//! What may stand in a block, and what stands there.

use std::cell::OnceCell;
use std::rc::Rc;

use anamne_text::tokens::estimate_tokens;
use anamne_types::{Dispute, Memory};

use super::beside::Beside;
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
pub struct Candidate<'told> {
    /// The memory.
    pub memory: &'told Memory,
    /// The probability that it bears on the question; 0 where none was asked.
    pub confidence: f32,
    /// The memories that say otherwise.
    pub disputes: &'told [Dispute],
    /// What of it is shown, where that is not the whole.
    pub passage: Option<&'told str>,
    /// The place of its section.
    pub section: usize,
}

impl<'told> Candidate<'told> {
    /// What of it is shown where there is room.
    pub(super) fn shown(&self) -> &'told str {
        self.passage.unwrap_or(&self.memory.content)
    }
}

/// A memory that goes into the block.
pub(super) struct Entry<'told> {
    pub(super) candidate: Candidate<'told>,
    pub(super) marks: String,
    pub(super) shown: String,
    pub(super) shortened: bool,
    /// The question that it answers.
    pub(super) before: Option<Beside>,
    /// What speaks against it.
    pub(super) against: Vec<Beside>,
    /// Its text, where it was read for shortening.
    pub(super) long: Long<'told>,
}

/// A text, read when it is first shortened: candidates have several turns.
pub(super) type Long<'told> = Rc<OnceCell<LongText<'told>>>;

impl Entry<'_> {
    /// What its own lines cost at most.
    pub(super) fn cost(&self) -> usize {
        entry_cost(&self.marks, self.candidate.memory, &self.shown)
    }
}

/// What a memory costs that stands beside an entry.
pub(super) fn cost_of(beside: &Beside) -> usize {
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
