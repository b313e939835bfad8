//! Writes what hosts send, to try a hook that was set up.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::HookEvent;

/// The session of all samples.
const SESSION: &str = "00000000-0000-4000-8000-000000000000";
const PROMPT: &str = "Does this hook answer?";
const ANSWER: &str = "It does.";
const COMMAND: &str = "true";

/// What the host sends to a hook at this event, for a session without transcript in `folder`.
pub fn sample(host: &str, event: HookEvent, folder: &Path) -> String {
    let folder = folder.to_string_lossy();
    let (base, more) = match host {
        "cursor" => (cursor(&folder), flat(event, &SNAKE)),
        "copilot" => (camel(&folder), flat(event, &CAMEL)),
        "vscode" => (camel(&folder), flat(event, &SNAKE)),
        "cline" => (cline(&folder), nested(event)),
        "goose" => (goose(&folder), flat(event, &GOOSE)),
        "windsurf" => (windsurf(), of_windsurf(event, &folder)),
        "antigravity" => (antigravity(&folder), Value::Null),
        _ => (claude(&folder), flat(event, &SNAKE)),
    };
    let mut input = members(base);
    input.insert(name_field(host).to_owned(), name_of(host, event).into());
    input.extend(members(more));
    Value::Object(input).to_string()
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn claude(folder: &str) -> Value {
    json!({"session_id": SESSION, "transcript_path": null, "cwd": folder})
}

fn cursor(folder: &str) -> Value {
    json!({"conversation_id": SESSION, "generation_id": SESSION, "cursor_version": "2.0", "workspace_roots": [folder]})
}

fn camel(folder: &str) -> Value {
    json!({"sessionId": SESSION, "timestamp": 0, "cwd": folder})
}

fn cline(folder: &str) -> Value {
    json!({"clineVersion": "4", "taskId": SESSION, "workspaceRoots": [folder]})
}

fn goose(folder: &str) -> Value {
    json!({"session_id": SESSION, "matcher_context": null, "working_dir": folder})
}

fn windsurf() -> Value {
    json!({"trajectory_id": SESSION, "execution_id": SESSION})
}

fn antigravity(folder: &str) -> Value {
    json!({"conversationId": SESSION, "workspacePaths": [folder], "invocationNum": 0})
}

/// What a host calls the fields of its events.
struct Names {
    prompt: &'static str,
    answer: &'static str,
    tool: &'static str,
    arguments: &'static str,
}

const SNAKE: Names = Names {
    prompt: "prompt",
    answer: "last_assistant_message",
    tool: "tool_name",
    arguments: "tool_input",
};
const GOOSE: Names = Names {
    prompt: "message",
    ..SNAKE
};
const CAMEL: Names = Names {
    prompt: "prompt",
    answer: "lastAssistantMessage",
    tool: "toolName",
    arguments: "toolArgs",
};

fn flat(event: HookEvent, names: &Names) -> Value {
    match event {
        HookEvent::SessionStart => json!({"source": "startup"}),
        HookEvent::Prompt => json!({(names.prompt): PROMPT}),
        HookEvent::Tool => json!({(names.tool): "Bash", (names.arguments): {"command": COMMAND}}),
        HookEvent::ToolFailed => {
            json!({(names.tool): "Bash", (names.arguments): {"command": COMMAND}, "error": "Exit code 1"})
        }
        HookEvent::TurnEnd => json!({(names.answer): ANSWER}),
        HookEvent::BeforeCompaction => json!({"trigger": "auto"}),
        HookEvent::SessionEnd => json!({"reason": "other"}),
    }
}

/// The fields of Cline's events stand in an object.
fn nested(event: HookEvent) -> Value {
    match event {
        HookEvent::Prompt => json!({"userPromptSubmit": {"prompt": PROMPT, "attachments": []}}),
        HookEvent::Tool | HookEvent::ToolFailed => json!({"postToolUse": {
            "toolName": "execute_command", "parameters": {"command": COMMAND},
            "success": event == HookEvent::Tool, "executionTimeMs": "1",
        }}),
        _ => json!({}),
    }
}

fn of_windsurf(event: HookEvent, folder: &str) -> Value {
    json!({"tool_info": match event {
        HookEvent::Prompt => json!({"user_prompt": PROMPT}),
        HookEvent::TurnEnd => json!({"response": ANSWER}),
        _ => json!({"command_line": COMMAND, "cwd": folder}),
    }})
}

/// The field that has the event's name.
fn name_field(host: &str) -> &'static str {
    match host {
        "vscode" => "hookEventName",
        "cline" => "hookName",
        "goose" => "event",
        "windsurf" => "agent_action_name",
        _ => "hook_event_name",
    }
}

/// What the host calls the event. Only names that are read matter; the others are those of Claude Code.
fn name_of(host: &str, event: HookEvent) -> &'static str {
    match (host, event) {
        ("windsurf", HookEvent::Prompt) => "pre_user_prompt",
        ("windsurf", HookEvent::TurnEnd) => "post_cascade_response",
        ("windsurf", _) => "post_run_command",
        ("gemini", HookEvent::Prompt) => "BeforeAgent",
        ("gemini", HookEvent::TurnEnd) => "AfterAgent",
        ("gemini", HookEvent::Tool) => "AfterTool",
        ("gemini", HookEvent::BeforeCompaction) => "PreCompress",
        ("cursor", HookEvent::Prompt) => "beforeSubmitPrompt",
        (_, HookEvent::SessionStart) => "SessionStart",
        (_, HookEvent::Prompt) => "UserPromptSubmit",
        (_, HookEvent::Tool) => "PostToolUse",
        (_, HookEvent::ToolFailed) => "PostToolUseFailure",
        (_, HookEvent::TurnEnd) => "Stop",
        (_, HookEvent::BeforeCompaction) => "PreCompact",
        (_, HookEvent::SessionEnd) => "SessionEnd",
    }
}
