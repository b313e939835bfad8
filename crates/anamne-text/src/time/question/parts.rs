//! Parts of times: `the first week of March`, `the end of last year`.

use super::super::names::Unit;
use super::point::{Place, Point, Slice, Yearly, calendar_unit};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::{Plural, Word};

impl Reader<'_> {
    /// `the first week of March`, `the last three days of 2024`, `the second half of last year`,
    /// `the first quarter`.
    pub(super) fn nth(&self, at: usize, lead: Lead) -> Option<Named> {
        let place = match self.word(at) {
            Word::Last => Place::Last,
            Word::Ordinal(n) | Word::OrdinalDigits(n) => Place::Nth(i64::from(n) - 1),
            _ => return None,
        };
        let (count, what_at) = match self.count(at + 1) {
            Some((_, most, end)) if self.word(at + 1) != Word::Article => (most, end),
            _ => (1, at + 1),
        };
        if let (Word::Unit(Unit::Quarter, Plural::One), Place::Nth(before @ 0..=3), 1) =
            (self.word(what_at), place, count)
        {
            return self.quarter(what_at + 1, before as u8 + 1, lead);
        }
        let slice = match self.word(what_at) {
            Word::Unit(unit, _) if !unit.is_of_clock() => Slice::Units(unit, place, count),
            Word::Weekday(day, _) => Slice::Weekday(day, place),
            Word::Weekend => Slice::Weekend(place),
            Word::Half => match place {
                Place::Nth(before @ 0..=1) => Slice::Half(before as u8 + 1),
                _ => return None,
            },
            _ => return None,
        };
        if !is_word!(self.word(what_at + 1), Of In ForeignLead) {
            return None;
        }
        let whole = self.whole(what_at + 2)?;
        let named = Named {
            slice: Some(slice),
            ..whole
        };
        self.resolved(&named)?;
        Some(named)
    }

    fn quarter(&self, end: usize, quarter: u8, lead: Lead) -> Option<Named> {
        let name = Yearly::Quarter(quarter);
        if let Some((year, end)) = self.year_beside(end) {
            return Some(Named::new(Point::Yearly(name, Some(year)), end));
        }
        if self.word(end) == Word::Of
            && self.word(end + 1) == Word::The
            && matches!(self.word(end + 2), Word::Unit(Unit::Year, Plural::One))
        {
            return Some(Named::new(
                Point::Yearly(name, Some(self.today().year())),
                end + 3,
            ));
        }
        let led =
            lead.word == Word::ForeignLead || lead.the && is_word!(lead.word, In During Since Over);
        (led && !self.goes_on(end) && self.word(end) != Word::Of)
            .then(|| Named::new(Point::Yearly(name, None), end))
    }

    /// The whole of a part: a named time, or the current unit for `the month`.
    fn whole(&self, at: usize) -> Option<Named> {
        let of = match self.before(at) {
            Word::ForeignLead => Word::ForeignLead,
            _ => Word::Of,
        };
        let (lead, first) = self.lead(of, at);
        if lead.the
            && let Word::Unit(unit, Plural::One) = self.word(at + 1)
            && matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year)
            && !self.goes_on(at + 2)
            && self.word(at + 2) != Word::Of
        {
            return Named::fixed(calendar_unit(unit, self.today(), 0), at + 2);
        }
        let named = self.named(first, lead);
        named.filter(|named| named.slice.is_none())
    }

    /// `early March`, `mid-2024`, `late last year`, `the end of the month`.
    pub(super) fn third(&self, at: usize) -> Option<Named> {
        let word = self.word(at);
        let third = match word {
            Word::Early | Word::Beginning => 0,
            Word::Mid | Word::Middle => 1,
            _ => 2,
        };
        if self.stops_before(at + 1) {
            return None;
        }
        let named = match (word, self.word(at + 1)) {
            (Word::Early | Word::Mid | Word::Late, Word::In) => {
                let (lead, at) = self.lead(Word::In, at + 2);
                self.named(at, lead)
            }
            (Word::Early | Word::Mid | Word::Late, _) => self.named(at + 1, Lead::by(word)),
            (_, Word::Of) => self.whole(at + 2),
            _ => None,
        }?;
        if named.slice.is_some() {
            return None;
        }
        let named = Named {
            slice: Some(Slice::Third(third)),
            ..named
        };
        self.resolved(&named)?;
        Some(named)
    }
}
