//! The five problems of a store are distinguishable for a Rust program, each with a next step.

use std::fs::{self, File};

use anamne::{Draft, Error, ErrorKind, NextStep, Options, Recall, Space, Store};
use rusqlite::Connection;

use crate::common::Home;

fn stored(home: &Home) -> Space {
    let space = home.space();
    space
        .remember(Draft::new("The ferry leaves at nine"))
        .expect("a write");
    space
}

fn opened(home: &Home) -> Result<Space, Error> {
    let store = Store::open_with(Options::new(home.root()).background(false))?;
    store.existing_space("tests")
}

fn asked(home: &Home) -> Result<(), Error> {
    opened(home)?.recall(&Recall::new("ferry")).map(drop)
}

#[track_caller]
fn check(outcome: Result<(), Error>, kind: ErrorKind, step: NextStep) {
    let error = outcome.expect_err("an error");
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(error.next_step(), Some(step), "{error}");
}

/// Locks the database, so that no other process can read it.
fn lock(home: &Home) -> Connection {
    let other = Connection::open(home.folder().join("memories/active.db")).expect("opened");
    other
        .execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
        .expect("locked");
    other
}

#[test]
fn what_is_not_there_is_not_found() {
    let home = Home::new();
    check(asked(&home), ErrorKind::NotFound, NextStep::ListSpaces);
}

#[test]
fn a_newer_format_asks_for_a_newer_version() {
    let home = Home::new();
    drop(stored(&home));
    let path = home.folder().join("space.toml");
    let settings = fs::read_to_string(&path).expect("settings");
    fs::write(&path, settings.replace("format = 1", "format = 99")).expect("written");
    check(asked(&home), ErrorKind::NewerFormat, NextStep::InstallNewer);
}

#[test]
fn damaged_settings_ask_for_a_repair() {
    let home = Home::new();
    drop(stored(&home));
    fs::write(home.folder().join("space.toml"), "\0").expect("written");
    check(asked(&home), ErrorKind::Damaged, NextStep::Repair);
}

#[test]
fn another_writer_is_waited_for_and_then_named() {
    let home = Home::new();
    let space = stored(&home);
    let path = home.folder().join("write.lock");
    let held = File::options().write(true).open(path).expect("a lock");
    held.lock().expect("locked");
    let outcome = space.remember(Draft::new("The ferry leaves at ten"));
    check(outcome.map(drop), ErrorKind::Busy, NextStep::WaitAndRetry);
}

#[test]
fn a_locked_database_is_busy_for_who_asks_and_for_repair() {
    let home = Home::new();
    drop(stored(&home));
    let held = lock(&home);
    check(asked(&home), ErrorKind::Busy, NextStep::WaitAndRetry);
    let store = Store::open_with(Options::new(home.root()).background(false)).expect("a store");
    let reports = store.repair(Some("tests")).expect("a report");
    let report = &reports[0];
    assert!(!report.is_whole(), "{report:?}");
    assert_eq!(
        (&report.repaired, &report.lost, &report.findings),
        (&vec![], &vec![], &vec![])
    );
    let kept = report.not_repaired.as_ref().expect("a reason");
    assert_eq!(kept.kind, "busy");
    assert_eq!(kept.next_step, NextStep::WaitAndRetry);
    drop((held, store));
    asked(&home).expect("an answer");
    let names = fs::read_dir(home.folder().join("memories")).expect("a folder");
    for name in names {
        let name = name.expect("an entry").file_name();
        assert!(!name.to_string_lossy().contains(".damaged"), "{name:?}");
    }
}

/// The test below runs itself again as a user without permissions; this variable names the store to query.
#[cfg(unix)]
const STORE: &str = "ANAMNE_TEST_STORE_WITHOUT_PERMISSION";

#[cfg(unix)]
#[test]
fn a_missing_permission_is_named() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const NOBODY: u32 = 65_534;
    if let Ok(root) = std::env::var(STORE) {
        let outcome = Store::open_with(Options::new(&root).background(false))
            .and_then(|store| store.existing_space("tests"))
            .and_then(|space| space.recall(&Recall::new("ferry")));
        check(
            outcome.map(drop),
            ErrorKind::PermissionDenied,
            NextStep::FixPermissions,
        );
        return;
    }
    let set_mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    let programs = tempfile::tempdir().expect("a folder");
    set_mode(programs.path(), 0o755);
    let program = programs.path().join("again");
    // Copied by another process: a file that a process just wrote can't be started while it starts others.
    let copied = Command::new("cp")
        .arg(std::env::current_exe().expect("a path"))
        .arg(&program)
        .status();
    assert!(copied.expect("it starts").success());
    for closed in [
        "",
        "spaces",
        "spaces/tests",
        "spaces/tests/memories/active.db",
    ] {
        let home = Home::new();
        drop(stored(&home));
        let is_root = fs::metadata(home.root()).expect("a folder").uid() == 0;
        for path in crate::common::files_under(home.root()) {
            for above in path
                .ancestors()
                .take_while(|path| path.starts_with(home.root()))
            {
                set_mode(above, 0o777);
            }
        }
        set_mode(&home.root().join(closed), 0o000);
        let mut command = Command::new(&program);
        command.args([
            "--exact",
            "problems::a_missing_permission_is_named",
            "--nocapture",
        ]);
        command.env(STORE, home.root());
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().expect("it starts");
        set_mode(&home.root().join(closed), 0o700);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{closed}: {said}");
        assert!(said.contains("1 passed"), "{closed}: {said}");
    }
}
