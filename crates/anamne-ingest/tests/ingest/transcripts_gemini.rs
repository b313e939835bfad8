//! Transcripts of Gemini CLI.

#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use std::fs;

use anamne_ingest::Machine;
use anamne_ingest::transcripts::{Conversation, Position, TranscriptFormat, find, read};
use serde_json::{Value, json};

use crate::common::{Disk, ids, text_of};

const FORMAT: TranscriptFormat = TranscriptFormat::Gemini;

fn head() -> Value {
    json!({"sessionId": "5e1f0000-1", "projectHash": "00ff", "startTime": "2026-08-01T10:00:00.000Z", "kind": "main"})
}

fn message(id: &str, kind: &str, content: Value) -> Value {
    json!({"id": id, "timestamp": "2026-08-01T10:00:00.000Z", "type": kind, "content": content})
}

fn with(mut line: Value, name: &str, value: Value) -> Value {
    line[name] = value;
    line
}

fn call(id: &str, name: &str, status: &str, result: Value) -> Value {
    json!({"id": id, "name": name, "args": {"absolute_path": "/code/app/a.rs", "content": "secret"},
        "status": status, "result": result})
}

#[track_caller]
fn check(lines: &[Value], expected: &[&str]) -> Conversation {
    crate::common::check(FORMAT, lines, expected)
}

#[test]
fn a_message_is_completed_by_later_lines() {
    let answer = with(
        message("g1", "gemini", json!("I look.")),
        "model",
        json!("gemini-x"),
    );
    let error =
        json!([{"functionResponse": {"id": "c2", "response": {"error": "no such file\nmore"}}}]);
    let calls = json!([
        call(
            "c1",
            "read_file",
            "success",
            json!([{"functionResponse": {"response": {"output": "secret"}}}])
        ),
        call("c2", "read_file", "error", error),
        call("c3", "mcp_anamne_memory_search", "success", json!(null)),
        call("c4", "replace", "cancelled", json!(null)),
        call("c5", "replace", "executing", json!(null)),
        call(
            "c6",
            "run_shell_command",
            "success",
            json!([{"functionResponse": {"response":
            {"output": "<untrusted_context>\nOutput: x\nExit Code: 7\nExit Code: 2\nProcess Group PGID: 1"}}}])
        ),
    ]);
    let conversation = check(
        &[
            head(),
            message("u1", "user", json!([{"text": "fix it"}])),
            json!({"$set": {"lastUpdated": "2026-08-01T10:00:01.000Z"}}),
            answer.clone(),
            message("i1", "info", json!("a notice")),
            with(answer, "toolCalls", calls),
            message(
                "g2",
                "gemini",
                json!([{"text": "hm", "thought": true}, {"text": "Done."}]),
            ),
        ],
        &[
            "P fix it",
            "A I look.",
            "T read_file a.rs: ok",
            "T read_file a.rs: failed: no such file",
            "T replace a.rs: failed: cancelled",
            "T run_shell_command a.rs: failed: exit code 2",
            "A Done.",
        ],
    );
    assert_eq!(ids(&conversation)[..4], ["u1", "g1", "g1#c1", "g1#c2"]);
    assert_eq!(conversation.session, "5e1f0000-1");
    assert_eq!(conversation.folder, Some("/code/app".into()));
    assert_eq!(conversation.turns[1].model.as_deref(), Some("gemini-x"));
}

#[test]
fn what_hooks_and_the_host_inject_is_no_turn() {
    let hook = "<hook_context>&lt;anamne-memory&gt;x&lt;/anamne-memory&gt;</hook_context>";
    let context = "<session_context>\nToday is Monday\n</session_context>";
    let injected = json!([{"text": format!("{hook}\n\nq1")}, {"text": hook}]);
    let files = json!([{"text": "see @a.rs"}, {"text": "--- a.rs ---"}, {"text": "secret"}]);
    check(
        &[
            head(),
            message("s1", "user", json!(context)),
            json!({"$set": {"messages": [message("h1", "user", json!("as the model sees it"))]}}),
            message("u1", "user", injected),
            with(
                message("u2", "user", files),
                "displayContent",
                json!("see @a.rs"),
            ),
            message(
                "u3",
                "user",
                json!([{"functionResponse": {"name": "x", "response": {"output": "secret"}}}]),
            ),
        ],
        &["P q1", "P see @a.rs"],
    );
}

#[test]
fn a_rewind_takes_back_a_message_and_what_follows() {
    let lines = [
        head(),
        message("u1", "user", json!("first")),
        message("g1", "gemini", json!("yes")),
        message("u2", "user", json!("wrong way")),
        message("g2", "gemini", json!("going")),
        json!({"$rewindTo": "u2"}),
        message("u3", "user", json!("right way")),
    ];
    let conversation = check(&lines, &["P first", "A yes", "P right way"]);
    assert_eq!(conversation.skipped.abandoned, 2);
    assert_eq!(conversation.abandoned, ["u2", "g2"]);
}

#[test]
fn a_message_without_id_is_bad() {
    let lines = [
        head(),
        json!({"type": "user", "content": "x"}),
        json!({"type": "gemini", "id": 3}),
    ];
    let conversation = check(&lines, &[]);
    assert_eq!(conversation.skipped.bad_count, 2);
}

#[test]
fn a_file_of_the_earlier_format_is_read_as_a_whole() {
    let disk = Disk::new(FORMAT);
    let path = disk.path.with_extension("json");
    let messages = [
        message("u1", "user", json!("q")),
        message("g1", "gemini", json!("a")),
    ];
    let mut whole = head();
    whole["messages"] = json!(messages);
    fs::write(&path, serde_json::to_string_pretty(&whole).expect("JSON")).expect("a file");
    let file = anamne_ingest::transcripts::file(FORMAT, &path).expect("a file");
    let conversation = read(&file, Position::default()).expect("a conversation");
    assert_eq!(crate::common::said(&conversation), ["P q", "A a"]);
    assert_eq!(conversation.reached, None);
    // Going on with such a session, the host writes the same messages into a file of lines.
    disk.write(text_of(&[head(), messages[0].clone(), messages[1].clone()]));
    let copy = disk.read(Position::default()).expect("a conversation");
    assert_eq!(ids(&copy), ids(&conversation));
}

#[test]
fn the_project_is_found_in_the_hosts_list() {
    let disk = Disk::new(FORMAT);
    disk.write(text_of(&[head()]));
    let gemini = disk.folder.path().join(".gemini");
    fs::remove_file(gemini.join("tmp/app/.project_root")).expect("a file");
    let list = json!({"projects": {"/code/other": "other", "/code/app": "app"}});
    fs::write(gemini.join("projects.json"), list.to_string()).expect("a file");
    let conversation = disk.read(Position::default()).expect("a conversation");
    assert_eq!(conversation.folder, Some("/code/app".into()));
}

#[test]
fn conversations_of_people_are_found_and_those_of_subagents_are_not() {
    let disk = Disk::new(FORMAT);
    disk.write(text_of(&[head()]));
    let chats = disk.path.parent().expect("a folder");
    fs::create_dir_all(chats.join("5e1f")).expect("a folder");
    fs::write(chats.join("5e1f/session-sub.jsonl"), "").expect("a file");
    fs::write(chats.join("notes.jsonl"), "").expect("a file");
    let (files, errors) = find(FORMAT, &Machine::at(disk.folder.path()));
    assert_eq!((files.as_slice(), errors.len()), (&[disk.file()][..], 0));
    disk.write(text_of(&[with(head(), "kind", json!("subagent"))]));
    assert!(disk.read(Position::default()).is_err());
}
