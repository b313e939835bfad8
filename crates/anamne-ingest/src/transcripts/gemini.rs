//! Transcripts of Gemini CLI: JSON lines of messages that later lines complete or take back; one JSON file in versions
//! before 0.40.

mod record;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::lenient::{List, Text};
use super::lines::{Line, Lines, MAX_LINE_BYTES, open_file, without_mark};
use super::tool_line::{is_own_tool, tool_line};
use super::turns::{MAX_TURNS, Used, said, valid_id};
use super::{
    Conversation, Position, Skipped, Speaker, TranscriptError, TranscriptFile, TranscriptFormat,
    Turn, folders, stem,
};
use crate::Machine;
use record::{Record, ToolCall};

/// Lists the conversations under `~/.gemini/tmp`, or in the same place under `$GEMINI_CLI_HOME`.
pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let home = machine.folder_or("GEMINI_CLI_HOME", machine.home.clone());
    // Subagents' transcripts lie deeper.
    let found = folders::files_below(&home.join(".gemini/tmp"), 2, is_conversation);
    let files = found.files.into_iter().map(|(path, metadata)| {
        folders::transcript(TranscriptFormat::Gemini, path, String::new(), &metadata)
    });
    (files.collect(), found.errors)
}

fn is_conversation(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    let known = path
        .extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "json");
    known && folder == Some(OsStr::new("chats")) && stem(path).starts_with("session-")
}

/// Reads from a position on; a file of the earlier format as a whole.
pub(super) fn read(file: &TranscriptFile, from: Position) -> Result<Conversation, TranscriptError> {
    let mut reading = Reading {
        folder: project_folder(&file.path),
        ..Reading::default()
    };
    if file
        .path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        reading.whole_file(file)?;
        return Ok(reading.conversation(None));
    }
    if !reading.head(file)? {
        return Ok(reading.conversation(Some(Position::default())));
    }
    let mut lines = Lines::open(&file.path, from)?;
    while !reading.used.is_full()
        && let Some(line) = lines.next_line()?
    {
        reading.line(&line);
    }
    let more = reading.used.is_full();
    let conversation = reading.conversation(Some(lines.reached()));
    Ok(conversation.of_lines(&lines, more))
}

/// The host's list of projects: their folders and short names.
#[derive(Deserialize)]
struct Projects {
    projects: HashMap<PathBuf, String>,
}

/// The project of a transcript, as the host notes it beside the `chats` folder, else in its list of projects.
fn project_folder(path: &Path) -> Option<PathBuf> {
    let project = path.parent()?.parent()?;
    if let Some(root) = small_file(&project.join(".project_root")) {
        let root = root.trim();
        return (!root.is_empty()).then(|| PathBuf::from(root));
    }
    let list = small_file(&project.parent()?.parent()?.join("projects.json"))?;
    let list: Projects = serde_json::from_str(&list).ok()?;
    let short = project.file_name()?.to_str()?;
    let mut folders = list.projects.into_iter();
    folders.find_map(|(folder, id)| (id == short).then_some(folder))
}

fn small_file(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = open_file(path).ok()?;
    file.take(1 << 20).read_to_string(&mut text).ok()?;
    Some(text)
}

/// A message, which later lines may replace.
struct Message {
    id: String,
    turns: Vec<Turn>,
}

#[derive(Default)]
struct Reading {
    session: String,
    folder: Option<PathBuf>,
    messages: Vec<Message>,
    abandoned: Vec<String>,
    places: HashMap<String, usize>,
    used: Used,
    skipped: Skipped,
}

impl Reading {
    /// Reads the first line, which names the session; false if it isn't written yet.
    fn head(&mut self, file: &TranscriptFile) -> Result<bool, TranscriptError> {
        let mut lines = Lines::open(&file.path, Position::default())?;
        let Some(line) = lines.next_line()? else {
            return Ok(false);
        };
        let content = line.content.unwrap_or_default();
        let record: Record<'_> = serde_json::from_slice(content).unwrap_or_default();
        self.session_of(file, &record.session_id, &record.kind_of_session)?;
        Ok(true)
    }

    fn session_of(
        &mut self,
        file: &TranscriptFile,
        id: &Text<'_>,
        kind: &Text<'_>,
    ) -> Result<(), TranscriptError> {
        if kind.is("subagent") {
            return Err(TranscriptError::unknown(file, "it is of a subagent"));
        }
        let session = valid_id(id.get());
        let session = session.ok_or_else(|| {
            TranscriptError::unknown(file, "it doesn't begin with a session's id")
        })?;
        session.clone_into(&mut self.session);
        Ok(())
    }

    /// Reads a file of the earlier format.
    fn whole_file(&mut self, file: &TranscriptFile) -> Result<(), TranscriptError> {
        #[derive(Default, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        struct Whole<'a> {
            #[serde(borrow)]
            session_id: Text<'a>,
            #[serde(borrow)]
            kind: Text<'a>,
            #[serde(borrow)]
            messages: List<Record<'a>, MAX_TURNS>,
        }
        let content = whole_content(file)?;
        let whole: Whole<'_> = serde_json::from_slice(without_mark(&content))
            .map_err(|error| TranscriptError::unknown(file, error.to_string()))?;
        self.session_of(file, &whole.session_id, &whole.kind)?;
        for (number, record) in (1..).zip(&whole.messages.0) {
            if self.used.is_full() {
                return Err(TranscriptError::unknown(file, "it has too much text"));
            }
            self.message_or_bad(record, number);
        }
        Ok(())
    }

    fn line(&mut self, line: &Line<'_>) {
        let Some(content) = line.content else {
            return self.skipped.bad(line.number, "the line is too long");
        };
        if content.trim_ascii().is_empty() {
            return;
        }
        match serde_json::from_slice::<Record<'_>>(content) {
            Ok(record) => self.record(&record, line.number),
            Err(error) => self.skipped.bad(line.number, error),
        }
    }

    fn record(&mut self, record: &Record<'_>, number: u64) {
        match record.rewind_to.get() {
            Some(id) => self.rewind(id),
            // The first line, and changes of what it says. Among these are lists of messages as the model sees them,
            // with injected text and without what was said before: the lines of messages are what was said.
            None if record.set.0 || record.project_hash.get().is_some() => self.skipped.other += 1,
            None => self.message_or_bad(record, number),
        }
    }

    fn message_or_bad(&mut self, record: &Record<'_>, number: u64) {
        let person = match record.kind.get() {
            Some("user") => true,
            Some("gemini") => false,
            _ => {
                self.skipped.other += 1;
                return;
            }
        };
        match valid_id(record.id.get()) {
            Some(id) if person => self.person(id, record),
            Some(id) => self.agent(id, record),
            None => self.skipped.bad(number, "a message without id"),
        }
    }

    fn person(&mut self, id: &str, record: &Record<'_>) {
        let text = record.said();
        let at = record.timestamp.time();
        let turn = said(id.to_owned(), Speaker::Person, &text, at, &mut self.skipped);
        self.put(id, turn.into_iter().collect());
    }

    fn agent(&mut self, id: &str, record: &Record<'_>) {
        let text = record.said();
        let at = record.timestamp.time();
        let mut turns = Vec::new();
        if !text.is_empty() {
            turns.extend(said(
                id.to_owned(),
                Speaker::Agent,
                &text,
                at,
                &mut self.skipped,
            ));
        }
        for turn in &mut turns {
            turn.model = record.model.get().map(str::to_owned);
        }
        for call in &record.tool_calls.0 {
            turns.extend(self.call(id, call, record));
        }
        self.put(id, turns);
    }

    /// The line of a call that has ended; a later line of this message tells of the others.
    fn call(&mut self, message: &str, call: &ToolCall<'_>, record: &Record<'_>) -> Option<Turn> {
        let name = call.name.get().unwrap_or_default();
        let (Some(id), Some(outcome)) = (valid_id(call.id.get()), call.outcome()) else {
            self.skipped.other += 1;
            return None;
        };
        if is_own_tool(None, name) {
            self.skipped.empty += 1;
            return None;
        }
        Some(Turn {
            id: format!("{message}#{id}"),
            speaker: Speaker::Tool,
            text: tool_line(name, call.args.within(self.folder.as_deref()), &outcome),
            at: call.timestamp.time().or(record.timestamp.time()),
            model: None,
        })
    }

    /// Adds a message, or replaces it where it stands.
    fn put(&mut self, id: &str, turns: Vec<Turn>) {
        for turn in &turns {
            self.used.add(turn);
        }
        if let Some(place) = self.places.get(id) {
            self.messages[*place].turns = turns;
        } else {
            self.places.insert(id.to_owned(), self.messages.len());
            let id = id.to_owned();
            self.messages.push(Message { id, turns });
        }
    }

    /// Takes back a message and what follows it; everything if it isn't known, as the host does.
    fn rewind(&mut self, id: &str) {
        let first = self.places.get(id).copied().unwrap_or(0);
        for message in self.messages.drain(first..) {
            self.skipped.abandoned += message.turns.len() as u64;
            let turns = message.turns.into_iter();
            self.abandoned.extend(turns.map(|turn| turn.id));
            self.places.remove(&message.id);
        }
    }

    fn conversation(self, reached: Option<Position>) -> Conversation {
        let turns = self.messages.into_iter().flat_map(|message| message.turns);
        Conversation {
            session: self.session,
            folder: self.folder,
            branch: None,
            turns: turns.collect(),
            abandoned: self.abandoned,
            skipped: self.skipped,
            reached,
            ..Conversation::default()
        }
    }
}

fn whole_content(file: &TranscriptFile) -> Result<Vec<u8>, TranscriptError> {
    let mut content = Vec::new();
    open_file(&file.path)?
        .take(MAX_LINE_BYTES as u64 + 1)
        .read_to_end(&mut content)
        .map_err(TranscriptError::io(&file.path))?;
    if content.len() > MAX_LINE_BYTES {
        let reason = format!("it is longer than {MAX_LINE_BYTES} bytes");
        return Err(TranscriptError::unknown(file, reason));
    }
    Ok(content)
}
