//! Memories of three years, moved to colder tiers and found there.

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

/// One memory per month from the beginning of 2023 on, and one of today.
fn imported() -> Bench {
    let bench = Bench::new();
    let months = (0..36).map(|month| {
        let (year, number) = (2023 + month / 12, month % 12 + 1);
        json!({
            "id": format!("month {month}"),
            "thread": "log",
            "position": month,
            "time": format!("{year}-{number:02}-03T10:00:00Z"),
            "text": format!("Harbour log, page {month}: the lantern was trimmed"),
        })
    });
    let file = bench.file("log.jsonl", lines(months));
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    bench.remember(&["The lantern was trimmed today"]);
    bench
}

fn found(bench: &Bench, arguments: &[&str]) -> usize {
    let asked = [
        &["recall", "who trimmed the lantern?", "-k", "100"],
        arguments,
    ]
    .concat();
    let answer = bench.json(&asked);
    assert_eq!(answer["degraded"], json!([]));
    answer["results"].as_array().map_or(0, Vec::len)
}

#[test]
fn old_memories_are_moved_found_and_exported_as_before() {
    let bench = imported();
    let before = bench.run(&["export"]).stdout;
    assert_eq!(bench.json(&["tiers"])["moved"], Value::Null);
    assert_eq!(bench.json(&["tiers"])["tiers"][0]["memories"], 37);
    let moved = bench.json(&["tiers", "--move"]);
    assert_eq!(moved["moved"]["memories"], 36);
    let tiers = moved["tiers"].as_array().expect("tiers");
    assert_eq!(
        (&tiers[0]["tier"], &tiers[0]["memories"]),
        (&json!("active"), &json!(1))
    );
    assert_eq!(tiers.last().expect("a tier")["tier"], "archive-2023Q1");
    assert!(
        bench
            .store()
            .join("spaces/core/memories/archive-2023Q1.db")
            .exists()
    );
    assert_eq!(bench.run(&["export"]).stdout, before);
    assert_eq!(found(&bench, &[]), 37);
    assert_eq!(found(&bench, &["--temperature", "hot"]), 1);
    assert_eq!(found(&bench, &["--temperature", "cold"]), 37);
    assert_eq!(found(&bench, &["--temperature", "cold", "--only"]), 36);
    let refused = bench.run(&["--json", "recall", "x", "--only"]);
    assert_eq!(
        (refused.code, &refused.error()["field"]),
        (2, &json!("temperature"))
    );
    assert_eq!(
        bench.run(&["recall", "x", "--temperature", "tepid"]).code,
        2
    );
    let verified = bench.json(&["verify"]);
    assert_eq!(verified["spaces"][0]["findings"], json!([]), "{verified}");
    let shown = bench.run(&["stats"]).stdout;
    assert!(shown.contains("archive-2023Q1 3"), "{shown}");
}

#[test]
fn an_edit_brings_a_memory_back() {
    let bench = imported();
    bench.json(&["tiers", "--move"]);
    let page = bench.json(&["recall", "harbour log page 7", "-k", "1"]);
    let id = page["results"][0]["memory"]["id"].as_str().expect("an id");
    bench.json(&["edit", id, "--importance", "9"]);
    assert_eq!(bench.json(&["tiers"])["tiers"][0]["memories"], 2);
    assert_eq!(found(&bench, &[]), 37);
    let doctor = bench.json(&["doctor"]);
    assert_eq!(doctor["spaces"][0]["problems"], json!([]), "{doctor}");
}

#[test]
fn thresholds_are_checked() {
    let bench = imported();
    let set = bench.json(&[
        "spaces",
        "set",
        "--active-days",
        "7",
        "--recent-days",
        "100000",
    ]);
    assert_eq!(
        (&set["active_days"], &set["recent_days"]),
        (&json!(7), &json!(100_000))
    );
    let recent = &bench.json(&["tiers", "--move"])["tiers"][1];
    assert_eq!(
        (&recent["tier"], &recent["memories"]),
        (&json!("recent"), &json!(36))
    );
    let ran = bench.run(&["--json", "spaces", "set", "--recent-days", "3"]);
    assert_eq!(
        (ran.code, &ran.error()["field"]),
        (2, &json!("tiers.recent_days"))
    );
}
