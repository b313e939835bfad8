//! A tool's result: text for a model, and the same as JSON if the server was started for programs.
//!
//! A host passes structured content to its model instead of the text. So it is added only on request, and is as safe as
//! the text: invisible characters are escaped in it too.

use anamne::text::echo::shorten_values;
use anamne::text::quote::{escape_invisible, on_one_line};
use anamne::{Denied, Error, ErrorKind, InvalidValue, Right};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call_context::CallContext;
use super::next_step;

/// Maximum characters of an error message.
const LONGEST_MESSAGE: usize = 1_000;

/// The reply of a tool.
pub(crate) struct Reply {
    text: String,
    /// For programs; absent unless enabled.
    structured: Option<Value>,
}

impl Reply {
    /// `structured` is evaluated only if enabled.
    pub(crate) fn new(
        call: &CallContext,
        text: impl Into<String>,
        structured: impl FnOnce() -> Value,
    ) -> Self {
        Self {
            text: text.into(),
            structured: call.structured.then(|| escaped(structured())),
        }
    }

    /// The text alone.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Escapes invisible characters in names and strings.
pub(crate) fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(escape_invisible(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(object) => {
            let entries = object.into_iter();
            let entries =
                entries.map(|(name, value)| (escape_invisible(&name).into_owned(), escaped(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        value => value,
    }
}

/// The value that a program would parse from the JSON text of `value`.
///
/// Converted by way of the text, because a 32-bit 0.8 converted directly to a [`Value`] becomes 0.800000011920929.
pub(crate) fn plain(value: &impl Serialize) -> Value {
    serde_json::to_string(value)
        .and_then(|text| serde_json::from_str(&text))
        .expect("engine types serialise to JSON with string keys")
}

/// Why a call failed.
pub(crate) enum Failure {
    /// The arguments don't fit the published schema.
    Malformed(InvalidValue),
    /// Something named doesn't exist; with what does.
    Unknown(String),
    /// An error of the engine.
    Engine(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<InvalidValue> for Failure {
    fn from(refusal: InvalidValue) -> Self {
        Self::Engine(refusal.into())
    }
}

impl Failure {
    fn refusal(&self) -> Option<&InvalidValue> {
        match self {
            Self::Malformed(refusal) => Some(refusal),
            Self::Unknown(_) => None,
            Self::Engine(error) => error.refusal(),
        }
    }

    /// The message.
    pub(crate) fn message(&self) -> String {
        self.kind_and_message().1
    }

    /// The error kind for programs, and the message, which contains it.
    fn kind_and_message(&self) -> (&'static str, String) {
        match self {
            Self::Malformed(refusal) => ("refused", refusal.to_string()),
            Self::Unknown(what) => ("not_found", format!("not found: {what}")),
            Self::Engine(error) => {
                let kind = error.kind();
                let message = match kind {
                    ErrorKind::Refused => error.to_string(),
                    ErrorKind::Denied => denied(error),
                    ErrorKind::Failed => format!("the memory engine failed: {error}"),
                    kind => format!("{}: {error}", kind.as_str().replace('_', " ")),
                };
                let next = error.next_step().and_then(next_step::words);
                let next = next.map_or_else(String::new, |step| format!("; next: {step}"));
                (kind.as_str(), message + &next)
            }
        }
    }

    /// The error reply, with structured content if `structured` is set.
    pub(crate) fn respond(self, structured: bool) -> CallToolResponse {
        let (kind, message) = self.kind_and_message();
        let message = message_of(&message);
        let mut result = CallToolResult::error(vec![ContentBlock::text(message.clone())]);
        result.structured_content = structured.then(|| {
            let mut error = json!({ "kind": kind, "message": message });
            if let Some(refusal) = self.refusal() {
                error["field"] = refusal.field().into();
                error["accepts"] = refusal.accepts().into();
                error["given"] = message_of(refusal.given()).into();
            }
            escaped(json!({ "error": error }))
        });
        result.into()
    }
}

/// A message on one line, even if it contains foreign text.
pub(crate) fn message_of(words: &str) -> String {
    let line = on_one_line(&shorten_values(words));
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The denied right, and how the user can grant it.
fn denied(error: &Error) -> String {
    let hint = match error {
        Error::Denied(Denied::Read(_)) => {
            "; a person can allow it with --spaces NAME or --all-spaces, of `anamne mcp` or of a new key"
        }
        Error::Denied(Denied::Write(_)) => {
            "; a person can allow it: `anamne mcp` for that space, or --spaces NAME or --all-spaces, also of a new key"
        }
        Error::Denied(Denied::Right(Right::Erase)) => {
            "; a person can run `anamne forget --hard`, or allow it: `anamne mcp --allow-erase`, or a key with --erase"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

impl From<Reply> for CallToolResponse {
    fn from(reply: Reply) -> Self {
        let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
        result.structured_content = reply.structured;
        result.into()
    }
}
