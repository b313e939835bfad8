//! Databases that can be made again: they open whatever became of them, and never what a newer version made.

use std::fs;
use std::path::Path;

use anamne_store::{DerivedDatabase, StoreError, remove_derived};

const FIRST: DerivedDatabase = DerivedDatabase {
    format: 1,
    schema: "CREATE TABLE things (name TEXT) STRICT;",
    durable: false,
};

const SECOND: DerivedDatabase = DerivedDatabase { format: 2, ..FIRST };

fn fill(path: &Path) {
    let connection = FIRST.open(path).expect("opened");
    let filled = connection.execute("INSERT INTO things VALUES ('one')", []);
    filled.expect("filled");
}

fn count(made: DerivedDatabase, path: &Path) -> i64 {
    let connection = made.open(path).expect("opened");
    connection
        .query_row("SELECT count(*) FROM things", [], |row| row.get(0))
        .expect("counted")
}

#[test]
fn what_was_filled_is_there_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("views/things.db");
    fill(&path);
    assert_eq!(count(FIRST, &path), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("things.db");
    fill(&path);
    let mode = fs::metadata(&path)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_one_is_set_aside_and_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("things.db");
    fill(&path);
    fs::write(&path, "this is no database, however long one looks at it").expect("written");
    assert_eq!(count(FIRST, &path), 0);
    let names = fs::read_dir(folder.path()).expect("read");
    let aside = names
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains(".damaged"));
    assert_eq!(aside.count(), 1);
}

#[test]
fn an_earlier_format_is_made_anew_and_a_newer_one_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("things.db");
    fill(&path);
    assert_eq!(count(SECOND, &path), 0);
    let refused = FIRST.open(&path).expect_err("it is newer");
    assert!(
        matches!(
            refused,
            StoreError::Newer {
                found: 2,
                known: 1,
                ..
            }
        ),
        "{refused}"
    );
    remove_derived(&path).expect("removed");
    assert_eq!(count(FIRST, &path), 0);
}
