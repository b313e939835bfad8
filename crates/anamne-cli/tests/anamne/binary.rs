//! Export files: an equal store on another machine, or nothing.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::bench::Bench;

/// A store with two spaces and some history.
fn lived_in() -> Bench {
    let bench = Bench::new();
    bench.remember(&["We deploy on Fridays only"]);
    bench.remember(&["The cellar floods in spring"]);
    assert_eq!(
        bench
            .run(&["edit", "m1", "--content", "We deploy on Mondays only"])
            .code,
        0
    );
    assert_eq!(
        bench.run(&["link", "m2", "m1", "--type", "related"]).code,
        0
    );
    assert_eq!(bench.run(&["forget", "m2"]).code, 0);
    bench.remember(&["--space", "recipes", "Fold the flour into the eggs"]);
    bench
}

fn file(bench: &Bench) -> String {
    let path = bench.folder().join("memories.anamne");
    path.to_str().expect("UTF-8").to_owned()
}

/// Everything of a space that the command shows.
fn shown(bench: &Bench, space: &str) -> Vec<Value> {
    let ran = bench.run(&["--space", space, "export", "--all"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    vec![
        json!(ran.stdout),
        bench.json(&["--space", space, "audit"]),
        bench.json(&["--space", space, "history", "m1"]),
    ]
}

#[test]
fn a_store_comes_back_equal_on_another_machine() {
    let (bench, other) = (lived_in(), Bench::new());
    let path = file(&bench);
    let written = bench.json(&["export", "--format", "binary", "--output", &path]);
    let names: Vec<_> = written["spaces"]
        .as_array()
        .expect("spaces")
        .iter()
        .map(|space| &space["name"])
        .collect();
    assert_eq!(names, [&json!("core"), &json!("recipes")]);
    assert_eq!(written["digest"].as_str().map(str::len), Some(64));
    let said = bench.run(&["export", "--format", "binary", "--output", &path]);
    assert!(said.stdout.starts_with("core  "), "{}", said.stdout);
    let report = other.json(&["import", &path, "--trusted"]);
    assert_eq!(report["spaces"][0]["known"], false);
    for space in ["core", "recipes"] {
        assert_eq!(shown(&other, space), shown(&bench, space), "{space}");
    }
    assert_eq!(other.run(&["verify"]).code, 0);
    assert_eq!(other.recall(&["deploy"])[0], "We deploy on Mondays only");
    // Again, and as a person sees it.
    let again = other.run(&["import", &path, "--trusted"]);
    assert_eq!(again.code, 0);
    assert!(
        again.stdout.contains("known already, nothing changed"),
        "{}",
        again.stdout
    );
}

#[test]
fn a_space_with_memories_is_never_merged() {
    let (bench, other) = (lived_in(), Bench::new());
    let path = file(&bench);
    let ran = bench.run(&["export", "--format", "binary", "--output", &path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    other.remember(&["Mine"]);
    let before = shown(&other, "core");
    for arguments in [&["import", &path, "--trusted"][..], &["import", &path]] {
        let ran = other.run(arguments);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("not empty") && ran.stderr.contains("--into NAME"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(shown(&other, "core"), before);
    let ran = other.run(&[
        "--space",
        "core",
        "import",
        &path,
        "--trusted",
        "--into",
        "theirs",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("theirs (exported as core)"),
        "{}",
        ran.stdout
    );
    let mut versions = bench.json(&["history", "m1"])["versions"].take();
    for version in versions.as_array_mut().expect("versions") {
        version["memory"]["space"] = "theirs".into();
    }
    assert_eq!(
        other.json(&["--space", "theirs", "history", "m1"])["versions"],
        versions
    );
    assert_eq!(shown(&other, "core"), before);
}

#[test]
fn without_trust_only_memories_are_taken_also_from_a_pipe() {
    let (bench, other) = (lived_in(), Bench::new());
    let path = file(&bench);
    bench.json(&[
        "--space", "core", "export", "--format", "binary", "--output", &path,
    ]);
    let bytes = std::fs::read(&path).expect("a file");
    let ran = other.feed(&["import", "-"], &bytes);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("not trusted") && ran.stderr.contains("--trusted"),
        "{}",
        ran.stderr
    );
    let versions = other.json(&["history", "m1"]);
    assert_eq!(versions["versions"].as_array().map(Vec::len), Some(1));
    let trust = other.json(&["show", "m1"])["memory"]["trust"]
        .as_f64()
        .expect("trust");
    assert!(trust < 1.0, "{trust}");
}

#[test]
fn a_file_that_is_not_whole_is_refused_and_leaves_no_store() {
    let bench = lived_in();
    let path = file(&bench);
    bench.json(&["export", "--format", "binary", "--output", &path]);
    let bytes = std::fs::read(&path).expect("a file");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let mut newer = bytes.clone();
    newer[8] = 7;
    for (content, said) in [
        (&bytes[..bytes.len() / 2], "cut off"),
        (&flipped, "digest mismatch"),
        (&newer, "newer"),
    ] {
        let other = Bench::new();
        let broken = other.file("broken.anamne", content);
        let ran = other.run(&["import", broken.to_str().expect("UTF-8"), "--trusted"]);
        assert_ne!(ran.code, 0);
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains("broken.anamne"),
            "{}",
            ran.stderr
        );
        assert_eq!(other.json(&["spaces"])["spaces"], json!([]));
    }
    let other = Bench::new();
    let empty = other.file("empty.anamne", "");
    let ran = other.run(&["import", empty.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("doesn't begin like one"),
        "{}",
        ran.stderr
    );
    assert!(!other.store().exists());
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let bench = lived_in();
    let path = file(&bench);
    let into = bench.folder().join("vault");
    let into = into.to_str().expect("UTF-8");
    for arguments in [
        &["export", "--format", "binary"][..],
        &["export", "--format", "binary", "--into", into],
        &["export", "--with", "paid"],
        &[
            "export",
            "--format",
            "binary",
            "--output",
            bench.folder().to_str().expect("UTF-8"),
        ],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    bench.json(&[
        "export",
        "--format",
        "binary",
        "--output",
        &path,
        "--with",
        "paid,observed,external",
    ]);
    let lines = bench.file("lines.jsonl", "{\"text\": \"x\"}\n");
    let lines = lines.to_str().expect("UTF-8");
    for arguments in [
        &["import", &path, "--no-guard"][..],
        &["import", &path, lines],
        &["import", lines, "--into", "x"],
        &["--space", "nowhere", "import", &path],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
    }
}

/// The spaces of a store that have memories, with the number of them.
fn spaces_of(bench: &Bench) -> Vec<(String, u64)> {
    let ran = bench.run(&["--json", "spaces"]);
    // Killed before there was a store.
    if ran.code == 3 {
        return Vec::new();
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let spaces = ran.parsed();
    let spaces = spaces["spaces"].as_array().expect("spaces").iter();
    spaces
        .map(|space| {
            (
                space["name"].as_str().expect("a name").to_owned(),
                space["memories"].as_u64().expect("a number"),
            )
        })
        .filter(|(_, memories)| *memories > 0)
        .collect()
}

/// An export file of a space with 400 memories.
fn logbook(bench: &Bench) -> String {
    let lines: Vec<_> = (0..400)
        .map(|number| format!("{{\"text\": \"Line {number} of the log book\"}}"))
        .collect();
    let lines = bench.file("lines.jsonl", lines.join("\n"));
    bench.json(&["import", lines.to_str().expect("UTF-8")]);
    let path = file(bench);
    bench.json(&["export", "--format", "binary", "--output", &path]);
    path
}

/// Checks that a killed import left the whole space or none, and returns whether it left it.
#[track_caller]
fn is_imported(bench: &Bench) -> bool {
    let found = spaces_of(bench);
    let whole = [("core".to_owned(), 400)];
    assert!(found.is_empty() || found == whole, "{found:?}");
    found == whole
}

#[test]
fn an_import_that_is_killed_leaves_a_whole_space_or_none() {
    const MOMENTS: u32 = 24;
    let (bench, other) = (Bench::new(), Bench::new());
    let path = logbook(&bench);
    let arguments = ["import", path.as_str(), "--trusted"];
    let begun = Instant::now();
    Bench::new().json(&arguments);
    let lasts = begun.elapsed();
    let mut killed = 0;
    for moment in 0..MOMENTS {
        let (begun, wait) = (Instant::now(), lasts * moment / MOMENTS);
        let ended = other.run_until(&arguments, || begun.elapsed() >= wait);
        killed += u32::from(!ended.success());
        if is_imported(&other) {
            break;
        }
        assert!(!ended.success(), "it did nothing");
    }
    assert!(killed > 0, "none was killed");
    other.json(&arguments);
    assert!(is_imported(&other));
    assert_eq!(other.run(&["verify"]).code, 0);
    let left = std::fs::read_dir(other.store()).expect("a store");
    let left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name.to_string_lossy().contains(".tmp-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_import_that_is_killed_at_any_file_can_be_repeated() {
    let bench = Bench::new();
    let path = logbook(&bench);
    let arguments = ["import", path.as_str(), "--trusted"];
    for file in [
        "import.lock",
        "spaces/core",
        "spaces/core/memories",
        "spaces/core/write.lock",
        "spaces/core/space.toml",
        "spaces/core/memories/active.db",
        "spaces/core/journal",
    ] {
        let other = Bench::new();
        let awaited = other.store().join(file);
        other.run_until(&arguments, || awaited.exists());
        assert!(awaited.exists(), "{file} never appeared");
        is_imported(&other);
        for check in [&["doctor"][..], &["verify"], &["repair"], &["spaces"]] {
            let ran = other.run(check);
            assert_eq!(ran.code, 0, "{file}: {check:?}: {}", ran.stderr);
        }
        let ran = other.run(&arguments);
        assert_eq!(ran.code, 0, "{file}: {}", ran.stderr);
        assert!(is_imported(&other), "{file}");
    }
}

#[test]
fn a_dump_and_older_lines_are_imported() {
    let bench = Bench::new();
    let dump = json!({
        "chain:1": { "name": "Prices" },
        "thought:1": { "chain_id": "1", "thought_number": 1, "content": "The page shows old prices" },
        "node:1": { "name": "Mara Lind", "type": "person" },
    });
    let path = bench.file(
        "dump.json",
        serde_json::to_string_pretty(&dump).expect("JSON"),
    );
    let path = path.to_str().expect("UTF-8");
    assert_eq!(bench.json(&["import", path])["imported"], 3);
    assert_eq!(bench.json(&["import", path])["known"], 3);
    assert_eq!(bench.json(&["show", "thought:1"])["memory"]["thread"], "1");
    let lines = bench.file("old.jsonl", "{\"skill_name\": \"Deploy\", \"steps\": [\"build\"]}\n{\"content\": \"x\", \"timestamp\": \"soon\"}\n");
    let ran = bench.run(&["import", lines.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("old.jsonl:2: timestamp"),
        "{}",
        ran.stderr
    );
}

#[test]
fn doctor_shows_scheduled_backups() {
    let bench = lived_in();
    let folder = bench.folder().join("backups");
    let folder = folder.to_str().expect("UTF-8");
    let ran = bench.run(&["--space", "core", "backup", folder, "--every", "day"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = bench.json(&["--space", "core", "doctor"]);
    let backups = &found["spaces"][0]["backups"];
    assert_eq!(
        (
            &backups["every_hours"],
            &backups["last_at"],
            &backups["overdue"]
        ),
        (&json!(24), &Value::Null, &json!(false))
    );
    assert!(Path::new(backups["folder"].as_str().expect("a folder")).starts_with(folder));
    let ran = bench.run(&["--space", "core", "doctor"]);
    let said: Vec<_> = ran.stdout.split_whitespace().collect();
    let said = said.join(" ");
    assert!(
        said.contains("scheduled backups: every 24 h to")
            && said.contains("none was made yet, the next is due at"),
        "{said}"
    );
}
