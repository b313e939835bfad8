//! The words of a question with its context, and the parser of named times.

use std::cell::Cell;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::point::{Choice, Civil, Point, Slice, Yearly, days};
use super::tokens::Token;
use super::vocabulary::{Part, Plural, Word};

pub(super) struct Reader<'q> {
    pub(super) tokens: Vec<Token<'q>>,
    pub(super) now: DateTime,
    pub(super) asked_at: Timestamp,
    pub(super) zone: &'q TimeZone,
    /// Whether the question is about the future.
    pub(super) ahead: bool,
    /// Whether the question is about the past.
    pub(super) past: bool,
    /// Whether `hier` is French for yesterday rather than German for here.
    pub(super) french: bool,
    /// Current nesting depth of names.
    pub(super) depth: Cell<u8>,
}

/// Maximum nesting depth of names (`the end of the first week of March`), which bounds the time of parsing.
const DEEPEST: u8 = 6;

/// The word before a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lead {
    /// [`Word::Other`] if there is no relevant word.
    pub(super) word: Word,
    pub(super) the: bool,
}

impl Lead {
    pub(super) const NONE: Self = Self::by(Word::Other);

    pub(super) const fn by(word: Word) -> Self {
        Self { word, the: false }
    }

    /// One end of a range: the other end confirms it.
    pub(super) const PAIR: Self = Self::by(Word::Between);
}

/// A parsed time with an optional part of it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) point: Point,
    pub(super) slice: Option<Slice>,
    /// The token after it.
    pub(super) end: usize,
}

impl Named {
    pub(super) fn new(point: Point, end: usize) -> Self {
        Self {
            point,
            slice: None,
            end,
        }
    }

    pub(super) fn fixed(range: Option<Civil>, end: usize) -> Option<Self> {
        Some(Self::new(Point::Fixed(range?), end))
    }

    pub(super) fn resolve(&self, day: Date, choice: Choice) -> Option<Civil> {
        let whole = self.point.resolve(day, choice)?;
        match self.slice {
            Some(slice) => slice.of(&whole),
            None => Some(whole),
        }
    }
}

impl Reader<'_> {
    pub(super) fn today(&self) -> Date {
        self.now.date()
    }

    pub(super) fn choice(&self) -> Choice {
        if self.ahead {
            Choice::Open
        } else {
            Choice::Begun
        }
    }

    /// The meaning of a word; [`Word::Other`] past the end.
    pub(super) fn word(&self, at: usize) -> Word {
        self.tokens.get(at).map_or(Word::Other, |token| token.word)
    }

    pub(super) fn capital(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_capitalised)
    }

    /// Whether a token is this word, ignoring case.
    pub(super) fn says(&self, at: usize, word: &str) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| token.text.eq_ignore_ascii_case(word))
    }

    /// Whether one of these words precedes a token.
    pub(super) fn follows(&self, at: usize, words: &str) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.tokens[before].is_one_of(words))
    }

    pub(super) fn before(&self, at: usize) -> Word {
        at.checked_sub(1)
            .map_or(Word::Function, |before| self.word(before))
    }

    /// The lead of this word, with an article if one follows, and the token after both.
    pub(super) fn lead(&self, word: Word, at: usize) -> (Lead, usize) {
        let the = self.word(at) == Word::The;
        (Lead { word, the }, at + usize::from(the))
    }

    /// Whether a clause ends before a token.
    pub(super) fn stops_before(&self, at: usize) -> bool {
        at >= self.tokens.len() || at.checked_sub(1).is_some_and(|last| self.tokens[last].stop)
    }

    /// Whether the name before a token is the first part of a compound: `the summer house`.
    pub(super) fn goes_on(&self, at: usize) -> bool {
        !self.stops_before(at) && is_word!(self.word(at), Other Weekend Unit(..) Number(..))
    }

    /// The same in other languages, where a verb often follows: `am Wochenende abgestürzt`.
    pub(super) fn is_compound(&self, at: usize) -> bool {
        self.goes_on(at) && (self.capital(at) || self.word(at) != Word::Other)
    }

    /// Whether the token makes the number before it a count: `2024 rows`.
    pub(super) fn counts(&self, at: usize) -> bool {
        if self.stops_before(at) {
            return false;
        }
        let Some(token) = self.tokens.get(at) else {
            return false;
        };
        match token.word {
            Word::Other => {
                !token.text.starts_with(char::is_alphanumeric)
                    || (!token.is_capitalised()
                        && token.text.ends_with('s')
                        && !token.text.ends_with("ss"))
            }
            Word::Unit(..) | Word::Meridiem(_) | Word::Number(..) => true,
            _ => false,
        }
    }

    /// A named time, with the part of it if stated.
    pub(super) fn named(&self, at: usize, lead: Lead) -> Option<Named> {
        if at >= self.tokens.len() {
            return None;
        }
        let mut named = self.plain(at, lead)?;
        if named.slice.is_none() && !self.stops_hard(named.end) {
            self.narrow(&mut named);
        }
        Some(named)
    }

    /// Whether more than a comma precedes a token.
    pub(super) fn stops_hard(&self, at: usize) -> bool {
        self.stops_before(at)
            && at
                .checked_sub(1)
                .is_none_or(|last| at >= self.tokens.len() || !self.tokens[last].comma)
    }

    fn plain(&self, at: usize, lead: Lead) -> Option<Named> {
        if self.depth.get() == DEEPEST {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let named = self.by_first_word(at, lead);
        self.depth.set(self.depth.get() - 1);
        named
    }

    fn by_first_word(&self, at: usize, lead: Lead) -> Option<Named> {
        match self.word(at) {
            Word::The | Word::ForeignLead if lead.word != Word::The => {
                let the = self.word(at) == Word::The || lead.the;
                let word = match lead.word {
                    Word::Other if self.word(at) == Word::ForeignLead => Word::ForeignLead,
                    word => word,
                };
                if lead.the && self.word(at) == Word::The {
                    return None;
                }
                self.plain(at + 1, Lead { word, the })
            }
            Word::Day(offset) => self.day_word(at, offset),
            Word::Hier if self.french || self.follows_french(at) => self.day_word(at, -1),
            Word::Morgen if lead == Lead::NONE && self.is_tomorrow(at) => self.day_word(at, 1),
            Word::Tonight => {
                let today = days(self.today(), 1.day())?;
                Named::fixed(Slice::Part(Part::Night).of(&today), at + 1)
            }
            Word::Last | Word::Rolling | Word::This | Word::Next => {
                self.nth(at, lead).or_else(|| self.relative(at, lead))
            }
            Word::Ordinal(_) | Word::OrdinalDigits(_) => {
                self.nth(at, lead).or_else(|| self.day_of_month(at, lead))
            }
            Word::Early | Word::Mid | Word::Late | Word::Beginning | Word::Middle | Word::End => {
                self.third(at)
            }
            Word::Month(month, trust) => self.month(at, month, trust, lead),
            Word::Weekday(..) => self.weekday(at, lead),
            Word::Season(season, trust) => self.season(at, season, trust, lead),
            Word::Quarter(quarter) => self.yearly(at, Yearly::Quarter(quarter), lead, true),
            Word::HalfYear(half) => self.yearly(at, Yearly::Half(half), Lead::NONE, false),
            Word::QuarterOfYear(year, quarter) => {
                Named::fixed(Yearly::Quarter(quarter).of_year(year), at + 1)
            }
            Word::Holiday(_) | Word::HolidayFront => self.holiday(at, lead),
            Word::Date(date) => Named::fixed(days(date, 1.day()), at + 1),
            Word::Instant => self.instant(at),
            Word::YearMonth(year, month) if lead.word != Word::Other => {
                Named::fixed(Yearly::Month(month).of_year(year), at + 1)
            }
            Word::Decade(year) if lead.the || year >= 1000 && lead.word == Word::In => {
                Named::fixed(days(Date::new(year, 1, 1).ok()?, 10.years()), at + 1)
            }
            Word::Number(..) => self
                .day_of_month(at, lead)
                .or_else(|| self.led_year(at, lead))
                .or_else(|| self.away(at)),
            Word::Count(..) | Word::Article | Word::Couple | Word::AgoBefore => self.away(at),
            Word::Half => self.half_ago(at),
            Word::Weekend
                if lead.the
                    && is_word!(lead.word, Over At On During Since Before After)
                    && !self.goes_on(at + 1) =>
            {
                Some(Named::new(Point::Weekend, at + 1))
            }
            Word::Weekend if self.word(at + 1) == Word::LastAfter => {
                Named::fixed(Point::Weekend.resolve(self.today(), Choice::Over), at + 2)
            }
            Word::Weekend
                if self.before(at) == Word::ForeignLead
                    && is_word!(lead.word, ForeignLead Over During Since Until Before After)
                    && !self.is_compound(at + 1) =>
            {
                Some(Named::new(Point::Weekend, at + 1))
            }
            Word::Unit(unit, Plural::One | Plural::Same) => self
                .week_number(at, unit, lead)
                .or_else(|| self.unit_that_holds(at, unit))
                .or_else(|| self.unit_last(at, unit)),
            Word::Other => self.il_y_a(at),
            _ => None,
        }
    }

    /// Whether the word before `hier` is French.
    fn follows_french(&self, at: usize) -> bool {
        self.follows(
            at,
            "d' d’ jusqu' jusqu’ jusqu'à jusqu’à depuis dès avant après",
        )
    }

    /// `morgen` as tomorrow, not `am Morgen`, `guten Morgen`, `por la mañana`.
    fn is_tomorrow(&self, at: usize) -> bool {
        !self.capital(at) && self.before(at) != Word::ForeignLead && !self.follows(at, "por")
    }

    fn day_word(&self, at: usize, offset: i8) -> Option<Named> {
        // Titles such as "USA Today" or the song "Yesterday".
        let title = at > 0 && self.capital(at) && !self.tokens[at - 1].stop;
        if title
            && self.tokens[at].text.is_ascii()
            && matches!(offset, -1..=1)
            && !self.foreign_day(at)
        {
            return None;
        }
        let day = self.today().checked_add(i64::from(offset).days()).ok()?;
        Named::fixed(days(day, 1.day()), at + 1)
    }

    fn foreign_day(&self, at: usize) -> bool {
        !self.tokens[at].is_one_of("today yesterday tomorrow")
    }

    /// Adds the part of a day, or the hour, that follows a name.
    fn narrow(&self, named: &mut Named) {
        let at = named.end;
        let (slice, end) = match self.word(at) {
            Word::Part(part) if matches!(named.point, Point::Fixed(_)) || !self.goes_on(at + 1) => {
                (Slice::Part(part), at + 1)
            }
            Word::Morgen => (Slice::Part(Part::Morning), at + 1),
            Word::Between | Word::From => match self.hours(at + 1) {
                Some((from, until, end)) => (Slice::Hours(from, until), end),
                None => return,
            },
            // "gestern um 15 Uhr"
            Word::Other if self.says(at, "um") => match self.clock(at + 1) {
                Some((time, end)) => (Slice::Clock(time), end),
                None => return,
            },
            Word::In | Word::At => {
                let the = usize::from(self.word(at + 1) == Word::The);
                match (self.word(at + 1 + the), self.clock(at + 1)) {
                    (Word::Part(part), _) => (Slice::Part(part), at + 2 + the),
                    (_, Some((time, end))) => (Slice::Clock(time), end),
                    _ => return,
                }
            }
            _ => match self.clock(at) {
                Some((time, end)) => (Slice::Clock(time), end),
                None => return,
            },
        };
        let fits = named
            .point
            .resolve(self.today(), self.choice())
            .is_some_and(|range| slice.of(&range).is_some());
        if fits {
            named.slice = Some(slice);
            named.end = end;
        }
    }

    /// `3pm`, `14:30`, `3 pm`, `2:30 PM`.
    pub(super) fn clock(&self, at: usize) -> Option<(Time, usize)> {
        let (hour, minute) = match self.word(at) {
            Word::Number(hour @ 0..=23, 1..=2) if self.says(at + 1, "uhr") => {
                return Some((Time::new(hour as i8, 0, 0, 0).ok()?, at + 2));
            }
            Word::Clock(time) => (time.hour(), time.minute()),
            Word::Number(hour @ 1..=12, _) => (hour as i8, 0),
            _ => return None,
        };
        if let Some(afternoon) = self.afternoon(at + 1).filter(|_| hour <= 12) {
            let hour = hour % 12 + if afternoon { 12 } else { 0 };
            return Some((Time::new(hour, minute, 0, 0).ok()?, at + 2));
        }
        match self.word(at) {
            Word::Clock(time) => Some((time, at + 1 + usize::from(self.says(at + 1, "uhr")))),
            _ => None,
        }
    }

    /// Whether a token is `am` or `pm`, and which.
    fn afternoon(&self, at: usize) -> Option<bool> {
        let token = self.tokens.get(at)?;
        match token.word {
            Word::Meridiem(afternoon) => Some(afternoon),
            // `am` is also a German preposition.
            Word::ForeignLead if token.text.eq_ignore_ascii_case("am") => Some(false),
            _ => None,
        }
    }

    fn instant(&self, at: usize) -> Option<Named> {
        let text = self.tokens[at].text;
        let moment = match text.parse::<Timestamp>() {
            Ok(instant) => instant.to_zoned(self.zone.clone()).datetime(),
            Err(_) => text.parse().ok()?,
        };
        Named::fixed(Some(moment..moment.checked_add(1.hour()).ok()?), at + 1)
    }
}
