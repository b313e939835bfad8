//! The order in which the keys of a new table are written.

use serde_json::Value;

/// Keys in the order in which people write them. All others follow, sorted.
const USUAL: &[&str] = &[
    "version", "name", "type", "enabled", "matcher", "command", "cmd", "args", "cwd", "env",
    "envs", "url", "uri", "headers", "timeout", "hooks",
];

/// The entries of a table in the order in which they are written; none of any other value.
pub(super) fn ordered(value: &Value) -> Vec<(&str, &Value)> {
    let entries = value.as_object().into_iter().flatten();
    let mut entries: Vec<_> = entries.map(|(key, value)| (key.as_str(), value)).collect();
    let rank = |key: &str| USUAL.iter().position(|usual| *usual == key);
    entries.sort_by_key(|(key, _)| (rank(key).unwrap_or(USUAL.len()), *key));
    entries
}
