//! Several processes on one store, and readers that disappear.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

#[test]
fn two_processes_write_at_once_and_each_finds_what_the_other_wrote() {
    let bench = Bench::new();
    let stored = |name: &str| {
        lines((0..600).map(|number| json!({"text": format!("{name} counted {number} boats")})))
    };
    let files = [
        bench.file("ines.jsonl", stored("Ines")),
        bench.file("otto.jsonl", stored("Otto")),
    ];
    let running: Vec<_> = files
        .iter()
        .map(|file| {
            bench
                .command(&["--json", "import", file.to_str().expect("UTF-8")])
                .spawn()
                .expect("the command starts")
        })
        .collect();
    for child in running {
        let ended = child.wait_with_output().expect("the command ends");
        assert!(
            ended.status.success(),
            "{}",
            String::from_utf8_lossy(&ended.stderr)
        );
        let total: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
        assert_eq!(total["imported"], 600);
    }
    assert_eq!(bench.json(&["stats"])["memories"], 1_200);
    for name in ["Ines", "Otto"] {
        let found = bench.recall(&[&format!("how many boats did {name} count? 599"), "-k", "3"]);
        assert!(
            found.contains(&format!("{name} counted 599 boats")),
            "{found:?}"
        );
    }
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::new();
    let long = "x".repeat(2_000);
    let stored =
        lines((0..400).map(|number| json!({"text": format!("Long line {number} {long}")})));
    assert_eq!(bench.feed(&["import", "-"], stored.as_bytes()).code, 0);
    for arguments in [&["export"][..], &["list", "--limit", "400", "--json"]] {
        let mut child = bench
            .command(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut first = [0; 16];
        child
            .stdout
            .take()
            .expect("a pipe")
            .read_exact(&mut first)
            .expect("some bytes");
        let ended = child.wait_with_output().expect("the command ends");
        assert_eq!(
            (ended.status.code(), ended.stderr.len()),
            (Some(0), 0),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&ended.stderr)
        );
    }
}

#[test]
fn a_lost_view_is_built_again_and_costs_no_answer() {
    let bench = Bench::new();
    let stored =
        lines((0..2_500).map(|number| json!({"text": format!("Buoy {number} was painted")})));
    assert_eq!(bench.feed(&["import", "-"], stored.as_bytes()).code, 0);
    std::fs::remove_dir_all(bench.store().join("spaces/core/views/lexical"))
        .expect("the view's folder");
    let first = bench.json(&["recall", "buoy 1234", "-k", "5"]);
    assert_eq!(first["degraded"], serde_json::json!(["lexical"]));
    let second = bench.json(&["recall", "buoy 1234", "-k", "5"]);
    assert_eq!(second["degraded"], serde_json::json!([]));
    assert_eq!(
        second["results"][0]["memory"]["content"],
        "Buoy 1234 was painted"
    );
}
