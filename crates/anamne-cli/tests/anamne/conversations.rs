//! Imports of conversations that hosts recorded: nothing of them is lost without a word.

use serde_json::{Value, json};

use crate::bench::Bench;

/// A message of Claude Code.
fn line(id: &str, parent: Option<&str>, text: &str) -> String {
    json!({
        "type": "user", "uuid": id, "parentUuid": parent, "sessionId": "s1", "timestamp": "2026-08-01T10:00:00Z",
        "message": {"role": "user", "content": text},
    })
    .to_string()
}

/// Writes the transcript of a session.
fn write(bench: &Bench, content: &str) {
    let folder = bench.folder().join(".claude/projects/-nowhere");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("s1.jsonl"), content).expect("written");
}

const IMPORT: [&str; 5] = ["--space", "chats", "import", "--from", "claude-code"];

fn texts(bench: &Bench) -> Vec<String> {
    let list = bench.json(&["--space", "chats", "list"]);
    let list = list["memories"].as_array().expect("a list");
    let mut texts: Vec<_> = (list.iter())
        .filter_map(|memory| memory["content"].as_str().map(str::to_owned))
        .collect();
    texts.sort();
    texts
}

#[test]
fn stored_messages_of_branches_that_were_abandoned_since_are_named() {
    let bench = Bench::new();
    let mut lines = vec![
        line("u1", None, "one"),
        line("u2", Some("u1"), "two"),
        line("u3", Some("u2"), "three gamma"),
        line("u4", Some("u3"), "four delta"),
    ];
    write(&bench, &(lines.join("\n") + "\n"));
    assert_eq!(bench.json(&IMPORT)["kept"], 4);
    lines.push(line("u5", Some("u2"), "three B"));
    write(&bench, &(lines.join("\n") + "\n"));
    let report = bench.json(&IMPORT);
    assert_eq!(report["kept"], 1, "{report}");
    let named: Vec<&Value> = (report["abandoned"].as_array().expect("a list").iter())
        .map(|message| &message["citation"])
        .collect();
    assert_eq!(named, ["m3", "m4"]);
    let shown = bench.run(&IMPORT).stderr;
    assert!(
        shown.contains("anamne --space chats forget m3 m4"),
        "{shown}"
    );
    bench.run(&["--space", "chats", "forget", "m3", "m4"]);
    assert_eq!(bench.json(&IMPORT)["abandoned"], Value::Null);
    assert_eq!(texts(&bench), ["one", "three B", "two"]);
}

#[test]
fn what_can_not_be_read_makes_an_import_incomplete() {
    let bench = Bench::new();
    let whole = line("u1", None, "one");
    write(&bench, &format!("\u{feff}{whole}"));
    let ran = bench.run(&IMPORT);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&bench), ["one"]);
    write(
        &bench,
        &format!("{whole}\n{{\"type\":\"user\",\"uuid\":\"bro"),
    );
    let ran = bench.run(&IMPORT);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("s1.jsonl:2"), "{}", ran.stderr);
}

#[test]
fn a_long_message_is_kept_whole_up_to_the_limit_of_a_memory() {
    let bench = Bench::new();
    let log = |bytes: usize| "log line\n".repeat(bytes / 9);
    let long = format!("{}Why does it fail?", log(900_000));
    let longer = format!("{}Why does it fail?", log(1_100_000));
    let lines = [line("u1", None, &long), line("u2", Some("u1"), &longer)];
    write(&bench, &(lines.join("\n") + "\n"));
    let report = bench.json(&IMPORT);
    assert_eq!(
        (&report["kept"], &report["skipped"]["cut"]),
        (&json!(2), &json!(1))
    );
    let texts = texts(&bench);
    assert!(texts.contains(&long));
    assert!(
        texts
            .iter()
            .any(|text| text.ends_with(" more bytes left out]"))
    );
}

#[test]
fn messages_that_the_space_refuses_are_not_the_guards() {
    let bench = Bench::new();
    bench.run(&[
        "--space",
        "chats",
        "remember",
        "a space exists, and it was told so in words",
    ]);
    bench.run(&["--space", "chats", "spaces", "set", "--quality", "0.9"]);
    write(&bench, &line("u1", None, "ok"));
    let shown = bench.run(&IMPORT).stderr;
    assert!(
        shown.contains("1 message that the space refuses"),
        "{shown}"
    );
    assert!(shown.contains("intake.quality"), "{shown}");
}

#[test]
fn messages_without_a_time_are_counted() {
    let bench = Bench::new();
    let mut message: Value = serde_json::from_str(&line("u1", None, "one")).expect("JSON");
    message["timestamp"] = Value::Null;
    write(&bench, &message.to_string());
    let shown = bench.run(&IMPORT).stderr;
    assert!(shown.contains("1 message without a time"), "{shown}");
}
