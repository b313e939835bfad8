//! The questions to a damaged store, and the check of the answers.

use std::collections::BTreeSet;

use anamne::{
    Error, Filter, Link, LinkType, Listing, LogQuery, MemoryId, Recall, Space, StoreError,
};
use serde::{Deserialize, Serialize};

use super::pattern::{Pattern, REASON, WEIGHT};

/// Deviations from the expected answers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Answers {
    /// Wrong answers without any sign of damage.
    pub(super) wrong: Vec<String>,
    /// Memories that are missing or have another text.
    pub(super) lost: Vec<String>,
    /// Errors; each names the damage.
    pub(super) errors: Vec<String>,
    /// Views reported as degraded.
    pub(super) degraded: Vec<String>,
}

impl Answers {
    /// Returns the reply; records an error.
    fn take<Reply>(&mut self, reply: Result<Reply, Error>) -> Option<Reply> {
        reply
            .map_err(|error| self.errors.push(error.to_string()))
            .ok()
    }

    /// Records a wrong answer unless `is_right`.
    fn expect(&mut self, is_right: bool, what: impl FnOnce() -> String) {
        if !is_right {
            self.wrong.push(what());
        }
    }
}

/// Selects the filter field by which a list is requested.
type FieldSelector = fn(&mut Filter) -> &mut Vec<String>;

impl Pattern {
    /// Asks everything and compares the answers.
    pub(super) fn ask(&self, space: &Space) -> Answers {
        let mut answers = Answers::default();
        self.ask_for_words(space, &mut answers);
        self.ask_for_each(space, &mut answers);
        self.ask_for_lists(space, &mut answers);
        self.ask_for_links(space, &mut answers);
        self.ask_for_the_past(space, &mut answers);
        self.ask_for_counts(space, &mut answers);
        answers
    }

    fn ask_for_words(&self, space: &Space, answers: &mut Answers) {
        for (word, id) in self.words.iter().step_by(19) {
            let Some(answer) = answers.take(space.recall(&Recall::new(word).limit(3))) else {
                continue;
            };
            let found = answer.results.first().map(|hit| &hit.memory);
            let is_right = found.is_some_and(|memory| {
                memory.id == *id && Some(&memory.content) == self.contents.get(id)
            });
            answers.expect(is_right || !answer.degraded.is_empty(), || {
                format!("recall of {word:?}")
            });
            answers.degraded.extend(answer.degraded);
        }
    }

    fn ask_for_each(&self, space: &Space, answers: &mut Answers) {
        for (id, content) in &self.contents {
            match space.get(*id) {
                Ok(memory) if memory.content == *content => {}
                Ok(memory) => answers.lost.push(format!("{id} says {:?}", memory.content)),
                Err(Error::Store(StoreError::NoMemory { .. })) => {
                    answers.lost.push(format!("{id} is not there"));
                }
                Err(error) => answers.errors.push(error.to_string()),
            }
        }
        for id in &self.erased {
            if let Ok(memory) = space.get(*id) {
                let said = format!("{id} was erased and says {:?}", memory.content);
                answers.wrong.push(said);
            }
        }
    }

    fn ask_for_lists(&self, space: &Space, answers: &mut Answers) {
        let everything: BTreeSet<_> = self.words.values().copied().collect();
        ask_for_list(space, answers, Listing::default(), &everything);
        let forgotten = Listing {
            forgotten: true,
            ..Listing::default()
        };
        ask_for_list(space, answers, forgotten, &self.forgotten);
        let lists: [(_, FieldSelector); 3] = [
            (&self.threads, |filter| &mut filter.threads),
            (&self.authors, |filter| &mut filter.authors),
            (&self.tags, |filter| &mut filter.tags),
        ];
        for (members, choose) in lists {
            for (name, expected) in members {
                let mut listing = Listing::default();
                choose(&mut listing.filter).push(name.clone());
                ask_for_list(space, answers, listing, expected);
            }
        }
    }

    fn ask_for_links(&self, space: &Space, answers: &mut Answers) {
        let Some(links) = answers.take(space.all_links()) else {
            return;
        };
        let is_right = |link: &Link| {
            link.reason == REASON
                && (link.weight - WEIGHT).abs() < f32::EPSILON
                && link.link_type == LinkType::Related
        };
        let found: BTreeSet<_> = links.iter().map(|link| (link.from, link.to)).collect();
        let are_right =
            found == self.links && links.len() == found.len() && links.iter().all(is_right);
        answers.expect(are_right, || format!("{} links: {links:?}", links.len()));
    }

    fn ask_for_the_past(&self, space: &Space, answers: &mut Answers) {
        for (id, content) in &self.earlier {
            if let Some(versions) = answers.take(space.history(*id)) {
                let first = versions.first().and_then(|first| first.memory.as_ref());
                let is_right = first.is_some_and(|memory| memory.content == *content);
                answers.expect(is_right, || format!("the first state of {id}"));
            }
        }
        let all = LogQuery {
            limit: 1_000,
            oldest_first: true,
            ..LogQuery::default()
        };
        if let Some(events) = answers.take(space.log(&all)) {
            let numbers = events.iter().map(|entry| entry.event.seq.0);
            let is_right = numbers.eq(1..=self.events);
            answers.expect(is_right, || format!("a log of {} events", events.len()));
        }
    }

    fn ask_for_counts(&self, space: &Space, answers: &mut Answers) {
        let Some(report) = answers.take(space.report()) else {
            return;
        };
        let counted = report.statistics;
        let counts = [
            counted.memories,
            counted.forgotten,
            counted.erased,
            counted.links,
        ];
        let expected = [
            self.words.len(),
            self.forgotten.len(),
            self.erased.len(),
            self.links.len(),
        ];
        let are_right = counts == expected.map(|count| count as u64);
        answers.expect(are_right && counted.events == self.events, || {
            format!("counts {counts:?} where {expected:?} are")
        });
    }
}

fn ask_for_list(
    space: &Space,
    answers: &mut Answers,
    listing: Listing,
    expected: &BTreeSet<MemoryId>,
) {
    let listing = Listing {
        limit: 1_000,
        ..listing
    };
    if let Some(listed) = answers.take(space.list(&listing)) {
        let ids: BTreeSet<_> = listed.iter().map(|memory| memory.id).collect();
        let is_right = ids == *expected && listed.len() == expected.len();
        answers.expect(is_right, || {
            format!(
                "a list of {} where {} are, by {:?}",
                listed.len(),
                expected.len(),
                listing.filter
            )
        });
    }
}
