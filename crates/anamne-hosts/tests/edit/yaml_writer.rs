//! Random values as YAML in many hands.

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "templates read better than a chain of pushes"
)]

use serde_json::Value;

use crate::writers::{Dice, endings};

/// A table as YAML: blocks and flow collections, several kinds of scalars, comments.
pub(crate) fn yaml(dice: &mut Dice, value: &Value) -> String {
    let unit = *dice.pick(&[2, 4, 3]);
    let mut text = String::from(dice.word(&["", "", "# top\n", "---\n", "\n"]));
    let body = yaml_table(dice, value, unit, 0);
    text.push_str(body.trim_start_matches('\n'));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(dice.word(&["", "", "# end\n", "\n\n"]));
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
    let tail = dice.word(&["", "", " # tail"]);
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
            format!("[{}]", items.join(dice.word(&[", ", ","])))
        }
        Value::Object(map) => {
            let items = map.iter();
            let items: Vec<String> = items
                .map(|(key, value)| {
                    format!("{}: {}", yaml_scalar(dice, key), yaml_flow(dice, value))
                })
                .collect();
            let pad = dice.word(&["", " "]);
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
