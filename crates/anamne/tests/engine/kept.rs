//! Paid and observed data are kept when derived data is deleted.

use std::fs;
use std::path::Path;

use anamne::{Recall, Row, Seq, Space, Store};
use anamne_knowledge::reading::Reading;
use anamne_knowledge::readings::{ConflictReading, Readings};

const PAID: &str = "paid/readings.db";
const OBSERVED: &str = "observed/meta.db";
const TEXT: &str = "The lamp number 1 burns in the harbour";

fn open(root: &Path) -> Space {
    let store = Store::open(root).expect("a store");
    store.space("tests").expect("a space")
}

/// A space with readings and a verdict of a model, and with a logged query.
fn used(root: &Path) -> Space {
    let space = open(root);
    for number in 0..20 {
        let stored = format!("The lamp number {number} burns in the harbour");
        space.remember(stored).expect("told");
    }
    let readings = Readings::open(&space.folder().join(PAID)).expect("opened");
    let empty = Reading {
        mentions: Vec::new(),
        statements: Vec::new(),
    };
    readings
        .put(Row(1), Seq(2), "a model", Some((&empty, TEXT)))
        .expect("kept");
    let verdict = ConflictReading {
        kind: None,
        reason: "both burn".to_owned(),
    };
    readings.judge("abc", "a model", &verdict).expect("kept");
    space.recall(&Recall::new("lamp")).expect("an answer");
    space.settle(&mut |_, _| {}).expect("settled");
    space.summarise(&mut |_| {}).expect("summarised");
    space.extract(&mut |_| true).expect("extracted");
    space
}

#[track_caller]
fn check_kept(space: &Space) {
    let readings = Readings::open(&space.folder().join(PAID)).expect("opened");
    assert_eq!(readings.position().expect("read"), Seq(2));
    assert!(readings.of(Row(1), Seq(2), TEXT).expect("read").is_some());
    // The reading of another text doesn't count.
    let other = readings.of(Row(1), Seq(2), "another text");
    assert_eq!(other.expect("read"), None);
    let verdict = readings.verdict("abc").expect("read");
    assert_eq!(verdict.expect("a verdict").reason, "both burn");
    let log = space.query_log(10).expect("a log");
    assert_eq!(log.last().map(|first| first.number), Some(1), "{log:?}");
    let answer = space.recall(&Recall::new("lamp")).expect("an answer");
    assert!(!answer.results.is_empty() && answer.degraded.is_empty());
}

#[test]
fn a_rebuild_keeps_it() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let mark = space.folder().join("views/mark");
    fs::write(&mark, "left behind").expect("written");
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert!(!mark.exists());
    check_kept(&space);
}

#[test]
fn views_can_be_deleted_by_hand_at_any_time() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let views = space.folder().join("views");
    drop(space);
    fs::remove_dir_all(&views).expect("removed");
    check_kept(&open(home.path()));
}

#[test]
fn a_database_that_is_restored_keeps_it() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let memories = space.folder().join("memories");
    drop(space);
    fs::remove_dir_all(&memories).expect("removed");
    let space = open(home.path());
    assert_eq!(space.report().expect("a report").statistics.memories, 20);
    check_kept(&space);
}

#[test]
fn a_repair_keeps_it() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let database = space.folder().join("memories/active.db");
    drop(space);
    fs::write(&database, vec![7; 20_000]).expect("damaged");
    let store = Store::open(home.path()).expect("a store");
    let reports = store.repair(None).expect("repaired");
    assert!(reports[0].is_whole(), "{reports:?}");
    drop(store);
    check_kept(&open(home.path()));
}

#[test]
fn what_was_read_of_events_that_are_lost_is_read_anew() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let folder = space.folder().to_owned();
    let readings = Readings::open(&folder.join(PAID)).expect("opened");
    readings
        .put(Row(300), Seq(300), "a model", None)
        .expect("kept");
    drop((space, readings));
    let space = open(home.path());
    space.extract(&mut |_| true).expect("extracted");
    drop(space);
    let readings = Readings::open(&folder.join(PAID)).expect("opened");
    assert_eq!(readings.position().expect("read"), Seq(20));
    assert!(readings.of(Row(1), Seq(2), TEXT).expect("read").is_some());
}

/// Moves the files to where earlier versions stored them.
fn as_before(space: &Path) {
    for (present, former) in [(PAID, "views/readings.db"), (OBSERVED, "views/meta.db")] {
        for ending in ["", "-wal", "-shm"] {
            let [from, to] = [present, former].map(|path| space.join(format!("{path}{ending}")));
            if from.exists() {
                fs::rename(from, to).expect("moved");
            }
        }
        let folder = space.join(present);
        fs::remove_dir_all(folder.parent().expect("a folder")).expect("removed");
    }
}

#[test]
fn a_store_of_an_earlier_version_has_it_moved() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let folder = space.folder().to_owned();
    drop(space);
    as_before(&folder);
    let space = open(home.path());
    assert!(!folder.join("views/readings.db").exists() && !folder.join("views/meta.db").exists());
    check_kept(&space);
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    check_kept(&space);
}

#[test]
fn a_store_of_an_earlier_version_keeps_it_when_its_database_is_restored() {
    let home = tempfile::tempdir().expect("a folder");
    let space = used(home.path());
    let folder = space.folder().to_owned();
    drop(space);
    as_before(&folder);
    fs::remove_dir_all(folder.join("memories")).expect("removed");
    check_kept(&open(home.path()));
}
