//! The journal goes on over its segments, full ones are sealed, and the chain runs through all of them.

mod common;

use std::fs;

use anamne_types::Draft;
use common::{Home, assert_sound, head, lines, user};

fn big(number: usize) -> Draft {
    let text = format!("{number} ").repeat(225_000 / (number.to_string().len() + 1));
    Draft::new(text.trim_end())
}

fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(home.journal())
        .expect("a journal")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a plain name")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn full_segments_are_sealed_and_the_chain_goes_on() {
    let home = Home::new();
    let space = home.open();
    for number in 0..24 {
        space.remember(&user(), &big(number)).expect("a write");
    }
    assert_eq!(
        names(&home),
        ["000001.jsonl", "000002.jsonl", "000003.jsonl"]
    );
    assert_sound(&space);
    let other = home.open();
    assert_eq!(space.seal_journal().expect("sealing"), 2);
    assert_eq!(space.seal_journal().expect("nothing more to seal"), 0);
    assert_eq!(
        names(&home),
        ["000001.jsonl.zst", "000002.jsonl.zst", "000003.jsonl"]
    );
    other
        .remember(&user(), &"from the other".into())
        .expect("a write after sealing");
    space
        .remember(&user(), &"from here".into())
        .expect("a write after sealing");
    assert_sound(&space);
    drop((space, other));
    let space = home.open();
    assert!(space.mended().is_empty());
    space
        .remember(&user(), &"after reopening".into())
        .expect("a write");
    assert_sound(&space);
    let before = head(&space);
    drop(space);
    home.remove_database();
    let space = home.open();
    assert_eq!(
        (head(&space), lines(&home).len() as u64),
        (before, before.0)
    );
    assert_sound(&space);
}

#[test]
fn a_batch_larger_than_a_segment_is_spread_over_several() {
    let home = Home::new();
    let space = home.open();
    space.remember(&user(), &"first".into()).expect("a write");
    let batch: Vec<_> = (0..30).map(big).collect();
    space.remember_all(&user(), &batch).expect("a batch");
    assert!(names(&home).len() >= 3, "{:?}", names(&home));
    let largest = fs::read_dir(home.journal())
        .expect("a journal")
        .map(|entry| entry.expect("an entry").metadata().expect("a size").len())
        .max();
    assert!(
        largest < Some(4 << 20),
        "a segment is full soon after 2 MiB"
    );
    assert_sound(&space);
    // Lost segments of a batch come back from the database.
    drop(space);
    fs::remove_file(home.journal().join("000003.jsonl")).expect("a removal");
    let space = home.open();
    assert_sound(&space);
    assert_eq!(space.statistics().expect("counts").memories, 31);
}

#[test]
fn a_damaged_sealed_segment_is_reported_and_the_memories_stay() {
    let home = Home::new();
    let space = home.open();
    for number in 0..12 {
        space.remember(&user(), &big(number)).expect("a write");
    }
    assert_eq!(space.seal_journal().expect("sealing"), 1);
    let sealed = home.journal().join("000001.jsonl.zst");
    let mut bytes = fs::read(&sealed).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    fs::write(&sealed, bytes).expect("a damaged segment");
    let problems = space.verify_journal().expect("a report").problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("000001.jsonl.zst"), "{problems:?}");
    assert_eq!(space.statistics().expect("counts").memories, 12);
}
