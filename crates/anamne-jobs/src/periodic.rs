//! Work that comes again and again.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anamne_types::Refusal;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Serialize, Serializer};

use super::enqueueing::{enqueue, unfinished};
use super::settings::microseconds;
use super::task::{check_kind, instant};
use super::{CronExpression, NewTask, Priority, Queue, QueueError};

/// The shortest interval.
const SHORTEST: Duration = Duration::from_secs(1);

/// When periodic work is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    /// As a cron expression says, in UTC.
    Cron(CronExpression),
    /// Once in so long, in whole seconds, from when it was first scheduled on.
    Every(Duration),
}

impl Timing {
    /// The first instant after `now`, where the last one was `due`; all that lie in between are missed.
    fn next(&self, due: i64, now: i64) -> i64 {
        match self {
            Self::Cron(cron) => cron
                .next_after(instant(now))
                .map_or(i64::MAX, Timestamp::as_microsecond),
            Self::Every(interval) => {
                let interval = microseconds(*interval).max(1);
                let missed = now.saturating_sub(due).max(0) / interval;
                due.saturating_add((missed + 1).saturating_mul(interval))
            }
        }
    }

    /// The first instant after `now` of work that was not scheduled before.
    fn first(&self, now: i64) -> i64 {
        self.next(now, now)
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron(cron) => cron.fmt(formatter),
            Self::Every(interval) => write!(formatter, "@every {}s", interval.as_secs()),
        }
    }
}

impl FromStr for Timing {
    type Err = Refusal;

    /// Reads a cron expression, or `@every 90s`.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let Some(interval) = text.trim().strip_prefix("@every ") else {
            return text.parse().map(Self::Cron);
        };
        let seconds = interval.trim().strip_suffix('s');
        let seconds = seconds.and_then(|seconds| seconds.parse().ok());
        match seconds.map(Duration::from_secs) {
            Some(interval) if interval >= SHORTEST => Ok(Self::Every(interval)),
            _ => Err(Refusal::new(
                "timing",
                "@every and seconds: @every 90s",
                text,
            )),
        }
    }
}

impl Serialize for Timing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Periodic work to be scheduled.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    /// Its name, unique in the queue; the key of its tasks.
    pub name: String,
    /// When it is due.
    pub timing: Timing,
    /// What is queued then; its key and its beginning are not looked at.
    pub task: NewTask,
}

impl Periodic {
    /// Tasks of this kind at these times, of priority batch, with nothing to know.
    pub fn new(name: impl Into<String>, kind: impl Into<String>, timing: Timing) -> Self {
        let name = name.into();
        Self {
            task: NewTask::new(kind, name.clone()).priority(Priority::Batch),
            name,
            timing,
        }
    }
}

/// How periodic work stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeriodicState {
    /// Its name.
    pub name: String,
    /// The kind of its tasks.
    pub kind: String,
    /// When it is due.
    pub timing: Timing,
    /// When it is next queued.
    pub next: Timestamp,
    /// When it was last queued, or found to be still at work.
    pub last: Option<Timestamp>,
}

impl Queue {
    /// Schedules periodic work, or changes what is scheduled under its name. Work that is scheduled as before keeps its next
    /// time, so that this can be called whenever a space is opened.
    ///
    /// What is due is queued by whichever process next leases a task. While a task of it is unfinished no further one is
    /// queued, and times that were missed while no process ran come to one task.
    pub fn schedule(&self, periodic: &Periodic) -> Result<PeriodicState, QueueError> {
        check_kind("name", &periodic.name)?;
        if let Timing::Every(interval) = periodic.timing
            && (interval < SHORTEST || interval.subsec_nanos() != 0)
        {
            let given = format!("{interval:?}");
            return Err(Refusal::new("timing", "whole seconds, from 1", given).into());
        }
        let payload = periodic.task.checked()?;
        let timing = periodic.timing.to_string();
        let now = self.now_in_microseconds();
        self.change(|transaction, _| {
            let mut known = transaction.prepare_cached(
                "SELECT next FROM periodic WHERE name = ?1 AND kind = ?2 AND timing = ?3",
            )?;
            let as_before = params![periodic.name, periodic.task.kind, timing];
            let known: Option<i64> = known.query_row(as_before, |row| row.get(0)).optional()?;
            // A time that lies further ahead than the next one was reckoned by a clock that was set back since.
            let first = periodic.timing.first(now);
            let next = known.map_or(first, |known| known.min(first));
            transaction.execute(
                "INSERT INTO periodic (name, kind, timing, payload, priority, cheap, next)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, timing = excluded.timing,
                    payload = excluded.payload, priority = excluded.priority, cheap = excluded.cheap, next = excluded.next",
                params![
                    periodic.name,
                    periodic.task.kind,
                    timing,
                    payload,
                    periodic.task.priority.number(),
                    periodic.task.cheap,
                    next
                ],
            )?;
            let all = states(transaction)?;
            let state = all.into_iter().find(|state| state.name == periodic.name);
            state.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
        })
    }

    /// Schedules nothing under this name any more; what is queued already stays. Says whether there was something.
    pub fn unschedule(&self, name: &str) -> Result<bool, QueueError> {
        self.change(|transaction, _| {
            Ok(transaction.execute("DELETE FROM periodic WHERE name = ?1", [name])? > 0)
        })
    }

    /// All periodic work, what is due first.
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

/// A timing that was stored, and so was one when it was.
fn timing(stored: &str) -> Result<Timing, QueueError> {
    let unknown = |_| QueueError::damaged("tasks.db".as_ref(), "a timing can't be read");
    stored.parse().map_err(unknown)
}

/// Brings back times that lie further ahead than the next one: a clock that was set back since has reckoned them.
fn bring_back(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
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
pub(super) fn queue_what_is_due(transaction: &Transaction<'_>, now: i64) -> Result<(), QueueError> {
    bring_back(transaction, now)?;
    let mut statement = transaction.prepare_cached(
        "SELECT name, kind, timing, payload, priority, cheap, next FROM periodic WHERE next <= ?1
         ORDER BY next, name",
    )?;
    let mut rows = statement.query([now])?;
    while let Some(row) = rows.next()? {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let timing = timing(&row.get::<_, String>(2)?)?;
        if unfinished(transaction, &kind, &name)?.is_none() {
            let task = NewTask {
                priority: Priority::of(row.get(4)?).unwrap_or(Priority::Batch),
                cheap: row.get(5)?,
                ..NewTask::new(kind, &name)
            };
            enqueue(transaction, &task, &row.get::<_, String>(3)?, now)?;
        }
        let mut advance = transaction
            .prepare_cached("UPDATE periodic SET next = ?2, last = ?3 WHERE name = ?1")?;
        advance.execute(params![name, timing.next(row.get(6)?, now), now])?;
    }
    Ok(())
}
