//! Tool calls as one line each: name, target, outcome.

use anamne_types::ToolCall;

use super::injected::without_injected;
use super::target::MAX_TARGET_CHARACTERS;
use super::text::{MAX_ERROR_CHARACTERS, first_line};

/// How a tool call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It worked.
    Ok,
    /// It failed, with the first line of the error; empty if none is recorded.
    Failed(String),
    /// The transcript doesn't say.
    Unknown,
}

impl Outcome {
    /// A failure with an error's text, of which the first line is kept. O(length of that line).
    pub(super) fn failed(error: &str) -> Self {
        let error = error.trim_start();
        let error = error.strip_prefix("<tool_use_error>").unwrap_or(error);
        let line = part(error, MAX_ERROR_CHARACTERS);
        let line = line.strip_suffix("</tool_use_error>").unwrap_or(&line);
        Self::Failed(line.to_owned())
    }

    /// The outcome of a command that left this exit code.
    pub(super) fn of_exit_code(code: i64) -> Self {
        match code {
            0 => Self::Ok,
            code => Self::Failed(format!("exit code {code}")),
        }
    }
}

/// The line of a tool call, such as `Edit src/main.rs: ok` or `Bash cargo test: failed: exit code 101`.
pub(super) fn tool_line(name: &str, target: Option<&str>, outcome: &Outcome) -> String {
    let (succeeded, error) = match outcome {
        Outcome::Ok => (Some(true), ""),
        Outcome::Failed(error) => (Some(false), error.as_str()),
        Outcome::Unknown => (None, ""),
    };
    let name = part(name, MAX_NAME_CHARACTERS);
    let call = ToolCall {
        tool: if name.is_empty() {
            "tool".to_owned()
        } else {
            name
        },
        input: target.map_or_else(String::new, |target| part(target, MAX_TARGET_CHARACTERS)),
        output: error.to_owned(),
        succeeded,
    };
    call.line()
}

const MAX_NAME_CHARACTERS: usize = 100;

/// One line of a foreign text, without what was injected.
fn part(text: &str, characters: usize) -> String {
    without_injected(&first_line(text, characters)).into_owned()
}

/// Whether a tool is one of Anamne's own: what memory answered must not come back as something new.
///
/// Hosts put the server before the tool's name, each in its own way: `mcp__anamne__…`, `mcp_anamne_…`, `anamne_…`,
/// `anamne.…`, and `mcp__plugin_NAME_anamne__…` for plugins.
pub(super) fn is_own_tool(server: Option<&str>, name: &str) -> bool {
    if server.is_some_and(|server| server == OWN || server.ends_with("_anamne")) {
        return true;
    }
    let name = name
        .strip_prefix("mcp__")
        .or_else(|| name.strip_prefix("mcp_"))
        .unwrap_or(name);
    let owned = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
    name.strip_prefix(OWN).is_some_and(owned)
        || name.starts_with("plugin_") && name.contains("_anamne__")
}

const OWN: &str = "anamne";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, target: Option<&str>, outcome: &Outcome, expected: &str) {
        assert_eq!(tool_line(name, target, outcome), expected);
    }

    #[test]
    fn a_call_is_one_line_of_name_target_and_outcome() {
        check(
            "Edit",
            Some("src/main.rs"),
            &Outcome::Ok,
            "Edit src/main.rs: ok",
        );
        let failed = Outcome::of_exit_code(101);
        check(
            "Bash",
            Some("cargo test"),
            &failed,
            "Bash cargo test: failed: exit code 101",
        );
        check(
            "Bash",
            Some("\n cat > x <<E\nsecret\nE"),
            &Outcome::Unknown,
            "Bash cat > x <<E",
        );
        check("Plan", None, &Outcome::failed(""), "Plan: failed");
        check(
            "Read",
            Some(" "),
            &Outcome::failed("no such file\nmore"),
            "Read: failed: no such file",
        );
        check("", None, &Outcome::Ok, "tool: ok");
        let quoted = "echo '<anamne-memory>a</anamne-memory>' <anamne-memory>b";
        check("Bash", Some(quoted), &Outcome::Ok, "Bash echo '': ok");
        let error = Outcome::failed("<tool_use_error>not read yet</tool_use_error>");
        check("Edit", None, &error, "Edit: failed: not read yet");
    }

    #[test]
    fn long_parts_are_cut() {
        let long = "é".repeat(10_000);
        let line = tool_line(&long, Some(&long), &Outcome::failed(&long));
        assert!(line.chars().count() < 530, "{line}");
    }

    #[test]
    fn our_own_tools_are_known_by_every_hosts_name_for_them() {
        for own in [
            "mcp__anamne__memory_search",
            "mcp_anamne_memory_search",
            "anamne_memory_search",
            "anamne.memory_search",
            "mcp__plugin_anamne_anamne__memory_search",
        ] {
            assert!(is_own_tool(None, own), "{own}");
        }
        assert!(is_own_tool(Some("anamne"), "memory_search"));
        for foreign in [
            "Bash",
            "mcp__anamnesis__search",
            "memory_search",
            "mcp__anamne-x__y",
        ] {
            assert!(!is_own_tool(Some("github"), foreign), "{foreign}");
        }
    }
}
