//! Stores written by earlier versions are kept as fixtures, and must always open, answer and verify.

use std::fs;
use std::path::Path;

use anamne_store::{Listing, SpaceSource};
use anamne_types::{Draft, Memory};
use rusqlite::Connection;

use crate::common::{Home, assert_sound, user};

/// Sets up the space of a fixture, written by a version with this format.
fn made_by_format(number: u32) -> Home {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(format!("format-{number}"));
    let home = Home::new();
    fs::create_dir_all(home.at("memories")).expect("a folder");
    crate::common::copy_folder(&fixture.join("journal"), &home.journal());
    fs::copy(fixture.join("space.toml"), home.at("space.toml")).expect("settings");
    let packed = fs::read(fixture.join("active.db.zst")).expect("a database");
    let database = zstd::decode_all(&packed[..]).expect("a database");
    fs::write(home.database(), database).expect("a database");
    home
}

fn contents(space: &SpaceSource) -> Vec<Memory> {
    let listing = Listing {
        limit: 100,
        ..Listing::default()
    };
    let mut memories = space.list(&listing).expect("a list");
    memories.sort_by_key(|memory| memory.row);
    memories
}

/// Checks everything that the fixture contains.
fn check_harbour(space: &SpaceSource) {
    let memories = contents(space);
    let start = |memory: &Memory| memory.content.chars().take(20).collect::<String>();
    assert_eq!(
        memories.iter().map(start).collect::<Vec<_>>(),
        [
            "The harbour gauge re",
            "Night watch begins a",
            "The mole is closed i",
            "潮位は六時に記録する",
            "tide table 0: high w",
            "tide table 1: high w",
            "tide table 2: high w",
            "The last thing that "
        ]
    );
    let [gauge, watch, mole, ..] = &memories[..] else {
        panic!("three memories");
    };
    assert_eq!(
        (gauge.author.as_deref(), gauge.thread.as_deref()),
        (Some("Runa"), Some("watch"))
    );
    assert_eq!(watch.content, "Night watch begins at half past ten");
    assert_eq!(
        (watch.tags.as_slice(), watch.version),
        (&["rota".to_owned()][..], 2)
    );
    assert_eq!(mole.importance, 9);
    let earlier = space.history(watch.id).expect("a history");
    let first = earlier[0].memory.as_ref().expect("its first state");
    assert_eq!(first.content, "Night watch begins at ten, not at nine");
    let links = space.links(gauge.id).expect("links");
    assert_eq!((links.len(), links[0].to), (1, mole.id));
    assert_eq!(links[0].reason, "both are about water");
    let counts = space.statistics().expect("counts");
    assert_eq!(
        (counts.memories, counts.forgotten, counts.erased),
        (8, 1, 1)
    );
}

#[test]
fn a_space_of_format_1_opens_reads_and_takes_more() {
    let home = made_by_format(1);
    let space = home.open();
    assert!(space.repaired().is_empty(), "{:?}", space.repaired());
    check_harbour(&space);
    space
        .remember(&user(), &Draft::new("told to the present version"))
        .expect("a write");
    assert_eq!(contents(&space).len(), 9);
    assert_sound(&space);
}

#[test]
fn a_journal_of_format_1_alone_gives_the_space_back() {
    let home = made_by_format(1);
    home.remove_database();
    let space = home.open();
    check_harbour(&space);
    assert_sound(&space);
}

#[test]
fn a_space_of_format_2_opens_reads_and_takes_more() {
    let home = made_by_format(1);
    drop(home.open());
    // What format 3 added is taken away.
    let connection = Connection::open(home.database()).expect("a database");
    connection
        .execute_batch(
            "DROP INDEX memories_member; DROP TABLE shares; DROP TABLE dropped; DROP TABLE homes;
             ALTER TABLE memories DROP COLUMN member; PRAGMA user_version = 2;",
        )
        .expect("a database of format 2");
    connection.close().expect("closed");
    let space = home.open();
    assert!(space.repaired().is_empty(), "{:?}", space.repaired());
    check_harbour(&space);
    space
        .remember(&user(), &Draft::new("told to the present version"))
        .expect("a write");
    assert_eq!(contents(&space).len(), 9);
    assert_eq!(space.shares().expect("shares"), []);
    assert_sound(&space);
}
