//! What the first lines of a transcript of Codex tell about all of it.

use std::path::PathBuf;

use super::record::Record;
use super::{Lines, Position, TranscriptError, TranscriptFile, valid_id};

/// What the first lines tell.
#[derive(Default)]
pub(super) struct Head {
    pub(super) session: String,
    pub(super) folder: Option<PathBuf>,
    pub(super) branch: Option<String>,
    /// Whether the thread is of a subagent, or of the host's own background work.
    pub(super) subagent: bool,
    /// Whether events tell the dialogue; `None` until the agent has answered.
    pub(super) events: Option<bool>,
}

/// Whether a transcript is not a person's conversation. Reads the first line.
pub(super) fn is_of_subagent(file: &TranscriptFile) -> Result<bool, TranscriptError> {
    let mut lines = Lines::open(&file.path, Position::default())?;
    Head::first(file, &mut lines).map(|head| head.is_some_and(|head| head.subagent))
}

impl Head {
    /// Reads up to the first line that tells where the dialogue stands: a few lines.
    pub(super) fn of(file: &TranscriptFile) -> Result<Self, TranscriptError> {
        let mut lines = Lines::open(&file.path, Position::default())?;
        let Some(mut head) = Self::first(file, &mut lines)? else {
            return Ok(Self {
                session: file.session.clone(),
                ..Self::default()
            });
        };
        while head.events.is_none()
            && let Some(line) = lines.next_line()?
        {
            let record = line
                .content
                .and_then(|content| serde_json::from_slice::<Record<'_>>(content).ok());
            head.events = record.and_then(|record| record.tells_by_events());
        }
        Ok(head)
    }

    /// The first line; `None` if it isn't written yet.
    fn first(file: &TranscriptFile, lines: &mut Lines) -> Result<Option<Self>, TranscriptError> {
        let Some(line) = lines.next_line()? else {
            return Ok(None);
        };
        let record: Record<'_> = line
            .content
            .and_then(|content| serde_json::from_slice(content).ok())
            .unwrap_or_default();
        let payload = record
            .payload
            .0
            .as_deref()
            .filter(|_| record.kind.is("session_meta"));
        let Some(payload) = payload else {
            return Err(TranscriptError::unknown(
                file,
                "it doesn't begin with session_meta",
            ));
        };
        let Some(session) = valid_id(payload.id.get()) else {
            return Err(TranscriptError::unknown(file, "its session has no id"));
        };
        let git = payload.git.0.as_deref();
        Ok(Some(Self {
            session: session.to_owned(),
            folder: payload.cwd.get().map(PathBuf::from),
            branch: git.and_then(|git| git.branch.get()).map(str::to_owned),
            subagent: payload.source.0 || payload.thread_source.is("subagent"),
            events: None,
        }))
    }
}
