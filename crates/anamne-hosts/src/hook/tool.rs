//! Reads what a host tells of a tool.

use serde_json::{Map, Value};

use super::fields::{Fields, read_object};
use super::input::id;
use super::{HookEvent, ToolUse, names};

/// The longest target and name, in characters.
const MAX_TARGET: usize = 200;
/// The longest error, in characters.
const MAX_ERROR: usize = 500;
/// The most words of a command, and the most files of a patch, that are looked at.
const MAX_WORDS: usize = 100;
/// The longest text that is read as JSON, in bytes.
const MAX_JSON: usize = 1 << 20;

/// Reads the use of a tool; `None` if no tool is named.
pub(super) fn read(
    host: &str,
    event: HookEvent,
    fields: Fields<'_>,
    nested: Option<Fields<'_>>,
) -> Option<ToolUse> {
    let own = nested.unwrap_or(fields);
    let name = own.text(names::TOOL).or_else(|| tool_of_event(fields))?;
    let response = own.any(names::RESPONSE).map(object_in_text);
    let outcome = outcome(event, own, response.as_deref());
    let succeeded = outcome.or_else(|| names::TELL_FAILURE.contains(&host).then_some(true));
    Some(ToolUse {
        id: own.text(names::CALL).and_then(id),
        name: line(name, MAX_TARGET),
        target: target(own),
        succeeded,
        error: match succeeded {
            Some(false) => error(own, response.as_deref()),
            _ => String::new(),
        },
        milliseconds: own
            .number(names::DURATION)
            .and_then(|milliseconds| u64::try_from(milliseconds).ok()),
    })
}

fn tool_of_event(fields: Fields<'_>) -> Option<&'static str> {
    let event = fields.text(names::EVENT)?;
    let known = names::TOOL_EVENTS.iter().find(|(name, _)| *name == event)?;
    Some(known.1)
}

/// A value, or the object that stands as JSON in a text.
fn object_in_text(value: &Value) -> std::borrow::Cow<'_, Value> {
    match value.as_str() {
        Some(text) if text.len() <= MAX_JSON && text.trim_start().starts_with('{') => {
            let object = read_object(text.trim().as_bytes());
            if object.is_empty() {
                std::borrow::Cow::Borrowed(value)
            } else {
                std::borrow::Cow::Owned(Value::Object(object))
            }
        }
        _ => std::borrow::Cow::Borrowed(value),
    }
}

/// What the tool acts on, in one line.
fn target(own: Fields<'_>) -> String {
    let Some(arguments) = own.any(names::ARGUMENTS).map(object_in_text) else {
        return target_among(own);
    };
    match arguments.as_ref() {
        Value::Object(arguments) => target_among(Fields::new(arguments)),
        Value::String(text) => target_of_text(text),
        _ => String::new(),
    }
}

fn target_among(fields: Fields<'_>) -> String {
    names::TARGET
        .iter()
        .filter_map(|name| fields.any(&[*name]))
        .map(target_of)
        .find(|target| !target.is_empty())
        .unwrap_or_default()
}

fn target_of(value: &Value) -> String {
    match value {
        Value::String(text) => target_of_text(text),
        Value::Array(words) => {
            let words: Vec<&str> = words
                .iter()
                .take(MAX_WORDS)
                .filter_map(Value::as_str)
                .collect();
            match words[..] {
                // A shell that is called with a script.
                [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => {
                    line(script, MAX_TARGET)
                }
                _ => line(&words.join(" "), MAX_TARGET),
            }
        }
        _ => String::new(),
    }
}

/// The first line of a text; of a patch the files that it changes.
fn target_of_text(text: &str) -> String {
    if !text.trim_start().starts_with("*** Begin Patch") {
        return line(text, MAX_TARGET);
    }
    let files: Vec<&str> = text
        .lines()
        .filter_map(patched_file)
        .take(MAX_WORDS)
        .collect();
    line(&files.join(", "), MAX_TARGET)
}

fn patched_file(line: &str) -> Option<&str> {
    ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
        .iter()
        .find_map(|start| line.strip_prefix(start))
}

/// Whether the tool succeeded, if something tells.
fn outcome(event: HookEvent, own: Fields<'_>, response: Option<&Value>) -> Option<bool> {
    if event == HookEvent::ToolFailed {
        return Some(false);
    }
    let response = response.map(outcome_of_response);
    match outcome_among(own) {
        Some(false) => Some(false),
        told => response.flatten().or(told),
    }
}

fn outcome_of_response(response: &Value) -> Option<bool> {
    match response {
        Value::Object(object) => {
            let fields = Fields::new(object);
            let exit = fields.text(&["llmContent"]).and_then(exit_line);
            outcome_among(fields).or(exit.map(|status| status == 0))
        }
        _ => None,
    }
}

fn outcome_among(fields: Fields<'_>) -> Option<bool> {
    if has_error(fields)
        || names::FAILED
            .iter()
            .any(|name| fields.flag(&[*name]) == Some(true))
    {
        return Some(false);
    }
    let exit = fields.number(names::EXIT).map(|status| status == 0);
    let word = || {
        let word = fields.text(names::OUTCOME)?.to_ascii_lowercase();
        let good = names::GOOD.contains(&word.as_str());
        (good || names::BAD.contains(&word.as_str())).then_some(good)
    };
    exit.or_else(|| fields.flag(names::SUCCEEDED))
        .or_else(word)
        .or_else(|| fields.flag(&["is_error", "isError"]).map(|_| true))
}

fn has_error(fields: Fields<'_>) -> bool {
    fields.any(names::ERROR).is_some_and(|error| match error {
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(_) => true,
        _ => false,
    })
}

/// The exit status that Gemini CLI writes below a command's output, if it isn't 0.
fn exit_line(content: &str) -> Option<i64> {
    let line = content
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}

/// What went wrong: the first line of the error.
fn error(own: Fields<'_>, response: Option<&Value>) -> String {
    let told = own.any(names::ERROR).and_then(words);
    let error = told.or_else(|| match response? {
        Value::Object(object) => error_of(object),
        other => words(other),
    });
    error
        .map(|error| line(error, MAX_ERROR))
        .unwrap_or_default()
}

fn error_of(response: &Map<String, Value>) -> Option<&str> {
    let fields = Fields::new(response);
    let told = fields.any(names::ERROR).and_then(words);
    told.or_else(|| fields.text(names::COMPLAINT))
        .or_else(|| fields.any(&["content"]).and_then(words))
}

/// A text, the message of an object, or the first of these in a list.
fn words(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => (!text.trim().is_empty()).then_some(text),
        Value::Object(object) => Fields::new(object).text(&["message", "text"]),
        Value::Array(items) => items.iter().find_map(|item| match item {
            Value::Array(_) => None,
            item => words(item),
        }),
        _ => None,
    }
}

/// The first line with something in it, white space folded, cut at `most` characters.
fn line(text: &str, most: usize) -> String {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let mut line = String::new();
    let mut count = 0;
    for character in first.trim().chars() {
        let is_space = character.is_whitespace() || character.is_control();
        if is_space && (line.is_empty() || line.ends_with(' ')) {
            continue;
        }
        if count == most - 1 {
            line.truncate(line.trim_end().len());
            line.push('…');
            break;
        }
        line.push(if is_space { ' ' } else { character });
        count += 1;
    }
    line.truncate(line.trim_end().len());
    line
}
