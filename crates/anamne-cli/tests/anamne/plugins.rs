//! The hooks that OpenCode's plugin runs: it doesn't tell them where OpenCode records a session.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::bench::Bench;

const TABLES: &str = "
    CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
    INSERT INTO session VALUES ('s1', NULL, '/nowhere', 2);
    INSERT INTO message VALUES
        ('m1', 's1', 1, '{\"role\":\"user\",\"time\":{\"created\":1}}'),
        ('m2', 's1', 2, '{\"role\":\"assistant\",\"time\":{\"created\":2,\"completed\":3}}');
    INSERT INTO part VALUES
        ('p1', 'm1', '{\"type\":\"text\",\"text\":\"Where does the ferry to Ferrol leave?\"}'),
        ('p1m', 'm1', '{\"type\":\"text\",\"synthetic\":true,\"text\":\"The ferry was injected\"}'),
        ('p2', 'm2', '{\"type\":\"text\",\"text\":\"The ferry leaves at berth nine\"}');
";

/// Runs a hook as the plugin does; returns what it prints.
fn hook(bench: &Bench, event: &str, more: &Value) -> String {
    let mut input = json!({"session_id": "s1", "cwd": bench.folder()});
    let fields = more.as_object().expect("an object").clone();
    input.as_object_mut().expect("an object").extend(fields);
    let arguments = ["hook", event, "--host", "opencode"];
    let ran = bench.run_with(&arguments, bench.stdin_of(&input.to_string()));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.stdout
}

/// What was said about the ferry, as it is stored.
fn captured(bench: &Bench) -> Vec<String> {
    let ran = bench.run(&["--space", "unfiled", "list", "--json"]);
    let list: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let memories = list["memories"].as_array().cloned().unwrap_or_default();
    let texts = memories
        .iter()
        .filter_map(|memory| memory["content"].as_str());
    let mut texts: Vec<String> = texts
        .filter(|text| text.contains("ferry"))
        .map(str::to_owned)
        .collect();
    texts.sort();
    texts
}

#[test]
fn a_turn_of_opencode_is_captured_once_from_its_database() {
    let bench = Bench::new();
    let folder = bench.folder().join(".local/share/opencode");
    std::fs::create_dir_all(&folder).expect("a folder");
    let database = Connection::open(folder.join("opencode.db")).expect("a database");
    database.execute_batch(TABLES).expect("tables");
    bench.run(&["remember", "Anything"]);
    let expected = [
        "The ferry leaves at berth nine",
        "Where does the ferry to Ferrol leave?",
    ];
    let deadline = Instant::now() + Duration::from_mins(1);
    while captured(&bench) != expected {
        assert!(Instant::now() < deadline, "{:?}", captured(&bench));
        assert_eq!(hook(&bench, "turn-end", &json!({})), "");
    }
    hook(&bench, "before-compaction", &json!({}));
    let again = bench.json(&["import", "--from", "opencode"]);
    assert_eq!(
        (again["kept"].as_u64(), again["merged"].as_u64()),
        (Some(0), Some(2))
    );
    assert_eq!(captured(&bench), expected);
}

#[test]
fn what_a_hook_of_opencode_prints_is_the_text_for_the_conversation() {
    let bench = Bench::new();
    let kept = "The staging server listens on port 8471";
    bench.run(&["--space", "unfiled", "remember", kept]);
    let asked = |attempt: usize| {
        let prompt = " ".repeat(attempt) + "which port does the staging server listen on?";
        hook(
            &bench,
            "prompt",
            &json!({"prompt": prompt, "turn_id": attempt.to_string()}),
        )
    };
    // A busy machine may exceed the time of a hook.
    let text = (0..20).map(asked).find(|text| !text.is_empty());
    let text = text.expect("an answer");
    assert!(
        text.starts_with("<anamne-memory") && text.contains("8471"),
        "{text}"
    );
}
