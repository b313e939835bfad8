//! Tracks a space's disk usage without walking its folder on every write.

use std::path::Path;

use anamne_types::Seq;

use crate::files::bytes_under;
use crate::{Result, StoreError};

/// Number of events, by any process, after which the folder is measured again.
const EVENTS_BETWEEN: u64 = 256;

/// The folder is measured again after writing more than this fraction (1/n) of the quota.
const PART_BETWEEN: u64 = 64;

/// Cost of a write in addition to its lines: the changed database pages, in bytes.
const PAGES: u64 = 52 << 10;

/// A line is written to the journal, to the database and temporarily to the WAL.
const COPIES: u64 = 3;

/// The disk usage of the space's folder, as known to this process.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    measured: Option<Measured>,
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Total size of all files.
    bytes: u64,
    /// The end of the log at that time.
    at: Seq,
    /// Upper bound of what this process has written since.
    since: u64,
}

/// A write to be admitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteRequest<'space> {
    pub(crate) space: &'space str,
    pub(crate) folder: &'space Path,
    /// The end of the log before it.
    pub(crate) head: Seq,
    /// Size of its journal lines in bytes.
    pub(crate) lines: u64,
    /// Bytes by which the next WAL checkpoint grows the database file.
    pub(crate) logged: u64,
    /// Size in bytes of the journal lines that earlier changes of the same transaction wrote, and their number: the
    /// folder doesn't have them yet.
    pub(crate) uncommitted: (u64, usize),
    /// `quota.bytes`, above 0.
    pub(crate) limit: u64,
}

impl WriteRequest<'_> {
    fn cost_of_uncommitted(&self) -> u64 {
        let (lines, number) = self.uncommitted;
        COPIES * lines + PAGES * number as u64
    }
}

impl Usage {
    /// Admits the write if the folder stays within the quota.
    ///
    /// Free, except for an occasional walk over the folder and one before a refusal: [`StoreError::QuotaExceeded`]
    /// always reports measured bytes.
    pub(crate) fn admit(&mut self, wanted: WriteRequest<'_>) -> Result<()> {
        let cost = COPIES * wanted.lines + PAGES + wanted.logged;
        let known = self.measured.filter(|measured| {
            wanted.head.0.saturating_sub(measured.at.0) < EVENTS_BETWEEN
                && measured.since <= wanted.limit / PART_BETWEEN
                && measured.bytes + measured.since + cost <= wanted.limit
        });
        let mut measured = match known {
            Some(measured) => measured,
            None => Measured {
                bytes: bytes_under(wanted.folder)?,
                at: wanted.head,
                since: wanted.cost_of_uncommitted(),
            },
        };
        if measured.bytes + measured.since + cost > wanted.limit {
            self.measured = None;
            return Err(StoreError::QuotaExceeded {
                space: wanted.space.to_owned(),
                limit: wanted.limit,
                used: measured.bytes,
                wanted: cost,
            });
        }
        measured.since += cost - wanted.logged;
        self.measured = Some(measured);
        Ok(())
    }
}
