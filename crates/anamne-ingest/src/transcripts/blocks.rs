//! Contents of messages in the shape of the Messages API: a text, or a list of blocks.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess};
use serde_json::value::RawValue;

use super::lenient::{Field, Flag, List, Object, Text, deserialize_as_field, field};
use super::target::Target;
use super::tool_line::{Outcome, is_own_tool, tool_line};

/// The blocks of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks<'a>(pub(super) Vec<Block<'a>>);

impl<'de> Field<'de> for Blocks<'de> {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self(vec![Block::text(text)])
    }
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let items = List::<Object<Block<'de>>>::of_list(list)?.0;
        let blocks = items.into_iter().filter_map(|item| item.0);
        Ok(Self(blocks.map(|block| *block).collect()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Blocks<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field::<D, Blocks<'de>>(deserializer)
    }
}

/// One block, of whichever type: fields of other types are missing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    /// The call's id, in a call.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// The tool's name, in a call.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// What the tool is called with.
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    /// The call's id, in a result.
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    /// What the tool answered.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: Flag,
}

impl<'a> Block<'a> {
    fn text(text: Cow<'a, str>) -> Self {
        Self {
            kind: Text(Some(Cow::Borrowed("text"))),
            text: Text(Some(text)),
            ..Self::default()
        }
    }

    /// The input of a call, as far as it says what is called. O(its length).
    pub(super) fn input(&self) -> Input<'a> {
        let json = self.input.map(RawValue::get).unwrap_or_default();
        let mut input: Input<'a> = serde_json::from_str(json).unwrap_or_default();
        input.target = Target::in_json(json);
        input
    }
}

/// What a call's input says about what is called.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input<'a> {
    #[serde(skip)]
    pub(super) target: Target,
    #[serde(borrow)]
    server: Text<'a>,
    #[serde(borrow)]
    server_name: Text<'a>,
    #[serde(borrow, rename = "serverName")]
    server_name_in_camel_case: Text<'a>,
    #[serde(borrow)]
    tool_name: Text<'a>,
    #[serde(borrow, rename = "toolName")]
    tool_name_in_camel_case: Text<'a>,
    /// Several commands, or other targets.
    #[serde(borrow)]
    commands: List<Text<'a>>,
    /// What an agent asks a person.
    #[serde(borrow)]
    pub(super) question: Text<'a>,
    /// What an agent answers.
    #[serde(borrow)]
    pub(super) response: Text<'a>,
    /// What an agent ends its work with.
    #[serde(borrow)]
    pub(super) result: Text<'a>,
}

/// What hosts put before the name of a server to tell where it is configured.
const ORIGINS: [&str; 3] = ["user-", "project-", "workspace-"];

impl Input<'_> {
    /// The MCP server and its tool, where a general tool calls those of all servers.
    fn behind(&self) -> (Option<&str>, Option<&str>) {
        let servers = [
            &self.server,
            &self.server_name,
            &self.server_name_in_camel_case,
        ];
        let server = servers.into_iter().find_map(Text::get).map(|server| {
            let bare = ORIGINS
                .iter()
                .find_map(|origin| server.strip_prefix(origin));
            bare.unwrap_or(server)
        });
        let tool = self.tool_name.get().or(self.tool_name_in_camel_case.get());
        (server, tool)
    }

    /// Whether a call of this tool with this input calls one of Anamne's own tools.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let (server, tool) = self.behind();
        is_own_tool(server, name) || tool.is_some_and(|tool| is_own_tool(None, tool))
    }

    /// What a call of this tool with this input shows. O(length of the target).
    pub(super) fn called(&self, name: &str, folder: Option<&Path>) -> Called {
        let commands: Vec<&str> = self.commands.0.iter().filter_map(Text::get).collect();
        let target = match self.target.within(folder) {
            None if !commands.is_empty() => Some(commands.join("; ")),
            target => target.map(str::to_owned),
        };
        let name = match self.behind() {
            (Some(server), Some(tool)) => format!("{server} {tool}"),
            _ => name.to_owned(),
        };
        Called { name, target }
    }
}

/// What is called, and on what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) target: Option<String>,
}

impl Called {
    /// The call as one line.
    pub(super) fn line(&self, outcome: &Outcome) -> String {
        tool_line(&self.name, self.target.as_deref(), outcome)
    }
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Its text.
    pub(super) text: String,
    /// Why it failed, if the answer's structure says so.
    pub(super) failure: Option<String>,
}

impl Answer {
    /// The answer in the content of a result. O(its length).
    pub(super) fn of(content: Option<&RawValue>) -> Self {
        let json = content.map(RawValue::get).unwrap_or_default();
        serde_json::from_str(json).unwrap_or_default()
    }

    fn add(&mut self, part: &Part<'_>) {
        for text in [&part.text, &part.result]
            .into_iter()
            .filter_map(|text| text.get())
        {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(text);
        }
        if !part.success.0 && self.failure.is_none() {
            let error = part.error.get().or(part.result.get());
            self.failure = Some(error.unwrap_or_default().to_owned());
        }
    }
}

impl<'de> Field<'de> for Answer {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self {
            text: text.into_owned(),
            failure: None,
        }
    }
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let mut answer = Self::default();
        let parts = List::<Object<Part<'de>>>::of_list(list)?.0;
        for part in parts.into_iter().filter_map(|part| part.0) {
            answer.add(&part);
        }
        Ok(answer)
    }
}
deserialize_as_field!(Answer);

/// A part of an answer: a text, or the result of one of several commands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    result: Text<'a>,
    #[serde(borrow)]
    error: Text<'a>,
    success: Success,
}

/// Whether a part succeeded; true if it doesn't say.
#[derive(Clone, Copy, Debug)]
struct Success(bool);

impl Default for Success {
    fn default() -> Self {
        Self(true)
    }
}

impl Field<'_> for Success {
    fn of_flag(flag: bool) -> Self {
        Self(flag)
    }
}
deserialize_as_field!(Success);
