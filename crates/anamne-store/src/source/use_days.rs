//! Days of use: a measure of time from the log alone.
//!
//! A day of use is a UTC day on which anybody other than the engine itself wrote something; opening a memory writes
//! nothing, even where it is logged. Days are read from the
//! events, in the order of the log, and each day counts once, however often the clock returns to it. So a clock that
//! jumps ten years ahead adds one day of use, and one that is set back removes none.

use anamne_types::{ActorKind, EventKind, Seq};
use rusqlite::Connection;

use crate::Result;

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// A time counts as confirmed once the space was used on this many days at that time or later.
const CONFIRMING_DAYS: usize = 3;

/// A day on which the space was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UseDay {
    /// Days since 1970.
    day: i64,
    /// The last event of that day.
    last: Seq,
    /// When that event was written, microseconds since 1970.
    at: i64,
}

/// The days on which a space was used, the last one in the log first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UseDays(Vec<UseDay>);

impl UseDays {
    /// The last `most` days of use. O(events written on these days).
    pub(crate) fn latest(connection: &Connection, most: usize) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT seq, at FROM events WHERE actor_kind <> ?1 AND kind <> ?2 ORDER BY seq DESC",
        )?;
        let (engine, opened) = (ActorKind::System.number(), EventKind::Accessed.number());
        let mut rows = statement.query([engine, opened])?;
        let mut days: Vec<UseDay> = Vec::new();
        while let Some(row) = rows.next()? {
            let (seq, at): (i64, i64) = (row.get(0)?, row.get(1)?);
            let day = at.div_euclid(DAY);
            // The days seen last are the most likely match.
            if days.iter().rev().any(|known| known.day == day) {
                continue;
            }
            if days.len() >= most {
                break;
            }
            let last = Seq(seq as u64);
            days.push(UseDay { day, last, at });
        }
        Ok(Self(days))
    }

    /// The latest time that the last days of use confirm, microseconds since 1970; `None` if there are too few of them.
    ///
    /// It is the earliest time written on any of the last three days of use: a clock that jumped, in either direction,
    /// is not believed until the space was used on three days with it.
    pub(crate) fn confirmed_instant(connection: &Connection) -> Result<Option<i64>> {
        let days = Self::latest(connection, CONFIRMING_DAYS)?.0;
        if days.len() < CONFIRMING_DAYS {
            return Ok(None);
        }
        Ok(days.iter().map(|day| day.at).min())
    }

    /// Number of days of use after the event `seq`, which was written at `at`, without its own day. At most the number
    /// of days read.
    pub(crate) fn since(&self, seq: Seq, at: i64) -> u32 {
        let own = at.div_euclid(DAY);
        let later = self.0.iter().filter(|day| day.last > seq && day.day != own);
        later.count() as u32
    }
}
