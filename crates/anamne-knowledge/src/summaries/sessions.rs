//! Sessions: the runs of a thread's memories between gaps. They grow, merge and split as memories are added and removed.
//!
//! At any time the sessions of a thread are the maximal runs of its memories' times without a gap, independent of the order
//! of changes.

use rusqlite::{Connection, OptionalExtension, params};

use super::notes::{drop_period, touch};
use super::period::{Level, SESSION_GAP, Span};

/// Updates the sessions for a memory of the thread at `at`, which is already in `sources`. O(log n).
pub(crate) fn extend(
    connection: &Connection,
    thread: i64,
    at: i64,
    seq: u64,
) -> rusqlite::Result<()> {
    if let Some(session) = holding(connection, thread, at)? {
        return touch(connection, Level::Session, thread, session, seq);
    }
    let (before, after) = around(connection, thread, at)?;
    let left = joined(connection, thread, before, at)?;
    let right = joined(connection, thread, after, at)?;
    let span = Span {
        start: left.map_or(at, |left| left.start),
        until: right.map_or(at + 1, |right| right.until),
    };
    for old in [left, right]
        .into_iter()
        .flatten()
        .filter(|old| old.start != span.start)
    {
        drop_period(connection, Level::Session, thread, old.start)?;
    }
    touch(connection, Level::Session, thread, span, seq)
}

/// Updates the sessions for a memory of the thread at `at` that was removed from `sources`. O(log n).
pub(crate) fn shrink(
    connection: &Connection,
    thread: i64,
    at: i64,
    seq: u64,
) -> rusqlite::Result<()> {
    let Some(session) = holding(connection, thread, at)? else {
        return Ok(());
    };
    if happened(connection, thread, at)? {
        return touch(connection, Level::Session, thread, session, seq);
    }
    let (before, after) = around(connection, thread, at)?;
    let before = before.filter(|before| *before >= session.start);
    let after = after.filter(|after| *after < session.until);
    let left = before.map(|before| Span {
        start: session.start,
        until: before + 1,
    });
    let right = after.map(|after| Span {
        start: after,
        until: session.until,
    });
    let parts = match (left, right) {
        (Some(left), Some(right)) if right.start - (left.until - 1) < SESSION_GAP => {
            return touch(connection, Level::Session, thread, session, seq);
        }
        (left, right) => [left, right],
    };
    drop_period(connection, Level::Session, thread, session.start)?;
    for part in parts.into_iter().flatten() {
        touch(connection, Level::Session, thread, part, seq)?;
    }
    Ok(())
}

/// The times of the thread's nearest memories before and after.
fn around(
    connection: &Connection,
    thread: i64,
    at: i64,
) -> rusqlite::Result<(Option<i64>, Option<i64>)> {
    let mut nearest = connection.prepare_cached(
        "SELECT (SELECT max(at) FROM sources WHERE thread = ?1 AND at < ?2), \
         (SELECT min(at) FROM sources WHERE thread = ?1 AND at > ?2)",
    )?;
    nearest.query_row(params![thread, at], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Whether another memory of the thread has the same time.
fn happened(connection: &Connection, thread: i64, at: i64) -> rusqlite::Result<bool> {
    let mut same = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM sources WHERE thread = ?1 AND at = ?2)")?;
    same.query_row(params![thread, at], |row| row.get(0))
}

/// The session of a neighbour, if there is no gap in between.
fn joined(
    connection: &Connection,
    thread: i64,
    neighbour: Option<i64>,
    at: i64,
) -> rusqlite::Result<Option<Span>> {
    match neighbour.filter(|neighbour| (at - neighbour).abs() < SESSION_GAP) {
        Some(neighbour) => holding(connection, thread, neighbour),
        None => Ok(None),
    }
}

/// The session of a thread that contains a time.
pub(crate) fn holding(
    connection: &Connection,
    thread: i64,
    at: i64,
) -> rusqlite::Result<Option<Span>> {
    let mut statement = connection.prepare_cached(
        "SELECT start, until FROM periods WHERE level = ?1 AND thread = ?2 AND start <= ?3 ORDER BY start DESC LIMIT 1",
    )?;
    let session = statement
        .query_row(params![Level::Session.number(), thread, at], |row| {
            Ok(Span {
                start: row.get(0)?,
                until: row.get(1)?,
            })
        })
        .optional()?;
    Ok(session.filter(|session| at < session.until))
}
