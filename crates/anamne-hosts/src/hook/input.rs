//! Reads what a host sends on standard input.

use std::path::PathBuf;

use anamne_ingest::Machine;

use super::fields::{Fields, read_object};
use super::{HookEvent, HookInput, StartReason, names, tool};

/// Maximum input in bytes. Longer ones are not read.
pub const MAX_INPUT: usize = 16 << 20;

/// The longest id that is taken for one, in bytes.
const MAX_ID: usize = 256;
/// The longest path that is taken for one, in bytes.
const MAX_PATH: usize = 4096;

/// Reads a hook's input. Tolerant: what is missing or has another shape stays empty, whatever the bytes are. What the
/// input doesn't tell is taken from the variables that the host sets, such as `CLAUDE_PROJECT_DIR`.
/// O(length of the input); memory grows with its texts, not with the number of its values.
pub fn read_input(host: &str, event: HookEvent, bytes: &[u8], machine: &Machine) -> HookInput {
    let bytes = if bytes.len() > MAX_INPUT { &[] } else { bytes };
    let object = read_object(bytes);
    let reader = Reader::new(host, event, Fields::new(&object), machine);
    HookInput {
        sender: reader.sender,
        session: reader.session(),
        folder: reader.folder(),
        transcript: reader.text(names::TRANSCRIPT).and_then(absolute),
        reason: reader.reason(),
        prompt: reader.prompt(),
        turn: reader.text(names::TURN).and_then(id),
        last_message: reader.text(names::LAST_MESSAGE).map(str::to_owned),
        tool: reader.tool(),
        is_subagent: reader.is_subagent(),
        is_continued: reader.is_continued(),
    }
}

struct Reader<'a> {
    /// The host that sent the input.
    host: &'a str,
    sender: Option<&'static str>,
    event: HookEvent,
    fields: Fields<'a>,
    /// The event's own fields, where a host keeps them apart.
    nested: Option<Fields<'a>>,
    machine: &'a Machine,
}

impl<'a> Reader<'a> {
    fn new(host: &'a str, event: HookEvent, fields: Fields<'a>, machine: &'a Machine) -> Self {
        let sender = names::MARKS
            .iter()
            .find(|(field, _)| fields.has(field))
            .map(|(_, sender)| *sender)
            .filter(|sender| *sender != host);
        Self {
            host: sender.unwrap_or(host),
            sender,
            event,
            fields,
            nested: fields.object(names::NESTED),
            machine,
        }
    }

    /// A text among the event's own fields, else among all.
    fn text(&self, names: &[&str]) -> Option<&'a str> {
        let nested = self.nested.and_then(|nested| nested.text(names));
        nested.or_else(|| self.fields.text(names))
    }

    /// The first of the variables that this host sets.
    fn variable(
        &self,
        which: impl Fn(&names::Variables) -> &'static [&'static str],
    ) -> Option<&'a str> {
        let variables = names::VARIABLES
            .iter()
            .find(|entry| entry.host == self.host)?;
        which(variables)
            .iter()
            .find_map(|name| self.machine.variable(name))
    }

    fn session(&self) -> Option<String> {
        let context = self.fields.object(names::SESSION_CONTEXT);
        context
            .and_then(|context| context.text(names::ROOT_SESSION))
            .or_else(|| self.fields.text(names::SESSION))
            .and_then(id)
            .or_else(|| self.variable(|variables| variables.session).and_then(id))
    }

    /// The variable stands before `cwd`, which follows the agent through folders.
    fn folder(&self) -> Option<PathBuf> {
        self.variable(|variables| variables.folder)
            .and_then(absolute)
            .or_else(|| self.fields.first_of(names::FOLDERS).and_then(absolute))
            .or_else(|| self.text(names::FOLDER).and_then(absolute))
    }

    fn reason(&self) -> StartReason {
        let event = self.fields.text(names::EVENT).unwrap_or_default();
        match self.fields.text(names::REASON).unwrap_or(event) {
            "resume" | "TaskResume" => StartReason::Resume,
            "clear" => StartReason::Clear,
            "compact" | "PostCompact" | "PostCompaction" => StartReason::Compact,
            "fork" => StartReason::Fork,
            _ => StartReason::Startup,
        }
    }

    fn prompt(&self) -> Option<String> {
        let message = || {
            self.fields
                .text(names::MESSAGE)
                .filter(|_| self.event == HookEvent::Prompt)
        };
        self.text(names::PROMPT)
            .or_else(message)
            .or_else(|| self.variable(|variables| variables.prompt))
            .map(typed)
            .filter(|prompt| !prompt.is_empty())
            .map(str::to_owned)
    }

    fn tool(&self) -> Option<super::ToolUse> {
        matches!(self.event, HookEvent::Tool | HookEvent::ToolFailed)
            .then(|| tool::read(self.host, self.event, self.fields, self.nested))
            .flatten()
    }

    fn is_subagent(&self) -> bool {
        let event = self.fields.text(names::EVENT).unwrap_or_default();
        let marks = if self.fields.has(names::PARENT_AGENT) {
            &[names::PARENT_AGENT]
        } else {
            names::SUBAGENT
        };
        self.fields.text(marks).is_some() || event.to_ascii_lowercase().starts_with("subagent")
    }

    fn is_continued(&self) -> bool {
        self.fields.flag(names::CONTINUED).unwrap_or(false)
            || self
                .fields
                .number(names::CONTINUATIONS)
                .is_some_and(|count| count > 0)
    }
}

/// A prompt without what hooks added before it: Gemini CLI puts that into the first prompt of a session. Nothing in it can
/// end it, since its angle brackets are escaped.
fn typed(prompt: &str) -> &str {
    let mut rest = prompt;
    while let Some(added) = rest.trim_start().strip_prefix("<hook_context>") {
        match added.split_once("</hook_context>") {
            Some((_, after)) => rest = after.trim_start(),
            None => break,
        }
    }
    rest
}

/// A text that can be an id: short, in one line.
pub(super) fn id(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = text.len() <= MAX_ID && !text.contains(char::is_control);
    fits.then(|| text.to_owned())
}

/// A text that is an absolute path.
fn absolute(text: &str) -> Option<PathBuf> {
    let fits = text.len() <= MAX_PATH && !text.contains(char::is_control);
    let path = PathBuf::from(text);
    (fits && path.is_absolute()).then_some(path)
}
