//! New keys and values as YAML.

use serde_json::Value;

use super::super::keys::ordered;
use super::read::plain;

/// How new lines are written.
pub(super) struct Layout {
    pub(super) newline: &'static str,
    /// The spaces of one level.
    pub(super) unit: usize,
    /// The spaces between a key and the dashes of its list.
    pub(super) dash: usize,
}

/// Words that YAML 1.1 takes for booleans, which many readers still do.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// A string: bare if no reader can take it for something else.
pub(super) fn string(text: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.');
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    if starts_well && text.bytes().all(is_plain) && !is_word && plain(text).is_none() {
        return text.to_owned();
    }
    Value::from(text).to_string()
}

/// A value on one line. Collections are written as JSON, which is YAML.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if !map.is_empty() => {
            let pairs = ordered(value).into_iter();
            let pairs = pairs.map(|(key, value)| format!("{}: {}", string(key), inline(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Whether a value takes lines of its own.
pub(super) fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

impl Layout {
    /// A key at a column with its value, from the key on.
    pub(super) fn entry(&self, key: &str, value: &Value, column: usize) -> String {
        let space = if is_block(value) { "" } else { " " };
        format!("{}:{space}{}", string(key), self.value(value, column))
    }

    /// What follows a key at a column: the value, or line breaks and the lines of the value.
    pub(super) fn value(&self, value: &Value, column: usize) -> String {
        match value {
            Value::Object(map) if !map.is_empty() => {
                let column = column + self.unit;
                let lines = ordered(value).into_iter();
                let lines =
                    lines.map(|(key, value)| self.line(column, &self.entry(key, value, column)));
                lines.collect()
            }
            Value::Array(list) if !list.is_empty() => {
                let column = column + self.dash;
                let lines = list.iter();
                let lines = lines.map(|value| self.line(column, &self.item(value, column)));
                lines.collect()
            }
            other => inline(other),
        }
    }

    /// An element of a list whose dashes stand at a column, from the dash on.
    pub(super) fn item(&self, value: &Value, column: usize) -> String {
        if !value.is_object() || !is_block(value) {
            return format!("- {}", inline(value));
        }
        let column = column + 2;
        let entries = ordered(value).into_iter();
        let entries = entries.map(|(key, value)| self.entry(key, value, column));
        let separator = format!("{}{}", self.newline, " ".repeat(column));
        format!("- {}", entries.collect::<Vec<_>>().join(&separator))
    }

    /// A line break and a line.
    pub(super) fn line(&self, column: usize, line: &str) -> String {
        format!("{}{}{line}", self.newline, " ".repeat(column))
    }
}
