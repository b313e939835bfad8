//! Names of times with the words that lead them: since, before, from and to, around.

use std::ops::Range;

use jiff::civil::DateTime;
use jiff::{Span, Timestamp, ToSpan};

use super::super::names::Unit;
use super::point::{Choice, Civil, Place, Point, Slice, Yearly, calendar_unit, days, widened};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::{Plural, Word};
use super::{Direction, Reach, When};

/// What was read from one word on.
pub(super) struct Found {
    /// The token after it; more than where it began.
    pub(super) end: usize,
    /// Nothing where the words speak of time and no range is meant.
    pub(super) when: Option<When>,
}

impl Found {
    fn silent(end: usize) -> Option<Self> {
        Some(Self { end, when: None })
    }
}

impl Reader<'_> {
    /// The time expression that begins with a word, if one does.
    pub(super) fn phrase(&self, at: usize) -> Option<Found> {
        match self.word(at) {
            Word::Other
            | Word::Number(..)
            | Word::Clock(_)
            | Word::Count(..)
            | Word::Article
            | Word::Couple
            | Word::Unit(..)
            | Word::The => self
                .distance(at)
                .or_else(|| self.pair_after(at, Lead::NONE, at))
                .or_else(|| self.lone(at)),
            Word::Function
            | Word::Verb
            | Word::Past
            | Word::Ahead
            | Word::Pronoun
            | Word::Determiner => None,
            Word::AgoBefore => self.lone(at).or_else(|| self.open_ended(at)),
            Word::Every => self.every(at),
            Word::By => {
                let named = self.named(at + 1, Lead::by(Word::In))?;
                Found::silent(named.end)
            }
            Word::Since | Word::Before | Word::After | Word::Until => {
                self.open_ended(at).or_else(|| self.event_phrase(at))
            }
            Word::From => self.from(at),
            Word::Between => self.between(at),
            Word::More | Word::Less => self.more_or_less(at),
            Word::Earlier | Word::Later => self.earlier(at),
            Word::During => self.led(at).or_else(|| self.event_phrase(at)),
            Word::In
            | Word::On
            | Word::At
            | Word::Over
            | Word::Within
            | Word::Around
            | Word::ForeignLead => self.led(at),
            _ => self
                .pair_after(at, Lead::NONE, at)
                .or_else(|| self.lone(at)),
        }
    }

    fn range(&self, range: &Civil) -> Option<Range<Timestamp>> {
        let range = self.instant_of(range.start)?..self.instant_of(range.end)?;
        (range.start < range.end).then_some(range)
    }

    fn instant_of(&self, moment: DateTime) -> Option<Timestamp> {
        if moment == self.now {
            return Some(self.asked_at);
        }
        Some(moment.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    fn found(range: Option<Range<Timestamp>>, end: usize) -> Option<Found> {
        Some(Found {
            end,
            when: Some(When::Range(range?)),
        })
    }

    fn resolved(&self, named: &Named) -> Option<Civil> {
        named.resolve(self.today(), self.choice())
    }

    fn lone(&self, at: usize) -> Option<Found> {
        let named = self.named(at, Lead::NONE)?;
        Self::found(self.range(&self.resolved(&named)?), named.end)
    }

    /// `every Monday`, `each March` are no times.
    fn every(&self, at: usize) -> Option<Found> {
        match self.word(at + 1) {
            Word::Weekday(..)
            | Word::Month(..)
            | Word::Season(..)
            | Word::Holiday(_)
            | Word::Part(_)
            | Word::Weekend
            | Word::Unit(..) => Found::silent(at + 2),
            _ => None,
        }
    }

    /// `in March`, `on the 12th`, `over the past week`, `around Christmas`, `in three days`.
    fn led(&self, at: usize) -> Option<Found> {
        let word = self.word(at);
        if matches!(word, Word::In | Word::Within)
            && let Some(found) = self.in_so_long(at)
        {
            return Some(found);
        }
        // "what is on today"
        if word != Word::Around
            && matches!(self.word(at + 1), Word::Day(_) | Word::Hier | Word::Tonight)
        {
            return None;
        }
        if word == Word::At
            && let Some(found) = self.clock_of_day(at + 1)
        {
            return Some(found);
        }
        let lead = Lead::by(word);
        if let Some(found) = self.pair_after(at + 1, lead, at) {
            return Some(found);
        }
        // "at the weekend before the release"
        if let Some(found) = self.distance(at + 1)
            && matches!(word, Word::In | Word::On | Word::During | Word::Within)
        {
            return Some(found);
        }
        let named = self.named(at + 1, lead)?;
        let range = self.resolved(&named)?;
        let range = match word {
            Word::Around => widened(&range)?,
            Word::Over if self.word(at + 1) == Word::Article => {
                return Self::found(Some(Timestamp::MIN..self.instant_of(range.end)?), named.end);
            }
            _ => range,
        };
        Self::found(self.range(&range), named.end)
    }

    /// Another time with the same lead: the second year of `in 2023 and 2024`. Also where it begins.
    pub(super) fn also(&self, lead: Word, at: usize) -> Option<(usize, Found)> {
        if !matches!(lead, Word::In | Word::On | Word::During) || at == 0 {
            return None;
        }
        let listed = self.tokens[at - 1].comma && matches!(self.word(at), Word::Number(_, 4));
        let joined = !self.stops_before(at)
            && (self.word(at) == Word::And
                || self
                    .tokens
                    .get(at)
                    .is_some_and(|token| token.text.eq_ignore_ascii_case("or")));
        let from = match (listed, joined) {
            (true, _) => at,
            (_, true) => at + 1,
            _ => return None,
        };
        let named = self.named(from, Lead::by(lead))?;
        let found = Self::found(self.range(&self.resolved(&named)?), named.end)?;
        Some((from, found))
    }

    /// `at 3pm on Tuesday`, `at noon yesterday`.
    fn clock_of_day(&self, at: usize) -> Option<Found> {
        let (slice, end) = match self.word(at) {
            Word::Part(part) => (Slice::Part(part), at + 1),
            _ => self
                .clock(at)
                .map(|(time, end)| (Slice::Clock(time), end))?,
        };
        let on = usize::from(matches!(self.word(end), Word::On));
        self.slice_of_day(slice, end + on, Lead::by(Word::On))
    }

    fn slice_of_day(&self, slice: Slice, at: usize, lead: Lead) -> Option<Found> {
        if self.stops_before(at) {
            return None;
        }
        let named = self.named(at, lead).filter(|named| named.slice.is_none())?;
        let range = slice.of(&self.resolved(&named)?)?;
        Self::found(self.range(&range), named.end)
    }

    /// `in three days`, where the question asks for what is to come.
    fn in_so_long(&self, at: usize) -> Option<Found> {
        let (low, high, unit_at) = self.count(at + 1)?;
        let Word::Unit(unit, _) = self.word(unit_at) else {
            return None;
        };
        if self.word(unit_at + 1) == Word::Ago || !self.ahead {
            return None;
        }
        Self::found(self.range(&self.distant(unit, low, high)?), unit_at + 1)
    }

    /// `since March`, `before 2024`, `after last week`, `until yesterday`.
    fn open_ended(&self, at: usize) -> Option<Found> {
        let word = match self.word(at) {
            // "vor 2024"
            Word::AgoBefore => Word::Before,
            word => word,
        };
        if word == Word::Since
            && let Some((time, end)) = self.clock(at + 1)
        {
            let moment = self.today().to_datetime(time);
            let moment = if moment > self.now {
                moment.checked_sub(1.day()).ok()?
            } else {
                moment
            };
            return Self::found(Some(self.instant_of(moment)?..Timestamp::MAX), end);
        }
        let named = self.named(at + 1, Lead::by(word))?;
        let range = self.range(&self.resolved(&named)?)?;
        Self::found(Some(opened(word, &range)), named.end)
    }

    /// `from March to May`, `from Monday on`, `from last week`.
    fn from(&self, at: usize) -> Option<Found> {
        if let Some(found) = self.pair_after(at + 1, Lead::by(Word::From), at) {
            return Some(found);
        }
        let named = self.named(at + 1, Lead::by(Word::From))?;
        let range = self.range(&self.resolved(&named)?)?;
        if !self.stops_before(named.end)
            && matches!(self.word(named.end), Word::Onwards | Word::On)
            && self.stops_before(named.end + 1)
        {
            return Self::found(Some(range.start..Timestamp::MAX), named.end + 1);
        }
        Self::found(Some(range), named.end)
    }

    fn between(&self, at: usize) -> Option<Found> {
        self.pair_after(at + 1, Lead::by(Word::Between), at)
    }

    /// `more than a year ago`, `less than two weeks ago`.
    fn more_or_less(&self, at: usize) -> Option<Found> {
        if self.word(at + 1) != Word::Than {
            return None;
        }
        let named = self.away(at + 2)?;
        let range = self.range(&self.resolved(&named)?)?;
        let range = match self.word(at) {
            Word::More => Timestamp::MIN..range.end,
            _ => range.start..self.asked_at,
        };
        Self::found(
            Some(range).filter(|range| range.start < range.end),
            named.end,
        )
    }

    /// `earlier this week`, `later today`.
    fn earlier(&self, at: usize) -> Option<Found> {
        if self.stops_before(at + 1) {
            return None;
        }
        let in_the = usize::from(self.word(at + 1) == Word::In);
        let named = match self.word(at + 1 + in_the) {
            Word::Day(0) | Word::This => self.named(at + 1, Lead::NONE),
            _ => None,
        }?;
        let range = self.range(&self.resolved(&named)?)?;
        let range = match self.word(at) {
            Word::Earlier => range.start..self.asked_at.min(range.end),
            _ => self.asked_at.max(range.start)..range.end,
        };
        Self::found(
            Some(range).filter(|range| range.start < range.end),
            named.end,
        )
    }

    /// Two times and all between them, the first of them read from `at` on.
    fn pair_after(&self, at: usize, lead: Lead, from: usize) -> Option<Found> {
        debug_assert!(from <= at);
        let joins = |at: usize| match (lead.word, self.word(at)) {
            (_, Word::Dash) | (Word::Between, Word::And) => true,
            (Word::From, word) => matches!(word, Word::To | Word::Through | Word::Until),
            (_, word) => word == Word::Through && lead.word != Word::Between,
        };
        let second_lead = Lead::PAIR;
        let first = self.named(at, if joins_soon(lead) { Lead::PAIR } else { lead });
        if let Some(first) = first
            && joins(first.end)
        {
            return self
                .second(first.end + 1, second_lead, &first)
                .and_then(|second| self.joined(&first, &second));
        }
        // "between 12 and 15 March"
        let day = self.bare_day(at)?;
        if !joins(at + 1) {
            return None;
        }
        let second = self.named(at + 2, second_lead)?;
        let Point::Yearly(Yearly::Day(month, _), year) = second.point else {
            return None;
        };
        let first = Named::new(Point::Yearly(Yearly::Day(month, day), year), at + 1);
        self.joined(&first, &second)
    }

    fn bare_day(&self, at: usize) -> Option<i8> {
        match self.word(at) {
            Word::Number(day @ 1..=31, 1..=2) => Some(day as i8),
            Word::OrdinalDigits(day) => Some(day as i8),
            _ => None,
        }
    }

    fn second(&self, at: usize, lead: Lead, first: &Named) -> Option<Named> {
        if self.word(at) == Word::Now
            && matches!(self.word(at - 1), Word::Until | Word::To | Word::And)
        {
            let now = days(self.today(), 1.day())?.start..self.now;
            return Named::fixed(Some(now), at + 1);
        }
        if let Some(named) = self.named(at, lead) {
            return Some(named);
        }
        // "March 12 to 15", "March 12-15, 2025"
        let Point::Yearly(Yearly::Day(month, _), year) = first.point else {
            return None;
        };
        let day = self.bare_day(at)?;
        if self.goes_on(at + 1) {
            return None;
        }
        let (year, end) = match self.year_beside(at + 1) {
            Some((year, end)) => (Some(year), end),
            None => (year, at + 1),
        };
        Some(Named::new(
            Point::Yearly(Yearly::Day(month, day), year),
            end,
        ))
    }

    /// A year that one end tells is the other's as well; without one, the last such range that began.
    fn joined(&self, first: &Named, second: &Named) -> Option<Found> {
        let today = self.today();
        let (first_range, second_range) = if second.point.is_whole() || !first.point.is_whole() {
            let second_range = self.resolved(second)?;
            let before = second_range.start.date();
            (first.resolve(before, Choice::Begun)?, second_range)
        } else {
            let first_range = first.resolve(today, self.choice())?;
            let after = first_range.start.date();
            let second_range = second.resolve(after, Choice::Open)?;
            (first_range, second_range)
        };
        let range = first_range.start..second_range.end;
        Self::found(self.range(&range), second.end)
    }

    /// `the day before yesterday`, `the week after Christmas`, `two weeks before the release`,
    /// `the week before last`.
    fn distance(&self, at: usize) -> Option<Found> {
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
            // "how many days before the release" asks for a distance.
            let asks = plural == Plural::Many
                && matches!(
                    word,
                    Word::Before | Word::After | Word::Since | Word::Until | Word::Between
                );
            if !asks {
                return None;
            }
            let end = self
                .phrase(unit_at + 1)
                .map_or(unit_at + 2, |found| found.end);
            return Found::silent(end);
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
                && !matches!(self.word(unit_at + 3), Word::Unit(..))
            {
                let range = calendar_unit(unit, self.today(), shift)?;
                return Self::found(self.range(&range), unit_at + 3);
            }
        }
        let span = unit.span(count).ok()?;
        let reach = if the == 1 {
            Reach::Within(span)
        } else {
            Reach::At(span)
        };
        self.from_time(unit_at + 2, direction, span, the == 1)
            .or_else(|| self.from_event(unit_at + 2, direction, reach))
    }

    /// `the morning of March 5`, `the weekend of March 14`.
    fn part_of(&self, at: usize) -> Option<Found> {
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

    /// A stretch seen from a time that has a name.
    fn from_time(
        &self,
        at: usize,
        direction: Direction,
        span: Span,
        within: bool,
    ) -> Option<Found> {
        let lead = match direction {
            Direction::During => Word::On,
            Direction::Before => Word::Before,
            _ => Word::After,
        };
        let named = self.named(at, Lead::by(lead))?;
        if direction == Direction::During {
            // "the week of March 12"; "the day of the week" has no name.
            let range = self.range(&self.resolved(&named)?)?;
            let event = When::Around {
                event: String::new(),
                direction,
                reach: Reach::Within(span),
            };
            return Self::found(Some(event.around(&range, self.zone)), named.end);
        }
        let range = self.range(&self.resolved(&named)?)?;
        let when = When::Around {
            event: String::new(),
            direction,
            reach: if within {
                Reach::Within(span)
            } else {
                Reach::At(span)
            },
        };
        // A day after a day is the next one, not the one after the first instant that follows it.
        let range = if within {
            range
        } else {
            range.start..range.start
        };
        Self::found(Some(when.around(&range, self.zone)), named.end)
    }
}

/// Whether the second end of a range is sure to follow, and vouches for the first.
fn joins_soon(lead: Lead) -> bool {
    matches!(lead.word, Word::Between | Word::From)
}

fn opened(word: Word, range: &Range<Timestamp>) -> Range<Timestamp> {
    match word {
        Word::Since => range.start..Timestamp::MAX,
        Word::Before => Timestamp::MIN..range.start,
        Word::After => range.end..Timestamp::MAX,
        _ => Timestamp::MIN..range.end,
    }
}
