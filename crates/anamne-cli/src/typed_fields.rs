//! The options for the typed fields of a kind, and for what a memory is about.

use std::fs::File;
use std::io::{Read, stdin};

use anamne::{Body, InvalidValue, Kind, Limits, Metadata, ToolCall};
use serde_json::Value;

use crate::failure::Failure;
use crate::reached::Reached;
use crate::wording::file_name;

/// Maximum bytes read of a tool log; a longer one would be rejected anyway.
const LONGEST_LOG: u64 = 2 * Limits::BODY_BYTES as u64;

/// Fields of one kind, and the files and entities that a memory is about.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Fields of a kind")]
pub(crate) struct TypedFields {
    /// Episode: the goal
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// Episode: a planned step; repeatable, in order
    #[arg(long, value_name = "TEXT")]
    plan_step: Vec<String>,
    /// Episode: a step that was done; skill: a step to do; repeatable, in order
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,
    /// Episode: the outcome
    #[arg(long, value_name = "TEXT")]
    outcome: Option<String>,
    /// Episode: how much it stands out, 0 to 1; above 1 up to 10 it is on a scale of ten
    #[arg(long, value_name = "N")]
    salience: Option<f32>,
    /// Episode: the tool calls, a JSON list or one object per line: {"tool", "input"?, "output"?, "succeeded"?}; `-` reads
    /// standard input
    #[arg(long, value_name = "FILE")]
    tool_log: Option<String>,
    /// Skill: its name
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Skill: when to use it
    #[arg(long, value_name = "TEXT")]
    trigger: Option<String>,
    /// Skill: code for it
    #[arg(long, value_name = "TEXT")]
    code: Option<String>,
    /// Document: its title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Document: its path or address
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    #[command(flatten)]
    thought: ThoughtFields,
    #[command(flatten)]
    related: Related,
}

/// The fields of a thought.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ThoughtFields {
    /// Thought: the preceding one
    #[arg(long, value_name = "ID")]
    follows: Option<String>,
    /// Thought: the framework of reasoning, such as "first principles"
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,
    /// Thought: its number in the chain, from 1
    #[arg(long, value_name = "N")]
    number: Option<u32>,
    /// Thought: how many thoughts the chain is expected to have
    #[arg(long, value_name = "N")]
    total: Option<u32>,
    /// Thought: the name of the chain
    #[arg(long, value_name = "NAME")]
    chain: Option<String>,
}

/// The files and entities that a memory is about.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Related {
    /// A file that it is about; repeatable; stored as the metadata `files`
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// A person, tool or thing that it is about; repeatable; stored as the metadata `entities`
    #[arg(long, value_name = "NAME")]
    entity: Vec<String>,
}

impl Related {
    /// Adds them to the metadata.
    pub(crate) fn add_to(self, metadata: &mut Metadata) -> Result<(), InvalidValue> {
        anamne::relate(metadata, self.file, self.entity)
    }
}

impl ThoughtFields {
    /// The fields that were given. The id in `follows` is as it was written.
    pub(crate) fn read(self) -> Metadata {
        let given = [
            ("follows", self.follows.map(Value::from)),
            ("framework", self.framework.map(Value::from)),
            ("number", self.number.map(Value::from)),
            ("total", self.total.map(Value::from)),
            ("chain", self.chain.map(Value::from)),
        ];
        only_given(given)
    }
}

impl TypedFields {
    /// The fields that were given, by name, and the related files and entities. `reads_stdin` says whether the text of
    /// the memory is on standard input.
    pub(crate) fn read(self, reads_stdin: bool) -> Result<(Metadata, Related), Failure> {
        if let Some(salience) = self.salience.filter(|one| !(0.0..=10.0).contains(one)) {
            let accepts = "a number from 0 to 1, or above 1 up to 10 on a scale of ten";
            return Err(InvalidValue::new("salience", accepts, salience).into());
        }
        let listed = |values: Vec<String>| (!values.is_empty()).then(|| Value::from(values));
        let given = [
            ("goal", self.goal.map(Value::from)),
            ("plan", listed(self.plan_step)),
            ("steps", listed(self.step)),
            ("outcome", self.outcome.map(Value::from)),
            ("salience", self.salience.map(Value::from)),
            (
                "tool_log",
                self.tool_log
                    .map(|path| tool_log(&path, reads_stdin))
                    .transpose()?,
            ),
            ("name", self.name.map(Value::from)),
            ("trigger", self.trigger.map(Value::from)),
            ("code", self.code.map(Value::from)),
            ("title", self.title.map(Value::from)),
            ("source", self.source.map(Value::from)),
        ];
        let mut fields = only_given(given);
        fields.extend(self.thought.read());
        Ok((fields, self.related))
    }
}

fn only_given<const N: usize>(given: [(&str, Option<Value>); N]) -> Metadata {
    let given = given.into_iter();
    given
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// The option of a field.
fn option_of(field: &str) -> String {
    let word = match field {
        "plan" => "plan-step",
        "steps" => "step",
        other => other,
    };
    format!("--{}", word.replace('_', "-"))
}

/// Refuses fields that a kind does not have, with the kinds that have them.
pub(crate) fn check_kind(kind: Kind, fields: &Metadata) -> Result<(), Failure> {
    let foreign = fields
        .keys()
        .find(|name| !Body::kinds_with_field(name).contains(&kind));
    let Some(name) = foreign else { return Ok(()) };
    let kinds = Body::kinds_with_field(name);
    let words: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
    let option = option_of(name);
    let belongs = words.join(" or ");
    Err(Failure::refused(
        name,
        format!("{option} belongs to the kind {belongs}, but the kind is {kind}"),
    )
    .hint(format!(
        "add --kind {}, or leave {option} out",
        words.first().unwrap_or(&"")
    )))
}

/// Replaces the citation in `follows` by its id.
pub(crate) fn resolve_ids(space: &Reached, fields: &mut Metadata) -> Result<(), Failure> {
    if let Some(Value::String(written)) = fields.get_mut("follows") {
        *written = space.resolve(written)?.to_string();
    }
    Ok(())
}

/// Reads a tool log: a JSON list, or one JSON object after the other.
fn tool_log(path: &str, reads_stdin: bool) -> Result<Value, Failure> {
    let refused = |message: String| Failure::refused("tool_log", message);
    if path == "-" && reads_stdin {
        let message = "the text and --tool-log can't both come from standard input";
        return Err(refused(message.to_owned()).hint("give the tool log as a file"));
    }
    let name = if path == "-" {
        "standard input".to_owned()
    } else {
        file_name(path)
    };
    let unreadable = |error| Failure::failed(format!("can't read {name}: {error}"));
    let mut text = String::new();
    let read = if path == "-" {
        stdin().lock().take(LONGEST_LOG).read_to_string(&mut text)
    } else {
        let file = File::open(path).map_err(unreadable)?;
        file.take(LONGEST_LOG).read_to_string(&mut text)
    };
    read.map_err(unreadable)?;
    let calls: Result<Vec<ToolCall>, _> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text)
    } else {
        serde_json::Deserializer::from_str(&text)
            .into_iter()
            .collect()
    };
    let calls = calls.map_err(|error| {
        refused(format!("the tool log in {name} is not a list of tool calls: {error}"))
            .hint("each call is {\"tool\": …, \"input\"?: …, \"output\"?: …, \"succeeded\"?: true or false}")
    })?;
    serde_json::to_value(calls)
        .map_err(|error| refused(format!("the tool log in {name} can't be stored: {error}")))
}
