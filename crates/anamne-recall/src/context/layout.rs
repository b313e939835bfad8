//! Reading order: sections, in them threads by their first entry's time, in them entries by their place.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::SpaceSource;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{ContextEntry, Memory, MemoryId};

use super::companions::Companion;
use super::entries::{BlockEntry, Candidate, Section};
use super::lines::{heading, marks, origin_mark, preamble, speaker, write_entry};
use crate::error::RecallError;

/// How entries are put in order and written.
pub(super) struct Layout<'memory> {
    sections: &'memory [Section],
    has_headings: bool,
    /// How successors of superseded candidates are cited.
    citations: BTreeMap<MemoryId, String>,
    /// Where the candidates come from, as far as they are not a person's words.
    origins: BTreeMap<MemoryId, String>,
    /// The origin that most candidates have, which is said once.
    common_origin: String,
}

/// From so many candidates of one origin on it is said once instead of with each of them.
const MIN_SHARED_ORIGIN: usize = 4;

impl<'memory> Layout<'memory> {
    /// A block whose sections have headings only where there is more than one of them.
    pub(super) fn of_several(
        source: &SpaceSource,
        sections: &'memory [Section],
        candidates: &[Candidate<'_>],
    ) -> Result<Self, RecallError> {
        let mut layout = Self::headed(source, sections, candidates)?;
        let first = candidates.first().map(|candidate| candidate.section);
        layout.has_headings = candidates
            .iter()
            .any(|candidate| Some(candidate.section) != first);
        Ok(layout)
    }

    /// A block whose sections all have headings.
    pub(super) fn headed(
        source: &SpaceSource,
        sections: &'memory [Section],
        candidates: &[Candidate<'_>],
    ) -> Result<Self, RecallError> {
        let wanted: BTreeSet<MemoryId> = candidates
            .iter()
            .filter_map(|candidate| candidate.memory.superseded_by)
            .collect();
        let citations = candidates
            .iter()
            .filter(|candidate| wanted.contains(&candidate.memory.id))
            .map(|candidate| (candidate.memory.id, candidate.memory.citation()))
            .collect();
        let memories: Vec<&Memory> = candidates.iter().map(|one| one.memory).collect();
        // By id, since a memory may stand for several sections.
        let origins: BTreeMap<MemoryId, String> = source
            .provenance(&memories)?
            .iter()
            .zip(memories)
            .map(|(provenance, memory)| (memory.id, provenance.describe(memory)))
            .collect();
        Ok(Self {
            sections,
            has_headings: true,
            citations,
            common_origin: most_common(&origins),
            origins,
        })
    }

    /// What stands above the block.
    pub(super) fn preamble(&self) -> String {
        preamble(&self.common_origin)
    }

    /// The mark of an origin that is not the usual one.
    pub(super) fn origin_mark(&self, origin: &str) -> String {
        origin_mark(origin, &self.common_origin)
    }

    /// Tokens that a section's entries may cost before the other sections had their turn.
    pub(super) fn most(&self, section: usize) -> usize {
        self.sections
            .get(section)
            .map_or(usize::MAX, |section| section.most)
    }

    /// What the heading of a section costs.
    pub(super) fn section_cost(&self, section: usize) -> usize {
        match self.sections.get(section) {
            Some(section) if self.has_headings => estimate_tokens(section.heading) + 4,
            _ => 0,
        }
    }

    /// The citation of an entry and what is said about it.
    pub(super) fn marks(&self, candidate: &Candidate<'_>) -> String {
        let marks = marks(candidate.memory, candidate.disputes, |later| {
            self.citations.get(&later).cloned()
        });
        let origin = self.origins.get(&candidate.memory.id);
        marks + &self.origin_mark(origin.map_or("", String::as_str))
    }

    /// The block, and what each entry costs in it, in reading order.
    pub(super) fn write(&self, entries: &[BlockEntry<'_>]) -> (String, Vec<ContextEntry>) {
        let mut block = self.preamble();
        let mut described = Vec::with_capacity(entries.len());
        let mut place = Cursor::default();
        for entry in in_order(entries) {
            let memory = entry.candidate.memory;
            let section = Some(entry.candidate.section);
            if self.has_headings && place.section != section {
                let heading = self.sections[entry.candidate.section].heading;
                block.push_str("\n## ");
                block.push_str(heading);
                block.push('\n');
                place = Cursor {
                    section,
                    ..Cursor::default()
                };
            }
            let its_heading = heading(memory);
            if its_heading != place.heading || place.thread != memory.thread {
                let is_first = its_heading != place.heading && place.heading.is_empty();
                if !(is_first && self.has_headings) {
                    block.push('\n');
                }
                block.push_str(&its_heading);
                block.push('\n');
                place = Cursor {
                    section: place.section,
                    heading: its_heading,
                    thread: memory.thread.clone(),
                    ..Cursor::default()
                };
            }
            let beside =
                |place: &mut Cursor, block: &mut String, beside: &Companion| ContextEntry {
                    id: beside.memory.id,
                    citation: beside.memory.citation(),
                    confidence: 0.0,
                    tokens: place.say(block, &beside.marks, &beside.memory, &beside.shown),
                    shortened: beside.shortened,
                    beside: Some(memory.id),
                };
            let question = entry.question.iter();
            described.extend(question.map(|question| beside(&mut place, &mut block, question)));
            described.push(ContextEntry {
                id: memory.id,
                citation: memory.citation(),
                confidence: entry.candidate.confidence,
                tokens: place.say(&mut block, &entry.marks, memory, &entry.shown),
                shortened: entry.shortened,
                beside: None,
            });
            let conflicting = entry.conflicting.iter();
            described
                .extend(conflicting.map(|conflicting| beside(&mut place, &mut block, conflicting)));
        }
        (block, described)
    }
}

/// Where in the block the writer is.
#[derive(Default)]
struct Cursor {
    section: Option<usize>,
    heading: String,
    thread: Option<String>,
    /// Whether anything was said under this heading, and by whom the last line.
    has_lines: bool,
    speaker: Option<String>,
}

impl Cursor {
    /// Writes an entry, with the speaker where it is not the one of the entry above; returns what it costs.
    fn say(&mut self, block: &mut String, marks: &str, memory: &Memory, text: &str) -> usize {
        let begin = block.len();
        let speaker = speaker(memory);
        let shown = match &speaker {
            _ if self.has_lines && speaker == self.speaker => None,
            // Where the one above has a name, a line without would be taken for theirs.
            None if self.speaker.is_some() => Some("unknown"),
            speaker => speaker.as_deref(),
        };
        write_entry(block, marks, shown, text);
        self.has_lines = true;
        self.speaker = speaker;
        estimate_tokens(&block[begin..])
    }
}

/// The origin that is said once: the most frequent one, if it is that of many and not a person's.
fn most_common(origins: &BTreeMap<MemoryId, String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for origin in origins.values() {
        *counts.entry(origin).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count >= MIN_SHARED_ORIGIN)
        .map_or_else(String::new, |(origin, _)| origin.to_owned())
}

/// Entries by section; those of one thread together, where the thread's first entry is.
fn in_order<'entries, 'memory>(
    entries: &'entries [BlockEntry<'memory>],
) -> Vec<&'entries BlockEntry<'memory>> {
    let mut firsts: BTreeMap<(usize, &str), (jiff::Timestamp, u32)> = BTreeMap::new();
    for entry in entries {
        let memory = entry.candidate.memory;
        if let Some(thread) = &memory.thread {
            let at = (memory.occurred_at, memory.row.0);
            let first = firsts
                .entry((entry.candidate.section, thread))
                .or_insert(at);
            *first = at.min(*first);
        }
    }
    let mut ordered: Vec<&BlockEntry<'_>> = entries.iter().collect();
    ordered.sort_by_key(|entry| {
        let memory = entry.candidate.memory;
        let own = (memory.occurred_at, memory.row.0);
        let first = memory
            .thread
            .as_deref()
            .and_then(|thread| firsts.get(&(entry.candidate.section, thread)))
            .copied()
            .unwrap_or(own);
        let place = memory.thread.as_ref().and(memory.position);
        (
            entry.candidate.section,
            first,
            memory.thread.as_deref(),
            place,
            own,
        )
    });
    ordered
}
