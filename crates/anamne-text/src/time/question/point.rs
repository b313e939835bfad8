//! Named times, and the days they refer to.

use std::ops::Range;

use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::{Span, ToSpan};

use super::super::names::Unit;
use super::vocabulary::{Holiday, Part, Season};

/// From the start (inclusive) to the end (exclusive), in the time zone of the question.
pub(super) type Civil = Range<DateTime>;

/// A named time, possibly without its year.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Point {
    Fixed(Civil),
    Yearly(Yearly, Option<i16>),
    Weekday(Weekday),
    DayOfMonth(i8),
    /// `Friday the 13th`.
    WeekdayTheNth(Weekday, i8),
    /// The weekend of a week.
    Weekend,
}

/// A time that recurs once a year.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Yearly {
    Month(i8),
    Day(i8, i8),
    Season(Season),
    Quarter(u8),
    Half(u8),
    /// A week by its ISO number.
    Week(i8),
    Holiday(Holiday),
}

/// A part of a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slice {
    Third(u8),
    Half(u8),
    Part(Part),
    Clock(Time),
    /// From one time of day to another.
    Hours(Time, Time),
    /// A number of days, weeks or months, from an index (from 0) on or at the end.
    Units(Unit, Place, i64),
    Weekday(Weekday, Place),
    Weekend(Place),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Index from 0.
    Nth(i64),
    Last,
}

/// Which occurrence of a recurring time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The last one that starts on or before a day.
    Begun,
    /// The last one that ends before a day starts.
    Over,
    /// The first one that has not ended when a day starts.
    Open,
    /// The first one that starts after a day.
    Coming,
}

impl Choice {
    fn fits(self, found: &Civil, day: Date) -> bool {
        match self {
            Self::Begun => found.start.date() <= day,
            Self::Over => found.end.date() <= day,
            Self::Open => found.end.date() > day,
            Self::Coming => found.start.date() > day,
        }
    }

    fn looks_back(self) -> bool {
        matches!(self, Self::Begun | Self::Over)
    }
}

impl Point {
    /// Whether it is one fixed time, independent of the time of the question.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Fixed(_) | Self::Yearly(_, Some(_)))
    }

    /// The time as meant on `day`; `None` at the end of the calendar.
    pub(super) fn resolve(&self, day: Date, choice: Choice) -> Option<Civil> {
        match self {
            Self::Fixed(range) => Some(range.clone()),
            Self::Yearly(name, Some(year)) => name.of_year(*year),
            Self::Yearly(name, None) => {
                // Nine consecutive years contain a 29th of February, even around 1900.
                (0..=9).find_map(|step| {
                    let year = if choice.looks_back() {
                        day.year() + 1 - step
                    } else {
                        day.year() - 1 + step
                    };
                    name.of_year(year).filter(|range| choice.fits(range, day))
                })
            }
            Self::Weekday(weekday) => nearest(day, choice, |date| {
                (date.weekday() == *weekday).then_some(1)
            }),
            Self::Weekend => nearest(day, choice, |date| {
                (date.weekday() == Weekday::Saturday).then_some(2)
            }),
            Self::DayOfMonth(number) => {
                nearest(day, choice, |date| (date.day() == *number).then_some(1))
            }
            Self::WeekdayTheNth(weekday, number) => nearest(day, choice, |date| {
                (date.day() == *number && date.weekday() == *weekday).then_some(1)
            }),
        }
    }
}

/// Days that are searched; no date with a day of the month and a weekday is farther than 14 months, except in the last
/// days of a month.
const MOST_DAYS: usize = 430;

/// The nearest range of days that fits; `length` returns its days for a possible first day.
fn nearest(day: Date, choice: Choice, length: impl Fn(Date) -> Option<i64>) -> Option<Civil> {
    let (mut date, step) = if choice.looks_back() {
        (day, -1.day())
    } else {
        (day.checked_sub(2.days()).ok()?, 1.day())
    };
    for _ in 0..MOST_DAYS {
        if let Some(range) = length(date).and_then(|length| days(date, length.days()))
            && choice.fits(&range, day)
        {
            return Some(range);
        }
        date = date.checked_add(step).ok()?;
    }
    None
}

impl Yearly {
    pub(super) fn of_year(self, year: i16) -> Option<Civil> {
        let first_of = |month| Date::new(year, month, 1).ok();
        match self {
            Self::Month(month) => days(first_of(month)?, 1.month()),
            Self::Day(month, day) => days(Date::new(year, month, day).ok()?, 1.day()),
            Self::Season(season) => {
                let month = match season {
                    Season::Spring => 3,
                    Season::Summer => 6,
                    Season::Autumn => 9,
                    Season::Winter => 12,
                };
                days(first_of(month)?, 3.months())
            }
            Self::Quarter(quarter) => days(first_of(quarter as i8 * 3 - 2)?, 3.months()),
            Self::Half(half) => days(first_of(half as i8 * 6 - 5)?, 6.months()),
            Self::Week(week) => {
                let monday = ISOWeekDate::new(year, week, Weekday::Monday).ok()?;
                days(monday.date(), 7.days())
            }
            Self::Holiday(holiday) => {
                let (month, day, length) = match holiday {
                    Holiday::Christmas => (12, 24, 3),
                    Holiday::ChristmasEve => (12, 24, 1),
                    Holiday::NewYear => (1, 1, 1),
                    Holiday::NewYearsEve => (12, 31, 1),
                    Holiday::Halloween => (10, 31, 1),
                    Holiday::Valentine => (2, 14, 1),
                };
                days(Date::new(year, month, day).ok()?, i64::from(length).days())
            }
        }
    }
}

pub(super) fn days(first: Date, span: Span) -> Option<Civil> {
    let end = first.checked_add(span).ok()?;
    Some(midnight(first)..midnight(end))
}

fn midnight(date: Date) -> DateTime {
    date.to_datetime(Time::midnight())
}

/// The week, month, quarter or year that contains a day, or one `shift` units away.
pub(super) fn calendar_unit(unit: Unit, day: Date, shift: i64) -> Option<Civil> {
    let first = unit.first_day(day).ok()?;
    let first = first.checked_add(unit.span(shift).ok()?).ok()?;
    days(first, unit.span(1).ok()?)
}

/// Length of a range in days.
fn length(range: &Civil) -> i64 {
    let days = range.start.date().until(range.end.date());
    days.map_or(0, |span| i64::from(span.get_days()))
}

/// Length of a range in whole months, if it starts and ends at month boundaries.
fn months(range: &Civil) -> Option<i64> {
    let whole = range.start.day() == 1 && range.end.day() == 1;
    let count = |date: DateTime| i64::from(date.year()) * 12 + i64::from(date.month());
    whole.then(|| count(range.end) - count(range.start))
}

impl Slice {
    pub(super) fn of(self, range: &Civil) -> Option<Civil> {
        match self {
            Self::Third(third) => equal_part(range, i64::from(third), 3),
            Self::Half(half) => equal_part(range, i64::from(half) - 1, 2),
            Self::Part(part) => part_of_day(range, part),
            Self::Clock(time) => {
                let start = single_day(range)?.to_datetime(time);
                Some(start..start.checked_add(1.hour()).ok()?)
            }
            Self::Hours(from, until) => {
                let day = single_day(range)?;
                Some(day.to_datetime(from)..day.to_datetime(until))
            }
            Self::Units(unit, place, count) => units(range, unit, place, count),
            Self::Weekday(weekday, place) => {
                let day = nth_weekday(range, weekday, place)?;
                days(day, 1.day())
            }
            Self::Weekend(place) => {
                let saturday = nth_weekday(range, Weekday::Saturday, place)?;
                days(saturday, 2.days())
            }
        }
        .filter(|slice| slice.start < slice.end)
    }
}

fn single_day(range: &Civil) -> Option<Date> {
    (length(range) == 1).then(|| range.start.date())
}

/// One of `of` equal parts: of years in months, of a month from the 11th and the 21st or from the 16th on, of shorter
/// ranges in days.
fn equal_part(range: &Civil, part: i64, of: i64) -> Option<Civil> {
    let first = range.start.date();
    let border = |part: i64| -> Option<Date> {
        if part == of {
            return Some(range.end.date());
        }
        match months(range) {
            Some(months) if months % of == 0 => first.checked_add((months / of * part).months()),
            Some(1) if of == 3 => first.checked_add((part * 10).days()),
            Some(1) => first.checked_add((part * 15).days()),
            _ => first.checked_add((length(range) * part / of).days()),
        }
        .ok()
    };
    Some(midnight(border(part)?)..midnight(border(part + 1)?))
}

/// Nights end at five, evenings at midnight.
fn part_of_day(range: &Civil, part: Part) -> Option<Civil> {
    let day = midnight(single_day(range)?);
    let (from, until) = match part {
        Part::Morning => (5, 12),
        Part::Noon => (11, 14),
        Part::Afternoon => (12, 18),
        Part::Evening => (17, 24),
        Part::Night => (18, 29),
    };
    Some(day.checked_add(from.hours()).ok()?..day.checked_add(until.hours()).ok()?)
}

fn units(range: &Civil, unit: Unit, place: Place, count: i64) -> Option<Civil> {
    let (first, end) = (range.start.date(), range.end.date());
    let (start, end) = match place {
        Place::Nth(skipped) => {
            let start = first.checked_add(unit.span(skipped).ok()?).ok()?;
            (start, start.checked_add(unit.span(count).ok()?).ok()?)
        }
        Place::Last => (end.checked_sub(unit.span(count).ok()?).ok()?, end),
    };
    let inside = start >= first && start < range.end.date();
    // The fifth week of a month ends with the month.
    (inside && start < end).then(|| midnight(start)..midnight(end.min(range.end.date())))
}

fn nth_weekday(range: &Civil, weekday: Weekday, place: Place) -> Option<Date> {
    let day = match place {
        Place::Nth(skipped) => {
            let before = range.start.date().checked_sub(1.day()).ok()?;
            before.nth_weekday(skipped as i32 + 1, weekday).ok()?
        }
        Place::Last => range.end.date().nth_weekday(-1, weekday).ok()?,
    };
    (day >= range.start.date() && day < range.end.date()).then_some(day)
}

/// A range extended by a quarter of its length on either side, at least three days.
pub(super) fn widened(range: &Civil) -> Option<Civil> {
    let margin = (length(range) / 4).max(3).days();
    Some(range.start.checked_sub(margin).ok()?..range.end.checked_add(margin).ok()?)
}
