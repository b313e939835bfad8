//! Parses a whole text as one time, as in options.

use std::ops::Range;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Timestamp, ToSpan, Zoned};

use super::calendar::{Calendar, CalendarError};
use super::names::{Unit, month_of, weekday_of};
use super::written::{clock, count_of, is_number, number, split_count};

/// `None` if the text has another form, a fault if the form matches and the content is invalid.
type Reading = Option<Result<Range<Timestamp>, CalendarError>>;

pub(super) fn read(calendar: &Calendar<'_>, given: &str, words: &[&str]) -> Reading {
    calendar.absolute(given).or_else(|| calendar.words(words))
}

impl Calendar<'_> {
    /// Dates and times in digits.
    fn absolute(&self, given: &str) -> Reading {
        if !given.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        if let Ok(instant) = given.parse::<Timestamp>() {
            return Some(Ok(instant..instant));
        }
        if let Ok(zoned) = given.parse::<Zoned>() {
            return Some(Ok(zoned.timestamp()..zoned.timestamp()));
        }
        let numbers: Vec<&str> = given.split('-').collect();
        match numbers.as_slice() {
            [year] if is_number(year, 4) => Some(self.year(number(year)?)),
            [year, month] if is_number(year, 4) && is_number(month, 2) => {
                Some(self.month(number(year)?, number(month)?))
            }
            [year, quarter] if is_number(year, 4) && quarter.len() == 2 => {
                let quarter = quarter.strip_prefix(['q', 'Q'])?;
                Some(self.quarter(number(year)?, number(quarter)?))
            }
            [year, month, rest] if is_number(year, 4) && is_number(month, 2) => {
                Some(self.day_or_time(given, rest))
            }
            _ => None,
        }
    }

    fn day_or_time(&self, given: &str, rest: &str) -> Result<Range<Timestamp>, CalendarError> {
        if is_number(rest, 2) {
            let day = given
                .parse::<Date>()
                .map_err(|_| CalendarError::Nonexistent)?;
            return self.days(day, 1.day());
        }
        // Jiff requires two digits for the hour.
        let moment = given.split_once([' ', 'T', 't']).and_then(|(day, time)| {
            Some(day.parse::<Date>().ok()?.to_datetime(clock(time.trim())?))
        });
        let moment = moment
            .or_else(|| given.parse::<DateTime>().ok())
            .ok_or(CalendarError::Nonexistent)?;
        self.moment(moment)
    }

    fn words(&self, words: &[&str]) -> Reading {
        match *words {
            ["now"] => Some(Ok(self.now.timestamp()..self.now.timestamp())),
            ["last" | "past", count, unit] => self.around_now(count, unit, -1),
            ["next", count, unit] => self.around_now(count, unit, 1),
            ["past", unit] => self.around_now("1", unit, -1),
            ["last", named] => self.named(named, -1),
            ["this", named] => self.named(named, 0),
            ["next", named] => self.named(named, 1),
            [count, unit, "ago"] => self.away(count, unit, -1),
            [short, "ago"] => {
                split_count(short).and_then(|(count, unit)| self.away(count, unit, -1))
            }
            ["in", count, unit] => self.away(count, unit, 1),
            _ => self.day_words(words),
        }
    }

    fn day_words(&self, words: &[&str]) -> Reading {
        if let Some(day) = self.day(words) {
            return Some(day.and_then(|day| self.days(day, 1.day())));
        }
        if let [before @ .., time] = words
            && let Some(time) = clock(time)
        {
            let before = before.strip_suffix(&["at"]).unwrap_or(before);
            let day = match before {
                [] => Ok(self.today()),
                _ => self.day(before)?,
            };
            return Some(day.and_then(|day| self.moment(day.to_datetime(time))));
        }
        match *words {
            [month] if month_of(month).is_some() => Some(self.last_month_named(month_of(month)?)),
            [month, year] if is_number(year, 4) => {
                Some(self.month(number(year)?, i16::from(month_of(month)?)))
            }
            [short] => split_count(short).and_then(|(count, unit)| self.instant_ago(count, unit)),
            [count, unit] => self.instant_ago(count, unit),
            _ => None,
        }
    }

    /// Words for one day.
    fn day(&self, words: &[&str]) -> Option<Result<Date, CalendarError>> {
        let shifted =
            |span: Span| Some(self.today().checked_add(span).map_err(CalendarError::from));
        match *words {
            ["today"] => Some(Ok(self.today())),
            ["yesterday"] => shifted(-1.day()),
            ["tomorrow"] => shifted(1.day()),
            [date] if has_form_of_date(date) => {
                Some(date.parse().map_err(|_| CalendarError::Nonexistent))
            }
            [weekday] => {
                let back = self.today().weekday().since(weekday_of(weekday)?);
                shifted(-i64::from(back).days())
            }
            [month, day, year] if month_of(month).is_some() => self.date(day, month, Some(year)),
            [day, month, year] => self.date(day, month, Some(year)),
            [month, day] if month_of(month).is_some() && day.len() <= 4 && !is_number(day, 4) => {
                self.date(day, month, None)
            }
            [day, month] => self.date(day, month, None),
            _ => None,
        }
    }

    /// A day with the name of its month; without a year, the last one to start.
    fn date(
        &self,
        day: &str,
        month: &str,
        year: Option<&str>,
    ) -> Option<Result<Date, CalendarError>> {
        let month = month_of(month)?;
        let day = day
            .trim_end_matches(|letter: char| letter.is_ascii_alphabetic())
            .trim_end_matches('.');
        let day: i8 = day.parse().ok()?;
        let make = |year| Date::new(year, month, day).map_err(|_| CalendarError::Nonexistent);
        if let Some(year) = year {
            return is_number(year, 4).then(|| make(number(year).unwrap_or_default()));
        }
        let this_year = make(self.today().year());
        match this_year {
            Ok(date) if date > self.today() => Some(make(self.today().year() - 1)),
            _ => Some(this_year),
        }
    }

    fn last_month_named(&self, month: i8) -> Result<Range<Timestamp>, CalendarError> {
        let year = self.today().year() - i16::from(month > self.today().month());
        self.month(year, i16::from(month))
    }

    /// `last march`, which is over, `this march` of this year, `next march`, which has not begun; as in questions.
    fn month_beside_this(&self, month: i8, shift: i64) -> Result<Range<Timestamp>, CalendarError> {
        let (this, year) = (self.today().month(), self.today().year());
        let year = match shift {
            0 => year,
            1 => year + i16::from(month <= this),
            _ => year - i16::from(month >= this),
        };
        self.month(year, i16::from(month))
    }

    /// `last week`, `this year`, `next monday`.
    fn named(&self, name: &str, shift: i64) -> Reading {
        if let Some(weekday) = weekday_of(name) {
            return Some(self.weekday(weekday, shift));
        }
        if let Some(month) = month_of(name) {
            return Some(self.month_beside_this(month, shift));
        }
        let unit = Unit::read(name)?;
        if unit.is_of_clock() {
            return self.around_now("1", name, shift.signum());
        }
        Some(unit.first_day(self.today()).and_then(|first| {
            let span = unit.span(1)?;
            self.days(first.checked_add(unit.span(shift)?)?, span)
        }))
    }

    /// With `shift`: before today, in this week (Monday first), or after today.
    fn weekday(&self, weekday: Weekday, shift: i64) -> Result<Range<Timestamp>, CalendarError> {
        let today = self.today();
        let day = match shift {
            0 => {
                let monday = Unit::Week.first_day(today)?;
                monday.checked_add(i64::from(weekday.to_monday_zero_offset()).days())?
            }
            shift => today.nth_weekday(shift as i32, weekday)?,
        };
        self.days(day, 1.day())
    }

    /// `last 3 days`, `next 2 hours`: a range that starts or ends now.
    fn around_now(&self, count: &str, unit: &str, direction: i64) -> Reading {
        let (count, unit) = (count_of(count)?, Unit::read(unit)?);
        let now = self.now.timestamp();
        Some(self.shifted(count, unit, direction).map(|then| {
            let then = then.timestamp();
            then.min(now)..then.max(now)
        }))
    }

    /// `3 days ago`: that day, or that instant with a unit of hours or less.
    fn away(&self, count: &str, unit: &str, direction: i64) -> Reading {
        let (count, unit) = (count_of(count)?, Unit::read(unit)?);
        Some(self.shifted(count, unit, direction).and_then(|then| {
            if unit.is_of_clock() {
                return Ok(then.timestamp()..then.timestamp());
            }
            self.days(then.date(), 1.day())
        }))
    }

    fn instant_ago(&self, count: &str, unit: &str) -> Reading {
        let then = self.shifted(count_of(count)?, Unit::read(unit)?, -1);
        Some(then.map(|then| then.timestamp()..then.timestamp()))
    }

    fn shifted(&self, count: i64, unit: Unit, direction: i64) -> Result<Zoned, CalendarError> {
        Ok(self.now.checked_add(unit.span(count * direction)?)?)
    }
}

/// Whether a word has the form `2026-03-01`.
fn has_form_of_date(word: &str) -> bool {
    let numbers: Vec<&str> = word.splitn(4, '-').collect();
    matches!(numbers[..], [year, month, day] if is_number(year, 4) && is_number(month, 2) && is_number(day, 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{TimeError, parse_instant, parse_range};
    use super::*;
    use jiff::tz::TimeZone;

    /// A Wednesday, 15:30 in Berlin.
    fn now() -> Timestamp {
        "2026-03-04T14:30:00Z".parse().expect("an instant")
    }

    fn berlin() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone")
    }

    fn check(text: &str, expected: &str) {
        let shown = match parse_range(text, now(), &berlin()) {
            Ok(range) => {
                let show = |instant: Timestamp| instant.to_zoned(berlin()).datetime().to_string();
                let (start, end) = (show(range.start), show(range.end));
                if start == end {
                    start
                } else {
                    format!("{start} {end}")
                }
                .replace("T00:00:00", "")
            }
            Err(TimeError::Empty) => "empty".to_owned(),
            Err(TimeError::Unknown { .. }) => "unknown".to_owned(),
            Err(TimeError::Nonexistent { .. }) => "nonexistent".to_owned(),
            Err(TimeError::OutOfRange { .. }) => "out of range".to_owned(),
        };
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn dates_and_times_in_digits() {
        check("2026-03-01T14:00:00Z", "2026-03-01T15:00:00");
        check("2026-03-01T14:00:00+05:00", "2026-03-01T10:00:00");
        check("2026-03-01 14:00", "2026-03-01T14:00:00");
        check("2026-03-01 9:05", "2026-03-01T09:05:00");
        check("2026-03-01T14:00:30.5", "2026-03-01T14:00:30.5");
        check("2026-03-01", "2026-03-01 2026-03-02");
        check("2026-03", "2026-03-01 2026-04-01");
        check("2026", "2026-01-01 2027-01-01");
        check("2026-Q2", "2026-04-01 2026-07-01");
        check("14:00", "2026-03-04T14:00:00");
    }

    #[test]
    fn days_by_their_names() {
        check("now", "2026-03-04T15:30:00");
        check("Today", "2026-03-04 2026-03-05");
        check("yesterday", "2026-03-03 2026-03-04");
        check("yesterday 9:30", "2026-03-03T09:30:00");
        check("yesterday at 2pm", "2026-03-03T14:00:00");
        check("tomorrow", "2026-03-05 2026-03-06");
        check("wednesday", "2026-03-04 2026-03-05");
        check("Thursday", "2026-02-26 2026-02-27");
        check("last wednesday", "2026-02-25 2026-02-26");
        check("this sunday", "2026-03-08 2026-03-09");
        check("next mon", "2026-03-09 2026-03-10");
        check("march 3, 2025", "2025-03-03 2025-03-04");
        check("3rd March 2025", "2025-03-03 2025-03-04");
        check("5 march", "2025-03-05 2025-03-06");
    }

    #[test]
    fn spans_by_their_names() {
        check("this week", "2026-03-02 2026-03-09");
        check("last week", "2026-02-23 2026-03-02");
        check("last month", "2026-02-01 2026-03-01");
        check("last march", "2025-03-01 2025-04-01");
        check("last february", "2026-02-01 2026-03-01");
        check("this december", "2026-12-01 2027-01-01");
        check("next march", "2027-03-01 2027-04-01");
        check("next april", "2026-04-01 2026-05-01");
        check("this quarter", "2026-01-01 2026-04-01");
        check("this year", "2026-01-01 2027-01-01");
        check("last year", "2025-01-01 2026-01-01");
        check("next month", "2026-04-01 2026-05-01");
        check("february", "2026-02-01 2026-03-01");
        check("april", "2025-04-01 2025-05-01");
        check("dec 2024", "2024-12-01 2025-01-01");
    }

    #[test]
    fn how_long_ago() {
        check("3 days ago", "2026-03-01 2026-03-02");
        check("a week ago", "2026-02-25 2026-02-26");
        check("two months ago", "2026-01-04 2026-01-05");
        check("2 hours ago", "2026-03-04T13:30:00");
        check("2h ago", "2026-03-04T13:30:00");
        check("in 3 days", "2026-03-07 2026-03-08");
        check("3d", "2026-03-01T15:30:00");
        check("2w", "2026-02-18T15:30:00");
        check("90min", "2026-03-04T14:00:00");
        check("last 3 days", "2026-03-01T15:30:00 2026-03-04T15:30:00");
        check("past week", "2026-02-25T15:30:00 2026-03-04T15:30:00");
    }

    #[test]
    fn what_is_not_a_time_is_refused_by_name() {
        check("  ", "empty");
        check("soon", "unknown");
        check("3 bananas ago", "unknown");
        check("03/03/2026", "unknown");
        check("2026/03/03", "unknown");
        check("2026-02-30", "nonexistent");
        check("2026-13", "nonexistent");
        check("2026-03-01 25:00", "nonexistent");
        check("february 30 2026", "nonexistent");
        check("999999999 years ago", "out of range");
        let message = parse_instant("soon", now(), &berlin()).map_err(|error| error.to_string());
        assert!(
            message.is_err_and(
                |message| message.contains("\"soon\"") && message.contains("3 days ago")
            )
        );
    }

    #[test]
    fn a_day_is_as_long_as_the_zone_makes_it() {
        let range = parse_range("2026-03-29", now(), &berlin()).expect("a day");
        assert_eq!(range.end.duration_since(range.start).as_hours(), 23);
    }

    proptest! {
        #[test]
        fn any_text_gives_an_ordered_range_or_an_error(text in any::<String>()) {
            if let Ok(range) = parse_range(&text, now(), &berlin()) {
                prop_assert!(range.start <= range.end);
            }
        }

        #[test]
        fn near_misses_give_an_ordered_range_or_an_error(text in "(last |next |this |in )?[0-9a]{0,10}[- :]?(d|days|weeks|years|may|q1|monday|[0-9]{1,4})?( ago|-[0-9]{1,2}| [0-9:pm]{1,8})?") {
            if let Ok(range) = parse_range(&text, now(), &berlin()) {
                prop_assert!(range.start <= range.end);
            }
        }
    }
}
