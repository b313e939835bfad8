//! One line of a transcript of Codex.

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

use super::output::Output;
use crate::transcripts::content::{Beginning, Content};
use crate::transcripts::lenient::{Field, Number, Object, Text, deserialize_as_field};
use crate::transcripts::target::Target;
use crate::transcripts::tool_line::Outcome;

/// One line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) payload: Object<Payload<'a>>,
}

/// The payload of every type of line that is read.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    // The session.
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) git: Object<Git<'a>>,
    pub(super) source: OwnSource,
    #[serde(borrow)]
    pub(super) thread_source: Text<'a>,
    // Messages.
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) item: Object<Item<'a>>,
    pub(super) num_turns: Number,
    completed_at_ms: Number,
    // Tool calls.
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    namespace: Text<'a>,
    #[serde(borrow)]
    arguments: Text<'a>,
    #[serde(borrow)]
    input: Text<'a>,
    pub(super) action: Target,
    pub(super) output: Output,
    exit_code: Number,
    success: Verdict,
    result: Verdict,
    #[serde(borrow)]
    turn_id: Text<'a>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    passthrough: Object<Passthrough<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Git<'a> {
    #[serde(borrow)]
    pub(super) branch: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Passthrough<'a> {
    #[serde(borrow)]
    turn_id: Text<'a>,
}

/// An item that is complete: a message, or a tool call with its outcome.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    exit_code: Number,
    #[serde(borrow)]
    status: Text<'a>,
    error: Beginning,
}

impl Record<'_> {
    /// Whether this line shows that events tell the dialogue, or that they don't.
    pub(super) fn tells_by_events(&self) -> Option<bool> {
        let payload = self.payload.0.as_deref()?;
        match self.kind.get()? {
            "event_msg" => Some(true),
            "response_item" if payload.role.is("assistant") => Some(false),
            _ => None,
        }
    }
}

impl Payload<'_> {
    /// When an item was complete.
    pub(super) fn completed_at(&self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_millisecond(self.completed_at_ms.0?).ok()
    }

    /// The exchange that the line belongs to.
    pub(super) fn turn(&self) -> Option<&str> {
        let passed = self
            .passthrough
            .0
            .as_ref()
            .and_then(|passed| passed.turn_id.get());
        self.turn_id.get().or(passed)
    }

    /// The tool's name, after its server's.
    pub(super) fn tool_name(&self) -> String {
        let name = match self.kind.get() {
            Some("local_shell_call") => "shell",
            _ => self.name.get().unwrap_or_default(),
        };
        match self
            .namespace
            .get()
            .map(|space| space.trim_end_matches('_'))
        {
            Some(space) => format!("{space}__{name}"),
            None => name.to_owned(),
        }
    }

    pub(super) fn target(&self) -> Target {
        match (self.arguments.get(), self.input.get()) {
            (Some(arguments), _) => Target::in_json(arguments),
            (None, Some(input)) => Target(patched_file(input)),
            (None, None) => self.action.clone(),
        }
    }

    /// How a tool call ended, in an event that tells it.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self.exit_code.0 {
            Some(code) => Some(Outcome::of_exit_code(code)),
            None => self.success.outcome().or(self.result.outcome()),
        }
    }
}

/// The first file of a patch.
fn patched_file(patch: &str) -> Option<String> {
    const MARKS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let mut names = patch
        .lines()
        .take(100)
        .flat_map(|line| MARKS.iter().map(move |mark| line.strip_prefix(mark)));
    names.find_map(|name| name.map(str::to_owned))
}

impl Item<'_> {
    /// How a tool call ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match (self.exit_code.0, self.status.get()?) {
            (Some(code), _) => Some(Outcome::of_exit_code(code)),
            (None, "completed") => Some(Outcome::Ok),
            (None, "failed" | "declined") => Some(Outcome::failed(self.error.get())),
            _ => None,
        }
    }
}

/// Whether a thread was started by Codex itself: for a subagent, or for work of its own.
#[derive(Default)]
pub(super) struct OwnSource(pub(super) bool);

impl<'de> Field<'de> for OwnSource {
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut own = false;
        while let Some(Text(name)) = object.next_key::<Text<'de>>()? {
            own |= matches!(name.as_deref(), Some("subagent" | "internal"));
            object.next_value::<IgnoredAny>()?;
        }
        Ok(Self(own))
    }
}
deserialize_as_field!(OwnSource);

/// Whether something worked: a truth value, or an object with `Ok` or `Err`.
#[derive(Default)]
struct Verdict(Option<Result<(), String>>);

impl Verdict {
    fn outcome(&self) -> Option<Outcome> {
        self.0.as_ref().map(|verdict| match verdict {
            Ok(()) => Outcome::Ok,
            Err(error) => Outcome::failed(error),
        })
    }
}

impl<'de> Field<'de> for Verdict {
    fn of_flag(flag: bool) -> Self {
        Self(Some(if flag { Ok(()) } else { Err(String::new()) }))
    }
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut found = None;
        while let Some(Text(name)) = object.next_key::<Text<'de>>()? {
            match name.as_deref() {
                Some("Err") => {
                    found = Some(Err(object.next_value::<Beginning>()?.get().to_owned()));
                }
                Some("Ok") => {
                    object.next_value::<IgnoredAny>()?;
                    found = Some(Ok(()));
                }
                _ => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Self(found))
    }
}
deserialize_as_field!(Verdict);
