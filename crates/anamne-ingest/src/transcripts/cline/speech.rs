//! What either side said, and how calls ended, on the way to turns.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use super::super::blocks::{Answer, Called};
use super::super::injected::without_injected;
use super::super::text::capped;
use super::super::tool_line::Outcome;
use super::super::turns::{Used, id_of};
use super::super::wrapped::Marks;
use super::super::{Conversation, Speaker, Turn};

/// The marks of all versions.
pub(super) const MARKS: Marks = Marks {
    typed: &["user_input", "task", "feedback", "user_message", "answer"],
    added: &[
        "environment_details",
        "explicit_instructions",
        "file_content",
        "file_mentions",
        "folder_content",
        "git_diff",
        "hook_context",
        "mode_notice",
        "terminal_output",
        "url_content",
        "user_command",
        "workspace_diagnostics",
    ],
};

/// Tools whose input is what the agent says to the person, and whose result is what the person answers.
const SPEAKING: [&str; 5] = [
    "ask_followup_question",
    "ask_question",
    "attempt_completion",
    "plan_mode_respond",
    "plan_mode_response",
];

/// Whether calling this tool is speaking.
pub(super) fn speaks(tool: &str) -> bool {
    SPEAKING.contains(&tool)
}

/// Where a turn stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The id of its message; `None` where messages have none, so that the turn's id comes from its place and text.
    pub(super) message: Option<String>,
    /// The number of its message.
    pub(super) number: usize,
    /// The number of its block.
    pub(super) block: usize,
    pub(super) at: Option<Timestamp>,
    pub(super) model: Option<String>,
}

/// A call whose result may follow.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its tool.
    pub(super) tool: String,
    /// What its line shows, and its turn; `None` if it has no line.
    line: Option<(Called, usize)>,
}

/// Turns in the making.
#[derive(Default)]
pub(super) struct Speech {
    pub(super) conversation: Conversation,
    used: Used,
    by_id: HashMap<String, Call>,
    in_order: VecDeque<Call>,
}

impl Speech {
    /// Adds what someone said, as far as a person or an agent said it.
    pub(super) fn say(&mut self, place: &Place, speaker: Speaker, text: &str) {
        let text = without_injected(text);
        if text.is_empty() {
            self.conversation.skipped.empty += 1;
        } else {
            let text = capped(&text, &mut self.conversation.skipped);
            let id = self.id_of(place, speaker, &text);
            self.push(place, id, speaker, text);
        }
    }

    /// Adds a call. Its result is found by the call's id, or else by the order of the calls.
    pub(super) fn call(
        &mut self,
        place: &Place,
        id: Option<&str>,
        tool: &str,
        line: Option<Called>,
    ) {
        let line = line.and_then(|called| {
            let text = called.line(&Outcome::Unknown);
            // The same id before the result is known and after.
            let id = self.id_of(place, Speaker::Tool, &text);
            let turn = self.conversation.turns.len();
            self.push(place, id, Speaker::Tool, text)
                .then_some((called, turn))
        });
        let call = Call {
            tool: tool.to_owned(),
            line,
        };
        match id {
            Some(id) => drop(self.by_id.insert(id.to_owned(), call)),
            None => self.in_order.push_back(call),
        }
    }

    /// The call with this id, which has its result now.
    pub(super) fn call_of_id(&mut self, id: &str) -> Option<Call> {
        self.by_id.remove(id)
    }

    /// The next call of this tool without a result. Those before it got none.
    pub(super) fn call_of_tool(&mut self, tool: &str) -> Option<Call> {
        while let Some(call) = self.in_order.pop_front() {
            if call.tool == tool {
                return Some(call);
            }
        }
        None
    }

    /// Ends a call: its line gets the outcome.
    pub(super) fn end(&mut self, call: &Call, outcome: &Outcome) {
        if let Some((called, turn)) = &call.line {
            self.conversation.turns[*turn].text = called.line(outcome);
        }
    }

    fn id_of(&self, place: &Place, speaker: Speaker, text: &str) -> String {
        if let Some(message) = &place.message {
            return format!("{message}#{}", place.block);
        }
        let session = &self.conversation.session;
        let place = format!("{session} {} {}", place.number, place.block);
        id_of(Some(&place), speaker, text)
    }

    /// Adds a turn, unless there are too many.
    fn push(&mut self, place: &Place, id: String, speaker: Speaker, text: String) -> bool {
        if self.used.is_full() {
            self.conversation.skipped.other += 1;
            return false;
        }
        let agent = speaker == Speaker::Agent;
        let turn = Turn {
            id,
            speaker,
            text,
            at: place.at,
            model: place.model.clone().filter(|_| agent),
        };
        self.used.add(&turn);
        self.conversation.turns.push(turn);
        true
    }
}

/// How a call with this answer ended.
pub(super) fn outcome_of(answer: &Answer, is_error: bool) -> Outcome {
    if let Some(failure) = &answer.failure {
        return Outcome::failed(failure);
    }
    let text = answer.text.trim_start();
    if text.starts_with(DENIED) {
        return Outcome::failed("denied by the person");
    }
    if let Some(error) = text.strip_prefix(FAILED) {
        let error = error.trim_start_matches([':', '\n', ' ']);
        return Outcome::failed(error.strip_prefix("<error>").unwrap_or(error));
    }
    if is_error {
        Outcome::failed(text)
    } else {
        Outcome::Ok
    }
}

/// How the answer to a call begins that a person refused.
pub(super) const DENIED: &str = "The user denied this operation";

const FAILED: &str = "The tool execution failed with the following error";
