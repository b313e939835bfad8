//! Periodic work.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::enqueueing::enqueue;
use super::rows::unfinished;
use super::settings::microseconds;
use super::task::{check_kind, instant};
use super::{NewTask, Priority, Queue, QueueError};

/// A day in microseconds.
const DAY: i64 = 24 * 3_600 * 1_000_000;

/// When periodic work is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Every day at this hour and minute, in UTC.
    Daily(u8, u8),
    /// At this interval in seconds from the first scheduling; 0 counts as 1.
    Every(u64),
}

impl Timing {
    /// The first time after `now`, given the last `due` time; times in between are skipped.
    fn next(self, due: i64, now: i64) -> i64 {
        let (begun, interval) = match self {
            Self::Daily(hour, minute) => {
                let minutes = 60 * i64::from(hour) + i64::from(minute);
                let today = now.div_euclid(DAY) * DAY;
                (today - DAY + 60_000_000 * minutes, Duration::from_hours(24))
            }
            Self::Every(seconds) => (due, Duration::from_secs(seconds.max(1))),
        };
        let interval = microseconds(interval);
        let missed = now.saturating_sub(begun).max(0) / interval;
        begun.saturating_add((missed + 1).saturating_mul(interval))
    }

    /// The first time after `now` for work that was not scheduled before.
    fn first(self, now: i64) -> i64 {
        self.next(now, now)
    }

    /// Parses the form written by `Display`.
    fn read(text: &str) -> Option<Self> {
        if let Some(interval) = text.strip_prefix("@every ") {
            return Some(Self::Every(interval.strip_suffix('s')?.parse().ok()?));
        }
        let (minute, hour) = text.strip_suffix(" * * *")?.split_once(' ')?;
        Some(Self::Daily(hour.parse().ok()?, minute.parse().ok()?))
    }
}

impl fmt::Display for Timing {
    /// Writes `23 3 * * *`, as cron does, or `@every 90s`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Daily(hour, minute) => write!(formatter, "{minute} {hour} * * *"),
            Self::Every(seconds) => write!(formatter, "@every {seconds}s"),
        }
    }
}

impl Serialize for Timing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| serde::de::Error::custom("a timing such as `@every 90s`"))
    }
}

/// Periodic work to schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// Unique name in the queue; the key of its tasks.
    pub name: &'static str,
    /// The kind of its tasks.
    pub kind: &'static str,
    /// When it is due.
    pub timing: Timing,
    /// The priority of its tasks.
    pub priority: Priority,
}

/// The state of scheduled periodic work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PeriodicState {
    /// Its name.
    pub name: String,
    /// The kind of its tasks.
    pub kind: String,
    /// When it is due.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub timing: Timing,
    /// When it is next queued.
    pub next: Timestamp,
    /// When it was last queued, or found to be unfinished.
    pub last: Option<Timestamp>,
}

impl Queue {
    /// Schedules periodic work, or changes what is scheduled under its name. An unchanged schedule keeps its next time,
    /// so this can be called on every opening of a space.
    ///
    /// Due work is queued by the next process that leases a task. While a task of it is unfinished, no further one is
    /// queued; times missed while no process ran result in one task.
    pub fn schedule(&self, periodic: &Periodic) -> Result<(), QueueError> {
        check_kind("name", periodic.name)?;
        check_kind("kind", periodic.kind)?;
        let timing = periodic.timing.to_string();
        let now = self.now_in_microseconds();
        self.change(|transaction, _| {
            let mut known = transaction.prepare_cached(
                "SELECT next FROM periodic WHERE name = ?1 AND kind = ?2 AND timing = ?3",
            )?;
            let as_before = params![periodic.name, periodic.kind, timing];
            let known: Option<i64> = known.query_row(as_before, |row| row.get(0)).optional()?;
            // A time later than the next regular one was computed by a clock that has since been set back.
            let first = periodic.timing.first(now);
            let next = known.map_or(first, |known| known.min(first));
            let priority = periodic.priority.number();
            transaction.execute(
                "INSERT INTO periodic (name, kind, timing, payload, priority, cheap, next)
                 VALUES (?1, ?2, ?3, 'null', ?4, 0, ?5)
                 ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, timing = excluded.timing,
                    priority = excluded.priority, next = excluded.next",
                params![periodic.name, periodic.kind, timing, priority, next],
            )?;
            Ok(())
        })
    }

    /// Removes the schedule with this name; a queued task stays.
    pub fn unschedule(&self, name: &str) -> Result<(), QueueError> {
        self.change(|transaction, _| {
            transaction.execute("DELETE FROM periodic WHERE name = ?1", [name])?;
            Ok(())
        })
    }

    /// All periodic work by next due time.
    pub fn periodic(&self) -> Result<Vec<PeriodicState>, QueueError> {
        self.look(|transaction, _| states(transaction))
    }
}

pub(super) fn states(transaction: &Transaction<'_>) -> Result<Vec<PeriodicState>, QueueError> {
    let mut statement = transaction.prepare_cached(
        "SELECT name, kind, timing, next, last FROM periodic ORDER BY next, name",
    )?;
    let mut rows = statement.query([])?;
    let mut states = Vec::new();
    while let Some(row) = rows.next()? {
        states.push(PeriodicState {
            name: row.get(0)?,
            kind: row.get(1)?,
            timing: timing(&row.get::<_, String>(2)?)?,
            next: instant(row.get(3)?),
            last: row.get::<_, Option<i64>>(4)?.map(instant),
        });
    }
    Ok(states)
}

/// Parses a stored timing.
fn timing(stored: &str) -> Result<Timing, QueueError> {
    let unknown = || QueueError::damaged("tasks.db".as_ref(), "invalid schedule");
    Timing::read(stored).ok_or_else(unknown)
}

/// Corrects times later than the next regular one, computed by a clock that has since been set back.
fn correct_next_times(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
    let mut statement =
        transaction.prepare_cached("SELECT name, timing, next FROM periodic WHERE next > ?1")?;
    let mut rows = statement.query([now])?;
    while let Some(row) = rows.next()? {
        let (name, next): (String, i64) = (row.get(0)?, row.get(2)?);
        let first = timing(&row.get::<_, String>(1)?)?.first(now);
        if next > first {
            let mut change =
                transaction.prepare_cached("UPDATE periodic SET next = ?2 WHERE name = ?1")?;
            change.execute(params![name, first])?;
        }
    }
    Ok(())
}

/// Queues the periodic work that is due at `now`.
pub(super) fn enqueue_due(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
    correct_next_times(transaction, now)?;
    let mut statement = transaction.prepare_cached(
        "SELECT name, kind, timing, priority, next FROM periodic WHERE next <= ?1
         ORDER BY next, name",
    )?;
    let mut rows = statement.query([now])?;
    while let Some(row) = rows.next()? {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let timing = timing(&row.get::<_, String>(2)?)?;
        if unfinished(transaction, &kind, &name)?.is_none() {
            let task = NewTask {
                priority: Priority::of(row.get(3)?).unwrap_or(Priority::Batch),
                ..NewTask::new(kind, &name)
            };
            enqueue(transaction, &task, "null", now, now)?;
        }
        let mut advance = transaction
            .prepare_cached("UPDATE periodic SET next = ?2, last = ?3 WHERE name = ?1")?;
        advance.execute(params![name, timing.next(row.get(4)?, now), now])?;
    }
    Ok(())
}
