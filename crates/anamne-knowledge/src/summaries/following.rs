//! Follows the log: notes memories, and marks the periods to rebuild.

use anamne_store::view::{Health, MemoryFeed, MemoryState};
use anamne_types::Seq;
use rusqlite::Connection;

use super::file::Summaries;
use super::notes::{is_read, take_in, take_out};
use super::{Level, SummaryError};

/// Number of states per transaction.
const BATCH: usize = 512;

impl Summaries {
    /// The last event applied.
    pub fn watermark(&self) -> Result<Seq, SummaryError> {
        self.with(|connection| watermark(connection))
    }

    /// Applies the events after the watermark; returns the event reached.
    ///
    /// Forgotten and changed memories leave every summary at once; the periods that they touch wait for
    /// [`Summaries::build`]. `progress` is called after each transaction. O(changes · log memories). A log that ends before
    /// the watermark is a different log, and is read from its beginning.
    pub fn catch_up(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Seq, SummaryError> {
        // In this order: another process may append to the log and apply it meanwhile.
        let (reached, head) = (self.watermark()?, feed.head()?);
        if reached > head {
            self.empty()?;
        }
        loop {
            let from = self.watermark()?;
            if from >= head {
                return Ok(from);
            }
            let states = feed.states_since(from, BATCH)?;
            let through = match states.last() {
                Some(last) if states.len() == BATCH => last.seq,
                Some(last) => last.seq.max(head),
                None => head,
            };
            self.take(&states, from, through)?;
            progress(through);
        }
    }

    /// Applies states and the watermark in one transaction, unless another process did meanwhile.
    fn take(&self, states: &[MemoryState], from: Seq, through: Seq) -> Result<(), SummaryError> {
        self.change(|transaction| {
            if watermark(transaction)? == from {
                for state in states {
                    note(transaction, state)?;
                }
                let sql = "UPDATE state SET watermark = ?1";
                transaction.execute(sql, [through.0 as i64])?;
            }
            Ok(())
        })
    }

    fn empty(&self) -> Result<(), SummaryError> {
        self.change(|transaction| {
            transaction.execute_batch(
                "DELETE FROM sentences; DELETE FROM periods; DELETE FROM sources; DELETE FROM threads; \
                 UPDATE state SET watermark = 0;",
            )
        })
    }

    /// Catches up, and then rewrites the file, so that no forgotten text is left in it.
    ///
    /// Removes quarantined copies. O(bytes of the file). Fails with [`SummaryError::Busy`] while another process reads: retry
    /// then.
    pub fn purge(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Seq, SummaryError> {
        let reached = self.catch_up(feed, progress)?;
        self.rewrite()?;
        Ok(reached)
    }

    /// Checks the whole file; broken if it is damaged. O(bytes of the file).
    pub fn verify(&self) -> Result<Health, SummaryError> {
        let check = "PRAGMA integrity_check(1)";
        let found: String =
            self.with(|connection| connection.query_row(check, [], |row| row.get(0)))?;
        Ok(if found == "ok" {
            Health::Whole
        } else {
            Health::Broken(found)
        })
    }

    /// Number of periods to build.
    pub fn waiting(&self) -> Result<usize, SummaryError> {
        let sql = "SELECT count(*) FROM periods WHERE touched IS NOT NULL";
        let waiting: u32 =
            self.with(|connection| connection.query_row(sql, [], |row| row.get(0)))?;
        Ok(waiting as usize)
    }
}

pub(crate) fn watermark(connection: &Connection) -> rusqlite::Result<Seq> {
    connection
        .prepare_cached("SELECT watermark FROM state")?
        .query_row([], |row| row.get::<_, i64>(0))
        .map(|watermark| Seq(watermark as u64))
}

fn note(connection: &Connection, state: &MemoryState) -> rusqlite::Result<()> {
    take_out(connection, state.row, state.seq.0)?;
    match &state.memory {
        Some(memory) if is_read(memory) => take_in(connection, memory, state.row, state.seq.0),
        _ => Ok(()),
    }
}

/// Whether summaries of this level are chosen from those of days.
pub(crate) fn is_built_from_days(level: Level) -> bool {
    matches!(level, Level::Week | Level::Month)
}
