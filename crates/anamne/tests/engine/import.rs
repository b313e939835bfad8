//! Imports can be repeated, report invalid lines, and lose nothing.

use anamne::{BadLines, Error, Filter, ImportOptions, Listing, Options, Space, Store};
use tempfile::TempDir;

fn space() -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    (folder, space)
}

const LINES: &str = r#"{"id": "a", "thread": "t", "position": 0, "time": "2026-02-03T09:12:00Z", "author": "Ada", "text": "Good morning"}
{"id": "b", "thread": "t", "position": 1, "time": "2026-02-03T09:13:00Z", "author": "Bo", "text": "Good morning"}

{"id": 7, "text": "A fact with links", "kind": "fact", "category": "constraint", "tags": ["x"], "links": [{"to": "a", "type": "supports"}], "mood": "calm"}
"#;

#[test]
fn an_import_that_is_run_again_changes_nothing() {
    let (_folder, space) = space();
    let first = space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!(
        (first.lines, first.imported, first.known, first.links),
        (4, 3, 0, 1)
    );
    let again = space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!((again.imported, again.known), (0, 3));
    let fact = space
        .get(
            space
                .find_imported("7")
                .expect("a look-up")
                .expect("a memory"),
        )
        .expect("a memory");
    assert_eq!(fact.metadata["mood"], "calm");
    assert_eq!(space.links(fact.id).expect("links").len(), 1);
}

#[test]
fn an_import_does_not_bring_back_what_was_erased() {
    let (_folder, space) = space();
    let options = ImportOptions::default();
    space
        .import(LINES.as_bytes(), options, &mut |_| {})
        .expect("imported");
    let first = space.find_imported("a").expect("a look-up");
    let erased = space.erase(first.expect("a memory")).expect("erased");
    assert!(erased.is_complete());
    for options in [options, options.updating()] {
        let again = space
            .import(LINES.as_bytes(), options, &mut |_| {})
            .expect("imported");
        assert_eq!((again.imported, again.known, again.erased), (0, 3, 1));
    }
    assert_eq!(space.find_imported("a").expect("a look-up"), None);
    let lines: Vec<anamne::Draft> = vec![anamne::Draft {
        external_id: Some("a".to_owned()),
        ..anamne::Draft::new("Good morning")
    }];
    let told = space.remember_each(&lines).expect("a batch");
    assert!(told[0].is_err(), "hooks tell it in this way");
}

#[test]
fn a_bad_line_is_named_and_what_came_before_it_stays() {
    for (bad, reason) in [
        (r#"{"text": }"#, "expected value"),
        (r#"{"text": ""}"#, "content"),
        (r#"{"text": "x", "importance": 11}"#, "importance"),
        (r#"{"text": "x", "kind": "rumour"}"#, "rumour"),
        (r#"{"no": "text"}"#, "text"),
        (r#"{"text": "x", "time": "yesterday"}"#, "time"),
        (
            r#"{"id": "a", "text": "something else"}"#,
            "different content",
        ),
    ] {
        let (_folder, space) = space();
        let text = format!("{LINES}{bad}\n{{\"text\": \"after\"}}\n");
        let error = space
            .import(text.as_bytes(), BadLines::Stop, &mut |_| {})
            .expect_err(bad);
        assert!(matches!(error, Error::BadLine { line: 5, .. }), "{error}");
        assert!(error.to_string().contains(reason), "{bad}: {error}");
        let before = space
            .list(&Listing {
                limit: 10,
                ..Listing::default()
            })
            .expect("a list");
        assert!(before.len() >= 3, "{bad}: what came before must stay");
        let skipped = space
            .import(text.as_bytes(), BadLines::Skip, &mut |_| {})
            .expect("imported");
        assert_eq!(
            skipped.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(),
            [5]
        );
        let all = space
            .list(&Listing {
                limit: 10,
                ..Listing::default()
            })
            .expect("a list");
        assert!(all.iter().any(|memory| memory.content == "after"));
    }
}

fn of_import(space: &Space, external_id: &str) -> anamne::Memory {
    let id = space.find_imported(external_id).expect("a look-up");
    space.get(id.expect("imported")).expect("a memory")
}

#[test]
fn a_changed_line_edits_its_memory_if_the_import_updates() {
    let (_folder, space) = space();
    space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    space
        .edit(
            of_import(&space, "7").id,
            &anamne::Edit {
                add_tags: vec!["own".to_owned()],
                ..anamne::Edit::default()
            },
        )
        .expect("edited");
    let changed = LINES
        .replace("A fact with links", "A fact with other words")
        .replace(r#""tags": ["x"]"#, r#""tags": ["x", "y"]"#)
        .replace(r#""mood": "calm""#, r#""mood": "cheerful""#)
        .replace(
            r#""text": "Good morning"}
{"id": "b""#,
            r#""text": "Good evening"}
{"id": "b""#,
        );
    let refused = space.import(changed.as_bytes(), BadLines::Skip, &mut |_| {});
    let refused = refused.expect("an import");
    assert_eq!(refused.bad.len(), 2, "{refused:?}");
    let step = Some(anamne::NextStep::ImportUpdates);
    assert!(
        refused.bad.iter().all(|bad| bad.next_step == step),
        "{refused:?}"
    );
    assert_eq!(of_import(&space, "7").content, "A fact with links");

    let updating = ImportOptions::default().updating();
    let report = space.import(changed.as_bytes(), updating, &mut |_| {});
    let report = report.expect("an import");
    assert_eq!(
        (report.imported, report.known, report.updated),
        (0, 3, 2),
        "{report:?}"
    );
    let fact = of_import(&space, "7");
    assert_eq!(fact.content, "A fact with other words");
    assert_eq!(
        fact.tags,
        ["own", "x", "y"],
        "what the line doesn't name stays"
    );
    assert_eq!(fact.metadata["mood"], "cheerful");
    assert_eq!(of_import(&space, "a").content, "Good evening");
    assert_eq!(of_import(&space, "b").content, "Good morning");
    let history = space.history(fact.id).expect("a history");
    assert!(
        history
            .iter()
            .filter_map(|state| state.memory.as_ref())
            .any(|memory| memory.content == "A fact with links"),
        "the history keeps what was there: {history:?}"
    );

    let again = space.import(changed.as_bytes(), updating, &mut |_| {});
    let again = again.expect("an import");
    assert_eq!(
        (again.known, again.updated),
        (3, 0),
        "nothing is left to edit"
    );
    assert_eq!(of_import(&space, "7").version, fact.version);
}

#[test]
fn a_changed_note_edits_its_memory_if_the_import_updates() {
    let (_folder, space) = space();
    let vault = tempfile::tempdir().expect("a folder");
    let note = vault.path().join("staging.md");
    std::fs::write(&note, "The staging server listens on port 8471\n").expect("written");
    std::fs::write(vault.path().join("other.md"), "Unchanged\n").expect("written");
    let import = |options: ImportOptions| space.import_notes(vault.path(), options, &mut |_| {});
    import(ImportOptions::default()).expect("imported");
    std::fs::write(&note, "The staging server listens on port 9000\n").expect("written");
    let stopped = import(ImportOptions::default()).expect_err("refused");
    assert!(
        matches!(
            &stopped,
            Error::BadNote {
                next_step: Some(anamne::NextStep::ImportUpdates),
                ..
            }
        ),
        "{stopped:?}"
    );
    let report = import(ImportOptions::default().updating()).expect("imported");
    assert_eq!((report.imported, report.known, report.updated), (0, 2, 1));
    let memory = of_import(&space, "staging.md");
    assert_eq!(memory.content, "The staging server listens on port 9000");
    let found = space.recall(&anamne::Recall::new("port of the staging server"));
    assert_eq!(
        found.expect("an answer").results[0].memory.content,
        memory.content
    );
}

#[test]
fn a_secret_in_the_name_of_a_note_or_folder_is_in_no_file() {
    let (folder, space) = space();
    let vault = tempfile::tempdir().expect("a folder");
    let secret = ["AK", "IA", "Q3EGRT5WZ7NBV2XM"].concat();
    let below = vault.path().join(&secret);
    std::fs::create_dir(&below).expect("made");
    std::fs::write(below.join("plain.md"), "The ferry leaves at nine").expect("written");
    let named = vault.path().join(format!("{secret}.md"));
    std::fs::write(named, "The crane is closed").expect("written");
    let updating = ImportOptions::from(BadLines::Skip).updating();
    let import = || {
        let report = space.import_notes(vault.path(), updating, &mut |_| {});
        report.expect("imported")
    };
    assert_eq!(import().imported, 2);
    let holding = || crate::common::files_with(folder.path(), secret.as_bytes());
    assert_eq!(holding(), Vec::<std::path::PathBuf>::new());
    // A note that can't be read doesn't count as gone, one that was removed does.
    std::fs::write(below.join("plain.md"), b"\xff").expect("written");
    assert_eq!(import().gone, []);
    std::fs::remove_dir_all(&below).expect("removed");
    let gone = import().gone;
    assert_eq!(gone.len(), 1);
    assert!(!gone[0].file.contains(&secret), "{gone:?}");
    assert_eq!(holding(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn notes_that_are_gone_are_named_and_their_memories_stay() {
    let (_folder, space) = space();
    let [vault, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let write = |vault: &tempfile::TempDir, name: &str, text: &[u8]| {
        let path = vault.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write(&vault, "bees.md", b"Bees dance\n");
    write(&vault, "old/saffron.md", b"The saffron ledger is blue\n");
    write(&vault, "old/ferry.md", b"The ferry leaves at nine\n");
    write(&vault, "named.md", b"---\nid: n1\n---\nA note with an id\n");
    write(&other, "elsewhere.md", b"A note of another folder\n");
    let import = |vault: &tempfile::TempDir, options: ImportOptions| {
        let report = space.import_notes(vault.path(), options, &mut |_| {});
        report.expect("imported")
    };
    let updating = ImportOptions::from(BadLines::Skip).updating();
    let gone = |vault: &tempfile::TempDir| -> Vec<_> {
        let gone = import(vault, updating).gone.into_iter();
        gone.map(|gone| (gone.file, gone.memory)).collect()
    };
    assert_eq!(import(&vault, ImportOptions::default()).imported, 4);
    assert_eq!(gone(&vault), []);

    // One is gone, one has another name, and one can't be read.
    let at = |name: &str| vault.path().join(name);
    std::fs::remove_file(at("old/saffron.md")).expect("removed");
    std::fs::rename(at("named.md"), at("renamed.md")).expect("renamed");
    write(&vault, "bees.md", b"\xff\n");
    assert_eq!(import(&vault, BadLines::Skip.into()).gone, []);
    let saffron = of_import(&space, "old/saffron.md");
    let expected = vec![("old/saffron.md".to_owned(), saffron.id)];
    for _ in 0..2 {
        assert_eq!(gone(&vault), expected);
        assert_eq!(gone(&other), []);
    }
    assert_eq!(space.read(saffron.id).expect("it stays").deleted_at, None);

    // Another folder is another one, also one within it.
    let within = space.import_notes(&at("old"), updating, &mut |_| {});
    assert_eq!(within.expect("imported").gone, []);
    // Named from elsewhere, it is the same.
    let again = at("old").join("..");
    let again = space.import_notes(&again, updating, &mut |_| {});
    assert_eq!(again.expect("imported").gone.len(), 1);

    space.forget(saffron.id).expect("forgotten");
    assert_eq!(gone(&vault), []);
    space.restore(saffron.id).expect("restored");
    assert_eq!(gone(&vault), expected);
    assert!(space.erase(saffron.id).expect("erased").is_complete());
    assert_eq!(gone(&vault), []);
    let files = std::fs::read_dir(space.folder().join("observed")).expect("files");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert!(files.iter().any(|file| file.ends_with("imports.db")));
    for file in files {
        let bytes = std::fs::read(file).expect("read");
        assert!(!bytes.windows(7).any(|part| part == b"saffron"));
    }
}

#[test]
fn a_folder_that_can_not_be_read_is_not_a_folder_without_notes() {
    let (_folder, space) = space();
    let vault = tempfile::tempdir().expect("a folder");
    let within = vault.path().join("within");
    std::fs::create_dir(&within).expect("made");
    std::fs::write(within.join("bees.md"), "Bees dance\n").expect("written");
    let options = ImportOptions::from(BadLines::Skip).updating();
    let import = || {
        let report = space.import_notes(vault.path(), options, &mut |_| {});
        report.expect("imported")
    };
    assert_eq!(import().imported, 1);
    // Hidden folders are not read.
    std::fs::rename(&within, vault.path().join(".hidden")).expect("renamed");
    assert_eq!(import().gone.len(), 1);
    std::fs::rename(vault.path().join(".hidden"), &within).expect("renamed");
    assert_eq!(import().gone, []);
    let is_closed = close(&within);
    let report = import();
    open(&within);
    if is_closed {
        assert_eq!((report.bad.len(), report.gone.len()), (1, 0), "{report:?}");
    }
}

/// Takes the right to read a folder away; whether that works, as it doesn't for root.
fn close(folder: &std::path::Path) -> bool {
    set_mode(folder, 0o000);
    std::fs::read_dir(folder).is_err()
}

fn open(folder: &std::path::Path) {
    set_mode(folder, 0o700);
}

#[cfg(unix)]
fn set_mode(folder: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder, mode).expect("a mode");
}

#[cfg(not(unix))]
fn set_mode(_: &std::path::Path, _: u32) {}

#[test]
fn what_was_edited_in_the_store_since_an_import_stays() {
    let (_folder, space) = space();
    let updating = ImportOptions::default().updating();
    let import = |lines: &str| space.import(lines.as_bytes(), updating, &mut |_| {});
    let line = |text: &str| format!("{{\"id\": \"a\", \"text\": \"{text}\"}}\n");
    import(&line("first")).expect("imported");
    let edit = |text: &str| anamne::Edit {
        content: Some(text.to_owned()),
        ..anamne::Edit::default()
    };
    space
        .edit(of_import(&space, "a").id, &edit("edited here"))
        .expect("edited");
    let report = import(&line("first")).expect("an import");
    assert_eq!((report.known, report.updated, report.newer), (1, 0, 1));
    assert_eq!(of_import(&space, "a").content, "edited here");
    let report = import(&line("second")).expect("an import");
    assert_eq!((report.known, report.updated, report.newer), (1, 1, 0));
    assert_eq!(of_import(&space, "a").content, "second");
}

#[test]
fn an_unchanged_line_takes_back_nothing_that_was_edited_in_the_store() {
    let (_folder, space) = space();
    let import = |line: &serde_json::Value| {
        let updating = ImportOptions::default().updating();
        let report = space.import(line.to_string().as_bytes(), updating, &mut |_| {});
        let report = report.expect("an import");
        (report.imported, report.updated, report.newer)
    };
    let line = |text: &str, status: &str| {
        serde_json::json!({
            "id": "a", "text": text, "kind": "fact", "category": "configuration", "importance": 2, "tags": ["x", "y"],
            "time": "2026-01-01T00:00:00Z", "expires": "2036-01-01T00:00:00Z", "confidence": 0.5,
            "metadata": { "p": 1, "gone": true, "status": status },
        })
    };
    assert_eq!(import(&line("first", "open")), (1, 0, 0));
    let edit = serde_json::json!({
        "importance": 4, "confidence": 0.75, "remove_tags": ["y"], "fields": { "category": "constraint" },
        "metadata": { "p": 2, "gone": null }, "occurred_at": "2026-02-02T00:00:00Z", "expires_at": "2037-01-01T00:00:00Z",
    });
    let edit = serde_json::from_value(edit).expect("an edit");
    let id = of_import(&space, "a").id;
    let edited = space.edit(id, &edit).expect("edited");
    assert_eq!(import(&line("first", "open")), (0, 0, 1));
    assert_eq!(of_import(&space, "a"), edited);

    // What the file changes is edited, and nothing else.
    for (text, status, expected) in [
        ("first", "done", (0, 1, 0)),
        ("second", "done", (0, 1, 0)),
        ("second", "open", (0, 1, 0)),
        ("second", "open", (0, 0, 1)),
        // The file of an earlier day.
        ("first", "done", (0, 0, 1)),
    ] {
        assert_eq!(import(&line(text, status)), expected, "{text} {status}");
    }
    let memory = of_import(&space, "a");
    assert_eq!(memory.content, "second");
    assert_eq!(
        serde_json::to_value(&memory.metadata).expect("JSON"),
        serde_json::json!({ "p": 2, "status": "open" })
    );
    assert_eq!((&memory.body, &memory.tags), (&edited.body, &edited.tags));
    assert_eq!((memory.importance, memory.confidence), (4, 0.75));
    assert_eq!(memory.occurred_at, edited.occurred_at);
    assert_eq!(memory.expires_at, edited.expires_at);
}

#[test]
fn an_update_opens_no_memory() {
    let (_folder, space) = space();
    let updating = ImportOptions::default().updating();
    for _ in 0..2 {
        let report = space.import(LINES.as_bytes(), updating, &mut |_| {});
        report.expect("an import");
    }
    for id in ["a", "7"] {
        let id = space.find_imported(id).expect("a look-up");
        let known = space.use_of(id.expect("imported")).expect("its use");
        assert_eq!(known, None);
    }
}

/// The link of the memory `7`, without its ends.
fn link_of_import(space: &Space) -> Option<anamne::Link> {
    let fact = of_import(space, "7").id;
    space.links(fact).expect("links").pop()
}

#[test]
fn a_link_that_the_store_knows_is_not_drawn_again() {
    let (_folder, space) = space();
    let import = |lines: &str, options: ImportOptions| {
        let report = space.import(lines.as_bytes(), options, &mut |_| {});
        report.expect("an import").links
    };
    let plain = ImportOptions::default();
    assert_eq!(import(LINES, plain), 1);
    let drawn = link_of_import(&space).expect("a link");
    let log = || {
        let query = anamne::LogQuery::default();
        space.log(&query).expect("the log")
    };
    let events = log();
    assert_eq!(events[0].event.actor.name, "import");
    assert_eq!(import(LINES, plain), 0);
    assert_eq!(import(LINES, plain.updating()), 0);
    assert_eq!(log(), events, "nothing is written");

    let weaker = LINES.replace("\"supports\"", "\"supports\", \"weight\": 0.25");
    assert_eq!(import(&weaker, plain), 0);
    assert_eq!(link_of_import(&space), Some(drawn.clone()));
    assert_eq!(import(&weaker, plain.updating()), 1);
    assert_eq!(import(&weaker, plain.updating()), 0);
    let weak = link_of_import(&space).expect("a link");
    assert!((weak.weight - 0.25).abs() < f32::EPSILON, "{weak:?}");

    let own = anamne::Link {
        weight: 0.5,
        ..drawn.clone()
    };
    space.link(&own).expect("a link of a person");
    let own = link_of_import(&space);
    for options in [plain, plain.updating(), plain.updating().trusted()] {
        assert_eq!((import(LINES, options), import(&weaker, options)), (0, 0));
        assert_eq!(link_of_import(&space), own);
    }
    let (from, to) = (drawn.from, drawn.to);
    assert!(space.unlink(from, to, drawn.link_type).expect("removed"));
    for options in [plain, plain.updating(), plain.updating().trusted()] {
        assert_eq!((import(LINES, options), import(&weaker, options)), (0, 0));
        assert_eq!(link_of_import(&space), None);
    }
}

#[test]
fn an_older_export_leaves_the_links_that_changed_since() {
    let (_folder, space) = space();
    let options = ImportOptions::default();
    let import = |lines: &[u8], options: ImportOptions| {
        let report = space.import(lines, options, &mut |_| {});
        report.expect("an import").links
    };
    import(LINES.as_bytes(), options);
    let drawn = link_of_import(&space).expect("a link");
    let changed = |weight| anamne::Link {
        weight,
        ..drawn.clone()
    };
    space.link(&changed(0.5)).expect("a link of a person");
    let mut export = Vec::new();
    space.export(&mut export).expect("exported");
    let edited = String::from_utf8(export.clone()).expect("text");
    let edited = edited.replace("\"weight\":0.5", "\"weight\":0.75");
    assert_eq!(import(edited.as_bytes(), options), 0);
    assert_eq!(import(edited.as_bytes(), options.updating()), 1);
    let edited = link_of_import(&space).expect("a link");
    assert!((edited.weight - 0.75).abs() < f32::EPSILON, "{edited:?}");

    space.link(&changed(1.0)).expect("a link of a person");
    let own = link_of_import(&space);
    for options in [options, options.updating(), options.updating().trusted()] {
        assert_eq!(import(&export, options), 0);
        assert_eq!(link_of_import(&space), own);
    }
    let (from, to) = (drawn.from, drawn.to);
    assert!(space.unlink(from, to, drawn.link_type).expect("removed"));
    for options in [options, options.updating(), options.updating().trusted()] {
        assert_eq!(import(&export, options), 0);
        assert_eq!(link_of_import(&space), None);
    }
}

#[test]
fn an_id_that_stands_twice_in_an_update_is_refused() {
    let (_folder, space) = space();
    let updating = ImportOptions::from(BadLines::Skip).updating();
    let line = |text: &str| format!("{{\"id\": \"a\", \"text\": \"{text}\"}}\n");
    for first in ["new", "changed"] {
        let lines = [line(first), line("another"), line(first)].concat();
        let report = space.import(lines.as_bytes(), updating, &mut |_| {});
        let report = report.expect("an import");
        assert_eq!(report.bad.len(), 1, "{report:?}");
        assert_eq!(report.bad[0].line, 2);
        assert!(report.bad[0].reason.contains("the same id"), "{report:?}");
        assert_eq!(of_import(&space, "a").content, first);
    }
}

#[test]
fn an_update_is_guarded_and_bad_content_is_refused() {
    let (_folder, space) = space();
    space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let line = format!(
        "{{\"id\": \"a\", \"text\": \"the deploy password is: {token}\"}}\n{{\"id\": \"b\", \"text\": \"\"}}\n"
    );
    let options = ImportOptions::from(BadLines::Skip).updating();
    let report = space
        .import(line.as_bytes(), options, &mut |_| {})
        .expect("an import");
    assert_eq!((report.updated, report.bad.len()), (1, 1), "{report:?}");
    let memory = of_import(&space, "a");
    assert!(!memory.content.contains("a1B2c3D4"), "{memory:?}");
    assert_eq!(of_import(&space, "b").content, "Good morning");
}

#[test]
fn an_export_can_be_imported_elsewhere() {
    let (_folder, space) = space();
    space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    let mut exported = Vec::new();
    let report = space.export(&mut exported).expect("exported");
    assert_eq!((report.exported, report.skipped.count), (3, 0));
    let (_other_folder, other) = self::space();
    let report = other
        .import(exported.as_slice(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!((report.imported, report.links), (3, 1));
    let of = |space: &Space| {
        let listing = Listing {
            limit: 10,
            filter: Filter::default(),
            ..Listing::default()
        };
        let mut memories = space.list(&listing).expect("a list");
        memories.sort_by(|one, other| one.external_id.cmp(&other.external_id));
        memories
            .into_iter()
            .map(|memory| {
                (
                    memory.content,
                    memory.body,
                    memory.thread,
                    memory.author,
                    memory.tags,
                    memory.occurred_at,
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&space), of(&other));
}

/// The number of records and bytes in each transaction of an import.
fn batches(lines: &str) -> Vec<(u64, u64)> {
    let (_folder, space) = space();
    let mut reached = Vec::new();
    let report = space
        .import(lines.as_bytes(), BadLines::Stop, &mut |report| {
            reached.push(report.imported);
        })
        .expect("imported");
    assert_eq!(report.imported, lines.lines().count() as u64);
    let mut left = lines.lines();
    let mut before = 0;
    let mut batches = Vec::new();
    for imported in reached {
        let records = imported - before;
        let bytes = left
            .by_ref()
            .take(records as usize)
            .map(str::len)
            .sum::<usize>();
        batches.push((records, bytes as u64));
        before = imported;
    }
    batches
}

#[test]
fn batches_are_bounded_by_records_and_by_bytes() {
    let line =
        |number: usize, bytes: usize| format!("{{\"text\": \"{number} {}\"}}\n", "x".repeat(bytes));
    let small: String = (0..1_200).map(|number| line(number, 10)).collect();
    let found = batches(&small);
    assert!(found.len() > 2, "{found:?}");
    assert!(
        found.iter().all(|(records, _)| *records <= 512),
        "{found:?}"
    );
    let large: String = (0..12).map(|number| line(number, 200_000)).collect();
    let found = batches(&large);
    assert!(
        found.iter().all(|(_, bytes)| *bytes <= 1 << 20),
        "{found:?}"
    );
    // Twelve metadata entries count too, not only content.
    let mood = "x".repeat(30_000);
    let line = |number: usize| format!("{{\"text\": \"{number}\", \"mood\": \"{mood}\"}}\n");
    let stored: String = (0..12).map(line).collect();
    let found = batches(&stored);
    assert!(found.len() > 1, "{found:?}");
}
