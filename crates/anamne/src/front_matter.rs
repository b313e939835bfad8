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
/// Reads what Obsidian writes: a scalar, a list on one line, or a list with one item per line. Other YAML is an error
/// that names the line.
pub(crate) fn read(note: &str) -> Result<(Map<String, Value>, &str), String> {
    let note = note.strip_prefix('\u{feff}').unwrap_or(note);
    let Some(mut rest) = after_fence(note) else {
        return Ok((Map::new(), note));
    };
    let mut properties = Properties::default();
    for number in 2.. {
        if let Some(text) = after_fence(rest) {
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
    /// The property whose list items may follow, one per line.
    open: Option<String>,
}

impl Properties {
    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Ok(());
        }
        if let Some(item) = trimmed.strip_prefix("- ") {
            return self.push_item(value(item.trim())?);
        }
        let (name, text) = line
            .split_once(':')
            .filter(|(name, _)| !name.starts_with(' ') && !name.is_empty())
            .ok_or("expected `name: value` or `- item`")?;
        let name = match serde_json::from_str::<String>(name.trim()) {
            Ok(quoted) => quoted,
            Err(_) => name.trim().to_owned(),
        };
        let text = text.trim();
        self.open = text.is_empty().then(|| name.clone());
        self.map.insert(name, self::value(text)?);
        Ok(())
    }

    fn push_item(&mut self, item: Value) -> Result<(), String> {
        let name = self.open.as_ref().ok_or("a list item without a list")?;
        match self.map.get_mut(name) {
            Some(Value::Array(items)) => items.push(item),
            _ => {
                self.map.insert(name.clone(), Value::Array(vec![item]));
            }
        }
        Ok(())
    }
}

/// A value: JSON, a quoted or plain string, or a list of these. Only JSON can be nested, at most 128 levels.
fn value(text: &str) -> Result<Value, String> {
    if let Ok(json) = serde_json::from_str(text) {
        return Ok(json);
    }
    let listed = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .filter(|_| !text.starts_with("[["));
    let Some(items) = listed else {
        return scalar(text);
    };
    let items = items.split(',').map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(scalar)
        .collect::<Result<_, _>>()
        .map(Value::Array)
}

/// A value that is not a list.
fn scalar(text: &str) -> Result<Value, String> {
    if text.is_empty() || text == "~" {
        return Ok(Value::Null);
    }
    if let Ok(json) = serde_json::from_str(text) {
        return Ok(json);
    }
    if let Some(quoted) = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        return Ok(quoted.replace("''", "'").into());
    }
    let is_list = text.starts_with('[') && !text.starts_with("[[");
    if is_list || text.starts_with(['|', '>', '{', '&', '*', '!', '"']) {
        let shown: String = text.chars().take(80).collect();
        return Err(format!("this kind of YAML is not supported: {shown}"));
    }
    Ok(text.into())
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
    fn other_yaml_is_refused_by_line() {
        for (note, line) in [
            ("---\nlong: |\n  text\n---\n", "line 2"),
            ("---\na: 1\n  nested: 2\n---\n", "line 3"),
            ("---\n- item\n---\n", "line 2"),
            ("---\na: 1\n", "not closed"),
            ("---\na: [ [ [ b ] ] ]\n---\n", "line 2"),
        ] {
            let refused = read(note).expect_err(note);
            assert!(refused.contains(line), "{refused}");
        }
    }
}
