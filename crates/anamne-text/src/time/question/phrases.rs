//! Time expressions with their leading words: since, before, from and to, around.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::TimeMeaning;
use super::point::{Civil, Slice, widened};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::Word;

/// A time expression that starts at some token.
pub(super) struct FoundPhrase {
    /// The token after it; greater than its start.
    pub(super) end: usize,
    /// `None` if the words refer to time but mean no range.
    pub(super) when: Option<TimeMeaning>,
}

impl FoundPhrase {
    pub(super) fn silent(end: usize) -> Self {
        Self { end, when: None }
    }

    pub(super) fn unclear(end: usize) -> Self {
        let when = Some(TimeMeaning::Unclear);
        Self { end, when }
    }
}

impl Reader<'_> {
    /// The time expression that starts at a token, if any.
    pub(super) fn phrase(&self, at: usize) -> Option<FoundPhrase> {
        if let Some((word, next)) = self.opening(at) {
            return self.opened_phrase(at, word, next);
        }
        match self.word(at) {
            word if is_word!(word, Other Number(..) Clock(_) Count(..) Article Couple Unit(..) The) => {
                self.distance(at)
                    .or_else(|| self.pair_after(at, Lead::NONE, at))
                    .or_else(|| self.lone(at))
            }
            word if is_word!(word, Function Except Verb Past Ahead Pronoun Determiner) => None,
            Word::AmbiguousDate => Some(FoundPhrase::unclear(at + 1)),
            Word::Every => self.every(at),
            Word::By => {
                let named = self.named(at + 1, Lead::by(Word::In))?;
                Some(FoundPhrase::unclear(named.end))
            }
            Word::From => self.from(at),
            Word::Between => self.between(at),
            Word::More | Word::Less => self.more_or_less(at),
            Word::Earlier | Word::Later => self.earlier(at),
            Word::During => self
                .led(at)
                .or_else(|| self.event_phrase(at, Word::During, at + 1)),
            word if is_word!(word, In On At Over Within Around ForeignLead) => self.led(at),
            _ => self
                .pair_after(at, Lead::NONE, at)
                .or_else(|| self.lone(at)),
        }
    }

    /// `since March`, `prior to the release`, `desde marzo hasta mayo`.
    fn opened_phrase(&self, at: usize, word: Word, next: usize) -> Option<FoundPhrase> {
        // "vor drei Tagen"
        if self.word(at) == Word::AgoBefore
            && let Some(found) = self.lone(at)
        {
            return Some(found);
        }
        if word == Word::Since
            && let Some(found) = self.pair_after(next, Lead::by(Word::Since), at)
        {
            return Some(found);
        }
        let found = self
            .open_ended(word, next)
            .or_else(|| self.event_phrase(at, word, next))
            // "after 3pm", without a day
            .or_else(|| Some(FoundPhrase::unclear(self.slice_at(next)?.1)))?;
        // "how long until Christmas" asks for a duration.
        if self.asks_how_long(at) {
            return Some(FoundPhrase::silent(found.end));
        }
        Some(found)
    }

    fn asks_how_long(&self, at: usize) -> bool {
        self.follows(at, "long soon")
    }

    pub(super) fn range(&self, range: &Civil) -> Option<Range<Timestamp>> {
        let range = self.instant_of(range.start)?..self.instant_of(range.end)?;
        (range.start < range.end).then_some(range)
    }

    pub(super) fn instant_of(&self, moment: DateTime) -> Option<Timestamp> {
        if moment == self.now {
            return Some(self.asked_at);
        }
        Some(moment.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    pub(super) fn found(range: Option<Range<Timestamp>>, end: usize) -> Option<FoundPhrase> {
        Some(FoundPhrase {
            end,
            when: Some(TimeMeaning::Range(
                range.filter(|range| range.start < range.end)?,
            )),
        })
    }

    pub(super) fn resolved(&self, named: &Named) -> Option<Civil> {
        named.resolve(self.today(), self.choice())
    }

    pub(super) fn range_of(&self, named: &Named) -> Option<Range<Timestamp>> {
        self.range(&self.resolved(named)?)
    }

    pub(super) fn lone(&self, at: usize) -> Option<FoundPhrase> {
        let named = self.named(at, Lead::NONE)?;
        Self::found(self.range_of(&named), named.end)
    }

    /// `every Monday`, `each March` are not times.
    fn every(&self, at: usize) -> Option<FoundPhrase> {
        is_word!(self.word(at + 1), Weekday(..) Month(..) Season(..) Holiday(_) Part(_) Weekend Unit(..))
            .then(|| FoundPhrase::silent(at + 2))
    }

    /// `in March`, `on the 12th`, `over the past week`, `around Christmas`, `in three days`.
    fn led(&self, at: usize) -> Option<FoundPhrase> {
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

    /// Another time with the same leading word: the second year of `in 2023 and 2024`, and the token at which it
    /// starts.
    pub(super) fn also(&self, lead: Word, at: usize) -> Option<(usize, FoundPhrase)> {
        if !matches!(lead, Word::In | Word::On | Word::During) || at == 0 {
            return None;
        }
        let listed = self.tokens[at - 1].comma && matches!(self.word(at), Word::Number(_, 4));
        let joined = !self.stops_before(at) && (self.word(at) == Word::And || self.says(at, "or"));
        let from = match (listed, joined) {
            (true, _) => at,
            (_, true) => at + 1,
            _ => return None,
        };
        let named = self.named(from, Lead::by(lead))?;
        let found = Self::found(self.range_of(&named), named.end)?;
        Some((from, found))
    }

    /// `at 3pm on Tuesday`, `at noon yesterday`.
    fn clock_of_day(&self, at: usize) -> Option<FoundPhrase> {
        let (slice, end) = self.slice_at(at)?;
        let on = usize::from(matches!(self.word(end), Word::On));
        self.slice_of_day(slice, end + on, Lead::by(Word::On))
    }

    /// A part of a day, or a time of day.
    pub(super) fn slice_at(&self, at: usize) -> Option<(Slice, usize)> {
        if let Word::Part(part) = self.word(at) {
            return Some((Slice::Part(part), at + 1));
        }
        let (time, end) = self.clock(at)?;
        Some((Slice::Clock(time), end))
    }

    pub(super) fn slice_of_day(&self, slice: Slice, at: usize, lead: Lead) -> Option<FoundPhrase> {
        if self.stops_before(at) {
            return None;
        }
        let named = self.named(at, lead).filter(|named| named.slice.is_none())?;
        let range = slice.of(&self.resolved(&named)?)?;
        Self::found(self.range(&range), named.end)
    }

    /// `in three days`, in a question about the future.
    fn in_so_long(&self, at: usize) -> Option<FoundPhrase> {
        let (low, high, unit_at) = self.count(at + 1)?;
        let Word::Unit(unit, _) = self.word(unit_at) else {
            return None;
        };
        if self.word(unit_at + 1) == Word::Ago || !self.ahead {
            return None;
        }
        Self::found(self.range(&self.distant(unit, low, high)?), unit_at + 1)
    }

    /// `from March to May`, `from Monday on`, `from last week`.
    pub(super) fn from(&self, at: usize) -> Option<FoundPhrase> {
        if let Some(found) = self.pair_after(at + 1, Lead::by(Word::From), at) {
            return Some(found);
        }
        let named = self.named(at + 1, Lead::by(Word::From))?;
        let range = self.range_of(&named)?;
        if !self.stops_before(named.end)
            && matches!(self.word(named.end), Word::Onwards | Word::On)
            && self.stops_before(named.end + 1)
        {
            return Self::found(Some(range.start..Timestamp::MAX), named.end + 1);
        }
        Self::found(Some(range), named.end)
    }

    fn between(&self, at: usize) -> Option<FoundPhrase> {
        self.pair_after(at + 1, Lead::by(Word::Between), at)
    }

    /// `more than a year ago`, `less than two weeks ago`.
    fn more_or_less(&self, at: usize) -> Option<FoundPhrase> {
        if self.word(at + 1) != Word::Than {
            return None;
        }
        let named = self.away(at + 2)?;
        let range = self.range_of(&named)?;
        let range = match self.word(at) {
            Word::More => Timestamp::MIN..range.end,
            _ => range.start..self.asked_at,
        };
        Self::found(Some(range), named.end)
    }

    /// `earlier this week`, `later today`.
    fn earlier(&self, at: usize) -> Option<FoundPhrase> {
        if self.stops_before(at + 1) {
            return None;
        }
        let in_the = usize::from(self.word(at + 1) == Word::In);
        let named = match self.word(at + 1 + in_the) {
            Word::Day(0) | Word::This => self.named(at + 1, Lead::NONE),
            _ => None,
        }?;
        let range = self.range_of(&named)?;
        let range = match self.word(at) {
            Word::Earlier => range.start..self.asked_at.min(range.end),
            _ => self.asked_at.max(range.start)..range.end,
        };
        Self::found(Some(range), named.end)
    }
}
