//! Folders of notes: which note is which memory, and when it was written.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anamne::{BadLines, ImportOptions, ImportReport, Listing, Memory, Options, Space, Store};
use tempfile::TempDir;

fn space() -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    (folder, space)
}

/// Folders of notes beside each other.
fn vaults(notes: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in notes {
        write(root.path(), path, text);
    }
    root
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

fn import(space: &Space, path: &Path) -> ImportReport {
    let imported = space.import_notes(path, ImportOptions::default(), &mut |_| {});
    imported.expect("imported")
}

/// Imports with updates; the numbers of new, edited and newer memories.
fn update(space: &Space, path: &Path) -> (u64, u64, u64) {
    let options = ImportOptions::default().updating();
    let report = space.import_notes(path, options, &mut |_| {});
    let report = report.expect("imported");
    (report.imported, report.updated, report.newer)
}

fn memories(space: &Space) -> Vec<Memory> {
    let listing = Listing {
        limit: 100,
        ..Listing::default()
    };
    space.list(&listing).expect("a list")
}

fn texts(space: &Space) -> Vec<String> {
    let memories = memories(space);
    let mut texts: Vec<_> = memories.into_iter().map(|memory| memory.content).collect();
    texts.sort();
    texts
}

fn memory(space: &Space, text: &str) -> Memory {
    let mut memories = memories(space).into_iter();
    memories.find(|memory| memory.content == text).expect(text)
}

#[test]
fn notes_at_the_same_path_of_two_folders_are_two_memories() {
    let (_folder, space) = space();
    let root = vaults(&[
        ("va/index.md", "Index of cooking"),
        ("va/day.md", "An empty day"),
        ("va/bread.md", "Bread"),
        ("vb/index.md", "Index of taxes"),
        ("vb/day.md", "An empty day"),
        ("vb/bread.md", "Bread for tax advisers"),
        ("vb/all.md", "---\nreferences: \"[[index]]\"\n---\nAll"),
    ]);
    let (va, vb) = (root.path().join("va"), root.path().join("vb"));
    assert_eq!(import(&space, &va).imported, 3);
    assert_eq!(import(&space, &vb).imported, 4);
    let all = [
        "All",
        "An empty day",
        "An empty day",
        "Bread",
        "Bread for tax advisers",
        "Index of cooking",
        "Index of taxes",
    ];
    assert_eq!(texts(&space), all);
    let links = space.links(memory(&space, "All").id).expect("links");
    assert_eq!(links[0].to, memory(&space, "Index of taxes").id);

    for folder in [&va, &vb, &va, &vb] {
        assert_eq!(update(&space, folder), (0, 0, 0));
    }
    let taxes = memory(&space, "Index of taxes").id;
    write(&vb, "index.md", "Index of taxes and fees");
    write(&va, "new.md", "New in a");
    write(&vb, "new.md", "New in b");
    assert_eq!(update(&space, &vb), (1, 1, 0));
    assert_eq!(update(&space, &va), (1, 0, 0));
    assert_eq!(memory(&space, "Index of taxes and fees").id, taxes);
    assert_eq!(texts(&space).len(), 9);
}

#[test]
fn notes_of_an_import_that_stopped_are_known_by_their_folder_too() {
    let (_folder, space) = space();
    let root = vaults(&[
        ("va/index.md", "Index of cooking"),
        ("va/z.md", "---\nopen: 1\n"),
        ("vb/index.md", "Index of taxes"),
    ]);
    let stopped = space.import_notes(&root.path().join("va"), BadLines::Stop, &mut |_| {});
    stopped.expect_err("a bad note");
    assert_eq!(update(&space, &root.path().join("vb")), (1, 0, 0));
    assert_eq!(texts(&space), ["Index of cooking", "Index of taxes"]);
}

#[test]
fn a_note_that_is_imported_alone_belongs_to_its_folder() {
    let (_folder, space) = space();
    let root = vaults(&[
        ("va/README.md", "Read about cooking"),
        ("vb/README.md", "Read about taxes"),
    ]);
    let (va, vb) = (root.path().join("va"), root.path().join("vb"));
    for folder in [&va, &vb] {
        assert_eq!(import(&space, &folder.join("README.md")).imported, 1);
    }
    for path in [&va, &vb, &vb.join("README.md")] {
        assert_eq!(update(&space, path), (0, 0, 0));
    }
    assert_eq!(texts(&space), ["Read about cooking", "Read about taxes"]);
}

#[test]
fn a_folder_that_was_moved_is_still_the_same() {
    let (_folder, space) = space();
    let root = vaults(&[
        ("va/index.md", "Index of cooking"),
        ("vb/index.md", "Index of taxes"),
        ("vb/a.md", "A"),
        ("vb/b.md", "B"),
    ]);
    import(&space, &root.path().join("va"));
    import(&space, &root.path().join("vb"));
    let moved = root.path().join("moved");
    fs::rename(root.path().join("vb"), &moved).expect("renamed");
    write(&moved, "a.md", "A, changed");
    assert_eq!(update(&space, &moved), (0, 1, 0));
    write(&moved, "index.md", "Index of taxes and fees");
    write(&moved, "b.md", "B, changed");
    assert_eq!(update(&space, &moved), (0, 2, 0));
    let expected = [
        "A, changed",
        "B, changed",
        "Index of cooking",
        "Index of taxes and fees",
    ];
    assert_eq!(texts(&space), expected);
}

#[test]
fn a_note_has_the_time_that_it_or_its_file_states() {
    let (_folder, space) = space();
    let root = vaults(&[
        ("plain.md", "plain"),
        ("future.md", "future"),
        ("created.md", "---\ncreated: 2024-05-05\n---\ncreated"),
        (
            "both.md",
            "---\nupdated: 2026-01-01\ncreated_at: 2024-05-05T10:00:00+02:00\n---\nboth",
        ),
        ("date.md", "---\ndate: 20240505\n---\ndate"),
        (
            "modified.md",
            "---\nmodified: 2024-05-05 08:00\n---\nmodified",
        ),
        (
            "stated.md",
            "---\ntime: 2020-01-01T00:00:00Z\ncreated: 2024-05-05\n---\nstated",
        ),
        (
            "odd.md",
            "---\ncreated: in spring\ndate: 202405051230\n---\nodd",
        ),
    ]);
    let now = SystemTime::now();
    let changed = SystemTime::UNIX_EPOCH + Duration::from_hours(466_056);
    for (name, time) in [
        ("plain.md", changed),
        ("created.md", changed),
        ("odd.md", changed),
        ("future.md", now + Duration::from_secs(1_000_000)),
    ] {
        let file = OpenOptions::new().append(true).open(root.path().join(name));
        file.expect("a file").set_modified(time).expect("a time");
    }
    assert_eq!(import(&space, root.path()).imported, 8);
    for (text, time) in [
        ("plain", "2023-03-03T00:00:00Z"),
        ("created", "2024-05-05T00:00:00Z"),
        ("both", "2024-05-05T08:00:00Z"),
        ("date", "2024-05-05T00:00:00Z"),
        ("modified", "2024-05-05T08:00:00Z"),
        ("stated", "2020-01-01T00:00:00Z"),
        ("odd", "2023-03-03T00:00:00Z"),
    ] {
        assert_eq!(memory(&space, text).occurred_at.to_string(), time, "{text}");
    }
    assert!(memory(&space, "future").occurred_at <= space.now());
    let both = memory(&space, "both").metadata;
    assert_eq!(both["updated"], "2026-01-01");
    // That a file was written again says nothing new.
    write(root.path(), "plain.md", "plain");
    assert_eq!(update(&space, root.path()), (0, 0, 0));
}

#[test]
fn own_properties_of_notes_are_metadata_whatever_their_names() {
    let (_folder, space) = space();
    let properties = [
        "goal: lose weight",
        "steps: [a, b]",
        "name: Ada",
        "code: 7",
        "trigger: x",
        "outcome: y",
        "document: z",
        "follows: w",
        "kind: book",
        "category: recipes",
        "role: CTO",
        "author: [A, B]",
        "importance: high",
        "confidence: 90%",
        "position: top",
        "session: 3",
        "links: \"[[x]]\"",
        "metadata: x",
        "text: hello",
        "content: hello",
        "time: 10:30",
        "timestamp: soon",
        "expires: never",
        "title: 1984",
        "space: kitchen",
        "row: 3",
        "version: 2",
        "deleted_at: soon",
    ];
    let notes: Vec<_> = (properties.iter())
        .map(|property| format!("---\n{property}\n---\n{property}"))
        .chain([format!("---\n{}\n---\nall", properties.join("\n"))])
        .collect();
    let paths: Vec<_> = (0..notes.len()).map(|n| format!("{n}.md")).collect();
    let pairs: Vec<_> = (paths.iter().map(String::as_str))
        .zip(notes.iter().map(String::as_str))
        .collect();
    let root = vaults(&pairs);
    let report = import(&space, root.path());
    assert_eq!(report.imported, notes.len() as u64);
    let all = memory(&space, "all").metadata;
    for property in properties {
        let (name, _) = property.split_once(':').expect("a name");
        let alone = memory(&space, property);
        assert!(alone.metadata.contains_key(name), "{alone:?}");
        assert!(all.contains_key(name), "{name}: {all:?}");
        assert_eq!(alone.body.kind(), anamne::Kind::Document, "{name}");
    }
    assert_eq!(update(&space, root.path()), (0, 0, 0));
}
