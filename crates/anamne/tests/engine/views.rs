//! Views are disposable: whatever happens to their files, answers continue, are never wrong, and the views are rebuilt.

use std::fs;
use std::path::{Path, PathBuf};

use anamne::{Draft, Options, Recall, Space, Store};
use tempfile::TempDir;

fn reopened(folder: &Path) -> Space {
    let store = Store::open_with(Options::new(folder).background(false)).expect("a store");
    store.space("tests").expect("a space")
}

fn filled() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let space = reopened(folder.path());
    let drafts: Vec<_> = (0..2_500)
        .map(|number| {
            Draft::new(format!(
                "note {number}: the {} lamp hangs over berth {}",
                COLOURS[number % 7],
                number / 7
            ))
        })
        .collect();
    space.remember_all(&drafts).expect("remembered");
    space.fold().expect("folded");
    space.settle(&mut |_, _| {}).expect("settled");
    folder
}

const COLOURS: [&str; 7] = [
    "amber", "blue", "crimson", "green", "ivory", "scarlet", "violet",
];

fn answer(space: &Space) -> (Vec<String>, Vec<String>) {
    let answer = space
        .recall(&Recall::new("crimson lamp over berth 181").limit(5))
        .expect("an answer");
    (
        answer
            .results
            .into_iter()
            .map(|hit| hit.memory.content)
            .collect(),
        answer.degraded,
    )
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Damages the views, and checks that answers are correct or degraded, and correct again after settling.
#[track_caller]
fn check_damage(folder: &Path, what: &str, damage: impl FnOnce()) {
    let expected = answer(&reopened(folder)).0;
    damage();
    let space = reopened(folder);
    let (found, degraded) = answer(&space);
    if degraded.is_empty() {
        assert_eq!(found, expected, "{what}: a whole view gave another answer");
    } else {
        assert!(
            found.iter().any(|content| content.contains("lamp")),
            "{what}: degraded {degraded:?} gave {found:?}"
        );
    }
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(
        answer(&space),
        (expected, Vec::new()),
        "{what}: after settling"
    );
}

#[test]
fn a_deleted_view_is_said_and_rebuilt() {
    let folder = filled();
    for view in ["lexical", "vectors", "columns"] {
        let path = folder.path().join("spaces/tests/views").join(view);
        fs::remove_dir_all(&path).expect("removed");
        let space = reopened(folder.path());
        assert_eq!(answer(&space).1, [view]);
        space.settle(&mut |_, _| {}).expect("settled");
        assert_eq!(answer(&space).1, Vec::<String>::new());
        assert!(answer(&space).0[0].contains("crimson"));
    }
}

#[test]
fn truncated_files_cost_a_rebuild_and_nothing_else() {
    let folder = filled();
    let views = folder.path().join("spaces/tests/views");
    for number in 0..files_under(&views).len() {
        let Some(file) = files_under(&views).get(number).cloned() else {
            break;
        };
        let length = fs::metadata(&file).expect("a file").len();
        check_damage(folder.path(), &format!("{} cut", file.display()), || {
            let handle = fs::OpenOptions::new()
                .write(true)
                .open(&file)
                .expect("open");
            handle.set_len(length / 2).expect("cut");
        });
    }
}

#[test]
fn flipped_bits_cost_a_rebuild_and_nothing_else() {
    let folder = filled();
    let views = folder.path().join("spaces/tests/views");
    for round in 0..24u64 {
        let files: Vec<_> = files_under(&views)
            .into_iter()
            .filter(|file| fs::metadata(file).is_ok_and(|found| found.len() > 0))
            .collect();
        let file = &files[(round * 7 % files.len() as u64) as usize];
        let mut bytes = fs::read(file).expect("read");
        let place = (round.wrapping_mul(0x9E37_79B9_7F4A_7C15) % bytes.len() as u64) as usize;
        bytes[place] ^= 1 << (round % 8);
        check_damage(
            folder.path(),
            &format!("{} byte {place}", file.display()),
            || {
                fs::write(file, &bytes).expect("written");
            },
        );
    }
}

#[test]
fn a_process_that_is_open_survives_the_loss_of_its_views() {
    let folder = filled();
    let space = reopened(folder.path());
    let expected = answer(&space).0;
    fs::remove_dir_all(folder.path().join("spaces/tests/views")).expect("removed");
    let (_, degraded) = answer(&space);
    assert!(!degraded.is_empty() || answer(&space).0 == expected);
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(answer(&space), (expected, Vec::new()));
}

/// Damages one file while a space is open and in use; the answer may be degraded, never wrong.
#[track_caller]
fn check_damage_while_open(folder: &Path, expected: &[String], what: &str, damage: impl FnOnce()) {
    let space = reopened(folder);
    assert_eq!(answer(&space).0, expected, "{what}: before");
    damage();
    let (found, degraded) = answer(&space);
    assert!(
        found == expected || !degraded.is_empty(),
        "{what}: no view is said to be missing, yet the answer changed"
    );
    space.settle(&mut |_, _| {}).expect("settled");
    assert_eq!(
        answer(&space),
        (expected.to_vec(), Vec::new()),
        "{what}: after settling"
    );
}

/// Sets an old modification time, so that a change now is visible whatever the file system's resolution.
fn age(file: &Path) {
    let handle = fs::OpenOptions::new().write(true).open(file).expect("open");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    handle.set_modified(long_ago).expect("aged");
}

#[test]
fn files_that_are_cut_or_overwritten_while_they_are_mapped_cost_a_rebuild_and_nothing_else() {
    let folder = filled();
    let views = folder.path().join("spaces/tests/views");
    let expected = answer(&reopened(folder.path())).0;
    for number in 0..files_under(&views).len() {
        for cut in [true, false] {
            // A file that only a new process reads may still be damaged from the previous round.
            reopened(folder.path())
                .settle(&mut |_, _| {})
                .expect("settled");
            let Some(file) = files_under(&views).get(number).cloned() else {
                break;
            };
            let bytes = fs::read(&file).expect("read");
            if bytes.is_empty() {
                continue;
            }
            age(&file);
            let what = format!("{} {}", file.display(), if cut { "cut" } else { "flipped" });
            check_damage_while_open(folder.path(), &expected, &what, || {
                let handle = fs::OpenOptions::new()
                    .write(true)
                    .open(&file)
                    .expect("open");
                if cut {
                    handle.set_len(bytes.len() as u64 / 2).expect("cut");
                } else {
                    let mut bytes = bytes.clone();
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    std::io::Write::write_all(&mut &handle, &bytes).expect("overwritten");
                }
            });
        }
    }
}

#[test]
fn a_check_up_names_and_mends_what_was_damaged() {
    let folder = filled();
    let views = folder.path().join("spaces/tests/views/vectors");
    let largest = files_under(&views)
        .into_iter()
        .max_by_key(|file| fs::metadata(file).map_or(0, |found| found.len()));
    let file = largest.expect("a vector file");
    let mut bytes = fs::read(&file).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&file, bytes).expect("written");
    let found = reopened(folder.path()).check_up().expect("a check-up");
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert!(
        found.repaired.iter().any(|line| line.contains("vectors")),
        "{found:?}"
    );
}
