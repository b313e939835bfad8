//! Messages and their parts, whichever way they are stored.

use jiff::Timestamp;
use serde::Deserialize;

use super::super::content::Beginning;
use super::super::injected::without_injected;
use super::super::lenient::{Flag, IsObject, List, Number, Object, Text};
use super::super::target::Target;
use super::super::text::capped;
use super::super::tool_line::{Outcome, is_own_tool, tool_line};
use super::super::turns::{Used, id_of, valid_id};
use super::super::{Conversation, Speaker, Turn};

/// A message without its parts. In version 2 it holds its content itself.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    role: Text<'a>,
    pub(super) time: Object<Time>,
    #[serde(borrow, rename = "modelID")]
    model_id: Text<'a>,
    #[serde(borrow)]
    model: Object<Model<'a>>,
    /// In an agent's message: whether it sums up what went before.
    summary: Flag,
    error: IsObject,
    // What follows is of version 2.
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    command: Text<'a>,
    exit: Number,
    #[serde(borrow)]
    content: List<Object<Part<'a>>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Time {
    pub(super) created: Number,
    pub(super) updated: Number,
    completed: Number,
    start: Number,
    end: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model<'a> {
    #[serde(borrow, rename = "modelID")]
    model_id: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
}

/// A part of a message.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    synthetic: Flag,
    ignored: Flag,
    time: Object<Time>,
    #[serde(borrow)]
    tool: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, rename = "callID")]
    call: Text<'a>,
    #[serde(borrow)]
    state: Object<State<'a>>,
}

/// How far a call is.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct State<'a> {
    #[serde(borrow)]
    status: Text<'a>,
    input: Target,
    error: Beginning,
    metadata: Object<CallMetadata>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct CallMetadata {
    exit: Number,
}

/// The point from which on a person took a session back.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Revert<'a> {
    #[serde(borrow, rename = "messageID")]
    message: Text<'a>,
    #[serde(borrow, rename = "partID")]
    part: Text<'a>,
}

/// Which of a session's turns are live.
#[derive(Clone, Debug, Default)]
struct Live {
    /// The message from which on they aren't.
    until_message: Option<String>,
    /// The part of that message; `None` for all of it.
    until_part: Option<String>,
    ended: bool,
}

/// A conversation in the making.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) conversation: Conversation,
    used: Used,
    live: Live,
}

/// Where a turn stands.
struct Place {
    /// When its message was made, in milliseconds, and its number in it.
    id: String,
    at: Option<Timestamp>,
    model: Option<String>,
}

impl Reading {
    /// Turns from this point on are abandoned.
    pub(super) fn live_until(&mut self, revert: &Revert<'_>) {
        self.live.until_message = revert.message.get().map(str::to_owned);
        self.live.until_part = revert.part.get().map(str::to_owned);
    }

    /// Whether no more turns fit.
    pub(super) fn is_full(&self) -> bool {
        self.used.is_full()
    }

    /// Counts a message or part that can't be read.
    pub(super) fn bad(&mut self, number: usize, reason: impl std::fmt::Display) {
        self.conversation.skipped.bad(number as u64, reason);
    }

    /// Adds a message with its parts in order. `is_last` tells whether its agent may still be writing.
    pub(super) fn add(
        &mut self,
        id: &str,
        message: &Message<'_>,
        parts: &[Part<'_>],
        is_last: bool,
    ) {
        let Some(created) = message.time.0.as_ref().and_then(|time| time.created.0) else {
            return;
        };
        let here = self.live.until_message.as_deref() == Some(id);
        self.live.ended |= here && self.live.until_part.is_none();
        for (number, part) in parts.iter().enumerate() {
            self.live.ended |= here && part.id.get() == self.live.until_part.as_deref();
            let place = message.place(created, number, part);
            match (self.live.ended, message.speaker()) {
                (true, _) => self.conversation.skipped.abandoned += u64::from(part.is_turn()),
                (_, None) => self.conversation.skipped.other += 1,
                (_, Some(speaker)) => {
                    if is_last && message.is_unfinished() && part.is_unfinished() {
                        self.conversation.skipped.other += 1;
                    } else {
                        self.add_part(place, speaker, message, part);
                    }
                }
            }
        }
        self.live.ended |= here;
    }

    fn add_part(&mut self, place: Place, speaker: Speaker, message: &Message<'_>, part: &Part<'_>) {
        match part.kind.get() {
            Some("text") if part.synthetic.0 || part.ignored.0 || message.summary.0 => {
                self.conversation.skipped.empty += 1;
            }
            Some("text") => {
                let text = without_injected(part.text.get().unwrap_or_default());
                if text.is_empty() {
                    self.conversation.skipped.empty += 1;
                } else {
                    let text = capped(&text, &mut self.conversation.skipped);
                    let id = id_of(Some(&place.id), speaker, &text);
                    self.push(place, id, speaker, text);
                }
            }
            Some("tool") => self.add_call(place, part),
            _ => self.conversation.skipped.other += 1,
        }
    }

    fn add_call(&mut self, place: Place, part: &Part<'_>) {
        let name = part.tool.get().or(part.name.get()).unwrap_or_default();
        let Some(outcome) = part.state.0.as_ref().and_then(|state| state.outcome()) else {
            // Not ended yet: a later reading finds it.
            self.conversation.skipped.other += 1;
            return;
        };
        if is_own_tool(None, name) {
            self.conversation.skipped.empty += 1;
            return;
        }
        let target = part.state.0.as_ref().map(|state| &state.input);
        let folder = self.conversation.folder.as_deref();
        let target = target.and_then(|target| target.within(folder));
        let line = tool_line(name, target, &outcome);
        let call = part.call.get().or(part.id.get()).unwrap_or_default();
        let id = id_of(Some(&place.id), Speaker::Tool, call);
        self.push(place, id, Speaker::Tool, line);
    }

    fn push(&mut self, place: Place, id: String, speaker: Speaker, text: String) {
        if self.used.is_full() {
            self.conversation.skipped.other += 1;
            return;
        }
        let turn = Turn {
            id,
            speaker,
            text,
            at: place.at,
            model: place.model.filter(|_| speaker == Speaker::Agent),
        };
        self.used.add(&turn);
        self.conversation.turns.push(turn);
    }
}

impl<'a> Message<'a> {
    fn speaker(&self) -> Option<Speaker> {
        match self.role.get().or(self.kind.get())? {
            "user" => Some(Speaker::Person),
            "assistant" | "shell" => Some(Speaker::Agent),
            _ => None,
        }
    }

    fn is_unfinished(&self) -> bool {
        let completed = self.time.0.as_ref().and_then(|time| time.completed.0);
        completed.is_none() && !self.error.0
    }

    /// Sets when the message was made, unless it says so itself.
    pub(super) fn made(&mut self, milliseconds: i64) {
        let time = self.time.0.get_or_insert_default();
        if time.created.0.is_none() {
            time.created = Number(Some(milliseconds));
        }
    }

    fn place(&self, created: i64, number: usize, part: &Part<'_>) -> Place {
        let started = part.time.0.as_ref().and_then(|time| time.start.0);
        let model = self.model.0.as_ref();
        let model = model.and_then(|model| model.model_id.get().or(model.id.get()));
        Place {
            id: format!("{created} {number}"),
            at: Timestamp::from_millisecond(started.unwrap_or(created)).ok(),
            model: self.model_id.get().or(model).map(str::to_owned),
        }
    }

    /// The parts that a message of version 2 holds itself; its kind is told beside it.
    pub(super) fn own_parts(&mut self, kind: &'a str) -> Vec<Part<'a>> {
        self.kind = Text(Some(kind.into()));
        match kind {
            "user" => vec![Part {
                kind: Text(Some("text".into())),
                text: std::mem::take(&mut self.text),
                ..Part::default()
            }],
            "shell" => vec![self.shell_part()],
            "assistant" => {
                let parts = std::mem::take(&mut self.content).0;
                parts
                    .into_iter()
                    .filter_map(|part| part.0)
                    .map(|part| *part)
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// A command that a person ran in the session.
    fn shell_part(&mut self) -> Part<'a> {
        let command = self.command.get().map(str::to_owned);
        Part {
            kind: Text(Some("tool".into())),
            tool: Text(Some("shell".into())),
            state: Object(Some(Box::new(State {
                status: Text(Some("completed".into())),
                input: Target(command),
                metadata: Object(Some(Box::new(CallMetadata { exit: self.exit }))),
                ..State::default()
            }))),
            ..Part::default()
        }
    }
}

impl<'a> Part<'a> {
    /// The part with the id that is stored beside it.
    pub(super) fn with_id(mut self, id: Option<&'a str>) -> Self {
        if let Some(id) = id {
            self.id = Text(Some(id.into()));
        }
        self
    }

    /// Whether it would be a turn.
    fn is_turn(&self) -> bool {
        self.kind.is("text") || self.kind.is("tool")
    }

    /// Whether its text may still grow.
    fn is_unfinished(&self) -> bool {
        let time = self.time.0.as_ref();
        self.kind.is("text")
            && time.is_some_and(|time| time.start.0.is_some() && time.end.0.is_none())
    }
}

impl State<'_> {
    /// How the call ended; `None` if it didn't yet.
    fn outcome(&self) -> Option<Outcome> {
        match self.status.get()? {
            "completed" => {
                let exit = self
                    .metadata
                    .0
                    .as_ref()
                    .and_then(|metadata| metadata.exit.0);
                Some(Outcome::of_exit_code(exit.unwrap_or(0)))
            }
            "error" => Some(Outcome::failed(self.error.get())),
            _ => None,
        }
    }
}

/// An id that can't lead out of the folder of its kind.
pub(super) fn plain_id<'a>(id: &'a Text<'_>) -> Option<&'a str> {
    let plain = |id: &&str| {
        id.chars()
            .all(|next| next.is_ascii_alphanumeric() || next == '_' || next == '-')
    };
    valid_id(id.get()).filter(plain)
}
