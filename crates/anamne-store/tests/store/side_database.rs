//! Side databases open after any damage or loss, except those of a newer version or another program.

use std::fs;
use std::path::PathBuf;

use anamne_store::{
    SideDatabase, SideFile, StoreError, UnusableFile, remove_derived, remove_quarantined,
};
use rusqlite::Connection;
use tempfile::TempDir;

/// `Test` in ASCII.
const APPLICATION: i64 = 0x5465_7374;

const FIRST: SideDatabase = SideDatabase::new(1, "CREATE TABLE things (name TEXT) STRICT;");

const MARKED: SideDatabase = SideDatabase {
    application_id: APPLICATION,
    ..FIRST
};

const KEPT: SideDatabase = SideDatabase {
    unusable: UnusableFile::Kept,
    ..MARKED
};

struct Place {
    _folder: TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("views/things.db");
    Place {
        _folder: folder,
        path,
    }
}

impl Place {
    /// A location with a file that holds one entry.
    fn filled(database: SideDatabase) -> Self {
        let place = place();
        let connection = database.open(&place.path).expect("opened");
        add(&connection);
        drop(connection);
        place
    }

    /// Number of entries in the database, after reopening it.
    fn count(&self, database: SideDatabase) -> i64 {
        count(&database.open(&self.path).expect("opened"))
    }

    fn refused(&self, database: SideDatabase) -> StoreError {
        let before = fs::read(&self.path).expect("a file");
        let refused = database.open(&self.path).expect_err("it is refused");
        assert_eq!(fs::read(&self.path).expect("a file"), before);
        assert_eq!(self.set_aside(), 0);
        refused
    }

    fn set_aside(&self) -> usize {
        let folder = self.path.parent().expect("a folder");
        let names = fs::read_dir(folder).expect("read").flatten();
        names
            .filter(|entry| entry.file_name().to_string_lossy().contains(".damaged"))
            .count()
    }

    fn change(&self, sql: &str) {
        let connection = Connection::open(&self.path).expect("a database");
        connection.execute_batch(sql).expect("changed");
    }

    fn number(&self, name: &str) -> i64 {
        let connection = Connection::open(&self.path).expect("a database");
        let number = connection.pragma_query_value(None, name, |row| row.get(0));
        number.expect("a number")
    }
}

fn add(connection: &Connection) {
    let added = connection.execute("INSERT INTO things VALUES ('one')", []);
    added.expect("added");
}

fn count(connection: &Connection) -> i64 {
    connection
        .query_row("SELECT count(*) FROM things", [], |row| row.get(0))
        .expect("counted")
}

fn things(file: &SideFile) -> i64 {
    let counted: Result<_, StoreError> = file.with(|connection| Ok(count(connection)));
    counted.expect("counted")
}

#[test]
fn content_survives_reopening() {
    for database in [FIRST, MARKED, KEPT] {
        let place = Place::filled(database);
        assert_eq!(place.count(database), 1);
        assert_eq!(place.number("application_id"), database.application_id);
        assert_eq!(place.number("user_version"), 1);
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let connection = FIRST.open(&place.path).expect("opened");
    add(&connection);
    let folder = place.path.parent().expect("a folder");
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("read").flatten() {
        let mode = entry.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.file_name());
        files += 1;
    }
    assert_eq!(files, 4, "database, log, shared memory, lock");
    let mode = fs::metadata(folder).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_damaged_one_is_set_aside_and_one_copy_kept() {
    let place = Place::filled(FIRST);
    for _ in 0..2 {
        fs::write(&place.path, b"this is no database. ".repeat(99)).expect("written");
        assert_eq!(place.count(FIRST), 0);
        assert_eq!(place.set_aside(), 1);
    }
    remove_quarantined(&place.path).expect("removed");
    assert_eq!(place.set_aside(), 0);
}

#[test]
fn a_database_that_cannot_be_derived_is_never_replaced() {
    let place = Place::filled(KEPT);
    fs::write(&place.path, b"this is no database. ".repeat(99)).expect("written");
    place.refused(KEPT);
    let file = SideFile::at(KEPT, &place.path);
    let done: Result<(), StoreError> = file.with(|_| panic!("there is nothing to work with"));
    done.expect_err("it is refused");
    assert_eq!(place.set_aside(), 0);
}

#[test]
fn a_database_with_missing_or_foreign_tables_is_damaged() {
    let place = Place::filled(MARKED);
    place.change("DROP TABLE things");
    let file = SideFile::at(MARKED, &place.path);
    let added: Result<usize, StoreError> = file
        .change(|transaction| Ok(transaction.execute("INSERT INTO things VALUES ('two')", [])?));
    assert_eq!(added.expect("added"), 1);
    assert_eq!((things(&file), place.set_aside()), (1, 1));
    for sql in ["PRAGMA application_id = 0", "PRAGMA user_version = 0"] {
        let place = Place::filled(MARKED);
        place.change(sql);
        assert_eq!((place.count(MARKED), place.set_aside()), (0, 1), "{sql}");
    }
}

#[test]
fn a_file_of_another_program_is_refused() {
    for (made, opened) in [(MARKED, FIRST), (FIRST, MARKED), (MARKED, KEPT)] {
        let place = Place::filled(made);
        place.change("PRAGMA application_id = 77");
        let refused = place.refused(opened);
        assert!(matches!(refused, StoreError::Refused(_)), "{refused}");
        assert!(refused.to_string().contains("0x4d"), "{refused}");
    }
}

#[test]
fn a_newer_format_is_refused() {
    for database in [FIRST, MARKED, KEPT] {
        let place = Place::filled(database);
        place.change("PRAGMA user_version = 2");
        let refused = place.refused(database);
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
    }
}

#[test]
fn an_earlier_format_is_migrated_or_recreated() {
    let place = Place::filled(FIRST);
    let second = SideDatabase { format: 2, ..FIRST };
    assert_eq!(place.count(second), 0);
    assert_eq!(place.number("user_version"), 2);
    remove_derived(&place.path).expect("removed");
    assert_eq!(place.count(FIRST), 0);

    let third = SideDatabase {
        format: 3,
        migrations: &[
            "INSERT INTO things VALUES ('two')",
            "INSERT INTO things SELECT name || '!' FROM things",
        ],
        ..KEPT
    };
    let place = Place::filled(KEPT);
    assert_eq!(place.count(third), 4);
    assert_eq!(place.number("user_version"), 3);
    assert_eq!(place.count(third), 4);
    let unknown = SideDatabase {
        format: 4,
        migrations: &[],
        ..KEPT
    };
    let refused = place.refused(unknown);
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
}

#[test]
fn a_file_filled_by_another_version_is_recreated() {
    let versioned = SideDatabase {
        unusable: UnusableFile::ReplacedWhere(|connection| {
            let others = "SELECT count(*) > 0 FROM things WHERE name = 'other'";
            connection.query_row(others, [], |row| row.get(0))
        }),
        ..FIRST
    };
    for sql in [
        "INSERT INTO things VALUES ('other')",
        "PRAGMA user_version = 2",
    ] {
        let place = Place::filled(versioned);
        assert_eq!(place.count(versioned), 1);
        place.change(sql);
        assert_eq!((place.count(versioned), place.set_aside()), (0, 0), "{sql}");
    }
}

#[test]
fn tables_missing_in_earlier_files_are_added() {
    let place = Place::filled(FIRST);
    let more = SideDatabase {
        additions: "CREATE TABLE IF NOT EXISTS more (name TEXT) STRICT",
        ..FIRST
    };
    for _ in 0..2 {
        let connection = more.open(&place.path).expect("opened");
        let added = connection.execute("INSERT INTO more VALUES ('one')", []);
        added.expect("added");
    }
    assert_eq!(place.count(FIRST), 1);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    for name in ["things.db", "things.lock"] {
        let place = place();
        let folder = place.path.parent().expect("a folder");
        fs::create_dir_all(folder).expect("a folder");
        let outside = folder.with_file_name("precious");
        fs::write(&outside, "").expect("a file");
        std::os::unix::fs::symlink(&outside, folder.join(name)).expect("a link");
        let refused = FIRST.open(&place.path).expect_err("a link");
        assert!(matches!(refused, StoreError::Refused(_)), "{refused}");
        assert_eq!(fs::read(&outside).expect("a file"), b"");
    }
}

#[test]
fn a_file_runs_no_code_and_its_schema_is_protected() {
    let place = Place::filled(FIRST);
    let connection = FIRST.open(&place.path).expect("opened");
    let sql = "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema";
    connection.execute_batch(sql).expect_err("it is defended");
    let trusted: bool = connection
        .pragma_query_value(None, "trusted_schema", |row| row.get(0))
        .expect("a setting");
    assert!(!trusted);
}

#[test]
fn threads_that_open_a_missing_file_concurrently_share_one_database() {
    for _ in 0..10 {
        let place = place();
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| add(&FIRST.open(&place.path).expect("opened")));
            }
        });
        assert_eq!(place.count(FIRST), 6);
    }
}

#[test]
fn a_process_that_creates_the_tables_without_the_lock_is_waited_for() {
    let place = place();
    let folder = place.path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    let other = Connection::open(&place.path).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("begun");
    std::thread::scope(|scope| {
        scope.spawn(|| add(&FIRST.open(&place.path).expect("opened")));
        let lock = folder.join("things.lock");
        let is_held = || fs::File::open(&lock).is_ok_and(|file| file.try_lock().is_err());
        while !is_held() {
            std::thread::yield_now();
        }
        let tables = format!("{} PRAGMA user_version = 1; COMMIT", FIRST.schema);
        other.execute_batch(&tables).expect("made");
    });
    assert_eq!(place.count(FIRST), 1);
}

/// As on a full disk.
#[test]
fn a_file_that_could_not_be_filled_is_no_file() {
    let place = place();
    let broken = SideDatabase::new(1, "CREATE TABLE");
    broken.open(&place.path).expect_err("no table was made");
    assert!(!place.path.exists());
    // What a killed process leaves.
    fs::write(&place.path, "").expect("written");
    let file = SideFile::at(FIRST, &place.path);
    assert!(!file.exists());
    assert_eq!(things(&file), 0);
    assert!(file.exists());
}

#[test]
fn another_file_under_the_path_is_noticed() {
    let place = place();
    let file = SideFile::at(FIRST, &place.path);
    assert!(!file.exists(), "nothing is touched before it is needed");
    let add_one = || -> Result<(), StoreError> {
        file.with(|connection| {
            add(connection);
            Ok(())
        })
    };
    add_one().expect("added");
    assert_eq!(things(&file), 1);
    SideFile::at(FIRST, &place.path).remove().expect("removed");
    assert_eq!(things(&file), 0);
    add_one().expect("added");
    // Another handle detects the damage first.
    let other = SideFile::at(FIRST, &place.path);
    assert_eq!(things(&other), 1);
    let mut met = false;
    let replaced: Result<i64, StoreError> = other.with(|connection| {
        if std::mem::replace(&mut met, true) {
            return Ok(count(connection));
        }
        Err(rusqlite::Error::QueryReturnedNoRows.into())
    });
    assert_eq!((replaced.expect("counted"), place.set_aside()), (0, 1));
    add_one().expect("added");
    assert_eq!((things(&file), things(&other)), (1, 1));
    assert_eq!(place.set_aside(), 1);
}
