//! Every text of what is written, by field: what the guard checks before it is stored.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Body, Draft, Edit, Link, Metadata, ToolCall};

/// What the guard found in a text: kind and place, never the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GuardNote {
    /// The field: `content`, `tags`, `metadata.ticket`.
    pub field: String,
    /// The kind of secret or personal data, such as `github-token`.
    pub kind: String,
    /// `mark`, or `redact`.
    pub action: String,
    /// Where the value, or its replacement, starts in the field's text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl GuardNote {
    /// The metadata name of a memory's notes, an array.
    pub const KEY: &'static str = "anamne.guard";

    /// The field of a metadata value. Only a plain name is part of it, because notes must not repeat a secret in a name.
    pub fn field_of_metadata(name: &str) -> String {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
        if name.len() <= 32 && name.bytes().all(is_plain) {
            format!("metadata.{name}")
        } else {
            "metadata".to_owned()
        }
    }

    /// Whether it makes its memory private: something was marked and is still there.
    pub fn makes_private(&self) -> bool {
        self.action == "mark"
    }

    /// The notes in a memory's metadata.
    pub fn of(metadata: &Metadata) -> Vec<Self> {
        let notes = metadata.get(Self::KEY);
        notes
            .and_then(|notes| Vec::deserialize(notes).ok())
            .unwrap_or_default()
    }
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextField<'a> {
    /// The field: `content`, `tags`, `metadata.ticket`.
    pub field: &'a str,
    /// What its writer calls the text, such as a name of metadata; empty for a text without a name of its own.
    pub label: &'a str,
}

impl<'a> From<&'a str> for TextField<'a> {
    fn from(field: &'a str) -> Self {
        Self { field, label: "" }
    }
}

pub(crate) type Visit<'a> = &'a mut dyn FnMut(TextField<'_>, &mut String);

type Read<'a> = &'a mut dyn FnMut(&str, &str);

impl Draft {
    /// Calls `visit` with each text and its field.
    pub fn visit_texts(&mut self, visit: Visit<'_>) {
        visit("content".into(), &mut self.content);
        visit_body(&mut self.body, visit);
        for (field, name) in [
            ("thread", &mut self.thread),
            ("session", &mut self.session),
            ("author", &mut self.author),
            ("external_id", &mut self.external_id),
        ] {
            visit_some(field, name, visit);
        }
        visit_all("tags", &mut self.tags, visit);
        visit_metadata(&mut self.metadata, visit);
    }

    /// Calls `read` with the label and each text that [`Draft::visit_texts`] visits, in another order.
    pub fn read_texts(&self, read: Read<'_>) {
        let names = [&self.thread, &self.session, &self.author, &self.external_id];
        let names = names.into_iter().flatten();
        for text in names.chain(&self.tags).chain([&self.content]) {
            read("", text);
        }
        read_body(&self.body, read);
        for (name, value) in &self.metadata {
            read("", name);
            read_value(name, value, read);
        }
    }
}

impl Edit {
    /// Calls `visit` with each new text and its field.
    pub fn visit_texts(&mut self, visit: Visit<'_>) {
        visit_some("content", &mut self.content, visit);
        if let Some(body) = &mut self.body {
            visit_body(body, visit);
        }
        for (name, value) in &mut self.fields {
            // An unknown name is refused later, and may be anything.
            let is_known = !Body::kinds_with_field(name).is_empty();
            let field = if is_known { name.as_str() } else { "fields" };
            visit_value(field.into(), value, visit);
        }
        visit_all("tags", &mut self.add_tags, visit);
        visit_metadata(&mut self.metadata, visit);
    }
}

impl Link {
    /// Calls `visit` with its reason.
    pub fn visit_texts(&mut self, visit: Visit<'_>) {
        visit("reason".into(), &mut self.reason);
    }
}

fn visit_some(field: &str, text: &mut Option<String>, visit: Visit<'_>) {
    if let Some(text) = text {
        visit(field.into(), text);
    }
}

fn visit_all(field: &str, texts: &mut [String], visit: Visit<'_>) {
    for text in texts {
        visit(field.into(), text);
    }
}

fn visit_body(body: &mut Body, visit: Visit<'_>) {
    match body {
        Body::Message { .. } | Body::Fact { .. } | Body::Summary { .. } => {}
        Body::Thought {
            framework, chain, ..
        } => {
            visit("framework".into(), framework);
            visit("chain".into(), chain);
        }
        Body::Episode {
            goal,
            plan,
            steps,
            outcome,
            tool_log,
            salience: _,
        } => {
            visit("goal".into(), goal);
            visit_all("plan", plan, visit);
            visit_all("steps", steps, visit);
            visit("outcome".into(), outcome);
            for call in tool_log {
                let ToolCall {
                    tool,
                    input,
                    output,
                    succeeded: _,
                } = call;
                for text in [tool, input, output] {
                    visit("tool_log".into(), text);
                }
            }
        }
        Body::Skill {
            name,
            trigger,
            steps,
            code,
        } => {
            visit("name".into(), name);
            visit("trigger".into(), trigger);
            visit_all("steps", steps, visit);
            visit("code".into(), code);
        }
        Body::Document { title, source } => {
            visit("title".into(), title);
            visit("source".into(), source);
        }
        Body::Chunk { heading, .. } => visit("heading".into(), heading),
        Body::Experience { experience } => experience.visit_texts(visit, visit_value),
    }
}

fn read_body(body: &Body, read: Read<'_>) {
    let mut read_all = |texts: &[&String]| {
        for text in texts {
            read("", text);
        }
    };
    match body {
        Body::Message { .. } | Body::Fact { .. } | Body::Summary { .. } => {}
        Body::Thought {
            framework, chain, ..
        } => read_all(&[framework, chain]),
        Body::Episode {
            goal,
            plan,
            steps,
            outcome,
            tool_log,
            salience: _,
        } => {
            read_all(&[goal, outcome]);
            for step in plan.iter().chain(steps) {
                read_all(&[step]);
            }
            for call in tool_log {
                read_all(&[&call.tool, &call.input, &call.output]);
            }
        }
        Body::Skill {
            name,
            trigger,
            steps,
            code,
        } => {
            read_all(&[name, trigger, code]);
            for step in steps {
                read_all(&[step]);
            }
        }
        Body::Document { title, source } => read_all(&[title, source]),
        Body::Chunk { heading, .. } => read_all(&[heading]),
        Body::Experience { experience } => {
            // Records are small, and rarely read without being changed.
            let mut copy = experience.clone();
            copy.visit_texts(&mut |place, text| read(place.label, text), visit_value);
        }
    }
}

fn read_value(label: &str, value: &Value, read: Read<'_>) {
    match value {
        Value::String(text) => read(label, text),
        Value::Number(number) => read(label, &number.to_string()),
        Value::Array(values) => {
            for value in values {
                read_value(label, value, read);
            }
        }
        Value::Object(values) => {
            let labels = labels_of(values);
            for (name, value) in values {
                read("", name);
                read_value(label_in(&labels, name), value, read);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Names and values; values of nested names too. The parser of the JSON bounds the depth.
fn visit_metadata(metadata: &mut Metadata, visit: Visit<'_>) {
    let mut visited = DistinctNames::default();
    for (name, mut value) in std::mem::take(metadata) {
        let mut stored = name.clone();
        visit("metadata".into(), &mut stored);
        let place = TextField {
            field: &GuardNote::field_of_metadata(&name),
            label: &name,
        };
        visit_value(place, &mut value, visit);
        metadata.insert(visited.distinct(&name, stored), value);
    }
}

/// A number is visited as its text, and becomes a text if that is changed.
fn visit_value(place: TextField<'_>, value: &mut Value, visit: Visit<'_>) {
    match value {
        Value::String(text) => visit(place, text),
        Value::Number(number) => {
            let (told, mut text) = (number.to_string(), number.to_string());
            visit(place, &mut text);
            if text != told {
                *value = Value::String(text);
            }
        }
        Value::Array(values) => {
            for value in values {
                visit_value(place, value, visit);
            }
        }
        Value::Object(values) => visit_object(place.field, values, visit),
        Value::Null | Value::Bool(_) => {}
    }
}

fn visit_object(field: &str, values: &mut Map<String, Value>, visit: Visit<'_>) {
    let labels = labels_of(values);
    let mut visited = DistinctNames::default();
    for (name, mut value) in std::mem::take(values) {
        let mut stored = name.clone();
        visit(field.into(), &mut stored);
        let label = label_in(&labels, &name);
        visit_value(TextField { field, label }, &mut value, visit);
        values.insert(visited.distinct(&name, stored), value);
    }
}

/// Fields of an object of which one names the other: `{"name": "DB_PASSWORD", "value": "…"}`.
const PAIRS: [(&str, &str); 4] = [
    ("name", "value"),
    ("key", "value"),
    ("property", "value"),
    ("relation", "object"),
];

/// The values of an object that another of its values names, with that name.
fn labels_of(values: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let label = |(by, named)| Some((named, values.get(by)?.as_str()?.to_owned()));
    PAIRS.into_iter().filter_map(label).collect()
}

/// The label of the value with this name.
fn label_in<'a>(labels: &'a [(&str, String)], name: &'a str) -> &'a str {
    let named = labels.iter().find(|(named, _)| *named == name);
    named.map_or(name, |(_, label)| label)
}

/// Keeps names apart that a visit made equal: `[secret:password]`, `[secret:password] 2`.
#[derive(Default)]
struct DistinctNames(HashMap<String, usize>);

impl DistinctNames {
    fn distinct(&mut self, told: &str, stored: String) -> String {
        if told == stored {
            return stored;
        }
        let count = self.0.entry(stored.clone()).or_default();
        *count += 1;
        match *count {
            1 => stored,
            count => format!("{stored} {count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Every string of a JSON value, names of metadata included.
    fn strings(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
            Value::Object(values) => values.values().for_each(|value| strings(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_text_of_a_draft_is_visited() {
        let bodies = [
            json!({"kind": "episode", "goal": "t-goal", "plan": ["t-plan"], "steps": ["t-step"], "outcome": "t-outcome",
                   "tool_log": [{"tool": "t-tool", "input": "t-input", "output": "t-output"}]}),
            json!({"kind": "skill", "name": "t-name", "trigger": "t-trigger", "steps": ["t-step"],
                   "code": "t-code"}),
            json!({"kind": "thought", "framework": "t-framework", "chain": "t-chain"}),
            json!({"kind": "document", "title": "t-title", "source": "t-source"}),
        ];
        for body in bodies {
            let draft = json!({"content": "t-content", "body": body, "thread": "t-thread",
                "session": "t-session", "author": "t-author", "external_id": "t-id",
                "tags": ["t-tag"], "metadata": {"plain": "t-value", "deep": [{"x": ["t-deep"]}]}});
            let mut parsed: Draft = serde_json::from_value(draft.clone()).expect("a draft");
            let mut expected = Vec::new();
            strings(&draft, &mut expected);
            expected.retain(|text| text.starts_with("t-"));
            let mut read = Vec::new();
            parsed.read_texts(&mut |label, text| read.push((label.to_owned(), text.to_owned())));
            let (mut visited, mut all) = (Vec::new(), Vec::new());
            parsed.visit_texts(&mut |place, text| {
                visited.push(text.clone());
                all.push((place.label.to_owned(), text.clone()));
                text.push('!');
            });
            read.sort();
            all.sort();
            assert_eq!(read, all, "reading and visiting");
            visited.retain(|text| text.starts_with("t-"));
            visited.sort();
            expected.sort();
            assert_eq!(visited, expected);
            let mut changed = Vec::new();
            strings(&serde_json::to_value(&parsed).expect("JSON"), &mut changed);
            changed.retain(|text| text.starts_with("t-"));
            assert!(
                changed.iter().all(|text| text.ends_with('!')),
                "{changed:?}"
            );
        }
    }

    #[test]
    fn only_plain_metadata_names_are_part_of_a_field() {
        assert_eq!(GuardNote::field_of_metadata("ticket"), "metadata.ticket");
        for name in ["Ticket", "key7", "two\nlines", &"a".repeat(33)] {
            assert_eq!(GuardNote::field_of_metadata(name), "metadata");
        }
    }

    #[test]
    fn notes_read_back_from_metadata() {
        let note = GuardNote {
            field: "content".to_owned(),
            kind: "jwt".to_owned(),
            action: "redact".to_owned(),
            start: 3,
            end: 15,
        };
        let mut metadata = Metadata::new();
        assert!(GuardNote::of(&metadata).is_empty());
        metadata.insert(GuardNote::KEY.to_owned(), json!([note]));
        assert_eq!(GuardNote::of(&metadata), [note]);
    }
}
