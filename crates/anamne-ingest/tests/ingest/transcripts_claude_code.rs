//! Transcripts of Claude Code.

#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use std::fs;

use anamne_ingest::Machine;
use anamne_ingest::transcripts::{Conversation, Position, TranscriptFormat, find, read};
use serde_json::{Value, json};

use crate::common::{Disk, ids, read_lines, text_of};

const FORMAT: TranscriptFormat = TranscriptFormat::ClaudeCode;

fn line(uuid: &str, parent: &str, kind: &str, message: Value) -> Value {
    json!({
        "type": kind, "uuid": uuid, "parentUuid": (!parent.is_empty()).then_some(parent), "message": message,
        "sessionId": "5e1f", "timestamp": "2026-08-01T10:00:00.000Z", "cwd": "/code/app", "gitBranch": "main",
        "isSidechain": false, "version": "2.1.197",
    })
}

fn person(uuid: &str, parent: &str, text: &str) -> Value {
    line(
        uuid,
        parent,
        "user",
        json!({"role": "user", "content": text}),
    )
}

fn agent(uuid: &str, parent: &str, block: Value) -> Value {
    let message = json!({"id": format!("m-{uuid}"), "role": "assistant", "model": "claude-x", "content": [block]});
    line(uuid, parent, "assistant", message)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(uuid: &str, parent: &str, id: &str, error: bool, content: Value) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "is_error": error, "content": content});
    line(
        uuid,
        parent,
        "user",
        json!({"role": "user", "content": [block]}),
    )
}

fn with(mut line: Value, fields: Value) -> Value {
    let (Some(line_fields), Value::Object(fields)) = (line.as_object_mut(), fields) else {
        panic!("objects");
    };
    line_fields.extend(fields);
    line
}

#[track_caller]
fn check(lines: &[Value], expected: &[&str]) -> Conversation {
    crate::common::check(FORMAT, lines, expected)
}

#[test]
fn a_conversation_is_its_words_and_one_line_for_each_tool_call() {
    let conversation = check(
        &[
            json!({"type": "queue-operation", "operation": "enqueue", "content": "fix it", "sessionId": "5e1f"}),
            person("u1", "", "fix it"),
            agent(
                "a1",
                "u1",
                json!({"type": "thinking", "thinking": "hm", "signature": "x"}),
            ),
            agent("a2", "a1", text("I look.")),
            agent(
                "a3",
                "a2",
                tool("t1", "Read", json!({"file_path": "/code/app/src/main.rs"})),
            ),
            with(
                result(
                    "r1",
                    "a3",
                    "t1",
                    false,
                    json!([{"type": "text", "text": "fn main() {}"}]),
                ),
                json!({"toolUseResult": {"file": {"content": "fn main() {}"}}}),
            ),
            agent(
                "a4",
                "r1",
                tool(
                    "t2",
                    "Bash",
                    json!({"command": "cargo test\n# more", "description": "d"}),
                ),
            ),
            result(
                "r2",
                "a4",
                "t2",
                true,
                json!("Exit code 101\nerror: secret output"),
            ),
            agent("a5", "r2", text("Done.")),
            json!({"type": "last-prompt", "lastPrompt": "fix it", "leafUuid": "a5", "sessionId": "5e1f"}),
        ],
        &[
            "P fix it",
            "A I look.",
            "T Read src/main.rs: ok",
            "T Bash cargo test: failed: Exit code 101",
            "A Done.",
        ],
    );
    assert_eq!(ids(&conversation), ["u1", "a2", "a3", "a4", "a5"]);
    assert_eq!(conversation.session, "5e1f");
    assert_eq!(conversation.folder, Some("/code/app".into()));
    assert_eq!(conversation.branch.as_deref(), Some("main"));
    assert_eq!(conversation.turns[1].model.as_deref(), Some("claude-x"));
    assert_eq!(
        conversation.turns[0].at,
        "2026-08-01T10:00:00Z".parse().ok()
    );
    assert_eq!(conversation.skipped.bad_count, 0);
    assert_eq!(conversation.skipped.other, 2);
}

#[test]
fn a_message_without_a_time_keeps_its_place_in_the_conversation() {
    let at = |time: &str| json!({ "timestamp": time });
    let lines = [
        with(person("u1", "", "no time"), json!({ "timestamp": null })),
        with(person("u2", "u1", "first"), at("2026-08-01T10:00:00Z")),
        with(agent("a1", "u2", text("unreadable")), at("soon")),
        with(person("u3", "a1", "last"), at("2026-08-02T10:00:00Z")),
        with(agent("a2", "u3", text("empty")), at("")),
    ];
    let conversation = read_lines(FORMAT, &lines);
    let times = conversation.turns.iter().map(|turn| turn.at);
    let days: Vec<String> = times.map(|at| at.expect("a time").to_string()).collect();
    let (first, last) = ("2026-08-01T10:00:00Z", "2026-08-02T10:00:00Z");
    assert_eq!(days, [first, first, first, last, last]);
    assert_eq!(conversation.undated, 3);
}

#[test]
fn several_blocks_of_one_line_have_ids_of_their_own() {
    let message = json!({"id": "m", "role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"}, text("one"), tool("t1", "Plan", json!({})), text("two")]});
    let lines = [
        person("u1", "", "q"),
        line("a1", "u1", "assistant", message),
        person("u2", "a1", "r"),
    ];
    let conversation = check(&lines, &["P q", "A one", "T Plan", "A two", "P r"]);
    assert_eq!(ids(&conversation), ["u1", "a1#1", "a1#2", "a1#3", "u2"]);
}

#[test]
fn what_hooks_and_the_host_inject_is_no_turn() {
    let hook = json!({
        "type": "attachment", "uuid": "h1", "parentUuid": "u1", "isSidechain": false,
        "attachment": {"type": "hook_success", "hookEvent": "UserPromptSubmit", "content": "remembered"},
    });
    let blocks = json!({"role": "user", "content": [
        text("<ide_opened_file>a.rs</ide_opened_file>"), text("<system-reminder>be brief</system-reminder>"),
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}}, text("q2")]});
    let conversation = check(
        &[
            person(
                "u1",
                "",
                "q1 <anamne-memory id=\"3\">remembered</anamne-memory>",
            ),
            hook,
            with(
                person("x1", "h1", "Caveat: generated"),
                json!({"isMeta": true}),
            ),
            person(
                "x2",
                "x1",
                "<command-name>/clear</command-name> <command-args></command-args>",
            ),
            person(
                "x3",
                "x2",
                "<local-command-stdout>ok</local-command-stdout>",
            ),
            line("u2", "x3", "user", blocks),
            with(
                person("x4", "u2", "a subagent has finished"),
                json!({"origin": {"kind": "task-notification"}}),
            ),
            with(
                agent("x5", "x4", text("API Error: 529")),
                json!({"isApiErrorMessage": true}),
            ),
            person("x6", "x5", "[Request interrupted by user]"),
            with(
                agent("x7", "x6", text("from a subagent")),
                json!({"isSidechain": true}),
            ),
        ],
        &["P q1", "P q2"],
    );
    assert_eq!(conversation.skipped.empty, 7);
}

#[test]
fn a_prompt_that_waited_is_a_persons_turn() {
    let waited = |uuid: &str, parent: &str, mode: &str| {
        json!({
            "type": "attachment", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
            "attachment": {"type": "queued_command", "prompt": "also the tests", "commandMode": mode},
        })
    };
    let lines = [
        person("u1", "", "q"),
        agent("a1", "u1", text("working")),
        waited("w1", "a1", "prompt"),
        waited("w2", "w1", "task-notification"),
    ];
    check(&lines, &["P q", "A working", "P also the tests"]);
}

#[test]
fn calls_of_our_own_tools_leave_no_line() {
    let lines = [
        person("u1", "", "q"),
        agent(
            "a1",
            "u1",
            tool("t1", "mcp__anamne__memory_search", json!({"query": "q"})),
        ),
        result("r1", "a1", "t1", false, json!("what memory returned")),
        agent("a2", "r1", text("answer")),
    ];
    check(&lines, &["P q", "A answer"]);
}

#[test]
fn only_the_live_branch_counts_after_a_rewind() {
    let conversation = check(
        &[
            person("u1", "", "first"),
            agent("a1", "u1", text("yes")),
            person("u2", "a1", "wrong way"),
            agent("a2", "u2", text("going")),
            person("u3", "a1", "right way"),
            agent("a3", "u3", text("there")),
        ],
        &["P first", "A yes", "P right way", "A there"],
    );
    assert_eq!(conversation.skipped.abandoned, 2);
    assert_eq!(conversation.abandoned, ["u2", "a2"]);
}

#[test]
fn a_compaction_keeps_what_was_said_before_and_leaves_out_its_summary() {
    let boundary = |logical: &str| {
        json!({
            "type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": null,
            "logicalParentUuid": logical, "isSidechain": false, "content": "Conversation compacted",
        })
    };
    for logical in ["a1", "lost"] {
        let lines = [
            person("u1", "", "first"),
            agent("a1", "u1", text("yes")),
            boundary(logical),
            with(
                person("s1", "b1", "This session is continued"),
                json!({"isCompactSummary": true}),
            ),
            person("u2", "s1", "on"),
        ];
        check(&lines, &["P first", "A yes", "P on"]);
    }
}

#[test]
fn results_of_parallel_calls_do_not_lose_a_branch() {
    let piece = |uuid: &str, parent: &str, block: Value| {
        let message = json!({"id": "m1", "role": "assistant", "content": [block]});
        line(uuid, parent, "assistant", message)
    };
    let lines = [
        person("u1", "", "q"),
        piece("a1", "u1", tool("t1", "Read", json!({"file_path": "a"}))),
        piece("a2", "a1", tool("t2", "Read", json!({"file_path": "b"}))),
        result("r2", "a2", "t2", false, json!("x")),
        result(
            "r1",
            "a1",
            "t1",
            true,
            json!("<tool_use_error>gone</tool_use_error>"),
        ),
        agent("a3", "r1", text("done")),
    ];
    check(
        &lines,
        &["P q", "T Read a: failed: gone", "T Read b: ok", "A done"],
    );
}

#[test]
fn copies_of_a_session_have_the_same_ids() {
    let original = [person("u1", "", "q"), agent("a1", "u1", text("yes"))];
    let resumed = original
        .clone()
        .map(|line| with(line, json!({"sessionId": "other"})));
    let forked = [
        with(
            person("f1", "", "q"),
            json!({"forkedFrom": {"sessionId": "5e1f", "messageUuid": "u1"}}),
        ),
        with(
            agent("f2", "f1", text("yes")),
            json!({"forkedFrom": {"sessionId": "5e1f", "messageUuid": "a1"}}),
        ),
        person("f3", "f2", "new"),
    ];
    let expected = read_lines(FORMAT, &original);
    assert_eq!(ids(&read_lines(FORMAT, &resumed)), ids(&expected));
    assert_eq!(ids(&read_lines(FORMAT, &forked)), ["u1", "a1", "f3"]);
}

#[test]
fn lines_that_cannot_be_read_are_listed_and_lose_nothing_else() {
    let mut content = text_of(&[person("u1", "", "q"), agent("a1", "u1", text("yes"))]);
    content.push_str("{torn\n");
    content.push_str(&text_of(&[
        with(person("u2", "lost", "after"), json!({})),
        json!({"type": "user", "message": {"role": "user", "content": "no id"}}),
    ]));
    content.push_str("{\"type\":\"user\",\"uuid\":\"unfinished");
    let disk = Disk::new(FORMAT);
    disk.write(&content);
    let conversation = disk.read(Position::default()).expect("a conversation");
    assert_eq!(
        crate::common::said(&conversation),
        ["P q", "A yes", "P after"]
    );
    let bad: Vec<u64> = conversation
        .skipped
        .bad
        .iter()
        .map(|(line, _)| *line)
        .collect();
    assert_eq!(bad, [3, 5, 6], "the last line is not finished");
    assert_eq!(conversation.skipped.bad_count, 3);
}

#[test]
fn a_reading_waits_for_the_result_of_a_tool() {
    let calling = text_of(&[
        person("u1", "", "q"),
        agent(
            "a1",
            "u1",
            tool("t1", "Bash", json!({"command": "sleep 9"})),
        ),
    ]);
    let finished = format!(
        "{calling}{}",
        text_of(&[result("r1", "a1", "t1", false, json!(""))])
    );
    let disk = Disk::new(FORMAT);
    disk.write(&calling);
    let first = disk.read(Position::default()).expect("a conversation");
    assert_eq!(crate::common::said(&first), ["P q"]);
    disk.write(&finished);
    let second = disk
        .read(first.reached.expect("a position"))
        .expect("a conversation");
    assert_eq!(crate::common::said(&second), ["T Bash sleep 9: ok"]);
    let third = disk
        .read(second.reached.expect("a position"))
        .expect("a conversation");
    assert_eq!(third.turns, []);
    assert_eq!(
        third.reached.expect("a position").bytes,
        finished.len() as u64
    );
}

#[test]
fn a_file_that_became_shorter_is_read_from_its_start() {
    let disk = Disk::new(FORMAT);
    disk.write(text_of(&[person("u1", "", "q")]));
    let conversation = disk
        .read(Position {
            bytes: 1 << 40,
            ..Position::default()
        })
        .expect("a conversation");
    assert_eq!(ids(&conversation), ["u1"]);
}

#[test]
fn a_huge_turn_is_cut_with_a_note() {
    let conversation = read_lines(FORMAT, &[person("u1", "", &"é".repeat(1_000_000))]);
    let text = &conversation.turns[0].text;
    assert!(text.len() < 1_000_000, "{}", text.len());
    assert_eq!(conversation.skipped.cut, 1);
    assert!(text.ends_with(" more bytes left out]"));
}

#[test]
fn conversations_of_people_are_found_and_those_of_subagents_are_not() {
    let disk = Disk::new(FORMAT);
    disk.write(text_of(&[person("u1", "", "q")]));
    let projects = disk.folder.path().join(".claude/projects");
    for other in [
        "-code-app/agent-1.jsonl",
        "-code-app/5e1f/subagents/agent-2.jsonl",
        "-code-app/notes.md",
        "x.jsonl",
    ] {
        let path = projects.join(other);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, "{}\n").expect("a file");
    }
    let mut machine = Machine::at(disk.folder.path());
    let (files, errors) = find(FORMAT, &machine);
    assert_eq!((files.len(), errors.len()), (1, 0), "{files:?}");
    assert_eq!(files[0], disk.file());
    assert_eq!(files[0].session, "5e1f");

    let elsewhere = disk.folder.path().join("elsewhere");
    machine.variables.insert(
        "CLAUDE_CONFIG_DIR".to_owned(),
        elsewhere.display().to_string(),
    );
    assert!(find(FORMAT, &machine).0.is_empty());

    let subagent = projects.join("-code-app/5e1f/subagents/agent-2.jsonl");
    let file = anamne_ingest::transcripts::file(FORMAT, &subagent).expect("a file");
    assert!(read(&file, Position::default()).is_err());
}
