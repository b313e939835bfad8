//! A space is deleted once its name was given again, also if the command is killed at any moment.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use crate::bench::{Bench, files_under};

/// A store with 60 memories in `recipes`, a backup of it, and another space.
fn stored() -> Bench {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at seven"]);
    let lines: Vec<_> = (0..60)
        .map(|number| format!("{{\"text\": \"Rhubarb number {number} needs sugar\"}}"))
        .collect();
    let lines = bench.file("lines.jsonl", lines.join("\n"));
    bench.json(&[
        "--space",
        "recipes",
        "import",
        lines.to_str().expect("UTF-8"),
    ]);
    fs::remove_file(lines).expect("removed");
    let copied = bench.run_here(&["--space", "recipes", "backup", "copy"]);
    assert_eq!(copied.code, 0, "{}", copied.stderr);
    bench
}

/// The files that contain a word of the space's memories.
fn holders(bench: &Bench) -> Vec<PathBuf> {
    let holds = |file: &PathBuf| {
        let bytes = fs::read(file).expect("a file");
        let mut windows = bytes.windows(b"rhubarb".len());
        windows.any(|window| window.eq_ignore_ascii_case(b"rhubarb"))
    };
    files_under(bench.folder())
        .into_iter()
        .filter(holds)
        .collect()
}

fn names(bench: &Bench) -> Vec<String> {
    let spaces = bench.json(&["spaces"]);
    let spaces = spaces["spaces"].as_array().expect("spaces").iter();
    spaces
        .map(|space| space["name"].as_str().expect("a name").to_owned())
        .collect()
}

const DELETE: [&str; 5] = ["spaces", "delete", "recipes", "--yes", "recipes"];

#[test]
fn a_space_is_deleted_when_its_name_is_given_again() {
    let bench = stored();
    let preview = bench.json(&["spaces", "delete", "recipes"]);
    assert_eq!(preview["preview"]["memories"], 60, "{preview}");
    for arguments in [
        &["spaces", "delete", "recipes"][..],
        &["spaces", "delete", "recipes", "--yes", "recipe"],
        &["--json", "spaces", "delete", "recipes", "--yes", "core"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("--yes recipes"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert_eq!(bench.run(&["spaces", "delete", "nowhere"]).code, 3);
    assert_eq!(names(&bench), ["core", "recipes"]);
    let ran = bench.run(&DELETE);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let removed = ["60 memories", "the backup"];
    assert!(
        removed.iter().all(|part| ran.stderr.contains(part)),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("erased the space recipes"),
        "{}",
        ran.stdout
    );
    assert_eq!(names(&bench), ["core"]);
    assert_eq!(holders(&bench), Vec::<PathBuf>::new());
    assert_eq!(bench.run(&DELETE).code, 3);
    assert_eq!(bench.run(&["doctor"]).code, 0);
}

#[test]
fn what_a_deletion_could_not_reach_is_named_and_tried_again() {
    let bench = stored();
    let (copy, away) = (bench.folder().join("copy"), bench.folder().join("away"));
    fs::rename(&copy, &away).expect("moved");
    let ran = bench.run(&[&["--json"], &DELETE[..]].concat());
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let answer = ran.parsed();
    assert_eq!(answer["complete"], false, "{answer}");
    assert_eq!(answer["unreached"].as_array().map(Vec::len), Some(1));
    let ran = bench.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("deleted spaces") && ran.stdout.contains("copy"),
        "{}",
        ran.stdout
    );
    fs::rename(&away, &copy).expect("moved back");
    let found = bench.json(&["doctor"]);
    assert_eq!(found["unfinished_erasures"], json!([]));
    assert_eq!(holders(&bench), Vec::<PathBuf>::new());
}

/// Checks that a killed deletion left the whole space or none; returns whether it left it.
#[track_caller]
fn is_whole(bench: &Bench) -> bool {
    let spaces = names(bench);
    if spaces == ["core", "recipes"] {
        let counts = bench.json(&["--space", "recipes", "stats"]);
        assert_eq!(counts["memories"], 60, "{counts}");
        let ran = bench.run(&["verify"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        return true;
    }
    assert_eq!(spaces, ["core"]);
    assert_eq!(holders(bench), Vec::<PathBuf>::new());
    // A later space of the name is not for the keys of this one.
    let listed = bench.json(&["keys", "list"]);
    let key = &listed["keys"][0];
    assert_eq!(key["grant"]["spaces"], json!([]), "{key}");
    assert_eq!(key["lost_spaces"][0]["space"], "recipes", "{key}");
    assert!(key["revoked_at"].is_string(), "{key}");
    let ran = bench.run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    false
}

/// The same with a key of the space.
fn stored_with_key() -> Bench {
    let bench = stored();
    bench.json(&["keys", "create", "cook", "--spaces", "recipes"]);
    bench
}

#[test]
fn a_deletion_that_is_killed_leaves_the_whole_space_or_is_completed() {
    const MOMENTS: u32 = 12;
    let bench = stored_with_key();
    let begun = Instant::now();
    let deleted = bench.json(&DELETE);
    assert_eq!(deleted["keys"][0]["name"], "cook", "{deleted}");
    assert_eq!(deleted["keys"][0]["revoked"], true, "{deleted}");
    let lasts = begun.elapsed();
    let (mut killed, mut completed) = (0, 0);
    for moment in 0..MOMENTS {
        let bench = stored_with_key();
        let (begun, wait) = (Instant::now(), lasts * moment / MOMENTS);
        let ended = bench.run_until(&DELETE, || begun.elapsed() >= wait);
        killed += u32::from(!ended.success());
        if is_whole(&bench) {
            bench.json(&DELETE);
            assert!(!is_whole(&bench));
        }
    }
    // At files whose appearance or absence shows how far it is.
    let remains = "erased/recipes.1";
    for (file, is_there) in [
        ("erased.lock", true),
        ("spaces/recipes", false),
        (remains, true),
        ("erased/recipes.1/journal", false),
        ("erased/recipes.1/memories", false),
        ("../copy/erased.lock", true),
        ("../copy/spaces/recipes", false),
        ("../copy", false),
    ] {
        let bench = stored_with_key();
        let awaited = bench.store().join(file);
        let ended = bench.run_until(&DELETE, || {
            let begun = bench.store().join("erased.lock").exists();
            begun && awaited.exists() == is_there
        });
        completed += u32::from(!ended.success() && bench.store().join(remains).exists());
        if is_whole(&bench) {
            bench.json(&DELETE);
            assert!(!is_whole(&bench));
        }
    }
    assert!(killed > 0, "none was killed");
    assert!(completed > 0, "none was killed after the decisive step");
}
