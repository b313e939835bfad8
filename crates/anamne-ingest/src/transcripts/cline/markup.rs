//! Calls that an agent writes as marks in its text: `<read_file><path>a.rs</path></read_file>`.

use super::super::blocks::Called;
use super::super::injected::without_spans;

/// The tools that agents call in this way.
const TOOLS: [&str; 27] = [
    "access_mcp_resource",
    "act_mode_respond",
    "apply_patch",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "condense",
    "execute_command",
    "fetch_instructions",
    "generate_explanation",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "plan_mode_response",
    "read_file",
    "replace_in_file",
    "report_bug",
    "search_files",
    "summarize_task",
    "use_mcp_tool",
    "use_skill",
    "web_fetch",
    "web_search",
    "write_to_file",
];

/// Tools with a file's content, in which their own end may occur.
const WRITING: [&str; 4] = [
    "write_to_file",
    "replace_in_file",
    "apply_patch",
    "new_rule",
];

/// The parameters that name what a tool acts on, the most telling first.
const TARGETS: [&str; 8] = [
    "path",
    "command",
    "query",
    "regex",
    "url",
    "uri",
    "skill_name",
    "title",
];

/// A part of what an agent wrote.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// What it said.
    Text(&'a str),
    /// A call with its parameters.
    Call(&'a str, &'a str),
}

/// What an agent wrote, without its thoughts.
pub(super) fn without_thoughts(text: &str) -> std::borrow::Cow<'_, str> {
    without_spans(text, &["thinking"], false)
}

/// The texts and calls in what an agent wrote. A call without an end reaches to the end of the text. O(length).
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut said = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let open = at + found;
        at = open + 1;
        let Some(tool) = tool_at(&text[at..]) else {
            continue;
        };
        push_text(&mut parts, &text[said..open]);
        let begin = at + tool.len() + 1;
        let close = format!("</{tool}>");
        let rest = &text[begin..];
        let end = if WRITING.contains(&tool) {
            rest.rfind(&close)
        } else {
            rest.find(&close)
        };
        parts.push(Part::Call(tool, &rest[..end.unwrap_or(rest.len())]));
        at = end.map_or(text.len(), |end| begin + end + close.len());
        said = at;
    }
    push_text(&mut parts, &text[said..]);
    parts
}

fn push_text<'a>(parts: &mut Vec<Part<'a>>, text: &'a str) {
    if !text.trim().is_empty() {
        parts.push(Part::Text(text.trim()));
    }
}

/// The tool that a text after `<` calls.
fn tool_at(text: &str) -> Option<&'static str> {
    let (name, _) = text
        .get(..text.len().min(64))
        .unwrap_or(text)
        .split_once('>')?;
    TOOLS.iter().copied().find(|tool| *tool == name)
}

/// A parameter of a call. O(length of the parameters).
pub(super) fn parameter<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
    let begin = format!("<{name}>");
    let begin = parameters.find(&begin)? + begin.len();
    let inner = &parameters[begin..];
    let end = inner.find(&format!("</{name}>")).unwrap_or(inner.len());
    Some(inner[..end].trim()).filter(|value| !value.is_empty())
}

/// The server and tool that a call of a server's tool names.
pub(super) fn behind(parameters: &str) -> (Option<&str>, Option<&str>) {
    let server = parameter(parameters, "server_name");
    (server, parameter(parameters, "tool_name"))
}

/// What a call shows.
pub(super) fn called(tool: &str, parameters: &str) -> Called {
    let name = match behind(parameters) {
        (Some(server), Some(tool)) if tool != server => format!("{server} {tool}"),
        _ => tool.to_owned(),
    };
    let target = TARGETS.iter().find_map(|name| parameter(parameters, name));
    Called {
        name,
        target: target.map(str::to_owned),
    }
}
