//! A tool's result, said twice: structured for programs, as text for models.

use anamne::{Denied, Error, ErrorKind, Refusal, Right};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// What a tool answers.
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

impl Reply {
    pub(crate) fn new(text: impl Into<String>, structured: &impl Serialize) -> Self {
        Self {
            text: text.into(),
            structured: plain(structured),
        }
    }
}

/// The value that a program finds in the JSON text of `value`.
///
/// By way of the text, since a 32-bit 0.8 turned into a [`Value`] directly becomes 0.800000011920929.
pub(crate) fn plain(value: &impl Serialize) -> Value {
    serde_json::to_string(value)
        .and_then(|text| serde_json::from_str(&text))
        .expect("the engine's words are JSON: string keys, no foreign serialisers")
}

/// Why a call has no result.
pub(crate) enum Failure {
    /// The arguments don't fit the published schema.
    Malformed(Refusal),
    /// What was named is not there; this says what is.
    Unknown(String),
    /// The engine refused, did not find, or failed.
    Engine(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Engine(refusal.into())
    }
}

impl Failure {
    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Malformed(refusal) => Some(refusal),
            Self::Unknown(_) => None,
            Self::Engine(error) => error.refusal(),
        }
    }

    fn kind_and_message(&self) -> (&'static str, String) {
        match self {
            Self::Malformed(refusal) => ("refused", refusal.to_string()),
            Self::Unknown(what) => ("not_found", format!("not found: {what}")),
            Self::Engine(error) => match error.kind() {
                ErrorKind::Refused => ("refused", error.to_string()),
                ErrorKind::NotFound => ("not_found", format!("not found: {error}")),
                ErrorKind::Denied => ("denied", denied(error)),
                ErrorKind::Failed => ("failed", format!("the memory engine failed: {error}")),
            },
        }
    }
}

/// What is denied, and how a person allows it.
fn denied(error: &Error) -> String {
    let hint = match error {
        Error::Denied(Denied::Read(_)) => {
            "; a person can start the server with --spaces NAME or --all-spaces"
        }
        Error::Denied(Denied::Write(_)) => {
            "; a person can start the server for that space, or with --spaces NAME or --all-spaces"
        }
        Error::Denied(Denied::Right(Right::Erase)) => {
            "; a person can run `anamne forget --hard`, or start the server with --allow-erase"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

impl From<Reply> for CallToolResponse {
    fn from(reply: Reply) -> Self {
        let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
        result.structured_content = Some(reply.structured);
        result.into()
    }
}

impl From<Failure> for CallToolResponse {
    fn from(failure: Failure) -> Self {
        let (kind, message) = failure.kind_and_message();
        let mut error = json!({ "kind": kind, "message": message });
        if let Some(refusal) = failure.refusal() {
            error["field"] = refusal.field().into();
            error["accepts"] = refusal.accepts().into();
            error["given"] = refusal.given().into();
        }
        let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
        result.structured_content = Some(json!({ "error": error }));
        result.into()
    }
}
