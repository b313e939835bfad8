//! Memories that are members of other spaces.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_memory_is_added_to_another_space_shown_there_and_removed() {
    let bench = Bench::new();
    let text = "The Brackwater ferry leaves pier nine at seven";
    let id = bench.remember(&[text]);
    let home = bench.json(&["spaces"])["here"].clone();
    let add = [
        "spaces",
        "add",
        &id,
        "--to",
        "team",
        "--relevance",
        "0.5",
        "--tag",
        "ferry",
    ];
    let added = bench.json(&add);
    assert_eq!(
        added,
        json!({"members": [{"id": id, "home": home, "space": "team", "citation": "m1"}]})
    );
    let shown = bench.json(&["--space", "team", "show", "m1"]);
    let memory = &shown["memory"];
    assert_eq!(memory["content"], text);
    assert_eq!(memory["tags"], json!(["ferry"]));
    assert_eq!(memory["member"]["home"], home);
    assert_eq!(memory["member"]["relevance"], 0.5);
    assert_eq!(bench.json(&["show", &id])["spaces"], json!(["team"]));
    let removed = bench.json(&["spaces", "remove", &id, "--from", "team"]);
    assert_eq!(removed, json!({"removed": [id], "space": "team"}));
    assert_eq!(bench.json(&["show", &id])["spaces"], json!([]));
    assert_eq!(
        bench.json(&["--space", "team", "list"])["memories"],
        json!([])
    );
}

#[test]
fn a_promoted_memory_is_in_core_until_it_is_demoted() {
    let bench = Bench::new();
    let text = "Every commit message has at most 72 letters";
    let remembered = bench.json(&["--space", "atlas", "remember", text]);
    let id = remembered["id"].as_str().expect("an id").to_owned();
    bench.json(&["--space", "atlas", "promote", "m1"]);
    let core = bench.json(&["--space", "core", "list"]);
    assert_eq!(core["memories"][0]["id"], id.as_str());
    assert_eq!(core["memories"][0]["member"]["home"], "atlas");
    let at_home = bench.run(&[
        "--space", "atlas", "spaces", "remove", "m1", "--from", "atlas",
    ]);
    assert_eq!(at_home.code, 2, "{}", at_home.stderr);
    assert!(
        at_home.stderr.contains("forget it instead") && !at_home.stderr.contains("list forgotten"),
        "{}",
        at_home.stderr
    );
    bench.json(&["--space", "atlas", "demote", "m1"]);
    assert_eq!(
        bench.json(&["--space", "core", "list"])["memories"],
        json!([])
    );
}
