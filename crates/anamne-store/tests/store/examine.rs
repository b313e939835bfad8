//! Damage is reported by file and event, examining changes nothing, and each copy repairs the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anamne_store::{
    Examination, Finding, Part, Repair, SpaceName, SpaceSource, StoreError, examine, repair,
};
use anamne_types::{Actor, Draft, Edit, Link, LinkType, Memory, MemoryId, Seq, Version};

use crate::common::{Home, assert_sound, clock, copy_folder, files_under, user};

/// A space with every kind of event.
fn stored(home: &Home) -> Vec<MemoryId> {
    let space = home.open();
    let write = |text: &str| {
        let draft = Draft::new(text).thread("dyke watch").tag("water");
        space.remember(&user(), &draft).expect("a write").id
    };
    let ids: Vec<_> = ["gauge one", "gauge two", "gauge three", "gauge four"]
        .into_iter()
        .map(write)
        .collect();
    let edit = Edit {
        content: Some("gauge 2 reads low".to_owned()),
        ..Edit::default()
    };
    space.edit(&user(), ids[1], &edit).expect("an edit");
    let link = |from, to, link_type| Link {
        from,
        to,
        link_type,
        weight: 0.5,
        reason: "seen at low tide".to_owned(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    let agent = Actor::agent("scribe");
    for (to, link_type) in [
        (ids[1], LinkType::Supersedes),
        (ids[2], LinkType::Supports),
        (ids[2], LinkType::Supports),
    ] {
        let link = link(ids[0], to, link_type);
        space.link(&agent, &link).expect("a link");
    }
    space
        .unlink(&user(), ids[0], ids[1], LinkType::Supersedes)
        .expect("an unlink");
    space.forget(&user(), ids[3]).expect("a change");
    let erased = write("the key lies under stone eleven");
    space
        .link(&user(), &link(ids[0], erased, LinkType::Causes))
        .expect("a link");
    space.erase(&user(), erased).expect("an erasure");
    ids
}

/// Number of events written by [`stored`].
const EVENTS: u64 = 15;

fn segment(home: &Home) -> PathBuf {
    home.journal().join("000001.jsonl")
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files_under(folder)
        .into_iter()
        .map(|path| {
            let bytes = fs::read(&path).expect("a file");
            let name = path.strip_prefix(folder).expect("inside").to_owned();
            (name, bytes)
        })
        .collect()
}

fn look(home: &Home) -> Examination {
    examine(&home.space()).expect("an examination")
}

fn repair_home(home: &Home) -> Repair {
    repair(&home.space(), &SpaceName::core(), clock().as_ref()).expect("a repair")
}

/// The losses, except for link reasons of removed links, which only the journal keeps.
fn lost_states(repaired: &Repair) -> Vec<&String> {
    let of_link = |lost: &&String| lost.contains("(linked)") || lost.contains("(unlinked)");
    repaired.lost.iter().filter(|lost| !of_link(lost)).collect()
}

/// The complete content of these memories.
fn everything(space: &SpaceSource, ids: &[MemoryId]) -> Vec<(Memory, Vec<Version>, Vec<Link>)> {
    ids.iter()
        .map(|&id| {
            (
                space.get(id).expect("a memory"),
                space.history(id).expect("a history"),
                space.links(id).expect("links"),
            )
        })
        .collect()
}

/// Replaces the only occurrence of these bytes in a file.
#[track_caller]
fn replace(path: &Path, old: &str, new: &str) {
    assert_eq!(old.len(), new.len());
    let mut bytes = fs::read(path).expect("a file");
    let places: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(old.as_bytes()))
        .collect();
    assert_eq!(places.len(), 1, "{old:?} stands there once");
    bytes[places[0]..places[0] + new.len()].copy_from_slice(new.as_bytes());
    fs::write(path, bytes).expect("damage");
}

#[track_caller]
fn check_finding(home: &Home, part: Part, file: &str, event: u64) {
    let found = look(home).findings;
    let names = |finding: &Finding| {
        (finding.part, finding.file.as_str(), finding.event) == (part, file, Some(Seq(event)))
    };
    assert!(found.iter().any(names), "{found:?}");
}

#[test]
fn a_sound_space_has_no_findings_and_looking_changes_no_byte() {
    let home = Home::new();
    stored(&home);
    let before = contents(&home.space());
    let found = look(&home);
    assert_eq!((found.findings, found.notes), (vec![], vec![]));
    assert_eq!((found.last_seq, found.events), (Seq(EVENTS), EVENTS));
    assert_eq!((found.rows, found.segments), (5, 1));
    assert!(found.erased >= 2);
    assert_eq!(contents(&home.space()), before);
    // The same if a crash left the WAL behind.
    let open = home.open();
    let id = open
        .remember(&user(), &"in the log".into())
        .expect("a write")
        .id;
    let crashed = home.copy();
    drop(open);
    assert!(crashed.at("memories/active.db-wal").exists());
    let content = |home: &Home| {
        let mut files = contents(&home.space());
        // Every reader recreates SQLite's index of the WAL.
        files.remove(Path::new("memories/active.db-shm"));
        files
    };
    let before = content(&crashed);
    assert_eq!(look(&crashed).findings, []);
    assert_eq!(content(&crashed), before);
    assert!(crashed.open().get(id).is_ok());
}

#[test]
fn a_flipped_byte_anywhere_in_the_journal_is_named_and_mended() {
    let home = Home::new();
    let ids = stored(&home);
    let expected = everything(&home.open(), &ids);
    let text = fs::read(segment(&home)).expect("a segment");
    let mut line = 0;
    for at in 0..text.len() {
        line += u64::from(at > 0 && text[at - 1] == b'\n');
        if at % 29 != 0 && text[at] != b'\n' {
            continue;
        }
        let copy = home.copy();
        let mut damaged = text.clone();
        damaged[at] ^= 0x04;
        fs::write(segment(&copy), &damaged).expect("damage");
        let found = match examine(&copy.space()) {
            // A header that claims a newer format can't be judged.
            Err(StoreError::Newer { .. }) => continue,
            found => found.expect("an examination"),
        };
        let names = |finding: &Finding| {
            finding.part == Part::Journal
                && finding.file.starts_with("journal")
                && finding
                    .event
                    .is_none_or(|event| event.0.abs_diff(line) <= 1)
        };
        if at + 1 == text.len() {
            // A torn last line, which the next writer repairs from the outbox.
            assert!(
                found.notes[0].contains("1 events in the database"),
                "{:?}",
                found.notes
            );
            continue;
        }
        assert!(
            found.findings.iter().any(names),
            "byte {at} in line {line}: {:?}",
            found.findings
        );
        assert!(found.findings.len() <= 2, "{:?}", found.findings);
        let repaired = repair_home(&copy);
        assert_eq!(lost_states(&repaired), Vec::<&String>::new(), "byte {at}");
        assert_eq!(look(&copy).findings, [], "byte {at}");
        let aside = fs::read(copy.at("journal.damaged-1/000001.jsonl"));
        assert_eq!(aside.expect("the journal, set aside"), damaged);
        let space = copy.open();
        assert_eq!(space.repaired(), Vec::<String>::new());
        assert_eq!(everything(&space, &ids), expected);
    }
}

#[test]
fn a_flipped_byte_anywhere_in_the_database_is_named_or_means_nothing() {
    let home = Home::new();
    let ids = stored(&home);
    let expected = everything(&home.open(), &ids);
    let sound = fs::read(home.database()).expect("a database");
    let mut named = 0;
    for at in (0..sound.len()).step_by(331) {
        let copy = home.copy();
        let mut damaged = sound.clone();
        damaged[at] ^= 0x04;
        fs::write(copy.database(), &damaged).expect("damage");
        let found = match examine(&copy.space()) {
            Err(StoreError::Newer { .. }) => continue,
            found => found.expect("an examination"),
        };
        if found.findings.is_empty() {
            // The byte is in unused space.
            assert_eq!(everything(&copy.open(), &ids), expected, "byte {at}");
            continue;
        }
        named += 1;
        assert!(
            found
                .findings
                .iter()
                .all(|finding| finding.part == Part::Database)
        );
        let repaired = repair_home(&copy);
        assert_eq!(repaired.lost, Vec::<String>::new(), "byte {at}");
        assert_eq!(look(&copy).findings, [], "byte {at}");
        let aside = fs::read(copy.at("memories/active.db.damaged-1"));
        assert_eq!(aside.expect("the database, set aside"), damaged);
        assert_eq!(everything(&copy.open(), &ids), expected, "byte {at}");
    }
    assert!(named >= 5, "{named}");
}

#[test]
fn a_changed_word_in_the_database_is_named_by_its_event() {
    for (old, new, event) in [
        ("gauge three", "gauge thre3", 3),
        ("gauge 2 reads low", "gauge 2 reads 1ow", 11),
        ("dyke watch", "dike watch", 1),
        ("scribe", "scr1be", 6),
    ] {
        let home = Home::new();
        let ids = stored(&home);
        let database = rusqlite::Connection::open(home.database()).expect("a database");
        // SQLite itself makes the change, so only the digests of the log can detect it.
        for sql in [
            "UPDATE memories SET content = replace(content, ?1, ?2)",
            "UPDATE names SET name = replace(name, ?1, ?2)",
            "UPDATE events SET actor_name = replace(actor_name, ?1, ?2)",
        ] {
            database.execute(sql, [old, new]).expect("a change");
        }
        drop(database);
        check_finding(&home, Part::Database, "memories/active.db", event);
        let repaired = repair_home(&home);
        assert_eq!(repaired.lost, Vec::<String>::new());
        assert_eq!(look(&home).findings, []);
        assert_eq!(
            home.open().get(ids[2]).expect("a memory").content,
            "gauge three"
        );
    }
}

#[test]
fn rows_that_differ_from_the_journal_are_found() {
    for (sql, event) in [
        (
            "UPDATE memories SET deleted_at = NULL WHERE row = 4",
            Some(12),
        ),
        ("UPDATE memories SET erased = 1 WHERE row = 1", Some(1)),
        (
            "DELETE FROM versions WHERE row = 2 AND version = 1",
            Some(2),
        ),
        (
            "UPDATE memories SET hash = zeroblob(16) WHERE row = 3",
            Some(3),
        ),
        ("DELETE FROM tags WHERE row = 1", Some(1)),
        ("DELETE FROM links", None),
    ] {
        let home = Home::new();
        stored(&home);
        let database = rusqlite::Connection::open(home.database()).expect("a database");
        assert!(database.execute(sql, []).expect("a change") > 0, "{sql}");
        drop(database);
        let found = look(&home).findings;
        assert!(
            found
                .iter()
                .any(|finding| finding.part == Part::Database && finding.event == event.map(Seq)),
            "{sql}: {found:?}"
        );
        assert_eq!(repair_home(&home).lost, Vec::<String>::new());
        assert_eq!(look(&home).findings, [], "{sql}");
    }
}

#[test]
fn missing_files_are_named_and_mended() {
    for file in ["space.toml", "memories/active.db", "journal/000001.jsonl"] {
        let home = Home::new();
        let ids = stored(&home);
        let expected = everything(&home.open(), &ids);
        fs::remove_file(home.at(file)).expect("a loss");
        let found = look(&home).findings;
        assert!(
            found
                .iter()
                .any(|finding| file.starts_with(finding.file.as_str())),
            "{file}: {found:?}"
        );
        assert_eq!(
            lost_states(&repair_home(&home)),
            Vec::<&String>::new(),
            "{file}"
        );
        assert_eq!(look(&home).findings, [], "{file}");
        assert_eq!(everything(&home.open(), &ids), expected, "{file}");
    }
}

#[test]
fn settings_that_cant_be_read_are_set_aside() {
    let home = Home::new();
    stored(&home);
    for garbage in ["format = \"one\"".as_bytes(), b"\xff\xfe", b""] {
        fs::write(home.at("space.toml"), garbage).expect("damage");
        let found = look(&home).findings;
        assert_eq!(found[0].part, Part::Settings, "{found:?}");
        repair_home(&home);
        assert_eq!(look(&home).findings, []);
    }
    let aside = fs::read(home.at("space.toml.damaged-2")).expect("set aside");
    assert_eq!(aside, b"\xff\xfe");
}

#[test]
fn a_list_of_backups_that_cant_be_read_is_set_aside() {
    let (home, shelf) = (Home::new(), Home::new());
    stored(&home);
    home.open().backup(&shelf.space()).expect("a backup");
    fs::write(home.at("backups.toml"), "format = 1\nbackup = 3").expect("damage");
    let found = look(&home).findings;
    assert_eq!(
        (found[0].part, found[0].file.as_str()),
        (Part::Settings, "backups.toml")
    );
    assert!(home.open().backups().is_err());
    repair_home(&home);
    assert_eq!(look(&home).findings, []);
    home.open().backup(&shelf.space()).expect("a backup");
    assert_eq!(home.open().backups().expect("known backups").len(), 1);
}

#[test]
fn damage_in_different_places_of_both_copies_is_repaired() {
    let home = Home::new();
    let ids = stored(&home);
    let expected = everything(&home.open(), &ids);
    replace(
        &segment(&home),
        "\"content\":\"gauge one\"",
        "\"content\":\"gouge one\"",
    );
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    database
        .execute(
            "UPDATE memories SET content = 'gauge thre3' WHERE row = 3",
            [],
        )
        .expect("a change");
    drop(database);
    check_finding(&home, Part::Journal, "journal/000001.jsonl", 1);
    check_finding(&home, Part::Database, "memories/active.db", 3);
    assert_eq!(repair_home(&home).lost, Vec::<String>::new());
    assert_eq!(look(&home).findings, []);
    assert_eq!(everything(&home.open(), &ids), expected);
}

#[test]
fn losses_in_both_copies_are_listed_and_the_rest_is_saved() {
    let home = Home::new();
    let ids = stored(&home);
    replace(
        &segment(&home),
        "\"content\":\"gauge three\"",
        "\"content\":\"gauge thre3\"",
    );
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    database
        .execute(
            "UPDATE memories SET content = 'gauge thre3' WHERE row = 3",
            [],
        )
        .expect("a change");
    drop(database);
    let repaired = repair_home(&home);
    assert_eq!(repaired.lost.len(), 1, "{:?}", repaired.lost);
    assert!(
        repaired.lost[0].contains(&ids[2].to_string()),
        "{:?}",
        repaired.lost
    );
    assert_eq!(look(&home).findings, []);
    let space = home.open();
    assert_sound(&space);
    assert!(space.get(ids[2]).is_err());
    for &id in &ids[..2] {
        space.get(id).expect("the others are there");
    }
    assert_eq!(space.statistics().expect("counts").events, EVENTS);
}

#[test]
fn a_journal_of_another_space_gives_way_to_the_database() {
    let (home, other) = (Home::new(), Home::new());
    let ids = stored(&home);
    let expected = everything(&home.open(), &ids);
    stored(&other);
    home.remove_journal();
    copy_folder(&other.journal(), &home.journal());
    let found = look(&home).findings;
    assert!(
        found.iter().any(|finding| finding.part == Part::Journal),
        "{found:?}"
    );
    repair_home(&home);
    assert_eq!(look(&home).findings, []);
    assert_eq!(everything(&home.open(), &ids), expected);
}

#[test]
fn a_space_without_damage_is_left_as_it_is() {
    let home = Home::new();
    stored(&home);
    let before = contents(&home.space());
    assert_eq!(repair_home(&home), Repair::default());
    assert_eq!(contents(&home.space()), before);
}

#[test]
fn an_event_that_waits_for_the_journal_is_no_damage() {
    let home = Home::new();
    let ids = stored(&home);
    let text = fs::read_to_string(segment(&home)).expect("a segment");
    let last = text.trim_end().rfind('\n').expect("lines") + 1;
    // As after a crash between the commit and the journal write, whole or torn.
    for torn in [last, last + 20] {
        let copy = home.copy();
        fs::write(segment(&copy), &text[..torn]).expect("a segment");
        let found = look(&copy);
        assert_eq!(found.findings, []);
        assert!(
            found.notes[0].contains("1 events in the database"),
            "{:?}",
            found.notes
        );
        assert_eq!(
            copy.open().get(ids[0]).expect("a memory").content,
            "gauge one"
        );
    }
}
