//! How long results stay fresh.

use std::ops::Range;

use anamne_store::StoreError;
use anamne_text::time::{TimeMeaning, expressions};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::ToolResults;
use super::request::{RequestKind, ToolRequest};
use super::result::{FetchStatus, Fetched};

/// Unless told otherwise.
pub const DEFAULT_FRESHNESS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The longest freshness of an empty result or dead address.
pub const NEGATIVE_FRESHNESS: SignedDuration = SignedDuration::from_hours(24);

/// The longest freshness of a refused access.
pub const BLOCKED_FRESHNESS: SignedDuration = SignedDuration::from_hours(1);

/// How far two times of a request may be apart that are the same: "the last 24 hours" begins later every second.
const SAME_TIME: SignedDuration = SignedDuration::from_hours(1);

impl ToolResults {
    /// Sets how long results stay fresh; `None` for all kinds, an empty host for all hosts. The most specific rule
    /// counts: kind and host, then host, then kind. Stored results keep their time.
    pub fn set_freshness(
        &self,
        kind: Option<RequestKind>,
        host: &str,
        fresh_for: SignedDuration,
    ) -> Result<(), StoreError> {
        let kind = kind.map_or("", RequestKind::name);
        let seconds = fresh_for.as_secs().max(0);
        self.file.change(|transaction| {
            let sql = "INSERT INTO freshness VALUES (?1, ?2, ?3)
                       ON CONFLICT DO UPDATE SET seconds = excluded.seconds";
            transaction.execute(sql, params![kind, host.to_lowercase(), seconds])?;
            Ok(())
        })
    }
}

/// Until when a result is fresh.
pub(super) fn fresh_until(
    connection: &Connection,
    request: &ToolRequest,
    fetched: &Fetched,
    now: Timestamp,
) -> rusqlite::Result<Timestamp> {
    let fresh_for = match fetched.fresh_for {
        Some(told) => told,
        None => by_rules(connection, request)?.min(longest(fetched.status)),
    };
    Ok(now.saturating_add(fresh_for).unwrap_or(Timestamp::MAX))
}

fn longest(status: FetchStatus) -> SignedDuration {
    match status {
        FetchStatus::Ok | FetchStatus::Redirected => SignedDuration::MAX,
        FetchStatus::Empty | FetchStatus::Dead => NEGATIVE_FRESHNESS,
        FetchStatus::Blocked => BLOCKED_FRESHNESS,
    }
}

fn by_rules(connection: &Connection, request: &ToolRequest) -> rusqlite::Result<SignedDuration> {
    let sql = "SELECT seconds FROM freshness WHERE kind IN ('', ?1) AND host IN ('', ?2)
               ORDER BY host = '', kind = '' LIMIT 1";
    let names = params![request.kind.name(), request.host()];
    let seconds = connection.query_row(sql, names, |row| row.get(0));
    let seconds = seconds.optional()?;
    Ok(seconds.map_or(DEFAULT_FRESHNESS, SignedDuration::from_secs))
}

/// Whether a request names a time that was another one when its result was fetched: "tomorrow" on the next day. Days are
/// those of UTC. O(bytes).
pub(super) fn means_another_time(
    request: &ToolRequest,
    fetched_at: Timestamp,
    now: Timestamp,
) -> bool {
    if !request.host().is_empty() {
        return false;
    }
    let (then, now) = (times(&request.text, fetched_at), times(&request.text, now));
    let are_same = |one: Timestamp, two: Timestamp| one.duration_since(two).abs() < SAME_TIME;
    then.len() != now.len()
        || then
            .iter()
            .zip(&now)
            .any(|(then, now)| !are_same(then.start, now.start) || !are_same(then.end, now.end))
}

/// The times that a request names.
fn times(request: &str, asked_at: Timestamp) -> Vec<Range<Timestamp>> {
    let found = expressions(request, asked_at, &TimeZone::UTC).into_iter();
    let range = |when| match when {
        TimeMeaning::Range(range) => Some(range),
        _ => None,
    };
    found.filter_map(|one| range(one.when)).collect()
}
