//! Parses and formats times for people.

use anamne::text::time::{parse_instant, parse_range};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::failure::Failure;

/// The current time and the time zone for parsing and formatting.
pub(crate) struct Dates {
    /// The current time.
    pub(crate) now: Timestamp,
    /// The user's time zone.
    pub(crate) zone: TimeZone,
}

impl Dates {
    /// The system's clock and time zone.
    pub(crate) fn of_this_machine() -> Self {
        Self {
            now: Timestamp::now(),
            zone: TimeZone::system(),
        }
    }

    /// The start of the period that the text names.
    pub(crate) fn start(
        &self,
        field: &str,
        text: Option<&str>,
    ) -> Result<Option<Timestamp>, Failure> {
        text.map(|text| parse_instant(text, self.now, &self.zone))
            .transpose()
            .map_err(|error| Failure::refused(field, format!("{field}: {error}")))
    }

    /// The end (exclusive) of the period that the text names: `--until 2026-03` includes all of March.
    pub(crate) fn end(
        &self,
        field: &str,
        text: Option<&str>,
    ) -> Result<Option<Timestamp>, Failure> {
        text.map(|text| parse_range(text, self.now, &self.zone).map(|range| range.end))
            .transpose()
            .map_err(|error| Failure::refused(field, format!("{field}: {error}")))
    }

    /// The time for an `as of` query: the end of the named day, month or other period, but not later than now.
    pub(crate) fn as_of(&self, field: &str, text: &str) -> Result<Timestamp, Failure> {
        let range = parse_range(text, self.now, &self.zone)
            .map_err(|error| Failure::refused(field, format!("{field}: {error}")))?;
        if range.start > self.now {
            let message = format!("{field} must not be in the future: {text:?}");
            return Err(Failure::refused(field, message));
        }
        if range.is_empty() {
            return Ok(range.start);
        }
        let last = range.end.checked_sub(SignedDuration::from_micros(1));
        Ok(last.unwrap_or(range.end).min(self.now))
    }

    /// A future time; a bare duration such as `30d` counts from now.
    pub(crate) fn future_time(
        &self,
        field: &str,
        text: Option<&str>,
    ) -> Result<Option<Timestamp>, Failure> {
        let Some(given) = text else { return Ok(None) };
        let read = self.start(field, text)?;
        if read.is_some_and(|instant| instant > self.now) {
            return Ok(read);
        }
        let span = given.starts_with(|first: char| first.is_ascii_digit());
        match parse_range(&format!("next {}", spaced(given)), self.now, &self.zone) {
            Ok(range) if span && range.end > self.now => Ok(Some(range.end)),
            _ => Err(
                Failure::refused(field, format!("{field} must be in the future: {given:?}"))
                    .hint("use 30d, \"in 2 weeks\" or 2031-12-31"),
            ),
        }
    }

    /// `2026-03-01 14:05`.
    pub(crate) fn absolute(&self, instant: Timestamp) -> String {
        self.written(instant, "%Y-%m-%d %H:%M")
    }

    /// `2026-03-01 14:05:09`.
    pub(crate) fn to_the_second(&self, instant: Timestamp) -> String {
        self.written(instant, "%Y-%m-%d %H:%M:%S")
    }

    /// `2026-03-01`.
    pub(crate) fn day(&self, instant: Timestamp) -> String {
        self.written(instant, "%Y-%m-%d")
    }

    fn written(&self, instant: Timestamp, form: &str) -> String {
        instant
            .to_zoned(self.zone.clone())
            .strftime(form)
            .to_string()
    }

    /// `3 weeks ago`, `in 2 days`.
    pub(crate) fn relative(&self, instant: Timestamp) -> String {
        let seconds = self.now.as_second() - instant.as_second();
        let Some(span) = span(seconds.unsigned_abs()) else {
            return "just now".to_owned();
        };
        if seconds > 0 {
            format!("{span} ago")
        } else {
            format!("in {span}")
        }
    }

    /// `2026-03-01 14:05, 3 weeks ago`.
    pub(crate) fn both(&self, instant: Timestamp) -> String {
        format!("{}, {}", self.absolute(instant), self.relative(instant))
    }
}

/// `30d` as `30 d`.
fn spaced(span: &str) -> String {
    let digits = span
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(span.len());
    let (count, unit) = span.split_at(digits);
    format!("{count} {}", unit.trim_start())
}

/// A duration in the largest unit with a value of at least about two; `None` for less than a minute.
fn span(seconds: u64) -> Option<String> {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let (unit, length) = match seconds {
        0..45 => return None,
        45..5_400 => ("minute", MINUTE),
        5_400..129_600 => ("hour", HOUR),
        129_600..1_209_600 => ("day", DAY),
        1_209_600..5_184_000 => ("week", 7 * DAY),
        5_184_000..63_072_000 => ("month", 2_629_746),
        _ => ("year", 31_556_952),
    };
    let count = ((seconds + length / 2) / length).max(1);
    Some(format!(
        "{count} {unit}{}",
        if count == 1 { "" } else { "s" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates() -> Dates {
        Dates {
            now: "2026-03-04T12:00:00Z".parse().expect("an instant"),
            zone: TimeZone::UTC,
        }
    }

    #[track_caller]
    fn check(instant: &str, expected: &str) {
        let instant = instant.parse().expect("an instant");
        assert_eq!(dates().relative(instant), expected);
    }

    #[test]
    fn ages_use_a_suitable_unit() {
        check("2026-03-04T11:59:30Z", "just now");
        check("2026-03-04T11:59:00Z", "1 minute ago");
        check("2026-03-04T09:00:00Z", "3 hours ago");
        check("2026-03-01T12:00:00Z", "3 days ago");
        check("2026-02-03T12:00:00Z", "4 weeks ago");
        check("2025-09-04T12:00:00Z", "6 months ago");
        check("2020-03-04T12:00:00Z", "6 years ago");
        check("2026-03-06T12:00:00Z", "in 2 days");
    }

    #[test]
    fn an_end_takes_in_the_whole_of_what_it_names() {
        let end = dates().end("until", Some("2026-02")).expect("a month");
        assert_eq!(
            end,
            Some("2026-03-01T00:00:00Z".parse().expect("an instant"))
        );
    }

    #[test]
    fn as_of_a_day_means_its_end_and_as_of_an_instant_that_instant() {
        for (text, expected) in [
            ("2026-02", "2026-02-28T23:59:59.999999Z"),
            ("yesterday", "2026-03-03T23:59:59.999999Z"),
            ("today", "2026-03-04T12:00:00Z"),
            ("2026-03-01 14:05", "2026-03-01T14:05:00Z"),
            ("2h", "2026-03-04T10:00:00Z"),
        ] {
            let instant = dates().as_of("at", text).expect("an instant");
            assert_eq!(instant, expected.parse().expect("an instant"), "{text}");
        }
        for refused in ["tomorrow", "2027", "the day after never", ""] {
            assert!(dates().as_of("at", refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn an_expiry_lies_in_the_future() {
        let expiry = dates().future_time("expires", Some("30d")).expect("a span");
        assert_eq!(
            expiry,
            Some("2026-04-03T12:00:00Z".parse().expect("an instant"))
        );
        assert!(dates().future_time("expires", Some("yesterday")).is_err());
    }
}
