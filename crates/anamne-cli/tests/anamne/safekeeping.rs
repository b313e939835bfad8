//! Backups, verification, repair and rewinding.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench::{Bench, files_under};

/// Every file of a folder with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files_under(folder)
        .into_iter()
        .map(|file| (file.clone(), fs::read(file).expect("a file")))
        .collect()
}

/// Replaces these bytes, which must occur exactly once in the file.
#[track_caller]
fn damage(file: &Path, old: &str, new: &str) {
    let mut bytes = fs::read(file).expect("a file");
    let places: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(old.as_bytes()))
        .collect();
    assert_eq!((places.len(), old.len()), (1, new.len()), "{old:?}");
    bytes[places[0]..places[0] + new.len()].copy_from_slice(new.as_bytes());
    fs::write(file, bytes).expect("damage");
}

fn core(store: &Path) -> PathBuf {
    store.join("spaces").join("core")
}

/// The time of an event, from `audit`.
fn told_at(bench: &Bench, seq: usize) -> String {
    let audit = bench.json(&["audit", "--oldest-first", "-k", "100"]);
    audit["events"][seq - 1]["at"]
        .as_str()
        .expect("an instant")
        .to_owned()
}

#[test]
fn a_store_is_rewound_into_a_new_folder_and_goes_on_there() {
    let bench = Bench::new();
    bench.remember(&["The gate code is 4711"]);
    let id = bench.remember(&["The ferry leaves at nine"]);
    let then = told_at(&bench, 2);
    bench.json(&["edit", &id, "--content", "The ferry leaves at ten"]);
    bench.json(&["forget", "m1"]);
    let rewound = bench.json(&["rewind", "--at", &then, "--into", "old"]);
    let space = &rewound["spaces"][0];
    assert_eq!(
        (&space["last_seq"], &space["later"], &space["erased_since"]),
        (&json!(2), &json!(2), &json!(0)),
        "{rewound}"
    );
    let ferry = ["recall", "when does the ferry leave?", "-k", "1"];
    assert_eq!(
        bench.recall(&[&["--store", "old"][..], &ferry[1..]].concat()),
        ["The ferry leaves at nine"]
    );
    assert_eq!(bench.recall(&ferry[1..]), ["The ferry leaves at ten"]);
    assert_eq!(bench.json(&["--store", "old", "verify"])["sound"], true);
    assert_eq!(
        bench.json(&["--store", "old", "list"])["memories"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let old = bench.folder().join("old");
    let before = contents(&core(&old));
    let ran = bench.run(&["--json", "rewind", "--at", &then, "--into", "old"]);
    assert_eq!(
        (ran.code, ran.error()["kind"].as_str()),
        (2, Some("refused"))
    );
    assert!(ran.stderr.contains("not empty"), "{}", ran.stderr);
    assert_eq!(contents(&core(&old)), before);
}

#[test]
fn what_was_erased_since_stays_erased_in_a_rewound_store() {
    let bench = Bench::new();
    let secret = bench.remember(&["The passphrase is xylophone quartz"]);
    bench.remember(&["Something that stays"]);
    let then = told_at(&bench, 2);
    bench.json(&["forget", &secret, "--hard", "--yes"]);
    let ran = bench.run(&["rewind", "--at", &then, "--into", "old"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("1 memory of then has been erased since, and stays erased"),
        "{}",
        ran.stdout
    );
    let listed = bench.json(&["--store", "old", "list"]);
    assert_eq!(listed["memories"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_space_is_not_rewound_to_before_it_was_there() {
    let bench = Bench::new();
    bench.remember(&["Told just now"]);
    let ran = bench.run(&["--json", "rewind", "--at", "2001", "--into", "old"]);
    assert_eq!((ran.code, ran.error()["field"].as_str()), (2, Some("at")));
    assert!(!bench.folder().join("old").exists());
    let ran = bench.run(&["rewind", "--at", "2001", "--into", "old", "--all"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("when the first space was created"),
        "{}",
        ran.stderr
    );
    assert!(!bench.folder().join("old").exists());
    let ran = bench.run(&[
        "--space", "recipes", "rewind", "--at", "today", "--into", "x",
    ]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
}

#[test]
fn all_spaces_are_rewound_together() {
    let bench = Bench::new();
    bench.remember(&["In core"]);
    bench.remember(&["In recipes", "--space", "recipes"]);
    let rewound = bench.json(&["rewind", "--at", "today", "--into", "old", "--all"]);
    let names: Vec<_> = rewound["spaces"]
        .as_array()
        .expect("spaces")
        .iter()
        .map(|space| space["space"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["core", "recipes"]);
    let spaces = bench.json(&["--store", "old", "spaces"]);
    assert_eq!(spaces["spaces"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_memory_is_shown_as_it_was() {
    let bench = Bench::new();
    let id = bench.remember(&["The ferry leaves at nine"]);
    bench.json(&["edit", &id, "--content", "The ferry leaves at ten"]);
    let then = told_at(&bench, 1);
    let shown = bench.json(&["history", "m1", "--as-of", &then]);
    assert_eq!(shown["id"], id);
    let version = &shown["version"];
    assert_eq!(
        (&version["version"], &version["memory"]["content"]),
        (&json!(1), &json!("The ferry leaves at nine"))
    );
    let now = bench.run(&["history", "m1", "--as-of", "today"]);
    assert!(now.stdout.contains("leaves at ten"), "{}", now.stdout);
    let before = bench.run(&["--json", "history", "m1", "--as-of", "2001"]);
    assert_eq!(
        (before.code, before.error()["kind"].as_str()),
        (3, Some("not_found"))
    );
    bench.json(&["forget", &id, "--hard", "--yes"]);
    let erased = bench.json(&["history", &id, "--as-of", &then]);
    assert_eq!(erased["version"]["memory"], Value::Null);
}

#[test]
fn the_audit_lists_events_by_time_actor_kind_and_memory() {
    let bench = Bench::new();
    bench.remember(&["The tunnel is closed"]);
    let second = bench.remember(&["The ferry leaves at nine"]);
    bench.json(&["edit", &second, "--importance", "9"]);
    bench.json(&["forget", "m1"]);
    let seqs = |arguments: &[&str]| -> (Vec<u64>, bool) {
        let answer = bench.json(&[&["audit"], arguments].concat());
        let events = answer["events"].as_array().expect("events");
        let seqs = events
            .iter()
            .map(|event| event["seq"].as_u64().expect("a number"));
        (seqs.collect(), answer["more"] == true)
    };
    assert_eq!(seqs(&[]), (vec![4, 3, 2, 1], false));
    assert_eq!(seqs(&["-k", "2"]), (vec![4, 3], true));
    assert_eq!(seqs(&["-k", "2", "--offset", "2"]), (vec![2, 1], false));
    assert_eq!(seqs(&["--oldest-first", "-k", "1"]), (vec![1], true));
    assert_eq!(seqs(&["--kind", "edited", "--kind", "forgotten"]).0, [4, 3]);
    assert_eq!(seqs(&["--memory", "m2"]).0, [3, 2]);
    assert_eq!(seqs(&["--actor", "user"]).0.len(), 4);
    assert_eq!(seqs(&["--actor", "agent"]).0.len(), 0);
    assert_eq!(seqs(&["--actor", "nobody"]).0.len(), 0);
    assert_eq!(seqs(&["--since", "today"]).0.len(), 4);
    assert_eq!(seqs(&["--until", "2001"]).0.len(), 0);
    let event = bench.json(&["audit", "-k", "1"])["events"][0].clone();
    assert_eq!(
        (&event["kind"], &event["row"], &event["actor"]),
        (&json!("forgotten"), &json!(1), &json!({"kind": "user"}))
    );
    let table = bench.run(&["audit"]).stdout;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(
        lines[0].starts_with("4  20") && lines[0].ends_with("forgotten   m1"),
        "{table}"
    );
    assert_eq!(bench.run(&["audit", "--memory", "m9"]).code, 3);
}

#[test]
fn a_backup_is_a_store_that_is_brought_up_to_date() {
    let bench = Bench::new();
    bench.remember(&["The gate code is 4711"]);
    bench.remember(&["Salt the water", "--space", "recipes"]);
    let first = bench.json(&["backup", "copy"]);
    let spaces = first["spaces"].as_array().expect("spaces");
    assert_eq!(spaces.len(), 2);
    assert!(spaces.iter().all(|space| space["first"] == true), "{first}");
    assert!(!core(&bench.folder().join("copy")).join("views").exists());
    assert_eq!(bench.json(&["--store", "copy", "verify"])["sound"], true);
    assert_eq!(
        bench.recall(&["--store", "copy", "what is the gate code?"]),
        ["The gate code is 4711"]
    );
    bench.remember(&["The ferry leaves at nine"]);
    let second = bench.json(&["backup", "copy", "--space", "core"]);
    assert_eq!(second["spaces"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (
            &second["spaces"][0]["first"],
            &second["spaces"][0]["last_seq"]
        ),
        (&json!(false), &json!(2))
    );
    let third = bench.json(&["backup", "copy"]);
    assert!(
        third["spaces"]
            .as_array()
            .expect("spaces")
            .iter()
            .all(|space| space["segments_copied"] == 0),
        "{third}"
    );
    assert_eq!(bench.json(&["--store", "copy", "verify"])["sound"], true);
    assert_eq!(bench.json(&["--store", "copy", "doctor"])["healthy"], true);
}

#[test]
fn a_backup_goes_only_where_it_overwrites_nothing() {
    let bench = Bench::new();
    bench.remember(&["Told here"]);
    bench.file("a-file", "text");
    fs::create_dir(bench.folder().join("full")).expect("a folder");
    fs::write(bench.folder().join("full/letter"), "Dear Ada").expect("a file");
    for folder in ["full", "store", "store/spaces/copy", "./store/../store/x"] {
        let ran = bench.run(&["--json", "backup", folder]);
        assert_eq!(
            (ran.code, ran.error()["kind"].as_str()),
            (2, Some("refused")),
            "{folder}: {}",
            ran.stderr
        );
    }
    assert_ne!(bench.run(&["backup", "a-file"]).code, 0);
    assert_eq!(
        fs::read_dir(bench.store().join("spaces"))
            .expect("a folder")
            .count(),
        1
    );
    assert_eq!(bench.run(&["backup", "copy"]).code, 0);
    bench.remember(&["Told to the copy", "--store", "copy"]);
    bench.remember(&["Told here too"]);
    let ran = bench.run(&["--json", "backup", "copy"]);
    assert_eq!(
        (ran.code, ran.error()["kind"].as_str()),
        (2, Some("refused"))
    );
    let listed = bench.json(&["--store", "copy", "list"]);
    assert_eq!(listed["memories"].as_array().map(Vec::len), Some(2));
}

#[test]
fn erasing_reaches_the_backups_that_are_there_and_names_the_others() {
    let bench = Bench::new();
    let id = bench.remember(&["The passphrase is xylophone quartz"]);
    bench.remember(&["Something that stays"]);
    for folder in ["near", "away"] {
        bench.json(&["backup", folder]);
    }
    let away = bench.folder().join("away");
    let hidden = bench.folder().join("hidden");
    fs::rename(&away, &hidden).expect("a rename");
    let holds = |folder: &Path| {
        contents(folder).values().any(|bytes| {
            bytes
                .windows(9)
                .any(|window| window.eq_ignore_ascii_case(b"xylophone"))
        })
    };
    let near = bench.folder().join("near");
    assert!(holds(&near) && holds(&hidden));
    let ran = bench.run(&["--json", "forget", &id, "--hard", "--yes"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let answer = ran.parsed();
    let backups = answer["backups"].as_array().expect("backups");
    assert_eq!(backups.len(), 2, "{answer}");
    assert!(!holds(&near), "the backup at hand is free of it");
    let failed: Vec<_> = backups
        .iter()
        .filter(|backup| backup["problem"].is_string())
        .collect();
    assert_eq!(failed.len(), 1, "{answer}");
    assert!(
        failed[0]["folder"]
            .as_str()
            .is_some_and(|folder| folder.ends_with("away")),
        "{answer}"
    );
    assert!(!away.exists(), "nothing is made where a backup was");
    fs::rename(&hidden, &away).expect("a rename");
    bench.json(&["backup", "away"]);
    assert!(!holds(&away));
    assert_eq!(bench.json(&["--store", "away", "verify"])["sound"], true);
    let second = bench.json(&["list"])["memories"][0]["id"].clone();
    let ran = bench.run(&["forget", second.as_str().expect("an id"), "--hard", "--yes"]);
    assert_eq!(
        ran.stdout.matches("and in the backup").count(),
        2,
        "{}",
        ran.stdout
    );
}

#[test]
fn damage_is_named_and_nothing_is_changed_until_it_is_repaired() {
    let bench = Bench::new();
    for text in ["The gate code is 4711", "The ferry leaves at nine"] {
        bench.remember(&[text]);
    }
    let sound = bench.json(&["verify"]);
    assert_eq!(sound["sound"], true, "{sound}");
    assert_eq!(sound["spaces"][0]["rows"], 2);
    let space = core(&bench.store());
    let (database, journal) = (
        space.join("memories/active.db"),
        space.join("journal/000001.jsonl"),
    );
    for (file, name, part) in [
        (&journal, "journal/000001.jsonl", "journal"),
        (&database, "memories/active.db", "database"),
    ] {
        damage(file, "The gate code is 4711", "The gate c0de is 4711");
        let before = contents(&bench.store());
        let ran = bench.run(&["--json", "verify"]);
        assert_eq!(ran.code, 1, "{}", ran.stdout);
        let found = ran.parsed();
        let finding = &found["spaces"][0]["findings"][0];
        assert_eq!(
            (
                &found["sound"],
                &finding["part"],
                &finding["file"],
                &finding["event"]
            ),
            (&json!(false), &json!(part), &json!(name), &json!(1)),
            "{found}"
        );
        let ran = bench.run(&["verify"]);
        assert_eq!(ran.code, 1);
        assert!(
            ran.stdout.contains(&format!("{name}, event 1: ")),
            "{}",
            ran.stdout
        );
        assert_eq!(contents(&bench.store()), before, "looking changes nothing");
        assert_eq!(bench.run(&["doctor"]).code, 1);
        let ran = bench.run(&["--json", "repair"]);
        assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
        let repaired = ran.parsed();
        assert_eq!(
            (&repaired["whole"], &repaired["spaces"][0]["lost"]),
            (&json!(true), &json!([])),
            "{repaired}"
        );
        assert_eq!(bench.json(&["verify"])["sound"], true);
        assert_eq!(
            bench.json(&["show", "m1"])["memory"]["content"],
            "The gate code is 4711"
        );
    }
    assert!(space.join("journal.damaged-1").is_dir());
    assert!(space.join("memories/active.db.damaged-1").is_file());
    assert_eq!(
        bench.run(&["repair"]).stdout,
        "core\n  well     nothing to repair\n"
    );
}

#[test]
fn what_neither_copy_holds_is_listed_as_lost() {
    let bench = Bench::new();
    let id = bench.remember(&["The gate code is 4711"]);
    bench.remember(&["The ferry leaves at nine"]);
    let space = core(&bench.store());
    for file in ["memories/active.db", "journal/000001.jsonl"] {
        damage(&space.join(file), "gate code", "gate c0de");
    }
    let ran = bench.run(&["--json", "repair"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let lost = &ran.parsed()["spaces"][0]["lost"];
    assert!(
        lost.as_array().is_some_and(|lost| lost.len() == 1)
            && lost[0].as_str().is_some_and(|lost| lost.contains(&id)),
        "{lost}"
    );
    assert_eq!(bench.json(&["verify"])["sound"], true);
    assert_eq!(
        bench.json(&["show", "m2"])["memory"]["content"],
        "The ferry leaves at nine"
    );
}

#[test]
fn a_damaged_view_is_found_and_rebuilt() {
    let bench = Bench::new();
    let lines = (0..2_500).map(
        |number| json!({"id": format!("n{number}"), "text": format!("note {number} about lamps")}),
    );
    let file = bench.file("notes.jsonl", crate::bench::lines(lines));
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    assert_eq!(bench.json(&["verify"])["sound"], true);
    let views = core(&bench.store()).join("views");
    for view in ["columns", "vectors", "lexical"] {
        let largest = files_under(&views.join(view))
            .into_iter()
            .max_by_key(|file| fs::metadata(file).map_or(0, |file| file.len()))
            .expect("a file of the view");
        let mut bytes = fs::read(&largest).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&largest, bytes).expect("damage");
        let before = contents(&bench.store());
        let ran = bench.run(&["--json", "verify"]);
        assert_eq!(ran.code, 1, "{view}: {}", ran.stdout);
        let finding = ran.parsed()["spaces"][0]["findings"][0].clone();
        assert_eq!(
            (&finding["part"], &finding["file"]),
            (&json!("view"), &json!(format!("views/{view}"))),
            "{finding}"
        );
        assert_eq!(contents(&bench.store()), before, "looking changes nothing");
        let repaired = bench.json(&["repair"]);
        assert_eq!(repaired["whole"], true, "{view}: {repaired}");
        assert_eq!(bench.json(&["verify"])["sound"], true);
    }
}

#[test]
fn a_damaged_backup_is_found_and_settings_are_repaired() {
    let bench = Bench::new();
    bench.remember(&["The gate code is 4711"]);
    bench.json(&["backup", "copy"]);
    let copy = bench.folder().join("copy");
    damage(
        &core(&copy).join("journal/000001.jsonl"),
        "gate code",
        "gate c0de",
    );
    let ran = bench.run(&["--json", "--store", "copy", "verify"]);
    assert_eq!(ran.code, 1);
    let found = ran.parsed();
    let parts: Vec<_> = found["spaces"][0]["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["part"].as_str().expect("a word"))
        .collect();
    assert_eq!(parts, ["journal", "backup"], "{found}");
    bench.json(&["backup", "copy"]);
    assert_eq!(bench.json(&["--store", "copy", "verify"])["sound"], true);

    fs::write(core(&bench.store()).join("space.toml"), "format = \"one\"").expect("damage");
    let ran = bench.run(&["--json", "verify"]);
    assert_eq!(ran.parsed()["spaces"][0]["findings"][0]["part"], "settings");
    assert_eq!(bench.json(&["repair"])["whole"], true);
    assert_eq!(bench.json(&["verify"])["sound"], true);
}

#[test]
fn a_space_of_a_newer_version_does_not_stop_verifying_the_others() {
    let bench = Bench::new();
    bench.remember(&["In core"]);
    bench.remember(&["In recipes", "--space", "recipes"]);
    let settings = bench.store().join("spaces/recipes/space.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, text.replace("format = 1", "format = 99")).expect("a newer file");
    for (command, place) in [
        ("verify", "/findings/0/problem"),
        ("repair", "/not_repaired/message"),
    ] {
        let ran = bench.run(&["--json", command]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let spaces = ran.parsed()["spaces"].clone();
        assert_eq!(spaces[0]["findings"], json!([]), "{spaces}");
        let problem = spaces[1].pointer(place).and_then(Value::as_str);
        let problem = problem.expect("words");
        assert!(problem.contains("newer Anamne"), "{problem}");
    }
    let ran = bench.run(&["--json", "backup", "copy"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
}
