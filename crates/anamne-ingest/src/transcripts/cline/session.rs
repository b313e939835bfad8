//! New transcripts: one JSON file with the messages of a session.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::blocks::{Answer, Block, Blocks};
use super::super::document::{Items, content_of};
use super::super::lenient::{Flag, Number, Object, Text};
use super::super::turns::valid_id;
use super::super::{Conversation, Speaker, TranscriptError, TranscriptFile};
use super::SESSION_END;
use super::speech::{MARKS, Place, Speech, outcome_of, speaks};
use super::task::time_of;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: Text<'a>,
    #[serde(borrow)]
    messages: Items<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    role: Text<'a>,
    #[serde(borrow)]
    content: Blocks<'a>,
    ts: Number,
    #[serde(borrow, rename = "modelInfo")]
    model: Object<Model<'a>>,
    #[serde(borrow)]
    metadata: Object<Metadata<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model<'a> {
    #[serde(borrow)]
    id: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata<'a> {
    /// What the host made the message for, such as a summary of what went before.
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(rename = "displayOnly")]
    display_only: Flag,
    #[serde(borrow, rename = "displayRole")]
    display_role: Text<'a>,
    /// How many of a person's turns the message stands for.
    #[serde(rename = "userRunSpan")]
    persons_turns: Number,
}

impl Metadata<'_> {
    /// Whether the message is the host's own.
    fn is_of_host(&self) -> bool {
        let role = self.display_role.get();
        self.display_only.0
            || role.is_some_and(|role| matches!(role, "system" | "status" | "error"))
            || self
                .kind
                .get()
                .is_some_and(|kind| kind.starts_with("compaction"))
    }
}

/// The file beside the messages that describes the session.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest<'a> {
    #[serde(borrow)]
    cwd: Text<'a>,
    #[serde(borrow)]
    workspace_root: Text<'a>,
}

pub(super) fn read(file: &TranscriptFile) -> Result<Conversation, TranscriptError> {
    let content = content_of(file, &file.path)?;
    let document: Document<'_> = serde_json::from_str(&content)
        .map_err(|error| TranscriptError::unknown(file, error.to_string()))?;
    let Some(messages) = document.messages.0 else {
        return Err(TranscriptError::unknown(file, "it has no messages"));
    };
    let mut speech = Speech::default();
    let session = document.session.get().unwrap_or(&file.session);
    session.clone_into(&mut speech.conversation.session);
    speech.conversation.folder = folder_of(file);
    for (number, message) in messages.into_iter().enumerate() {
        add(&mut speech, number, message);
    }
    Ok(speech.conversation)
}

/// The session's folder, which the file beside the messages tells.
fn folder_of(file: &TranscriptFile) -> Option<PathBuf> {
    let name = file.path.file_name()?.to_str()?.strip_suffix(SESSION_END)?;
    let path = file.path.with_file_name(format!("{name}.json"));
    // A session without this file is one whose folder isn't recorded.
    let content = content_of(file, &path).ok()?;
    let manifest: Manifest<'_> = serde_json::from_str(&content).ok()?;
    let folder = manifest.cwd.get().or(manifest.workspace_root.get())?;
    Some(PathBuf::from(folder))
}

fn add(speech: &mut Speech, number: usize, json: &RawValue) {
    let message: Message<'_> = match serde_json::from_str(json.get()) {
        Ok(message) => message,
        Err(error) => return speech.conversation.skipped.bad(number as u64, error),
    };
    let Some(id) = valid_id(message.id.get()) else {
        return speech
            .conversation
            .skipped
            .bad(number as u64, "it has no id");
    };
    let metadata = message.metadata.0.as_deref();
    if metadata.is_some_and(Metadata::is_of_host) {
        speech.conversation.skipped.empty += 1;
        return;
    }
    let mut place = Place {
        message: Some(id.to_owned()),
        number,
        block: 0,
        at: message.ts.0.and_then(time_of),
        model: message
            .model
            .0
            .and_then(|model| model.id.get().map(str::to_owned)),
    };
    let reminds = metadata.is_some_and(|metadata| metadata.persons_turns.0 == Some(0));
    for (block, content) in message.content.0.iter().enumerate() {
        place.block = block;
        match (message.role.get(), content.kind.get()) {
            (Some("user"), Some("text")) => person(speech, &place, content, reminds),
            (Some("user"), Some("tool_result")) => result(speech, &place, content),
            (Some("assistant"), Some("text")) => {
                speech.say(
                    &place,
                    Speaker::Agent,
                    content.text.get().unwrap_or_default(),
                );
            }
            (Some("assistant"), Some("tool_use")) => call(speech, &place, content),
            _ => speech.conversation.skipped.other += 1,
        }
    }
}

/// What a person typed. A text without a mark in a message that stands for no turn of a person is the host's.
fn person(speech: &mut Speech, place: &Place, block: &Block<'_>, reminds: bool) {
    let divided = MARKS.divide(block.text.get().unwrap_or_default());
    match divided.typed {
        Some(typed) => speech.say(place, Speaker::Person, &typed),
        None if reminds => speech.conversation.skipped.empty += 1,
        None => speech.say(place, Speaker::Person, &divided.rest),
    }
}

/// A call, which may be what the agent says.
pub(super) fn call(speech: &mut Speech, place: &Place, block: &Block<'_>) {
    let tool = block.name.get().unwrap_or_default();
    let input = block.input();
    if input.is_own(tool) {
        speech.conversation.skipped.empty += 1;
        return speech.call(place, block.id.get(), tool, None);
    }
    let said = [&input.question, &input.response, &input.result];
    let said = said.into_iter().find_map(|text| text.get());
    if let Some(said) = said.filter(|_| speaks(tool)) {
        speech.say(place, Speaker::Agent, said);
        return speech.call(place, block.id.get(), tool, None);
    }
    let called = input.called(tool, speech.conversation.folder.as_deref());
    speech.call(place, block.id.get(), tool, Some(called));
}

fn result(speech: &mut Speech, place: &Place, block: &Block<'_>) {
    let id = block.tool_use_id.get().unwrap_or_default();
    let Some(call) = speech.call_of_id(id) else {
        speech.conversation.skipped.other += 1;
        return;
    };
    let answer = Answer::of(block.content);
    speech.end(&call, &outcome_of(&answer, block.is_error.0));
    if call.tool == ASK && !block.is_error.0 && answer.failure.is_none() {
        speech.say(place, Speaker::Person, &answer.text);
    }
}

/// The tool that asks a person, whose answer is the tool's result.
const ASK: &str = "ask_question";
