//! Old transcripts: a folder by task, with the messages to the model, and those shown to the person.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::blocks::{Answer, Block, Blocks};
use super::super::document::{Items, content_of};
use super::super::lenient::{List, Number, Object, Text};
use super::super::tool_line::is_own_tool;
use super::super::{Conversation, Speaker, TranscriptError, TranscriptFile};
use super::markup::{self, Part};
use super::session;
use super::session_of;
use super::speech::{DENIED, MARKS, Place, Speech, outcome_of, speaks};

/// Tools whose result begins with the program's own words, so that a person's words in it can't be forged by a file.
const HONEST: [&str; 7] = [
    "apply_patch",
    "condense",
    "execute_command",
    "new_task",
    "replace_in_file",
    "use_skill",
    "write_to_file",
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    #[serde(borrow)]
    content: Blocks<'a>,
    ts: Number,
    #[serde(borrow, rename = "modelInfo")]
    model: Object<Model<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model<'a> {
    #[serde(borrow, rename = "modelId")]
    id: Text<'a>,
}

/// A message that was shown to the person.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Shown {
    ts: Number,
    /// The last message to the model before it, from -1.
    #[serde(rename = "conversationHistoryIndex")]
    after: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TaskMetadata<'a> {
    #[serde(borrow)]
    model_usage: List<Object<Usage<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage<'a> {
    ts: Number,
    #[serde(borrow)]
    model_id: Text<'a>,
}

pub(super) fn read(file: &TranscriptFile) -> Result<Conversation, TranscriptError> {
    let content = content_of(file, &file.path)?;
    let items: Items<'_> = serde_json::from_str(&content)
        .map_err(|error| TranscriptError::unknown(file, error.to_string()))?;
    let Some(items) = items.0 else {
        return Err(TranscriptError::unknown(file, "it is no list of messages"));
    };
    let mut reading = Reading {
        speech: Speech::default(),
        times: times_of(file),
        models: models_of(file),
        calls_are_blocks: items.iter().any(|item| has_call_blocks(item)),
        answering: None,
    };
    reading.speech.conversation.session = session_of(&file.path);
    for (number, item) in items.into_iter().enumerate() {
        reading.add(number, item);
    }
    Ok(reading.speech.conversation)
}

/// Whether a message has calls as blocks of their own: then marks in its text are only text.
fn has_call_blocks(json: &RawValue) -> bool {
    let message: Message<'_> = serde_json::from_str(json.get()).unwrap_or_default();
    message
        .content
        .0
        .iter()
        .any(|block| block.kind.is("tool_use"))
}

/// When each message was added, by its number, as far as the messages shown to the person tell.
fn times_of(file: &TranscriptFile) -> BTreeMap<usize, Timestamp> {
    let mut times = BTreeMap::new();
    // Without this file, or with another shape of it, the times aren't known.
    let content = content_of(file, &file.path.with_file_name("ui_messages.json"));
    let content = content.unwrap_or_default();
    let items: Items<'_> = serde_json::from_str(&content).unwrap_or_default();
    for item in items.0.unwrap_or_default() {
        let shown: Shown = serde_json::from_str(item.get()).unwrap_or_default();
        let number = shown.after.0.and_then(|after| after.checked_add(1));
        let number = number.and_then(|number| usize::try_from(number).ok());
        if let (Some(number), Some(at)) = (number, shown.ts.0.and_then(time_of)) {
            times.entry(number).or_insert(at);
        }
    }
    times
}

/// Since when which model was used, in order.
fn models_of(file: &TranscriptFile) -> Vec<(Timestamp, String)> {
    let content = content_of(file, &file.path.with_file_name("task_metadata.json"));
    let content = content.unwrap_or_default();
    let metadata: TaskMetadata<'_> = serde_json::from_str(&content).unwrap_or_default();
    let usages = metadata
        .model_usage
        .0
        .into_iter()
        .filter_map(|usage| usage.0);
    let mut models: Vec<_> = usages
        .filter_map(|usage| Some((time_of(usage.ts.0?)?, usage.model_id.get()?.to_owned())))
        .collect();
    models.sort();
    models
}

/// A time in milliseconds since 1970.
pub(super) fn time_of(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}

struct Reading {
    speech: Speech,
    times: BTreeMap<usize, Timestamp>,
    models: Vec<(Timestamp, String)>,
    calls_are_blocks: bool,
    /// The tool whose result is the next block of text.
    answering: Option<String>,
}

impl Reading {
    fn add(&mut self, number: usize, json: &RawValue) {
        let message: Message<'_> = match serde_json::from_str(json.get()) {
            Ok(message) => message,
            Err(error) => return self.speech.conversation.skipped.bad(number as u64, error),
        };
        let at = message.ts.0.and_then(time_of);
        let at = at.or_else(|| self.times.get(&number).copied());
        let model = message
            .model
            .0
            .and_then(|model| model.id.get().map(str::to_owned));
        let mut place = Place {
            message: None,
            number,
            block: 0,
            at,
            model: model.or_else(|| self.model_at(at?)),
        };
        self.answering = None;
        for block in &message.content.0 {
            place.block += 1;
            self.add_block(&mut place, message.role.get(), block);
        }
    }

    fn model_at(&self, at: Timestamp) -> Option<String> {
        let until = self.models.partition_point(|(since, _)| *since <= at);
        Some(self.models.get(until.checked_sub(1)?)?.1.clone())
    }

    fn add_block(&mut self, place: &mut Place, role: Option<&str>, block: &Block<'_>) {
        match (role, block.kind.get()) {
            (Some("user"), Some("text")) => {
                self.hear(place, block.text.get().unwrap_or_default());
            }
            (Some("user"), Some("tool_result")) => self.result(place, block),
            (Some("assistant"), Some("text")) => {
                self.write(place, block.text.get().unwrap_or_default());
            }
            (Some("assistant"), Some("tool_use")) => session::call(&mut self.speech, place, block),
            _ => self.speech.conversation.skipped.other += 1,
        }
    }

    /// What an agent wrote: text and, where they aren't blocks, calls.
    fn write(&mut self, place: &mut Place, text: &str) {
        if self.calls_are_blocks {
            return self.speech.say(place, Speaker::Agent, text);
        }
        let text = markup::without_thoughts(text);
        for part in markup::parts(&text) {
            match part {
                Part::Text(text) => self.speech.say(place, Speaker::Agent, text),
                Part::Call(tool, parameters) => self.call(place, tool, parameters),
            }
            place.block += 1;
        }
    }

    fn call(&mut self, place: &Place, tool: &str, parameters: &str) {
        let (server, behind) = markup::behind(parameters);
        if is_own_tool(server, tool) || behind.is_some_and(|tool| is_own_tool(None, tool)) {
            self.speech.conversation.skipped.empty += 1;
            return self.speech.call(place, None, tool, None);
        }
        let said = ["question", "response", "result"];
        let said = said
            .iter()
            .find_map(|name| markup::parameter(parameters, name));
        if let Some(said) = said.filter(|_| speaks(tool)) {
            self.speech.say(place, Speaker::Agent, said);
            return self.speech.call(place, None, tool, None);
        }
        let called = markup::called(tool, parameters);
        self.speech.call(place, None, tool, Some(called));
    }

    /// A text to the model: a person's words, a tool's result, or what the program adds.
    fn hear(&mut self, place: &Place, text: &str) {
        if let Some(tool) = self.answering.take() {
            return self.answer(place, &tool, text);
        }
        if let Some((tool, body)) = result_of(text) {
            if body.trim().is_empty() {
                self.answering = Some(tool.to_owned());
                return;
            }
            return self.answer(place, tool, body);
        }
        if text.trim_start().starts_with(DETAILS) {
            self.note_folder(text);
        }
        match MARKS.divide(text).typed {
            Some(typed) => self.speech.say(place, Speaker::Person, &typed),
            None => self.speech.conversation.skipped.empty += 1,
        }
    }

    fn note_folder(&mut self, details: &str) {
        let folder = &mut self.speech.conversation.folder;
        if folder.is_none() {
            *folder = folder_in(details);
        }
    }

    /// The result of a call that is known by its tool only.
    fn answer(&mut self, place: &Place, tool: &str, text: &str) {
        let answer = Answer {
            text: text.to_owned(),
            failure: None,
        };
        if let Some(call) = self.speech.call_of_tool(tool) {
            self.speech.end(&call, &outcome_of(&answer, false));
        }
        self.reply(place, tool, text);
    }

    fn result(&mut self, place: &Place, block: &Block<'_>) {
        let id = block.tool_use_id.get().unwrap_or_default();
        let Some(call) = self.speech.call_of_id(id) else {
            self.speech.conversation.skipped.other += 1;
            return;
        };
        let answer = Answer::of(block.content);
        self.speech
            .end(&call, &outcome_of(&answer, block.is_error.0));
        let text = result_of(&answer.text).map_or(answer.text.as_str(), |(_, body)| body);
        self.reply(place, &call.tool, text);
    }

    /// What a person said with a result.
    fn reply(&mut self, place: &Place, tool: &str, text: &str) {
        if let Some(reply) = reply_in(tool, text) {
            self.speech.say(place, Speaker::Person, &reply);
        }
    }
}

const DETAILS: &str = "<environment_details>";

/// The tool and the body of a text such as `[read_file for 'a.rs'] Result: …`.
fn result_of(text: &str) -> Option<(&str, &str)> {
    let (head, body) = text
        .trim_start()
        .strip_prefix('[')?
        .split_once("] Result:")?;
    let name = head.split([' ', ']']).next()?;
    let whole = !head.contains('\n') && !name.is_empty();
    whole.then_some((name, body))
}

/// What a person said in a tool's result: an answer to a question, or why a call was refused.
fn reply_in(tool: &str, text: &str) -> Option<String> {
    let text = text.trim_start();
    let refused = text.starts_with(DENIED) && HONEST.contains(&tool);
    let replied = speaks(tool) && (text.starts_with('<') || text.starts_with("The user "));
    (refused || replied)
        .then(|| MARKS.divide(text).typed)
        .flatten()
}

/// The working folder in the details that the program adds to messages.
fn folder_in(details: &str) -> Option<PathBuf> {
    const HEADS: [&str; 2] = [
        "# Current Working Directory (",
        "# Current Workspace Directory (",
    ];
    let line = details
        .lines()
        .find(|line| HEADS.iter().any(|head| line.starts_with(head)))?;
    let (_, rest) = line.split_once('(')?;
    let (folder, _) = rest
        .rsplit_once(") Files")
        .or_else(|| rest.rsplit_once(')'))?;
    (!folder.is_empty()).then(|| PathBuf::from(folder))
}
