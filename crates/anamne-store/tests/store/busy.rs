//! A database locked by another process is busy, not damaged, and is not quarantined.

use std::fs::OpenOptions;
use std::path::Path;

use anamne_store::{
    AgingScope, FileProblem, SpaceName, SpaceSource, Step, StoreError, SystemClock, entries,
    examine, repair,
};
use anamne_types::Draft;
use jiff::ToSpan;
use rusqlite::Connection;

use crate::common::{Home, assert_sound, user};

fn write(space: &SpaceSource, count: usize) {
    for number in 0..count {
        let stored = space.remember(&user(), &Draft::new(format!("page {number} of the log")));
        stored.expect("a write");
    }
}

/// Locks a database exclusively, so that nobody else can read it.
fn lock(database: &Path) -> Connection {
    let other = Connection::open(database).expect("opened");
    other
        .execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
        .expect("locked");
    other
}

#[track_caller]
fn assert_busy<T: std::fmt::Debug>(outcome: Result<T, StoreError>) {
    let error = outcome.expect_err("busy");
    assert_eq!(error.problem(), Some(FileProblem::Busy), "{error}");
    assert!(error.to_string().contains("another process"), "{error}");
}

#[track_caller]
fn assert_nothing_aside(home: &Home) {
    let names = entries(&home.at("memories")).expect("a folder");
    let is_aside = |path: &std::path::PathBuf| path.to_string_lossy().contains(".damaged");
    assert!(!names.iter().any(is_aside), "{names:?}");
}

#[test]
fn a_locked_database_is_not_repaired_and_not_set_aside() {
    let home = Home::new();
    let space = home.open();
    write(&space, 3);
    drop(space);
    let other = lock(&home.database());
    let repair = || repair(&home.space(), &SpaceName::core(), &SystemClock);
    assert_busy(repair());
    assert_busy(examine(&home.space()));
    drop(other);
    assert_nothing_aside(&home);
    let repaired = repair().expect("repaired");
    assert_eq!((repaired.repaired, repaired.lost), (vec![], vec![]));
    assert_sound(&home.open());
}

#[test]
fn a_database_locked_only_for_writing_is_examined_and_found_sound() {
    let home = Home::new();
    let space = home.open();
    write(&space, 3);
    drop(space);
    let other = Connection::open(home.database()).expect("opened");
    other.execute_batch("BEGIN EXCLUSIVE").expect("begun");
    let repaired =
        repair(&home.space(), &SpaceName::core(), &SystemClock).expect("nothing to repair");
    assert_eq!((repaired.repaired, repaired.lost), (vec![], vec![]));
    drop(other);
    assert_nothing_aside(&home);
}

#[test]
fn a_database_truncated_while_open_elsewhere_is_repaired() {
    for length in [0, 50, 5_000] {
        let home = Home::new();
        let space = home.open();
        write(&space, 40);
        // Its connections stay open and hold locks that keep SQLite from initialising an empty file as a database.
        let other = Connection::open(home.database()).expect("opened");
        let sent_on = other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        sent_on.expect("everything is in the file");
        let file = OpenOptions::new().write(true).open(home.database());
        file.and_then(|file| file.set_len(length)).expect("a cut");
        let repaired = repair(&home.space(), &SpaceName::core(), &SystemClock).expect("repaired");
        assert_eq!(repaired.lost, Vec::<String>::new(), "{length}");
        assert_ne!(repaired.repaired, Vec::<String>::new(), "{length}");
        drop(space);
        assert_sound(&home.open());
    }
}

#[test]
fn a_locked_file_of_a_colder_tier_is_busy_too() {
    let home = Home::new();
    let space = home.open();
    let then = space.now() - (24 * 300).hours();
    let draft = Draft::new("page 1 of the log").occurred_at(then);
    let id = space.remember(&user(), &draft).expect("a write").id;
    let mut mover = space.mover(AgingScope::All).expect("a mover");
    while mover.step().expect("a step") != Step::Done {}
    drop(mover);
    drop(space);
    let space = home.open();
    let file = entries(&home.at("memories")).expect("a folder");
    let file = file
        .iter()
        .find(|path| path.to_string_lossy().contains("archive"));
    let other = lock(file.expect("an archive"));
    assert_busy(space.get(id));
    assert_busy(repair(&home.space(), &SpaceName::core(), &SystemClock));
    drop(other);
    assert_nothing_aside(&home);
    assert_eq!(space.get(id).expect("a memory").content, draft.content);
    assert_eq!(space.repaired(), Vec::<String>::new());
}
