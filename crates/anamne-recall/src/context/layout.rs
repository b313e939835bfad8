//! Reading order: by section, then threads by the time of their first entry, then entries by position.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::SpaceSource;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{ContextEntry, Memory, MemoryId};
use jiff::tz::TimeZone;

use super::companions::Companion;
use super::entries::{BlockEntry, Candidate, Section};
use super::lines::{heading, marks, origin_mark, preamble, speaker, write_entry};
use super::several::SpacePart;
use crate::error::RecallError;

/// Orders and writes entries.
pub(super) struct Layout<'memory> {
    sections: &'memory [Section],
    has_headings: bool,
    /// Citations of the successors of superseded candidates.
    citations: BTreeMap<MemoryId, String>,
    /// Origins of candidates that were not written by a person.
    origins: BTreeMap<MemoryId, String>,
    /// The most frequent origin, stated once in the preamble.
    common_origin: String,
    /// The space, in a block of several.
    part: Option<SpacePart>,
    /// The time zone of the days in headings.
    pub(super) zone: TimeZone,
}

/// An origin shared by at least this many candidates is stated once in the preamble.
const MIN_SHARED_ORIGIN: usize = 4;

impl<'memory> Layout<'memory> {
    /// A block that has section headings only if there are several sections.
    pub(super) fn of_several(
        source: &SpaceSource,
        sections: &'memory [Section],
        candidates: &[Candidate<'_>],
        zone: &TimeZone,
    ) -> Result<Self, RecallError> {
        let mut layout = Self::headed(source, sections, candidates, zone)?;
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
        zone: &TimeZone,
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
        // By id: a memory may be a candidate in several sections.
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
            part: None,
            zone: zone.clone(),
        })
    }

    /// The same as a space's part of a block of several.
    pub(super) fn with_part(self, part: Option<SpacePart>) -> Self {
        Self { part, ..self }
    }

    /// What every citation begins with: nothing, or the space and a colon.
    pub(super) fn space_mark(&self) -> &str {
        self.part.as_ref().map_or("", SpacePart::mark)
    }

    /// The first lines of the block.
    pub(super) fn preamble(&self) -> String {
        preamble(&self.common_origin, self.part.as_ref())
    }

    /// The origin marker; empty for the common origin.
    pub(super) fn origin_mark(&self, origin: &str) -> String {
        origin_mark(origin, &self.common_origin)
    }

    /// The token budget of a section in the first round.
    pub(super) fn most(&self, section: usize) -> usize {
        self.sections
            .get(section)
            .map_or(usize::MAX, |section| section.most)
    }

    /// The token cost of a section heading.
    pub(super) fn section_cost(&self, section: usize) -> usize {
        match self.sections.get(section) {
            Some(section) if self.has_headings => estimate_tokens(section.heading) + 4,
            _ => 0,
        }
    }

    /// The citation of an entry and its markers.
    pub(super) fn marks(&self, candidate: &Candidate<'_>) -> String {
        let space = self.space_mark();
        let marks = marks(candidate.memory, candidate.disputes, space, |later| {
            self.citations.get(&later).cloned()
        });
        let origin = self.origins.get(&candidate.memory.id);
        marks + &self.origin_mark(origin.map_or("", String::as_str))
    }

    /// The block's text, and the entries with their token cost, in reading order.
    pub(super) fn write(&self, entries: &[BlockEntry<'_>]) -> (String, Vec<ContextEntry>) {
        let mut block = self.preamble();
        let mut described = Vec::with_capacity(entries.len());
        let mut place = Cursor::default();
        let space = self.part.as_ref().map(|part| part.space.clone());
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
            let its_heading = heading(memory, &self.zone);
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
            let companion =
                |place: &mut Cursor, block: &mut String, companion: &Companion| ContextEntry {
                    id: companion.memory.id,
                    citation: companion.memory.citation(),
                    space: space.clone(),
                    confidence: 0.0,
                    tokens: place.say(block, &companion.marks, &companion.memory, &companion.shown),
                    shortened: companion.shortened,
                    beside: Some(memory.id),
                };
            let question = entry.question.iter();
            described.extend(question.map(|question| companion(&mut place, &mut block, question)));
            described.push(ContextEntry {
                id: memory.id,
                citation: memory.citation(),
                space: space.clone(),
                confidence: entry.candidate.confidence,
                tokens: place.say(&mut block, &entry.marks, memory, &entry.shown),
                shortened: entry.shortened,
                beside: None,
            });
            let conflicting = entry.conflicting.iter();
            described.extend(
                conflicting.map(|conflicting| companion(&mut place, &mut block, conflicting)),
            );
        }
        (block, described)
    }
}

/// The write position in the block.
#[derive(Default)]
struct Cursor {
    section: Option<usize>,
    heading: String,
    thread: Option<String>,
    /// Whether there are lines under this heading, and the speaker of the last one.
    has_lines: bool,
    speaker: Option<String>,
}

impl Cursor {
    /// Writes an entry, with its speaker unless it is the previous entry's; returns its token cost.
    fn say(&mut self, block: &mut String, marks: &str, memory: &Memory, text: &str) -> usize {
        let begin = block.len();
        let speaker = speaker(memory);
        let shown = match &speaker {
            _ if self.has_lines && speaker == self.speaker => None,
            // Otherwise the line would be attributed to the previous speaker.
            None if self.speaker.is_some() => Some("unknown"),
            speaker => speaker.as_deref(),
        };
        write_entry(block, marks, shown, text);
        self.has_lines = true;
        self.speaker = speaker;
        estimate_tokens(&block[begin..])
    }
}

/// The most frequent origin, if it has enough candidates and is not a person.
fn most_common(origins: &BTreeMap<MemoryId, String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for origin in origins.values() {
        *counts.entry(origin).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count >= MIN_SHARED_ORIGIN)
        .map_or_else(String::new, |(origin, _)| origin.to_owned())
}

/// Entries by section; entries of one thread together, at the position of its first entry.
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
