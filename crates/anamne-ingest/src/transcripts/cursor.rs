//! Transcripts of Cursor: JSON lines under `~/.cursor/projects/PROJECT/agent-transcripts`, without ids and times.
//!
//! A line is a message of either side. It has no id, so a turn's id comes from its session, the place of its line, and
//! its text. Results of tools aren't recorded.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::blocks::{Block, Blocks};
use super::folders::{files_below, transcript};
use super::injected::without_injected;
use super::lenient::{Object, Text};
use super::lines::Lines;
use super::slug::folder_of;
use super::text::capped;
use super::tool_line::Outcome;
use super::turns::{Used, id_of};
use super::wrapped::Marks;
use super::{
    Conversation, Position, Speaker, TranscriptError, TranscriptFile, TranscriptFormat, Turn, stem,
};
use crate::Machine;

/// The marks around what a person typed, and around what Cursor adds to it.
const MARKS: Marks = Marks {
    typed: &["user_query"],
    added: &[
        "additional_data",
        "agent_skills",
        "agent_transcripts",
        "always_applied_workspace_rules",
        "attached_files",
        "available_subagent_types",
        "cursor_commands",
        "current_file",
        "git_status",
        "hooks_context",
        "image_files",
        "linter_errors",
        "manually_attached_skills",
        "mcp_file_system",
        "mcp_instructions",
        "open_and_recently_viewed_files",
        "plugin_info",
        "project_context",
        "project_layout",
        "rules",
        "system_notification",
        "system_reminder",
        "terminal_files_information",
        "timestamp",
        "user_info",
        "user_rules",
    ],
};

pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let root = machine.home.join(".cursor/projects");
    let found = files_below(&root, 3, |path| is_transcript(&root, path));
    let (old, files): (Vec<_>, Vec<_>) = found
        .files
        .into_iter()
        .partition(|(path, _)| path.extension().is_some_and(|extension| extension == "txt"));
    let mut errors = found.errors;
    if !old.is_empty() {
        errors.push(TranscriptError::Unknown {
            path: root,
            format: TranscriptFormat::Cursor,
            reason: format!("{} older transcripts are plain text", old.len()),
        });
    }
    let files = files.into_iter().map(|(path, metadata)| {
        let session = stem(&path);
        transcript(TranscriptFormat::Cursor, path, session, &metadata)
    });
    (files.collect(), errors)
}

/// Whether a path is `PROJECT/agent-transcripts/ID/ID.jsonl` or, as earlier, `PROJECT/agent-transcripts/ID.jsonl`.
/// Those of subagents lie deeper.
fn is_transcript(root: &Path, path: &Path) -> bool {
    let Ok(inner) = path.strip_prefix(root) else {
        return false;
    };
    let parts: Vec<_> = inner.components().map(Component::as_os_str).collect();
    let known = path
        .extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "txt");
    known
        && parts.get(1).is_some_and(|part| *part == FOLDER)
        && match parts.as_slice() {
            [_, _, _] => true,
            [_, _, session, _] => path.file_stem() == Some(session),
            _ => false,
        }
}

const FOLDER: &str = "agent-transcripts";

pub(super) fn read(file: &TranscriptFile, from: Position) -> Result<Conversation, TranscriptError> {
    let mut lines = Lines::open(&file.path, from)?;
    let mut reading = Reading {
        used: Used::default(),
        conversation: Conversation {
            session: session_of(file),
            folder: project_of(&file.path),
            ..Conversation::default()
        },
    };
    while !reading.used.is_full() {
        let Some(line) = lines.next_line()? else {
            break;
        };
        let Some(content) = line.content else {
            reading
                .conversation
                .skipped
                .bad(line.number, "it is too long");
            continue;
        };
        if content.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Line<'_>>(content) {
            Ok(message) => reading.add(line.start, &message),
            Err(error) => reading.conversation.skipped.bad(line.number, error),
        }
    }
    let more = reading.used.is_full();
    let mut conversation = reading.conversation;
    conversation.reached = Some(lines.reached());
    Ok(conversation.of_lines(&lines, more))
}

fn session_of(file: &TranscriptFile) -> String {
    if file.session.is_empty() {
        stem(&file.path)
    } else {
        file.session.clone()
    }
}

/// The folder of the project that a transcript belongs to, if the name of its folder tells.
fn project_of(path: &Path) -> Option<PathBuf> {
    let folder = path
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == FOLDER))?;
    let name = folder.parent()?.file_name()?.to_str()?;
    if cfg!(windows) {
        let (drive, inner) = name.split_once('-')?;
        return folder_of(inner, Path::new(&format!("{drive}:\\")));
    }
    folder_of(name, Path::new("/"))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    #[serde(borrow)]
    message: Object<Message<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    content: Blocks<'a>,
}

struct Reading {
    conversation: Conversation,
    used: Used,
}

impl Reading {
    fn add(&mut self, start: u64, line: &Line<'_>) {
        let speaker = match (line.role.get(), &line.message.0) {
            (Some("user"), Some(_)) => Speaker::Person,
            (Some("assistant"), Some(_)) => Speaker::Agent,
            _ => {
                self.conversation.skipped.other += 1;
                return;
            }
        };
        let blocks = line.message.0.iter().flat_map(|message| &message.content.0);
        for (number, block) in blocks.enumerate() {
            let place = format!("{start} {number}");
            match (block.kind.get(), speaker) {
                (Some("text"), _) => self.say(&place, speaker, &block.text),
                (Some("tool_use"), Speaker::Agent) => self.call(&place, block),
                _ => self.conversation.skipped.other += 1,
            }
        }
    }

    fn say(&mut self, place: &str, speaker: Speaker, text: &Text<'_>) {
        let text = without_injected(text.get().unwrap_or_default());
        let text = if speaker == Speaker::Person {
            let divided = MARKS.divide(&text);
            let typed = divided.typed.unwrap_or_else(|| divided.rest.into_owned());
            typed.trim().to_owned()
        } else {
            text.into_owned()
        };
        if text.is_empty() {
            self.conversation.skipped.empty += 1;
        } else {
            let text = capped(&text, &mut self.conversation.skipped);
            self.push(place, speaker, text);
        }
    }

    fn call(&mut self, place: &str, block: &Block<'_>) {
        let name = block.name.get().unwrap_or_default();
        let input = block.input();
        if input.is_own(name) {
            self.conversation.skipped.empty += 1;
            return;
        }
        let called = input.called(name, self.conversation.folder.as_deref());
        self.push(place, Speaker::Tool, called.line(&Outcome::Unknown));
    }

    fn push(&mut self, place: &str, speaker: Speaker, text: String) {
        let place = format!("{} {place}", self.conversation.session);
        let turn = Turn {
            id: id_of(Some(&place), speaker, &text),
            speaker,
            text,
            at: None,
            model: None,
        };
        self.used.add(&turn);
        self.conversation.turns.push(turn);
    }
}
