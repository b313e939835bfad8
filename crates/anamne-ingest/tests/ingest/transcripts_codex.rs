//! Transcripts of Codex.

#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use std::fs;

use anamne_ingest::Machine;
use anamne_ingest::transcripts::{Conversation, Position, TranscriptFormat, find};
use serde_json::{Value, json};

use crate::common::{Disk, ids, read_lines, text_of};

const FORMAT: TranscriptFormat = TranscriptFormat::Codex;

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-08-01T10:00:00.000Z", "type": kind, "payload": payload})
}

fn meta(source: Value) -> Value {
    let payload = json!({
        "id": "0198a000-0000-7000-8000-000000000001", "cwd": "/code/app", "source": source, "cli_version": "0.169.0",
        "git": {"branch": "main", "commit_hash": "abc"},
    });
    line("session_meta", payload)
}

fn event(kind: &str, fields: Value) -> Value {
    typed("event_msg", kind, fields)
}

fn item(kind: &str, fields: Value) -> Value {
    typed("response_item", kind, fields)
}

fn typed(line_kind: &str, kind: &str, mut fields: Value) -> Value {
    fields["type"] = kind.into();
    line(line_kind, fields)
}

fn completed(turn: &str, kind: &str, id: &str, text: &str) -> Value {
    let text_kind = if kind == "UserMessage" {
        "text"
    } else {
        "Text"
    };
    let item = json!({"type": kind, "id": id, "content": [{"type": text_kind, "text": text}]});
    event(
        "item_completed",
        json!({"turn_id": turn, "item": item, "completed_at_ms": 1_785_578_400_000_i64}),
    )
}

fn message(role: &str, texts: &[&str]) -> Value {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    let content: Vec<Value> = texts
        .iter()
        .map(|text| json!({"type": kind, "text": text}))
        .collect();
    item("message", json!({"role": role, "content": content}))
}

#[track_caller]
fn check(lines: &[Value], expected: &[&str]) -> Conversation {
    crate::common::check(FORMAT, lines, expected)
}

#[test]
fn a_conversation_is_its_completed_items_and_its_tool_calls() {
    let conversation = check(
        &[
            meta(json!("exec")),
            event("task_started", json!({"turn_id": "t1"})),
            message("developer", &["<permissions instructions>x"]),
            message("user", &["<environment_context>x</environment_context>"]),
            message("user", &["fix it"]),
            completed("t1", "UserMessage", "i1", "fix it"),
            completed("t1", "AgentMessage", "m1", "I look."),
            message("assistant", &["I look."]),
            item(
                "reasoning",
                json!({"summary": [{"type": "summary_text", "text": "hm"}]}),
            ),
            item(
                "function_call",
                json!({"name": "exec_command", "call_id": "c1",
                "arguments": "{\"cmd\":\"cargo test\"}"}),
            ),
            event(
                "item_completed",
                json!({"turn_id": "t1", "item":
                {"type": "CommandExecution", "id": "c1", "status": "failed", "exit_code": 101}}),
            ),
            item(
                "function_call_output",
                json!({"call_id": "c1",
                "output": "Process exited with code 101\nOutput:\nsecret"}),
            ),
            item(
                "custom_tool_call",
                json!({"name": "apply_patch", "call_id": "c2",
                "input": "*** Begin Patch\n*** Update File: /code/app/src/a.rs\n+secret\n*** End Patch"}),
            ),
            item(
                "custom_tool_call_output",
                json!({"call_id": "c2", "output": "Exit code: 0\nOutput:\nSuccess"}),
            ),
            item(
                "function_call",
                json!({"name": "memory_search", "namespace": "mcp__anamne", "call_id": "c3",
                "arguments": "{\"query\":\"q\"}"}),
            ),
            item(
                "function_call_output",
                json!({"call_id": "c3", "output": "what memory returned"}),
            ),
            item(
                "function_call",
                json!({"name": "issue", "namespace": "mcp__tracker", "call_id": "c4",
                "arguments": "{\"id\":1}"}),
            ),
            event(
                "item_completed",
                json!({"turn_id": "t1", "item": {"type": "McpToolCall", "id": "c4",
                "status": "failed", "error": {"message": "not found\nmore"}}}),
            ),
            item(
                "function_call_output",
                json!({"call_id": "c4", "output": "err"}),
            ),
            completed("t1", "AgentMessage", "m1", "Done."),
            event("task_complete", json!({"turn_id": "t1"})),
        ],
        &[
            "P fix it",
            "A I look.",
            "T exec_command cargo test: failed: exit code 101",
            "T apply_patch src/a.rs: ok",
            "T mcp__tracker__issue: failed: not found",
            "A Done.",
        ],
    );
    assert_eq!(&ids(&conversation)[..3], ["t1/i1", "t1/m1", "c1"]);
    assert_eq!(conversation.session, "0198a000-0000-7000-8000-000000000001");
    assert_eq!(conversation.folder, Some("/code/app".into()));
    assert_eq!(conversation.branch.as_deref(), Some("main"));
    assert_eq!(
        conversation.skipped.bad_count, 0,
        "{:?}",
        conversation.skipped
    );
    assert_eq!(
        conversation.turns[0].at,
        "2026-08-01T10:00:00Z".parse().ok()
    );
}

#[test]
fn events_of_earlier_versions_are_the_dialogue() {
    let lines = [
        meta(json!("cli")),
        message("user", &["# AGENTS.md instructions for /code/app"]),
        message("user", &["fix it"]),
        event(
            "user_message",
            json!({"message": "fix it", "kind": "plain"}),
        ),
        event("agent_reasoning", json!({"text": "hm"})),
        event("agent_message", json!({"message": "Done."})),
        message("assistant", &["Done."]),
        event("token_count", json!({"info": null})),
    ];
    let conversation = check(&lines, &["P fix it", "A Done."]);
    let again = read_lines(FORMAT, &lines);
    assert_eq!(ids(&again), ids(&conversation));
    assert_eq!(conversation.turns[0].id.len(), 32);
}

#[test]
fn both_generations_of_events_tell_a_message_once() {
    let lines = [
        meta(json!("cli")),
        event("user_message", json!({"message": "fix it"})),
        completed("t1", "UserMessage", "i1", "fix it"),
        completed("t1", "AgentMessage", "m1", "Done."),
        event("agent_message", json!({"message": "Done."})),
        event("user_message", json!({"message": "fix it"})),
    ];
    check(&lines, &["P fix it", "A Done.", "P fix it"]);
}

#[test]
fn items_are_the_dialogue_where_there_are_no_events() {
    let lines = [
        meta(json!("cli")),
        message("user", &["<user_instructions>x</user_instructions>"]),
        message(
            "user",
            &["<environment_context>x</environment_context>", "fix it"],
        ),
        message("assistant", &["Done."]),
        message("developer", &["x"]),
    ];
    check(&lines, &["P fix it", "A Done."]);
    // Until the agent has answered, events may follow.
    let conversation = check(&lines[..3], &[]);
    assert_eq!(conversation.reached, Some(Position::default()));
}

#[test]
fn a_rollback_takes_back_the_last_exchanges() {
    let exchange = |name: &str| {
        let said = |speaker: &str| format!("{name} {speaker}");
        [
            event("user_message", json!({"message": said("question")})),
            event("agent_message", json!({"message": said("answer")})),
        ]
    };
    let mut lines = vec![meta(json!("cli"))];
    for name in ["one", "two", "three"] {
        lines.extend(exchange(name));
    }
    lines.push(event("thread_rolled_back", json!({"num_turns": 2})));
    lines.extend(exchange("four"));
    let conversation = check(
        &lines,
        &[
            "P one question",
            "A one answer",
            "P four question",
            "A four answer",
        ],
    );
    assert_eq!(conversation.skipped.abandoned, 4);
    assert_eq!(conversation.abandoned.len(), 4);
}

#[test]
fn a_compaction_is_no_conversation() {
    let history =
        json!({"message": "summary", "replacement_history": [{"type": "message", "role": "user"}]});
    let lines = [
        meta(json!("cli")),
        event("user_message", json!({"message": "q"})),
        line("compacted", history),
        event("context_compacted", json!({})),
        event("agent_message", json!({"message": "a"})),
    ];
    check(&lines, &["P q", "A a"]);
}

#[test]
fn what_demands_an_id_is_bad_without_one() {
    let lines = [
        meta(json!("cli")),
        event("task_started", json!({})),
        item("function_call", json!({"name": "shell", "arguments": "{}"})),
        event(
            "item_completed",
            json!({"item": {"type": "UserMessage", "content": []}}),
        ),
        event("item_completed", json!({"turn_id": "t"})),
    ];
    let conversation = check(&lines, &[]);
    let bad: Vec<u64> = conversation
        .skipped
        .bad
        .iter()
        .map(|(line, _)| *line)
        .collect();
    assert_eq!(bad, [3, 4, 5]);
}

#[test]
fn a_file_of_another_kind_is_an_error() {
    let disk = Disk::new(FORMAT);
    for content in [
        "{}\n",
        "text\n",
        "{\"type\":\"session_meta\",\"payload\":{}}\n",
    ] {
        disk.write(content);
        let error = disk.read(Position::default()).expect_err("no transcript");
        assert!(
            error.to_string().contains("is not a transcript of codex"),
            "{error}"
        );
    }
}

#[test]
fn threads_of_people_are_found_and_those_of_subagents_are_not() {
    let disk = Disk::new(FORMAT);
    disk.write(text_of(&[meta(json!("vscode"))]));
    let folder = disk.path.parent().expect("a folder");
    for (name, source) in [
        ("a", json!({"subagent": "review"})),
        ("b", json!({"internal": "memory"})),
    ] {
        let path = folder.join(format!("rollout-2026-08-01T11-00-00-{name}.jsonl"));
        fs::write(path, text_of(&[meta(source)])).expect("a file");
    }
    let archived = disk.folder.path().join(".codex/archived_sessions");
    fs::create_dir_all(&archived).expect("a folder");
    let archived =
        archived.join("rollout-2026-07-01T11-00-00-0198a000-0000-7000-8000-000000000002.jsonl");
    fs::write(&archived, text_of(&[meta(json!({"custom": "x"}))])).expect("a file");
    let (files, errors) = find(FORMAT, &Machine::at(disk.folder.path()));
    assert!(errors.is_empty(), "{errors:?}");
    let mut sessions: Vec<&str> = files.iter().map(|file| file.session.as_str()).collect();
    sessions.sort_unstable();
    let expected = [
        "0198a000-0000-7000-8000-000000000001",
        "0198a000-0000-7000-8000-000000000002",
    ];
    assert_eq!(sessions, expected);
}
