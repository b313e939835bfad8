//! The names of months, weekdays and units, shared by all parsers of dates.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::calendar::CalendarError;

/// The English names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The English names of the weekdays, Monday first.
pub const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The month, from 1, named by an English word in lower case: its name, or the first three or four letters of it, with
/// or without a full stop.
///
/// ```
/// use anamne_text::time::month_of;
///
/// assert_eq!(month_of("march"), Some(3));
/// assert_eq!(month_of("sept."), Some(9));
/// assert_eq!(month_of("someday"), None);
/// ```
pub fn month_of(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    let short = (3..=4).contains(&word.len());
    let found = MONTHS
        .iter()
        .position(|month| *month == word || (short && month.starts_with(word)));
    found.map(|at| at as i8 + 1)
}

/// The weekday named by an English word in lower case, in full or abbreviated (`tue`, `thurs`).
///
/// ```
/// use anamne_text::time::weekday_of;
/// use jiff::civil::Weekday;
///
/// assert_eq!(weekday_of("thurs"), Some(Weekday::Thursday));
/// assert_eq!(weekday_of("someday"), None);
/// ```
pub fn weekday_of(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub(super) fn read(word: &str) -> Option<Self> {
        Some(match word {
            "s" | "sec" | "secs" | "second" | "seconds" => Self::Second,
            "m" | "min" | "mins" | "minute" | "minutes" => Self::Minute,
            "h" | "hr" | "hrs" | "hour" | "hours" => Self::Hour,
            "d" | "day" | "days" => Self::Day,
            "w" | "wk" | "week" | "weeks" => Self::Week,
            "mo" | "month" | "months" => Self::Month,
            "q" | "quarter" | "quarters" => Self::Quarter,
            "y" | "yr" | "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    pub(super) fn span(self, count: i64) -> Result<Span, CalendarError> {
        let span = Span::new();
        Ok(match self {
            Self::Second => span.try_seconds(count)?,
            Self::Minute => span.try_minutes(count)?,
            Self::Hour => span.try_hours(count)?,
            Self::Day => span.try_days(count)?,
            Self::Week => span.try_weeks(count)?,
            Self::Month => span.try_months(count)?,
            Self::Quarter => {
                span.try_months(count.checked_mul(3).ok_or(CalendarError::OutOfRange)?)?
            }
            Self::Year => span.try_years(count)?,
        })
    }

    pub(super) fn is_of_clock(self) -> bool {
        matches!(self, Self::Second | Self::Minute | Self::Hour)
    }

    /// The first day of the calendar span of this unit that contains a day.
    pub(super) fn first_day(self, day: Date) -> Result<Date, CalendarError> {
        Ok(match self {
            Self::Week => {
                day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days())?
            }
            Self::Month => day.first_of_month(),
            Self::Quarter => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1)?,
            Self::Year => day.first_of_year(),
            Self::Second | Self::Minute | Self::Hour | Self::Day => day,
        })
    }
}
