//! Keeps what only a backup still has.

use std::collections::HashMap;
use std::path::Path;

use anamne_types::{MemoryId, Seq};
use rusqlite::Connection;

use crate::journal::{Digest, Lines, Scan};
use crate::source::erasure;
use crate::{Result, StoreError};

/// Checks that the backup holds no content that is missing in the journal in `from` up to the event `end`, unless the
/// memory was erased: damage took it, and the copy would be lost too. O(bytes of both journals).
pub(super) fn check(from: &Path, to: &Path, end: Seq, source: &Connection) -> Result<()> {
    let lost = lost_in(from, end, source)?;
    if lost.is_empty() {
        return Ok(());
    }
    for line in Scan::of(to)?.filter_map(|scanned| scanned.line) {
        let is_lost = lost.get(&line.seq) == Some(&line.hash);
        if is_lost && line.payload.is_some() && line.check_payload().is_ok() {
            return Err(StoreError::OnlyInBackup {
                path: to.parent().unwrap_or(to).to_owned(),
                id: line.memory,
                seq: line.seq,
            });
        }
    }
    Ok(())
}

/// The events up to `end` that made a version, and have lost it without an erasure, with their hashes.
fn lost_in(journal: &Path, end: Seq, source: &Connection) -> Result<HashMap<Seq, Digest>> {
    let mut lost = HashMap::new();
    let mut erased: HashMap<MemoryId, bool> = HashMap::new();
    for line in Lines::of(journal)? {
        let line = line?;
        if line.seq > end {
            break;
        }
        if line.payload.is_some() || !line.kind.changes_state() {
            continue;
        }
        let is_erased = match erased.get(&line.memory) {
            Some(&is_erased) => is_erased,
            None => erasure::is_logged(source, line.memory)?,
        };
        erased.insert(line.memory, is_erased);
        if !is_erased {
            lost.insert(line.seq, line.hash);
        }
    }
    Ok(lost)
}
