//! Ranges between two times: `between March and May`.

use jiff::ToSpan;
use jiff::civil::Time;

use super::phrases::FoundPhrase;
use super::point::{Choice, Point, Slice, Yearly, days};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::Word;

impl Reader<'_> {
    /// A range between two times, the first of which starts at `at`.
    pub(super) fn pair_after(&self, at: usize, lead: Lead, from: usize) -> Option<FoundPhrase> {
        debug_assert!(from <= at);
        let joins = |at: usize| self.joins(lead, from, at);
        if confirms_first(lead)
            && let Some(found) = self.hours_of_day(at)
        {
            return Some(found);
        }
        let second_lead = Lead::PAIR;
        let are_months = is_word!(self.word(at), Month(..))
            && self.word(at + 1) == Word::To
            && is_word!(self.word(at + 2), Month(..));
        let first = self.named(
            at,
            if confirms_first(lead) || are_months {
                Lead::PAIR
            } else {
                lead
            },
        );
        if let Some(first) = first
            && joins(first.end)
        {
            return self
                .second(first.end + 1, second_lead, &first)
                .and_then(|second| self.joined(&first, &second));
        }
        // "between 12 and 15 March", "entre el 12 y el 15 de marzo"
        let at = at + usize::from(self.word(at) == Word::ForeignLead);
        let day = self.number_of_day(at)?;
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

    /// Whether a token joins the two times of a range that starts at `from`.
    fn joins(&self, lead: Lead, from: usize, at: usize) -> bool {
        let word = self.word(at);
        match lead.word {
            _ if word == Word::Dash => true,
            // "on March 4 and 5"
            _ if word == Word::And && self.are_consecutive_days(at) => true,
            Word::Between => word == Word::And,
            Word::From | Word::Since => is_word!(word, To Through Until),
            // "du 3 au 5 mars", "de marzo a mayo"
            Word::ForeignLead if self.tokens[from].is_one_of("de du des del d' d’") => {
                is_word!(word, To Through Until)
                    || self
                        .tokens
                        .get(at)
                        .is_some_and(|token| token.is_one_of("à au aux a al"))
            }
            _ => is_word!(word, To Through),
        }
    }

    fn are_consecutive_days(&self, and: usize) -> bool {
        let day = |at: usize| self.number_of_day(at);
        let first = and.checked_sub(1).and_then(day);
        first.is_some_and(|first| day(and + 1) == Some(first + 1))
    }

    /// `between 9am and 11am yesterday`, `from 2 to 4 pm on Monday`.
    fn hours_of_day(&self, at: usize) -> Option<FoundPhrase> {
        let (from, until, end) = self.hours(at)?;
        let on = usize::from(self.word(end) == Word::On);
        if self.stops_before(end + on) {
            return None;
        }
        let named = self
            .named(end + on, Lead::by(Word::On))
            .filter(|named| named.slice.is_none())?;
        let day = self.resolved(&named)?;
        let start = Slice::Clock(from).of(&day)?.start;
        let end = Slice::Clock(until).of(&day)?.start;
        Self::found(self.range(&(start..end)), named.end)
    }

    /// `2 to 4 pm`, `9:00 and 11:00`.
    pub(super) fn hours(&self, at: usize) -> Option<(Time, Time, usize)> {
        let alone = match self.word(at) {
            Word::Number(hour @ 1..=12, _) => Some(hour as i8),
            _ => None,
        };
        let (first, end) = match self.clock(at) {
            Some((time, end)) => (Some(time), end),
            None => (None, at + 1),
        };
        if !is_word!(self.word(end), And To Until Through Dash) {
            return None;
        }
        let (until, end) = self.clock(end + 1)?;
        // In "from 2 to 4 pm", `pm` applies to both.
        let from = match (first, alone) {
            (Some(time), _) => time,
            (None, Some(hour)) => {
                let afternoon = if until.hour() > 12 && hour < 12 {
                    12
                } else {
                    0
                };
                Time::new(hour + afternoon, 0, 0, 0).ok()?
            }
            _ => return None,
        };
        Some((from, until, end))
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
        let day = self.number_of_day(at)?;
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

    /// A year at one end applies to the other; without one, the last such range that started.
    fn joined(&self, first: &Named, second: &Named) -> Option<FoundPhrase> {
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
}

/// Whether the second end of a range is certain to follow, and so confirms the first.
fn confirms_first(lead: Lead) -> bool {
    matches!(lead.word, Word::Between | Word::From)
}
