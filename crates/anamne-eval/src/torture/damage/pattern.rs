//! The content of the damaged store, to check whether it is still there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anamne::{Draft, Edit, Link, LinkType, MemoryId, Space};
use serde::{Deserialize, Serialize};

use super::super::space::{SPACE, quiet_store, rare_word};
use super::harm::replace_with_copy;
use crate::chance::Chance;
use crate::failure::Failure;

/// Number of memories written; some are edited, linked, forgotten or erased afterwards.
const MEMORIES: usize = 240;

/// Number of threads over which they are spread.
const THREADS: usize = 6;

/// Bytes of metadata in every third memory, so that the journal has several segments.
const BALLAST: usize = 60_000;

/// The original stores, whose copies are damaged.
#[derive(Debug)]
pub(super) struct Stores {
    /// A closed store.
    pub(super) settled: PathBuf,
    /// The same with a WAL that holds the last event, and with it newer states of some pages.
    pub(super) logged: PathBuf,
    pattern: PathBuf,
}

impl Stores {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            settled: folder.join("settled"),
            logged: folder.join("logged"),
            pattern: folder.join("pattern.json"),
        }
    }

    /// The file that describes their content.
    pub(super) fn pattern(&self) -> &Path {
        &self.pattern
    }
}

/// The expected content.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pattern {
    /// Every memory with its content, including forgotten ones.
    pub(super) contents: BTreeMap<MemoryId, String>,
    /// Words that occur in exactly one live memory.
    pub(super) words: BTreeMap<String, MemoryId>,
    pub(super) erased: Vec<MemoryId>,
    pub(super) forgotten: BTreeSet<MemoryId>,
    /// Live memories in each thread, by each author, with each tag.
    pub(super) threads: BTreeMap<String, BTreeSet<MemoryId>>,
    pub(super) authors: BTreeMap<String, BTreeSet<MemoryId>>,
    pub(super) tags: BTreeMap<String, BTreeSet<MemoryId>>,
    /// Former contents of edited memories.
    pub(super) earlier: BTreeMap<MemoryId, String>,
    /// Links, as pairs of source and target.
    pub(super) links: BTreeSet<(MemoryId, MemoryId)>,
    pub(super) events: u64,
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

/// Reason and weight of the links.
pub(super) const REASON: &str = "they follow each other";
pub(super) const WEIGHT: f32 = 0.5;

fn draft(number: usize) -> Draft {
    let mut draft = Draft::new(format!(
        "entry {number} of the logbook is about {}",
        word(number)
    ))
    .thread(thread(number))
    .tag(tag(number))
    .author(author(number));
    if number.is_multiple_of(3) {
        let mut chance = Chance::new(number as u64);
        let ballast: String = (0..BALLAST)
            .filter_map(|_| char::from_digit(chance.below(16) as u32, 16))
            .collect();
        draft.metadata.insert("ballast".to_owned(), ballast.into());
    }
    draft
}

impl Pattern {
    /// Builds the store in `stores.settled`, and a copy of it in `stores.logged` whose last event is only in the WAL;
    /// writes the content of both to `stores.pattern`. If that file exists, only reads it.
    pub(super) fn built_in(stores: &Stores) -> Result<Self, Failure> {
        if stores.pattern.exists() {
            return Self::read(&stores.pattern);
        }
        let space = quiet_store(&stores.settled)?.space(SPACE)?;
        let mut pattern = Self::default();
        let ids = (0..MEMORIES)
            .map(|number| Ok(space.remember(draft(number))?.id))
            .collect::<Result<Vec<_>, Failure>>()?;
        space.settle(&mut |_, _| {})?;
        for (number, &id) in ids.iter().enumerate() {
            pattern.change_memory(&space, &ids, number, id)?;
        }
        space.settle(&mut |_, _| {})?;
        space.fold()?;
        // Reopened, so that the WAL holds exactly one event, which does not change the expected content.
        drop(space);
        let space = quiet_store(&stores.settled)?.existing_space(SPACE)?;
        let edit = Edit {
            importance: Some(6),
            ..Edit::default()
        };
        space.edit(ids[0], &edit)?;
        pattern.events = space.report()?.statistics.events;
        replace_with_copy(&stores.settled, &stores.logged)?;
        drop(space);
        fs::write(&stores.pattern, serde_json::to_vec(&pattern)?)?;
        Ok(pattern)
    }

    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// Edits, links, forgets or erases a memory after it was written.
    fn change_memory(
        &mut self,
        space: &Space,
        ids: &[MemoryId],
        number: usize,
        id: MemoryId,
    ) -> Result<(), Failure> {
        let mut content = draft(number).content;
        if number % 40 == 7 {
            // There are no backups; text left elsewhere is found by searching every file.
            let _ = space.erase(id)?;
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
                weight: WEIGHT,
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
}
