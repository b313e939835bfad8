//! Memories for an answer, as of now or of an earlier time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use anamne_store::SpaceSource;
use anamne_types::{Memory, MemoryId, Row};
use roaring::RoaringBitmap;

use super::Past;
use crate::error::RecallError;
use crate::views::Columns;

/// Reads the memories of an answer.
pub(crate) struct MemoryReader<'a> {
    pub(crate) source: &'a SpaceSource,
    /// Rows that are damaged in both copies, as far as met.
    pub(crate) damaged: &'a Mutex<BTreeSet<Row>>,
    /// The state at the queried time, for queries as of an earlier time.
    pub(crate) past: Option<&'a Past>,
    /// Rows that were superseded only after the queried time of validity.
    pub(crate) superseded_later: Option<&'a RoaringBitmap>,
}

impl MemoryReader<'_> {
    /// The memories of these rows, in their order; rows without one, and damaged ones, are skipped.
    pub(crate) fn rows(&self, rows: &[Row]) -> Result<Vec<(Row, Memory)>, RecallError> {
        let Some(past) = self.past else {
            let memories = self.undamaged(rows)?;
            return Ok(self.without_later_successors(memories));
        };
        let unchanged: Vec<Row> = rows
            .iter()
            .copied()
            .filter(|row| past.is_unchanged(*row))
            .collect();
        let mut unchanged = self.undamaged(&unchanged)?.into_iter().peekable();
        let mut memories = Vec::with_capacity(rows.len());
        for &row in rows {
            let as_now = unchanged.next_if(|(found, _)| *found == row);
            let then = || past.memory(row).map(|memory| (row, memory.clone()));
            memories.extend(as_now.or_else(then));
        }
        Ok(self.without_later_successors(memories))
    }

    /// The present memories of these rows. A damaged one is met once: looking for a sound copy costs a verification.
    fn undamaged(&self, rows: &[Row]) -> Result<Vec<(Row, Memory)>, RecallError> {
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        let sound = rows.iter().copied().filter(|row| !damaged.contains(row));
        let rows: Vec<Row> = sound.collect();
        Ok(self.source.get_undamaged_rows(&rows, &mut damaged)?)
    }

    /// The memory with this id, unless it is forgotten or stored later.
    pub(crate) fn get(&self, id: MemoryId) -> Option<Memory> {
        let memory = self.source.get(id).ok()?;
        let memory = match self.past {
            Some(past) if !past.is_unchanged(memory.row) => past.memory(memory.row)?.clone(),
            _ => memory,
        };
        memory.deleted_at.is_none().then_some(memory)
    }

    /// The memories directly before and after a row in its thread.
    pub(crate) fn neighbours(
        &self,
        row: Row,
        columns: &dyn Columns,
    ) -> Result<Vec<Memory>, RecallError> {
        let rows: Vec<Row> = if self.past.is_some() {
            let (previous, next) = columns.neighbours(row, 1);
            previous.into_iter().chain(next).collect()
        } else {
            let neighbours = self.source.thread_neighbours(row)?;
            neighbours.into_iter().flatten().collect()
        };
        let memories = self.rows(&rows)?.into_iter();
        Ok(memories.map(|(_, memory)| memory).collect())
    }

    fn without_later_successors(&self, mut memories: Vec<(Row, Memory)>) -> Vec<(Row, Memory)> {
        if let Some(superseded_later) = self.superseded_later {
            for (row, memory) in &mut memories {
                if superseded_later.contains(row.0) {
                    memory.superseded_by = None;
                }
            }
        }
        memories
    }
}
