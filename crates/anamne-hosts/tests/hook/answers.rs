//! Answers.

use anamne_hosts::hook::{HookEvent, answer, fits, limit, takes_context};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::HOSTS;

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

fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(members) => members.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_context_arrives_whole(context in any::<String>(), host in prop::sample::select(&HOSTS[..])) {
        prop_assume!(!context.trim().is_empty());
        for event in HookEvent::ALL.into_iter().filter(|event| takes_context(host, *event)) {
            let written = answer(host, event, Some(&context));
            if matches!(host, "kiro" | "kimi" | "opencode") {
                prop_assert_eq!(&written, &context);
            } else {
                let value = serde_json::from_str(&written).expect("JSON");
                prop_assert!(leaves(&value).contains(&context));
            }
        }
    }
}
