//! Reads the journal for an examination.

use std::path::Path;

use anamne_types::Seq;

use super::fold::Fold;
use super::{Findings, Part};
use crate::Result;
use crate::journal::{Digest, Scan, Segment};

/// What was read from the journal.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) segments: usize,
    pub(super) events: u64,
    pub(super) erased: u64,
    /// The last event, and the chain's hash after it if its line is sound.
    pub(super) last: (Seq, Option<Digest>),
    /// For each event, starting with the first: whether a sound line holds its payload.
    holds_payload: Vec<bool>,
    /// The state after all lines; `None` unless all are sound.
    pub(super) fold: Option<Fold>,
}

impl Reading {
    /// Whether the journal holds the payload of an event.
    pub(super) fn holds_payload(&self, seq: Seq) -> bool {
        let index = seq.0.wrapping_sub(1) as usize;
        self.holds_payload.get(index).copied().unwrap_or(false)
    }
}

/// Reads the journal up to the event `through`, or to its end if that is unknown.
///
/// Later lines are still being written, or were never acknowledged.
pub(super) fn read(
    folder: &Path,
    through: Option<Seq>,
    findings: &mut Findings,
) -> Result<Reading> {
    let mut reading = Reading {
        segments: Segment::list(folder)?.len(),
        last: (Seq(0), Some(Digest::default())),
        ..Reading::default()
    };
    if reading.segments == 0 && through.is_some_and(|through| through > Seq(0)) {
        findings.add(Part::Journal, "journal", None, "it is missing or empty");
    }
    let mut fold = Fold::default();
    for scanned in Scan::of(folder)? {
        // A torn line was never acknowledged, or is still in the outbox.
        if scanned.torn || through.is_some_and(|through| scanned.event > through) {
            break;
        }
        let is_sound = scanned.problem.is_none();
        if let Some(problem) = scanned.problem {
            let file = format!("journal/{}", scanned.file);
            findings.add(Part::Journal, &file, Some(scanned.event), problem);
        }
        let Some(line) = scanned.line else {
            reading.last = (scanned.event, None);
            continue;
        };
        reading.last = (scanned.event, is_sound.then_some(line.hash));
        if is_sound {
            reading.events += 1;
            reading.erased += u64::from(line.payload.is_none());
            reading
                .holds_payload
                .resize(scanned.event.0 as usize, false);
            if let Some(last) = reading.holds_payload.last_mut() {
                *last = line.payload.is_some();
            }
            fold.take(&line);
        }
    }
    let is_whole =
        !findings.any(Part::Journal) && through.is_none_or(|through| reading.last.0 == through);
    reading.fold = is_whole.then_some(fold);
    Ok(reading)
}
