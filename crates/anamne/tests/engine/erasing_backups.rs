//! Erased content leaves every file of the store and of its backups, or the report lists the place where it remains.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anamne::{BackupUpdate, Draft, MemoryId, OutsideErasure, Recall, Space};

use crate::common::files_under;
use crate::common::site::{LIVE, Site, all_traces, damage_and_repair, fill, full, use_everything};
use crate::common::traces::{kinds_in, traces_in};

/// Parts of paths of files that contain parts of the memories before the erasure; otherwise the test would check the
/// wrong files.
const HOLDERS: [&str; 14] = [
    "memories/active.db",
    "memories/archive-",
    "memories/active.db.damaged-",
    "journal/",
    ".jsonl.zst",
    "journal.damaged-",
    "views/columns/active/",
    "views/columns/archive-",
    "views/knowledge.db",
    "views/knowledge.db.damaged-",
    "views/summaries.db",
    "observed/meta.db",
    "paid/readings.db",
    "embedding-cache.db",
];

/// The kinds of files that a store and a backup may have. A new kind fails the test until it is listed, once an erasure
/// reaches it and [`fill`] and [`use_everything`] create it.
const KINDS: [&str; 62] = [
    "embedding-cache.db",
    "embedding-cache.db-shm",
    "embedding-cache.db-wal",
    "embedding-cache.lock",
    "spaces/tests/backup.json",
    "spaces/tests/backups.toml",
    "spaces/tests/examined",
    "spaces/tests/incidents.jsonl",
    "spaces/tests/journal/N.jsonl",
    "spaces/tests/journal/N.jsonl.zst",
    "spaces/tests/memories/active.db",
    "spaces/tests/memories/active.db-shm",
    "spaces/tests/memories/active.db-wal",
    "spaces/tests/memories/archive-NQN.db",
    "spaces/tests/memories/archive-NQN.db-shm",
    "spaces/tests/memories/archive-NQN.db-wal",
    "spaces/tests/move.lock",
    "spaces/tests/space.toml",
    "spaces/tests/tasks.db",
    "spaces/tests/tasks.db-shm",
    "spaces/tests/tasks.db-wal",
    "spaces/tests/tasks.lock",
    "spaces/tests/views.unclean",
    "spaces/tests/views/columns/TIER/fold.lock",
    "spaces/tests/views/columns/TIER/manifest",
    "spaces/tests/views/columns/TIER/segment-N.columns",
    "spaces/tests/views/knowledge.db",
    "spaces/tests/views/knowledge.db-shm",
    "spaces/tests/views/knowledge.db-wal",
    "spaces/tests/views/knowledge.lock",
    "spaces/tests/views/latent",
    "spaces/tests/views/lexical/TIER/.managed.json",
    "spaces/tests/views/lexical/TIER/.tantivy-meta.lock",
    "spaces/tests/views/lexical/TIER/.tantivy-writer.lock",
    "spaces/tests/views/lexical/TIER/HEX.N.del",
    "spaces/tests/views/lexical/TIER/HEX.fast",
    "spaces/tests/views/lexical/TIER/HEX.fieldnorm",
    "spaces/tests/views/lexical/TIER/HEX.idx",
    "spaces/tests/views/lexical/TIER/HEX.pos",
    "spaces/tests/views/lexical/TIER/HEX.store",
    "spaces/tests/views/lexical/TIER/HEX.term",
    "spaces/tests/views/lexical/TIER/meta.json",
    "spaces/tests/views/lexical/active.lock",
    "spaces/tests/views/lexical/archive-NQN.lock",
    "spaces/tests/observed/meta.db",
    "spaces/tests/observed/meta.db-shm",
    "spaces/tests/observed/meta.db-wal",
    "spaces/tests/observed/meta.lock",
    "spaces/tests/paid/readings.db",
    "spaces/tests/paid/readings.db-shm",
    "spaces/tests/paid/readings.db-wal",
    "spaces/tests/paid/readings.lock",
    "spaces/tests/views/summaries.db",
    "spaces/tests/views/summaries.db-shm",
    "spaces/tests/views/summaries.db-wal",
    "spaces/tests/views/summaries.lock",
    "spaces/tests/views/vectors/answering.lock",
    "spaces/tests/views/vectors/answering.toml",
    "spaces/tests/views/vectors/costly-N/TIER/fold.lock",
    "spaces/tests/views/vectors/costly-N/TIER/manifest",
    "spaces/tests/views/vectors/costly-N/TIER/segment-N.vectors",
    "spaces/tests/write.lock",
];

#[track_caller]
fn assert_known(kinds: &BTreeSet<String>) {
    let unknown: Vec<_> = kinds
        .iter()
        .filter(|kind| !kind.contains(".damaged-") && !KINDS.contains(&kind.as_str()))
        .collect();
    assert!(unknown.is_empty(), "new kinds of files: {unknown:#?}");
}

/// Why backups were not reached, by the store's name.
fn problems(updates: &[BackupUpdate]) -> Vec<(String, String)> {
    let failed = updates.iter().filter(|update| !update.problem.is_empty());
    let named = failed.map(|update| {
        let name = update.folder.file_name().expect("a name");
        (name.to_string_lossy().into_owned(), update.problem.clone())
    });
    named.collect()
}

#[track_caller]
fn assert_reached(erased: &OutsideErasure) {
    assert_eq!(problems(&erased.backups), []);
    assert_eq!(erased.left, []);
    assert!(erased.is_complete());
}

#[track_caller]
fn assert_sound(site: &Site, name: &str) {
    let verified = &site.store(name).verify(None).expect("a verification")[0];
    assert_eq!(verified.examination.findings, [], "{name}");
    let answer = site
        .space(name)
        .recall(&Recall::new("who counts the boats?"));
    let best = &answer.expect("an answer").results[0];
    assert!(best.memory.content.contains("counts the boats"), "{name}");
}

#[test]
fn nothing_is_left_in_a_store_and_a_backup_that_were_used_damaged_and_repaired() {
    let site = Site::new();
    let ids = fill(&site, "store");
    site.back_up("store", "backup");
    use_everything(&site.space("backup"));
    for name in ["backup", "store"] {
        let root = site.root(name);
        assert_known(&kinds_in(&root));
        let mut held = traces_in(&root, &all_traces());
        damage_and_repair(&site, name);
        assert_known(&kinds_in(&root));
        held.append(&mut traces_in(&root, &all_traces()));
        for holder in HOLDERS {
            let is_it = |file: &Path| file.to_string_lossy().contains(holder);
            let holds = held.iter().any(|(file, _)| is_it(file));
            assert!(holds, "{holder} in the {name}: {held:#?}");
        }
    }
    let erased = site.space("store").erase_all(&ids).expect("erased");
    assert_reached(&erased);
    let removed: Vec<_> = erased.removed().map(Path::to_path_buf).collect();
    for name in ["store", "backup"] {
        for part in ["memories/active.db.damaged-1", "journal.damaged-1"] {
            let path = site.space_folder(name).join(part);
            assert!(removed.contains(&path), "{removed:?}");
        }
    }
    site.assert_nothing_left();
    let readings = site.space_folder("backup").join("paid/readings.db");
    assert!(
        readings.exists(),
        "what was paid for stays, but for what was erased"
    );
    for name in ["backup", "store"] {
        assert_sound(&site, name);
    }
    site.assert_nothing_left();
}

/// Remains of interrupted writes and repairs, in every folder that may have them.
const LEFTOVERS: [&str; 14] = [
    "memories/active.db.tmp-1-1",
    "memories/active.db.unfinished",
    "memories/active.db.unfinished-wal",
    "memories/archive-2025Q3.db.tmp-1-1",
    "memories/recent.db.damaged-1",
    "journal.damaged-3/000001.jsonl",
    "journal.unfinished/000001.jsonl",
    "journal/000001.jsonl.tmp-1-1",
    "journal/000002.jsonl.tail",
    "journal/000002.jsonl.tail.damaged-1",
    "space.toml.damaged-1",
    "tasks.db.damaged-1",
    "views/latent.tmp-1-1",
    "views/lexical/active.damaged/segment",
];

#[test]
fn leftovers_of_crashes_and_repairs_go_from_the_store_and_its_backups() {
    let site = Site::new();
    let space = site.space("store");
    let id = space.remember(LIVE).expect("told").id;
    space
        .remember("The harbour master counts the boats")
        .expect("told");
    site.back_up("store", "backup");
    for name in ["store", "backup"] {
        for leftover in LEFTOVERS {
            let path = site.space_folder(name).join(leftover);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, LIVE).expect("a leftover");
        }
    }
    fs::write(
        site.root("backup").join("embedding-cache.db.damaged-1"),
        LIVE,
    )
    .expect("a leftover");
    fs::write(
        site.root("store").join("embedding-cache.db.damaged-1"),
        LIVE,
    )
    .expect("a leftover");
    assert_reached(&space.erase(id).expect("erased"));
    site.assert_nothing_left();
    assert_sound(&site, "backup");
}

/// A store with one memory to erase and one that stays, and a backup that was used.
fn backed_up(site: &Site) -> (Space, MemoryId) {
    let space = site.space("store");
    let id = space.remember(full(Draft::new(LIVE))).expect("told").id;
    space
        .remember("The harbour master counts the boats")
        .expect("told");
    site.back_up("store", "backup");
    use_everything(&site.space("backup"));
    (space, id)
}

#[test]
fn backups_of_backups_are_reached_and_a_ring_of_them_ends() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    site.back_up("backup", "second");
    site.back_up("second", "third");
    for name in ["second", "third"] {
        use_everything(&site.space(name));
    }
    // Each also lists the one before.
    let known =
        fs::read_to_string(site.space_folder("store").join("backups.toml")).expect("a list");
    let ring = known
        .replace("/store/spaces/", "/third/spaces/")
        .replace("/backup\"", "/store\"");
    fs::write(site.space_folder("third").join("backups.toml"), ring).expect("written");
    let erased = space.erase(id).expect("erased");
    assert_reached(&erased);
    assert_eq!(erased.backups.len(), 3, "{erased:?}");
    site.assert_nothing_left();
    for name in ["backup", "second", "third"] {
        assert_sound(&site, name);
    }
}

#[test]
fn in_a_backup_that_was_written_to_the_same_memories_are_erased() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    let apart = site.space("backup");
    let stored = apart
        .remember("Only the backup knows of this")
        .expect("told")
        .id;
    site.back_up("backup", "second");
    apart.forget(id).expect("forgotten");
    let since = space.remember("zyxasked was told since").expect("told").id;
    use_everything(&apart);
    drop(apart);
    let erased = space.erase_all(&[id, since]).expect("erased");
    assert_reached(&erased);
    assert_eq!(
        erased.backups.len(),
        2,
        "and in the backup of it: {erased:?}"
    );
    site.assert_nothing_left();
    assert_sound(&site, "backup");
    assert!(site.space("backup").get(stored).is_ok());
    assert!(site.space("second").get(stored).is_ok());
    // Another erasure finds nothing to do there, and changes nothing else.
    let other = space.remember("zyxasked again").expect("told").id;
    assert_reached(&space.erase(other).expect("erased"));
}

#[test]
fn another_store_in_the_place_of_a_backup_is_named_and_left_alone() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    fs::remove_dir_all(site.root("backup")).expect("removed");
    let other = site.space("backup");
    let stored = other.remember("Another story altogether").expect("told").id;
    let erased = space.erase(id).expect("erased");
    assert!(!erased.is_complete());
    let [(name, problem)] = &problems(&erased.backups)[..] else {
        panic!("{erased:?}")
    };
    assert!(
        name == "backup" && problem.contains("unrelated store"),
        "{problem}"
    );
    assert!(other.get(stored).is_ok());
    assert!(space.check_up().expect("a check-up").problems[0].contains("may still"));
    let store = site.store("store");
    let forgotten = store
        .forget_backup(&site.root("backup"), None)
        .expect("forgotten");
    assert_eq!(forgotten.spaces, ["tests"]);
    assert_eq!(
        space.check_up().expect("a check-up").problems,
        Vec::<String>::new()
    );
}

/// Makes a backup unreachable, and undoes that.
struct Obstacle {
    name: &'static str,
    said: &'static str,
    raise: fn(&Site),
    remove: fn(&Site),
}

fn moved(site: &Site, from: &str, to: &str) {
    fs::rename(site.root(from), site.root(to)).expect("moved");
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).expect("a file");
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replace(from, to)).expect("written");
}

const OBSTACLES: [Obstacle; 4] = [
    Obstacle {
        name: "unplugged",
        said: "no backup of this space there any more",
        raise: |site| moved(site, "backup", "elsewhere"),
        remove: |site| moved(site, "elsewhere", "backup"),
    },
    Obstacle {
        name: "newer",
        said: "install a newer Anamne",
        raise: |site| {
            let manifest = site.space_folder("backup").join("backup.json");
            edit(&manifest, "\"anamne_backup\": 1", "\"anamne_backup\": 99");
        },
        remove: |site| {
            let manifest = site.space_folder("backup").join("backup.json");
            edit(&manifest, "\"anamne_backup\": 99", "\"anamne_backup\": 1");
        },
    },
    Obstacle {
        name: "not to be locked",
        said: "write.lock",
        raise: |site| {
            let lock = site.space_folder("backup").join("write.lock");
            fs::remove_file(&lock).expect("removed");
            fs::create_dir(&lock).expect("a folder in its place");
        },
        remove: |site| {
            let lock = site.space_folder("backup").join("write.lock");
            fs::remove_dir(&lock).expect("removed");
        },
    },
    Obstacle {
        name: "readings of a newer version",
        said: "readings.db",
        raise: |site| set_format(site, 99),
        remove: |site| set_format(site, 1),
    },
];

fn set_format(site: &Site, format: i64) {
    let path = site.space_folder("backup").join("paid/readings.db");
    let connection = rusqlite::Connection::open(path).expect("readings");
    connection
        .pragma_update(None, "user_version", format)
        .expect("set");
}

/// An operation that continues a pending erasure.
type Way = (&'static str, fn(&Site));

/// All of them.
const WAYS: [Way; 5] = [
    ("the next erasure", |site| {
        let space = site.space("store");
        let other = space.remember("zyxnote").expect("told").id;
        assert_reached(&space.erase(other).expect("erased"));
    }),
    ("a backup", |site| site.back_up("store", "backup")),
    ("a check-up", |site| {
        let found = site.space("store").check_up().expect("a check-up");
        assert_eq!(found.problems, Vec::<String>::new());
        assert!(
            found.repaired.iter().any(|said| said.contains("backup")),
            "{found:?}"
        );
    }),
    ("finishing erasures", |site| {
        let finished = site.space("store").finish_erasures().expect("finished");
        assert_reached(&finished);
        assert_eq!(finished.backups.len(), 1);
    }),
    ("opening and settling", |site| {
        site.space("store").settle(&mut |_, _| {}).expect("settled");
    }),
];

#[test]
fn a_backup_that_cannot_be_reached_is_named_and_erased_later() {
    for (at, obstacle) in OBSTACLES.iter().enumerate() {
        let site = Site::new();
        let (space, id) = backed_up(&site);
        (obstacle.raise)(&site);
        let erased = space.erase(id).expect("erased");
        let name = obstacle.name;
        assert!(!erased.is_complete(), "{name}");
        let unreached = erased.unreached();
        assert_eq!(unreached.len(), 1, "{name}: {erased:?}");
        assert_eq!(
            unreached[0].place.file_name(),
            site.root("backup").file_name()
        );
        assert!(
            unreached[0].reason.contains(obstacle.said),
            "{name}: {unreached:?}"
        );
        let again = space.check_up().expect("a check-up");
        let is_told = |problem: &String| problem.contains(obstacle.said);
        assert!(again.problems.iter().any(is_told), "{name}: {again:?}");
        drop(space);
        (obstacle.remove)(&site);
        assert!(!site.traces().is_empty(), "{name}: it was not reached");
        let (way, go_on) = WAYS[at % WAYS.len()];
        go_on(&site);
        assert_eq!(site.traces(), [], "{name}, finished by {way}");
        assert_sound(&site, "backup");
    }
}

#[test]
fn an_erasure_is_completed_when_nothing_else_is_erased() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    assert_eq!(space.finish_erasures().expect("nothing").backups, []);
    let (backup, away) = (site.root("backup"), site.root("away"));
    fs::rename(&backup, &away).expect("moved");
    assert!(!space.erase(id).expect("erased").is_complete());
    assert!(!space.finish_erasures().expect("tried").is_complete());
    fs::rename(&away, &backup).expect("moved back");
    // From another space of the store, whose erasures reach copies and members in this one.
    let store = site.store("store");
    let other = store.space("other").expect("a space");
    assert_reached(&other.finish_erasures().expect("finished"));
    assert_eq!(site.traces(), []);
}

#[test]
fn what_a_retention_erases_leaves_the_backups_too() {
    let site = Site::new();
    let (space, _) = backed_up(&site);
    space
        .configure(|config| {
            config.retention.days = 30;
            config.retention.grace_days = 1;
        })
        .expect("configured");
    // A date is confirmed by days of use before and after it, so both must exist.
    let live_on = |month: u32| {
        for day in 1..=8 {
            site.clock
                .set(&format!("2027-{month:02}-{day:02}T00:00:00Z"));
            let text = format!("A plain day, number {day} of month {month}");
            space.remember(text).expect("told");
        }
    };
    live_on(1);
    live_on(6);
    let forgotten = space.apply_retention(true).expect("confirmed");
    assert!(forgotten.forgotten > 0, "{forgotten:?}");
    live_on(11);
    let erased = space.apply_retention(true).expect("confirmed");
    assert!(erased.erased >= forgotten.forgotten, "{erased:?}");
    site.assert_nothing_left();
}

#[test]
fn a_list_of_backups_from_an_earlier_version_is_gone_through_once() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    // Such a version updated the copies and nothing else.
    moved(&site, "backup", "elsewhere");
    drop(space.erase(id).expect("erased"));
    moved(&site, "elsewhere", "backup");
    let list = space.folder().join("backups.toml");
    let text = fs::read_to_string(&list).expect("a list");
    let earlier: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with("pending"))
        .collect();
    fs::write(
        &list,
        earlier.join("\n").replace("format = 3", "format = 1"),
    )
    .expect("written");
    let found = site.space("store").check_up().expect("a check-up");
    assert_eq!(found.problems, Vec::<String>::new());
    site.assert_nothing_left();
    assert!(
        fs::read_to_string(&list)
            .expect("a list")
            .contains("format = 3")
    );
}

fn copied(site: &Site, from: &str, to: &str) {
    let (from, to) = (site.root(from), site.root(to));
    for file in files_under(&from) {
        let target = to.join(file.strip_prefix(&from).expect("a file in it"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::copy(&file, target).expect("copied");
    }
}

#[test]
fn a_copy_of_a_store_names_the_backups_of_the_original_and_leaves_them_alone() {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    drop(space);
    copied(&site, "store", "copy");
    let backup = site.root("backup").canonicalize().expect("a folder");
    let copy = site.space("copy");
    let found = copy.check_up().expect("a check-up");
    assert!(
        found
            .deferred
            .iter()
            .any(|said| said.contains("copied from")),
        "{found:?}"
    );
    let erased = copy.erase(id).expect("erased");
    assert_eq!(erased.backups.len(), 1, "{erased:?}");
    assert_eq!(erased.backups[0].folder, backup);
    assert!(!erased.is_complete());
    let refused = site.store("copy").backup(&backup, None);
    refused.expect_err("it is of the original");
    drop(copy);
    let stored = site.space("backup").get(id);
    stored.expect("the backup is as it was");
    let deleted = site.store("copy").erase_space("tests").expect("deleted");
    assert!(!deleted.outside.is_complete(), "{deleted:?}");
    site.back_up("store", "backup");
    // A moved store keeps its backups.
    moved(&site, "store", "elsewhere");
    let erased = site.space("elsewhere").erase(id).expect("erased");
    assert_reached(&erased);
}

/// All databases of a store.
fn databases(root: &Path) -> Vec<PathBuf> {
    let mut files = files_under(root);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "db"));
    files.sort();
    files
}

/// Each database in a store of its own, all at once: an erasure waits seconds for a reader.
#[test]
fn what_a_reader_keeps_of_any_database_is_named_and_goes_later() {
    let site = Site::new();
    let (space, _) = backed_up(&site);
    use_everything(&space);
    let root = site.root("store");
    let databases = databases(&root);
    assert!(databases.len() >= 6, "{databases:?}");
    std::thread::scope(|scope| {
        for database in &databases {
            let database = database.strip_prefix(&root).expect("a file of the store");
            scope.spawn(move || check_reader_of(database));
        }
    });
}

/// A reader of a database, whose path in the store is given, is in the way of an erasure.
fn check_reader_of(database: &Path) {
    let site = Site::new();
    let (space, id) = backed_up(&site);
    use_everything(&space);
    let database = site.root("store").join(database);
    assert!(database.exists(), "{}", database.display());
    let reader = rusqlite::Connection::open(&database).expect("a reader");
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")
        .expect("a transaction");
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = reader
        .query_row(tables, [], |row| row.get(0))
        .expect("a count");
    assert!(tables > 0);
    let erased = space.erase(id).expect("erased");
    assert!(space.get(id).is_err(), "it is gone for everybody who asks");
    let left = traces_in(&site.root("store"), &all_traces());
    let is_told = |file: &Path| {
        erased
            .left
            .iter()
            .any(|left| file.starts_with(&left.place) || left.place.starts_with(file))
    };
    if erased.is_complete() {
        assert_eq!(left, [], "with a reader of {}", database.display());
    } else {
        assert!(
            is_told(&database) || is_told(&with_ending(&database, "-wal")),
            "{erased:?}"
        );
    }
    drop(reader);
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(
        traces_in(&site.root("store"), &all_traces()),
        [],
        "{}",
        database.display()
    );
    site.back_up("store", "backup");
    site.assert_nothing_left();
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", file.display()))
}
