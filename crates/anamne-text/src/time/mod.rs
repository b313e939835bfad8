//! Times and ranges of time, as written in options such as `--since` and `--until`, and as mentioned in questions.
//!
//! [`parse_range`] and [`parse_instant`] parse a whole text as one time:
//!
//! | text | meaning |
//! |---|---|
//! | `2026-03-01T14:00:00Z`, `2026-03-01 14:00`, `14:00`, `yesterday 9:30` | that instant |
//! | `2026-03-01`, `today`, `yesterday`, `tomorrow`, `3 march 2026`, `march 3` | that day |
//! | `2026-03`, `march`, `march 2026` | that month; without a year the last one to begin |
//! | `2026-Q1`, `2026` | that quarter, that year |
//! | `monday` | the last such day, including today |
//! | `last`, `this`, `next` before `week`, `month`, `quarter`, `year`, a month or a weekday | that span, weeks from Monday |
//! | `3 days ago`, `a week ago`, `in 2 months` | that day; with hours, minutes or seconds that instant |
//! | `3d`, `2w`, `90min`, `3 days` | the instant that long ago |
//! | `last 3 days`, `past week`, `next 2 hours` | from that long ago until now, or from now on |
//!
//! Units are `s`, `m` or `min`, `h`, `d`, `w`, `mo`, `q`, `y`, or their English names.

//! [`expressions`] finds the time expressions in a question, and resolves them to ranges.

mod calendar;
mod names;
mod options;
mod question;
mod written;

use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::echo::shorten;
use calendar::{Calendar, CalendarError};
pub use names::{MONTHS, WEEKDAYS, month_of, weekday_of};
pub use question::{Direction, EventDistance, TimeExpression, TimeMeaning, expressions};

/// Why a text could not be parsed as a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The text is empty.
    #[error(
        "missing time; use one such as 2026-03-01, \"2026-03-01 14:00\", yesterday, \"3 days ago\" or 2w"
    )]
    Empty,
    /// The text has no supported form.
    #[error(
        "unknown time \"{given}\"; use a date (2026-03-01, 2026-03, 2026), a date and time \
         (\"2026-03-01 14:00\" or RFC 3339), a day (today, yesterday, monday), a span (\"last week\", \"this year\") \
         or how long ago (\"3 days ago\", 3d, 2w)",
        given = shorten(given)
    )]
    Unknown {
        /// The given text.
        given: String,
    },
    /// A date or time that does not exist.
    #[error(
        "\"{}\" doesn't exist; check the month, the day and the hour",
        shorten(given)
    )]
    Nonexistent {
        /// The given text.
        given: String,
    },
    /// The time is out of range.
    #[error(
        "\"{}\" is out of range; times lie between the years -9999 and 9999",
        shorten(given)
    )]
    OutOfRange {
        /// The given text.
        given: String,
    },
}

/// Parses a text as one instant: the start of the result of [`parse_range`].
///
/// ```
/// use anamne_text::time::parse_instant;
/// use jiff::{Timestamp, tz::TimeZone};
///
/// let now: Timestamp = "2026-03-04T12:00:00Z".parse()?;
/// assert_eq!(parse_instant("yesterday", now, &TimeZone::UTC)?, "2026-03-03T00:00:00Z".parse()?);
/// assert_eq!(parse_instant("2d", now, &TimeZone::UTC)?, "2026-03-02T12:00:00Z".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_instant(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, TimeError> {
    parse_range(text, now, zone).map(|range| range.start)
}

/// Parses a text as a time range, from its first instant (inclusive) to its end (exclusive).
///
/// An instant results in an empty range. Days, months and the like are in `zone`; words such as `today` are relative to
/// `now`. Errors contain the given text and the accepted forms.
pub fn parse_range(
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<Range<Timestamp>, TimeError> {
    let given = text.trim();
    if given.is_empty() {
        return Err(TimeError::Empty);
    }
    let lower = given.to_lowercase().replace(',', " ");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let calendar = Calendar::new(now, zone);
    let read = options::read(&calendar, given, &words);
    let given = given.to_owned();
    match read {
        Some(Ok(range)) => Ok(range),
        Some(Err(CalendarError::Nonexistent)) => Err(TimeError::Nonexistent { given }),
        Some(Err(CalendarError::OutOfRange)) => Err(TimeError::OutOfRange { given }),
        None => Err(TimeError::Unknown { given }),
    }
}
