//! A backup is a complete, verified store of its own, updated incrementally.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{
    BackupState, Finding, Part, Repair, SpaceName, SpaceSource, StoreError, StoreFolder,
    SystemClock, examine, repair,
};
use anamne_types::{Draft, Edit, MemoryId, Seq};

use crate::common::{
    Home, MARK, assert_sound, child, child_task, clock, copy_folder, files_under, head, open,
    open_in_child, user,
};

/// A folder for backups, deleted after the test.
struct Shelf(tempfile::TempDir);

impl Shelf {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn store(&self) -> PathBuf {
        self.0.path().join("backup")
    }

    fn space(&self) -> PathBuf {
        StoreFolder::at(&self.store()).space(&SpaceName::core())
    }

    fn open(&self) -> SpaceSource {
        let space = SpaceSource::open(&self.space(), &SpaceName::core(), clock(), false)
            .expect("the backup opens");
        assert_eq!(space.repaired(), Vec::<String>::new());
        assert_sound(&space);
        space
    }

    fn findings(&self) -> Vec<Finding> {
        examine(&self.space()).expect("an examination").findings
    }
}

/// The content of every file in a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let content = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file");
        (path, bytes)
    };
    files_under(folder).into_iter().map(content).collect()
}

fn write(space: &SpaceSource, text: &str) -> MemoryId {
    space.remember(&user(), &text.into()).expect("a write").id
}

/// A text of such length that ten fill a segment.
fn long(number: usize) -> String {
    format!("{number}{}", " a long story".repeat(17_500))
}

#[test]
fn a_backup_holds_everything_and_opens_as_a_store() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    let id = write(&space, "the first state");
    let edit = Edit {
        content: Some("the second state".to_owned()),
        ..Edit::default()
    };
    space.edit(&user(), id, &edit).expect("an edit");
    let report = space.backup(&shelf.store()).expect("a backup");
    assert_eq!((report.first, report.last_seq), (true, Seq(2)));
    assert_eq!(shelf.findings(), []);
    let copy = shelf.open();
    assert_eq!(copy.get(id).expect("a memory"), space.get(id).expect("it"));
    assert_eq!(
        copy.history(id).expect("a history"),
        space.history(id).expect("a history")
    );
    assert_eq!(
        shelf.findings(),
        [],
        "that it was opened and read changes nothing"
    );
    let known = space.backups().expect("known backups");
    assert_eq!(known.len(), 1);
    assert_eq!(
        known[0].folder,
        shelf.store().canonicalize().expect("the folder")
    );
}

#[test]
fn an_empty_space_is_backed_up_too() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    let report = space.backup(&shelf.store()).expect("a backup");
    assert_eq!((report.last_seq, report.segments_copied), (Seq(0), 0));
    write(&shelf.open(), "told to the copy");
}

#[test]
fn a_second_backup_copies_no_sealed_segment_again() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    for number in 0..21 {
        write(&space, &long(number));
    }
    space.seal_journal().expect("sealing");
    let first = space.backup(&shelf.store()).expect("a backup");
    assert_eq!((first.segments_copied, first.segments_kept), (3, 0));
    let sealed = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "zst");
    let stamps = || -> BTreeMap<PathBuf, std::time::SystemTime> {
        let files = files_under(&shelf.space()).into_iter().filter(sealed);
        let modified = |path: &PathBuf| fs::metadata(path)?.modified();
        files
            .map(|path| (path.clone(), modified(&path).expect("a stamp")))
            .collect()
    };
    let before = stamps();
    assert_eq!(before.len(), 2);
    write(&space, "one more");
    let second = space.backup(&shelf.store()).expect("a backup");
    assert_eq!((second.first, second.last_seq), (false, Seq(22)));
    assert_eq!((second.segments_copied, second.segments_kept), (1, 2));
    assert_eq!(stamps(), before, "sealed segments were left alone");
    let third = space.backup(&shelf.store()).expect("a backup");
    assert_eq!((third.segments_copied, third.segments_kept), (0, 3));
    assert_eq!(third.bytes_copied, 0, "there was nothing new");
    // A segment sealed in the meantime replaces the plain one.
    for number in 0..11 {
        write(&space, &long(100 + number));
    }
    space.backup(&shelf.store()).expect("a backup");
    space.seal_journal().expect("sealing");
    space.backup(&shelf.store()).expect("a backup");
    assert_eq!(shelf.findings(), []);
    assert_eq!(head(&shelf.open()), head(&space));
}

#[test]
fn what_was_erased_leaves_the_backup_with_the_next_one() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    let secret = write(&space, "the passphrase is xylophone quartz");
    for number in 0..21 {
        write(&space, &long(number));
    }
    space.seal_journal().expect("sealing");
    space.backup(&shelf.store()).expect("a backup");
    let holders = || {
        let holds = |(path, bytes): (PathBuf, Vec<u8>)| {
            let sealed = path.extension().is_some_and(|ending| ending == "zst");
            let bytes = if sealed {
                zstd::decode_all(&bytes[..]).expect("a sealed segment")
            } else {
                bytes
            };
            let found = bytes.windows(9).any(|window| window == b"xylophone");
            found.then_some(path)
        };
        let found = contents(&shelf.space()).into_iter().filter_map(holds);
        found.collect::<Vec<_>>()
    };
    assert_eq!(holders().len(), 2, "it is in both copies");
    space.erase(&user(), secret).expect("an erasure");
    let report = space.backup(&shelf.store()).expect("a backup");
    assert_eq!(holders(), Vec::<PathBuf>::new());
    assert_eq!(
        (report.segments_copied, report.segments_kept),
        (2, 1),
        "the segment that was rewritten and the open one"
    );
    assert_eq!(shelf.findings(), []);
    assert!(shelf.open().get(secret).is_err());
}

#[test]
fn a_diverged_backup_is_not_overwritten() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    write(&space, "one");
    space.backup(&shelf.store()).expect("a backup");
    let own = write(&shelf.open(), "told to the copy alone");
    for further in ["two", "three"] {
        write(&space, further);
        let refused = space.backup(&shelf.store()).expect_err("it went its way");
        assert!(matches!(refused, StoreError::Diverged { .. }), "{refused}");
    }
    assert!(shelf.open().get(own).is_ok());
    let other = Home::new();
    let stranger = other.open();
    write(&stranger, "of another store");
    let refused = stranger.backup(&shelf.store()).expect_err("another store");
    assert!(matches!(refused, StoreError::Diverged { .. }), "{refused}");
}

#[test]
fn damage_of_the_source_does_not_reach_the_backup() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    write(&space, "a sound state of affairs");
    space.backup(&shelf.store()).expect("a backup");
    let before = contents(&shelf.space());
    write(&space, "another one");
    drop(space);
    let segment = home.journal().join("000001.jsonl");
    let text = fs::read_to_string(&segment).expect("a segment");
    fs::write(&segment, text.replace("a sound state", "a wrong state")).expect("damage");
    let refused = home.open().backup(&shelf.store()).expect_err("damage");
    assert!(refused.to_string().contains("event 1"), "{refused}");
    assert_eq!(contents(&shelf.space()), before);
}

/// Damages a text in both copies of a closed space.
fn lose(home: &Home, text: &str, damaged: &str) {
    let segment = home.journal().join("000001.jsonl");
    let lines = fs::read_to_string(&segment).expect("a segment");
    fs::write(&segment, lines.replace(text, damaged)).expect("damage");
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    let values = [damaged, text];
    let changed = database
        .execute(
            "UPDATE memories SET content = ?1 WHERE content = ?2",
            values,
        )
        .expect("damage");
    assert_eq!(changed, 1);
}

fn repair_home(home: &Home) -> Repair {
    repair(&home.space(), &SpaceName::core(), clock().as_ref()).expect("a repair")
}

#[test]
fn a_repair_takes_what_was_lost_from_a_backup_and_nothing_that_was_erased() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    let lost = write(&space, "the ferry leaves at nine");
    let erased = write(&space, "the key lies under the mat");
    space.backup(&shelf.store()).expect("a backup");
    space.erase(&user(), erased).expect("an erasure");
    let expected = space.get(lost).expect("a memory");
    drop(space);
    lose(
        &home,
        "the ferry leaves at nine",
        "the ferry leaves at ten!",
    );
    let repaired = repair_home(&home);
    assert_eq!(repaired.lost, Vec::<String>::new());
    assert!(
        repaired
            .repaired
            .iter()
            .any(|said| said.contains(&lost.to_string())),
        "{:?}",
        repaired.repaired
    );
    let space = home.open();
    assert_sound(&space);
    assert_eq!(space.get(lost).expect("it is back"), expected);
    assert!(space.get(erased).is_err());
    space.backup(&shelf.store()).expect("a backup");
}

#[test]
fn what_was_lost_here_stays_in_the_backup_and_is_not_erased_there() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    let lost = write(&space, "the ferry leaves at nine");
    let erased = write(&space, "the key lies under the mat");
    space.backup(&shelf.store()).expect("a backup");
    drop(space);
    lose(
        &home,
        "the ferry leaves at nine",
        "the ferry leaves at ten!",
    );
    let list = home.at("backups.toml");
    let known = fs::read(&list).expect("the list of backups");
    fs::remove_file(&list).expect("removed");
    let repaired = repair_home(&home);
    fs::write(&list, known).expect("the list of backups");
    assert_eq!(repaired.lost.len(), 1, "{:?}", repaired.lost);
    let space = home.open();
    space.erase(&user(), erased).expect("an erasure");
    assert_eq!(space.erased_ids().expect("ids"), [erased]);
    let counts = space.statistics().expect("counts");
    assert_eq!((counts.erased, counts.lost), (1, 1));
    write(&space, "one more");
    let refused = space.backup(&shelf.store()).expect_err("a loss");
    assert!(
        matches!(refused, StoreError::OnlyInBackup { id, .. } if id == lost),
        "{refused}"
    );
    assert_eq!(shelf.findings(), []);
    shelf.open().get(lost).expect("it is there");
    let another = Shelf::new();
    space.backup(&another.store()).expect("a backup elsewhere");
    assert!(another.open().get(lost).is_err());
    write(&space, "and one");
    space.backup(&another.store()).expect("it never had it");
}

#[test]
fn a_damaged_backup_is_noticed_and_mended_by_the_next_one() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    for number in 0..11 {
        write(&space, &long(number));
    }
    space.seal_journal().expect("sealing");
    space.backup(&shelf.store()).expect("a backup");
    for file in [
        "memories/active.db",
        "journal/000001.jsonl.zst",
        "journal/000002.jsonl",
    ] {
        let path = shelf.space().join(file);
        let mut bytes = fs::read(&path).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&path, bytes).expect("damage");
        let found = shelf.findings();
        assert!(
            found
                .iter()
                .any(|finding| finding.part == Part::Backup && finding.file == file),
            "{file}: {found:?}"
        );
        space.backup(&shelf.store()).expect("a backup");
        assert_eq!(shelf.findings(), [], "{file}");
    }
    fs::remove_file(shelf.space().join("journal/000001.jsonl.zst")).expect("a loss");
    assert!(!shelf.findings().is_empty());
    space.backup(&shelf.store()).expect("a backup");
    assert_eq!(shelf.findings(), []);
    fs::write(shelf.space().join("backup.json"), "{").expect("damage");
    assert_eq!(shelf.findings()[0].file, "backup.json");
    space.backup(&shelf.store()).expect("a backup");
    assert_eq!(shelf.findings(), []);
}

/// Every state that an interrupted second backup can leave: some files new, others old.
#[test]
fn an_interrupted_backup_leaves_a_store_that_opens_and_the_next_one_finishes_it() {
    let (home, shelf, later) = (Home::new(), Shelf::new(), Shelf::new());
    let space = home.open();
    let kept = write(&space, "kept from the beginning");
    let erased = write(&space, "erased later on");
    for number in 0..7 {
        write(&space, &long(number));
    }
    space.backup(&shelf.store()).expect("a backup");
    copy_folder(&shelf.store(), &later.store());
    for number in 7..12 {
        write(&space, &long(number));
    }
    space.erase(&user(), erased).expect("an erasure");
    space.seal_journal().expect("sealing");
    space.backup(&later.store()).expect("a backup");
    // In the order in which a backup replaces them.
    let mut files = vec!["backup.json".to_owned()];
    for number in 1..=2 {
        for ending in ["jsonl.zst", "jsonl"] {
            files.push(format!("journal/{number:06}.{ending}"));
        }
    }
    files.push("memories/active.db".to_owned());
    for done in 0..=files.len() {
        let half = Shelf::new();
        copy_folder(&shelf.store(), &half.store());
        for file in &files[..done] {
            let (from, to) = (later.space().join(file), half.space().join(file));
            if file == "backup.json" {
                let text = fs::read_to_string(from).expect("a manifest");
                fs::write(
                    to,
                    text.replace("\"complete\": true", "\"complete\": false"),
                )
                .expect("a manifest");
            } else if from.exists() {
                fs::copy(from, to).expect("a copy");
            } else if to.exists() {
                fs::remove_file(to).expect("a removal");
            }
        }
        fs::write(half.space().join("memories/active.db.tmp-1-1"), "half").expect("a leftover");
        let opened = Shelf::new();
        copy_folder(&half.store(), &opened.store());
        let copy = open(&opened.space()).expect("it opens");
        assert_eq!(copy.get(kept).expect("a memory").row.0, 1, "after {done}");
        // Erased text may remain in one copy until the backup is finished.
        let journal = copy.verify_journal().expect("a report");
        assert_eq!(journal.problems, Vec::<String>::new(), "after {done}");
        assert_eq!(Seq(journal.last_seq), head(&copy), "after {done}");
        let report = space.backup(&half.store()).expect("a backup");
        assert_eq!(report.last_seq, head(&space), "after {done}");
        assert_eq!(half.findings(), [], "after {done}");
        assert!(!half.space().join("memories/active.db.tmp-1-1").exists());
        assert_eq!(head(&half.open()), head(&space));
    }
}

#[test]
fn child_writes_until_it_is_told_to_end() {
    let Some((space, number)) = child_task() else {
        return;
    };
    let space = open_in_child(&space);
    let mut out = std::io::stdout();
    for round in 0.. {
        let text = format!("child {number} tells {round} {}", "padding ".repeat(500));
        let stored = space
            .remember(&user(), &Draft::new(text).thread("log").tag("a tag"))
            .expect("a write");
        if round % 9 == 8 {
            space
                .erase(&user(), stored.id)
                .or_else(still_read)
                .expect("an erasure");
        }
        if round % 50 == 49 {
            space.seal_journal().expect("sealing");
        }
        // The parent closes the pipe once it has seen enough.
        let erased = if round % 9 == 8 { "erased" } else { "kept" };
        if writeln!(out, "{MARK}{} {erased}", stored.id)
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

/// A backup in progress keeps older pages for a while; they are removed later.
fn still_read(error: StoreError) -> Result<(), StoreError> {
    match error {
        StoreError::StillRead { .. } => Ok(()),
        error => Err(error),
    }
}

#[test]
fn a_backup_beside_writers_holds_all_that_was_acknowledged_before_it_began() {
    let (home, shelf) = (Home::new(), Shelf::new());
    drop(home.open());
    let clock = Arc::new(SystemClock);
    let space = SpaceSource::open(&home.space(), &SpaceName::core(), clock, false).expect("opens");
    let mut child = child(
        "backup::child_writes_until_it_is_told_to_end",
        &home.space(),
        0,
    )
    .spawn()
    .expect("a child");
    let output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut acknowledged = Vec::new();
    let mut stored = output.map_while(Result::ok).filter_map(|line| {
        let (_, rest) = line.split_once(MARK)?;
        let (id, fate) = rest.split_once(' ')?;
        Some((id.parse::<MemoryId>().expect("an id"), fate == "kept"))
    });
    for round in 0..6 {
        acknowledged.extend(stored.by_ref().take(40));
        let report = space.backup(&shelf.store()).expect("a backup");
        assert_eq!(report.first, round == 0);
        let found = examine(&home.space()).expect("an examination");
        assert_eq!(found.findings, [], "writers at work are no damage");
        assert_eq!(shelf.findings(), []);
        let copy = shelf.open();
        assert_eq!(head(&copy), report.last_seq);
        for (id, kept) in &acknowledged {
            assert_eq!(copy.get(*id).is_ok(), *kept, "in round {round}");
        }
    }
    drop(stored);
    child.wait().expect("the child's end");
    assert!(acknowledged.len() >= 240);
    assert_sound(&space);
}

#[test]
fn a_folder_is_listed_as_soon_as_something_is_copied_there_and_not_before() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    write(&space, "told here");
    // The store of another space: nothing is copied there.
    let other = Home::new();
    let elsewhere = other.open();
    write(&elsewhere, "told elsewhere");
    elsewhere.backup(&shelf.store()).expect("a backup");
    let refused = space.backup(&shelf.store()).expect_err("of another space");
    assert!(matches!(refused, StoreError::Diverged { .. }), "{refused}");
    assert_eq!(space.backups().expect("a list"), []);
    // Interrupted after the journal was copied.
    fs::remove_dir_all(shelf.store()).expect("removed");
    fs::create_dir_all(shelf.space().join("memories/active.db/in the way")).expect("a folder");
    space
        .backup(&shelf.store())
        .expect_err("something is in the way");
    let known = space.backups().expect("a list");
    assert_eq!((known.len(), known[0].last_seq), (1, Seq(0)));
    assert_eq!(
        space.backup_state(&shelf.store()).expect("a look"),
        BackupState::Backup
    );
}

#[test]
fn a_backup_with_a_database_of_a_newer_version_is_left_as_it_is() {
    let (home, shelf) = (Home::new(), Shelf::new());
    let space = home.open();
    write(&space, "told here");
    space.backup(&shelf.store()).expect("a backup");
    let database = shelf.space().join("memories/active.db");
    let newer = rusqlite::Connection::open(&database).expect("a database");
    newer
        .pragma_update(None, "user_version", 99)
        .expect("a newer one");
    drop(newer);
    let before = fs::read(&database).expect("a file");
    write(&space, "told since");
    let refused = space.backup(&shelf.store()).expect_err("it is newer");
    assert!(matches!(refused, StoreError::Newer { .. }), "{refused}");
    assert_eq!(fs::read(&database).expect("a file"), before);
}
