//! What a server asks of a store: notices of commits, how far views are behind, and whether it can be written.

use anamne::{LogQuery, Options, Seq, Store, ViewLag};

use crate::common::Home;

fn open(folder: &tempfile::TempDir) -> Store {
    let options = Options::new(folder.path().join("store")).background(false);
    Store::open_with(options).expect("a store")
}

#[test]
fn commits_of_another_process_are_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (open(&folder), open(&folder));
    let space = one.space("atlas").expect("a space");
    space.remember("The ferry leaves at nine").expect("told");
    let mut watch = space.watch().expect("a watch");
    let head = watch.changed().expect("a look").expect("the first look");
    assert_eq!(watch.changed().expect("a look"), None);
    let written = other.space("atlas").expect("a space");
    let told = written.remember("The ferry leaves at ten").expect("told");
    assert_eq!(watch.changed().expect("a look"), Some(Seq(head.0 + 1)));
    let query = LogQuery {
        after: Some(head),
        oldest_first: true,
        ..LogQuery::default()
    };
    let entries = space.log(&query).expect("a log");
    let events: Vec<_> = entries.into_iter().map(|entry| entry.event).collect();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].seq.0, events[0].memory), (head.0 + 1, told.id));
}

#[test]
fn a_store_says_how_far_views_are_behind_and_whether_it_can_be_written() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    assert!(store.views_behind(8).expect("numbers").is_empty());
    let space = store.space("atlas").expect("a space");
    space.remember("The ferry leaves at nine").expect("told");
    clock.set("2026-03-01T12:00:30Z");
    let behind = store.views_behind(8).expect("numbers");
    assert_eq!(behind["lexical"], ViewLag::default());
    let knowledge = behind["knowledge"];
    assert_eq!(knowledge.events, 1);
    assert!((knowledge.seconds - 30.0).abs() < 1e-6, "{knowledge:?}");
    space.extract(&mut |_| true).expect("extracted");
    let behind = store.views_behind(8).expect("numbers");
    assert_eq!(behind["knowledge"], ViewLag::default());
    assert!(store.views_behind(0).expect("numbers").is_empty());
    store.check_writable().expect("writable");
    let left = std::fs::read_dir(store.root()).expect("a folder");
    let hidden = left.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().starts_with('.')
    });
    assert_eq!(hidden.count(), 0);
    std::fs::remove_dir_all(store.root()).expect("removed");
    assert!(store.check_writable().is_err());
}
