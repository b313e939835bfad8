//! What a hook looks like in each style.

use serde_json::{Map, Value, json};

use super::command::{event, words};
use super::table::{Form, Hooks, Style};
use crate::hook::HookEvent;

/// The command of a hook as its host writes it.
pub(super) enum HookCommand {
    /// A line for a shell.
    Line(String),
    /// A program and its arguments.
    Arguments(String, Vec<String>),
}

impl HookCommand {
    /// The keys that hold the command.
    fn keys(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Line(line) => vec![("command", json!(line))],
            Self::Arguments(program, arguments) => {
                vec![("command", json!(program)), ("args", json!(arguments))]
            }
        }
    }
}

/// A new element of an event's list.
pub(super) fn element(hooks: &Hooks, named: (HookEvent, &str), command: &HookCommand) -> Value {
    let (event, name) = named;
    let mut hook = hooks.fixed.clone();
    let timeout = hooks.timeout(event).map(|value| json!(value));
    let timeout = timeout.map(|value| (hooks.timeout_key.clone(), value));
    let command = command
        .keys()
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    match hooks.style {
        Style::Nested => {
            hook.extend(command.chain(timeout));
            json!({"hooks": [hook]})
        }
        Style::Triggers => {
            let mut action = Map::from_iter([("type".to_owned(), json!("command"))]);
            action.extend(command);
            hook.extend(timeout);
            hook.insert("name".to_owned(), json!(format!("anamne-{event}")));
            hook.insert("trigger".to_owned(), json!(name));
            hook.insert("action".to_owned(), Value::Object(action));
            Value::Object(hook)
        }
        Style::Flat | Style::Scripts | Style::Plugin => {
            hook.extend(command.chain(timeout));
            Value::Object(hook)
        }
    }
}

/// The event of an element that is a hook of ours and nothing else.
pub(super) fn event_of(hooks: &Hooks, element: &Value, host: &str) -> Option<HookEvent> {
    match hooks.style {
        Style::Nested => match element.get("hooks")?.as_array()?.as_slice() {
            [only] => event_of_hook(only, host),
            _ => None,
        },
        Style::Triggers => event_of_hook(element.get("action")?, host),
        Style::Flat | Style::Scripts | Style::Plugin => event_of_hook(element, host),
    }
}

/// Whether a hook of ours stands in an element, beside others or not.
pub(super) fn has_ours(hooks: &Hooks, element: &Value, host: &str) -> bool {
    event_of(hooks, element, host).is_some()
        || inner(element).any(|hook| event_of_hook(hook, host).is_some())
}

/// A group without our hooks of some events; `None` if no hook is left in it.
pub(super) fn without_ours(
    group: &Value,
    host: &str,
    which: impl Fn(HookEvent) -> bool,
) -> Option<Value> {
    let mut group = group.clone();
    let inner = group.get_mut("hooks").and_then(Value::as_array_mut)?;
    inner.retain(|hook| !event_of_hook(hook, host).is_some_and(&which));
    (!inner.is_empty()).then_some(group)
}

/// Calls `change` with each hook of ours for `wanted`, wherever it stands in the element.
pub(super) fn for_ours(
    element: &mut Value,
    host: &str,
    wanted: HookEvent,
    mut change: impl FnMut(&mut Map<String, Value>),
) {
    let Value::Object(element) = element else {
        return;
    };
    let is_ours = |hook: &Value| event_of_hook(hook, host) == Some(wanted);
    if event_of_words(element, host) == Some(wanted) {
        change(element);
        return;
    }
    for (key, value) in element.iter_mut() {
        let inner = match value {
            Value::Array(list) if key == "hooks" => list.as_mut_slice(),
            value if key == "action" => std::slice::from_mut(value),
            _ => continue,
        };
        let ours = inner.iter_mut().filter(|hook| is_ours(hook));
        ours.filter_map(Value::as_object_mut).for_each(&mut change);
    }
}

/// Whether a hook has this command.
pub(super) fn has_command(hook: &Map<String, Value>, command: &HookCommand) -> bool {
    let keys = command.keys();
    let without = keys.len() == 1 && hook.contains_key("args");
    !without
        && keys
            .iter()
            .all(|(key, value)| hook.get(*key) == Some(value))
}

/// Gives a hook this command.
pub(super) fn set_command(hook: &mut Map<String, Value>, command: &HookCommand) {
    hook.remove("args");
    hook.extend(
        command
            .keys()
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value)),
    );
}

/// The command of a hook for this form; `None` if no quotation holds.
pub(super) fn command(
    hooks: &Hooks,
    platform: anamne_ingest::Platform,
    (program, arguments): (String, Vec<String>),
) -> Option<HookCommand> {
    match hooks.form {
        Form::Arguments => Some(HookCommand::Arguments(program, arguments)),
        Form::Line => super::command::line(platform, &program, &arguments).map(HookCommand::Line),
    }
}

fn inner(element: &Value) -> impl Iterator<Item = &Value> {
    let inner = element.get("hooks").and_then(Value::as_array);
    inner.into_iter().flatten()
}

pub(super) fn event_of_hook(hook: &Value, host: &str) -> Option<HookEvent> {
    event_of_words(hook.as_object()?, host)
}

fn event_of_words(hook: &Map<String, Value>, host: &str) -> Option<HookEvent> {
    let command = hook.get("command")?.as_str()?;
    let Some(arguments) = hook.get("args").and_then(Value::as_array) else {
        return event(&words(command), host);
    };
    let arguments: Option<Vec<&str>> = arguments.iter().map(Value::as_str).collect();
    let all = std::iter::once(command).chain(arguments?);
    event(&all.map(str::to_owned).collect::<Vec<_>>(), host)
}
