//! Payloads that a space has lost and a known backup still holds.

use std::collections::HashMap;
use std::path::Path;

use anamne_types::Seq;
use serde_json::value::RawValue;

use crate::Result;
use crate::backup::KnownBackups;
use crate::journal::{Digest, Line, Scan};
use crate::space_name::SpaceName;
use crate::store::StoreFolder;

/// Payloads by their events, each verified against its digest.
#[derive(Default)]
pub(super) struct KeptPayloads(HashMap<Seq, Box<RawValue>>);

impl KeptPayloads {
    /// Those of these events, given with their hashes. A backup that can't be read counts as one without them: what
    /// none of them holds is reported as lost.
    pub(super) fn in_backups(folder: &Path, name: &SpaceName, lost: &HashMap<Seq, Digest>) -> Self {
        let mut kept = Self::default();
        let known = match KnownBackups::read(folder) {
            Ok(known) if !lost.is_empty() => known.backups,
            _ => return kept,
        };
        for backup in known {
            let space = StoreFolder::at(&backup.folder).space(name);
            // What was read until then is verified.
            let _ = kept.read(&space.join("journal"), lost);
        }
        kept
    }

    fn read(&mut self, journal: &Path, lost: &HashMap<Seq, Digest>) -> Result<()> {
        for line in Scan::of(journal)?.filter_map(|scanned| scanned.line) {
            let is_lost = lost.get(&line.seq) == Some(&line.hash);
            if is_lost
                && line.check_payload().is_ok()
                && let Some(payload) = line.payload
            {
                self.0.insert(line.seq, payload);
            }
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the payload to the line, if it is there and its digest matches.
    pub(super) fn complete(&self, line: &mut Line) -> bool {
        let payload = self.0.get(&line.seq);
        let payload =
            payload.filter(|payload| Digest::of(payload.get().as_bytes()) == line.payload_hash);
        line.payload = payload.cloned();
        line.payload.is_some()
    }
}
