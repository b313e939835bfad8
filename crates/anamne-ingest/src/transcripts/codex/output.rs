//! How a tool call ended, from the output that the model was shown.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess};

use crate::transcripts::content::Beginning;
use crate::transcripts::lenient::{Field, Number, Object, deserialize_as_field};
use crate::transcripts::tool_line::Outcome;

/// The output of a tool call, of which only the outcome is kept.
#[derive(Default)]
pub(super) struct Output(Option<Outcome>);

impl Output {
    /// How the call ended, if the output tells.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.0.clone()
    }
}

/// The output of a command in earlier versions: JSON in a text.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Wrapped {
    metadata: Object<Metadata>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit_code: Number,
}

/// An output with a verdict.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Judged {
    success: Success,
    content: Beginning,
}

#[derive(Default)]
struct Success(Option<bool>);

impl Field<'_> for Success {
    fn of_flag(flag: bool) -> Self {
        Self(Some(flag))
    }
}
deserialize_as_field!(Success);

impl<'de> Field<'de> for Output {
    fn of_text(text: Cow<'de, str>) -> Self {
        let code = exit_code(&text).or_else(|| wrapped_exit_code(&text));
        Self(code.map(Outcome::of_exit_code))
    }
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        // Pictures and texts: what a tool shows is no sign of failure.
        Beginning::of_list(list).map(|_| Self(None))
    }
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        let judged = Judged::deserialize(serde::de::value::MapAccessDeserializer::new(object))?;
        let outcome = |worked| {
            if worked {
                Outcome::Ok
            } else {
                Outcome::failed(judged.content.get())
            }
        };
        Ok(Self(judged.success.0.map(outcome)))
    }
}
deserialize_as_field!(Output);

/// The exit code in the lines before a command's own output.
fn exit_code(text: &str) -> Option<i64> {
    const MARKS: [&str; 2] = ["Process exited with code ", "Exit code: "];
    let mut lines = text.lines().take(10).take_while(|line| *line != "Output:");
    let code = lines.find_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))?;
    code.trim().parse().ok()
}

fn wrapped_exit_code(text: &str) -> Option<i64> {
    let wrapped: Wrapped = text
        .starts_with('{')
        .then(|| serde_json::from_str(text).ok())??;
    wrapped.metadata.0?.exit_code.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: impl Into<Option<Outcome>>) {
        let output: Output = serde_json::from_str(json).expect("JSON");
        assert_eq!(output.outcome(), expected.into(), "{json}");
    }

    #[test]
    fn only_what_codex_says_of_an_output_is_its_outcome() {
        let failed = |reason: &str| Some(Outcome::Failed(reason.to_owned()));
        check(
            r#""Wall time: 0\nProcess exited with code 101\nOutput:\nx""#,
            failed("exit code 101"),
        );
        check(
            r#""Exit code: 0\nOutput:\nExit code: 7""#,
            Some(Outcome::Ok),
        );
        check(
            r#""Wall time: 0\nOutput:\nProcess exited with code 7""#,
            None,
        );
        check(
            r#""{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}""#,
            failed("exit code 2"),
        );
        check(
            r#"{"content":"no such tool\nmore","success":false}"#,
            failed("no such tool"),
        );
        check(r#"{"content":"x","success":true}"#, Some(Outcome::Ok));
        check(r#"[{"type":"input_text","text":"Exit code: 1"}]"#, None);
        check("null", None);
    }
}
