//! How much room a space takes up, known without walking its folder at every write.

use std::path::Path;

use anamne_types::Seq;

use crate::files::bytes_under;
use crate::{Result, StoreError};

/// The folder is measured again after so many events, of whatever process.
const EVENTS_BETWEEN: u64 = 256;

/// The folder is measured again when more than this part of the quota was written since.
const PART_BETWEEN: u64 = 64;

/// What a write costs beside its lines: the pages of the database that it changes.
const PAGES: u64 = 52 << 10;

/// A line stands in the journal, in the database and, for a while, in the database's log.
const COPIES: u64 = 3;

/// What the space's folder takes up, as far as this process knows.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    measured: Option<Measured>,
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    /// What all files came to.
    bytes: u64,
    /// The log's end at that time.
    at: Seq,
    /// What this process has written since, at most.
    since: u64,
}

/// A write that wants to be committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'space> {
    pub(crate) space: &'space str,
    pub(crate) folder: &'space Path,
    /// The log's end before it.
    pub(crate) head: Seq,
    /// Bytes of the journal lines that it adds.
    pub(crate) lines: u64,
    /// By how many bytes the database grows when its log is next written back to it.
    pub(crate) logged: u64,
    /// `quota.bytes`, above 0.
    pub(crate) limit: u64,
}

impl Usage {
    /// Lets the write pass if the folder stays within the quota.
    ///
    /// Costs nothing but now and then a walk over the folder, and one before a refusal:
    /// [`StoreError::QuotaExceeded`] always tells measured bytes.
    pub(crate) fn admit(&mut self, wanted: Wanted<'_>) -> Result<()> {
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
                since: 0,
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
