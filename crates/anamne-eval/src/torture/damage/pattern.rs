//! What the store that is damaged holds, and whether it is still there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anamne::{
    Draft, Edit, Filter, Link, LinkType, Listing, MemoryId, Options, Recall, Space, Store,
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
    /// Live memories in each thread.
    threads: BTreeMap<String, usize>,
    live: usize,
    links: usize,
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

fn draft(number: usize) -> Draft {
    let mut draft = Draft::new(format!(
        "entry {number} of the logbook is about {}",
        word(number)
    ))
    .thread(thread(number))
    .tag(format!("tag {}", number % 9))
    .author(format!("author {}", number % 4));
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
        pattern.live = pattern.words.len();
        pattern.links = space.all_links()?.len();
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
                reason: "they follow each other".to_owned(),
                created_at: jiff::Timestamp::UNIX_EPOCH,
            };
            space.link(&link)?;
        }
        self.contents.insert(id, content);
        if number % 40 == 8 {
            space.forget(id)?;
        } else {
            self.words.insert(word(number), id);
            *self.threads.entry(thread(number)).or_default() += 1;
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

    /// Asks for everything, and compares.
    pub(super) fn ask(&self, space: &Space) -> Answers {
        let mut answers = Answers::default();
        self.ask_for_words(space, &mut answers);
        self.ask_for_each(space, &mut answers);
        self.ask_for_lists(space, &mut answers);
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
        let everything = (Filter::default(), self.live);
        let threads = self.threads.iter().map(|(thread, count)| {
            let filter = Filter {
                threads: vec![thread.clone()],
                ..Filter::default()
            };
            (filter, *count)
        });
        for (filter, expected) in threads.chain([everything]) {
            let listing = Listing {
                filter,
                limit: 10 * MEMORIES,
                ..Listing::default()
            };
            match space.list(&listing) {
                Ok(listed) if listed.len() == expected => {}
                Ok(listed) => answers
                    .wrong
                    .push(format!("a list of {} where {expected} are", listed.len())),
                Err(error) => answers.errors.push(error.to_string()),
            }
        }
        match space.all_links() {
            Ok(links) if links.len() == self.links => {}
            Ok(links) => {
                answers
                    .wrong
                    .push(format!("{} links where {} are", links.len(), self.links))
            }
            Err(error) => answers.errors.push(error.to_string()),
        }
    }
}
