//! A database damaged during use is restored by the call that finds the damage.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anamne::{Answer, ContextRequest, Draft, Edit, Listing, MemoryId, NextStep, Recall, Space};

use crate::common::Home;

/// The page size of SQLite.
const PAGE: u64 = 4_096;

fn database(home: &Home) -> PathBuf {
    home.folder().join("memories/active.db")
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Every acknowledged memory, with its content.
type Written = Vec<(MemoryId, String)>;

fn write(space: &Space, stored: &mut Written, count: usize) {
    for _ in 0..count {
        let number = stored.len();
        let content = format!(
            "note {number}: the lighthouse keeper wrote {} in book {}",
            number * 7_919 % 10_007,
            number % 17
        );
        let draft = Draft::new(content.clone());
        stored.push((space.remember(draft).expect("a write").id, content));
    }
}

/// A newly opened space of some hundred pages, none of which is cached.
fn filled(home: &Home) -> (Space, Written) {
    let mut stored = Written::new();
    let space = home.space();
    write(&space, &mut stored, 300);
    let (id, content) = &mut stored[3];
    "note 3: the lighthouse keeper was mistaken".clone_into(content);
    let edit = Edit {
        content: Some(content.clone()),
        ..Edit::default()
    };
    space.edit(*id, &edit).expect("an edit");
    drop(space);
    (home.space(), stored)
}

#[track_caller]
fn assert_all_there(space: &Space, stored: &Written) {
    for (id, content) in stored {
        assert_eq!(&space.get(*id).expect("a memory").content, content);
    }
    let listing = Listing {
        limit: 10_000,
        ..Listing::default()
    };
    assert_eq!(space.list(&listing).expect("a list").len(), stored.len());
}

#[track_caller]
fn assert_goes_on(space: &Space, stored: &mut Written) {
    let answer = space
        .recall(&Recall::new("lighthouse keeper").limit(5))
        .expect("an answer");
    assert_eq!(answer.results.len(), 5);
    write(space, stored, 2);
    assert_all_there(space, stored);
    let found = space.check_up().expect("a check-up");
    assert_eq!(found.problems, Vec::<String>::new());
}

fn set_aside(home: &Home) -> usize {
    let entries = fs::read_dir(home.folder().join("memories")).expect("a folder");
    entries
        .filter(|entry| {
            let name = entry.as_ref().expect("an entry").file_name();
            name.to_string_lossy().starts_with("active.db.damaged-")
        })
        .count()
}

/// Overwrites `count` random pages with bytes that no page begins with.
fn overwrite_pages(home: &Home, dice: &mut Dice, count: u64) {
    let file = OpenOptions::new()
        .write(true)
        .open(database(home))
        .expect("the database");
    let pages = file.metadata().expect("its length").len() / PAGE;
    for _ in 0..count {
        let at = dice.below(pages) * PAGE;
        file.write_all_at(&[0x5a; PAGE as usize], at)
            .expect("damage");
    }
}

#[test]
fn pages_that_are_overwritten_in_use_lose_nothing() {
    for seed in 0..6 {
        let home = Home::new();
        let (space, mut stored) = filled(&home);
        let other = home.space();
        overwrite_pages(&home, &mut Dice(seed), 12);
        assert_all_there(&space, &stored);
        assert_all_there(&other, &stored);
        assert_goes_on(&space, &mut stored);
        assert_goes_on(&other, &mut stored);
        assert_eq!(set_aside(&home), 1, "the damaged database is kept, once");
        let repaired = space.check_up().expect("a check-up").repaired;
        assert!(
            repaired.iter().any(|line| line.contains("in use")),
            "{repaired:?}"
        );
    }
}

#[test]
fn the_answer_that_met_the_damage_says_so_and_the_next_one_does_not() {
    let home = Home::new();
    let (space, stored) = filled(&home);
    let database = database(&home);
    let length = fs::metadata(&database).expect("a database").len();
    let question = Recall::new("lighthouse keeper").limit(5);
    // All but the first page, so that the query must read a damaged one.
    let file = OpenOptions::new()
        .write(true)
        .open(&database)
        .expect("the database");
    let rest = vec![0x5a; (length - PAGE) as usize];
    file.write_all_at(&rest, PAGE).expect("damage");
    let answer = space.recall(&question).expect("an answer");
    assert_eq!(answer.results.len(), 5);
    assert!(
        answer.degraded.iter().any(|what| what == "source restored"),
        "{:?}",
        answer.degraded
    );
    let next = space.recall(&question).expect("an answer");
    assert_eq!(next.degraded, Vec::<String>::new());
    assert_all_there(&space, &stored);
    drop(space);
    let found = home
        .space()
        .check_up()
        .expect("a check-up of another process");
    assert_eq!(found.repaired, Vec::<String>::new());
    let is_told = |line: &String| line.contains("has been restored");
    assert!(found.earlier.iter().any(is_told), "{:?}", found.earlier);
}

#[test]
fn a_database_that_is_cut_in_use_loses_nothing() {
    for (seed, share) in [(11, 0), (12, 1), (13, 40), (14, 80)] {
        let home = Home::new();
        let (space, mut stored) = filled(&home);
        let other = home.space();
        let file = OpenOptions::new()
            .write(true)
            .open(database(&home))
            .expect("the database");
        let length = file.metadata().expect("its length").len();
        let odd = Dice(seed).below(PAGE);
        file.set_len((length * share / 100 + odd * u64::from(share > 0)).min(length - 1))
            .expect("a cut");
        assert_goes_on(&other, &mut stored);
        assert_goes_on(&space, &mut stored);
    }
}

#[test]
fn a_database_that_is_deleted_or_replaced_in_use_loses_nothing() {
    for with in [None, Some(&b""[..]), Some(b"no database at all")] {
        let home = Home::new();
        let (space, mut stored) = filled(&home);
        let other = home.space();
        write(&space, &mut stored, 3);
        fs::remove_file(database(&home)).expect("a removal");
        if let Some(content) = with {
            fs::write(database(&home), content).expect("another file");
        }
        assert_goes_on(&space, &mut stored);
        assert_goes_on(&other, &mut stored);
        write(&other, &mut stored, 2);
        assert_all_there(&space, &stored);
    }
}

#[test]
fn where_the_journal_is_damaged_too_nothing_is_given_up() {
    let home = Home::new();
    let (space, stored) = filled(&home);
    let journal = home.folder().join("journal");
    let segment = fs::read_dir(&journal)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|name| name == "jsonl"))
        .expect("a segment");
    let text = fs::read_to_string(&segment).expect("a segment");
    let damaged = text.replace("note 100:", "note 1o0:");
    assert_ne!(damaged, text);
    fs::write(&segment, damaged).expect("damage");
    let file = OpenOptions::new()
        .write(true)
        .open(database(&home))
        .expect("the database");
    let length = file.metadata().expect("its length").len();
    file.write_all_at(&vec![0x5a; (length - PAGE) as usize], PAGE)
        .expect("damage");
    let error = space.get(stored[5].0).expect_err("nothing can be mended");
    assert_eq!(error.next_step(), Some(NextStep::Repair), "{error}");
    assert_eq!(set_aside(&home), 0, "everything stays where it is");
}

/// Replaces a text by one of the same length in a file of a closed space.
fn damage(path: &Path, old: &str, new: &str) {
    assert_eq!(old.len(), new.len());
    let mut bytes = fs::read(path).expect("a copy");
    let places: Vec<_> = (0..bytes.len() - old.len())
        .filter(|at| bytes[*at..].starts_with(old.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "{}", path.display());
    for at in places {
        bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    }
    fs::write(path, bytes).expect("damaged");
}

#[test]
fn an_answer_lacks_what_is_damaged_in_both_copies_and_says_so() {
    let home = Home::new();
    let space = home.space();
    for animal in ["heron", "zebra", "otter"] {
        let text = format!("The {animal} lives in the shed");
        space.remember(text).expect("stored");
    }
    let question = Recall::new("who lives in the shed?");
    assert_eq!(space.recall(&question).expect("an answer").results.len(), 3);
    drop(space);
    damage(
        &home.folder().join("journal/000001.jsonl"),
        "zebra",
        "ZEBRA",
    );
    damage(&database(&home), "zebra", "ZEBRA");
    let space = home.space();
    let answer = space.recall(&question).expect("an answer");
    let found: Vec<_> = answer.results.iter().map(|hit| hit.memory.row.0).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(!found.contains(&2));
    assert_eq!(answer.degraded, [Answer::DAMAGED]);
    let request = ContextRequest::new("who lives in the shed?", 500);
    let context = space.context(&request).expect("a block");
    assert_eq!(context.entries.len(), 2);
    assert_eq!(context.degraded, [Answer::DAMAGED]);
    let all = Listing {
        limit: 10,
        ..Listing::default()
    };
    let (listed, skipped) = space.list_undamaged(&all).expect("a list");
    assert_eq!((listed.len(), skipped.count), (2, 1));
    space.list(&all).expect_err("damage");
}

#[test]
fn an_earlier_version_damaged_in_both_copies_does_not_stop_the_extraction() {
    let home = Home::new();
    let space = home.space();
    let id = space
        .remember("Ada Lovelace works at the zebra house")
        .expect("stored")
        .id;
    let edit = Edit {
        content: Some("Ada Lovelace works at Quellwerk".into()),
        ..Edit::default()
    };
    space.edit(id, &edit).expect("edited");
    space
        .remember("Ada Byron works at Quellwerk")
        .expect("stored");
    drop(space);
    damage(
        &home.folder().join("journal/000001.jsonl"),
        "zebra",
        "ZEBRA",
    );
    let versions = rusqlite::Connection::open(database(&home)).expect("the database");
    let damaged = versions.execute("UPDATE versions SET state = x'00'", ());
    assert_eq!(damaged.expect("damaged"), 1);
    drop(versions);
    let space = home.space();
    space.history(id).expect_err("a version is lost");
    space.extract(&mut |_| true).expect("extracted");
    let knowledge = space.knowledge().expect("the graph");
    for name in ["Ada Lovelace", "Ada Byron"] {
        knowledge.entity(name).expect(name);
    }
}
