//! One bad entry never stops the rest: each command over several entries skips and reports it, and ends with exit code
//! 4.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput, lines};

const DAMAGED: &str = "The gate code is 4711";

/// A store with three memories in a thread, the second damaged in both copies; and the id of that one.
fn with_a_damaged_memory() -> (Bench, String) {
    let bench = Bench::new();
    let stored = [
        "Mara Lind keeps the lighthouse",
        DAMAGED,
        "The ferry leaves at nine",
    ];
    let ids: Vec<_> = stored
        .iter()
        .map(|text| bench.remember(&[text, "--thread", "harbour", "--kind", "message"]))
        .collect();
    damage_both_copies(&bench, "gate code", "gate c0de");
    let damaged = ids.into_iter().nth(1).expect("an id");
    (bench, damaged)
}

fn damage_both_copies(bench: &Bench, old: &str, new: &str) {
    let space = bench.store().join("spaces/core");
    for file in ["memories/active.db", "journal/000001.jsonl"] {
        damage_everywhere(&space.join(file), old, new);
    }
}

/// Replaces these bytes everywhere in a file: database pages may contain outdated copies.
#[track_caller]
fn damage_everywhere(file: &Path, old: &str, new: &str) {
    let mut bytes = fs::read(file).expect("a file");
    let places: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(old.as_bytes()))
        .collect();
    assert!(!places.is_empty() && old.len() == new.len(), "{old:?}");
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    fs::write(file, bytes).expect("damage");
}

/// A store with three spaces, one of a newer format version.
fn with_a_newer_space() -> Bench {
    let bench = Bench::new();
    bench.remember(&["In core"]);
    bench.remember(&["In recipes", "--space", "recipes"]);
    bench.remember(&["In zoology", "--space", "zoology"]);
    let settings = bench.store().join("spaces/recipes/space.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, text.replace("format = 1", "format = 99")).expect("a newer file");
    bench
}

/// Asserts that one entry was skipped, with this text in its reason or hint.
#[track_caller]
fn check_passed(ran: &RunOutput, answer: &Value, entry: &str, reason: &str) {
    assert_eq!(ran.code, 4, "{} {}", ran.stdout, ran.stderr);
    let passed = &answer["skipped"];
    assert_eq!(passed["count"], 1, "{answer}");
    assert_eq!(passed["first"][0]["entry"], entry, "{answer}");
    let first = &passed["first"][0];
    let stored = first["reason"].as_str().expect("a reason");
    let hint = first["hint"].as_str().unwrap_or_default();
    assert!(stored.contains(reason) || hint.contains(reason), "{first}");
}

fn names(spaces: &Value) -> Vec<&str> {
    let spaces = spaces.as_array().expect("spaces").iter();
    spaces
        .map(|space| space["space"].as_str().expect("a name"))
        .collect()
}

#[test]
fn an_export_goes_on_past_a_damaged_memory_and_names_it() {
    let (bench, damaged) = with_a_damaged_memory();
    let ran = bench.run(&["--json", "export", "--output", "out.jsonl"]);
    check_passed(&ran, &ran.parsed(), &damaged, "anamne repair");
    assert_eq!(ran.parsed()["exported"], 2);
    let written = fs::read_to_string(bench.folder().join("out.jsonl")).expect("an export");
    assert_eq!(written.lines().count(), 2);
    assert!(!written.contains(&damaged), "{written}");

    let ran = bench.run(&["export"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (4, 2));
    let named = format!("skipped {damaged}: ");
    assert!(ran.stderr.contains(&named), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("hint: repair it from the other copy with `anamne repair`"),
        "{}",
        ran.stderr
    );
    let ran = bench.run(&["--json", "export"]);
    let beside: Value = serde_json::from_str(&ran.stderr).expect("JSON on standard error");
    check_passed(&ran, &beside, &damaged, "");
    assert_eq!(ran.stdout.lines().count(), 2);

    let notes = [
        "--json", "export", "--format", "markdown", "--into", "notes",
    ];
    let ran = bench.run(&notes);
    check_passed(&ran, &ran.parsed(), &damaged, "");
    let thread = fs::read_dir(bench.folder().join("notes/harbour")).expect("a folder");
    assert_eq!(thread.count(), 2);
    let corpus = ["--json", "export", "--format", "corpus", "--output", "c"];
    let ran = bench.run(&corpus);
    check_passed(&ran, &ran.parsed(), &damaged, "");
    let stored = ran.parsed();
    assert_eq!(
        (&stored["exported"], &stored["left_out"]),
        (&json!(2), &json!(0))
    );
}

#[test]
fn a_list_and_a_briefing_go_on_past_a_damaged_memory() {
    let (bench, damaged) = with_a_damaged_memory();
    let ran = bench.run(&["--json", "list"]);
    check_passed(&ran, &ran.parsed(), &damaged, "anamne repair");
    let listed = ran.parsed()["memories"].as_array().map(Vec::len);
    assert_eq!(listed, Some(2));
    let ran = bench.run(&["list"]);
    assert_eq!(
        (ran.code, ran.stdout.matches(" · ").count()),
        (4, 2),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains(&format!("skipped {damaged}: ")),
        "{}",
        ran.stderr
    );
    // It counts in the page, so that the next one begins after it.
    let ran = bench.run(&["--json", "list", "--limit", "2"]);
    let page = ran.parsed();
    assert_eq!(
        (page["memories"].as_array().map(Vec::len), &page["more"]),
        (Some(1), &json!(true))
    );
}

#[test]
fn an_export_goes_on_past_a_damaged_link_and_names_it() {
    let bench = Bench::new();
    let ids = ["One", "Two", "Three"].map(|text| bench.remember(&[text]));
    for (from, to, reason) in [
        (&ids[0], &ids[1], "a sound reason"),
        (&ids[1], &ids[2], "a broken reason"),
    ] {
        bench.json(&["link", from, to, "--type", "supports", "--reason", reason]);
    }
    damage_both_copies(&bench, "a broken reason", "a br0ken reason");
    let ran = bench.run(&["--json", "export", "--output", "out.jsonl"]);
    let ends = format!("{} supports {}", ids[1], ids[2]);
    check_passed(&ran, &ran.parsed(), &ends, "");
    let written = fs::read_to_string(bench.folder().join("out.jsonl")).expect("an export");
    assert!(written.contains("a sound reason"), "{written}");
    assert_eq!(written.lines().count(), 3);
}

#[test]
fn a_backup_goes_on_past_a_space_that_it_cannot_copy() {
    let bench = with_a_newer_space();
    let ran = bench.run(&["--json", "backup", "copy"]);
    check_passed(&ran, &ran.parsed(), "recipes", "newer Anamne");
    assert_eq!(names(&ran.parsed()["spaces"]), ["core", "zoology"]);
    assert_eq!(bench.json(&["--store", "copy", "verify"])["sound"], true);
    let ran = bench.run(&["backup", "copy"]);
    assert!(
        ran.code == 4 && ran.stderr.contains("skipped recipes: "),
        "{}",
        ran.stderr
    );
    let ran = bench.run(&["--space", "recipes", "backup", "other"]);
    assert_eq!(
        ran.code, 1,
        "the one space that was asked for: {}",
        ran.stderr
    );

    let ran = bench.run(&["--json", "backup", "--forget", "copy"]);
    check_passed(&ran, &ran.parsed(), "recipes", "newer Anamne");
    assert_eq!(ran.parsed()["spaces"], json!(["core", "zoology"]));
}

#[test]
fn a_backup_goes_on_past_a_damaged_space_and_holds_the_others_whole() {
    let (bench, _) = with_a_damaged_memory();
    bench.remember(&["In recipes", "--space", "recipes"]);
    let ran = bench.run(&["--json", "backup", "copy"]);
    check_passed(&ran, &ran.parsed(), "core", "");
    assert_eq!(names(&ran.parsed()["spaces"]), ["recipes"]);
    let verified = bench.json(&["--store", "copy", "verify"]);
    assert_eq!(names(&verified["spaces"]), ["recipes"], "{verified}");
}

#[test]
fn a_backup_of_nothing_but_damaged_spaces_fails() {
    let (bench, _) = with_a_damaged_memory();
    let ran = bench.run(&["--json", "backup", "copy"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
}

#[test]
fn a_folder_that_cannot_be_written_ends_a_backup() {
    let bench = Bench::new();
    bench.remember(&["In core"]);
    bench.remember(&["In recipes", "--space", "recipes"]);
    bench.json(&["backup", "copy"]);
    // A file in place of a folder: writing there fails.
    let journal = bench.folder().join("copy/spaces/core/journal");
    fs::remove_dir_all(&journal).expect("removed");
    fs::write(&journal, "no folder").expect("a file");
    bench.remember(&["More in core"]);
    let ran = bench.run(&["--json", "backup", "copy"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
}

#[test]
fn all_spaces_are_rewound_but_the_one_that_cannot_be() {
    let bench = with_a_newer_space();
    let ran = bench.run(&[
        "--json", "rewind", "--at", "today", "--into", "old", "--all",
    ]);
    check_passed(&ran, &ran.parsed(), "recipes", "newer Anamne");
    assert_eq!(names(&ran.parsed()["spaces"]), ["core", "zoology"]);
}

#[test]
fn extraction_goes_on_past_a_damaged_memory() {
    let (bench, damaged) = with_a_damaged_memory();
    let ran = bench.run(&["--json", "extract", "--again"]);
    check_passed(&ran, &ran.parsed(), &damaged, "anamne repair");
    assert_eq!(ran.parsed()["behind"], 0);
    let known = bench.json(&["knowledge", "list"]);
    assert!(known.to_string().contains("Mara Lind"), "{known}");
    let ran = bench.run(&["extract", "--again"]);
    let named = format!("skipped {damaged}: ");
    assert!(
        ran.code == 4 && ran.stderr.contains(&named),
        "{}",
        ran.stderr
    );
}

#[test]
fn summaries_go_on_past_a_damaged_memory() {
    let (bench, damaged) = with_a_damaged_memory();
    let ran = bench.run(&["--json", "summaries"]);
    check_passed(&ran, &ran.parsed(), &damaged, "anamne repair");
    let summaries = ran.parsed()["summaries"].to_string();
    assert!(summaries.contains("lighthouse") && summaries.contains("ferry"));
    assert!(!summaries.contains("gate"), "{summaries}");
}

#[test]
fn consolidation_goes_on_past_a_damaged_memory() {
    let bench = Bench::new();
    for text in [
        "The staging server listens on port 8471",
        "the staging server listens on port 8471.",
    ] {
        bench.remember(&[text, "--kind", "fact"]);
    }
    let damaged = bench.remember(&[DAMAGED, "--kind", "fact"]);
    damage_both_copies(&bench, "gate code", "gate c0de");
    for options in [&["--insights"][..], &["--apply"]] {
        let ran = bench.run(&[&["--json", "consolidate"], options].concat());
        check_passed(&ran, &ran.parsed(), &damaged, "anamne repair");
        let proposals = ran.parsed()["proposals"].as_array().map(Vec::len);
        assert_eq!(proposals, Some(1), "{}", ran.stdout);
    }
}

#[test]
fn what_a_repair_brings_back_is_extracted_and_summarised() {
    let bench = Bench::new();
    bench.remember(&["Mara Lind keeps the lighthouse"]);
    bench.remember(&["Otto Brandt leads the harbour office"]);
    bench.remember(&["The ferry leaves at nine"]);
    let database = bench.store().join("spaces/core/memories/active.db");
    damage_everywhere(&database, "Otto", "0tto");
    // Another memory is lost in both copies, so that nothing is repaired automatically.
    damage_both_copies(&bench, "ferry", "f3rry");
    for command in [&["extract", "--again"][..], &["summaries"]] {
        let ran = bench.run(&[&["--json"], command].concat());
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert_eq!(ran.parsed()["skipped"]["count"], 2, "{}", ran.stdout);
    }
    let ran = bench.run(&["repair"]);
    assert_eq!(ran.code, 1, "the ferry is lost: {}", ran.stdout);
    assert_eq!(bench.json(&["verify"])["sound"], true);
    bench.json(&["extract"]);
    let known = bench.json(&["knowledge", "list"]).to_string();
    assert!(known.contains("Otto Brandt"), "{known}");
    let summaries = bench.json(&["summaries"]).to_string();
    assert!(summaries.contains("Otto Brandt"), "{summaries}");
}

#[test]
fn a_damaged_memory_stays_where_the_others_are_moved_from() {
    let (bench, damaged) = with_a_damaged_memory();
    let split = [
        "--json", "spaces", "split", "core", "quay", "--thread", "harbour",
    ];
    let ran = bench.run(&split);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let moved = ran.parsed();
    assert_eq!((&moved["moved"], &moved["chosen"]), (&json!(2), &json!(3)));
    assert_eq!(moved["kept"].as_array().map(Vec::len), Some(1), "{moved}");
    assert_eq!(moved["kept"][0]["memory"], damaged, "{moved}");
}

#[test]
fn a_retention_goes_on_past_a_memory_that_cannot_be_read() {
    let bench = Bench::new();
    let old = lines([
        json!({"id": "a", "text": "First", "time": "2001-01-01T00:00:00Z"}),
        json!({"id": "b", "text": "Second", "kind": "document", "title": "Quellfruit almanac",
               "time": "2001-01-02T00:00:00Z"}),
        json!({"id": "c", "text": "Third", "time": "2001-01-03T00:00:00Z"}),
    ]);
    let file = bench.file("old.jsonl", old);
    bench.remember(&["What makes the space"]);
    bench.json(&["spaces", "set", "--retention-days", "30", "--yes"]);
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    let damaged = bench.json(&["show", "b"])["memory"]["id"].clone();
    damage_both_copies(&bench, "\"Quellfruit almanac", "#Quellfruit almanac");
    let ran = bench.run(&["--json", "retention", "--apply", "--yes"]);
    let entry = damaged.as_str().expect("an id");
    check_passed(&ran, &ran.parsed(), entry, "");
    assert_eq!(ran.parsed()["done"]["forgotten"], 2, "{}", ran.stdout);
}

/// A folder whose path is longer than the system allows; made of two that aren't.
#[cfg(unix)]
fn too_deep(under: &Path) {
    let part = "n".repeat(200);
    let deep = |root: PathBuf| {
        let bottom = (0..12).fold(root, |path, _| path.join(&part));
        fs::create_dir_all(&bottom).expect("folders");
        bottom
    };
    let aside = under.with_file_name("aside");
    deep(aside.clone());
    fs::rename(&aside, deep(under.to_owned()).join("rest")).expect("a rename");
}

#[cfg(unix)]
#[test]
fn an_import_of_notes_goes_on_past_folders_and_notes_that_cannot_be_read() {
    let bench = Bench::new();
    let vault = bench.folder().join("vault");
    too_deep(&vault.join("deep"));
    for (name, content) in [
        ("first.md", &b"The first note"[..]),
        ("latin.md", b"caf\xe9"),
        ("second.md", b"The second note"),
    ] {
        fs::write(vault.join(name), content).expect("a note");
    }
    let ran = bench.run(&["--json", "import", "vault"]);
    assert_eq!(ran.code, 1, "without --skip-bad the first one ends it");
    assert!(
        ran.error()["message"]
            .as_str()
            .is_some_and(|said| said.contains("can't read metadata"))
    );
    let ran = bench.run(&["--json", "import", "vault", "--skip-bad"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let total = ran.parsed();
    assert_eq!(total["imported"], 2, "{total}");
    let bad = total["bad"].as_array().expect("bad notes");
    let files: Vec<_> = bad
        .iter()
        .map(|bad| bad["file"].as_str().expect("a path"))
        .collect();
    assert!(
        files.len() == 2 && files[0].starts_with("vault/deep/n") && files[1] == "vault/latin.md",
        "{files:?}"
    );
    assert_eq!(bad[1].get("line"), None, "a note is named by its file");
    let told = bench.run(&["import", "vault", "--skip-bad"]);
    assert!(
        told.stderr.contains("vault/latin.md: ") && told.stdout.contains("2 skipped"),
        "{} {}",
        told.stdout,
        told.stderr
    );
}
