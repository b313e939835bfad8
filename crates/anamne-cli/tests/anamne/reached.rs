//! Options of the command line and events of hooks that no other test is about.

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

/// The contents of the results of a recall, best first.
fn recalled(bench: &Bench, arguments: &[&str]) -> Vec<String> {
    let answer = bench.json(&[&["recall"], arguments].concat());
    let results = answer["results"].as_array().expect("results").iter();
    let contents = results.filter_map(|hit| hit["memory"]["content"].as_str());
    contents.map(str::to_owned).collect()
}

#[test]
fn a_recall_follows_links_as_far_as_it_is_asked_to() {
    let bench = Bench::new();
    let found = bench.remember(&["The flood barrier was surveyed in spring"]);
    let linked = bench.remember(&["Zenobia prefers calls before noon"]);
    bench.json(&["link", &found, &linked, "--type", "requires"]);
    let question = "flood barrier survey";
    let deep = bench.json(&["recall", question, "--depth", "1"]);
    let results = deep["results"].as_array().expect("results");
    let path = results
        .iter()
        .find(|hit| hit["memory"]["id"] == linked.as_str());
    let path = &path.expect("reached over the link")["path"];
    assert!(path.to_string().contains("requires"), "{deep}");
    let shallow = bench.json(&["recall", question]);
    assert!(!shallow.to_string().contains("\"requires\""), "{shallow}");
}

#[test]
fn a_recall_answers_as_of_an_earlier_time() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine", "--at", "2026-03-01"]);
    let question = "when does the ferry leave?";
    assert_eq!(recalled(&bench, &[question]).len(), 1);
    let before = [question, "--as-of", "2026-01-01"];
    assert!(recalled(&bench, &before).is_empty(), "it was not known yet");
    let held = [question, "--held-at", "2026-02-01"];
    assert!(recalled(&bench, &held).is_empty(), "it did not hold yet");
    let held = [question, "--held-at", "2026-03-02"];
    assert_eq!(recalled(&bench, &held).len(), 1);
}

#[test]
fn a_recall_is_ordered_as_it_is_asked_to() {
    let bench = Bench::new();
    for text in [
        "The ferry leaves at nine",
        "The ferry leaves at ten on Sundays",
        "Tomatoes are watered at six",
    ] {
        bench.remember(&[text]);
    }
    let question = "when does the ferry leave?";
    let usual = recalled(&bench, &[question]);
    for options in [
        ["--ranking", "words_first"],
        ["--ranking", "reciprocal_rank"],
        ["--diversity", "0.5"],
        ["--role", "developer"],
        ["--temperature", "hot"],
        ["--weight", "recency=0.5"],
    ] {
        let found = recalled(&bench, &[&[question][..], &options].concat());
        assert!(found[0].starts_with("The ferry"), "{options:?}: {found:?}");
        assert!(found.iter().all(|text| usual.contains(text)), "{options:?}");
    }
    for wrong in [
        ["--ranking", "best_first"],
        ["--diversity", "2"],
        ["--role", "nobody"],
        ["--temperature", "lukewarm"],
        ["--weight", "luck=1"],
    ] {
        let ran = bench.run(&[&["recall", question][..], &wrong].concat());
        assert_eq!(ran.code, 2, "{wrong:?}: {}", ran.stdout);
    }
    let explained = bench.json(&["recall", question, "--explain"]);
    let hit = &explained["results"][0];
    assert!(hit["explanation"].is_object(), "{explained}");
}

/// The text of the reply of `anamne mcp` with these options to a call of a tool.
fn called(bench: &Bench, options: &[&str], tool: &str, arguments: &Value) -> String {
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "editor", "version": "1"}});
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}}),
    ]);
    let ran = bench.feed(
        &[&["--space", "garden", "mcp"], options].concat(),
        input.as_bytes(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let reply = ran.stdout.lines().nth(1).expect("two replies");
    let reply: Value = serde_json::from_str(reply).expect("JSON");
    reply["result"]["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[test]
fn an_agent_reaches_the_spaces_and_rights_that_it_is_given() {
    let bench = Bench::new();
    for (space, text) in [
        ("garden", "Tomatoes are watered at six"),
        ("recipes", "Sourdough wants a day of rest"),
        ("core", "The user wants metric units"),
    ] {
        bench.json(&["--space", space, "remember", text]);
    }
    let list = |options: &[&str], space: &str| {
        called(&bench, options, "memory_list", &json!({ "space": space }))
    };
    assert!(list(&[], "core").contains("metric"));
    assert!(!list(&["--no-core"], "core").contains("metric"));
    assert!(!list(&[], "recipes").contains("Sourdough"));
    assert!(list(&["--spaces", "recipes"], "recipes").contains("Sourdough"));
    assert!(list(&["--all-spaces"], "recipes").contains("Sourdough"));
    let erase = json!({ "id": "m1", "hard": true });
    let refused = called(&bench, &[], "memory_delete", &erase);
    assert!(refused.contains("--allow-erase"), "{refused}");
    assert!(list(&[], "garden").contains("Tomatoes"));
    called(&bench, &["--allow-erase"], "memory_delete", &erase);
    assert!(!list(&[], "garden").contains("Tomatoes"));
}

#[test]
fn a_hook_answers_at_every_event_of_a_session() {
    let bench = Bench::new();
    bench.remember(&["a store exists"]);
    for event in [
        "session-start",
        "prompt",
        "tool",
        "tool-failed",
        "turn-end",
        "before-compaction",
        "session-end",
    ] {
        let input = json!({"session_id": "s1", "prompt": "hello", "tool_name": "Bash"});
        let arguments = ["hook", event, "--host", "claude-code"];
        let ran = bench.run_with(&arguments, bench.stdin_of(&input.to_string()));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
        let is_json = serde_json::from_str::<Value>(&ran.stdout).is_ok();
        assert!(
            ran.stdout.trim().is_empty() || is_json,
            "{event}: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_claim_is_checked_against_what_is_stored() {
    let bench = Bench::new();
    let told = "The nightly backup takes 40 minutes.";
    bench.remember(&[told, "--at", "2026-03-01"]);
    let ran = bench.run(&[
        "check",
        "--claim",
        "The nightly backup now takes 25 minutes.",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("claim") && ran.stdout.contains("m1"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("1 contradiction to the claim"),
        "{}",
        ran.stderr
    );
    let ran = bench.run(&["check", "--claim", told]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(
        bench.json(&["list"])["memories"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(
        bench
            .run(&["check", "--claim", told, "--topic", "backup"])
            .code,
        2
    );
    assert_eq!(bench.run(&["check", "--claim", " "]).code, 2);
}
