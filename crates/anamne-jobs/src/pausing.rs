//! Pausing the queue, or one kind of task.

use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};

use super::task::{check_kind, instant};
use super::{Queue, QueueError};

/// A pause of the queue or of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Pause {
    /// The kind; `None` for the whole queue.
    pub kind: Option<String>,
    /// Since when.
    pub since: Timestamp,
}

impl Queue {
    /// Stops the queue, or one kind of task, from starting anything in any process until resumed. Running tasks are
    /// asked to stop and return to the queue. Returns whether it was not paused before.
    pub fn pause(&self, kind: Option<&str>) -> Result<bool, QueueError> {
        let kind = stored(kind)?;
        let now = self.now_in_microseconds();
        self.change(|transaction, _| {
            let pause = "INSERT INTO pauses (kind, since) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            Ok(transaction.execute(pause, params![kind, now])? > 0)
        })
    }

    /// Ends a pause of the whole queue, or of one kind. Kinds that were paused separately stay paused when the whole
    /// queue is resumed. Returns whether it was paused.
    pub fn resume(&self, kind: Option<&str>) -> Result<bool, QueueError> {
        let kind = stored(kind)?;
        self.change(|transaction, _| {
            Ok(transaction.execute("DELETE FROM pauses WHERE kind = ?1", [kind])? > 0)
        })
    }

    /// The current pauses, the whole queue first.
    pub fn pauses(&self) -> Result<Vec<Pause>, QueueError> {
        self.look(|transaction, _| pauses(transaction))
    }

    /// Whether tasks of a kind are paused.
    pub fn is_paused(&self, kind: &str) -> Result<bool, QueueError> {
        self.look(|transaction, _| {
            let mut statement =
                transaction.prepare_cached("SELECT 1 FROM pauses WHERE kind IN ('', ?1)")?;
            Ok(statement.exists([kind])?)
        })
    }
}

fn stored(kind: Option<&str>) -> Result<&str, QueueError> {
    if let Some(kind) = kind {
        check_kind("kind", kind)?;
    }
    Ok(kind.unwrap_or_default())
}

pub(super) fn pauses(transaction: &Transaction<'_>) -> Result<Vec<Pause>, QueueError> {
    let mut statement =
        transaction.prepare_cached("SELECT kind, since FROM pauses ORDER BY kind")?;
    let pauses = statement.query_map([], |row| {
        Ok(Pause {
            kind: Some(row.get::<_, String>(0)?).filter(|kind| !kind.is_empty()),
            since: instant(row.get(1)?),
        })
    })?;
    Ok(pauses.collect::<Result<_, _>>()?)
}
