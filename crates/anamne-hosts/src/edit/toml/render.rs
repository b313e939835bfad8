//! New keys and values as TOML.

use serde_json::Value;

use super::super::EditError;
use super::super::keys::ordered;

/// A key: bare if it can be.
pub(super) fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !name.is_empty() && name.bytes().all(is_bare) {
        return name.to_owned();
    }
    string(name)
}

/// Keys joined by dots.
pub(super) fn dotted(path: &[&str]) -> String {
    let keys: Vec<String> = path.iter().map(|name| key(name)).collect();
    keys.join(".")
}

fn string(text: &str) -> String {
    // JSON's escapes are TOML's, and only DEL needs one more.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value on one line.
pub(super) fn inline(value: &Value) -> Result<String, EditError> {
    Ok(match value {
        Value::Null => return Err(no_null()),
        Value::String(text) => string(text),
        Value::Array(list) => {
            let items = list.iter().map(inline).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(_) => {
            let pairs = pairs(value)?;
            format!("{{ {} }}", pairs.join(", "))
        }
        other => other.to_string(),
    })
}

/// The lines of a table.
pub(super) fn pairs(table: &Value) -> Result<Vec<String>, EditError> {
    let pairs = ordered(table).into_iter();
    pairs
        .map(|(name, value)| Ok(format!("{} = {}", key(name), inline(value)?)))
        .collect()
}

fn no_null() -> EditError {
    EditError::Unsupported("TOML has no null".to_owned())
}
