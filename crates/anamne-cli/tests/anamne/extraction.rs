//! Background work can be run by hand: summaries, merges, a language model and its costs.

use serde_json::Value;

use crate::bench::Bench;

const CHAT: &str = r#"{"id": "1", "thread": "roof", "position": 0, "time": "2026-03-02T09:00:00Z", "author": "Ida", "text": "Morning! The carpenter comes on Thursday at 8 and replaces eleven rafters on the north side."}
{"id": "2", "thread": "roof", "position": 1, "time": "2026-03-02T09:05:00Z", "author": "Ben", "text": "ok"}
{"id": "3", "thread": "roof", "position": 2, "time": "2026-03-02T09:09:00Z", "author": "Ida", "text": "We decided on larch instead of spruce, 4200 euro, delivery on 17 March."}
{"id": "4", "thread": "roof", "position": 3, "time": "2026-03-20T09:00:00Z", "author": "Ida", "text": "The larch came two days late and three boards were split, the supplier refunds 180 euro."}
"#;

fn chat() -> Bench {
    let bench = Bench::new();
    let file = bench.file("chat.jsonl", CHAT);
    bench.json(&["import", file.to_str().expect("a path")]);
    bench
}

fn said(summary: &Value) -> String {
    let sentences = summary["sentences"].as_array().expect("sentences").iter();
    let texts = sentences.map(|one| one["text"].as_str().expect("a text"));
    texts.collect::<Vec<_>>().join(" ")
}

#[test]
fn days_and_months_are_summarised_with_their_evidence() {
    let bench = chat();
    let days = bench.json(&["summaries"]);
    let days = days["summaries"].as_array().expect("summaries");
    assert_eq!(days.len(), 2);
    assert_eq!(days[0]["memories"], 3);
    assert!(
        said(&days[0]).contains("larch") || said(&days[0]).contains("rafters"),
        "{days:?}"
    );
    assert!(days[0]["sentences"][0]["row"].is_u64(), "{days:?}");
    let month = bench.json(&["summaries", "--by", "month", "--since", "2026-03"]);
    assert_eq!(month["summaries"].as_array().map(Vec::len), Some(1));
    let sessions = bench.json(&["summaries", "--by", "session", "--thread", "roof"]);
    assert_eq!(sessions["summaries"].as_array().map(Vec::len), Some(2));
    let text = bench.run(&["summaries", "-k", "1"]);
    assert!(
        text.stdout.starts_with("2026-03-02") && text.stdout.contains("[m"),
        "{}",
        text.stdout
    );
    assert!(text.stderr.contains("there are more"), "{}", text.stderr);
}

#[test]
fn what_was_forgotten_leaves_the_summaries() {
    let bench = chat();
    bench.json(&["summaries"]);
    for row in ["m1", "m3"] {
        assert_eq!(bench.run(&["forget", row]).code, 0);
    }
    let days = bench.json(&["summaries"]);
    assert!(!days.to_string().contains("larch instead"), "{days}");
    assert!(!days.to_string().contains("rafters"), "{days}");
}

#[test]
fn facts_in_other_words_are_folded_once_and_unfolded_for_good() {
    let bench = Bench::new();
    bench.remember(&["The staging server listens on port 8471", "--kind", "fact"]);
    bench.remember(&["the staging server listens on port 8471.", "--kind", "fact"]);
    bench.remember(&["The staging server listens on port 8472", "--kind", "fact"]);
    let planned = bench.json(&["consolidate"]);
    assert_eq!(
        planned["proposals"].as_array().map(Vec::len),
        Some(1),
        "{planned}"
    );
    assert_eq!(planned["applied"], false);
    let done = bench.json(&["consolidate", "--apply"]);
    assert_eq!(done["applied"], true);
    let winner = done["proposals"][0]["winner"].as_str().expect("an id");
    let loser = done["proposals"][0]["losers"][0].as_str().expect("an id");
    assert_eq!(
        bench.json(&["show", loser])["memory"]["superseded_by"],
        winner
    );
    let audit = bench.json(&["audit", "--actor", "consolidation"]);
    assert!(!audit["events"].as_array().expect("events").is_empty());
    assert_eq!(
        bench.json(&["consolidate"])["proposals"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
    bench.json(&["link", winner, loser, "--type", "supersedes", "--remove"]);
    assert!(bench.json(&["show", loser])["memory"]["superseded_by"].is_null());
    let again = bench.json(&["consolidate", "--apply"]);
    assert_eq!(
        again["proposals"].as_array().map(Vec::len),
        Some(0),
        "{again}"
    );
}

#[test]
fn a_model_is_set_up_shown_and_switched_off() {
    let bench = Bench::new();
    assert_eq!(bench.json(&["model"])["enabled"], false);
    let set = [
        "model",
        "set",
        "--provider",
        "openai",
        "--url",
        "http://localhost:9/v1",
        "--model",
        "small",
    ];
    let shown = bench.json(&set);
    assert_eq!(
        (&shown["enabled"], &shown["model"]),
        (&Value::Bool(true), &Value::from("small"))
    );
    assert_eq!(shown["approved"], true);
    let kept = bench.feed(&["model", "key", "--file"], b"sk-secret-of-the-tests\n");
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = std::fs::metadata(bench.store().join("model.key")).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
    for arguments in [&["model"][..], &["model", "--json"], &["costs"]] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            !(ran.stdout + &ran.stderr).contains("sk-secret"),
            "{arguments:?}"
        );
    }
    let unanswered = bench.run(&["model", "test"]);
    assert_eq!(unanswered.code, 1);
    assert!(
        unanswered.stderr.contains("connection to localhost"),
        "{}",
        unanswered.stderr
    );
    assert_eq!(bench.json(&["model", "off"])["enabled"], false);
    assert_eq!(bench.run(&["model", "test"]).code, 3);
}

#[test]
fn a_model_that_may_not_be_asked_is_refused() {
    let bench = Bench::new();
    let remote = bench.run(&[
        "model",
        "set",
        "--provider",
        "openai",
        "--url",
        "http://example.com/v1",
        "--model",
        "x",
    ]);
    assert_eq!(remote.code, 2, "{}", remote.stderr);
    assert!(remote.stderr.contains("https"), "{}", remote.stderr);
    let negative = bench.run(&[
        "model",
        "set",
        "--provider",
        "gemini",
        "--model",
        "x",
        "--daily-dollars=-1",
    ]);
    assert_eq!(negative.code, 2, "{}", negative.stderr);
    assert_eq!(
        bench.json(&["model"])["enabled"],
        false,
        "nothing was changed"
    );
}

#[test]
fn everything_works_without_the_model() {
    let bench = Bench::new();
    bench.remember(&["Mara Lind lives in Bonn, in the house with the green shutters."]);
    bench.json(&[
        "model",
        "set",
        "--provider",
        "openai",
        "--url",
        "http://localhost:9/v1",
        "--model",
        "small",
    ]);
    let ran = bench.run(&["tasks", "run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("read-by-model"), "{}", ran.stderr);
    bench.json(&["knowledge", "show", "Mara Lind"]);
    let costs = bench.json(&["costs"]);
    assert_eq!(costs["budgets"][0]["exhausted"], false);
}

#[test]
fn summaries_are_verbatim_if_the_model_does_not_answer() {
    let bench = chat();
    assert_eq!(
        bench.run(&["summaries", "--reword"]).code,
        3,
        "no model configured"
    );
    bench.json(&[
        "model",
        "set",
        "--provider",
        "openai",
        "--url",
        "http://localhost:9/v1",
        "--model",
        "small",
    ]);
    let ran = bench.run(&["summaries", "--reword", "-k", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("verbatim"), "{}", ran.stderr);
    assert!(ran.stdout.contains("[m"), "{}", ran.stdout);
}
