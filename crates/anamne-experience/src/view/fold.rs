//! Follows the log.

use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Body, Experience, Memory, Seq};
use rusqlite::Connection;

use super::insert::Insertion;
use super::{ExperienceView, texts};
use crate::ExperienceError;

/// Number of states per transaction.
const BATCH: usize = 4_096;

/// The tables with rows of memories.
const TABLES: [&str; 10] = [
    "outcomes",
    "effects",
    "episodes",
    "in_view",
    "judgements",
    "searches",
    "search_feedback",
    "lessons",
    "working",
    "experiments",
];

impl ExperienceView {
    /// Applies the events after the watermark; returns the event reached.
    ///
    /// `progress` is called after each transaction, and ends the work by returning false. O(changes · log rows). A log
    /// that ends before the watermark is a different log, and is read from its beginning.
    pub fn catch_up(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<Seq, ExperienceError> {
        // In this order: another process may append to the log and apply it meanwhile.
        let mut reached = self.watermark()?;
        let head = feed.head()?;
        if reached > head {
            self.empty()?;
            reached = Seq(0);
        }
        while reached < head {
            let states = feed.states_since(reached, BATCH)?;
            let through = match states.last() {
                Some(last) if states.len() >= BATCH => last.seq,
                Some(last) => last.seq.max(head),
                None => head,
            };
            self.take(&states, reached, through)?;
            reached = self.watermark()?;
            if !progress(reached) {
                break;
            }
        }
        Ok(reached)
    }

    /// Applies states and the watermark in one transaction, unless another process did meanwhile.
    fn take(&self, states: &[MemoryState], from: Seq, through: Seq) -> Result<(), ExperienceError> {
        self.change(|transaction| {
            if watermark(transaction)? != from {
                return Ok(());
            }
            let is_first = from == Seq(0);
            let mut insertion = Insertion::new(transaction);
            let mut judged = None;
            for state in states {
                let took_out = !is_first && take_out(transaction, state.row.0)?;
                if let Some(memory) = &state.memory {
                    insertion.add(state.row, memory)?;
                }
                if took_out || state.memory.as_ref().is_some_and(is_search_feedback) {
                    judged = Some(state.seq.0 as i64);
                }
            }
            let sql = "UPDATE state SET watermark = ?1, judged = coalesce(?2, judged)";
            transaction.execute(sql, (through.0 as i64, judged))?;
            Ok(())
        })
    }

    fn empty(&self) -> Result<(), ExperienceError> {
        self.change(|transaction| {
            for table in TABLES.iter().chain(&["texts", "error_words"]) {
                transaction.execute(&format!("DELETE FROM {table}"), [])?;
            }
            transaction.execute("UPDATE state SET watermark = 0, judged = 0", [])?;
            Ok(())
        })
    }

    /// Catches up, and then rewrites the file, so that no forgotten text is left in it or in quarantined copies.
    /// O(bytes of the file).
    pub fn purge(&self, feed: &dyn MemoryFeed) -> Result<(), ExperienceError> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        self.catch_up(feed, &mut |_| true)?;
        self.change(|transaction| Ok(texts::delete_unused(transaction)?))?;
        // secure_delete leaves copies of cells that moved within a page.
        self.with(|connection| connection.execute_batch("VACUUM"))?;
        Ok(self.file.truncate_wal()?)
    }
}

pub(super) fn watermark(connection: &Connection) -> rusqlite::Result<Seq> {
    connection
        .prepare_cached("SELECT watermark FROM state")?
        .query_row([], |row| row.get::<_, i64>(0))
        .map(|watermark| Seq(watermark as u64))
}

/// Removes the rows of a memory; returns whether one of a search or of feedback on it was among them.
fn take_out(connection: &Connection, row: u32) -> rusqlite::Result<bool> {
    let mut took_search = false;
    for table in TABLES {
        let sql = format!("DELETE FROM {table} WHERE row = ?1");
        let count = connection.prepare_cached(&sql)?.execute([row])?;
        took_search |= count > 0 && table.starts_with("search");
    }
    Ok(took_search)
}

fn is_search_feedback(memory: &Memory) -> bool {
    match &memory.body {
        Body::Experience { experience } => matches!(**experience, Experience::SearchFeedback(_)),
        _ => false,
    }
}
