//! Spends the token budget: best candidates first, long ones shortened, no duplicates, leftover budget for longer
//! passages.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use anamne_text::normal::content_hash;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{MemoryId, OmittedMemory};

use super::companions::CompanionSource;
use super::entries::{BlockEntry, Candidate, LazyText, companion_cost, entry_cost};
use super::layout::Layout;
use super::lines::{heading, marks_against, marks_before};
use super::passages::{LongText, PassageQuery};
use crate::error::RecallError;

/// The minimum tokens of a shortened entry.
const SHORTEST_ENTRY: usize = 16;

/// The minimum tokens of any entry: a citation, a name and a word or two.
const SMALLEST_ENTRY: usize = 8;

/// Rounds of recounting and spending the leftover budget.
const ROUNDS: usize = 3;

/// A block being packed.
pub(super) struct Packing<'packing, 'memory> {
    companions: &'packing CompanionSource<'packing>,
    layout: &'packing Layout<'packing>,
    passage_query: &'packing PassageQuery<'packing>,
    budget: usize,
    remaining: usize,
    /// Maximum tokens of one entry's text while other candidates are pending.
    share: usize,
    entries: Vec<BlockEntry<'memory>>,
    /// The hashes of the words of the entries' texts.
    texts: BTreeSet<[u8; 16]>,
    left_out: Vec<OmittedMemory>,
    /// The days and threads that have entries, by section.
    headings: BTreeSet<HeadingKey<'memory>>,
    sections: BTreeSet<usize>,
}

/// A section, a heading in it, and the thread below.
type HeadingKey<'memory> = (usize, String, Option<&'memory str>);

/// A candidate that has not been added yet. It is tried once per round, so what it costs is computed once.
struct PendingCandidate<'memory> {
    candidate: Candidate<'memory>,
    /// The token cost of its text.
    tokens: usize,
    frame: OnceCell<Frame<'memory>>,
    long: LazyText<'memory>,
}

/// What is written around a candidate's text.
struct Frame<'memory> {
    marks: String,
    /// The token cost of its lines without text.
    tokens: usize,
    heading: HeadingKey<'memory>,
    heading_tokens: usize,
}

impl<'memory> PendingCandidate<'memory> {
    fn new(candidate: &Candidate<'memory>) -> Self {
        Self {
            candidate: *candidate,
            tokens: estimate_tokens(candidate.shown()),
            frame: OnceCell::new(),
            long: Rc::default(),
        }
    }

    fn frame(&self, layout: &Layout<'_>) -> &Frame<'memory> {
        self.frame.get_or_init(|| {
            let memory = self.candidate.memory;
            let (marks, heading) = (layout.marks(&self.candidate), heading(memory, &layout.zone));
            Frame {
                tokens: entry_cost(&marks, memory, ""),
                marks,
                heading_tokens: estimate_tokens(&heading) + 3,
                heading: (self.candidate.section, heading, memory.thread.as_deref()),
            }
        })
    }
}

impl<'packing, 'memory> Packing<'packing, 'memory> {
    pub(super) fn new(
        companions: &'packing CompanionSource<'packing>,
        layout: &'packing Layout<'packing>,
        passage_query: &'packing PassageQuery<'packing>,
        budget: usize,
        share: usize,
    ) -> Self {
        Self {
            companions,
            layout,
            passage_query,
            budget,
            remaining: budget.saturating_sub(estimate_tokens(&layout.preamble())),
            share,
            entries: Vec::new(),
            texts: BTreeSet::new(),
            left_out: Vec::new(),
            headings: BTreeSet::new(),
            sections: BTreeSet::new(),
        }
    }

    /// Adds what fits, in the order of `candidates`: first each section within its budget, then whatever fits.
    pub(super) fn add_all(&mut self, candidates: &[Candidate<'memory>]) -> Result<(), RecallError> {
        let mut pending = Vec::new();
        for candidate in candidates.iter().map(PendingCandidate::new) {
            if !self.try_add(&candidate, self.layout.most(candidate.candidate.section))? {
                pending.push(candidate);
            }
        }
        for _ in 0..ROUNDS {
            // The whole costs less than the sum of the estimates.
            self.recount();
            let before = self.remaining;
            let mut still_pending = Vec::new();
            for candidate in pending {
                if !self.try_add(&candidate, usize::MAX)? {
                    still_pending.push(candidate);
                }
            }
            pending = still_pending;
            self.lengthen();
            if self.remaining == before {
                break;
            }
        }
        self.recount();
        for candidate in &pending {
            self.leave_out(candidate, OmittedMemory::OVER_BUDGET);
        }
        let is_included = |id| self.entries.iter().any(|entry| entry.shows(id));
        self.left_out.retain(|left| !is_included(left.id));
        let rank = |id| candidates.iter().position(|one| one.memory.id == id);
        self.left_out.sort_by_key(|left| rank(left.id));
        self.left_out.dedup_by_key(|left| left.id);
        Ok(())
    }

    /// Recounts the remaining budget from the written block. A day heading that occurs twice, before and after a
    /// thread, was counted once: if that exceeds the budget the last entries are removed.
    fn recount(&mut self) {
        loop {
            let (block, _) = self.layout.write(&self.entries);
            let spent = estimate_tokens(&block);
            if spent <= self.budget || self.entries.is_empty() {
                self.remaining = self.budget.saturating_sub(spent);
                return;
            }
            if let Some(last) = self.entries.pop() {
                self.leave_out(
                    &PendingCandidate::new(&last.candidate),
                    OmittedMemory::OVER_BUDGET,
                );
            }
        }
    }

    /// The added entries, and the candidates left out, best first.
    pub(super) fn finish(self) -> (Vec<BlockEntry<'memory>>, Vec<OmittedMemory>) {
        (self.entries, self.left_out)
    }

    /// Adds a candidate if it fits; returns true also for a duplicate, which is dropped for good.
    fn try_add(
        &mut self,
        pending: &PendingCandidate<'memory>,
        most: usize,
    ) -> Result<bool, RecallError> {
        let candidate = &pending.candidate;
        if self.remaining < SMALLEST_ENTRY {
            return Ok(false);
        }
        let is_included = |entry: &BlockEntry<'_>| {
            entry.candidate.memory.id == candidate.memory.id
                && (candidate.passage.is_none() || entry.candidate.passage.is_none())
        };
        if self.entries.iter().any(is_included) {
            return Ok(true);
        }
        let lines = pending.frame(self.layout);
        let mut frame = 0;
        if !self.sections.contains(&candidate.section) {
            frame += self.layout.section_cost(candidate.section);
        }
        if !self.headings.contains(&lines.heading) {
            frame += lines.heading_tokens;
        }
        let spent = self.spent_in(candidate.section, most);
        let room = self
            .remaining
            .min(most.saturating_sub(spent))
            .saturating_sub(frame);
        let Some((mut entry, mut cost)) = self.fit(pending, room) else {
            return Ok(false);
        };
        let words = hash_of_words(candidate.shown());
        if self.texts.contains(&words) {
            self.leave_out(pending, OmittedMemory::DUPLICATE);
            return Ok(true);
        }
        cost += self.add_companions(&mut entry, room - cost)?;
        self.remaining -= cost + frame;
        self.headings.insert(lines.heading.clone());
        self.sections.insert(candidate.section);
        self.texts.insert(words);
        self.drop_companions(candidate.memory.id);
        self.entries.push(entry);
        Ok(true)
    }

    /// The token cost of a section's entries so far; 0 for a section without a budget.
    fn spent_in(&self, section: usize, most: usize) -> usize {
        if most == usize::MAX {
            return 0;
        }
        let of_section = self
            .entries
            .iter()
            .filter(|entry| entry.candidate.section == section);
        of_section.map(BlockEntry::cost).sum()
    }

    /// The entry as it fits into `room` tokens, with its cost.
    fn fit(
        &self,
        pending: &PendingCandidate<'memory>,
        room: usize,
    ) -> Option<(BlockEntry<'memory>, usize)> {
        let candidate = &pending.candidate;
        let (whole, text) = (candidate.shown(), pending.tokens);
        if room < SMALLEST_ENTRY {
            return None;
        }
        let lines = pending.frame(self.layout);
        let frame = lines.tokens;
        let mut entry = BlockEntry {
            candidate: *candidate,
            marks: String::new(),
            shown: String::new(),
            shortened: candidate.passage.is_some(),
            question: None,
            conflicting: Vec::new(),
            tokens: text,
            long: pending.long.clone(),
        };
        let wanted = if stays_whole(text, self.share) {
            text
        } else {
            self.share
        };
        if wanted >= text && frame + text < room {
            whole.clone_into(&mut entry.shown);
        } else {
            let room = room
                .checked_sub(frame + 1)
                .filter(|room| *room >= SHORTEST_ENTRY)?;
            let long = pending
                .long
                .get_or_init(|| LongText::read(whole, self.passage_query));
            entry.shown = long.passage(self.passage_query, room.min(wanted.max(SHORTEST_ENTRY)))?;
            entry.shortened = true;
        }
        entry.marks.clone_from(&lines.marks);
        let cost = entry.cost();
        (cost <= room).then_some((entry, cost))
    }

    /// Adds companions that fit; returns their cost.
    fn add_companions(
        &self,
        entry: &mut BlockEntry<'memory>,
        room: usize,
    ) -> Result<usize, RecallError> {
        let memory = entry.candidate.memory;
        let mut cost = 0;
        let is_shown = |id: MemoryId| self.entries.iter().any(|entry| entry.shows(id));
        if let Some(mut question) = self.companions.question_before(memory)?
            && !is_shown(question.memory.id)
        {
            let origin = self.layout.origin_mark(&question.origin);
            question.marks = marks_before(&question.memory, self.layout.space_mark(), &origin);
            question.tokens = companion_cost(&question);
            if question.tokens <= room {
                cost += question.tokens;
                entry.question = Some(question);
            }
        }
        let conflicting =
            self.companions
                .conflicting(memory, entry.candidate.disputes, is_shown)?;
        for mut other in conflicting {
            let origin = self.layout.origin_mark(&other.origin);
            other.marks = marks_against(
                &other.memory,
                self.layout.space_mark(),
                &origin,
                memory,
                &self.layout.zone,
            );
            other.tokens = companion_cost(&other);
            if cost + other.tokens <= room {
                cost += other.tokens;
                entry.conflicting.push(other);
            }
        }
        Ok(cost)
    }

    /// Removes a memory from the companions once it has an entry of its own.
    fn drop_companions(&mut self, id: MemoryId) {
        for entry in &mut self.entries {
            if let Some(question) = entry.question.take_if(|question| question.memory.id == id) {
                self.remaining += question.tokens;
            }
            for conflicting in entry
                .conflicting
                .extract_if(.., |conflicting| conflicting.memory.id == id)
            {
                self.remaining += conflicting.tokens;
            }
        }
    }

    /// Lengthens shortened entries, first ones first, while there is budget.
    fn lengthen(&mut self) {
        for entry in &mut self.entries {
            if self.remaining < SHORTEST_ENTRY {
                return;
            }
            if !entry.shortened || entry.candidate.passage.is_some() {
                continue;
            }
            let whole = &entry.candidate.memory.content;
            let known = estimate_tokens(&entry.shown);
            let (longer, shortened) = if entry.tokens <= known + self.remaining {
                (Some(whole.clone()), false)
            } else {
                let long = entry
                    .long
                    .get_or_init(|| LongText::read(whole, self.passage_query));
                (
                    long.passage(self.passage_query, known + self.remaining),
                    true,
                )
            };
            let Some(longer) = longer else { continue };
            let before = entry.cost();
            let shown = std::mem::replace(&mut entry.shown, longer);
            let grown = entry.cost().saturating_sub(before);
            if grown > self.remaining || entry.cost() <= before {
                entry.shown = shown;
                continue;
            }
            entry.shortened = shortened;
            self.remaining -= grown;
        }
    }

    fn leave_out(&mut self, pending: &PendingCandidate<'_>, reason: &str) {
        self.left_out.push(OmittedMemory {
            id: pending.candidate.memory.id,
            reason: reason.to_owned(),
            tokens: pending.frame(self.layout).tokens + pending.tokens,
        });
    }
}

/// The same for a prompt.
pub(super) const PROMPT_SHARE: usize = 32;

/// Maximum tokens of one entry's text while others are pending: messages stay whole, pages do not.
pub(super) fn share(budget: usize) -> usize {
    (budget / 8).max(96)
}

/// Whether a text of so many tokens is shown whole: cutting a small part is not worth a truncated text.
pub(super) fn stays_whole(tokens: usize, share: usize) -> bool {
    tokens * 2 <= share * 3
}

/// The hash of the words of a text, whatever their case and the marks around them.
fn hash_of_words(text: &str) -> [u8; 16] {
    let is_mark = |letter: char| matches!(letter, '.' | ',' | ';' | ':' | '!' | '"');
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        // A point before a number is part of it.
        let word = word.trim_end_matches(is_mark).trim_start_matches('"');
        if !word.is_empty() {
            words.extend(word.chars().flat_map(char::to_lowercase));
            words.push(' ');
        }
    }
    content_hash(&words)
}
