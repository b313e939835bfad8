//! What the store that is damaged holds, and whether it is still there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anamne::{
    Draft, Edit, Filter, Link, LinkType, Listing, LogQuery, MemoryId, Options, Recall, Space, Store,
};
use serde::{Deserialize, Serialize};

use super::dice::Dice;
use crate::torture::{Failure, SPACE, rare_word};

/// Memories that are told; some of them are edited, linked, forgotten or erased afterwards.
const MEMORIES: usize = 240;

/// Threads over which they are spread.
const THREADS: usize = 6;

/// Every third memory carries so many bytes that nobody searches, so that the journal has several segments.
const BALLAST: usize = 60_000;

/// What must be found.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pattern {
    /// Every memory with its content, forgotten ones included.
    contents: BTreeMap<MemoryId, String>,
    /// Words that stand in one live memory only.
    words: BTreeMap<String, MemoryId>,
    erased: Vec<MemoryId>,
    forgotten: BTreeSet<MemoryId>,
    /// Live memories in each thread, by each author, with each tag.
    threads: BTreeMap<String, BTreeSet<MemoryId>>,
    authors: BTreeMap<String, BTreeSet<MemoryId>>,
    tags: BTreeMap<String, BTreeSet<MemoryId>>,
    /// What edited memories said before.
    earlier: BTreeMap<MemoryId, String>,
    /// From where to where links lead.
    links: BTreeSet<(MemoryId, MemoryId)>,
    events: u64,
}

/// What was answered otherwise than it must be.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Answers {
    /// Wrong, though no reply said that anything was amiss.
    pub(super) wrong: Vec<String>,
    /// Memories that are not there, or say something else.
    pub(super) lost: Vec<String>,
    /// Errors, each of which names what is damaged.
    pub(super) errors: Vec<String>,
    /// What replies said could not take part.
    pub(super) degraded: Vec<String>,
}

fn word(number: usize) -> String {
    rare_word(77, number)
}

fn thread(number: usize) -> String {
    format!("thread {}", number % THREADS)
}

fn tag(number: usize) -> String {
    format!("tag {}", number % 9)
}

fn author(number: usize) -> String {
    format!("author {}", number % 4)
}

/// Why two memories are linked.
const REASON: &str = "they follow each other";

fn draft(number: usize) -> Draft {
    let mut draft = Draft::new(format!(
        "entry {number} of the logbook is about {}",
        word(number)
    ))
    .thread(thread(number))
    .tag(tag(number))
    .author(author(number));
    if number.is_multiple_of(3) {
        let mut dice = Dice::thrown_with(number as u64);
        let ballast: String = (0..BALLAST)
            .filter_map(|_| char::from_digit(dice.below(16) as u32, 16))
            .collect();
        draft.metadata.insert("ballast".to_owned(), ballast.into());
    }
    draft
}

impl Pattern {
    /// Builds the store in `folder` and notes in `file` what it holds; reads the note where that was done before.
    pub(super) fn built_in(folder: &Path, file: &Path) -> Result<Self, Failure> {
        if file.exists() {
            return Self::read(file);
        }
        let space = Store::open_with(Options::new(folder).background(false))?.space(SPACE)?;
        let mut pattern = Self::default();
        let ids = (0..MEMORIES)
            .map(|number| Ok(space.remember(draft(number))?.id))
            .collect::<Result<Vec<_>, Failure>>()?;
        space.settle(&mut |_, _| {})?;
        for (number, &id) in ids.iter().enumerate() {
            pattern.go_on_with(&space, &ids, number, id)?;
        }
        space.settle(&mut |_, _| {})?;
        space.fold()?;
        pattern.events = space.report()?.statistics.events;
        fs::write(file, serde_json::to_vec(&pattern).map_err(Failure::of)?)?;
        Ok(pattern)
    }

    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        serde_json::from_slice(&fs::read(file)?).map_err(Failure::of)
    }

    /// What becomes of one memory after it was told.
    fn go_on_with(
        &mut self,
        space: &Space,
        ids: &[MemoryId],
        number: usize,
        id: MemoryId,
    ) -> Result<(), Failure> {
        let mut content = draft(number).content;
        if number % 40 == 7 {
            space.erase(id)?;
            self.erased.push(id);
            return Ok(());
        }
        if number % 10 == 4 {
            self.earlier.insert(id, content.clone());
            content.push_str(", as was found out later");
            let edit = Edit {
                content: Some(content.clone()),
                ..Edit::default()
            };
            space.edit(id, &edit)?;
        }
        if number % 10 == 5 {
            let link = Link {
                from: id,
                to: ids[number - 1],
                link_type: LinkType::Related,
                weight: 0.5,
                reason: REASON.to_owned(),
                created_at: jiff::Timestamp::UNIX_EPOCH,
            };
            space.link(&link)?;
            self.links.insert((link.from, link.to));
        }
        self.contents.insert(id, content);
        if number % 40 == 8 {
            space.forget(id)?;
            self.forgotten.insert(id);
        } else {
            self.words.insert(word(number), id);
            for (members, name) in [
                (&mut self.threads, thread(number)),
                (&mut self.authors, author(number)),
                (&mut self.tags, tag(number)),
            ] {
                members.entry(name).or_default().insert(id);
            }
        }
        Ok(())
    }

    /// Has one more event in the database's log, which changes nothing of what must be found.
    pub(super) fn leave_a_log(&self, space: &Space) -> Result<(), Failure> {
        if let Some(&id) = self.words.values().next() {
            let edit = Edit {
                importance: Some(6),
                ..Edit::default()
            };
            space.edit(id, &edit)?;
        }
        Ok(())
    }

    /// The events that there are after [`Pattern::leave_a_log`].
    fn last_event(&self) -> u64 {
        self.events + 1
    }

    /// Asks for everything, and compares.
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
            match space.recall(&Recall::new(word).limit(3)) {
                Ok(answer) => {
                    let found = answer.results.first().map(|hit| &hit.memory);
                    let is_right = found.is_some_and(|memory| {
                        memory.id == *id && Some(&memory.content) == self.contents.get(id)
                    });
                    if !is_right && answer.degraded.is_empty() {
                        answers.wrong.push(format!("recall of {word:?}"));
                    }
                    answers.degraded.extend(answer.degraded);
                }
                Err(error) => answers.errors.push(error.to_string()),
            }
        }
    }

    fn ask_for_each(&self, space: &Space, answers: &mut Answers) {
        for (id, content) in &self.contents {
            match space.get(*id) {
                Ok(memory) if memory.content == *content => {}
                Ok(memory) => answers.lost.push(format!("{id} says {:?}", memory.content)),
                Err(anamne::Error::Store(anamne::StoreError::NoMemory { .. })) => {
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
        self.ask_for_list(space, answers, Listing::default(), &everything);
        let forgotten = Listing {
            forgotten: true,
            ..Listing::default()
        };
        self.ask_for_list(space, answers, forgotten, &self.forgotten);
        type Choose = fn(&mut Filter) -> &mut Vec<String>;
        let lists: [(_, Choose); 3] = [
            (&self.threads, |filter| &mut filter.threads),
            (&self.authors, |filter| &mut filter.authors),
            (&self.tags, |filter| &mut filter.tags),
        ];
        for (members, choose) in lists {
            for (name, expected) in members {
                let mut listing = Listing::default();
                choose(&mut listing.filter).push(name.clone());
                self.ask_for_list(space, answers, listing, expected);
            }
        }
    }

    fn ask_for_list(
        &self,
        space: &Space,
        answers: &mut Answers,
        listing: Listing,
        expected: &BTreeSet<MemoryId>,
    ) {
        let listing = Listing {
            limit: 1_000,
            ..listing
        };
        match space.list(&listing) {
            Ok(listed) => {
                let ids: BTreeSet<_> = listed.iter().map(|memory| memory.id).collect();
                if ids != *expected || listed.len() != expected.len() {
                    answers.wrong.push(format!(
                        "a list of {} where {} are, by {:?}",
                        listed.len(),
                        expected.len(),
                        listing.filter
                    ));
                }
            }
            Err(error) => answers.errors.push(error.to_string()),
        }
    }

    fn ask_for_links(&self, space: &Space, answers: &mut Answers) {
        match space.all_links() {
            Ok(links) => {
                let is_right = |link: &Link| {
                    link.reason == REASON
                        && link.weight == 0.5
                        && link.link_type == LinkType::Related
                };
                let found: BTreeSet<_> = links.iter().map(|link| (link.from, link.to)).collect();
                if found != self.links || links.len() != found.len() || !links.iter().all(is_right)
                {
                    answers
                        .wrong
                        .push(format!("{} links: {links:?}", links.len()));
                }
            }
            Err(error) => answers.errors.push(error.to_string()),
        }
    }

    fn ask_for_the_past(&self, space: &Space, answers: &mut Answers) {
        for (id, content) in &self.earlier {
            match space.history(*id) {
                Ok(versions) => {
                    let first = versions.first().and_then(|first| first.memory.as_ref());
                    if first.is_none_or(|memory| memory.content != *content) {
                        answers.wrong.push(format!("the first state of {id}"));
                    }
                }
                Err(error) => answers.errors.push(error.to_string()),
            }
        }
        let all = LogQuery {
            limit: 1_000,
            oldest_first: true,
            ..LogQuery::default()
        };
        match space.log(&all) {
            Ok(events) => {
                let numbers = events.iter().map(|entry| entry.event.seq.0);
                if !numbers.eq(1..=self.last_event()) {
                    answers
                        .wrong
                        .push(format!("a log of {} events", events.len()));
                }
            }
            Err(error) => answers.errors.push(error.to_string()),
        }
    }

    fn ask_for_counts(&self, space: &Space, answers: &mut Answers) {
        match space.report() {
            Ok(report) => {
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
                if counts != expected.map(|count| count as u64)
                    || counted.events != self.last_event()
                {
                    answers
                        .wrong
                        .push(format!("counts {counts:?} where {expected:?} are"));
                }
            }
            Err(error) => answers.errors.push(error.to_string()),
        }
    }
}
