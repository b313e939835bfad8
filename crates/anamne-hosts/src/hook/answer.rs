//! Writes what a host expects on standard output.

use serde_json::{Value, json};

use super::HookEvent;

/// The most characters that a host takes of which no limit is known.
const DEFAULT_LIMIT: usize = 10_000;

/// How a host takes text from a hook at one event.
#[derive(Clone, Copy)]
enum Form {
    /// `hookSpecificOutput` with this name of the event.
    Nested(&'static str),
    /// `additionalContext` at the top.
    Camel,
    /// `additional_context` beside the permission to go on.
    Cursor,
    /// `contextModification` beside the permission to go on.
    Cline,
    /// A step that isn't kept in the conversation.
    Step,
    /// The output as it is.
    Plain,
}

/// How a host reads the output of hooks.
struct Output {
    host: &'static str,
    /// Where it takes text, and how.
    takes: &'static [(HookEvent, Form)],
    /// What it is told where there is nothing to say.
    empty: &'static str,
    /// What it is told at a prompt, if that differs.
    empty_prompt: &'static str,
    /// The most characters that it takes.
    limit: usize,
    /// The most bytes of UTF-8 that it takes.
    bytes: usize,
}

impl Output {
    const fn new(
        host: &'static str,
        takes: &'static [(HookEvent, Form)],
        empty: &'static str,
    ) -> Self {
        Self {
            host,
            takes,
            empty,
            empty_prompt: empty,
            limit: DEFAULT_LIMIT,
            bytes: usize::MAX,
        }
    }

    const fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    const fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    const fn prompt(self, empty_prompt: &'static str) -> Self {
        Self {
            empty_prompt,
            ..self
        }
    }
}

use Form::{Camel, Cline, Cursor, Nested, Plain, Step};
use HookEvent::{Prompt, SessionStart};

const CLAUDE: &[(HookEvent, Form)] = &[
    (SessionStart, Nested("SessionStart")),
    (Prompt, Nested("UserPromptSubmit")),
];
const GEMINI: &[(HookEvent, Form)] = &[
    (SessionStart, Nested("SessionStart")),
    (Prompt, Nested("BeforeAgent")),
];

/// All hosts whose hooks speak. An empty output is chosen where a host adds whatever is printed to the conversation, or
/// refuses unknown keys.
const OUTPUTS: &[Output] = &[
    Output::new("claude-code", CLAUDE, "").limit(10_000),
    // Cut at 2 500 tokens, each counted as four bytes.
    Output::new("codex", CLAUDE, "").bytes(10_000),
    Output::new("gemini", GEMINI, "{}"),
    Output::new("qwen", CLAUDE, "{}"),
    // What is said at a session's start may be lost while the conversation is created.
    Output::new("cursor", &[(Prompt, Cursor)], "{}").prompt(r#"{"continue":true}"#),
    Output::new("vscode", &[(SessionStart, Nested("SessionStart"))], "{}"),
    Output::new("copilot", &[(SessionStart, Camel), (Prompt, Camel)], "{}"),
    Output::new("devin", CLAUDE, ""),
    Output::new(
        "cline",
        &[(SessionStart, Cline), (Prompt, Cline)],
        r#"{"cancel":false}"#,
    )
    .limit(50_000),
    Output::new("kiro", &[(SessionStart, Plain), (Prompt, Plain)], ""),
    Output::new("antigravity", &[(SessionStart, Step), (Prompt, Step)], "{}"),
    Output::new("kimi", &[(Prompt, Plain)], ""),
    Output::new("goose", &[], ""),
    // The plugin of set-up adds what is printed.
    Output::new("opencode", &[(SessionStart, Plain), (Prompt, Plain)], ""),
    Output::new("windsurf", &[], ""),
];

fn output(host: &str) -> Option<&'static Output> {
    OUTPUTS.iter().find(|output| output.host == host)
}

fn form(host: &str, event: HookEvent) -> Option<Form> {
    let takes = output(host)?.takes;
    takes
        .iter()
        .find(|(taken, _)| *taken == event)
        .map(|(_, form)| *form)
}

/// Whether a host adds text to the conversation at this event. Only session start and prompt are used: text that a hook
/// adds after a tool would stand next to the tool's output.
pub fn takes_context(host: &str, event: HookEvent) -> bool {
    form(host, event).is_some()
}

/// The most characters of text that a host takes from a hook without cutting it; some take fewer of other scripts than
/// Latin, see [`fits`].
pub fn limit(host: &str) -> usize {
    output(host).map_or(DEFAULT_LIMIT, |output| output.limit)
}

/// Whether a host takes this text from a hook without cutting it. O(length of the text).
pub fn fits(host: &str, context: &str) -> bool {
    let bytes = output(host).map_or(usize::MAX, |output| output.bytes);
    context.len() <= bytes && context.chars().count() <= limit(host)
}

/// The output that adds `context` to the conversation, or the empty answer of the host without it, or if the host can't
/// take text at this event. The text stands in it whole; see [`fits`]. O(length of the text).
pub fn answer(host: &str, event: HookEvent, context: Option<&str>) -> String {
    match (context, form(host, event)) {
        (Some(context), Some(form)) if !context.trim().is_empty() => written(form, context),
        _ => empty(host, event).to_owned(),
    }
}

fn empty(host: &str, event: HookEvent) -> &'static str {
    match (output(host), event) {
        (Some(output), Prompt) => output.empty_prompt,
        (Some(output), _) => output.empty,
        (None, _) => "",
    }
}

fn written(form: Form, context: &str) -> String {
    let value: Value = match form {
        Nested(event) => {
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
        }
        Camel => json!({"additionalContext": context}),
        Cursor => json!({"continue": true, "additional_context": context}),
        Cline => json!({"cancel": false, "contextModification": context}),
        Step => json!({"injectSteps": [{"ephemeralMessage": context}]}),
        Plain => return context.to_owned(),
    };
    value.to_string()
}
