//! What hosts send to hooks, and what they expect back.

mod answer;
mod fields;
mod input;
mod names;
mod sample;
mod tool;

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

pub use answer::{answer, fits, limit, takes_context};
pub use input::{MAX_INPUT, read_input};
pub use sample::sample;

/// The events that Anamne handles. Each host names them in its own way; see [`crate::adapters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookEvent {
    /// A session starts, is resumed, was cleared or compacted.
    SessionStart,
    /// A person submitted a prompt.
    Prompt,
    /// A tool was used.
    Tool,
    /// A tool failed.
    ToolFailed,
    /// The agent ended its turn.
    TurnEnd,
    /// The host is about to compact the conversation.
    BeforeCompaction,
    /// The session ends.
    SessionEnd,
}

impl HookEvent {
    /// All events.
    pub const ALL: [Self; 7] = [
        Self::SessionStart,
        Self::Prompt,
        Self::Tool,
        Self::ToolFailed,
        Self::TurnEnd,
        Self::BeforeCompaction,
        Self::SessionEnd,
    ];

    /// Its name on the command line. It never changes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::Tool => "tool",
            Self::ToolFailed => "tool-failed",
            Self::TurnEnd => "turn-end",
            Self::BeforeCompaction => "before-compaction",
            Self::SessionEnd => "session-end",
        }
    }

    /// The event of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a session starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartReason {
    /// A new session, or unknown.
    #[default]
    Startup,
    /// An earlier one goes on.
    Resume,
    /// The person cleared the conversation.
    Clear,
    /// The host compacted the conversation.
    Compact,
    /// A copy of an earlier one goes on.
    Fork,
}

/// What a host told a hook. Everything is optional: hosts and their versions differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookInput {
    /// The host that sent it, where its fields show that it isn't the one that the hook was set up for: hosts read each
    /// other's configuration. It is the one to answer.
    pub sender: Option<&'static str>,
    /// The host's id of the session.
    pub session: Option<String>,
    /// The folder of the project.
    pub folder: Option<PathBuf>,
    /// The transcript of the session.
    pub transcript: Option<PathBuf>,
    /// Why the session starts.
    pub reason: StartReason,
    /// What the person typed.
    pub prompt: Option<String>,
    /// The host's id of this turn, if it has one.
    pub turn: Option<String>,
    /// What the agent said last.
    pub last_message: Option<String>,
    /// The tool that was used.
    pub tool: Option<ToolUse>,
    /// Whether a subagent caused the event, which acts for no person.
    pub is_subagent: bool,
    /// Whether the turn goes on because a hook asked for it.
    pub is_continued: bool,
}

/// A tool that was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// The host's id of the call.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// What it was used on, in one line of at most 200 characters: a file, a command, a query. Never contents.
    pub target: String,
    /// Whether it succeeded, if known.
    pub succeeded: Option<bool>,
    /// The error in at most 500 characters; empty if it succeeded.
    pub error: String,
    /// How long it took, if told.
    pub milliseconds: Option<u64>,
}
