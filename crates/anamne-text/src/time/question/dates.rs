//! Names of years, months, days, weekdays, seasons and holidays.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::super::names::Unit;
use super::point::{Choice, Civil, Point, Yearly, calendar_unit, days};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::{Holiday, Plural, Season, Trust, Word};

impl Reader<'_> {
    /// A year after a name: `2024`, `, 2024`, `of 2024`, `last year`, `of last year`.
    pub(super) fn year_beside(&self, at: usize) -> Option<(i16, usize)> {
        if self.stops_hard(at) {
            return None;
        }
        let of = usize::from(matches!(self.word(at), Word::Of | Word::ForeignLead));
        match self.word(at + of) {
            Word::Number(year @ 1500..=2099, 4) if !self.counts(at + of + 1) => {
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

    pub(super) fn led_year(&self, at: usize, lead: Lead) -> Option<Named> {
        let led = is_word!(
            lead.word, In During Since Before After Until From Between Of Around Over Early Mid Late
            Through ForeignLead To
        );
        // After other words, such numbers are rarely years.
        let long_ago = is_word!(lead.word, In During Since Before After Until Between)
            || self.follows(at, "en");
        let first_year = if long_ago { 1500 } else { 1900 };
        match self.word(at) {
            Word::Number(year @ 1500..=2099, 4)
                if led && year >= first_year && !lead.the && !self.counts(at + 1) =>
            {
                let first = Date::new(year as i16, 1, 1).ok()?;
                Named::fixed(days(first, 1.year()), at + 1)
            }
            _ => None,
        }
    }

    /// `in week 12`, `week 12 of 2025`, `KW 12`: a week by its ISO number.
    pub(super) fn week_number(&self, at: usize, unit: Unit, lead: Lead) -> Option<Named> {
        let Word::Number(week @ 1..=53, 1..=2) = self.word(at + 1) else {
            return None;
        };
        if unit != Unit::Week || self.stops_before(at + 1) {
            return None;
        }
        let end = at + 2;
        let led = is_word!(
            lead.word, In During Since Before After Until Between From Of ForeignLead
        ) || self.says(at, "kw");
        let alone = led && !lead.the && !self.counts(end) && self.word(end) != Word::Of;
        self.of_year_beside(Yearly::Week(week as i8), end, alone)
    }

    /// A yearly name, where it is used as a time.
    pub(super) fn yearly(&self, at: usize, name: Yearly, lead: Lead, alone: bool) -> Option<Named> {
        let end = at + 1;
        let led = is_word!(
            lead.word, In During Since Before After Until Between From Early Mid Late Of Over
            ForeignLead
        );
        let alone = alone && led && !self.goes_on(end) && self.word(end) != Word::Of;
        self.of_year_beside(name, end, alone)
    }

    /// A yearly name with the year after it; without a year only if it can stand `alone`.
    pub(super) fn of_year_beside(&self, name: Yearly, end: usize, alone: bool) -> Option<Named> {
        match self.year_beside(end) {
            Some((year, end)) => Some(Named::new(Point::Yearly(name, Some(year)), end)),
            None => alone.then(|| Named::new(Point::Yearly(name, None), end)),
        }
    }

    pub(super) fn month(&self, at: usize, month: i8, trust: Trust, lead: Lead) -> Option<Named> {
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
        let alone = self.is_month(at, month, trust, lead);
        self.of_year_beside(Yearly::Month(month), at + 1, alone)
    }

    fn is_month(&self, at: usize, month: i8, trust: Trust, lead: Lead) -> bool {
        let capital = self.capital(at);
        let ends = self.stops_before(at + 1) || !matches!(self.word(at + 1), Word::Other);
        let firm = is_word!(lead.word, In During Since Until Through Around Early Mid Late Between);
        let loose = is_word!(lead.word, Of Last Next This Before After);
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
            Trust::Foreign => {
                let open = is_word!(lead.word, Before After) && !self.follows(at, "before after");
                firm || open || is_word!(lead.word, ForeignLead Last)
            }
        }
    }

    pub(super) fn number_of_day(&self, at: usize) -> Option<i8> {
        match self.word(at) {
            Word::Number(day @ 1..=31, 1..=2) => Some(day as i8),
            Word::OrdinalDigits(day) => Some(day as i8),
            _ => None,
        }
    }

    /// `12 March`, `the 12th of March`, `on the 12th`.
    pub(super) fn day_of_month(&self, at: usize, lead: Lead) -> Option<Named> {
        let day = self.number_of_day(at).or(match self.word(at) {
            Word::Ordinal(day) => Some(day as i8),
            _ => None,
        })?;
        let of = usize::from(matches!(self.word(at + 1), Word::Of | Word::ForeignLead));
        if let Word::Month(month, trust) = self.word(at + 1 + of) {
            let certain = of == 1
                || trust != Trust::Common
                || self.capital(at + 1)
                || is_word!(lead.word, On Since Before After Until From Between);
            Date::new(2024, month, day).ok()?;
            let end = at + 2 + of;
            let (year, end) = self
                .year_beside(end)
                .map_or((None, end), |(year, end)| (Some(year), end));
            return (certain || year.is_some())
                .then(|| Named::new(Point::Yearly(Yearly::Day(month, day), year), end));
        }
        // "the 5th of last month"
        if of == 1
            && matches!(self.word(at + 3), Word::Unit(Unit::Month, Plural::One))
            && let Some(shift) = self.shift(at + 2)
        {
            let month = calendar_unit(Unit::Month, self.today(), shift)?.start;
            let date = Date::new(month.year(), month.month(), day).ok()?;
            return Named::fixed(days(date, 1.day()), at + 4);
        }
        let stands = matches!(self.word(at), Word::OrdinalDigits(_))
            && lead.the
            && is_word!(lead.word, On Since Before After Until Between);
        (stands && !self.goes_on(at + 1) && self.word(at + 1) != Word::Of)
            .then(|| Named::new(Point::DayOfMonth(day), at + 1))
    }

    /// A weekday, with the week or the date after it.
    pub(super) fn weekday(&self, at: usize, lead: Lead) -> Option<Named> {
        let Word::Weekday(day, trust) = self.word(at) else {
            return None;
        };
        if self.follows(at, "black good ash cyber super casual") {
            return None;
        }
        if !self.stops_hard(at + 1) {
            let the = usize::from(is_word!(self.word(at + 1), The ForeignLead));
            let on = Lead {
                word: Word::On,
                the: self.word(at + 1) == Word::The,
            };
            if let Some(date) =
                self.day_of_month(at + 1 + the, on)
                    .or_else(|| match self.word(at + 1) {
                        Word::Month(month, trust) => self
                            .month(at + 1, month, trust, Lead::NONE)
                            .filter(|named| {
                                matches!(named.point, Point::Yearly(Yearly::Day(..), _))
                            }),
                        Word::Date(date) => {
                            Some(Named::new(Point::Fixed(days(date, 1.day())?), at + 2))
                        }
                        _ => None,
                    })
            {
                let point = match date.point {
                    Point::DayOfMonth(number) => Point::WeekdayTheNth(day, number),
                    point => point,
                };
                return Some(Named { point, ..date });
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
        let led = is_word!(
            lead.word, On Since Until Before After From Between Of During ForeignLead Last
        ) && (!lead.the || lead.word == Word::ForeignLead);
        let adverb = !self.goes_on(at + 1) && !is_word!(self.before(at), The Determiner Article Of);
        let owns = self.tokens[at].text.ends_with("'s") || self.tokens[at].text.ends_with("’s");
        let is_day = match trust {
            Trust::Sure if owns => true,
            Trust::Sure | Trust::Foreign => led || (adverb && !lead.the),
            Trust::Short => led,
            _ => led && self.capital(at) && !self.goes_on(at + 1),
        };
        is_day.then(|| Named::new(Point::Weekday(day), at + 1))
    }

    /// A weekday of a week, `shift` weeks from this one, Monday first.
    pub(super) fn day_of_week(&self, day: Weekday, shift: i64) -> Option<Civil> {
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

    pub(super) fn season(
        &self,
        at: usize,
        season: Season,
        trust: Trust,
        lead: Lead,
    ) -> Option<Named> {
        let name = Yearly::Season(season);
        if self.word(at + 1) == Word::LastAfter {
            let over = Point::Yearly(name, None).resolve(self.today(), Choice::Over);
            return Named::fixed(over, at + 2);
        }
        let the = lead.the && is_word!(lead.word, In During Over Since Before After Until From Of);
        let firm = is_word!(lead.word, Since Until Before After Early Mid Late Between);
        let led = match trust {
            Trust::Foreign => {
                let open =
                    is_word!(lead.word, Before After Until) && self.before(at) == Word::ForeignLead;
                (open || is_word!(lead.word, ForeignLead Since)) && !lead.the
            }
            Trust::Common => the || (firm && season == Season::Spring && !self.capital(at)),
            _ => the || firm,
        };
        let goes_on = match trust {
            Trust::Foreign => self.is_compound(at + 1),
            _ => self.goes_on(at + 1),
        };
        let alone = led && !goes_on && self.word(at + 1) != Word::Of;
        self.of_year_beside(name, at + 1, alone)
    }

    /// `Christmas`, `Christmas Eve`, `New Year's Day`, `Valentine's Day`.
    pub(super) fn holiday_at(&self, at: usize) -> Option<(Holiday, usize)> {
        let eve = |at: usize| self.says(at, "eve");
        let day = |at: usize| matches!(self.word(at), Word::Unit(Unit::Day, Plural::One));
        match self.word(at) {
            Word::Holiday(Holiday::Christmas) if eve(at + 1) => {
                Some((Holiday::ChristmasEve, at + 2))
            }
            Word::Holiday(holiday) => Some((holiday, at + 1 + usize::from(day(at + 1)))),
            Word::HolidayFront if self.says(at, "new") => {
                let year = self.tokens.get(at + 1);
                let owned = year.is_some_and(|year| year.text.len() > 4)
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

    pub(super) fn holiday(&self, at: usize, lead: Lead) -> Option<Named> {
        let (holiday, end) = self.holiday_at(at)?;
        let led = !matches!(lead.word, Word::Other | Word::By | Word::From) && !lead.the;
        self.of_year_beside(Yearly::Holiday(holiday), end, led && !self.goes_on(end))
    }
}
