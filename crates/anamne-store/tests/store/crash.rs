//! The next process that opens the space repairs what a crash or a bad disk left behind.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anamne_store::{SpaceSource, StoreError};
use anamne_types::{Draft, Edit, Link, LinkType, MemoryId};

use crate::common::{Home, MARK, assert_sound, child, child_task, head, open, open_in_child, user};

/// A space with every kind of event, and the contents that must not be lost.
fn stored(home: &Home) -> Vec<(MemoryId, String)> {
    let space = home.open();
    let mut ids = Vec::new();
    for content in ["gauge one", "gauge two", "gauge three"] {
        ids.push(
            space
                .remember(&user(), &content.into())
                .expect("a write")
                .id,
        );
    }
    let edit = Edit {
        content: Some("gauge 2".to_owned()),
        ..Edit::default()
    };
    space.edit(&user(), ids[1], &edit).expect("an edit");
    let link = Link {
        from: ids[0],
        to: ids[1],
        link_type: LinkType::Supersedes,
        weight: 0.5,
        reason: "newer".to_owned(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    space.link(&user(), &link).expect("a link");
    space
        .unlink(&user(), ids[0], ids[1], LinkType::Supersedes)
        .expect("an unlink");
    let batch = ["tap a", "tap b"].map(Draft::from);
    ids.extend(
        space
            .remember_all(&user(), &batch)
            .expect("a batch")
            .iter()
            .map(|stored| stored.id),
    );
    contents(&space, &ids)
}

fn contents(space: &SpaceSource, ids: &[MemoryId]) -> Vec<(MemoryId, String)> {
    ids.iter()
        .map(|&id| (id, space.get(id).expect("a memory").content))
        .collect()
}

/// Opens the space, and checks that nothing is lost and that writing works.
#[track_caller]
fn check_repaired(home: &Home, expected: &[(MemoryId, String)]) -> Vec<String> {
    let space = home.open();
    let ids: Vec<_> = expected.iter().map(|(id, _)| *id).collect();
    assert_eq!(contents(&space, &ids), expected);
    assert_sound(&space);
    let before = head(&space);
    space
        .remember(&user(), &"told afterwards".into())
        .expect("a write after mending");
    assert_eq!(head(&space).0, before.0 + 1);
    assert_sound(&space);
    let repaired = space.repaired();
    drop(space);
    assert!(
        home.open().repaired().is_empty(),
        "what is mended stays mended"
    );
    repaired
}

fn segment(home: &Home) -> std::path::PathBuf {
    home.journal().join("000001.jsonl")
}

fn truncate(path: &Path, length: usize) {
    let file = OpenOptions::new().write(true).open(path).expect("a file");
    file.set_len(length as u64).expect("a cut");
}

#[test]
fn a_journal_cut_anywhere_in_its_last_lines_is_mended() {
    let home = Home::new();
    let expected = stored(&home);
    let text = fs::read(segment(&home)).expect("a segment");
    let line_ends: Vec<_> = (0..text.len())
        .filter(|&index| text[index] == b'\n')
        .collect();
    // Cuts at every byte of the last line, and around the end of every line.
    let last_line = line_ends[line_ends.len() - 2];
    let ends = line_ends.iter().flat_map(|end| [*end, end + 1, end + 2]);
    for length in (last_line..text.len()).chain(ends.filter(|end| *end <= text.len())) {
        let copy = home.copy();
        truncate(&segment(&copy), length);
        check_repaired(&copy, &expected);
    }
}

#[test]
fn a_torn_line_behind_the_last_one_is_cut_off() {
    let home = Home::new();
    let expected = stored(&home);
    for torn in ["{", "{\"seq\":11,\"at\":\"2026", "\u{0}\u{0}\u{0}\u{0}"] {
        let copy = home.copy();
        let mut file = OpenOptions::new()
            .append(true)
            .open(segment(&copy))
            .expect("a segment");
        file.write_all(torn.as_bytes()).expect("a torn line");
        assert_eq!(
            check_repaired(&copy, &expected),
            Vec::<String>::new(),
            "a torn line is no damage"
        );
        let text = fs::read_to_string(segment(&copy)).expect("a segment");
        assert!(!text.contains(torn) || torn == "{", "{torn:?} is gone");
    }
}

#[test]
fn a_segment_that_was_only_begun_is_begun_again() {
    let home = Home::new();
    let expected = stored(&home);
    for begun in ["", "{\"anamne_jour"] {
        let copy = home.copy();
        fs::write(copy.journal().join("000002.jsonl"), begun).expect("a segment");
        check_repaired(&copy, &expected);
    }
    let home = Home::new();
    drop(home.open());
    fs::create_dir_all(home.journal()).expect("a folder");
    fs::write(segment(&home), "").expect("a segment");
    check_repaired(&home, &[]);
}

#[test]
fn a_segment_that_is_there_plain_and_sealed_counts_once() {
    let home = Home::new();
    let expected = stored(&home);
    let plain = fs::read(segment(&home)).expect("a segment");
    let sealed = zstd::encode_all(&plain[..plain.len() / 2], 3).expect("a frame");
    fs::write(home.journal().join("000001.jsonl.zst"), sealed).expect("a sealed segment");
    assert_eq!(check_repaired(&home, &expected), Vec::<String>::new());
}

#[test]
fn a_journal_whose_only_segment_is_sealed_continues() {
    let home = Home::new();
    let expected = stored(&home);
    let plain = fs::read(segment(&home)).expect("a segment");
    let sealed = zstd::encode_all(&plain[..], 3).expect("a frame");
    fs::write(home.journal().join("000001.jsonl.zst"), sealed).expect("a sealed segment");
    fs::remove_file(segment(&home)).expect("a removal");
    assert_eq!(check_repaired(&home, &expected), Vec::<String>::new());
    assert!(home.journal().join("000002.jsonl").exists());
}

#[test]
fn a_database_of_garbage_is_set_aside_and_restored() {
    let home = Home::new();
    let expected = stored(&home);
    let sound = fs::read(home.database()).expect("a database");
    let mut half = sound.clone();
    half[200..].fill(0xA5);
    for garbage in [
        b"this is no database at all, whatever its name says".to_vec(),
        half,
        Vec::new(),
        vec![0; 5000],
    ] {
        let copy = home.copy();
        copy.remove_database();
        fs::write(copy.database(), &garbage).expect("garbage");
        let repaired = check_repaired(&copy, &expected);
        assert!(
            repaired
                .iter()
                .any(|line| line.contains("restored from the journal")),
            "{repaired:?}"
        );
        if !garbage.is_empty() {
            let aside = copy.at("memories/active.db.damaged-1");
            assert_eq!(fs::read(aside).expect("the garbage, set aside"), garbage);
        }
    }
}

#[test]
fn a_restored_database_ignores_the_wal_of_the_lost_one() {
    let home = Home::new();
    let space = home.open();
    let id = space
        .remember(&user(), &"gauge".into())
        .expect("a write")
        .id;
    // The WAL exists only while a connection is open.
    let copy = home.copy();
    drop(space);
    assert!(copy.at("memories/active.db-wal").exists());
    fs::remove_file(copy.database()).expect("a removal");
    check_repaired(&copy, &[(id, "gauge".to_owned())]);
}

#[test]
fn damage_in_the_middle_of_the_journal_is_found_and_mended_from_the_database() {
    let home = Home::new();
    let expected = stored(&home);
    let text = fs::read(segment(&home)).expect("a segment");
    for index in (0..text.len()).step_by(37) {
        let copy = home.copy();
        let mut damaged = text.clone();
        damaged[index] ^= 0x10;
        fs::write(segment(&copy), &damaged).expect("a damaged segment");
        let Ok(space) = open(&copy.space()) else {
            // A header that claims a newer format is not repaired.
            assert!(index < 100, "byte {index}");
            continue;
        };
        let problems = space.verify_journal().expect("a report").problems;
        // A damaged last line is rewritten from the outbox; the damaged bytes are kept.
        let kept = copy.journal().join("000001.jsonl.tail.damaged-1").exists();
        // Without its line feed the last line is torn, as after a crash, and rewritten unchanged.
        let torn = index + 1 == text.len();
        assert!(
            !problems.is_empty() || !space.repaired().is_empty() || kept || torn,
            "byte {index} was changed and nobody noticed"
        );
        let ids: Vec<_> = expected.iter().map(|(id, _)| *id).collect();
        assert_eq!(contents(&space, &ids), expected);
    }
}

#[test]
fn if_both_copies_are_damaged_everything_before_the_damage_is_saved() {
    let home = Home::new();
    let expected = stored(&home);
    let text = fs::read_to_string(segment(&home)).expect("a segment");
    let damaged = text.replace("gauge three", "gauge thre3");
    fs::write(segment(&home), &damaged).expect("a damaged segment");
    home.remove_database();
    let repaired = check_repaired(&home, &[expected[0].clone()]);
    assert!(
        repaired
            .iter()
            .any(|line| line.contains("payload hash mismatch at event 3")),
        "{repaired:?}"
    );
    let aside = home.at("journal.damaged-1/000001.jsonl");
    assert_eq!(
        fs::read_to_string(aside).expect("the journal, set aside"),
        damaged
    );
}

#[test]
fn a_journal_of_another_space_is_not_taken_for_this_ones() {
    let (home, other) = (Home::new(), Home::new());
    let expected = stored(&home);
    stored(&other);
    home.remove_journal();
    crate::common::copy_folder(&other.journal(), &home.journal());
    let repaired = check_repaired(&home, &expected);
    assert!(
        repaired.iter().any(|line| line.contains("differs")),
        "{repaired:?}"
    );
}

#[test]
fn an_open_space_notices_that_a_copy_was_lost_or_replaced() {
    let home = Home::new();
    let expected = stored(&home);
    let space = home.open();
    let ids: Vec<_> = expected.iter().map(|(id, _)| *id).collect();
    space.remember(&user(), &"one".into()).expect("a write");
    home.remove_journal();
    space
        .remember(&user(), &"two".into())
        .expect("a write without a journal");
    assert_sound(&space);
    home.remove_database();
    assert_eq!(contents(&space, &ids), expected);
    space
        .remember(&user(), &"three".into())
        .expect("a write after the database was lost");
    assert_sound(&space);
    // Another handle, like one in another process, restores a broken database; this handle must not continue with the
    // old file.
    let mut watch = space.watch().expect("a watch");
    assert!(watch.changed().expect("a look"));
    home.remove_database();
    let other = home.open();
    let id = other.remember(&user(), &"four".into()).expect("a write").id;
    assert!(watch.changed().expect("a look"));
    assert_eq!(watch.head().expect("the head"), head(&other));
    assert_eq!(space.get(id).expect("the other's write").content, "four");
    space.remember(&user(), &"five".into()).expect("a write");
    assert_eq!(head(&other), head(&space));
    assert_sound(&other);
}

#[test]
fn an_erasure_that_a_crash_interrupted_is_finished() {
    let home = Home::new();
    let space = home.open();
    let secret = space
        .remember(&user(), &"the key is under stone eleven".into())
        .expect("a write")
        .id;
    drop(space);
    let journal = fs::read(segment(&home)).expect("a segment");
    let space = home.open();
    space.erase(&user(), secret).expect("an erasure");
    drop(space);
    // As if the machine had stopped between the commit and the journal write: the payload and the pending-erasure
    // record still exist.
    let erased = fs::read_to_string(segment(&home)).expect("a segment");
    let last = erased.lines().last().expect("the erasure");
    fs::write(segment(&home), [&journal, last.as_bytes(), b"\n"].concat())
        .expect("the older segment");
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    database
        .execute("INSERT INTO erasing (row) VALUES (1)", [])
        .expect("the note");
    drop(database);
    check_repaired(&home, &[]);
    let text = fs::read_to_string(segment(&home)).expect("a segment");
    assert!(!text.contains("stone eleven"), "{text}");
}

#[test]
fn child_writes_until_it_is_killed() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    let mut out = std::io::stdout();
    for round in 0.. {
        let stored = if round % 5 == 4 {
            let batch: Vec<_> = (0..3)
                .map(|part| Draft::new(format!("batch {number} {round} {part}")))
                .collect();
            space.remember_all(&user(), &batch).expect("a batch")
        } else {
            vec![
                space
                    .remember(
                        &user(),
                        &Draft::new(format!("single {number} {round}")).thread("log"),
                    )
                    .expect("a write"),
            ]
        };
        if round % 7 == 6 {
            space.forget(&user(), stored[0].id).expect("a change");
        }
        for stored in stored {
            writeln!(out, "{MARK}{}", stored.id).expect("the parent's pipe");
        }
        out.flush().expect("the parent's pipe");
    }
}

/// The number of threads of a child.
const THREADS: usize = 8;

#[test]
fn child_writes_with_many_threads_until_it_is_killed() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let space = &space;
            scope.spawn(move || {
                for round in 0.. {
                    let text = format!("thread {thread} of {number} writes {round}");
                    let draft = Draft::new(text).thread(format!("log {thread}"));
                    let id = space.remember(&user(), &draft).expect("a write").id;
                    // One call, so that lines of several threads don't mix.
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "{MARK}{id}").expect("the parent's pipe");
                    out.flush().expect("the parent's pipe");
                }
            });
        }
    });
}

#[test]
fn a_writer_killed_at_any_instant_loses_nothing_that_it_acknowledged() {
    kill_while_it_writes("crash::child_writes_until_it_is_killed", 20);
}

#[test]
fn many_threads_killed_at_any_instant_lose_nothing_that_they_acknowledged() {
    kill_while_it_writes(
        "crash::child_writes_with_many_threads_until_it_is_killed",
        20,
    );
}

fn kill_while_it_writes(writer: &str, rounds: usize) {
    let home = Home::new();
    drop(home.open());
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        let mut child = child(writer, &home.space(), round)
            .spawn()
            .expect("a child");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        // Killed right after an acknowledgement, during the child's next write.
        let wanted = (round * 7919) % 23 + 1;
        let mut found = Vec::new();
        while found.len() < wanted {
            let line = output.next().expect("the child goes on").expect("a line");
            found.extend(line.split_once(MARK).map(|(_, id)| id.to_owned()));
        }
        child.kill().expect("a kill");
        for line in output.map_while(Result::ok) {
            found.extend(
                line.split_once(MARK)
                    .filter(|(_, id)| id.len() == 36)
                    .map(|(_, id)| id.to_owned()),
            );
        }
        child.wait().expect("the child's end");
        acknowledged.extend(found);
        let space = home.open();
        for id in &acknowledged {
            space
                .get(id.parse().expect("an id"))
                .expect("an acknowledged memory");
        }
        assert_sound(&space);
        space
            .remember(&user(), &Draft::new(format!("after kill {round}")))
            .expect("a write");
        assert_sound(&space);
    }
    assert!(acknowledged.len() >= rounds);
}

#[test]
fn a_folder_that_cant_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").expect("a file");
    let error = open(&file.join("core"))
        .err()
        .expect("no space can be there");
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("core"), "{error}");
}
