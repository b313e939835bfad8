//! The range of a time expression relative to an event whose time is known.

use std::ops::Range;

use jiff::{Span, Timestamp, ToSpan, Unit, Zoned};

use super::{Direction, EventDistance};

/// The range in a direction from an event; an end before the start is treated as the start.
pub(super) fn around(
    direction: Direction,
    reach: EventDistance,
    start: &Zoned,
    end: &Zoned,
) -> Range<Timestamp> {
    match reach {
        EventDistance::Open => open(direction, start, end),
        EventDistance::Within(span) => within(direction, span, start, end),
        EventDistance::At(span) => at_distance(direction, span, start, end),
    }
}

fn open(direction: Direction, start: &Zoned, end: &Zoned) -> Range<Timestamp> {
    match direction {
        Direction::Before => Timestamp::MIN..start.timestamp(),
        Direction::After => end.timestamp()..Timestamp::MAX,
        Direction::Since => start.timestamp()..Timestamp::MAX,
        Direction::Until => Timestamp::MIN..end.timestamp(),
        Direction::During => first_of_day(start)..first_after_day(end, start),
    }
}

fn first_of_day(day: &Zoned) -> Timestamp {
    day.start_of_day()
        .map_or(Timestamp::MIN, |first| first.timestamp())
}

/// The first instant after the last day of an event; one that ends at midnight does not include that day.
fn first_after_day(end: &Zoned, start: &Zoned) -> Timestamp {
    if end > start && first_of_day(end) == end.timestamp() {
        return end.timestamp();
    }
    end.tomorrow()
        .map_or(Timestamp::MAX, |next| first_of_day(&next))
}

fn later(moment: &Zoned, span: Span) -> Timestamp {
    moment
        .checked_add(span)
        .map_or(Timestamp::MAX, |moment| moment.timestamp())
}

fn sooner(moment: &Zoned, span: Span) -> Timestamp {
    moment
        .checked_sub(span)
        .map_or(Timestamp::MIN, |moment| moment.timestamp())
}

fn is_of_days(span: Span) -> bool {
    span.get_hours() == 0 && span.get_minutes() == 0 && span.get_seconds() == 0
}

/// Whole days if the span consists of days: the day before an event is the one before its day.
fn within(direction: Direction, span: Span, start: &Zoned, end: &Zoned) -> Range<Timestamp> {
    let zone = start.time_zone().clone();
    match direction {
        Direction::During => calendar_stretch(span, start),
        Direction::Before | Direction::Until if is_of_days(span) => {
            let first = first_of_day(start).to_zoned(zone);
            sooner(&first, span)..first.timestamp()
        }
        Direction::After | Direction::Since if is_of_days(span) => {
            let first = first_after_day(end, start).to_zoned(zone);
            first.timestamp()..later(&first, span)
        }
        Direction::Before | Direction::Until => sooner(start, span)..start.timestamp(),
        Direction::After | Direction::Since => end.timestamp()..later(end, span),
    }
}

/// The calendar day, week, month or year that contains a moment.
fn calendar_stretch(span: Span, moment: &Zoned) -> Range<Timestamp> {
    let date = moment.date();
    let back = i64::from(date.weekday().to_monday_zero_offset());
    let first = if span.get_weeks() > 0 {
        date.checked_sub(back.days()).unwrap_or(date)
    } else if span.get_months() > 0 {
        date.first_of_month()
    } else if span.get_years() > 0 {
        date.first_of_year()
    } else {
        date
    };
    match first.to_zoned(moment.time_zone().clone()) {
        Ok(first) => first.timestamp()..later(&first, span),
        Err(_) => moment.timestamp()..later(moment, span),
    }
}

/// The day at that distance, plus half of the last unit on either side for longer units.
fn at_distance(direction: Direction, span: Span, start: &Zoned, end: &Zoned) -> Range<Timestamp> {
    let moved = match direction {
        Direction::Before | Direction::Until => start.checked_sub(span),
        _ => end.checked_add(span),
    };
    let Ok(moved) = moved else {
        return open(direction, start, end);
    };
    if !is_of_days(span) {
        let margin = moved
            .duration_until(start)
            .as_secs()
            .abs()
            .max(1)
            .div_euclid(4)
            .max(1)
            .seconds();
        return sooner(&moved, margin)..later(&moved, margin);
    }
    let margin = match span_unit(span) {
        Unit::Year => 182.days(),
        Unit::Month => 15.days(),
        Unit::Week => 3.days(),
        _ => 0.days(),
    };
    let zone = moved.time_zone().clone();
    let first = first_of_day(&moved).to_zoned(zone.clone());
    let last = first_after_day(&moved, &moved).to_zoned(zone);
    sooner(&first, margin)..later(&last, margin)
}

fn span_unit(span: Span) -> Unit {
    if span.get_years() > 0 {
        Unit::Year
    } else if span.get_months() > 0 {
        Unit::Month
    } else if span.get_weeks() > 0 {
        Unit::Week
    } else {
        Unit::Day
    }
}
