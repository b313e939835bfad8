//! Cron expressions: five fields, in UTC.

use std::fmt;
use std::str::FromStr;

use anamne_types::Refusal;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;

/// When something is due, as five fields: minute, hour, day of the month, month, day of the week; all in UTC.
///
/// A field is `*` or a list of numbers and ranges, each with a step where wanted: `0,30`, `9-17`, `*/15`, `8-18/2`. Months and
/// days of the week may be named by their first three letters; Sunday is 0 or 7. Where both days are given and neither
/// begins with `*`, one of them is enough, else both must fit, as cron has always had it. `@hourly`, `@daily`, `@midnight`,
/// `@weekly`, `@monthly`, `@yearly` and `@annually` stand for the expressions that one expects. One that is never due, such as
/// the 30th of February, is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CronExpression {
    written: String,
    minutes: Set,
    hours: Set,
    days: Set,
    months: Set,
    weekdays: Set,
    /// Whether one of the two days is enough.
    either_day: bool,
}

/// Numbers from 0 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Set(u64);

/// What a field may hold.
struct Field {
    name: &'static str,
    first: u8,
    last: u8,
    /// The names of its numbers, from `first` on.
    names: &'static [&'static str],
}

const MINUTE: Field = numbers("minute", 0, 59);
const HOUR: Field = numbers("hour", 0, 23);
const DAY: Field = numbers("day of the month", 1, 31);
const MONTH: Field = Field {
    names: &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
    ..numbers("month", 1, 12)
};
const WEEKDAY: Field = Field {
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
    ..numbers("day of the week", 0, 7)
};

/// The Gregorian calendar repeats itself, days of the week included, after so many years.
const CYCLE_YEARS: i16 = 400;

const fn numbers(name: &'static str, first: u8, last: u8) -> Field {
    Field {
        name,
        first,
        last,
        names: &[],
    }
}

impl CronExpression {
    /// The first instant after `instant` at which it is due; `None` beyond the end of the calendar, the year 9999.
    pub fn next_after(&self, instant: Timestamp) -> Option<Timestamp> {
        let after = instant.to_zoned(TimeZone::UTC).datetime();
        let end = after.date().year().saturating_add(CYCLE_YEARS + 1);
        let mut day = after.date();
        while day.year() <= end {
            if !self.months.has(day.month()) {
                day = day.last_of_month().tomorrow().ok()?;
                continue;
            }
            if self.has_day(day)
                && let Some(due) = self.first_of_day_after(day, after)
            {
                return Some(due.to_zoned(TimeZone::UTC).ok()?.timestamp());
            }
            day = day.tomorrow().ok()?;
        }
        None
    }

    fn has_day(&self, day: Date) -> bool {
        let by_date = self.days.has(day.day());
        let by_weekday = self.weekdays.has(day.weekday().to_sunday_zero_offset());
        if self.either_day {
            by_date || by_weekday
        } else {
            by_date && by_weekday
        }
    }

    fn first_of_day_after(&self, day: Date, after: DateTime) -> Option<DateTime> {
        let times = self.hours.all().flat_map(|hour| {
            let minutes = self.minutes.all();
            minutes.map(move |minute| day.at(hour, minute, 0, 0))
        });
        let mut later = times.filter(|time| *time > after);
        later.next()
    }
}

impl FromStr for CronExpression {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fields: Vec<_> = spelt_out(text.trim()).split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields[..] else {
            let accepts = "five fields: minute, hour, day of the month, month, day of the week";
            return Err(Refusal::new("cron", accepts, text));
        };
        let expression = Self {
            written: fields.join(" "),
            minutes: MINUTE.read(minutes)?,
            hours: HOUR.read(hours)?,
            days: DAY.read(days)?,
            months: MONTH.read(months)?,
            weekdays: WEEKDAY.read(weekdays)?.with_sunday_as_zero(),
            either_day: !days.starts_with('*') && !weekdays.starts_with('*'),
        };
        let any_day = date(2000, 1, 1).to_zoned(TimeZone::UTC);
        let is_ever_due = any_day.is_ok_and(|day| expression.next_after(day.timestamp()).is_some());
        if is_ever_due {
            return Ok(expression);
        }
        let accepts = "a day that there is in some year";
        Err(Refusal::new("cron", accepts, text))
    }
}

impl fmt::Display for CronExpression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

fn spelt_out(text: &str) -> &str {
    match text {
        "@hourly" => "0 * * * *",
        "@daily" | "@midnight" => "0 0 * * *",
        "@weekly" => "0 0 * * 0",
        "@monthly" => "0 0 1 * *",
        "@yearly" | "@annually" => "0 0 1 1 *",
        other => other,
    }
}

impl Field {
    fn read(&self, text: &str) -> Result<Set, Refusal> {
        let parts = text.split(',').map(|part| self.part(part));
        let whole = parts.reduce(|all, part| Some(Set(all?.0 | part?.0)));
        whole.flatten().ok_or_else(|| {
            let accepts = format!(
                "as the {}: *, or numbers from {} to {}, ranges such as 2-4, steps such as */2",
                self.name, self.first, self.last
            );
            Refusal::new("cron", accepts, text)
        })
    }

    fn part(&self, text: &str) -> Option<Set> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => (range, Some(plain_number(step).filter(|step| *step > 0)?)),
            None => (text, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (self.first, self.last),
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            // A single number with a step means from there on.
            None if step.is_some() => (self.number(range)?, self.last),
            None => (self.number(range)?, self.number(range)?),
        };
        let numbers = (first..=last).step_by(usize::from(step.unwrap_or(1)));
        (first <= last).then(|| Set(numbers.fold(0, |all, number| all | 1 << number)))
    }

    fn number(&self, text: &str) -> Option<u8> {
        let named = self
            .names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text));
        let number = match named {
            Some(place) => self.first + place as u8,
            None => plain_number(text)?,
        };
        (self.first..=self.last).contains(&number).then_some(number)
    }
}

/// A number of digits alone: no sign.
fn plain_number(text: &str) -> Option<u8> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

impl Set {
    fn has(self, number: i8) -> bool {
        self.0 >> number & 1 == 1
    }

    fn all(self) -> impl Iterator<Item = i8> {
        (0..64).filter(move |number| self.has(*number))
    }

    fn with_sunday_as_zero(self) -> Self {
        Self((self.0 | self.0 >> 7 & 1) & 0x7f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, after: &str, expected: &[&str]) {
        let cron: CronExpression = expression.parse().expect("a cron expression");
        let mut instant: Timestamp = after.parse().expect("an instant");
        for expected in expected {
            instant = cron.next_after(instant).expect("due some day");
            assert_eq!(instant.to_string(), *expected, "{expression} after {after}");
        }
    }

    #[test]
    fn expressions_are_due_when_cron_says_so() {
        let after = "2026-03-04T11:59:30.5Z";
        check(
            "* * * * *",
            after,
            &["2026-03-04T12:00:00Z", "2026-03-04T12:01:00Z"],
        );
        check(
            "*/20 * * * *",
            after,
            &["2026-03-04T12:00:00Z", "2026-03-04T12:20:00Z"],
        );
        check(
            "5/25 13 * * *",
            after,
            &[
                "2026-03-04T13:05:00Z",
                "2026-03-04T13:30:00Z",
                "2026-03-04T13:55:00Z",
                "2026-03-05T13:05:00Z",
            ],
        );
        check(
            "30 8-18/5 * * *",
            after,
            &[
                "2026-03-04T13:30:00Z",
                "2026-03-04T18:30:00Z",
                "2026-03-05T08:30:00Z",
            ],
        );
        check(
            "0 3 * * 1-5",
            "2026-03-06T03:00:00Z",
            &["2026-03-09T03:00:00Z", "2026-03-10T03:00:00Z"],
        );
        check(
            "0 0 1 JAN,jul *",
            after,
            &["2026-07-01T00:00:00Z", "2027-01-01T00:00:00Z"],
        );
        check("15 4 * * sun", after, &["2026-03-08T04:15:00Z"]);
        check("15 4 * * 7", after, &["2026-03-08T04:15:00Z"]);
        check(
            "59 23 31 12 *",
            after,
            &["2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"],
        );
        check(
            "0 0 29 2 *",
            after,
            &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"],
        );
        check(
            "0 0 29 2 *",
            "2096-03-01T00:00:00Z",
            &["2104-02-29T00:00:00Z"],
        );
        check(
            "0 0 31 * *",
            after,
            &["2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"],
        );
        check("@daily", after, &["2026-03-05T00:00:00Z"]);
        check("@hourly", after, &["2026-03-04T12:00:00Z"]);
        check("@weekly", after, &["2026-03-08T00:00:00Z"]);
        check("@monthly", after, &["2026-04-01T00:00:00Z"]);
        check("@yearly", after, &["2027-01-01T00:00:00Z"]);
    }

    #[test]
    fn of_two_days_either_is_enough_unless_one_begins_with_a_star() {
        let after = "2026-03-04T12:00:00Z";
        check(
            "0 0 13 * 5",
            after,
            &[
                "2026-03-06T00:00:00Z",
                "2026-03-13T00:00:00Z",
                "2026-03-20T00:00:00Z",
            ],
        );
        check(
            "0 0 */2 * 1",
            after,
            &["2026-03-09T00:00:00Z", "2026-03-23T00:00:00Z"],
        );
        check("0 0 29 2 */7", after, &["2032-02-29T00:00:00Z"]);
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for refused in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "*/0 * * * *",
            "5-3 * * * *",
            "1,,2 * * * *",
            "+1 * * * *",
            "-1 * * * *",
            "*-3 * * * *",
            "a * * * *",
            "* * * foo *",
            "0 0 30 2 *",
            "0 0 31 2,4,6,9,11 *",
            "@reboot",
            "९ * * * *",
            "1/ * * * *",
            "99999999999999999999 * * * *",
        ] {
            assert!(refused.parse::<CronExpression>().is_err(), "{refused:?}");
        }
    }

    #[test]
    fn the_end_of_the_calendar_is_no_reason_to_panic() {
        let cron: CronExpression = "0 0 1 1 *".parse().expect("a cron expression");
        assert_eq!(cron.next_after(Timestamp::MAX), None);
        assert!(cron.next_after(Timestamp::MIN).is_some());
    }

    #[test]
    fn an_expression_is_written_as_it_was_read() {
        let cron: CronExpression = "  */5  1 * * mon ".parse().expect("a cron expression");
        assert_eq!(cron.to_string(), "*/5 1 * * mon");
        assert_eq!(cron.to_string().parse(), Ok(cron));
    }
}
