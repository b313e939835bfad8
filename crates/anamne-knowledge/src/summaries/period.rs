//! The summarised periods, by the UTC calendar.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::digest::Bounds;

/// The kind of period that a summary covers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = SummaryLevel))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A run of one thread's memories without a gap of six hours.
    Session = 1,
    /// A day in UTC.
    Day = 2,
    /// A week from Monday (ISO 8601), in UTC.
    Week = 3,
    /// A calendar month in UTC.
    Month = 4,
}

/// The gap between two sessions of a thread, in microseconds.
pub(crate) const SESSION_GAP: i64 = 6 * 3_600 * 1_000_000;

impl Level {
    /// Every level, shortest first.
    pub const ALL: [Self; 4] = [Self::Session, Self::Day, Self::Week, Self::Month];

    /// Length limits of its summaries.
    ///
    /// Sessions and days have a tenth of their source's length; weeks and months are chosen from their days' summaries, and have
    /// a twentieth and a fortieth.
    pub fn bounds(self) -> Bounds {
        let bounds = |share, at_least, at_most, sentences| Bounds {
            share,
            at_least,
            at_most,
            sentences,
        };
        match self {
            Self::Session => bounds(0.1, 160, 3_000, 30),
            Self::Day => bounds(0.1, 160, 6_000, 40),
            Self::Week => bounds(0.05, 320, 5_000, 40),
            Self::Month => bounds(0.025, 480, 5_000, 40),
        }
    }

    /// The stored number.
    pub(crate) fn number(self) -> u8 {
        self as u8
    }
}

/// A half-open range of time, in microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: i64,
    pub(crate) until: i64,
}

/// The day, week or month that contains a time; for a session, which has no calendar period, only that time.
///
/// A period that exceeds the range of timestamps is cut there.
pub(crate) fn period_of(level: Level, at: Timestamp) -> Span {
    let date = at.to_zoned(TimeZone::UTC).date();
    let (first, next) = match level {
        Level::Session => {
            let at = at.as_microsecond();
            return Span {
                start: at,
                until: at.saturating_add(1),
            };
        }
        Level::Day => (date, date.checked_add(1.day())),
        Level::Week => {
            let since_monday = i64::from(date.weekday().since(Weekday::Monday));
            let monday = date.checked_sub(since_monday.days()).unwrap_or(Date::MIN);
            (monday, monday.checked_add(7.days()))
        }
        Level::Month => {
            let first = date.first_of_month();
            (first, first.checked_add(1.month()))
        }
    };
    Span {
        start: midnight(Some(first), Timestamp::MIN),
        until: midnight(next.ok(), Timestamp::MAX),
    }
}

fn midnight(date: Option<Date>, otherwise: Timestamp) -> i64 {
    date.and_then(|date| date.to_zoned(TimeZone::UTC).ok())
        .map_or(otherwise, |zoned| zoned.timestamp())
        .as_microsecond()
}

/// The time at these microseconds since 1970, clamped to the range of timestamps.
pub(crate) fn instant(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(level: Level, at: &str, start: &str, until: &str) {
        let at: Timestamp = at.parse().expect("an instant");
        let span = period_of(level, at);
        let shown = (
            instant(span.start).to_string(),
            instant(span.until).to_string(),
        );
        assert_eq!(
            shown,
            (start.to_owned(), until.to_owned()),
            "{level:?} of {at}"
        );
    }

    #[test]
    fn periods_follow_the_calendar_of_utc() {
        check(
            Level::Day,
            "2024-02-29T23:59:59.999999Z",
            "2024-02-29T00:00:00Z",
            "2024-03-01T00:00:00Z",
        );
        check(
            Level::Week,
            "2024-03-03T12:00:00Z",
            "2024-02-26T00:00:00Z",
            "2024-03-04T00:00:00Z",
        );
        check(
            Level::Week,
            "2024-03-04T00:00:00Z",
            "2024-03-04T00:00:00Z",
            "2024-03-11T00:00:00Z",
        );
        check(
            Level::Month,
            "2023-12-31T12:00:00Z",
            "2023-12-01T00:00:00Z",
            "2024-01-01T00:00:00Z",
        );
        check(
            Level::Day,
            "1969-12-31T12:00:00Z",
            "1969-12-31T00:00:00Z",
            "1970-01-01T00:00:00Z",
        );
    }

    #[test]
    fn the_ends_of_time_are_periods_too() {
        for level in Level::ALL {
            for at in [Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH] {
                let span = period_of(level, at);
                assert!(
                    span.start <= at.as_microsecond() && span.start < span.until.saturating_add(1)
                );
            }
        }
    }
}
