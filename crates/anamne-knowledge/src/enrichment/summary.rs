//! The summary of a long text: one or two of its sentences.

use anamne_types::{MemoryId, Row};
use jiff::Timestamp;
use uuid::Uuid;

use crate::summaries::{Bounds, Digest, Turn};

/// Texts up to this number of characters need no summary.
const LONG: usize = 400;

/// Texts are summarised up to this length, in bytes.
const READ: usize = 16 << 10;

/// Passages that are compared with each other.
const COMPARED: usize = 60;

const BOUNDS: Bounds = Bounds {
    share: 0.2,
    at_least: 120,
    at_most: 280,
    sentences: 2,
};

/// One or two sentences of a long text, word for word, with `…` for omissions; `None` for a short one.
pub(super) fn summary(text: &str) -> Option<String> {
    text.char_indices().nth(LONG)?;
    let mut digest = Digest::new();
    digest.read(&Turn {
        id: MemoryId(Uuid::nil()),
        row: Row(0),
        author: "",
        role: None,
        text: &text[..text.floor_char_boundary(READ)],
        at: Timestamp::UNIX_EPOCH,
    });
    let chosen = digest.sentences_among(&BOUNDS, COMPARED);
    let sentences: Vec<_> = chosen.into_iter().map(|sentence| sentence.text).collect();
    let summary = sentences.join(" ");
    (!summary.trim().is_empty()).then_some(summary)
}
