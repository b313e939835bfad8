//! The context block for the start of a session, without a query.
//!
//! It reads the source and hardly waits for a view: [`overview`] says what the space is, [`working`] shows live values of working memory, [`open`] finds open
//! questions and unfinished work, [`noted`] what was decided in conversations, [`lessons`] the lessons for it, [`recent`] the latest threads. Contradictions are known as far as the graph is extracted.

mod lessons;
mod noted;
mod open;
mod overview;
mod recent;
mod working;

use std::collections::BTreeSet;
use std::time::Instant;

use anamne_recall::context::{Candidate, Section, pack_sections};
use anamne_recall::views::Disputes;
use anamne_store::{INDEXED_CATEGORIES, INDEXED_IMPORTANCE, Listing};
use anamne_text::tokens::estimate_tokens;
use anamne_types::{
    Assertion, Category, Context, ContextRequest, Dispute, Filter, Kind, Memory, MemoryId, Row,
};
use jiff::Timestamp;

use crate::Error;
use crate::derived::connecting::KnownDisputes;
use crate::space::Space;

/// Categories that describe how to work on this project.
const DECISIONS: [Category; 3] = INDEXED_CATEGORIES;

/// Minimum importance of a memory in the section of important facts.
const IMPORTANT: u8 = INDEXED_IMPORTANCE;

/// Candidates per section: more than a block can hold.
const LISTED: usize = 40;

/// How many recent memories are scanned for threads, questions and tasks.
const LATEST: usize = 400;

/// The sections in order, with their share of the budget in percent.
const SECTIONS: [(&str, usize); 7] = [
    ("On the question", 40),
    ("Working memory", 15),
    ("Decided", 35),
    ("Open", 25),
    ("Lessons", 15),
    ("Important", 20),
    ("Recent", 40),
];

/// Indexes of the sections.
const ASKED: usize = 0;
const WORKING: usize = 1;
const DECIDED: usize = 2;
const OPEN: usize = 3;
const LESSONS: usize = 4;
const MATTERS: usize = 5;
const LAST: usize = 6;

/// Whether a memory is valid: not superseded, not expired, no assertion about the graph.
fn is_current(memory: &Memory, now: Timestamp) -> bool {
    memory.superseded_by.is_none()
        && !memory.has_expired(now)
        && !memory.metadata.contains_key(Assertion::KEY)
}

/// A selected memory and the text shown of it.
struct SelectedMemory {
    memory: Memory,
    confidence: f32,
    passage: Option<String>,
    section: usize,
}

impl SelectedMemory {
    fn whole(memory: Memory, section: usize) -> Self {
        Self {
            memory,
            confidence: 0.0,
            passage: None,
            section,
        }
    }
}

impl Space {
    /// What the space is, decisions, open points, important facts and recent work; with a query, its results first.
    ///
    /// Costs a few lists and reading the latest threads: some milliseconds.
    pub(crate) fn brief(&self, request: &ContextRequest) -> Result<Context, Error> {
        let started = Instant::now();
        request.check()?;
        let mut degraded = Vec::new();
        let mut chosen = Vec::new();
        if request.asks() {
            let answer = self.recall(&request.recall)?;
            degraded = answer.degraded;
            chosen.extend(answer.results.into_iter().map(|hit| SelectedMemory {
                confidence: hit.confidence,
                ..SelectedMemory::whole(hit.memory, ASKED)
            }));
        }
        let filter = &request.recall.filter;
        chosen.extend(self.working_values(filter, &mut degraded)?);
        let latest = self.current_memories(filter.clone(), LATEST)?;
        chosen.extend(self.decided(filter)?);
        let noted = self.noted(filter, &latest, &mut degraded)?;
        let left = self.left_open(filter, &latest)?;
        let tasks: Vec<&Memory> = left
            .iter()
            .map(|one| &one.memory)
            .filter(|memory| open::is_unfinished(memory))
            .collect();
        let lessons = self.lessons_for_tasks(filter, &tasks, &mut degraded)?;
        chosen.extend(left);
        chosen.extend(lessons);
        chosen.extend(self.important(filter)?);
        chosen.extend(noted);
        chosen.extend(recent::last_threads(&latest));
        let disputes = self.disputes_of(&chosen);
        // Superseded and wrong memories come last.
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        order.sort_by_key(|place| {
            let is_stale = disputes[*place]
                .iter()
                .any(|dispute| dispute.holds == Some(false));
            (chosen[*place].section, is_stale)
        });
        let candidates: Vec<Candidate<'_>> = order
            .into_iter()
            .map(|place| Candidate {
                memory: &chosen[place].memory,
                confidence: chosen[place].confidence,
                disputes: &disputes[place],
                passage: chosen[place].passage.as_deref(),
                section: chosen[place].section,
            })
            .collect();
        let overview = if filter.is_empty() && !candidates.is_empty() {
            self.overview(request.budget())?
        } else {
            String::new()
        };
        let budget = request.budget() - estimate_tokens(&overview);
        let sections = SECTIONS.map(|(heading, share)| Section {
            heading,
            most: budget * share / 100,
        });
        let recall = &request.recall;
        let mut context = pack_sections(self.source(), &sections, &candidates, recall, budget)?;
        if !context.entries.is_empty() {
            overview::insert(&mut context, &overview);
        }
        context.degraded = degraded;
        context.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(context)
    }

    /// The latest matching memories that are valid: not superseded, not expired, not assertions about the graph.
    pub(crate) fn current_memories(
        &self,
        filter: Filter,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        let now = self.now();
        let listing = Listing {
            filter,
            limit,
            ..Listing::default()
        };
        let (mut memories, _) = self.list_undamaged(&listing)?;
        memories.retain(|memory| is_current(memory, now));
        Ok(memories)
    }

    /// Decisions, constraints and preferences, by importance, then latest first.
    fn decided(&self, filter: &Filter) -> Result<Vec<SelectedMemory>, Error> {
        let of_kind = filter.kinds.is_empty() || filter.kinds.contains(&Kind::Fact);
        let categories: Vec<Category> = DECISIONS
            .into_iter()
            .filter(|one| filter.categories.is_empty() || filter.categories.contains(one))
            .collect();
        if !of_kind || categories.is_empty() {
            return Ok(Vec::new());
        }
        let narrowed = Filter {
            kinds: vec![Kind::Fact],
            categories,
            ..filter.clone()
        };
        self.most_important(narrowed, DECIDED)
    }

    /// Important memories of any kind.
    fn important(&self, filter: &Filter) -> Result<Vec<SelectedMemory>, Error> {
        let least = filter.min_importance.unwrap_or(0).max(IMPORTANT);
        let narrowed = Filter {
            min_importance: Some(least),
            ..filter.clone()
        };
        self.most_important(narrowed, MATTERS)
    }

    fn most_important(&self, filter: Filter, section: usize) -> Result<Vec<SelectedMemory>, Error> {
        let mut memories = self.current_memories(filter, LISTED)?;
        // The list is ordered by time; the sort is stable.
        memories.sort_by_key(|memory| std::cmp::Reverse(memory.importance));
        let chosen = memories.into_iter();
        Ok(chosen
            .map(|memory| SelectedMemory::whole(memory, section))
            .collect())
    }

    /// Open contradictions, unanswered questions, unfinished work.
    fn left_open(&self, filter: &Filter, latest: &[Memory]) -> Result<Vec<SelectedMemory>, Error> {
        let mut ids: Vec<MemoryId> = Vec::new();
        let mut chosen = Vec::new();
        let mut known = BTreeSet::new();
        if filter.is_empty() {
            ids.extend(self.contested()?);
        }
        for id in ids {
            if let Ok(memory) = self.read(id)
                && memory.deleted_at.is_none()
                && known.insert(id)
            {
                chosen.push(SelectedMemory::whole(memory, OPEN));
            }
        }
        for (memory, point) in open::points(latest) {
            if known.insert(memory.id) {
                let is_whole = memory.content.trim() == point;
                chosen.push(SelectedMemory {
                    passage: (!is_whole).then_some(point),
                    ..SelectedMemory::whole(memory.clone(), OPEN)
                });
            }
        }
        let is_linked = |memory: &Memory| Ok::<bool, Error>(!self.links(memory.id)?.is_empty());
        for memory in open::questions(latest) {
            if !is_linked(memory)? && known.insert(memory.id) {
                chosen.push(SelectedMemory {
                    passage: open::question_in(&memory.content),
                    ..SelectedMemory::whole(memory.clone(), OPEN)
                });
            }
        }
        let episodes = if filter.kinds.is_empty() || filter.kinds.contains(&Kind::Episode) {
            let narrowed = Filter {
                kinds: vec![Kind::Episode],
                ..filter.clone()
            };
            self.current_memories(narrowed, LISTED)?
        } else {
            Vec::new()
        };
        for memory in open::unfinished(&episodes, latest) {
            if known.insert(memory.id) {
                chosen.push(SelectedMemory {
                    passage: open::goal_of(memory),
                    ..SelectedMemory::whole(memory.clone(), OPEN)
                });
            }
        }
        Ok(chosen)
    }

    /// The later sides of the latest open contradictions; the earlier sides are shown with them.
    fn contested(&self) -> Result<Vec<MemoryId>, Error> {
        let Some(graph) = self.inner.derived.knowledge.if_extracted() else {
            return Ok(Vec::new());
        };
        let query = anamne_knowledge::graph::ContradictionQuery {
            kind: Some(anamne_types::ConflictKind::Contested),
            open: true,
            limit: open::CONTESTED,
            ..Default::default()
        };
        let found = graph.contradictions(&query)?.into_iter();
        Ok(found.map(|found| found.later.evidence.memory).collect())
    }

    fn disputes_of(&self, chosen: &[SelectedMemory]) -> Vec<Vec<Dispute>> {
        let rows: Vec<Row> = chosen.iter().map(|chosen| chosen.memory.row).collect();
        match self.inner.derived.knowledge.if_extracted() {
            Some(graph) => KnownDisputes(graph).of(&rows),
            None => vec![Vec::new(); rows.len()],
        }
    }
}
