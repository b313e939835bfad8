//! Whether Codex trusts our hooks. It skips a new or changed hook until the person trusts it.
//!
//! Codex keeps the trusted hooks in its `config.toml`, by file, event and position, with a digest of what the hook is. A
//! hook that changes or moves has to be trusted again. The digest is the SHA-256 of a canonical JSON text, checked against
//! Codex 0.169.0.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::drafts::Drafts;
use crate::edit::Syntax;
use crate::hook::HookEvent;
use crate::plan::HookState;

/// Codex's default timeout of a hook in seconds.
const DEFAULT_TIMEOUT: u64 = 600;

/// What Codex has recorded about hooks.
pub(super) struct Trust {
    recorded: Map<String, Value>,
}

impl Trust {
    /// Reads the record from `config.toml`.
    pub(super) fn read(config: &Path, drafts: &mut Drafts) -> Self {
        let document = drafts.document(config, Syntax::Toml);
        let recorded = document.and_then(|document| document.get(&["hooks", "state"]));
        let recorded = match recorded {
            Some(Value::Object(recorded)) => recorded,
            _ => Map::new(),
        };
        Self { recorded }
    }

    /// The keys of the records of our hooks in a file, as they are in it now. The records of others stay, and those of
    /// what our hooks were before.
    pub(super) fn keys_of_ours(
        &self,
        file: &Path,
        drafts: &mut Drafts,
        is_ours: impl Fn(&Value) -> bool,
    ) -> Vec<String> {
        let hooks = drafts
            .document(file, Syntax::Json)
            .and_then(|file| file.get(&["hooks"]));
        let Some(Value::Object(hooks)) = hooks else {
            return Vec::new();
        };
        let mut keys = Vec::new();
        for (name, groups) in &hooks {
            let event = snake_case(name);
            let groups = groups.as_array().map_or(&[][..], Vec::as_slice);
            for (_, _, group, hook) in positions(groups).filter(|(.., hook)| is_ours(hook)) {
                let digest = digest(&event, group, hook);
                let of_hook = self.recorded.iter().filter(|(key, record)| {
                    is_of_event(key, file, &event)
                        && record.get("trusted_hash").and_then(Value::as_str) == Some(&digest)
                });
                keys.extend(of_hook.map(|(key, _)| key.clone()));
            }
        }
        keys
    }

    /// Notes which configured hooks wait for trust; returns whether one is switched off.
    pub(super) fn mark(
        &self,
        states: &mut [HookState],
        file: &Path,
        drafts: &mut Drafts,
        is_ours: impl Fn(&Value, HookEvent) -> bool,
        names: impl Fn(HookEvent) -> Option<String>,
    ) -> bool {
        let hooks = drafts
            .document(file, Syntax::Json)
            .and_then(|file| file.get(&["hooks"]));
        let mut switched_off = false;
        for state in states.iter_mut().filter(|state| state.configured) {
            let name = names(state.event).unwrap_or_default();
            let groups = hooks
                .as_ref()
                .and_then(|hooks| hooks.get(&name)?.as_array());
            let mut positions = positions(groups.map_or(&[], Vec::as_slice));
            let ours = positions.find(|(.., hook)| is_ours(hook, state.event));
            let record = ours.and_then(|position| self.record(file, &name, position));
            state.waits_for_trust = record.is_none();
            let enabled = record.and_then(|record| record.get("enabled"));
            switched_off |= enabled == Some(&json!(false));
        }
        switched_off
    }

    /// The record of a hook, if it is trusted as it is now.
    fn record(&self, file: &Path, name: &str, position: Position<'_>) -> Option<&Value> {
        let (group_index, index, group, hook) = position;
        let event = snake_case(name);
        let key = format!(
            "{}:{event}:{group_index}:{index}",
            file.file_name()?.to_str()?
        );
        let digest = digest(&event, group, hook);
        let mut of_key = self
            .recorded
            .iter()
            .filter(|(known, _)| known.ends_with(&key));
        let trusted = of_key.find(|(_, record)| {
            record.get("trusted_hash").and_then(Value::as_str) == Some(digest.as_str())
        });
        trusted.map(|(_, record)| record)
    }
}

/// Whether a key is that of a hook of this file and event, at whatever position: `FILE:EVENT:GROUP:INDEX`.
fn is_of_event(key: &str, file: &Path, event: &str) -> bool {
    let mut parts = key.rsplitn(4, ':');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let has_position = is_number(parts.next()) && is_number(parts.next());
    has_position
        && parts.next() == Some(event)
        && parts.next().is_some_and(|path| is_same_file(path, file))
}

fn is_same_file(path: &str, file: &Path) -> bool {
    let path = Path::new(path);
    path == file
        || matches!((path.canonicalize(), file.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// A hook with the index of its group, its index in there, and its group.
type Position<'a> = (usize, usize, &'a Value, &'a Value);

fn positions(groups: &[Value]) -> impl Iterator<Item = Position<'_>> {
    groups.iter().enumerate().flat_map(|(group_index, group)| {
        let hooks = group.get("hooks").and_then(Value::as_array);
        let hooks = hooks.into_iter().flatten().enumerate();
        hooks.map(move |(index, hook)| (group_index, index, group, hook))
    })
}

/// `SessionStart` as `session_start`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for (index, character) in name.chars().enumerate() {
        if character.is_ascii_uppercase() && index > 0 {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// What Codex records of a trusted hook.
fn digest(event: &str, group: &Value, hook: &Value) -> String {
    let mut identity = json!({
        "async": hook.get("async").unwrap_or(&json!(false)),
        "command": hook.get("command"),
        "timeout": hook.get("timeout").unwrap_or(&json!(DEFAULT_TIMEOUT)),
        "type": "command",
    });
    if let Some(message) = hook.get("statusMessage") {
        identity["statusMessage"] = message.clone();
    }
    let mut whole = json!({"event_name": event, "hooks": [identity]});
    if let Some(matcher) = group.get("matcher") {
        whole["matcher"] = matcher.clone();
    }
    whole.sort_all_objects();
    let mut text = "sha256:".to_owned();
    for byte in hmac_sha256::Hash::hash(whole.to_string().as_bytes()) {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_a_hook_is_that_of_codex() {
        // Recorded by Codex 0.169.0.
        let check = |event: &str, command: &str, timeout: u64, expected: &str| {
            let hook = json!({"type": "command", "command": command, "timeout": timeout});
            let group = json!({"hooks": [hook]});
            assert_eq!(digest(event, &group, &hook), format!("sha256:{expected}"));
        };
        check(
            "session_start",
            "anamne hook session-start --host codex",
            10,
            "444223e97e0c39cdc9032f74eff96433dd4a93b4addacfda3966f4e2fc5887df",
        );
        check(
            "session_end",
            "anamne hook session-end --host codex",
            3,
            "e0f31d3fda9fc34ed58b499e7efd3aaf806eba65b960df47b08e8fbf6d62fe5c",
        );
        check(
            "stop",
            "echo x",
            600,
            "7cd3bd75d5f588f95ee4f55650a36b04e9a48c57020107701365d29e991b85c0",
        );
    }
}
