//! Enrichment: shown apart from what was told, removed for good, switched off and on.

use serde_json::{Value, json};

use crate::bench::Bench;

const DECIDED: &str = "We decided to store sessions in Redis instead of Postgres.";
const BEFORE: &str = "The staging API listens on port 8443.";
const AFTER: &str = "The staging API listens on port 9443 now, the old one was taken.";

fn stored() -> Bench {
    let bench = Bench::new();
    for text in [DECIDED, BEFORE, AFTER] {
        bench.json(&["remember", text]);
    }
    bench
}

fn noted(bench: &Bench, id: &str) -> Value {
    bench.json(&["enrich", id])["enrichment"].clone()
}

#[test]
fn a_memory_is_shown_with_what_the_rules_note() {
    let bench = stored();
    let enriched = bench.json(&["enrich"]);
    assert_eq!(enriched["memories"], json!(3));
    let one = noted(&bench, "m1");
    assert_eq!(one["category"], "architecture_decision");
    assert_eq!(one["by"], "rules 2");
    let link = &noted(&bench, "m3")["links"][0];
    assert_eq!(
        (&link["type"], &link["citation"]),
        (&json!("supersedes"), &json!("m2"))
    );
    assert_eq!(bench.json(&["show", "m1"])["enrichment"], one);
    let id = bench.json(&["show", "m1"])["memory"]["id"].clone();
    let id = id.as_str().expect("an id");
    assert_eq!(bench.json(&["list"])["enrichment"][id], one);
    let recalled = bench.json(&["recall", "where are sessions stored?"]);
    assert_eq!(recalled["enrichment"][id], one);
    let text = bench.run(&["show", "m3"]).stdout;
    assert!(text.contains("by rules 2:"), "{text}");
    assert!(text.contains("supersedes m2"), "{text}");
    let listed = bench.json(&["enrich", "--category", "architecture_decision"]);
    let listed = listed["memories"].as_array().expect("memories");
    assert!(listed.iter().any(|memory| memory["content"] == DECIDED));
}

#[test]
fn what_is_removed_stays_removed_until_it_is_restored() {
    let bench = stored();
    bench.json(&["enrich"]);
    let removed = bench.json(&[
        "enrich", "m3", "--remove", "category", "--remove", "link:m2",
    ]);
    assert_eq!(removed["enrichment"]["category"], Value::Null);
    assert_eq!(removed["enrichment"]["links"], Value::Null);
    assert_eq!(removed["removed"].as_array().map(Vec::len), Some(2));
    bench.json(&["enrich"]);
    assert_eq!(noted(&bench, "m3")["links"], Value::Null);
    bench.json(&["enrich", "m3", "--restore"]);
    bench.json(&["enrich"]);
    assert_eq!(noted(&bench, "m3")["links"][0]["citation"], "m2");
}

#[test]
fn one_command_undoes_it() {
    let bench = stored();
    bench.json(&["enrich"]);
    let state = bench.json(&["enrich", "status"]);
    assert_eq!(
        (&state["on"], &state["memories"]),
        (&json!(true), &json!(3))
    );
    let state = bench.json(&["enrich", "--undo"]);
    assert_eq!(
        (&state["on"], &state["memories"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(noted(&bench, "m1"), Value::Null);
    assert_eq!(bench.json(&["list"])["enrichment"], json!({}));
    bench.json(&["enrich", "on"]);
    assert_eq!(bench.json(&["enrich"])["memories"], json!(3));
    assert_eq!(noted(&bench, "m1")["category"], "architecture_decision");
}

#[test]
fn bad_arguments_are_refused_with_what_is_accepted() {
    let bench = stored();
    for (arguments, said) in [
        (&["enrich", "m1", "--remove", "colour"][..], "keyword:WORD"),
        (&["enrich", "m1", "--remove", "link:m99"], "m99"),
        (&["enrich", "m99"], "m99"),
        (
            &["enrich", "off", "--remove", "tags"],
            "need the ID of a memory",
        ),
        (
            &["enrich", "--category", "nonsense"],
            "architecture_decision",
        ),
        (&["enrich", "--remove", "tags"], "required"),
    ] {
        let refused = bench.run(arguments);
        let text = refused.stderr;
        assert_ne!(refused.code, 0, "{arguments:?}");
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
}
