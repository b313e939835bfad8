//! Writes what a host expects on standard output.

use super::HookEvent;

/// The output that adds `context` to the conversation, or the empty answer of the host without it, or if the host can't
/// take text at this event.
pub fn answer(host: &str, event: HookEvent, context: Option<&str>) -> String {
    let _ = (host, event, context);
    String::new()
}

/// Whether a host adds a hook's text to the conversation at this event.
pub fn takes_context(host: &str, event: HookEvent) -> bool {
    let _ = (host, event);
    true
}

/// The most characters that a host takes.
pub fn limit(host: &str) -> usize {
    let _ = host;
    9_000
}
