//! Days, months, quarters and years in a time zone, as ranges of timestamps.

use std::ops::Range;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

#[derive(Clone, Copy, Debug)]
pub(super) enum CalendarError {
    Nonexistent,
    OutOfRange,
}

impl From<jiff::Error> for CalendarError {
    fn from(_: jiff::Error) -> Self {
        Self::OutOfRange
    }
}

/// The reference time, and the time zone of days.
pub(super) struct Calendar<'a> {
    pub(super) now: Zoned,
    zone: &'a TimeZone,
}

impl<'a> Calendar<'a> {
    pub(super) fn new(now: Timestamp, zone: &'a TimeZone) -> Self {
        Self {
            now: now.to_zoned(zone.clone()),
            zone,
        }
    }

    pub(super) fn today(&self) -> Date {
        self.now.date()
    }

    pub(super) fn year(&self, year: i16) -> Result<Range<Timestamp>, CalendarError> {
        self.days(Date::new(year, 1, 1)?, 1.year())
    }

    pub(super) fn quarter(
        &self,
        year: i16,
        quarter: i16,
    ) -> Result<Range<Timestamp>, CalendarError> {
        if !(1..=4).contains(&quarter) {
            return Err(CalendarError::Nonexistent);
        }
        self.days(Date::new(year, quarter as i8 * 3 - 2, 1)?, 3.months())
    }

    pub(super) fn month(&self, year: i16, month: i16) -> Result<Range<Timestamp>, CalendarError> {
        if !(1..=12).contains(&month) {
            return Err(CalendarError::Nonexistent);
        }
        self.days(Date::new(year, month as i8, 1)?, 1.month())
    }

    /// The range of a calendar span from the start of a day, in the time zone.
    pub(super) fn days(&self, first: Date, span: Span) -> Result<Range<Timestamp>, CalendarError> {
        let start = first.to_zoned(self.zone.clone())?;
        let end = first.checked_add(span)?.to_zoned(self.zone.clone())?;
        Ok(start.timestamp()..end.timestamp())
    }

    pub(super) fn moment(&self, moment: DateTime) -> Result<Range<Timestamp>, CalendarError> {
        let instant = moment.to_zoned(self.zone.clone())?.timestamp();
        Ok(instant..instant)
    }
}
