//! Taking payloads out of the journal while its chain still verifies.

use std::collections::BTreeSet;

use anamne_types::Seq;

use super::append::Journal;
use super::line::Line;
use super::segment::Segment;
use crate::StoreError;
use crate::files::replace_file;

impl Journal {
    /// Removes the payloads of these events from every segment that holds one.
    ///
    /// Each segment is replaced as a whole, so that a crash leaves the old or the new one. Only the
    /// holder of the write lock may call this. O(bytes of the journal).
    pub(crate) fn erase(&mut self, events: &BTreeSet<Seq>) -> Result<(), StoreError> {
        for segment in Segment::list(&self.folder)? {
            let text = segment.read()?;
            if let Some(erased) = without_payloads(&text, events)? {
                if segment.sealed {
                    segment.write_sealed(&erased)?;
                } else {
                    replace_file(&segment.path, &erased)?;
                }
            }
        }
        self.reopen();
        Ok(())
    }
}

/// The segment's text without those payloads; `None` when it holds none of them.
fn without_payloads(text: &[u8], events: &BTreeSet<Seq>) -> Result<Option<Vec<u8>>, StoreError> {
    let mut erased = Vec::with_capacity(text.len());
    let mut found = false;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice::<Line>(line) {
            Ok(mut parsed) if events.contains(&parsed.seq) && parsed.payload.is_some() => {
                parsed.payload = None;
                serde_json::to_writer(&mut erased, &parsed)?;
                erased.push(b'\n');
                found = true;
            }
            // Headers, other events, and lines that can't be read stay as they are.
            _ => erased.extend_from_slice(line),
        }
    }
    Ok(found.then_some(erased))
}
