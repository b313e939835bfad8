//! An erasure reaches backups that were used, and its exit code reports what it did not reach.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench::{Bench, files_under};

const SECRET: &str = "The passphrase of Ines Quartz is xylophone";

/// The files that contain a part of the secret.
fn holders(folder: &Path) -> Vec<PathBuf> {
    let holds = |file: &PathBuf| {
        let bytes = fs::read(file).expect("a file");
        ["xylophone", "quartz"].iter().any(|word| {
            bytes
                .windows(word.len())
                .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    files_under(folder).into_iter().filter(holds).collect()
}

/// A store with the secret, and the id of its memory.
fn stored() -> (Bench, String) {
    let bench = Bench::new();
    let id = bench.remember(&[SECRET, "--thread", "xylophone", "--author", "Quartz"]);
    bench.remember(&["Something that stays"]);
    (bench, id)
}

#[test]
fn a_backup_that_was_opened_holds_nothing_of_what_is_erased() {
    let (bench, id) = stored();
    bench.json(&["backup", "copy"]);
    let copy = bench.folder().join("copy");
    for used in [
        &["recall", "what is the passphrase of Ines Quartz?"][..],
        &["extract"],
        &["graph", "Ines Quartz"],
        &["summaries"],
        &["context", "passphrase"],
        &["tasks"],
    ] {
        let ran = bench.run(&[&["--store", "copy"], used].concat());
        assert_eq!(ran.code, 0, "{used:?}: {}", ran.stderr);
    }
    let views: Vec<_> = holders(&copy)
        .into_iter()
        .filter(|file| file.iter().any(|part| part == "views"))
        .collect();
    assert!(!views.is_empty(), "this test looks in the wrong place");
    let answer = bench.json(&["forget", &id, "--hard", "--yes"]);
    assert_eq!(answer["complete"], true, "{answer}");
    assert_eq!(holders(bench.folder()), Vec::<PathBuf>::new());
    assert_eq!(
        bench.recall(&["--store", "copy", "something that stays"]),
        ["Something that stays"]
    );
    assert_eq!(bench.json(&["--store", "copy", "verify"])["sound"], true);
}

#[test]
fn a_place_that_is_not_reached_is_named_with_exit_code_4_until_it_is_reached() {
    let (bench, id) = stored();
    bench.json(&["backup", "copy"]);
    let (copy, away) = (bench.folder().join("copy"), bench.folder().join("away"));
    fs::rename(&copy, &away).expect("a rename");
    let ran = bench.run(&["--json", "forget", &id, "--hard", "--yes"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let answer = ran.parsed();
    assert_eq!(answer["complete"], false);
    let unreached = &answer["unreached"][0];
    assert!(
        unreached["place"]
            .as_str()
            .is_some_and(|place| place.ends_with("copy")),
        "{answer}"
    );
    assert_eq!(
        unreached["reason"],
        "no backup of this space there any more"
    );

    let other = bench.remember(&["Another xylophone"]);
    let ran = bench.run(&["forget", &other, "--hard", "--yes"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("permanently erased 1 memory"));
    for said in [
        "may still contain the text",
        "copy",
        "anamne backup --forget",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let ran = bench.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("may still contain"), "{}", ran.stdout);

    fs::rename(&away, &copy).expect("a rename");
    assert!(!holders(&copy).is_empty());
    let found = bench.json(&["doctor"]);
    assert_eq!(found["healthy"], true, "{found}");
    assert_eq!(holders(bench.folder()), Vec::<PathBuf>::new());
    assert_eq!(bench.json(&["doctor"])["spaces"][0]["problems"], json!([]));
}

/// Commands that complete an erasure which did not reach a backup, with their exit codes.
const COMPLETING: [(&[&str], i32); 4] = [
    (&["forget", "--thread", "xylophone", "--hard", "--yes"], 0),
    (
        &[
            "forget",
            "--query",
            "nothing",
            "--min-confidence",
            "1",
            "--hard",
            "--yes",
        ],
        0,
    ),
    (&["forget", "m1", "--hard", "--yes"], 3),
    (&["guard", "scan", "--redact", "--yes"], 0),
];

#[test]
fn the_same_command_completes_an_erasure_that_did_not_reach_a_backup() {
    for (command, code) in COMPLETING {
        let (bench, id) = stored();
        bench.json(&["backup", "copy"]);
        let (copy, away) = (bench.folder().join("copy"), bench.folder().join("away"));
        fs::rename(&copy, &away).expect("a rename");
        let ran = bench.run(&["forget", &id, "--hard", "--yes"]);
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        let again = bench.run(command);
        let still_pending = if code == 3 { 3 } else { 4 };
        assert_eq!(again.code, still_pending, "{command:?}: {}", again.stderr);
        assert!(
            again.stderr.contains("copy may still contain"),
            "{}",
            again.stderr
        );
        fs::rename(&away, &copy).expect("a rename");
        assert!(!holders(&copy).is_empty());
        let ran = bench.run(command);
        assert_eq!(ran.code, code, "{command:?}: {}", ran.stderr);
        assert_eq!(
            holders(bench.folder()),
            Vec::<PathBuf>::new(),
            "{command:?}"
        );
    }
}

#[test]
fn a_command_that_erases_nothing_says_what_is_still_pending() {
    let (bench, id) = stored();
    bench.json(&["backup", "copy"]);
    let (copy, away) = (bench.folder().join("copy"), bench.folder().join("away"));
    fs::rename(&copy, &away).expect("a rename");
    assert_eq!(bench.run(&["forget", &id, "--hard", "--yes"]).code, 4);
    let again = [
        "--json",
        "forget",
        "--thread",
        "xylophone",
        "--hard",
        "--yes",
    ];
    let ran = bench.run(&again);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let answer = ran.parsed();
    assert_eq!(
        (&answer["erased"], &answer["complete"]),
        (&json!([]), &json!(false))
    );
    fs::rename(&away, &copy).expect("a rename");
    let ran = bench.run(&again);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.parsed()["complete"], true);
}

#[test]
fn a_folder_that_is_no_longer_a_backup_is_removed_from_the_list() {
    let (bench, id) = stored();
    bench.json(&["backup", "copy"]);
    fs::remove_dir_all(bench.folder().join("copy")).expect("removed");
    assert_eq!(bench.run(&["forget", &id, "--hard", "--yes"]).code, 4);
    assert_eq!(bench.run(&["doctor"]).code, 1);
    let forgotten = bench.json(&["backup", "--forget", "copy"]);
    assert_eq!(forgotten["spaces"], json!(["core"]));
    assert_eq!(bench.run(&["doctor"]).code, 0);
    let other = bench.remember(&["Another secret"]);
    let answer = bench.json(&["forget", &other, "--hard", "--yes"]);
    assert_eq!(
        (&answer["complete"], &answer["backups"]),
        (&json!(true), &Value::Null)
    );
    let ran = bench.run(&["backup", "--forget", "copy"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!bench.folder().join("copy").exists());
}

#[test]
fn what_was_set_aside_is_removed_and_named() {
    let (bench, id) = stored();
    let aside = bench
        .store()
        .join("spaces/core/memories/active.db.damaged-1");
    fs::write(&aside, SECRET).expect("set aside");
    let ran = bench.run(&["forget", &id, "--hard", "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("active.db.damaged-1"), "{}", ran.stderr);
    assert_eq!(holders(bench.folder()), Vec::<PathBuf>::new());
}
