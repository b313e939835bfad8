//! Following the log: notes of memories, and which periods need building again.

use anamne_store::view::{Health, MemoryFeed, MemoryState};
use anamne_types::Seq;
use rusqlite::Connection;

use super::file::Summaries;
use super::notes::{is_read, take_in, take_out};
use super::{Level, SummaryError};

/// States taken in with one transaction.
const BATCH: usize = 512;

impl Summaries {
    /// Up to which event the log has been taken in.
    pub fn watermark(&self) -> Result<Seq, SummaryError> {
        self.with(|connection| watermark(connection))
    }

    /// Takes in what the log says after the watermark; returns the event reached.
    ///
    /// What was forgotten or changed leaves every summary at once; the periods that it touches wait for
    /// [`Summaries::build`]. `progress` is called after each transaction. O(changes · log memories). A log that ends before
    /// the watermark is another one, and is read from its beginning.
    pub fn catch_up(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Seq, SummaryError> {
        let head = feed.head()?;
        if self.watermark()? > head {
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

    /// Takes states in with the watermark in one transaction, unless another process did meanwhile.
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
                 DELETE FROM signals; DELETE FROM utility; UPDATE state SET watermark = 0, feedback = 0;",
            )
        })
    }

    /// Catches up, and then rewrites the file, so that nothing of what was forgotten is left in it.
    ///
    /// Copies that were quarantined are removed. O(bytes of the file). Errors: [`SummaryError::Busy`] while another process
    /// reads; it is to be done once more then.
    pub fn purge(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Seq, SummaryError> {
        let reached = self.catch_up(feed, progress)?;
        self.rewrite()?;
        Ok(reached)
    }

    /// Reads the whole file back; what is damaged makes it broken. O(bytes of the file).
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

    /// How many periods wait to be built.
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

/// The levels whose summaries are chosen from those of days.
pub(crate) fn is_of_days(level: Level) -> bool {
    matches!(level, Level::Week | Level::Month)
}
