//! The YAML front matter of a Markdown note. Values are written as JSON, which is valid YAML, and read as people write
//! them.

use std::fmt::Write;

use serde_json::{Map, Value};

/// The line before and after the front matter.
const FENCE: &str = "---";

/// Appends front matter with these properties, one per line, in order.
pub(crate) fn write(properties: &[(String, Value)], note: &mut String) {
    note.push_str(FENCE);
    note.push('\n');
    for (name, value) in properties {
        note.push_str(name);
        note.push_str(": ");
        push_escaped(&value.to_string(), note);
        note.push('\n');
    }
    note.push_str(FENCE);
    note.push('\n');
}

/// Outside strings JSON is ASCII, so characters that YAML forbids are inside strings, where both languages have the
/// same escape.
fn push_escaped(json: &str, note: &mut String) {
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                // Writing to a string can't fail.
                let _ = write!(note, "\\u{:04x}", u32::from(character));
            }
            _ => note.push(character),
        }
    }
}

/// Splits a note into its properties and its text; without front matter there are no properties.
///
/// Reads what Obsidian writes: a scalar, a list on one line, or a list with one item per line. Other YAML (blocks, maps, anchors)
/// becomes the text that is written there. A first line of three dashes without a property after it is a horizontal rule.
pub(crate) fn read(note: &str) -> Result<(Map<String, Value>, &str), String> {
    let note = note.strip_prefix('\u{feff}').unwrap_or(note);
    let Some(mut rest) = after_fence(note).filter(|rest| begins_with_property(rest)) else {
        return Ok((Map::new(), note));
    };
    let mut properties = Properties::default();
    for number in 2.. {
        if let Some(text) = after_fence(rest) {
            properties.close();
            return Ok((properties.map, text));
        }
        let Some((line, after)) = rest.split_once('\n') else {
            break;
        };
        properties
            .read_line(line.strip_suffix('\r').unwrap_or(line))
            .map_err(|reason| format!("line {number}: {reason}"))?;
        rest = after;
    }
    Err("the front matter is not closed by a line of three dashes".to_owned())
}

/// Whether front matter begins here: with a property, or with its end.
fn begins_with_property(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line == FENCE || property(line).is_some())
}

/// The name and the value of a line that begins a property.
fn property(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(':')?;
    let is_name = !name.is_empty() && !name.starts_with([' ', '\t', '-']);
    is_name.then_some((name.trim(), text.trim()))
}

/// The text after a fence; the last line of a file may lack its line break.
fn after_fence(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(FENCE)?;
    match rest.strip_prefix('\r').unwrap_or(rest) {
        "" => Some(""),
        rest => rest.strip_prefix('\n'),
    }
}

#[derive(Default)]
struct Properties {
    map: Map<String, Value>,
    /// The property that the last lines are about.
    last: String,
    state: State,
}

/// What may follow the last line of a property.
#[derive(Default, PartialEq)]
enum State {
    /// Lines that go on with its text.
    #[default]
    Value,
    /// List items, one per line.
    List,
    /// Lines of its text, as they are.
    Text(String),
}

impl Properties {
    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let trimmed = line.trim();
        let is_indented = line.starts_with([' ', '\t']);
        if let State::Text(text) = &mut self.state
            && (is_indented || trimmed.is_empty())
        {
            push_line(text, trimmed);
            return Ok(());
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Ok(());
        }
        if let (State::List, Some(item)) = (&self.state, trimmed.strip_prefix("- ")) {
            self.push_item(value(item.trim()));
            return Ok(());
        }
        if is_indented && !self.last.is_empty() {
            self.go_on(trimmed);
            return Ok(());
        }
        let (name, text) = property(line).ok_or("expected `name: value` or `- item`")?;
        self.close();
        let name = match serde_json::from_str::<String>(name) {
            Ok(quoted) => quoted,
            Err(_) => name.to_owned(),
        };
        self.last.clone_from(&name);
        self.state = match text {
            "" => State::List,
            text if is_block(text) => State::Text(String::new()),
            _ => State::Value,
        };
        self.map.insert(name, value(text));
        Ok(())
    }

    fn push_item(&mut self, item: Value) {
        match self.map.get_mut(&self.last) {
            Some(Value::Array(items)) => items.push(item),
            _ => drop(self.map.insert(self.last.clone(), Value::Array(vec![item]))),
        }
    }

    /// Adds an indented line to the last item of a list, or to the text of a property.
    fn go_on(&mut self, line: &str) {
        let last = self.map.get_mut(&self.last);
        if let (State::List, Some(Value::Array(items))) = (&self.state, last) {
            if let Some(item) = items.last_mut() {
                let mut text = text_of(item.take());
                push_line(&mut text, line);
                *item = text.into();
            }
            return;
        }
        let before = self.map.get_mut(&self.last).map(Value::take);
        let mut text = before.map(text_of).unwrap_or_default();
        push_line(&mut text, line);
        self.state = State::Text(text);
    }

    /// Ends the last property: a text of several lines is its value, unless it is a list.
    fn close(&mut self) {
        if let State::Text(text) = std::mem::take(&mut self.state) {
            let text = text.trim_end();
            let value = if text.starts_with('[') {
                value(&text.replace('\n', " "))
            } else {
                text.into()
            };
            self.map.insert(self.last.clone(), value);
        }
    }
}

/// Whether a value is the head of a block of text, such as `|` or `>-`.
fn is_block(text: &str) -> bool {
    let head = text.strip_prefix(['|', '>']);
    head.is_some_and(|rest| {
        rest.chars()
            .all(|next| matches!(next, '+' | '-' | '0'..='9'))
    })
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn text_of(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A value: JSON, a quoted or plain string, or a list of these; anything else as it is written. Only JSON can be nested, at most 128
/// levels.
fn value(text: &str) -> Value {
    if let Ok(json) = serde_json::from_str(text) {
        return json;
    }
    let listed = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .filter(|inner| !inner.contains(['[', ']', '{', '}']));
    let Some(items) = listed else {
        return scalar(text);
    };
    let items = items.split(',').map(str::trim);
    items.filter(|item| !item.is_empty()).map(scalar).collect()
}

/// A value that is not a list.
fn scalar(text: &str) -> Value {
    if text.is_empty() || text == "~" {
        return Value::Null;
    }
    if let Ok(json) = serde_json::from_str(text) {
        return json;
    }
    let quoted = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    match quoted {
        Some(quoted) => quoted.replace("''", "'").into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(note: &str, properties: &Value, text: &str) {
        let (read, rest) = read(note).expect(note);
        assert_eq!((&Value::Object(read), rest), (properties, text));
    }

    #[test]
    fn what_people_write_is_read() {
        check(
            "no front matter\n---\n",
            &json!({}),
            "no front matter\n---\n",
        );
        check("---\n---\ntext", &json!({}), "text");
        check(
            "---\r\ntitle: A plain: title\r\ntags:\r\n  - one\r\n  - 'it''s'\r\n---\r\ntext\r\n",
            &json!({"title": "A plain: title", "tags": ["one", "it's"]}),
            "text\r\n",
        );
        check(
            "\u{feff}---\n# a remark\ntags: [a, \"b c\", 3]\nimportance: 7\nempty:\nsee: [[Other note]]\n---\n",
            &json!({"tags": ["a", "b c", 3], "importance": 7, "empty": null, "see": "[[Other note]]"}),
            "",
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        let odd =
            "quote \" backslash \\ tab \t line \n next \u{85} \u{2028} \u{feff} \u{7f} --- : # ünï";
        let properties = vec![
            ("id".to_owned(), json!("0198")),
            ("odd".to_owned(), json!(odd)),
            (
                "metadata".to_owned(),
                json!({"a: b": [1, {"c": null}], "---": odd}),
            ),
        ];
        let mut note = String::new();
        write(&properties, &mut note);
        note.push_str("---\nthe text begins with a fence");
        assert!(
            note.chars()
                .all(|character| character == '\n' || !character.is_control())
        );
        check(
            &note,
            &Value::Object(properties.into_iter().collect()),
            "---\nthe text begins with a fence",
        );
    }

    #[test]
    fn nesting_costs_no_stack_and_linear_time() {
        for (open, close) in [
            ("[ ", " ]"),
            ("[[", "]]"),
            ("{\"a\": ", "}"),
            ("- ", ""),
            ("'", "'"),
        ] {
            let nested = format!("{}x{}", open.repeat(500_000), close.repeat(500_000));
            let note = format!("---\na: {nested}\n---\ntext");
            // Any result will do, as long as the process continues.
            let shown = read(&note).map_or_else(|refused| refused.len(), |_| 0);
            assert!(shown < 200, "{shown}");
        }
    }

    #[test]
    fn other_yaml_becomes_text() {
        check(
            "---\nlong: |\n  one\n\n  two\nfolded: >-\n  three\nnext: 1\n---\ntext",
            &json!({"long": "one\n\ntwo", "folded": "three", "next": 1}),
            "text",
        );
        check(
            "---\nmap:\n  a: 1\n  list:\n    - x\nflow: {a: b}\nanchor: &x y\nodd: \"open\n---\n",
            &json!({"map": "a: 1\nlist:\n- x", "flow": "{a: b}", "anchor": "&x y", "odd": "\"open"}),
            "",
        );
        check(
            "---\npeople:\n  - name: Ada\n    born: 1815\n  - name: Bo\ntags: [a,\n  b]\nnested: [ [ [ b ] ] ]\n---\n",
            &json!({
                "people": ["name: Ada\nborn: 1815", "name: Bo"], "tags": ["a", "b"], "nested": "[ [ [ b ] ] ]",
            }),
            "",
        );
    }

    #[test]
    fn a_rule_at_the_beginning_is_no_front_matter() {
        for note in [
            "---\n\nA rule first\n",
            "---\nA rule\n---\nand another\n",
            "---\n- item\n---\n",
            "---\n",
        ] {
            check(note, &json!({}), note);
        }
    }

    #[test]
    fn what_is_no_property_is_refused_by_line() {
        for (note, line) in [
            ("---\na: 1\nplain\n---\n", "line 3"),
            ("---\na: 1\n- item\n---\n", "line 3"),
            ("---\na: 1\n", "not closed"),
        ] {
            let refused = read(note).expect_err(note);
            assert!(refused.contains(line), "{refused}");
        }
    }
}
