//! The current load: recalls and writes, counted per process and summed in the task database.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use anamne_store::Clock;
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};

use super::settings::microseconds;
use super::{Level, Queue, QueueError, Settings};

/// Minutes for which counts are kept.
const KEPT_MINUTES: i64 = 60;

const MINUTE: i64 = 60 * 1_000_000;

/// Counts of this process that are not in the file yet. Counting is one atomic addition, without file access.
pub struct Activity {
    clock: Arc<dyn Clock>,
    recalls: AtomicU64,
    writes: AtomicU64,
    /// Time of the last flush, microseconds since 1970.
    flushed: AtomicI64,
}

/// The recent load over all processes, as far as they have flushed their counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ActivityNow {
    /// The level, which decides what may run.
    pub level: Level,
    /// Recalls in this minute and the previous one.
    pub recalls: u64,
    /// Writes in this minute and the previous one.
    pub writes: u64,
}

impl Activity {
    /// Zero counts.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            recalls: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            flushed: AtomicI64::new(i64::MIN),
        }
    }

    /// Counts a recall.
    pub fn note_recall(&self) {
        self.recalls.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a write.
    pub fn note_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the counts to the current minute in the file, unless they are zero or were flushed less than
    /// [`Settings::flush_interval`] ago. Returns whether anything was added.
    pub fn flush_if_due(&self, queue: &Queue) -> Result<bool, QueueError> {
        let now = self.clock.now().as_microsecond();
        let last = self.flushed.load(Ordering::Relaxed);
        let every = microseconds(queue.settings().flush_interval);
        // A clock that was set back must not block flushing.
        if now >= last && now.saturating_sub(last) < every {
            return Ok(false);
        }
        let claimed =
            self.flushed
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        match claimed {
            Ok(_) => self.flush(queue),
            Err(_) => Ok(false),
        }
    }

    /// Flushes the counts immediately, for example before the process exits.
    pub fn flush(&self, queue: &Queue) -> Result<bool, QueueError> {
        let recalls = self.recalls.swap(0, Ordering::Relaxed);
        let writes = self.writes.swap(0, Ordering::Relaxed);
        if recalls == 0 && writes == 0 {
            return Ok(false);
        }
        let added = queue.add_activity(recalls, writes);
        if added.is_err() {
            self.recalls.fetch_add(recalls, Ordering::Relaxed);
            self.writes.fetch_add(writes, Ordering::Relaxed);
        }
        added.map(|()| true)
    }
}

impl Queue {
    /// The current load over all processes.
    pub fn activity(&self) -> Result<ActivityNow, QueueError> {
        let now = self.now_in_microseconds();
        self.look(|transaction, _| activity(transaction, now, &self.inner.settings))
    }

    fn add_activity(&self, recalls: u64, writes: u64) -> Result<(), QueueError> {
        let minute = self.now_in_microseconds().div_euclid(MINUTE);
        self.change(|transaction, _| {
            let mut old = transaction
                .prepare_cached("DELETE FROM activity WHERE minute NOT BETWEEN ?1 AND ?2")?;
            old.execute([minute - KEPT_MINUTES, minute + KEPT_MINUTES])?;
            let mut statement = transaction.prepare_cached(
                "INSERT INTO activity (minute, recalls, writes) VALUES (?1, ?2, ?3)
                 ON CONFLICT (minute) DO UPDATE SET recalls = recalls + excluded.recalls,
                    writes = writes + excluded.writes",
            )?;
            statement.execute(params![minute, recalls as i64, writes as i64])?;
            Ok(())
        })
    }
}

pub(super) fn activity(
    transaction: &Transaction<'_>,
    now: i64,
    settings: &Settings,
) -> Result<ActivityNow, QueueError> {
    let minute = now.div_euclid(MINUTE);
    let mut statement = transaction.prepare_cached(
        "SELECT coalesce(sum(recalls), 0), coalesce(sum(writes), 0), coalesce(max(recalls + writes), 0)
         FROM activity WHERE minute BETWEEN ?1 AND ?2",
    )?;
    let counts = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (recalls, writes, most): (i64, i64, i64) =
        statement.query_row([minute - 1, minute], counts)?;
    let asleep_after = i64::from(settings.asleep_after_minutes);
    let (_, _, lately): (i64, i64, i64) =
        statement.query_row([minute.saturating_sub(asleep_after), minute], counts)?;
    let level = if most as u64 >= settings.busy_per_minute {
        Level::High
    } else if lately > 0 {
        Level::Low
    } else {
        Level::Asleep
    };
    Ok(ActivityNow {
        level,
        recalls: recalls as u64,
        writes: writes as u64,
    })
}
