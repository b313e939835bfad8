//! Every file states its format and is accessible to its owner only; files of a newer format are left unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use anamne_store::{SpaceName, SpaceSource, StoreError, StoreFolder};
use anamne_types::Draft;

use crate::common::{Home, child_task, clock, files_under, open, open_in_child, user};

fn stored() -> Home {
    let home = Home::new();
    home.open()
        .remember(&user(), &"a note".into())
        .expect("a write");
    home
}

/// Every file in the space's folder that this version could have written.
fn bytes(home: &Home) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = files_under(&home.space())
        .into_iter()
        .filter(|path| !path.to_string_lossy().contains(".db-"))
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect();
    files.sort();
    files
}

#[track_caller]
fn check_refused(home: &Home, file: &Path, format: i64) {
    let before = bytes(home);
    match open(&home.space()).err() {
        Some(StoreError::Newer {
            path,
            found: 99,
            known,
        }) => assert_eq!((path.as_path(), known), (file, format)),
        other => panic!("a newer {} was not refused: {other:?}", file.display()),
    }
    assert!(bytes(home) == before, "what is newer is left alone");
}

#[test]
fn a_newer_database_is_refused() {
    let home = stored();
    let database = rusqlite::Connection::open(home.database()).expect("a database");
    database
        .pragma_update(None, "user_version", 99)
        .expect("a version");
    database.close().expect("closed");
    check_refused(&home, &home.database(), 3);
}

#[test]
fn a_newer_config_is_refused() {
    let home = stored();
    let config = home.at("space.toml");
    fs::write(&config, "format = 99\nshape = \"other\"\n").expect("a config");
    check_refused(&home, &config, 1);
}

#[test]
fn a_newer_journal_is_refused() {
    for with_database in [true, false] {
        let home = stored();
        let segment = home.journal().join("000001.jsonl");
        fs::write(
            &segment,
            "{\"anamne_journal\":99,\"other\":[]}\n{\"of\":\"another shape\"}\n",
        )
        .expect("a segment");
        if !with_database {
            home.remove_database();
        }
        let error = open(&home.space()).err();
        assert!(
            matches!(&error, Some(StoreError::Newer { path, found: 99, known: 1 }) if *path == segment),
            "{error:?}"
        );
        assert!(
            fs::read_to_string(&segment)
                .expect("the segment")
                .contains("another shape")
        );
    }
}

#[test]
fn a_config_of_another_space_is_not_opened() {
    let home = stored();
    let name: SpaceName = "other".parse().expect("a name");
    let error = SpaceSource::open(&home.space(), &name, clock(), true)
        .err()
        .expect("a refusal");
    assert!(error.to_string().contains("\"core\""), "{error}");
}

#[test]
fn a_space_that_is_not_there_is_not_made_unasked() {
    let home = Home::new();
    let open = |create| SpaceSource::open(&home.space(), &SpaceName::core(), clock(), create);
    assert!(matches!(open(false).err(), Some(StoreError::NoSpace(name)) if name == "core"));
    assert!(!home.space().exists());
    drop(open(true).expect("a new space"));
    home.remove_database();
    drop(open(false).expect("a space that was made before"));
}

#[test]
fn a_creation_that_was_killed_leaves_no_space() {
    let left: [&[&str]; 4] = [
        &[],
        &["memories/"],
        &["memories/", "write.lock"],
        &["memories/", "write.lock", "space.toml.tmp-7-0"],
    ];
    for files in left {
        let root = tempfile::tempdir().expect("a folder");
        let (store, name) = (StoreFolder::at(root.path()), SpaceName::core());
        let folder = store.space(&name);
        fs::create_dir_all(&folder).expect("a folder");
        for file in files {
            let path = folder.join(file);
            let made = if file.ends_with('/') {
                fs::create_dir(&path)
            } else {
                fs::write(&path, "name = ")
            };
            made.expect("made");
        }
        assert!(!store.has_space(&name).expect("a look"), "{files:?}");
        assert_eq!(store.spaces().expect("a look"), []);
        assert!(store.unreadable_spaces().expect("a look").is_empty());
        assert!(store.folders().expect("a look").is_empty());
        let open = |create| SpaceSource::open(&folder, &name, clock(), create);
        assert!(matches!(open(false).err(), Some(StoreError::NoSpace(_))));
        let space = open(true).expect("a new space");
        assert!(space.is_unwritten().expect("a look"));
        assert!(store.has_space(&name).expect("a look"));
        assert_eq!(store.spaces().expect("a look"), [name]);
    }
}

#[test]
fn a_store_lists_its_spaces() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = StoreFolder::at(&folder.path().join("store"));
    assert_eq!(store.spaces().expect("no spaces"), []);
    store.create().expect("a store");
    let names: Vec<SpaceName> = ["Ålesund harbour", "core"]
        .iter()
        .map(|name| name.parse().expect("a name"))
        .collect();
    for name in &names {
        drop(SpaceSource::open(&store.space(name), name, clock(), true).expect("a space"));
    }
    let mut sorted = names;
    sorted.sort();
    assert_eq!(store.spaces().expect("spaces"), sorted);
}

#[test]
fn child_makes_a_space() {
    let Some((folder, _)) = child_task() else {
        return;
    };
    let space = open_in_child(&folder);
    let id = space
        .remember(&user(), &Draft::new("private").thread("t"))
        .expect("a write")
        .id;
    space
        .remember(&user(), &"to be erased".into())
        .map(|stored| space.erase(&user(), stored.id))
        .expect("a write")
        .expect("an erasure");
    assert!(space.get(id).is_ok());
    #[cfg(unix)]
    for path in files_under(&folder) {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        for above in path
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(&folder))
        {
            assert_eq!(mode(above), 0o700, "{}", above.display());
        }
    }
}

/// The umask is per process, so a child gets the usual one, which would make files readable by everybody.
#[cfg(unix)]
#[test]
fn every_file_is_for_its_owner_only() {
    use std::process::Command;
    let home = Home::new();
    let status = Command::new("sh")
        .args([
            "-c",
            "umask 022; exec \"$0\" --exact format::child_makes_a_space --test-threads=1",
        ])
        .arg(std::env::current_exe().expect("this very program"))
        .env("ANAMNE_TEST_SPACE", home.space())
        .env("ANAMNE_TEST_CHILD", "0")
        .status()
        .expect("a child");
    assert!(status.success());
    assert!(home.database().exists(), "the child did its part");
}
