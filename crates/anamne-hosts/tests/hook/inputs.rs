//! Sessions, prompts and turns.

use std::path::Path;

use anamne_hosts::hook::{HookEvent, HookInput, MAX_INPUT, StartReason, read_input, sample};
use serde_json::{Value, json};

use crate::{HOSTS, base, check, machine, path, read, recorded, session, text, with_variable};

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
fn what_hooks_added_to_a_prompt_of_gemini_was_not_typed() {
    let prompt =
        |prompt: &str| read("gemini", HookEvent::Prompt, &json!({"prompt": prompt})).prompt;
    let added = "<hook_context>&lt;anamne-memory&gt;\nold\n&lt;/anamne-memory&gt;</hook_context>";
    assert_eq!(prompt(&format!("{added}\n\nWhy?")), text("Why?"));
    assert_eq!(prompt(&format!("{added}\n{added} Why?\n")), text("Why?\n"));
    assert_eq!(prompt(added), None);
    assert_eq!(prompt("<hook_context>Why?"), text("<hook_context>Why?"));
    assert_eq!(
        prompt("Why <hook_context>a</hook_context>?"),
        text("Why <hook_context>a</hook_context>?")
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
        "clineVersion": "", "hookName": "prompt_submit", "taskId": "conv_1", "agent_id": "agent_1",
        "parent_agent_id": null, "sessionContext": {"rootSessionId": "s"}, "workspaceRoots": ["/w/p"],
        "userPromptSubmit": {"prompt": "Why?", "attachments": []},
    });
    check("cline", HookEvent::Prompt, &input, &prompted);
    let mut of_subagent = input.clone();
    of_subagent["parent_agent_id"] = json!("agent_1");
    assert!(read("cline", HookEvent::Prompt, &of_subagent).is_subagent);
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

#[test]
fn samples_are_understood_like_what_hosts_send() {
    for host in HOSTS {
        for event in HookEvent::ALL {
            let sample = sample(host, event, Path::new("/w/p"));
            let input = read_input(host, event, sample.as_bytes(), &machine());
            // Windsurf tells a folder with commands only.
            let no_folder = host == "windsurf" && input.folder.is_none();
            assert!(no_folder || input.folder == path("/w/p"), "{host} {event}");
            assert_eq!(input.sender, None, "{host} {event}");
            assert!(
                input.session.is_some_and(|session| session.len() == 36),
                "{host} {event}"
            );
            if host == "antigravity" {
                continue;
            }
            assert_eq!(
                input.prompt.is_some(),
                event == HookEvent::Prompt,
                "{host} {event}"
            );
            let uses_tool = matches!(event, HookEvent::Tool | HookEvent::ToolFailed);
            assert_eq!(input.tool.is_some(), uses_tool, "{host} {event}");
            if event == HookEvent::TurnEnd && host != "cline" {
                assert_eq!(input.last_message, text("It does."), "{host} {event}");
            }
        }
    }
}
