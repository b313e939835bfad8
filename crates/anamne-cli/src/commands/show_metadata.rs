//! What `anamne show` says of a memory's metadata.

use anamne::{GuardNote, Judgement, Memory, RELATED_ENTITIES, RELATED_FILES};

use crate::output::times;
use crate::wording::one_line;

/// Rows of the guard's findings, of feedback, and of the other values.
pub(super) fn rows(memory: &Memory) -> impl Iterator<Item = (&'static str, String)> {
    let rows = [
        guard_row(memory),
        feedback_row(memory),
        metadata_row(memory),
    ];
    rows.into_iter().flatten()
}

/// What the guard found: `email redact, card mark`.
fn guard_row(memory: &Memory) -> Option<(&'static str, String)> {
    let notes = GuardNote::of(&memory.metadata);
    let worded = |note: &GuardNote| one_line(&format!("{} {}", note.kind, note.action));
    let mut found: Vec<_> = notes.iter().map(worded).collect();
    found.dedup();
    (!found.is_empty()).then(|| ("guard", found.join(", ")))
}

/// What was said about it: `useful twice, useless never`.
fn feedback_row(memory: &Memory) -> Option<(&'static str, String)> {
    let judgement = Judgement::of(&memory.metadata);
    if judgement.is_empty() {
        return None;
    }
    let mut said = format!(
        "useful {}, useless {}",
        times(judgement.useful.into()),
        times(judgement.useless.into())
    );
    if !judgement.note.is_empty() {
        said = format!("{said}: {}", one_line(&judgement.note));
    }
    Some(("feedback", said))
}

fn metadata_row(memory: &Memory) -> Option<(&'static str, String)> {
    if memory.metadata.is_empty() {
        return None;
    }
    // What is related, found and said has rows of its own, if it is well-formed.
    let [files, entities] = memory.related().map(|names| !names.is_empty());
    let (guard, feedback) = (guard_row(memory).is_some(), feedback_row(memory).is_some());
    let has_row = |name: &str| match name {
        RELATED_FILES => files,
        RELATED_ENTITIES => entities,
        GuardNote::KEY => guard,
        Judgement::NAME => feedback,
        _ => false,
    };
    let pairs: Vec<_> = memory
        .metadata
        .iter()
        .filter(|(name, _)| !has_row(name))
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{}={}", one_line(name), one_line(text)),
            None => format!("{}={value}", one_line(name)),
        })
        .collect();
    (!pairs.is_empty()).then(|| ("metadata", pairs.join("\n")))
}
