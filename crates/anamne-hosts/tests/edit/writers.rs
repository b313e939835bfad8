//! Random values as texts in many hands.

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
    let entries = (0..count).map(|_| ((*dice.pick(KEYS)).to_owned(), value(dice, depth)));
    Value::Object(entries.collect())
}

pub(crate) fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 4 } else { 8 }) {
        0 => Value::from(dice.roll(1_000)),
        1 => Value::from(dice.roll(2) == 0),
        2 => Value::from(dice.roll(100) as f64 + 0.5),
        3 | 4 => Value::from(*dice.pick(WORDS)),
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
    let unit = *dice.pick(&["  ", "\t", "    ", "   "]);
    let mut text = String::new();
    text.push_str(dice.pick(&["", "", "// top\n", "\n/* a\n b */ "]));
    json_value(dice, value, unit, 0, &mut text);
    text.push_str(dice.pick(&["", "\n", "\n\n", " // end"]));
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
                dice.pick(&[": ", ":", " : "])
            ));
        }
        json_value(dice, value, unit, depth + 1, text);
        if index + 1 < count {
            text.push_str(dice.pick(&[",", ",", " ,", "/* c */,"]));
        } else {
            text.push_str(dice.pick(&["", "", "", ","]));
        }
        if is_long {
            text.push_str(dice.pick(&["", "", " // tail", " /* t */"]));
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
        text.push_str(dice.pick(&inside));
    } else if is_long {
        text.push('\n');
        (0..depth).for_each(|_| text.push_str(unit));
    } else {
        text.push_str(dice.pick(&["", " "]));
    }
    text.push_str(close);
}

fn json_lead(dice: &mut Dice, is_long: bool, unit: &str, depth: usize, text: &mut String) {
    if !is_long {
        return text.push_str(dice.pick(&["", " ", " /* i */ "]));
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

fn endings(dice: &mut Dice, text: &str) -> String {
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
        text.push_str(dice.pick(&["", "", "# note\n", "\n"]));
        let tail = dice.pick(&["", "", " # tail"]);
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
            let lead = dice.pick(&["\n", "", "\n# about\n", "\n\n", "# close\n"]);
            let tail = dice.pick(&["", "", " # head"]);
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
            format!("[{}]", items.join(dice.pick(&[", ", ","])))
        }
        Value::Object(map) => {
            let items = map.iter();
            let items: Vec<String> = items
                .map(|(key, value)| {
                    format!("{} = {}", toml_key(key), toml_inline(dice, value, false))
                })
                .collect();
            let pad = *dice.pick(&["", " "]);
            format!("{{{pad}{}{pad}}}", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A table as YAML: blocks and flow collections, several kinds of scalars, comments.
pub(crate) fn yaml(dice: &mut Dice, value: &Value) -> String {
    let unit = *dice.pick(&[2, 4, 3]);
    let mut text = String::from(*dice.pick(&["", "", "# top\n", "---\n", "\n"]));
    let body = yaml_table(dice, value, unit, 0);
    text.push_str(body.trim_start_matches('\n'));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(dice.pick(&["", "", "# end\n", "\n\n"]));
    if dice.roll(4) == 0 {
        text = text.trim_end().to_owned();
    }
    endings(dice, &text)
}

/// Lines that each start with a line break.
fn yaml_table(dice: &mut Dice, value: &Value, unit: usize, column: usize) -> String {
    let mut text = String::new();
    let indent = " ".repeat(column);
    for (key, value) in value.as_object().into_iter().flatten() {
        match dice.roll(8) {
            0 => text.push_str(&format!("\n{indent}# note")),
            1 => text.push('\n'),
            _ => {}
        }
        let value = yaml_value(dice, value, unit, column);
        text.push_str(&format!("\n{indent}{}:{value}", yaml_scalar(dice, key)));
    }
    text
}

fn yaml_value(dice: &mut Dice, value: &Value, unit: usize, column: usize) -> String {
    let tail = *dice.pick(&["", "", " # tail"]);
    match value {
        Value::Object(map) if !map.is_empty() && dice.roll(4) > 0 => {
            format!("{tail}{}", yaml_table(dice, value, unit, column + unit))
        }
        Value::Array(list) if !list.is_empty() && dice.roll(3) > 0 => {
            let dash = column + *dice.pick(&[0, 2]);
            let indent = " ".repeat(dash);
            let items = list.iter();
            let items: String = items
                .map(|item| format!("\n{indent}-{}", yaml_item(dice, item, unit, dash)))
                .collect();
            format!("{tail}{items}")
        }
        Value::String(text) if dice.roll(3) == 0 && text.contains('\n') => {
            let indent = " ".repeat(column + unit);
            format!(
                " |-\n{indent}{}",
                text.replace('\n', &format!("\n{indent}"))
            )
        }
        other => format!(" {}{tail}", yaml_flow(dice, other)),
    }
}

fn yaml_item(dice: &mut Dice, value: &Value, unit: usize, dash: usize) -> String {
    if value.as_object().is_some_and(|map| !map.is_empty()) && dice.roll(3) > 0 {
        let lines = yaml_table(dice, value, unit, dash + 2);
        // The first key stands behind the dash, without what would stand above it.
        let lines: Vec<&str> = lines.split('\n').collect();
        let first = lines
            .iter()
            .position(|line| line.contains(':'))
            .expect("a key");
        let rest = lines[first + 1..].iter().map(|line| format!("\n{line}"));
        return format!(" {}{}", lines[first].trim_start(), rest.collect::<String>());
    }
    format!(" {}", yaml_flow(dice, value))
}

fn yaml_flow(dice: &mut Dice, value: &Value) -> String {
    match value {
        Value::String(text) => yaml_scalar(dice, text),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(|item| yaml_flow(dice, item)).collect();
            format!("[{}]", items.join(dice.pick(&[", ", ","])))
        }
        Value::Object(map) => {
            let items = map.iter();
            let items: Vec<String> = items
                .map(|(key, value)| {
                    format!("{}: {}", yaml_scalar(dice, key), yaml_flow(dice, value))
                })
                .collect();
            let pad = *dice.pick(&["", " "]);
            format!("{{{pad}{}{pad}}}", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn yaml_scalar(dice: &mut Dice, text: &str) -> String {
    let is_word = !text.is_empty()
        && text
            .chars()
            .all(|char| char.is_alphabetic() || "_ .-".contains(char));
    match dice.roll(3) {
        0 if is_word && !["yes", "null"].contains(&text) => text.to_owned(),
        1 if !text.contains(['\n', '\'']) => format!("'{text}'"),
        _ => Value::from(text).to_string(),
    }
}
