//! Removes payloads from the journal while its chain still verifies.

use std::collections::BTreeSet;

use anamne_types::{EventKind, MemoryId, Seq};

use super::append::Journal;
use super::line::Line;
use super::segment::Segment;
use crate::Result;
use crate::files::{remove_if_there, remove_unfinished, replace_file_on};
use crate::source::record::Payload;

/// The payloads to remove from the journal.
#[derive(Debug, Default)]
pub(crate) struct Erasure {
    /// The events of the erased memories.
    pub(crate) events: BTreeSet<Seq>,
    /// The erased memories; links between them and others go too, because their reasons may quote them.
    pub(crate) memories: BTreeSet<MemoryId>,
}

impl Erasure {
    fn covers(&self, line: &Line) -> bool {
        let link = || {
            let payload = line.payload.as_ref()?;
            serde_json::from_str::<Payload<'_>>(payload.get())
                .ok()?
                .link
        };
        self.events.contains(&line.seq)
            || matches!(line.kind, EventKind::Linked | EventKind::Unlinked)
                && link().is_some_and(|link| {
                    self.memories.contains(&link.from) || self.memories.contains(&link.to)
                })
    }
}

impl Journal {
    /// Removes these payloads from all segments.
    ///
    /// Each segment is replaced atomically, so that a crash leaves the old or the new one; idempotent. The write lock
    /// must be held. O(bytes of the journal).
    pub(crate) fn erase(&mut self, erasure: &Erasure) -> Result<()> {
        remove_unfinished(&self.folder)?;
        for segment in Segment::list(&self.folder)? {
            if !segment.sealed {
                // After an interrupted seal, the plain file is valid and the sealed one is a stale copy.
                remove_if_there(&segment.sealed_twin().path)?;
            }
            let text = segment.read()?;
            if let Some(erased) = without_payloads(&text, erasure)? {
                if segment.sealed {
                    segment.write_sealed(self.storage.as_ref(), &erased)?;
                } else {
                    replace_file_on(self.storage.as_ref(), &segment.path, &erased)?;
                }
            }
        }
        self.reopen();
        Ok(())
    }
}

/// The segment's text without those payloads; `None` if it contains none of them.
fn without_payloads(text: &[u8], erasure: &Erasure) -> Result<Option<Vec<u8>>> {
    let mut erased = Vec::with_capacity(text.len());
    let mut found = false;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice::<Line>(line) {
            Ok(mut parsed) if parsed.payload.is_some() && erasure.covers(&parsed) => {
                parsed.payload = None;
                serde_json::to_writer(&mut erased, &parsed)?;
                erased.push(b'\n');
                found = true;
            }
            // Headers, other events and unreadable lines stay unchanged.
            _ => erased.extend_from_slice(line),
        }
    }
    Ok(found.then_some(erased))
}
