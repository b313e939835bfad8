//! A question's words with what is known of the asker, and the reading of names of times.

use std::cell::Cell;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::super::names::Unit;
use super::point::{Choice, Civil, Point, Slice, Yearly, days};
use super::tokens::Token;
use super::vocabulary::{Holiday, Plural, Season, Trust, Word};

pub(super) struct Reader<'q> {
    pub(super) tokens: Vec<Token<'q>>,
    pub(super) now: jiff::civil::DateTime,
    pub(super) asked_at: Timestamp,
    pub(super) zone: &'q TimeZone,
    /// The question asks for what is to come.
    pub(super) ahead: bool,
    /// The question asks for what has been.
    pub(super) past: bool,
    /// `hier` is French for yesterday, not German for here.
    pub(super) french: bool,
    /// How many names are being read within each other.
    pub(super) depth: Cell<u8>,
}

/// Names within names (`the end of the first week of March`) are followed no deeper, so that no text
/// can make reading long.
const DEEPEST: u8 = 6;

/// What stands before a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lead {
    /// [`Word::Other`] where nothing that counts does.
    pub(super) word: Word,
    pub(super) the: bool,
}

impl Lead {
    pub(super) const NONE: Self = Self::by(Word::Other);

    pub(super) const fn by(word: Word) -> Self {
        Self { word, the: false }
    }

    /// One end of a range: the other end vouches for this one.
    pub(super) const PAIR: Self = Self::by(Word::Between);
}

/// A time as it was read, and the part of it that is meant.
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

    /// What a word says; [`Word::Other`] past the end.
    pub(super) fn word(&self, at: usize) -> Word {
        self.tokens.get(at).map_or(Word::Other, |token| token.word)
    }

    pub(super) fn capital(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_capitalised)
    }

    fn before(&self, at: usize) -> Word {
        at.checked_sub(1)
            .map_or(Word::Function, |before| self.word(before))
    }

    /// Whether a clause ends before a token.
    pub(super) fn stops_before(&self, at: usize) -> bool {
        at >= self.tokens.len() || at.checked_sub(1).is_some_and(|last| self.tokens[last].stop)
    }

    /// Whether what ends before a token goes on as the front of a compound: `the summer house`.
    pub(super) fn goes_on(&self, at: usize) -> bool {
        !self.stops_before(at)
            && (matches!(self.word(at), Word::Other | Word::Weekend | Word::Unit(..))
                || matches!(self.word(at), Word::Number(..)))
    }

    /// Whether a number before a token counts what comes: `2024 rows`.
    fn counts(&self, at: usize) -> bool {
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

    /// A time by its name, with the part of it that is told.
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

    /// Whether more than a comma stands before a token.
    fn stops_hard(&self, at: usize) -> bool {
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
            Word::Hier if self.french => self.day_word(at, -1),
            Word::Morgen if lead == Lead::NONE && self.is_tomorrow(at) => self.day_word(at, 1),
            Word::Tonight => {
                let today = days(self.today(), 1.day())?;
                Named::fixed(
                    Slice::Part(super::vocabulary::Part::Night).of(&today),
                    at + 1,
                )
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
                    && matches!(
                        lead.word,
                        Word::Over
                            | Word::At
                            | Word::On
                            | Word::During
                            | Word::Since
                            | Word::Before
                            | Word::After
                    )
                    && !self.goes_on(at + 1) =>
            {
                Some(Named::new(Point::Weekend, at + 1))
            }
            Word::Weekend if lead.word == Word::ForeignLead && !self.goes_on(at + 1) => {
                Some(Named::new(Point::Weekend, at + 1))
            }
            Word::Unit(unit, Plural::One) => self
                .unit_that_holds(at, unit)
                .or_else(|| self.unit_last(at, unit)),
            Word::Other => self.il_y_a(at),
            _ => None,
        }
    }

    /// `morgen`, not `am Morgen`, `guten Morgen`, `por la mañana`.
    fn is_tomorrow(&self, at: usize) -> bool {
        !self.capital(at)
            && at.checked_sub(1).is_none_or(|before| {
                self.word(before) != Word::ForeignLead
                    && !self.tokens[before].text.eq_ignore_ascii_case("por")
            })
    }

    fn day_word(&self, at: usize, offset: i8) -> Option<Named> {
        // "USA Today", the song "Yesterday".
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
        !["today", "yesterday", "tomorrow"]
            .iter()
            .any(|day| self.tokens[at].text.eq_ignore_ascii_case(day))
    }

    /// The part of a day, or the hour, that follows its name.
    fn narrow(&self, named: &mut Named) {
        let at = named.end;
        let (slice, end) = match self.word(at) {
            Word::Part(part) if matches!(named.point, Point::Fixed(_)) || !self.goes_on(at + 1) => {
                (Slice::Part(part), at + 1)
            }
            Word::Morgen => (Slice::Part(super::vocabulary::Part::Morning), at + 1),
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

    /// `3pm`, `14:30`, `3 pm`.
    pub(super) fn clock(&self, at: usize) -> Option<(jiff::civil::Time, usize)> {
        match (self.word(at), self.word(at + 1)) {
            (Word::Clock(time), Word::Meridiem(afternoon)) if time.hour() <= 12 => {
                let hour = time.hour() % 12 + if afternoon { 12 } else { 0 };
                let time = jiff::civil::Time::new(hour, time.minute(), 0, 0).ok()?;
                Some((time, at + 2))
            }
            (Word::Clock(time), _) => Some((time, at + 1)),
            (Word::Number(hour @ 1..=12, _), Word::Meridiem(afternoon)) => {
                let hour = hour as i8 % 12 + if afternoon { 12 } else { 0 };
                Some((jiff::civil::Time::new(hour, 0, 0, 0).ok()?, at + 2))
            }
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

    /// A year beside a name: `2024`, `, 2024`, `of 2024`, `last year`, `of last year`.
    pub(super) fn year_beside(&self, at: usize) -> Option<(i16, usize)> {
        if self.stops_hard(at) {
            return None;
        }
        let of = usize::from(matches!(self.word(at), Word::Of | Word::ForeignLead));
        match self.word(at + of) {
            Word::Number(year @ 1900..=2099, 4) if !self.counts(at + of + 1) => {
                Some((year as i16, at + of + 1))
            }
            Word::Last | Word::This | Word::Next
                if matches!(self.word(at + of + 1), Word::Unit(Unit::Year, Plural::One)) =>
            {
                let shift = match self.word(at + of) {
                    Word::Last => -1,
                    Word::Next => 1,
                    _ => 0,
                };
                Some((self.today().year() + shift, at + of + 2))
            }
            _ => None,
        }
    }

    fn led_year(&self, at: usize, lead: Lead) -> Option<Named> {
        let led = matches!(
            lead.word,
            Word::In
                | Word::During
                | Word::Since
                | Word::Before
                | Word::After
                | Word::Until
                | Word::From
                | Word::Between
                | Word::Of
                | Word::Around
                | Word::Over
                | Word::Early
                | Word::Mid
                | Word::Late
                | Word::Through
                | Word::ForeignLead
                | Word::To
        );
        match self.word(at) {
            Word::Number(year @ 1900..=2099, 4) if led && !lead.the && !self.counts(at + 1) => {
                let first = Date::new(year as i16, 1, 1).ok()?;
                Named::fixed(days(first, 1.year()), at + 1)
            }
            _ => None,
        }
    }

    /// What comes every year, where its name stands for it.
    fn yearly(&self, at: usize, name: Yearly, lead: Lead, alone: bool) -> Option<Named> {
        let end = at + 1;
        if let Some((year, end)) = self.year_beside(end) {
            return Some(Named::new(Point::Yearly(name, Some(year)), end));
        }
        let led = matches!(
            lead.word,
            Word::In
                | Word::During
                | Word::Since
                | Word::Before
                | Word::After
                | Word::Until
                | Word::Between
                | Word::From
                | Word::Early
                | Word::Mid
                | Word::Late
                | Word::Of
                | Word::Over
                | Word::ForeignLead
        );
        (alone && led && !self.goes_on(end) && self.word(end) != Word::Of)
            .then(|| Named::new(Point::Yearly(name, None), end))
    }

    fn month(&self, at: usize, month: i8, trust: Trust, lead: Lead) -> Option<Named> {
        let lower_may = trust == Trust::Common && !self.capital(at);
        if !self.stops_hard(at + 1)
            && let Some(day) = self.number_of_day(at + 1)
        {
            let counts = self.counts(at + 2) || (lower_may && month == 5 && self.goes_on(at + 2));
            let beside = self.year_beside(at + 2);
            if !counts || beside.is_some() {
                let (year, end) = beside.map_or((None, at + 2), |(year, end)| (Some(year), end));
                Date::new(year.unwrap_or(2024), month, day).ok()?;
                return Some(Named::new(
                    Point::Yearly(Yearly::Day(month, day), year),
                    end,
                ));
            }
        }
        let name = Yearly::Month(month);
        if let Some((year, end)) = self.year_beside(at + 1) {
            return Some(Named::new(Point::Yearly(name, Some(year)), end));
        }
        self.is_month(at, month, trust, lead)
            .then(|| Named::new(Point::Yearly(name, None), at + 1))
    }

    fn is_month(&self, at: usize, month: i8, trust: Trust, lead: Lead) -> bool {
        let capital = self.capital(at);
        let ends = self.stops_before(at + 1) || !matches!(self.word(at + 1), Word::Other);
        let firm = matches!(
            lead.word,
            Word::In
                | Word::During
                | Word::Since
                | Word::Until
                | Word::Through
                | Word::Around
                | Word::Early
                | Word::Mid
                | Word::Late
                | Word::Between
        );
        let loose = matches!(
            lead.word,
            Word::Of | Word::Last | Word::Next | Word::This | Word::Before | Word::After
        );
        match trust {
            Trust::Sure => true,
            Trust::Name => firm || (loose && ends),
            Trust::Common if lead.the => false,
            Trust::Common if capital => {
                firm || (loose && ends) || (month == 3 && lead.word == Word::From)
            }
            Trust::Common if month == 5 => firm && ends,
            Trust::Common => firm || matches!(lead.word, Word::Last | Word::Next),
            Trust::Short => firm || loose || (capital && lead.word == Word::From),
            Trust::RiskyShort => (capital || (self.past && ends)) && (firm || loose),
            Trust::Foreign => firm || lead.word == Word::ForeignLead || lead.word == Word::Last,
        }
    }

    fn number_of_day(&self, at: usize) -> Option<i8> {
        match self.word(at) {
            Word::Number(day @ 1..=31, 1..=2) => Some(day as i8),
            Word::OrdinalDigits(day) => Some(day as i8),
            _ => None,
        }
    }

    /// `12 March`, `the 12th of March`, `on the 12th`.
    fn day_of_month(&self, at: usize, lead: Lead) -> Option<Named> {
        let day = self.number_of_day(at).or(match self.word(at) {
            Word::Ordinal(day) => Some(day as i8),
            _ => None,
        })?;
        let of = usize::from(matches!(self.word(at + 1), Word::Of | Word::ForeignLead));
        if let Word::Month(month, trust) = self.word(at + 1 + of) {
            let certain = of == 1
                || trust != Trust::Common
                || self.capital(at + 1)
                || matches!(
                    lead.word,
                    Word::On
                        | Word::Since
                        | Word::Before
                        | Word::After
                        | Word::Until
                        | Word::From
                        | Word::Between
                );
            Date::new(2024, month, day).ok()?;
            let end = at + 2 + of;
            let (year, end) = self
                .year_beside(end)
                .map_or((None, end), |(year, end)| (Some(year), end));
            return (certain || year.is_some())
                .then(|| Named::new(Point::Yearly(Yearly::Day(month, day), year), end));
        }
        let stands = matches!(self.word(at), Word::OrdinalDigits(_))
            && lead.the
            && matches!(
                lead.word,
                Word::On | Word::Since | Word::Before | Word::After | Word::Until | Word::Between
            );
        (stands && !self.goes_on(at + 1) && self.word(at + 1) != Word::Of)
            .then(|| Named::new(Point::DayOfMonth(day), at + 1))
    }

    /// A weekday, with the week or the date beside it.
    fn weekday(&self, at: usize, lead: Lead) -> Option<Named> {
        const BEFORE: [&str; 6] = ["black", "good", "ash", "cyber", "super", "casual"];
        let Word::Weekday(day, trust) = self.word(at) else {
            return None;
        };
        let colour = at.checked_sub(1).is_some_and(|before| {
            BEFORE
                .iter()
                .any(|word| self.tokens[before].text.eq_ignore_ascii_case(word))
        });
        if colour {
            return None;
        }
        if !self.stops_hard(at + 1) {
            let the = usize::from(self.word(at + 1) == Word::The);
            if let Some(date) = self
                .day_of_month(at + 1 + the, Lead::by(Word::On))
                .or_else(|| match self.word(at + 1) {
                    Word::Month(month, trust) => self
                        .month(at + 1, month, trust, Lead::NONE)
                        .filter(|named| matches!(named.point, Point::Yearly(Yearly::Day(..), _))),
                    Word::Date(date) => {
                        Some(Named::new(Point::Fixed(days(date, 1.day())?), at + 2))
                    }
                    _ => None,
                })
            {
                return Some(date);
            }
            let of = usize::from(matches!(self.word(at + 1), Word::Of));
            if matches!(self.word(at + 2 + of), Word::Unit(Unit::Week, Plural::One))
                && let Some(shift) = self.shift(at + 1 + of)
            {
                return Named::fixed(self.day_of_week(day, shift), at + 3 + of);
            }
            if self.word(at + 1) == Word::LastAfter {
                let named = Point::Weekday(day).resolve(self.today(), Choice::Over);
                return Named::fixed(named, at + 2);
            }
        }
        let led = matches!(
            lead.word,
            Word::On
                | Word::Since
                | Word::Until
                | Word::Before
                | Word::After
                | Word::From
                | Word::Between
                | Word::Of
                | Word::During
                | Word::ForeignLead
                | Word::Last
        ) && !lead.the | (lead.word == Word::ForeignLead);
        let adverb = !self.goes_on(at + 1)
            && !matches!(
                self.before(at),
                Word::The | Word::Determiner | Word::Article | Word::Of
            );
        let owns = self.tokens[at].text.ends_with("'s") || self.tokens[at].text.ends_with("’s");
        let is_day = match trust {
            Trust::Sure if owns => true,
            Trust::Sure | Trust::Foreign => led || (adverb && !lead.the),
            Trust::Short => led,
            _ => led && self.capital(at) && !self.goes_on(at + 1),
        };
        is_day.then(|| Named::new(Point::Weekday(day), at + 1))
    }

    /// A weekday of the week so many after this one, Monday first.
    pub(super) fn day_of_week(&self, day: jiff::civil::Weekday, shift: i64) -> Option<Civil> {
        let monday = Unit::Week.first_day(self.today()).ok()?;
        let offset = i64::from(day.to_monday_zero_offset()) + shift * 7;
        days(monday.checked_add(offset.days()).ok()?, 1.day())
    }

    pub(super) fn shift(&self, at: usize) -> Option<i64> {
        match self.word(at) {
            Word::Last => Some(-1),
            Word::This => Some(0),
            Word::Next => Some(1),
            _ => None,
        }
    }

    fn season(&self, at: usize, season: Season, trust: Trust, lead: Lead) -> Option<Named> {
        let name = Yearly::Season(season);
        if let Some((year, end)) = self.year_beside(at + 1) {
            return Some(Named::new(Point::Yearly(name, Some(year)), end));
        }
        if self.word(at + 1) == Word::LastAfter {
            let over = Point::Yearly(name, None).resolve(self.today(), Choice::Over);
            return Named::fixed(over, at + 2);
        }
        let the = lead.the
            && matches!(
                lead.word,
                Word::In
                    | Word::During
                    | Word::Over
                    | Word::Since
                    | Word::Before
                    | Word::After
                    | Word::Until
                    | Word::From
                    | Word::Of
            );
        let firm = matches!(
            lead.word,
            Word::Since
                | Word::Until
                | Word::Before
                | Word::After
                | Word::Early
                | Word::Mid
                | Word::Late
                | Word::Between
        );
        let led = match trust {
            Trust::Foreign => matches!(lead.word, Word::ForeignLead | Word::Since) && !lead.the,
            Trust::Common => the || (firm && season == Season::Spring && !self.capital(at)),
            _ => the || firm,
        };
        (led && !self.goes_on(at + 1) && self.word(at + 1) != Word::Of)
            .then(|| Named::new(Point::Yearly(name, None), at + 1))
    }

    /// `Christmas`, `Christmas Eve`, `New Year's Day`, `Valentine's Day`.
    pub(super) fn holiday_at(&self, at: usize) -> Option<(Holiday, usize)> {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
        let eve = |at: usize| text(at).eq_ignore_ascii_case("eve");
        let day = |at: usize| matches!(self.word(at), Word::Unit(Unit::Day, Plural::One));
        match self.word(at) {
            Word::Holiday(Holiday::Christmas) if eve(at + 1) => {
                Some((Holiday::ChristmasEve, at + 2))
            }
            Word::Holiday(holiday) => Some((holiday, at + 1 + usize::from(day(at + 1)))),
            Word::HolidayFront if text(at).eq_ignore_ascii_case("new") => {
                let year = text(at + 1);
                let owned = year.len() > 4
                    && matches!(self.word(at + 1), Word::Unit(Unit::Year, _))
                    && self.capital(at);
                match (owned, eve(at + 2)) {
                    (true, true) => Some((Holiday::NewYearsEve, at + 3)),
                    (true, false) => Some((Holiday::NewYear, at + 2 + usize::from(day(at + 2)))),
                    _ => None,
                }
            }
            Word::HolidayFront if day(at + 1) => Some((Holiday::Valentine, at + 2)),
            _ => None,
        }
    }

    fn holiday(&self, at: usize, lead: Lead) -> Option<Named> {
        let (holiday, end) = self.holiday_at(at)?;
        let name = Yearly::Holiday(holiday);
        if let Some((year, end)) = self.year_beside(end) {
            return Some(Named::new(Point::Yearly(name, Some(year)), end));
        }
        let led = !matches!(lead.word, Word::Other | Word::By | Word::From) && !lead.the;
        (led && !self.goes_on(end)).then(|| Named::new(Point::Yearly(name, None), end))
    }
}
