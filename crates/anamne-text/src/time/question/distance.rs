//! Spans relative to a time or an event: `the week before the release`.

use jiff::{Span, ToSpan};

use super::super::names::Unit;
use super::phrases::FoundPhrase;
use super::point::{Place, Slice, calendar_unit};
use super::reader::{Lead, Reader};
use super::vocabulary::{Plural, Word};
use super::{Direction, EventDistance, TimeMeaning};

impl Reader<'_> {
    /// `the day before yesterday`, `the week after Christmas`, `two weeks before the release`,
    /// `the week before last`.
    pub(super) fn distance(&self, at: usize) -> Option<FoundPhrase> {
        let the = usize::from(self.word(at) == Word::The);
        let (count, unit_at, counted) = match self.count(at + the) {
            Some((_, most, unit_at)) => (most, unit_at, true),
            None => (1, at + the, false),
        };
        if the == 1
            && !counted
            && let Some(found) = self.part_of(unit_at)
        {
            return Some(found);
        }
        let (unit, plural) = match self.word(unit_at) {
            Word::Unit(unit, plural) => (unit, plural),
            Word::Part(_) | Word::Weekend if the == 1 && !counted => (Unit::Day, Plural::One),
            _ => return None,
        };
        if self.stops_before(unit_at + 1) {
            return None;
        }
        let word = self.word(unit_at + 1);
        if the == 0 && !counted {
            // "how many days before the release" asks for a duration.
            let asks = plural == Plural::Many && is_word!(word, Before After Since Until Between);
            if !asks {
                return None;
            }
            let end = self
                .phrase(unit_at + 1)
                .map_or(unit_at + 2, |found| found.end);
            return Some(FoundPhrase::silent(end));
        }
        let direction = match word {
            Word::Before => Direction::Before,
            Word::After => Direction::After,
            Word::Of if the == 1 && !counted => Direction::During,
            _ => return None,
        };
        if the == 1 && !counted && matches!(unit, Unit::Week | Unit::Month | Unit::Year) {
            let shift = match (direction, self.word(unit_at + 2)) {
                (Direction::Before, Word::Last) => Some(-2),
                (Direction::After, Word::Next) => Some(2),
                _ => None,
            };
            if let Some(shift) = shift
                && !is_word!(self.word(unit_at + 3), Unit(..) Weekday(..) Month(..) Season(..) Weekend Holiday(_))
            {
                let range = calendar_unit(unit, self.today(), shift)?;
                return Self::found(self.range(&range), unit_at + 3);
            }
        }
        // "in the weeks after the release": a few weeks.
        let several = the == 1 && !counted && plural == Plural::Many;
        let span = unit.span(if several { 5 } else { count }).ok()?;
        let reach = if the == 1 {
            EventDistance::Within(span)
        } else {
            EventDistance::At(span)
        };
        self.relative_to_time(unit_at + 2, direction, span, the == 1)
            .or_else(|| self.relative_to_event(unit_at + 2, direction, reach))
    }

    /// `the morning of March 5`, `the weekend of March 14`.
    fn part_of(&self, at: usize) -> Option<FoundPhrase> {
        if self.word(at + 1) != Word::Of {
            return None;
        }
        match self.word(at) {
            Word::Part(part) => self.slice_of_day(Slice::Part(part), at + 2, Lead::by(Word::On)),
            Word::Weekend => {
                let named = self.named(at + 2, Lead::by(Word::On))?;
                let day = self.resolved(&named)?.start.date();
                let week = calendar_unit(Unit::Week, day, 0)?;
                let weekend = Slice::Units(Unit::Day, Place::Last, 2).of(&week)?;
                Self::found(self.range(&weekend), named.end)
            }
            _ => None,
        }
    }

    /// A span relative to a named time.
    fn relative_to_time(
        &self,
        at: usize,
        direction: Direction,
        span: Span,
        within: bool,
    ) -> Option<FoundPhrase> {
        let lead = match direction {
            Direction::During => Word::On,
            Direction::Before => Word::Before,
            _ => Word::After,
        };
        let named = self.named(at, Lead::by(lead))?;
        let period = self.resolved(&named)?;
        let range = self.range(&period)?;
        // "the week of March 12"; "the day of the week" has no name.
        let (reach, range) = if within || direction == Direction::During {
            (EventDistance::Within(span), range)
        } else {
            // The day after a period is counted from its last day, not from the next instant.
            let last_day = period.end.checked_sub(1.day()).ok()?.max(period.start);
            let from = match direction {
                Direction::After => self.instant_of(last_day)?,
                _ => range.start,
            };
            (EventDistance::At(span), from..from)
        };
        let when = TimeMeaning::Around {
            event: String::new(),
            direction,
            reach,
        };
        Self::found(Some(when.around(&range, self.zone)), named.end)
    }
}
