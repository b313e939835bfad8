//! Hostile inputs.

use anamne_hosts::hook::{HookEvent, HookInput, read_input};
use proptest::prelude::*;
use serde_json::json;

use crate::{HOSTS, base, machine, text};

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
