//! Random values as texts in many hands.

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "templates read better than a chain of pushes"
)]

use serde_json::{Map, Value};

/// A source of small numbers, so that one seed decides about a whole text.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }

    pub(crate) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len())]
    }

    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.roll(values.len())]
    }
}

const KEYS: &[&str] = &[
    "a",
    "b_1",
    "mcpServers",
    "hooks",
    "dotted.key",
    "with space",
    "é",
    "x-y",
    "80",
];
const WORDS: &[&str] = &[
    "",
    "x",
    "yes",
    "12",
    "a # b",
    "// no",
    "\"q\"",
    "line\nbreak",
    "é ü",
    "null",
    "{}",
    "a: b",
    "\\",
];

/// A table with up to four keys, nested up to `depth`.
pub(crate) fn table(dice: &mut Dice, depth: usize) -> Value {
    let count = dice.roll(5);
    let entries = (0..count).map(|_| (dice.word(KEYS).to_owned(), value(dice, depth)));
    Value::Object(entries.collect())
}

pub(crate) fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 4 } else { 8 }) {
        0 => Value::from(dice.roll(1_000)),
        1 => Value::from(dice.roll(2) == 0),
        2 => Value::from(dice.roll(100) as f64 + 0.5),
        3 | 4 => Value::from(dice.word(WORDS)),
        5 => {
            let count = dice.roll(3);
            (0..count).map(|_| value(dice, depth - 1)).collect()
        }
        _ => table(dice, depth - 1),
    }
}

/// The paths of all tables inside of tables.
pub(crate) fn tables(value: &Value, path: &[String], found: &mut Vec<Vec<String>>) {
    collect(value, path, found, Value::is_object);
}

/// The paths of all lists inside of tables.
pub(crate) fn lists(value: &Value, path: &[String], found: &mut Vec<Vec<String>>) {
    collect(value, path, found, Value::is_array);
}

fn collect(
    value: &Value,
    path: &[String],
    found: &mut Vec<Vec<String>>,
    wanted: fn(&Value) -> bool,
) {
    if wanted(value) {
        found.push(path.to_vec());
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path: Vec<String> = path.iter().cloned().chain([key.clone()]).collect();
        collect(inner, &path, found, wanted);
    }
}

pub(crate) fn json(dice: &mut Dice, value: &Value) -> String {
    let unit = dice.word(&["  ", "\t", "    ", "   "]);
    let mut text = String::new();
    text.push_str(dice.word(&["", "", "// top\n", "\n/* a\n b */ "]));
    json_value(dice, value, unit, 0, &mut text);
    text.push_str(dice.word(&["", "\n", "\n\n", " // end"]));
    endings(dice, &text)
}

fn json_value(dice: &mut Dice, value: &Value, unit: &str, depth: usize, text: &mut String) {
    let (open, close, entries) = match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (Some(key.clone()), value));
            ("{", "}", entries.collect::<Vec<_>>())
        }
        Value::Array(list) => ("[", "]", list.iter().map(|value| (None, value)).collect()),
        other => return text.push_str(&other.to_string()),
    };
    text.push_str(open);
    let is_long = dice.roll(3) > 0;
    let count = entries.len();
    for (index, (key, value)) in entries.into_iter().enumerate() {
        json_lead(dice, is_long, unit, depth + 1, text);
        if let Some(key) = key {
            text.push_str(&format!(
                "{}{}",
                Value::from(key),
                dice.word(&[": ", ":", " : "])
            ));
        }
        json_value(dice, value, unit, depth + 1, text);
        if index + 1 < count {
            text.push_str(dice.word(&[",", ",", " ,", "/* c */,"]));
        } else {
            text.push_str(dice.word(&["", "", "", ","]));
        }
        if is_long {
            text.push_str(dice.word(&["", "", " // tail", " /* t */"]));
        }
    }
    if count == 0 {
        let inside = [
            "",
            "",
            "",
            " ",
            "\n",
            "\n\n",
            "\n // none\n",
            " /* c */ ",
            "/* c */",
            "\n  /* c */\n",
        ];
        text.push_str(dice.word(&inside));
    } else if is_long {
        text.push('\n');
        (0..depth).for_each(|_| text.push_str(unit));
    } else {
        text.push_str(dice.word(&["", " "]));
    }
    text.push_str(close);
}

fn json_lead(dice: &mut Dice, is_long: bool, unit: &str, depth: usize, text: &mut String) {
    if !is_long {
        return text.push_str(dice.word(&["", " ", " /* i */ "]));
    }
    let indent = unit.repeat(depth);
    text.push('\n');
    match dice.roll(6) {
        0 => text.push_str(&format!("{indent}// note\n")),
        1 => text.push('\n'),
        _ => {}
    }
    text.push_str(&indent);
}

pub(crate) fn endings(dice: &mut Dice, text: &str) -> String {
    match dice.roll(4) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        _ => text.to_owned(),
    }
}

/// A table as TOML, with sections, lists of tables, dotted keys, inline tables, and comments.
pub(crate) fn toml(dice: &mut Dice, value: &Value) -> String {
    let mut text = String::new();
    let empty = Map::new();
    toml_lines(dice, "", value.as_object().unwrap_or(&empty), &mut text);
    if dice.roll(4) == 0 {
        text.push_str("# the end\n");
    }
    if dice.roll(3) == 0 {
        text = text.trim_end().to_owned();
    }
    endings(dice, &text)
}

fn toml_lines(dice: &mut Dice, header: &str, table: &Map<String, Value>, text: &mut String) {
    let is_section = |value: &Value| match value {
        Value::Object(_) => true,
        Value::Array(list) => !list.is_empty() && list.iter().all(Value::is_object),
        _ => false,
    };
    let (sections, lines): (Vec<_>, Vec<_>) =
        table.iter().partition(|(_, value)| is_section(value));
    let mut later = Vec::new();
    for (key, value) in lines {
        text.push_str(dice.word(&["", "", "# note\n", "\n"]));
        let tail = dice.word(&["", "", " # tail"]);
        text.push_str(&format!(
            "{} = {}{tail}\n",
            toml_key(key),
            toml_inline(dice, value, true)
        ));
    }
    for (key, value) in sections {
        match (dice.roll(4), value) {
            (0, value) => {
                text.push_str(&format!(
                    "{} = {}\n",
                    toml_key(key),
                    toml_inline(dice, value, false)
                ));
            }
            (1, Value::Object(map)) if !map.is_empty() => {
                for (inner, value) in map {
                    let value = toml_inline(dice, value, false);
                    text.push_str(&format!(
                        "{}.{} = {value}\n",
                        toml_key(key),
                        toml_key(inner)
                    ));
                }
            }
            (_, value) => later.push((key, value)),
        }
    }
    for (key, value) in later {
        let path = if header.is_empty() {
            toml_key(key)
        } else {
            format!("{header}.{}", toml_key(key))
        };
        let (open, close) = if value.is_array() {
            ("[[", "]]")
        } else {
            ("[", "]")
        };
        let tables = match value {
            Value::Array(list) => list.iter().collect(),
            other => vec![other],
        };
        for table in tables {
            let lead = dice.word(&["\n", "", "\n# about\n", "\n\n", "# close\n"]);
            let tail = dice.word(&["", "", " # head"]);
            text.push_str(&format!("{lead}{open}{path}{close}{tail}\n"));
            toml_lines(dice, &path, table.as_object().expect("only tables"), text);
        }
    }
}

fn toml_key(key: &str) -> String {
    let is_bare = key
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

fn toml_inline(dice: &mut Dice, value: &Value, may_break: bool) -> String {
    match value {
        Value::Array(list) if may_break && dice.roll(2) == 0 => {
            let items: Vec<String> = list
                .iter()
                .map(|item| toml_inline(dice, item, false))
                .collect();
            let items: String = items
                .iter()
                .map(|item| format!("    {item}, # i\n"))
                .collect();
            format!("[\n{items}]")
        }
        Value::Array(list) => {
            let items: Vec<String> = list
                .iter()
                .map(|item| toml_inline(dice, item, false))
                .collect();
            format!("[{}]", items.join(dice.word(&[", ", ","])))
        }
        Value::Object(map) => {
            let items = map.iter();
            let items: Vec<String> = items
                .map(|(key, value)| {
                    format!("{} = {}", toml_key(key), toml_inline(dice, value, false))
                })
                .collect();
            let pad = dice.word(&["", " "]);
            format!("{{{pad}{}{pad}}}", items.join(", "))
        }
        other => other.to_string(),
    }
}
