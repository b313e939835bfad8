//! Tools: target and outcome.

use anamne_hosts::hook::{HookEvent, ToolUse};
use serde_json::{Value, json};

use crate::{read, text};

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
