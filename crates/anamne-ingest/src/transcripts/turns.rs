//! The turns of one reading, within bounds.

use jiff::Timestamp;

use super::injected::without_injected;
use super::text::capped;
use super::{Skipped, Speaker, Turn};

/// The most turns of one reading.
pub(super) const MAX_TURNS: usize = 200_000;

/// The most text of one reading, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// The longest id, in bytes. Hosts' ids are far shorter; a longer one is no id.
const MAX_ID_BYTES: usize = 128;

/// How much of a reading's bounds is used up.
#[derive(Default)]
pub(super) struct Used {
    turns: usize,
    bytes: usize,
}

impl Used {
    /// Counts a turn.
    pub(super) fn add(&mut self, turn: &Turn) {
        self.turns += 1;
        self.bytes += turn.text.len();
    }

    /// Whether the reading must stop.
    pub(super) fn is_full(&self) -> bool {
        self.turns >= MAX_TURNS || self.bytes >= MAX_TEXT_BYTES
    }
}

/// A turn with what was said, without what was injected; `None`, counted as empty, if nothing is left.
pub(super) fn said(
    id: String,
    speaker: Speaker,
    text: &str,
    at: Option<Timestamp>,
    skipped: &mut Skipped,
) -> Option<Turn> {
    let text = without_injected(text);
    if text.is_empty() || is_of_host(&text) {
        skipped.empty += 1;
        return None;
    }
    Some(Turn {
        id,
        speaker,
        text: capped(&text, skipped),
        at,
        model: None,
    })
}

/// Marks at the start of a text that a host wrote in a person's name: commands of the host and their output, notices.
const OF_HOST: [&str; 13] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "<user-prompt-submit-hook>",
    "<turn_aborted>",
    "<tick>",
    "[Request interrupted by user",
];

fn is_of_host(text: &str) -> bool {
    OF_HOST.iter().any(|mark| text.starts_with(mark))
}

/// An id of a transcript, if it is one: not empty, not too long, without control characters.
pub(super) fn valid_id(id: Option<&str>) -> Option<&str> {
    id.filter(|id| id.len() <= MAX_ID_BYTES && !id.contains(char::is_control))
}

/// An id made from what a line says, for lines without one: the same in every copy of the line. O(length of the text).
pub(super) fn id_of(at: Option<&str>, speaker: Speaker, text: &str) -> String {
    let speaker = match speaker {
        Speaker::Person => "person",
        Speaker::Agent => "agent",
        Speaker::Tool => "tool",
    };
    let mut hasher = blake3::Hasher::new();
    for part in [at.unwrap_or_default(), speaker, text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
