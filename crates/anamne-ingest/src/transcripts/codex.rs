//! Transcripts of Codex: JSON lines, each with a time, a type and a payload.
//!
//! The dialogue stands there twice: as events, and as the items that went to the model, among which injected text hides.
//! Events are read; items only in files without events. Tool calls are items in all files.

mod head;
mod output;
mod record;

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;

use super::lines::{Line, Lines};
use super::target::Target;
use super::tool_line::{Outcome, is_own_tool, tool_line};
use super::turns::{Used, id_of, said, valid_id};
use super::{
    Conversation, Position, Skipped, Speaker, TranscriptError, TranscriptFile, TranscriptFormat,
    Turn, folders, stem,
};
use crate::Machine;
use head::Head;
use record::{Item, Payload, Record};

/// Lists the conversations under `~/.codex`, or `$CODEX_HOME`: current and archived ones.
pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let home = machine.folder_or("CODEX_HOME", machine.home.join(".codex"));
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for folder in ["sessions", "archived_sessions"] {
        let found = folders::files_below(&home.join(folder), 3, is_rollout);
        errors.extend(found.errors);
        for (path, metadata) in found.files {
            let session = session_of(&path);
            let file = folders::transcript(TranscriptFormat::Codex, path, session, &metadata);
            match head::is_of_subagent(&file) {
                Ok(true) => {}
                Ok(false) => files.push(file),
                Err(error) => errors.push(error),
            }
        }
    }
    (files, errors)
}

fn is_rollout(path: &Path) -> bool {
    let extension = path
        .extension()
        .is_some_and(|extension| extension == "jsonl");
    extension && stem(path).starts_with("rollout-")
}

/// The session's id: the last 36 characters of the file's name, if there are so many.
pub(super) fn session_of(path: &Path) -> String {
    let name = stem(path);
    let start = name.len().saturating_sub(36);
    name.get(start..).unwrap_or_default().to_owned()
}

/// Reads from a position on.
pub(super) fn read(file: &TranscriptFile, from: Position) -> Result<Conversation, TranscriptError> {
    let head = Head::of(file)?;
    if head.subagent {
        return Err(TranscriptError::unknown(file, "it is of a subagent"));
    }
    let mut lines = Lines::open(&file.path, from)?;
    let start = lines.reached();
    let mut reading = Reading {
        head,
        ..Reading::default()
    };
    // Which lines are the dialogue is known when the agent has answered.
    if reading.head.events.is_none() {
        return Ok(reading.conversation(start));
    }
    while let Some(line) = lines.next_line()? {
        reading.line(&line);
        if reading.used.is_full() {
            reading.calls.clear();
            break;
        }
    }
    let more = reading.used.is_full();
    let conversation = reading.conversation(lines.reached());
    Ok(conversation.of_lines(&lines, more))
}

/// A tool call that waits for its result.
struct Call {
    start: u64,
    turn: usize,
    name: String,
    target: Option<String>,
}

/// What the events of two generations call a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// `user_message` and `agent_message`.
    Message,
    /// `item_completed`.
    Item,
}

#[derive(Default)]
struct Reading {
    head: Head,
    turns: Vec<Turn>,
    abandoned: Vec<String>,
    used: Used,
    calls: HashMap<String, Call>,
    /// The last thing said, to know it again if both generations of events tell it.
    last: Option<(Source, Speaker, String)>,
    skipped: Skipped,
}

impl Reading {
    fn line(&mut self, line: &Line<'_>) {
        let Some(content) = line.content else {
            return self.skipped.bad(line.number, "the line is too long");
        };
        if content.trim_ascii().is_empty() {
            return;
        }
        let done = match serde_json::from_slice::<Record<'_>>(content) {
            Ok(record) => self.record(&record, line.start),
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = done {
            self.skipped.bad(line.number, reason);
        }
    }

    fn record(&mut self, record: &Record<'_>, start: u64) -> Result<(), String> {
        let Some(payload) = record.payload.0.as_deref() else {
            self.skipped.other += 1;
            return Ok(());
        };
        match record.kind.get() {
            Some("event_msg") => self.event(record, payload),
            Some("response_item") => self.item(record, payload, start),
            _ => {
                self.skipped.other += 1;
                Ok(())
            }
        }
    }

    fn event(&mut self, record: &Record<'_>, payload: &Payload<'_>) -> Result<(), String> {
        match payload.kind.get() {
            Some("user_message") => self.message(record, payload, Speaker::Person),
            Some("agent_message") => self.message(record, payload, Speaker::Agent),
            Some("item_completed") => return self.completed(record, payload),
            Some("thread_rolled_back") => self.roll_back(payload.num_turns.0.unwrap_or(0)),
            Some("task_complete" | "turn_complete" | "turn_aborted") => self.calls.clear(),
            Some("exec_command_end" | "patch_apply_end" | "mcp_tool_call_end") => {
                self.outcome(payload.call_id.get(), payload.outcome());
            }
            _ => self.skipped.other += 1,
        }
        Ok(())
    }

    fn message(&mut self, record: &Record<'_>, payload: &Payload<'_>, speaker: Speaker) {
        let text = payload.message.get().unwrap_or_default();
        let id = id_of(record.timestamp.get(), speaker, text);
        self.say(Source::Message, id, speaker, text, record.timestamp.time());
    }

    fn completed(&mut self, record: &Record<'_>, payload: &Payload<'_>) -> Result<(), String> {
        let Some(item) = payload.item.0.as_deref() else {
            return Err("a completed item without the item".to_owned());
        };
        let speaker = match item.kind.get() {
            Some("UserMessage") => Speaker::Person,
            Some("AgentMessage") => Speaker::Agent,
            _ => {
                self.outcome(item.id.get(), item.outcome());
                return Ok(());
            }
        };
        let id = item_id(payload, item).ok_or("a message without id")?;
        let text = item
            .content
            .text(|block| block.kind.is("text") || block.kind.is("Text"));
        let at = payload.completed_at().or(record.timestamp.time());
        self.say(Source::Item, id, speaker, &text, at);
        Ok(())
    }

    fn say(
        &mut self,
        source: Source,
        id: String,
        speaker: Speaker,
        text: &str,
        at: Option<Timestamp>,
    ) {
        let again = |(last, who, said): &(Source, Speaker, String)| {
            *last != source && *who == speaker && said == text
        };
        if self.last.as_ref().is_some_and(again) {
            self.skipped.other += 1;
            return;
        }
        self.last = Some((source, speaker, text.to_owned()));
        if let Some(turn) = said(id, speaker, text, at, &mut self.skipped) {
            if speaker == Speaker::Person {
                self.calls.clear();
            }
            self.push(turn);
        }
    }

    fn item(
        &mut self,
        record: &Record<'_>,
        payload: &Payload<'_>,
        start: u64,
    ) -> Result<(), String> {
        match payload.kind.get() {
            Some("message") if self.head.events == Some(false) => {
                self.item_message(record, payload);
            }
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                return self.call(record, payload, start);
            }
            Some("function_call_output" | "custom_tool_call_output") => self.result(payload),
            Some("web_search_call") => self.search(record, payload),
            _ => self.skipped.other += 1,
        }
        Ok(())
    }

    fn item_message(&mut self, record: &Record<'_>, payload: &Payload<'_>) {
        let speaker = match payload.role.get() {
            Some("user") => Speaker::Person,
            Some("assistant") => Speaker::Agent,
            _ => {
                self.skipped.other += 1;
                return;
            }
        };
        let text = payload
            .content
            .text(|block| !is_injected(block.text.get().unwrap_or_default()));
        let id = match valid_id(payload.id.get()) {
            Some(id) => id.to_owned(),
            None => id_of(record.timestamp.get(), speaker, &text),
        };
        self.say(Source::Item, id, speaker, &text, record.timestamp.time());
    }

    fn call(
        &mut self,
        record: &Record<'_>,
        payload: &Payload<'_>,
        start: u64,
    ) -> Result<(), String> {
        let call_id = valid_id(payload.call_id.get()).ok_or("a tool call without id")?;
        let name = payload.tool_name();
        if is_own_tool(None, &name) {
            self.skipped.empty += 1;
            return Ok(());
        }
        let target = payload.target();
        let target = target.within(self.head.folder.as_deref());
        let call = Call {
            start,
            turn: self.turns.len(),
            name: name.clone(),
            target: target.map(str::to_owned),
        };
        self.calls.insert(call_id.to_owned(), call);
        self.push(Turn {
            id: in_turn(payload.turn(), call_id),
            speaker: Speaker::Tool,
            text: tool_line(&name, target, &Outcome::Unknown),
            at: record.timestamp.time(),
            model: None,
        });
        Ok(())
    }

    /// Notes how a call ended; it waits on for its result.
    fn outcome(&mut self, call_id: Option<&str>, outcome: Option<Outcome>) {
        let call = call_id.and_then(|id| self.calls.get(id));
        match (call, outcome) {
            (Some(call), Some(outcome)) => {
                let line = tool_line(&call.name, call.target.as_deref(), &outcome);
                self.turns[call.turn].text = line;
            }
            _ => self.skipped.other += 1,
        }
    }

    fn result(&mut self, payload: &Payload<'_>) {
        let id = payload.call_id.get();
        if let Some(outcome) = payload.output.outcome() {
            self.outcome(id, Some(outcome));
        }
        id.and_then(|id| self.calls.remove(id));
    }

    /// A search has no separate result.
    fn search(&mut self, record: &Record<'_>, payload: &Payload<'_>) {
        let Target(target) = &payload.action;
        let text = tool_line("web_search", target.as_deref(), &Outcome::Unknown);
        let id = match valid_id(payload.id.get()) {
            Some(id) => in_turn(payload.turn(), id),
            None => id_of(record.timestamp.get(), Speaker::Tool, &text),
        };
        self.push(Turn {
            id,
            speaker: Speaker::Tool,
            text,
            at: record.timestamp.time(),
            model: None,
        });
    }

    /// Drops the last exchanges, each of which begins with a person's turn.
    fn roll_back(&mut self, exchanges: i64) {
        let count = usize::try_from(exchanges).unwrap_or(0);
        let people = self.turns.iter().enumerate().rev();
        let mut people = people.filter(|(_, turn)| turn.speaker == Speaker::Person);
        let left = match count.checked_sub(1) {
            Some(before) => people.nth(before).map_or(0, |(at, _)| at),
            None => self.turns.len(),
        };
        self.skipped.abandoned += (self.turns.len() - left) as u64;
        let abandoned = self.turns.drain(left..).map(|turn| turn.id);
        self.abandoned.extend(abandoned);
        self.calls.retain(|_, call| call.turn < left);
        self.last = None;
    }

    fn push(&mut self, turn: Turn) {
        self.used.add(&turn);
        self.turns.push(turn);
    }

    fn conversation(mut self, end: Position) -> Conversation {
        let mut reached = end;
        if let Some(first) = self.calls.values().min_by_key(|call| call.turn) {
            reached.bytes = first.start;
            self.turns.truncate(first.turn);
        }
        Conversation {
            session: self.head.session,
            folder: self.head.folder,
            branch: self.head.branch,
            turns: self.turns,
            abandoned: self.abandoned,
            skipped: self.skipped,
            reached: Some(reached),
            ..Conversation::default()
        }
    }
}

fn item_id(payload: &Payload<'_>, item: &Item<'_>) -> Option<String> {
    valid_id(item.id.get()).map(|id| in_turn(payload.turn(), id))
}

/// An id that a model's provider chose, which may come again in another exchange.
fn in_turn(turn: Option<&str>, id: &str) -> String {
    match valid_id(turn) {
        Some(turn) => format!("{turn}/{id}"),
        None => id.to_owned(),
    }
}

/// How the texts begin that Codex injects as if a person had said them.
const INJECTED: [&str; 10] = [
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<skill>",
    "<skills_instructions>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<collaboration_mode>",
];

fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    INJECTED.iter().any(|mark| text.starts_with(mark))
}
