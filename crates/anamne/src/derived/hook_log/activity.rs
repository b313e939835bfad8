//! Counts of what hooks did, by host, event and day.

use std::time::Duration;

use anamne_store::StoreError;
use jiff::Timestamp;
use rusqlite::{Row, params};
use serde::Serialize;

use super::HookLog;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Maximum number of days with activity that are kept, for each host and event.
const MOST_DAYS: i64 = 400;

/// One run of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookRun<'a> {
    /// The host.
    pub host: &'a str,
    /// The event.
    pub event: &'a str,
    /// Memories that it added to the conversation.
    pub injected: u64,
    /// Tokens of the text that it added.
    pub tokens: u64,
    /// Memories that it stored.
    pub stored: u64,
    /// Findings of the guard in what it stored.
    pub redacted: u64,
    /// How long it took.
    pub took: Duration,
    /// The kind of error that ended it; empty if it succeeded.
    pub failure: &'a str,
}

/// What a host's hook did for one event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HookActivity {
    /// The host.
    pub host: String,
    /// The event.
    pub event: String,
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that failed.
    pub failures: u64,
    /// Memories added to conversations.
    pub injected: u64,
    /// Tokens added to conversations.
    pub tokens: u64,
    /// Memories stored.
    pub stored: u64,
    /// Findings of the guard.
    pub redacted: u64,
    /// Mean time of a run in milliseconds.
    pub mean_ms: f64,
    /// The longest run in milliseconds.
    pub slowest_ms: f64,
    /// The last run.
    pub last_at: Timestamp,
    /// The kind of one of the failures; empty if there was none.
    pub failure: String,
}

impl HookLog {
    /// Records a run.
    pub fn note_run(&self, run: &HookRun<'_>, now: Timestamp) -> Result<(), StoreError> {
        let day = now.as_second().div_euclid(DAY);
        let took = i64::try_from(run.took.as_micros()).unwrap_or(i64::MAX);
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "INSERT INTO activity VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11)
                       ON CONFLICT DO UPDATE SET runs = runs + 1, failures = failures + excluded.failures,
                         injected = injected + excluded.injected, tokens = tokens + excluded.tokens,
                         stored = stored + excluded.stored, redacted = redacted + excluded.redacted,
                         microseconds = microseconds + excluded.microseconds,
                         slowest = max(slowest, excluded.slowest), last_at = excluded.last_at,
                         failure = iif(excluded.failure = '', failure, excluded.failure)";
            let counts = params![
                run.host,
                run.event,
                day,
                i64::from(!run.failure.is_empty()),
                run.injected as i64,
                run.tokens as i64,
                run.stored as i64,
                run.redacted as i64,
                took,
                now.as_microsecond(),
                run.failure,
            ];
            transaction.execute(sql, counts)?;
            let sql = "DELETE FROM activity WHERE host = ?1 AND event = ?2 AND day <=
                       (SELECT day FROM activity WHERE host = ?1 AND event = ?2
                        ORDER BY day DESC LIMIT 1 OFFSET ?3)";
            transaction.execute(sql, params![run.host, run.event, MOST_DAYS])?;
            Ok(())
        })
    }

    /// What hooks did since a day (UTC) began, or ever; by host and event.
    pub fn activity(&self, since: Option<Timestamp>) -> Result<Vec<HookActivity>, StoreError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let day = since.map_or(i64::MIN, |since| since.as_second().div_euclid(DAY));
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT host, event, sum(runs), sum(failures), sum(injected), sum(tokens), sum(stored),
                         sum(redacted), sum(microseconds), max(slowest), max(last_at), max(failure)
                       FROM activity WHERE day >= ?1 GROUP BY host, event ORDER BY host, event";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([day], read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<HookActivity> {
    let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
    let runs = count(2)?;
    let milliseconds = |microseconds: u64| microseconds as f64 / 1_000.0;
    let last_at = row.get::<_, i64>(10)?;
    Ok(HookActivity {
        host: row.get(0)?,
        event: row.get(1)?,
        runs,
        failures: count(3)?,
        injected: count(4)?,
        tokens: count(5)?,
        stored: count(6)?,
        redacted: count(7)?,
        mean_ms: milliseconds(count(8)?) / runs.max(1) as f64,
        slowest_ms: milliseconds(count(9)?),
        last_at: Timestamp::from_microsecond(last_at)
            .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(10, last_at))?,
        failure: row.get(11)?,
    })
}
