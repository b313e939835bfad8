//! One line of a transcript of Gemini CLI.

use std::borrow::Cow;

use serde::Deserialize;

use crate::transcripts::content::{Beginning, Content};
use crate::transcripts::lenient::{IsObject, List, Text};
use crate::transcripts::target::Target;
use crate::transcripts::tool_line::Outcome;

/// One line: the session, a message, or a control record.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) project_hash: Text<'a>,
    #[serde(borrow, rename = "kind")]
    pub(super) kind_of_session: Text<'a>,
    #[serde(rename = "$set")]
    pub(super) set: IsObject,
    #[serde(borrow, rename = "$rewindTo")]
    pub(super) rewind_to: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(borrow)]
    display_content: Content<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: List<ToolCall<'a>>,
}

/// A tool call, with its result once it has one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCall<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    pub(super) args: Target,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    result: Beginning,
}

impl Record<'_> {
    /// What was said: as the person wrote it, without the files that the host added, if that is recorded.
    pub(super) fn said(&self) -> Cow<'_, str> {
        let shown = self.display_content.text(|block| !block.thought.0);
        if shown.trim().is_empty() {
            self.content.text(|block| !block.thought.0)
        } else {
            shown
        }
    }
}

impl ToolCall<'_> {
    /// How the call ended; `None` while it runs.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self.status.get()? {
            // A command that failed is a call that worked.
            "success" if self.name.is("run_shell_command") => {
                Some(Outcome::of_exit_code(self.result.exit_code.unwrap_or(0)))
            }
            "success" => Some(Outcome::Ok),
            "error" => Some(Outcome::failed(self.result.get())),
            "cancelled" => Some(Outcome::Failed("cancelled".to_owned())),
            _ => None,
        }
    }
}
