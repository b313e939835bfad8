//! Checks the lines of a foreign journal before anything is stored.

use anamne_text::json_size::has_more_values;
use anamne_types::{Edit, EventKind, Link, Memory, Seq};

use crate::journal::{Digest, LONGEST_LINE, Line};
use crate::source::record::Payload;

/// Maximum values per line: more than the largest body and metadata have together.
const MAX_VALUES: usize = 400_000;

/// The chain of a foreign journal as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Chain {
    pub(super) seq: Seq,
    pub(super) hash: Digest,
}

impl Chain {
    /// Parses the next line, which must continue the chain and carry what its event says. Returns why it doesn't.
    pub(super) fn next(&mut self, text: &str) -> Result<Line, String> {
        let place = || format!("the line after event {}", self.seq);
        if text.len() as u64 > LONGEST_LINE {
            return Err(format!("{} is longer than {LONGEST_LINE} bytes", place()));
        }
        if has_more_values(text, MAX_VALUES) {
            return Err(format!(
                "{} has more than {MAX_VALUES} JSON values",
                place()
            ));
        }
        let line: Line =
            serde_json::from_str(text).map_err(|error| format!("{}: {error}", place()))?;
        line.check(self.seq, self.hash)?;
        line.actor
            .check()
            .map_err(|refusal| refused(&line, &refusal))?;
        check_payload(&line)?;
        (self.seq, self.hash) = (line.seq, line.hash);
        Ok(line)
    }
}

fn refused(line: &Line, reason: &impl std::fmt::Display) -> String {
    format!("event {}: {reason}", line.seq)
}

/// Checks that the payload belongs to the event, and that its values are in range.
fn check_payload(line: &Line) -> Result<(), String> {
    let Some(payload) = &line.payload else {
        return Ok(());
    };
    let payload: Payload<'static> =
        serde_json::from_str(payload.get()).map_err(|error| refused(line, &error))?;
    if let Some(memory) = &payload.memory {
        check_memory(line, memory)?;
    }
    if let Some(link) = &payload.link {
        check_link(line, link)?;
    }
    Ok(())
}

fn check_memory(line: &Line, memory: &Memory) -> Result<(), String> {
    let holds_state = line.kind.changes_state() && line.kind != EventKind::Erased;
    if !holds_state || memory.id != line.memory || memory.seq != line.seq {
        return Err(refused(line, &"its payload is the state of another event"));
    }
    let judgements = Edit {
        trust: Some(memory.trust),
        importance: Some(memory.importance),
        confidence: Some(memory.confidence),
        ..Edit::default()
    };
    judgements
        .check()
        .map_err(|refusal| refused(line, &refusal))
}

fn check_link(line: &Line, link: &Link) -> Result<(), String> {
    let is_about_links = matches!(line.kind, EventKind::Linked | EventKind::Unlinked);
    if !is_about_links || link.from != line.memory {
        return Err(refused(line, &"its payload is a link of another event"));
    }
    link.check().map_err(|refusal| refused(line, &refusal))
}
