//! Times that have a name, and the days that they stand for.

use std::ops::Range;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{Span, ToSpan};

use super::super::names::Unit;
use super::vocabulary::{Holiday, Part, Season};

/// From the first moment up to the first one after it, in the zone of the question.
pub(super) type Civil = Range<DateTime>;

/// A time by its name, its year perhaps left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Point {
    Fixed(Civil),
    Yearly(Yearly, Option<i16>),
    Weekday(Weekday),
    DayOfMonth(i8),
    /// The weekend of a week.
    Weekend,
}

/// What comes once a year.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Yearly {
    Month(i8),
    Day(i8, i8),
    Season(Season),
    Quarter(u8),
    Half(u8),
    Holiday(Holiday),
}

/// What part of a time is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slice {
    Third(u8),
    Half(u8),
    Part(Part),
    Clock(Time),
    /// The days, weeks, months at the beginning (from 0) or at the end of it, and how many.
    Units(Unit, Place, i64),
    Weekday(Weekday, Place),
    Weekend(Place),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The one so many after the first.
    Nth(i64),
    Last,
}

/// Which of those with one name is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The last one to begin until the end of a day.
    Begun,
    /// The last one that is over when a day begins.
    Over,
    /// The first one that is not over when a day begins.
    Open,
    /// The first one to begin after a day.
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
    /// Whether it is one time, whenever the question is asked.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Fixed(_) | Self::Yearly(_, Some(_)))
    }

    /// The time that is meant by someone who speaks on a day, or nothing where the calendar ends.
    pub(super) fn resolve(&self, day: Date, choice: Choice) -> Option<Civil> {
        match self {
            Self::Fixed(range) => Some(range.clone()),
            Self::Yearly(name, Some(year)) => name.of_year(*year),
            Self::Yearly(name, None) => {
                // Nine years hold a 29th of February, also around 1900.
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
        }
    }
}

/// The nearest stretch of days of which `length` knows the first day.
fn nearest(day: Date, choice: Choice, length: impl Fn(Date) -> Option<i64>) -> Option<Civil> {
    let (mut date, step) = if choice.looks_back() {
        (day, -1.day())
    } else {
        (day.checked_sub(2.days()).ok()?, 1.day())
    };
    for _ in 0..70 {
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

/// The week, month, quarter or year that holds a day, or one so many before or after it.
pub(super) fn calendar_unit(unit: Unit, day: Date, shift: i64) -> Option<Civil> {
    let first = unit.first_day(day).ok()?;
    let first = first.checked_add(unit.span(shift).ok()?).ok()?;
    days(first, unit.span(1).ok()?)
}

/// How many days a range touches.
fn length(range: &Civil) -> i64 {
    let days = range.start.date().until(range.end.date());
    days.map_or(0, |span| i64::from(span.get_days()))
}

/// How many whole months a range has, where it begins and ends with months.
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

/// One of so many parts alike: of years in months, of a month from the 11th and the 21st or from the
/// 16th on, of anything shorter in days.
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

/// Nights continue until five, evenings until midnight.
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
    // The fifth week of a month is as long as the month lets it be.
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

/// A range with a quarter of its length on either side, and three days at least.
pub(super) fn widened(range: &Civil) -> Option<Civil> {
    let margin = (length(range) / 4).max(3).days();
    Some(range.start.checked_sub(margin).ok()?..range.end.checked_add(margin).ok()?)
}
