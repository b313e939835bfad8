//! What hosts send to hooks is understood, whatever they send does no harm, and they get the answers that they expect.

use std::path::PathBuf;

use anamne_hosts::hook::{
    HookEvent, HookInput, MAX_INPUT, StartReason, ToolUse, answer, fits, limit, read_input,
    takes_context,
};
use anamne_ingest::Machine;
use proptest::prelude::*;
use serde_json::{Value, json};

/// All hosts with hooks.
const HOSTS: [&str; 14] = [
    "claude-code",
    "codex",
    "gemini",
    "qwen",
    "cursor",
    "vscode",
    "copilot",
    "windsurf",
    "devin",
    "cline",
    "kiro",
    "goose",
    "antigravity",
    "kimi",
];

fn machine() -> Machine {
    Machine::at("/home/ada")
}

fn with_variable(name: &str, value: &str) -> Machine {
    let mut machine = machine();
    machine.variables.insert(name.to_owned(), value.to_owned());
    machine
}

fn read(host: &str, event: HookEvent, input: &Value) -> HookInput {
    read_input(host, event, input.to_string().as_bytes(), &machine())
}

#[track_caller]
fn check(host: &str, event: HookEvent, input: &Value, expected: &HookInput) {
    assert_eq!(&read(host, event, input), expected);
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn path(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path))
}

/// The session `s` in `/w/p`.
fn session() -> HookInput {
    HookInput {
        session: text("s"),
        folder: path("/w/p"),
        ..HookInput::default()
    }
}

fn recorded() -> HookInput {
    HookInput {
        transcript: path("/home/ada/t/s.jsonl"),
        ..session()
    }
}

/// The fields that Claude Code, Codex, Gemini CLI and Qwen Code send at every event, and `more`.
fn base(event: &str, more: &Value) -> Value {
    let mut input = json!({
        "session_id": "s",
        "transcript_path": "/home/ada/t/s.jsonl",
        "cwd": "/w/p",
        "hook_event_name": event,
    });
    let all = input.as_object_mut().expect("an object");
    all.extend(more.as_object().expect("an object").clone());
    input
}

#[test]
fn claude_code_tells_session_prompt_and_turn() {
    let more = json!({"source": "startup", "model": "m"});
    check(
        "claude-code",
        HookEvent::SessionStart,
        &base("SessionStart", &more),
        &recorded(),
    );
    let more = json!({"prompt_id": "p1", "permission_mode": "default", "prompt": "Where is\nthe harbour?"});
    let expected = HookInput {
        prompt: text("Where is\nthe harbour?"),
        turn: text("p1"),
        ..recorded()
    };
    check(
        "claude-code",
        HookEvent::Prompt,
        &base("UserPromptSubmit", &more),
        &expected,
    );
    let more = json!({
        "prompt_id": "p1", "effort": {"level": "high"}, "stop_hook_active": true,
        "last_assistant_message": "Done.", "background_tasks": [], "session_crons": [],
    });
    let expected = HookInput {
        turn: text("p1"),
        last_message: text("Done."),
        is_continued: true,
        ..recorded()
    };
    check(
        "claude-code",
        HookEvent::TurnEnd,
        &base("Stop", &more),
        &expected,
    );
    let more = json!({"trigger": "auto", "custom_instructions": ""});
    check(
        "claude-code",
        HookEvent::BeforeCompaction,
        &base("PreCompact", &more),
        &recorded(),
    );
    let more = json!({"reason": "other"});
    check(
        "claude-code",
        HookEvent::SessionEnd,
        &base("SessionEnd", &more),
        &recorded(),
    );
}

#[test]
fn codex_and_gemini_tell_session_prompt_and_turn() {
    let more =
        json!({"turn_id": "t1", "model": "m", "permission_mode": "default", "prompt": "Why?"});
    let expected = HookInput {
        prompt: text("Why?"),
        turn: text("t1"),
        ..recorded()
    };
    check(
        "codex",
        HookEvent::Prompt,
        &base("UserPromptSubmit", &more),
        &expected,
    );
    let without = json!({"transcript_path": null, "source": "resume"});
    let expected = HookInput {
        reason: StartReason::Resume,
        ..session()
    };
    check(
        "codex",
        HookEvent::SessionStart,
        &base("SessionStart", &without),
        &expected,
    );
    let more = json!({
        "timestamp": "2026-11-23T09:59:00.198Z", "prompt": "Why?", "prompt_response": "So.",
        "stop_hook_active": false,
    });
    let expected = HookInput {
        prompt: text("Why?"),
        last_message: text("So."),
        ..recorded()
    };
    check(
        "gemini",
        HookEvent::TurnEnd,
        &base("AfterAgent", &more),
        &expected,
    );
}

#[test]
fn qwen_tells_what_a_person_typed_and_what_a_subagent_does() {
    let more = json!({"prompt": "Tool result: ok", "submitted_prompt": "Why?"});
    let expected = HookInput {
        prompt: text("Why?"),
        ..recorded()
    };
    check(
        "qwen",
        HookEvent::Prompt,
        &base("UserPromptSubmit", &more),
        &expected,
    );
    let more = json!({"prompt": "Look", "agent_id": "a1", "agent_type": "Explore"});
    let expected = HookInput {
        prompt: text("Look"),
        is_subagent: true,
        ..recorded()
    };
    check(
        "qwen",
        HookEvent::Prompt,
        &base("UserPromptSubmit", &more),
        &expected,
    );
    let only_a_type = read(
        "claude-code",
        HookEvent::Prompt,
        &json!({"agent_type": "reviewer"}),
    );
    assert!(!only_a_type.is_subagent);
}

#[test]
fn hosts_with_their_own_words_are_understood() {
    let prompted = HookInput {
        prompt: text("Why?"),
        ..session()
    };
    let with_turn = HookInput {
        turn: text("g1"),
        ..prompted.clone()
    };
    let input = json!({
        "conversation_id": "s", "generation_id": "g1", "model": "m", "hook_event_name": "beforeSubmitPrompt",
        "cursor_version": "2.0", "workspace_roots": ["/w/p", "/w/q"], "user_email": "ada@example.org",
        "prompt": "Why?", "attachments": [],
    });
    check("cursor", HookEvent::Prompt, &input, &with_turn);
    let input = json!({
        "agent_action_name": "pre_user_prompt", "trajectory_id": "s", "execution_id": "g1",
        "tool_info": {"user_prompt": "Why?", "cwd": "/w/p"},
    });
    check("windsurf", HookEvent::Prompt, &input, &with_turn);
    let input = json!({
        "timestamp": "2026-08-01T10:00:00Z", "cwd": "/w/p", "sessionId": "s",
        "hookEventName": "UserPromptSubmit", "transcript_path": "t.json", "prompt": "Why?",
    });
    check("vscode", HookEvent::Prompt, &input, &prompted);
    let input = json!({"sessionId": "s", "timestamp": 1_785_000_000_000_i64, "cwd": "/w/p", "prompt": "Why?"});
    check("copilot", HookEvent::Prompt, &input, &prompted);
    let input = json!({
        "clineVersion": "4", "hookName": "UserPromptSubmit", "timestamp": "1785000000000", "taskId": "s",
        "workspaceRoots": ["/w/p"], "userId": "u", "model": {"provider": "p", "slug": "m"},
        "userPromptSubmit": {"prompt": "Why?", "attachments": []},
    });
    check("cline", HookEvent::Prompt, &input, &prompted);
    let input = json!({
        "event": "UserPromptSubmit", "session_id": "s", "matcher_context": null, "message": "Why?",
        "working_dir": "/w/p",
    });
    check("goose", HookEvent::Prompt, &input, &prompted);
    let input = json!({
        "session_id": "s", "hook_event_name": "userPromptSubmit", "cwd": "/w/p", "prompt": "Why?",
    });
    check("kiro", HookEvent::Prompt, &input, &prompted);
    let input = json!({
        "conversationId": "s", "transcriptPath": "/home/ada/t/s.jsonl", "workspacePaths": ["/w/p"],
        "invocationNum": 0,
    });
    check("antigravity", HookEvent::Prompt, &input, &recorded());
}

#[test]
fn the_reason_of_a_start_is_told_by_source_or_event() {
    for (source, reason) in [
        ("startup", StartReason::Startup),
        ("new", StartReason::Startup),
        ("resume", StartReason::Resume),
        ("clear", StartReason::Clear),
        ("compact", StartReason::Compact),
        ("fork", StartReason::Fork),
    ] {
        let input = read(
            "claude-code",
            HookEvent::SessionStart,
            &json!({"source": source}),
        );
        assert_eq!(input.reason, reason, "{source}");
    }
    let resumed = read(
        "cline",
        HookEvent::SessionStart,
        &json!({"hookName": "TaskResume"}),
    );
    assert_eq!(resumed.reason, StartReason::Resume);
    let compacted = read(
        "devin",
        HookEvent::SessionStart,
        &json!({"hook_event_name": "PostCompaction"}),
    );
    assert_eq!(compacted.reason, StartReason::Compact);
}

#[test]
fn a_hook_set_up_for_one_host_knows_the_host_that_fired_it() {
    let vscode =
        json!({"sessionId": "s", "hookEventName": "SessionStart", "cwd": "/w/p", "source": "new"});
    let sender = |host, input: &Value| read(host, HookEvent::SessionStart, input).sender;
    assert_eq!(sender("claude-code", &vscode), Some("vscode"));
    assert_eq!(sender("vscode", &vscode), None);
    assert_eq!(
        sender("claude-code", &json!({"cursor_version": "2"})),
        Some("cursor")
    );
    assert_eq!(
        sender("claude-code", &base("SessionStart", &json!({}))),
        None
    );
    let machine = with_variable("CLAUDE_PROJECT_DIR", "/elsewhere");
    let input = read_input(
        "claude-code",
        HookEvent::SessionStart,
        vscode.to_string().as_bytes(),
        &machine,
    );
    assert_eq!((input.session, input.folder), (text("s"), path("/w/p")));
}

#[test]
fn variables_tell_what_the_input_does_not() {
    let folder = |host, variable, input: &str| {
        let machine = with_variable(variable, "/v/p");
        read_input(host, HookEvent::Prompt, input.as_bytes(), &machine).folder
    };
    let moved = r#"{"cwd":"/w/p/deep"}"#;
    assert_eq!(
        folder("claude-code", "CLAUDE_PROJECT_DIR", moved),
        path("/v/p")
    );
    assert_eq!(folder("gemini", "GEMINI_PROJECT_DIR", moved), path("/v/p"));
    assert_eq!(folder("devin", "DEVIN_PROJECT_DIR", "{}"), path("/v/p"));
    assert_eq!(
        folder("devin", "DEVIN_PROJECT_DIR", "no json"),
        path("/v/p")
    );
    assert_eq!(
        folder("codex", "CLAUDE_PROJECT_DIR", moved),
        path("/w/p/deep")
    );
    let kiro = read_input(
        "kiro",
        HookEvent::Prompt,
        b"",
        &with_variable("USER_PROMPT", "Why?"),
    );
    assert_eq!(kiro.prompt, text("Why?"));
    let gemini = read_input(
        "gemini",
        HookEvent::Prompt,
        b"",
        &with_variable("GEMINI_SESSION_ID", "s"),
    );
    assert_eq!(gemini.session, text("s"));
}

#[test]
fn relative_and_broken_paths_and_ids_are_no_paths_and_ids() {
    let long = format!("/{}", "a".repeat(5000));
    for bad in [
        json!("p/q"),
        json!(""),
        json!("/a\0b"),
        json!(["/w"]),
        json!(7),
        json!(long),
    ] {
        let input = json!({"cwd": bad, "transcript_path": bad, "session_id": "ok"});
        let read = read("claude-code", HookEvent::TurnEnd, &input);
        assert_eq!(
            (read.folder, read.transcript, read.session),
            (None, None, text("ok")),
            "{bad}"
        );
    }
    for bad in [
        json!(" "),
        json!("a\nb"),
        json!("x".repeat(300)),
        json!({"id": 1}),
        json!(1),
    ] {
        let input = json!({"session_id": bad, "prompt_id": bad, "cwd": "/w"});
        let read = read("claude-code", HookEvent::TurnEnd, &input);
        assert_eq!(
            (read.session, read.turn, read.folder),
            (None, None, path("/w")),
            "{bad}"
        );
    }
}

#[test]
fn an_input_that_is_too_long_is_not_read() {
    let session = |length| {
        let input = format!(r#"{{"session_id":"s","prompt":"{}"}}"#, "a".repeat(length));
        read_input("codex", HookEvent::Prompt, input.as_bytes(), &machine()).session
    };
    assert_eq!(session(MAX_INPUT), None);
    assert_eq!(session(MAX_INPUT - 100), text("s"));
}

fn tool(host: &str, event: HookEvent, input: &Value) -> ToolUse {
    read(host, event, input).tool.expect("a tool")
}

#[track_caller]
fn check_tool(
    host: &str,
    event: HookEvent,
    input: &Value,
    expected: (&str, &str, Option<bool>, &str),
) {
    let tool = tool(host, event, input);
    let found = (
        tool.name.as_str(),
        tool.target.as_str(),
        tool.succeeded,
        tool.error.as_str(),
    );
    assert_eq!(found, expected);
}

#[test]
fn tools_of_claude_code_have_target_and_outcome() {
    let failed = json!({
        "tool_name": "Bash", "tool_input": {"command": "cat a.txt; exit 3", "description": "show"},
        "tool_use_id": "toolu_1", "error": "Exit code 3\nhello world", "is_interrupt": false, "duration_ms": 586,
    });
    let expected = ToolUse {
        id: text("toolu_1"),
        name: "Bash".to_owned(),
        target: "cat a.txt; exit 3".to_owned(),
        succeeded: Some(false),
        error: "Exit code 3".to_owned(),
        milliseconds: Some(586),
    };
    assert_eq!(
        tool("claude-code", HookEvent::ToolFailed, &failed),
        expected
    );
    let done = json!({
        "tool_name": "Write", "tool_input": {"content": "secret\nlines", "file_path": "/w/p/a.txt"},
        "tool_response": {"type": "create", "content": "secret\nlines"}, "duration_ms": 70,
    });
    check_tool(
        "claude-code",
        HookEvent::Tool,
        &done,
        ("Write", "/w/p/a.txt", Some(true), ""),
    );
    let stopped = json!({
        "tool_name": "Bash", "tool_input": {"command": "cat > a <<E\nsecret\nE"},
        "tool_response": {"stdout": "", "stderr": "killed", "interrupted": true},
    });
    check_tool(
        "claude-code",
        HookEvent::Tool,
        &stopped,
        ("Bash", "cat > a <<E", Some(false), "killed"),
    );
    let unnamed = read(
        "claude-code",
        HookEvent::Tool,
        &json!({"tool_input": {"command": "ls"}}),
    );
    assert_eq!(unnamed.tool, None);
}

#[test]
fn tools_of_codex_have_an_outcome_only_where_it_is_told() {
    let shell = json!({
        "tool_name": "Bash", "tool_input": {"command": "cat a"}, "tool_response": "hello world\n",
    });
    check_tool(
        "codex",
        HookEvent::Tool,
        &shell,
        ("Bash", "cat a", None, ""),
    );
    let words =
        json!({"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "make all"]}});
    check_tool(
        "codex",
        HookEvent::Tool,
        &words,
        ("shell", "make all", None, ""),
    );
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+secret\n*** Add File: b.rs\n+y\n*** End Patch";
    let patched = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "Done"});
    check_tool(
        "codex",
        HookEvent::Tool,
        &patched,
        ("apply_patch", "src/a.rs, b.rs", None, ""),
    );
    let asked = |failed: bool| {
        json!({
            "tool_name": "mcp__anamne__memory_search", "tool_input": {"query": "harbour"},
            "tool_response": {"content": [{"type": "text", "text": "no\nstore"}], "isError": failed},
        })
    };
    let expected = ("mcp__anamne__memory_search", "harbour", Some(true), "");
    check_tool("codex", HookEvent::Tool, &asked(false), expected);
    let expected = ("mcp__anamne__memory_search", "harbour", Some(false), "no");
    check_tool("codex", HookEvent::Tool, &asked(true), expected);
}

#[test]
fn tools_of_gemini_have_target_and_outcome() {
    let gemini = |response: Value| json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"}, "tool_response": response});
    let content = "<untrusted_context>\nOutput: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 7";
    let failed = gemini(json!({"llmContent": content, "returnDisplay": "no rule\nstop"}));
    let expected = ("run_shell_command", "make", Some(false), "no rule");
    check_tool("gemini", HookEvent::Tool, &failed, expected);
    let done = gemini(json!({"llmContent": "Output: ok", "returnDisplay": "ok"}));
    check_tool(
        "gemini",
        HookEvent::Tool,
        &done,
        ("run_shell_command", "make", Some(true), ""),
    );
    let lost =
        gemini(json!({"llmContent": "x", "error": {"message": "File not found: a", "type": "t"}}));
    let expected = (
        "run_shell_command",
        "make",
        Some(false),
        "File not found: a",
    );
    check_tool("gemini", HookEvent::Tool, &lost, expected);
}

#[test]
fn tools_of_other_hosts_have_target_and_outcome() {
    let cline = json!({"clineVersion": "4", "hookName": "PostToolUse", "postToolUse": {
        "toolName": "execute_command", "parameters": {"command": "make"}, "result": "no rule", "success": false,
        "executionTimeMs": "1200",
    }});
    check_tool(
        "cline",
        HookEvent::Tool,
        &cline,
        ("execute_command", "make", Some(false), "no rule"),
    );
    assert_eq!(
        tool("cline", HookEvent::Tool, &cline).milliseconds,
        Some(1200)
    );
    let copilot = json!({
        "sessionId": "s", "toolName": "bash", "toolArgs": "{\"command\":\"make\"}",
        "toolResult": {"resultType": "failure", "textResultForLlm": "no rule"},
    });
    check_tool(
        "copilot",
        HookEvent::Tool,
        &copilot,
        ("bash", "make", Some(false), "no rule"),
    );
    let cursor = json!({
        "hook_event_name": "afterShellExecution", "command": "make", "output": "x", "duration": 12.4,
    });
    check_tool(
        "cursor",
        HookEvent::Tool,
        &cursor,
        ("shell", "make", Some(true), ""),
    );
    assert_eq!(
        tool("cursor", HookEvent::Tool, &cursor).milliseconds,
        Some(12)
    );
    let windsurf = json!({
        "agent_action_name": "post_run_command", "tool_info": {"command_line": "make", "cwd": "/w"},
    });
    check_tool(
        "windsurf",
        HookEvent::Tool,
        &windsurf,
        ("shell", "make", None, ""),
    );
}

#[test]
fn target_and_error_are_one_short_line() {
    let long = "é".repeat(1000);
    let input = json!({
        "tool_name": format!("a\u{7}b {long}"), "tool_input": {"command": format!("\n\n  {long}\nmore")},
        "error": format!("\t{long}\nmore"),
    });
    let tool = tool("claude-code", HookEvent::ToolFailed, &input);
    for (line, most) in [(tool.name, 200), (tool.target, 200), (tool.error, 500)] {
        assert_eq!(line.chars().count(), most);
        assert!(
            line.ends_with("é…") && !line.contains(char::is_control),
            "{line}"
        );
    }
}

const CONTEXT: &str = "He said: \"53°\"\n</x>";

#[track_caller]
fn check_answer(host: &str, event: HookEvent, expected: &Value) {
    let found: Value = serde_json::from_str(&answer(host, event, Some(CONTEXT))).expect("JSON");
    assert_eq!(&found, expected);
}

#[test]
fn each_host_gets_the_context_in_its_own_shape() {
    let nested = |event: &str| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": CONTEXT}});
    for host in ["claude-code", "codex", "qwen", "devin"] {
        check_answer(host, HookEvent::SessionStart, &nested("SessionStart"));
        check_answer(host, HookEvent::Prompt, &nested("UserPromptSubmit"));
    }
    check_answer("gemini", HookEvent::SessionStart, &nested("SessionStart"));
    check_answer("gemini", HookEvent::Prompt, &nested("BeforeAgent"));
    check_answer("vscode", HookEvent::SessionStart, &nested("SessionStart"));
    let cursor = json!({"continue": true, "additional_context": CONTEXT});
    check_answer("cursor", HookEvent::Prompt, &cursor);
    let cline = json!({"cancel": false, "contextModification": CONTEXT});
    check_answer("cline", HookEvent::SessionStart, &cline);
    check_answer("cline", HookEvent::Prompt, &cline);
    check_answer(
        "copilot",
        HookEvent::SessionStart,
        &json!({"additionalContext": CONTEXT}),
    );
    check_answer(
        "copilot",
        HookEvent::Prompt,
        &json!({"additionalContext": CONTEXT}),
    );
    let step = json!({"injectSteps": [{"ephemeralMessage": CONTEXT}]});
    check_answer("antigravity", HookEvent::Prompt, &step);
    assert_eq!(
        answer("kiro", HookEvent::SessionStart, Some(CONTEXT)),
        CONTEXT
    );
    assert_eq!(answer("kimi", HookEvent::Prompt, Some(CONTEXT)), CONTEXT);
}

#[test]
fn an_answer_without_context_lets_the_host_go_on() {
    for host in HOSTS {
        for event in HookEvent::ALL {
            let empty = answer(host, event, None);
            let expected = match (host, event) {
                ("cursor", HookEvent::Prompt) => r#"{"continue":true}"#,
                ("gemini" | "qwen" | "cursor" | "vscode" | "copilot" | "antigravity", _) => "{}",
                ("cline", _) => r#"{"cancel":false}"#,
                _ => "",
            };
            assert_eq!(empty, expected, "{host} {event}");
            assert_eq!(answer(host, event, Some(" \n")), empty);
            if !takes_context(host, event) {
                assert_eq!(answer(host, event, Some(CONTEXT)), empty, "{host} {event}");
            }
        }
    }
    assert_eq!(answer("unheard-of", HookEvent::Prompt, Some(CONTEXT)), "");
}

#[test]
fn context_is_added_at_a_start_and_at_a_prompt_only_and_never_cut() {
    let long = "x".repeat(200_000);
    for host in HOSTS {
        let taking: Vec<HookEvent> = HookEvent::ALL
            .into_iter()
            .filter(|event| takes_context(host, *event))
            .collect();
        let expected: &[HookEvent] = match host {
            "goose" | "windsurf" => &[],
            "vscode" => &[HookEvent::SessionStart],
            "cursor" | "kimi" => &[HookEvent::Prompt],
            _ => &[HookEvent::SessionStart, HookEvent::Prompt],
        };
        assert_eq!(taking, expected, "{host}");
        for event in taking {
            assert!(
                answer(host, event, Some(&long)).contains(&long),
                "{host} {event}"
            );
        }
    }
}

#[test]
fn limits_count_characters_and_for_codex_bytes() {
    for host in HOSTS {
        let most = "x".repeat(limit(host));
        assert!(
            limit(host) >= 10_000 && fits(host, &most) && !fits(host, &format!("{most}x")),
            "{host}"
        );
    }
    let umlauts = "ü".repeat(10_000);
    assert!(
        fits("claude-code", &umlauts)
            && !fits("codex", &umlauts)
            && fits("codex", &umlauts[..10_000])
    );
}

/// Inputs to mutate.
fn samples() -> Vec<Vec<u8>> {
    let tool = json!({
        "tool_name": "Bash", "tool_input": {"command": ["a", "-c", "b"], "file_path": "/a"}, "tool_use_id": "u",
        "tool_response": {"content": [{"type": "text", "text": "t"}], "isError": true, "exitCode": 1},
        "error": {"message": "m"}, "duration_ms": 3, "is_interrupt": false, "prompt": "p\u{1F600}",
    });
    let cline = json!({
        "clineVersion": "4", "taskId": "s", "workspaceRoots": ["/w/p"],
        "postToolUse": {"toolName": "x", "parameters": {"path": "a"}, "success": true, "executionTimeMs": "7"},
    });
    let copilot = json!({
        "sessionId": "s", "toolName": "b",
        "toolArgs": "{\"command\":\"*** Begin Patch\\n*** Add File: a\"}",
    });
    [base("PostToolUse", &tool), cline, copilot]
        .iter()
        .map(|sample| sample.to_string().into_bytes())
        .collect()
}

/// A sample in which some bytes were replaced; the marks of JSON are likely.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let marks = prop::sample::select(&b"{}[]\",:\\u0d8nte-1 \n\xFF\x00"[..]);
    let byte = prop_oneof![marks, any::<u8>()];
    let change = (
        any::<prop::sample::Index>(),
        0_usize..4,
        prop::collection::vec(byte, 0..6),
    );
    let changes = prop::collection::vec(change, 1..6);
    (prop::sample::select(samples()), changes).prop_map(|(mut bytes, changes)| {
        for (at, removed, added) in changes {
            let start = at.index(bytes.len() + 1);
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, added);
        }
        bytes
    })
}

/// The promises on every input.
fn assert_bounded(input: &HookInput, length: usize) {
    assert!(
        input
            .folder
            .as_ref()
            .is_none_or(|folder| folder.is_absolute())
    );
    assert!(
        input
            .transcript
            .as_ref()
            .is_none_or(|transcript| transcript.is_absolute())
    );
    let ids = [&input.session, &input.turn];
    assert!(
        ids.into_iter()
            .flatten()
            .all(|id| !id.contains(char::is_control) && id.len() <= 256)
    );
    // A broken byte becomes a character of three.
    assert!(
        input
            .prompt
            .as_ref()
            .is_none_or(|prompt| prompt.len() <= 3 * length)
    );
    let Some(tool) = &input.tool else { return };
    assert!(!tool.name.is_empty());
    for (line, most) in [(&tool.name, 200), (&tool.target, 200), (&tool.error, 500)] {
        assert!(line.chars().count() <= most && !line.contains(char::is_control));
    }
}

fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(members) => members.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_inputs_do_no_harm(
        bytes in mutated(),
        host in prop::sample::select(&HOSTS[..]),
        failed in any::<bool>(),
    ) {
        let event = if failed { HookEvent::ToolFailed } else { HookEvent::Tool };
        let input = read_input(host, event, &bytes, &machine());
        assert_bounded(&input, bytes.len());
        prop_assert_eq!(input, read_input(host, event, &bytes, &machine()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_context_arrives_whole(context in any::<String>(), host in prop::sample::select(&HOSTS[..])) {
        prop_assume!(!context.trim().is_empty());
        for event in HookEvent::ALL.into_iter().filter(|event| takes_context(host, *event)) {
            let written = answer(host, event, Some(&context));
            if matches!(host, "kiro" | "kimi") {
                prop_assert_eq!(&written, &context);
            } else {
                let value = serde_json::from_str(&written).expect("JSON");
                prop_assert!(leaves(&value).contains(&context));
            }
        }
    }
}

#[test]
fn hostile_sizes_cost_linear_time() {
    let deep = format!(
        "{{\"session_id\":\"s\",\"tool_response\":{}",
        "[".repeat(4 << 20)
    );
    let wide = format!(
        "{{\"tool_response\":[{}0],\"session_id\":\"s\"}}",
        "{\"a\":[]},".repeat(1 << 19)
    );
    let escapes = format!(
        "{{\"session_id\":\"s\",\"prompt\":\"{}\"}}",
        "\\ud83d".repeat(1 << 20)
    );
    let slashes = format!("{{\"prompt\":\"{}", "\\".repeat(8 << 20));
    let start = std::time::Instant::now();
    let sessions: Vec<Option<String>> = [deep, wide, escapes, slashes]
        .iter()
        .map(|input| read_input("codex", HookEvent::Tool, input.as_bytes(), &machine()).session)
        .collect();
    assert_eq!(sessions, [None, text("s"), text("s"), None]);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
