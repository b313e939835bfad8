//! Transcripts of Claude Code: JSON lines that form a tree by `uuid` and `parentUuid`.

mod record;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::content::{Block, Content};
use super::lines::{Line, Lines};
use super::tool_line::{Outcome, is_own_tool, tool_line};
use super::tree::{self, Key, Node, key};
use super::turns::{Used, said};
use super::{
    Conversation, Position, Skipped, Speaker, TranscriptError, TranscriptFile, TranscriptFormat,
    Turn, folders, stem,
};
use crate::Machine;
use record::Record;

/// The most entries of one reading.
const MAX_ENTRIES: usize = 1_000_000;

/// Lists the conversations under `~/.claude/projects`, or `$CLAUDE_CONFIG_DIR/projects`.
pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let root = machine
        .folder_or("CLAUDE_CONFIG_DIR", machine.home.join(".claude"))
        .join("projects");
    // Subagents' transcripts lie deeper.
    let found = folders::files_below(&root, 1, |path| {
        path.parent() != Some(&root) && is_conversation(path)
    });
    let files = found.files.into_iter().map(|(path, metadata)| {
        let session = stem(&path);
        folders::transcript(TranscriptFormat::ClaudeCode, path, session, &metadata)
    });
    (files.collect(), found.errors)
}

fn is_conversation(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
        && !is_of_subagent(path)
}

fn is_of_subagent(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    stem(path).starts_with("agent-") || folder.is_some_and(|folder| folder == "subagents")
}

/// Reads the live branch from a position on.
pub(super) fn read(file: &TranscriptFile, from: Position) -> Result<Conversation, TranscriptError> {
    if is_of_subagent(&file.path) {
        return Err(TranscriptError::unknown(file, "it is of a subagent"));
    }
    let mut lines = Lines::open(&file.path, from)?;
    let mut reading = Reading {
        whole: lines.reached().bytes == 0,
        ..Reading::default()
    };
    while let Some(line) = lines.next_line()? {
        reading.line(&line);
        if reading.is_full() {
            reading.settle();
            break;
        }
    }
    let more = reading.is_full();
    let conversation = reading.conversation(file, lines.reached());
    Ok(conversation.of_lines(&lines, more))
}

/// A line with an id.
struct Entry {
    node: Node,
    start: u64,
    /// Where its turns begin; they end where the next entry's begin.
    turns: usize,
}

/// A tool call that waits for its result.
struct Call {
    entry: usize,
    turn: usize,
    name: String,
    target: Option<String>,
}

#[derive(Default)]
struct Reading {
    whole: bool,
    entries: Vec<Entry>,
    known: HashSet<Key>,
    turns: Vec<Turn>,
    used: Used,
    calls: HashMap<String, Call>,
    /// The message whose calls wait.
    calling: Option<Key>,
    session: Option<String>,
    folder: Option<PathBuf>,
    branch: Option<String>,
    skipped: Skipped,
}

impl Reading {
    fn is_full(&self) -> bool {
        self.used.is_full() || self.entries.len() >= MAX_ENTRIES
    }

    fn line(&mut self, line: &Line<'_>) {
        let Some(content) = line.content else {
            return self.skipped.bad(line.number, "the line is too long");
        };
        if content.trim_ascii().is_empty() {
            return;
        }
        match serde_json::from_slice::<Record<'_>>(content) {
            Ok(record) => self.record(&record, line),
            Err(error) => self.skipped.bad(line.number, error),
        }
    }

    fn record(&mut self, record: &Record<'_>, line: &Line<'_>) {
        if record.is_sidechain.0 {
            self.skipped.other += 1;
            return;
        }
        let Some(uuid) = record.uuid() else {
            return self.without_id(record, line);
        };
        let node_key = key(uuid);
        if !self.known.insert(node_key) {
            self.skipped.other += 1;
            return;
        }
        self.remember_place(record);
        self.entries.push(Entry {
            node: Node {
                key: node_key,
                parent: record.parent(),
                said: record.is_said(),
                message: record.message_key(),
            },
            start: line.start,
            turns: self.turns.len(),
        });
        self.say(record);
    }

    fn without_id(&mut self, record: &Record<'_>, line: &Line<'_>) {
        if record.is_message() {
            self.skipped.bad(line.number, "a message without uuid");
        } else {
            self.skipped.other += 1;
        }
    }

    fn remember_place(&mut self, record: &Record<'_>) {
        if self.session.is_none() {
            self.session = record.session_id.get().map(str::to_owned);
        }
        if self.folder.is_none() {
            self.folder = record.cwd.get().map(PathBuf::from);
        }
        if let Some(branch) = record.git_branch.get() {
            self.branch = Some(branch.to_owned());
        }
    }

    fn say(&mut self, record: &Record<'_>) {
        match record.kind.get() {
            Some("user") => self.user(record),
            Some("assistant") => self.assistant(record),
            Some("attachment") => self.attachment(record),
            _ => self.skipped.other += 1,
        }
    }

    fn user(&mut self, record: &Record<'_>) {
        let content = record.content();
        let mut results = 0;
        if let Content::Blocks(blocks) = content {
            for block in blocks.iter().filter(|block| block.kind.is("tool_result")) {
                results += 1;
                self.result(block);
            }
        }
        let text = content.text(|block| block.kind.is("text"));
        if record.is_of_host() {
            self.skipped.empty += 1;
        } else if !text.is_empty() || results == 0 {
            self.person(record, &text);
        }
    }

    fn person(&mut self, record: &Record<'_>, text: &str) {
        let at = record.timestamp.time();
        let turn = said(record.id(), Speaker::Person, text, at, &mut self.skipped);
        if let Some(turn) = turn {
            self.settle();
            self.push(turn);
        }
    }

    fn attachment(&mut self, record: &Record<'_>) {
        match record.queued_prompt() {
            Some(content) => self.person(record, &content.text(|block| block.kind.is("text"))),
            None => self.skipped.empty += 1,
        }
    }

    fn assistant(&mut self, record: &Record<'_>) {
        if record.is_of_host() {
            self.skipped.empty += 1;
            return;
        }
        // The model goes on only when it has all results.
        let message = record.message_key();
        if message.is_none() || self.calling != message {
            self.settle();
        }
        match record.content() {
            Content::None => self.skipped.empty += 1,
            Content::Text(text) => self.agent(record, 0, text),
            Content::Blocks(blocks) => {
                for (number, block) in blocks.iter().enumerate() {
                    self.block(record, number, block);
                }
            }
        }
    }

    fn block(&mut self, record: &Record<'_>, number: usize, block: &Block<'_>) {
        match (block.kind.get(), block.text.get()) {
            (Some("text"), Some(text)) => self.agent(record, number, text),
            (Some("tool_use"), _) => self.call(record, number, block),
            _ => self.skipped.empty += 1,
        }
    }

    fn agent(&mut self, record: &Record<'_>, number: usize, text: &str) {
        let (id, at) = (record.id_of_block(number), record.timestamp.time());
        if let Some(mut turn) = said(id, Speaker::Agent, text, at, &mut self.skipped) {
            turn.model = record.model().map(str::to_owned);
            self.push(turn);
        }
    }

    fn call(&mut self, record: &Record<'_>, number: usize, block: &Block<'_>) {
        let name = block.name.get().unwrap_or_default();
        if is_own_tool(None, name) {
            self.skipped.empty += 1;
            return;
        }
        let target = block.input.within(record.cwd.get().map(Path::new));
        let turn = Turn {
            id: record.id_of_block(number),
            speaker: Speaker::Tool,
            text: tool_line(name, target, &Outcome::Unknown),
            at: record.timestamp.time(),
            model: None,
        };
        if let Some(id) = block.id.get() {
            let call = Call {
                entry: self.entries.len() - 1,
                turn: self.turns.len(),
                name: name.to_owned(),
                target: target.map(str::to_owned),
            };
            self.calls.insert(id.to_owned(), call);
            self.calling = record.message_key();
        }
        self.push(turn);
    }

    fn result(&mut self, block: &Block<'_>) {
        let Some(call) = block.tool_use_id.get().and_then(|id| self.calls.remove(id)) else {
            return;
        };
        let outcome = if block.is_error.0 {
            Outcome::failed(block.content.get())
        } else {
            Outcome::Ok
        };
        self.turns[call.turn].text = tool_line(&call.name, call.target.as_deref(), &outcome);
    }

    /// Waits no longer for results.
    fn settle(&mut self) {
        self.calls.clear();
    }

    fn push(&mut self, turn: Turn) {
        self.used.add(&turn);
        self.turns.push(turn);
    }

    /// Leaves the first line with a waiting call, and what follows it, for the next reading.
    fn leave_waiting(&mut self, end: Position) -> Position {
        let Some(first) = self.calls.values().map(|call| call.entry).min() else {
            return end;
        };
        let bytes = self.entries[first].start;
        self.turns.truncate(self.entries[first].turns);
        self.entries.truncate(first);
        Position { bytes, ..end }
    }

    fn conversation(mut self, file: &TranscriptFile, end: Position) -> Conversation {
        let reached = self.leave_waiting(end);
        let nodes: Vec<Node> = self.entries.iter().map(|entry| entry.node).collect();
        // Reading on, an unknown parent is an earlier entry that a person went back to, unless a line was lost.
        let live = tree::live(&nodes, self.whole || self.skipped.bad_count > 0);
        let (mut turns, mut abandoned) = (Vec::new(), Vec::new());
        let mut rest = std::mem::take(&mut self.turns).into_iter();
        let ends = self.entries.iter().skip(1).map(|entry| entry.turns);
        let ends = ends.chain([usize::MAX]);
        for ((entry, end), live) in self.entries.iter().zip(ends).zip(live) {
            let own = rest.by_ref().take(end.saturating_sub(entry.turns));
            if live {
                turns.extend(own);
            } else {
                abandoned.extend(own.map(|turn| turn.id));
            }
        }
        self.skipped.abandoned += abandoned.len() as u64;
        let session = Some(&file.session).filter(|session| !session.is_empty());
        Conversation {
            session: session.cloned().or(self.session).unwrap_or_default(),
            folder: self.folder,
            branch: self.branch,
            turns,
            abandoned,
            skipped: self.skipped,
            reached: Some(reached),
            ..Conversation::default()
        }
    }
}
