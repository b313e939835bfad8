//! The conversations that agent hosts record on disk.
//!
//! [`find`] lists them, [`read`] reads one: the live branch only, from a position on if some of it was read before. A
//! [`Conversation`] becomes drafts with stable external ids, so that reading the same words twice stores them once.

mod blocks;
mod claude_code;
mod cline;
mod codex;
mod content;
mod cursor;
mod document;
mod draft;
mod folders;
mod gemini;
mod injected;
mod lenient;
mod lines;
mod opencode;
mod slug;
mod target;
mod text;
mod times;
mod tool_line;
mod tree;
mod turns;
mod wrapped;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::Machine;
use lines::Lines;

/// The hosts whose transcripts can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TranscriptFormat {
    /// Claude Code: JSON lines under `~/.claude/projects`.
    ClaudeCode,
    /// Codex: JSON lines under `~/.codex/sessions`.
    Codex,
    /// Gemini CLI: JSON lines, earlier JSON, under `~/.gemini/tmp`.
    Gemini,
    /// OpenCode: an SQLite database, earlier JSON files.
    OpenCode,
    /// Cline: JSON files by task or session.
    Cline,
    /// Cursor: JSON lines under `~/.cursor/projects`.
    Cursor,
}

impl TranscriptFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::OpenCode,
        Self::Cline,
        Self::Cursor,
    ];

    /// Its name, which is also its host's.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Cline => "cline",
            Self::Cursor => "cursor",
        }
    }

    /// The external id of the memory that a turn becomes.
    pub fn external_id(self, turn: &str) -> String {
        format!("{self}:{turn}")
    }
}

impl fmt::Display for TranscriptFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A recorded conversation on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptFile {
    /// Its format.
    pub format: TranscriptFormat,
    /// The file; for OpenCode the database of all sessions.
    pub path: PathBuf,
    /// The session's id; empty if only the file's content has it.
    pub session: String,
    /// Its size in bytes, as far as known without reading it.
    pub bytes: u64,
    /// When it was last changed.
    pub modified: Option<Timestamp>,
}

/// How far an append-only transcript was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes of complete lines.
    pub bytes: u64,
    /// The digest of the last of these bytes, at most 4 KiB: if it differs now, the file was written anew. `None` if it is
    /// not known.
    pub mark: Option<[u8; 16]>,
}

/// All conversations of people with this host, oldest first, and what couldn't be listed. Those of subagents are left out.
/// O(entries of the host's folders), which is bounded.
pub fn find(
    format: TranscriptFormat,
    machine: &Machine,
) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let (mut files, errors) = match format {
        TranscriptFormat::ClaudeCode => claude_code::find(machine),
        TranscriptFormat::Codex => codex::find(machine),
        TranscriptFormat::Gemini => gemini::find(machine),
        TranscriptFormat::OpenCode => opencode::find(machine),
        TranscriptFormat::Cline => cline::find(machine),
        TranscriptFormat::Cursor => cursor::find(machine),
    };
    files.sort_by(|left, right| (left.modified, &left.path).cmp(&(right.modified, &right.path)));
    (files, errors)
}

/// The transcript at a path, such as a hook names. Errors if it is no regular file.
pub fn file(format: TranscriptFormat, path: &Path) -> Result<TranscriptFile, TranscriptError> {
    let metadata = lines::open_file(path)?
        .metadata()
        .map_err(TranscriptError::io(path))?;
    let session = match format {
        TranscriptFormat::ClaudeCode | TranscriptFormat::Cursor => stem(path),
        TranscriptFormat::Codex => codex::session_of(path),
        TranscriptFormat::Cline => cline::session_of(path),
        TranscriptFormat::Gemini | TranscriptFormat::OpenCode => String::new(),
    };
    Ok(folders::transcript(
        format,
        path.to_owned(),
        session,
        &metadata,
    ))
}

/// Where a session is recorded, for hosts that don't tell it to their hooks; `None` for other hosts, and if it isn't
/// recorded.
pub fn recorded_at(format: TranscriptFormat, session: &str, machine: &Machine) -> Option<PathBuf> {
    match format {
        TranscriptFormat::OpenCode => opencode::database_of(session, machine),
        TranscriptFormat::Cline => cline::recorded_at(session, machine),
        _ => None,
    }
}

/// Reads a transcript from a position on.
///
/// Append-only formats tell in [`Conversation::reached`] where the next reading goes on. A reading ends early before a
/// tool call that waits for its result, and after 200 000 turns or 64 MiB of text: to read all of a file, repeat while
/// [`Conversation::more`] says so. A turn may come again at a later reading, with the same id, where a host completes a
/// message by writing it once more, or where it was the last line and lacked its line break. If the file became shorter,
/// or what was read last differs, it is read from its start.
///
/// A turn without a time in the transcript gets that of the turn before or after it, else that of the file.
///
/// Errors if the file can't be read, is of another format, or is the transcript of a subagent. O(new bytes), in memory
/// one line of at most 32 MiB and the turns.
pub fn read(file: &TranscriptFile, from: Position) -> Result<Conversation, TranscriptError> {
    let from = lines::still_valid(&file.path, from)?;
    let mut conversation = match file.format {
        TranscriptFormat::ClaudeCode => claude_code::read(file, from),
        TranscriptFormat::Codex => codex::read(file, from),
        TranscriptFormat::Gemini => gemini::read(file, from),
        TranscriptFormat::OpenCode => opencode::read(file, from),
        TranscriptFormat::Cline => cline::read(file, from),
        TranscriptFormat::Cursor => cursor::read(file, from),
    }?;
    conversation.complete_times(file);
    let live: HashSet<&str> = (conversation.turns.iter())
        .map(|turn| turn.id.as_str())
        .collect();
    (conversation.abandoned).retain(|id| !live.contains(id.as_str()));
    if let Some(reached) = &mut conversation.reached {
        reached.mark = lines::mark(&file.path, reached.bytes)?;
    }
    Ok(conversation)
}

/// What a person typed, as a transcript's turn would have it: without what hosts and hooks injected, and cut where a turn
/// is. O(length of the text).
pub fn typed(text: &str) -> String {
    text::capped(&injected::without_injected(text), &mut Skipped::default())
}

/// The name of a file without its extension.
fn stem(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Who speaks in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    Person,
    /// The agent.
    Agent,
    /// A tool, in one line: name, target, outcome.
    Tool,
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its id, unique in its host and the same at every reading.
    pub id: String,
    /// Who speaks.
    pub speaker: Speaker,
    /// What was said: no reasoning, no file contents, no encoded data, and nothing that a hook injected.
    pub text: String,
    /// When it was said, as far as the transcript or its file tells.
    pub at: Option<Timestamp>,
    /// The model that speaks, if recorded.
    pub model: Option<String>,
}

/// A conversation, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    /// The session's id.
    pub session: String,
    /// The folder that the agent worked in, if recorded.
    pub folder: Option<PathBuf>,
    /// The branch of the repository, if recorded.
    pub branch: Option<String>,
    /// The turns of the live branch, in order.
    pub turns: Vec<Turn>,
    /// The ids of the turns of abandoned branches, as far as they are not also live.
    pub abandoned: Vec<String>,
    /// What was left out.
    pub skipped: Skipped,
    /// How far the file was read; `None` for formats that are always read as a whole.
    pub reached: Option<Position>,
    /// Whether the reading ended early because it was long enough.
    pub more: bool,
    /// Number of turns without a time of their own.
    pub undated: u64,
}

impl Conversation {
    /// The conversation as read from lines. `more` says whether the reading ended because it was long enough.
    fn of_lines(mut self, lines: &Lines, more: bool) -> Self {
        self.more = more;
        if let Some(number) = lines.unfinished() {
            self.skipped.bad(number, "the line is not finished");
        }
        self
    }
}

/// What a reader left out, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Entries of a kind that is no conversation, or unknown.
    pub other: u64,
    /// Turns of abandoned branches.
    pub abandoned: u64,
    /// Turns without text, and texts that hooks or hosts injected.
    pub empty: u64,
    /// Ends of turns that are too long for a memory. A note in the text says how much is left out.
    pub cut: u64,
    /// Entries that can't be read: their line or number, counted from 1 where the reading began, and why; at most [`Skipped::MAX_BAD`].
    pub bad: Vec<(u64, String)>,
    /// Number of entries that can't be read.
    pub bad_count: u64,
}

impl Skipped {
    /// The most listed entries that can't be read; all are counted.
    pub const MAX_BAD: usize = 20;

    /// Counts an entry that can't be read, and lists it unless the list is full.
    fn bad(&mut self, number: u64, reason: impl fmt::Display) {
        self.bad_count += 1;
        if self.bad.len() < Self::MAX_BAD {
            self.bad
                .push((number, text::first_line(&reason.to_string(), 200)));
        }
    }
}

/// Why a transcript can't be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The file can't be read.
    #[error("can't read {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file isn't a transcript of this format.
    #[error("{path} is not a transcript of {format}: {reason}", path = path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The expected format.
        format: TranscriptFormat,
        /// What is wrong.
        reason: String,
    },
}

impl TranscriptError {
    /// What makes an error of the file system one of this file.
    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }

    fn unknown(file: &TranscriptFile, reason: impl Into<String>) -> Self {
        Self::Unknown {
            path: file.path.clone(),
            format: file.format,
            reason: reason.into(),
        }
    }
}
