//! The conversations that agent hosts record on disk.
//!
//! [`find`] lists them, [`read`] reads one: the live branch only, from a position on if some of it was read before. A
//! [`Conversation`] becomes drafts with stable external ids, so that reading the same words twice stores them once.

mod draft;

use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;

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
    /// When it was said, if recorded.
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
    /// What was left out.
    pub skipped: Skipped,
    /// How far the file was read; `None` for formats that are always read as a whole.
    pub reached: Option<Position>,
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
    /// Entries that can't be read: their line or number, and why; at most [`Skipped::MAX_BAD`].
    pub bad: Vec<(u64, String)>,
    /// Number of entries that can't be read.
    pub bad_count: u64,
}

impl Skipped {
    /// The most listed entries that can't be read; all are counted.
    pub const MAX_BAD: usize = 20;
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
