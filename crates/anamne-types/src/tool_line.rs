//! A tool call as one line, as transcripts of agent hosts become messages.

use crate::{Body, Memory, Role, ToolCall};

const SUCCEEDED: &str = ": ok";
const FAILED: &str = ": failed";

/// What stands between a call that failed and its error.
const BEFORE_ERROR: &str = ": failed: ";

impl ToolCall {
    /// The call as one line, such as `Edit src/main.rs: ok` or `Bash cargo test: failed: exit code 101`. Its parts must be one
    /// line each.
    pub fn line(&self) -> String {
        let gap = if self.input.is_empty() { "" } else { " " };
        let outcome = match (self.succeeded, self.output.as_str()) {
            (Some(true), _) => SUCCEEDED,
            (Some(false), "") => FAILED,
            (Some(false), _) => BEFORE_ERROR,
            (None, _) => "",
        };
        let error = match self.succeeded {
            Some(false) => self.output.as_str(),
            _ => "",
        };
        format!("{}{gap}{}{outcome}{error}", self.tool, self.input)
    }

    /// The call that a [`ToolCall::line`] tells; `None` if the line doesn't tell whether it succeeded. An error is foreign text:
    /// whatever stands in it, the call failed.
    fn of_line(line: &str) -> Option<Self> {
        if line.contains('\n') {
            return None;
        }
        let failed = line.split_once(BEFORE_ERROR);
        let failed = failed.or_else(|| Some((line.strip_suffix(FAILED)?, "")));
        let (call, error) = match failed {
            Some(failed) => failed,
            None => (line.strip_suffix(SUCCEEDED)?, ""),
        };
        let (tool, input) = call.split_once(' ').unwrap_or((call, ""));
        Some(Self {
            tool: tool.to_owned(),
            input: input.to_owned(),
            output: error.to_owned(),
            succeeded: Some(failed.is_none()),
        })
    }
}

impl Memory {
    /// The tool call that a message of a transcript tells, if it tells whether the call succeeded. O(length of the line).
    pub fn told_call(&self) -> Option<ToolCall> {
        let is_of_tool = matches!(
            self.body,
            Body::Message {
                role: Some(Role::Tool)
            }
        );
        if !is_of_tool || !self.is_of_transcript() {
            return None;
        }
        ToolCall::of_line(&self.content)
    }

    /// Whether it is named as messages of transcripts are: `HOST:ID`, in the thread `HOST SESSION`.
    fn is_of_transcript(&self) -> bool {
        let host = || {
            self.external_id
                .as_ref()?
                .split_once(':')
                .map(|(host, _)| host)
        };
        let session = || {
            self.thread
                .as_ref()?
                .strip_prefix(host()?)?
                .strip_prefix(' ')
        };
        session().is_some() && session() == self.session.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, input: &str, succeeded: Option<bool>, error: &str) -> ToolCall {
        ToolCall {
            tool: tool.to_owned(),
            input: input.to_owned(),
            output: error.to_owned(),
            succeeded,
        }
    }

    #[test]
    fn a_line_tells_the_call_that_it_was_made_of() {
        for (call, line) in [
            (
                call("Edit", "src/main.rs", Some(true), ""),
                "Edit src/main.rs: ok",
            ),
            (call("Plan", "", Some(false), ""), "Plan: failed"),
            (
                call("Bash", "cargo test", Some(false), "exit code 101"),
                "Bash cargo test: failed: exit code 101",
            ),
            (
                call("Bash", "echo : ok", Some(true), ""),
                "Bash echo : ok: ok",
            ),
            (
                call("get", "", Some(false), "500: failed: all else: ok"),
                "get: failed: 500: failed: all else: ok",
            ),
        ] {
            assert_eq!(call.line(), line);
            assert_eq!(ToolCall::of_line(line), Some(call));
        }
        assert_eq!(call("Bash", "ls", None, "").line(), "Bash ls");
        for line in ["Bash ls", "", "Bash ls: okay", "one\ntwo: ok"] {
            assert_eq!(ToolCall::of_line(line), None, "{line}");
        }
    }
}
