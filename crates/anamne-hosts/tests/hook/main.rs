//! What hosts send to hooks is understood, whatever they send does no harm, and they get the answers that they expect.

mod answers;
mod inputs;
mod mutations;
mod tools;

use std::path::PathBuf;

use anamne_hosts::hook::{HookEvent, HookInput, read_input};
use anamne_ingest::Machine;
use serde_json::{Value, json};

/// All hosts with hooks.
const HOSTS: [&str; 15] = [
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
    "opencode",
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

#[expect(clippy::unnecessary_wraps, reason = "compared with options")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "compared with options")]
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
