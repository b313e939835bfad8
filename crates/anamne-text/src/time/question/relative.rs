//! Times relative to the day of the question, and parts of other times.

use jiff::ToSpan;
use jiff::civil::{DateTime, Weekday};

use super::super::names::Unit;
use super::point::{Choice, Civil, Point, Slice, Yearly, calendar_unit, days};
use super::reader::{Lead, Named, Reader};
use super::vocabulary::{Part, Plural, Trust, Word, meaning};

impl Reader<'_> {
    /// A count as minimum and maximum, and the token after it.
    pub(super) fn count(&self, at: usize) -> Option<(i64, i64, usize)> {
        let of = |at: usize| usize::from(self.word(at) == Word::Of);
        match self.word(at) {
            Word::Number(count @ 1..=9999, _) => Some((i64::from(count), i64::from(count), at + 1)),
            Word::Count(low, high) => Some((i64::from(low), i64::from(high), at + 1)),
            Word::Couple => Some((2, 2, at + 1 + of(at + 1))),
            Word::Article => match self.word(at + 1) {
                Word::Couple => Some((2, 2, at + 2 + of(at + 2))),
                Word::Count(low, high) if low < high => {
                    Some((i64::from(low), i64::from(high), at + 2))
                }
                _ => Some((1, 1, at + 1)),
            },
            _ => None,
        }
    }

    /// `three days ago`, `a week from now`, and `in two weeks` for the future.
    pub(super) fn away(&self, at: usize) -> Option<Named> {
        let before = usize::from(self.word(at) == Word::AgoBefore);
        let (low, high, unit_at) = self.count(at + before)?;
        if before == 0
            && let Some(named) = self.occurrences_ago(high, unit_at)
        {
            return Some(named);
        }
        // "les trois derniers mois"
        if before == 0
            && let (Word::LastAfter, Word::Unit(unit, _)) =
                (self.word(unit_at), self.word(unit_at + 1))
        {
            return Named::fixed(self.rolling(unit, high, false), unit_at + 2);
        }
        let Word::Unit(unit, _) = self.word(unit_at) else {
            return None;
        };
        if before == 1 {
            return Named::fixed(self.distant(unit, -high, -low), unit_at + 1);
        }
        match (self.word(unit_at + 1), self.word(unit_at + 2)) {
            (Word::Ago, Word::In) if unit == Unit::Year && low == high => self
                .inside(unit, -low, unit_at + 2)
                .or_else(|| Named::fixed(self.distant(unit, -high, -low), unit_at + 2)),
            (Word::Ago, _) => Named::fixed(self.distant(unit, -high, -low), unit_at + 2),
            (Word::From, Word::Now | Word::Day(0)) => {
                Named::fixed(self.distant(unit, low, high), unit_at + 3)
            }
            _ => None,
        }
    }

    /// `two Mondays ago`, `three summers ago`.
    fn occurrences_ago(&self, count: i64, at: usize) -> Option<Named> {
        const MOST: i64 = 12;
        let one = self.tokens.get(at)?.text.strip_suffix('s')?;
        let point = match meaning(one) {
            Word::Weekday(day, Trust::Sure) => Point::Weekday(day),
            Word::Season(season, Trust::Sure) => Point::Yearly(Yearly::Season(season), None),
            Word::Weekend => Point::Weekend,
            _ => return None,
        };
        if self.word(at + 1) != Word::Ago || count > MOST {
            return None;
        }
        let earlier = |range: Option<Civil>, _| {
            let day = range.map_or(self.today(), |range| range.start.date());
            point.resolve(day, Choice::Over).map(Some)
        };
        let range = (0..count).try_fold(None, earlier)??;
        Named::fixed(Some(range), at + 2)
    }

    /// `half a year ago`, `half an hour ago`.
    pub(super) fn half_ago(&self, at: usize) -> Option<Named> {
        let (Word::Article, Word::Unit(unit, Plural::One), Word::Ago) =
            (self.word(at + 1), self.word(at + 2), self.word(at + 3))
        else {
            return None;
        };
        let range = match unit {
            Unit::Year => self.distant(Unit::Month, -6, -6),
            Unit::Hour => self.distant(Unit::Minute, -30, -30),
            _ => None,
        };
        Named::fixed(range, at + 4)
    }

    /// `il y a trois jours`.
    pub(super) fn il_y_a(&self, at: usize) -> Option<Named> {
        if !(self.says(at, "il") && self.says(at + 1, "y") && self.says(at + 2, "a")) {
            return None;
        }
        let (low, high, unit_at) = self.count(at + 3)?;
        match self.word(unit_at) {
            Word::Unit(unit, _) => Named::fixed(self.distant(unit, -high, -low), unit_at + 1),
            _ => None,
        }
    }

    /// A time at a distance in units: whole days, or half a unit on either side of the day for longer units; for hours
    /// and minutes, half a unit or a quarter of the distance on either side.
    pub(super) fn distant(&self, unit: Unit, from: i64, to: i64) -> Option<Civil> {
        if unit.is_of_clock() {
            let seconds = match unit {
                Unit::Hour => 3600,
                Unit::Minute => 60,
                _ => 1,
            };
            let margin = (seconds / 2).max(seconds * from.abs().max(to.abs()) / 4);
            let moved = |count: i64, margin: i64| -> Option<DateTime> {
                let span = (count * seconds + margin).seconds();
                let moment = self.asked_at.checked_add(span).ok()?;
                Some(moment.to_zoned(self.zone.clone()).datetime())
            };
            return Some(moved(from, -margin)?..moved(to, margin)?);
        }
        let margin = match unit {
            Unit::Week => 3,
            Unit::Month => 15,
            Unit::Quarter => 45,
            Unit::Year => 182,
            _ => 0,
        };
        let moved = |count: i64, margin: i64| {
            let day = self.today().checked_add(unit.span(count).ok()?).ok()?;
            day.checked_add(margin.days()).ok()
        };
        let range =
            days(moved(from, -margin)?, 0.days())?.start..days(moved(to, margin)?, 1.day())?.end;
        if to < 0 {
            let tomorrow = days(self.today(), 1.day())?.end;
            return Some(range.start..range.end.min(tomorrow));
        }
        Some(range)
    }

    /// From that long ago, in whole days, until now; or from now on.
    fn rolling(&self, unit: Unit, count: i64, forward: bool) -> Option<Civil> {
        let span = unit.span(count).ok()?;
        if forward {
            let end = self.now.checked_add(span).ok()?;
            return Some(self.now..end);
        }
        if unit.is_of_clock() {
            let start = self.asked_at.checked_sub(span).ok()?;
            return Some(start.to_zoned(self.zone.clone()).datetime()..self.now);
        }
        let start = self.today().checked_sub(span).ok()?;
        Some(days(start, 1.day())?.start..self.now)
    }

    /// `last week`, `the past three days`, `this morning`, `next Friday`.
    pub(super) fn relative(&self, at: usize, lead: Lead) -> Option<Named> {
        let word = self.word(at);
        if word == Word::This
            && let Some(named) = self.this_time(at)
        {
            return Some(named);
        }
        // "this past week"
        if word == Word::This && self.word(at + 1) == Word::Rolling {
            return self.relative(at + 1, lead);
        }
        if self.stops_before(at + 1) {
            return None;
        }
        let forward = word == Word::Next;
        if word != Word::This
            && let Some((_, most, unit_at)) = self.count(at + 1)
            && self.word(at + 1) != Word::Article
        {
            return match self.word(unit_at) {
                Word::Unit(unit, Plural::Many | Plural::Same) if !self.stops_before(unit_at) => {
                    Named::fixed(self.rolling(unit, most, forward), unit_at + 1)
                }
                _ => None,
            };
        }
        let end = at + 2;
        match self.word(at + 1) {
            Word::Unit(unit, Plural::One | Plural::Same) => {
                self.relative_unit(word, unit, end, lead)
            }
            Word::Weekend => {
                let saturday = Weekday::Saturday;
                let range = match word {
                    Word::Last | Word::Rolling => {
                        Point::Weekend.resolve(self.today(), Choice::Over)
                    }
                    Word::Next if self.says(at, "coming") => {
                        Point::Weekend.resolve(self.today(), Choice::Coming)
                    }
                    _ => {
                        let start = self.day_of_week(saturday, self.shift(at)?)?.start;
                        days(start.date(), 2.days())
                    }
                };
                Named::fixed(range, end)
            }
            Word::Part(part) => self.relative_part(word, part, end, lead),
            Word::Morgen => self.relative_part(word, Part::Morning, end, lead),
            Word::Weekday(day, trust) => {
                let sure = trust != Trust::RiskyShort || self.capital(at + 1);
                let range = match word {
                    Word::This => self.day_of_week(day, 0),
                    Word::Next => Point::Weekday(day).resolve(self.today(), Choice::Coming),
                    _ => Point::Weekday(day).resolve(self.today(), Choice::Over),
                };
                Named::fixed(range.filter(|_| sure), end)
            }
            Word::Month(..) => {
                // "this may be", "the last march"
                let named = self.named(at + 1, Lead { word, ..lead })?;
                match named.point {
                    Point::Yearly(name, None) => {
                        let range = self.relative_yearly(word, name)?;
                        Named::fixed(Some(range), named.end)
                    }
                    _ => Some(named),
                }
            }
            Word::Season(season, _) if !self.goes_on(end) && self.word(end) != Word::Of => {
                Named::fixed(self.relative_yearly(word, Yearly::Season(season)), end)
            }
            Word::Quarter(quarter) => {
                Named::fixed(self.relative_yearly(word, Yearly::Quarter(quarter)), end)
            }
            Word::Holiday(_) | Word::HolidayFront => {
                let (holiday, end) = self.holiday_at(at + 1)?;
                (!self.goes_on(end)).then_some(())?;
                Named::fixed(self.relative_yearly(word, Yearly::Holiday(holiday)), end)
            }
            _ => None,
        }
    }

    /// `this time last year`: that day plus half a month on either side.
    fn this_time(&self, at: usize) -> Option<Named> {
        let (true, Word::Last, Word::Unit(Unit::Year, Plural::One)) = (
            self.says(at + 1, "time"),
            self.word(at + 2),
            self.word(at + 3),
        ) else {
            return None;
        };
        let day = self.today().checked_sub(1.year()).ok()?;
        let first = day.checked_sub(15.days()).ok()?;
        Named::fixed(days(first, 31.days()), at + 4)
    }

    fn relative_yearly(&self, word: Word, name: Yearly) -> Option<Civil> {
        let point = Point::Yearly(name, None);
        let today = self.today();
        match word {
            Word::This => name
                .of_year(today.year() - 1)
                .filter(|range| range.end.date() > today)
                .or_else(|| name.of_year(today.year())),
            Word::Next => point.resolve(today, Choice::Coming),
            _ => point.resolve(today, Choice::Over),
        }
    }

    fn relative_unit(&self, word: Word, unit: Unit, end: usize, lead: Lead) -> Option<Named> {
        if !self.stops_before(end) && self.word(end) == Word::Of {
            return None;
        }
        let led = is_word!(lead.word, In Over During Within From);
        let long = matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year);
        let rolls = match word {
            Word::Rolling => long || lead.the,
            Word::Last => lead.the && (long || led) && unit != Unit::Quarter,
            _ => false,
        };
        if rolls {
            return Named::fixed(self.rolling(unit, 1, false), end);
        }
        if !long || (word == Word::Next && lead.the) || word == Word::Rolling {
            return None;
        }
        let shift = match word {
            Word::This => 0,
            Word::Next => 1,
            _ => -1,
        };
        if let Some(named) = self.inside(unit, shift, end) {
            return Some(named);
        }
        Named::fixed(calendar_unit(unit, self.today(), shift), end)
    }

    /// `last year in March`, `last week on Monday`, `last year's summer`.
    fn inside(&self, unit: Unit, shift: i64, at: usize) -> Option<Named> {
        if self.stops_before(at) {
            return None;
        }
        let led = is_word!(self.word(at), In On) || self.says(at, "en") || self.says(at, "im");
        let (lead, at) = if led {
            self.lead(Word::In, at + 1)
        } else {
            (Lead::NONE, at)
        };
        match (unit, self.word(at)) {
            (Unit::Week, Word::Weekday(day, Trust::Sure)) => {
                Named::fixed(self.day_of_week(day, shift), at + 1)
            }
            (Unit::Year, Word::Month(..) | Word::Season(..)) if led => {
                let named = self.named(at, lead)?;
                let Point::Yearly(name, None) = named.point else {
                    return None;
                };
                Named::fixed(name.of_year(self.today().year() + shift as i16), named.end)
            }
            _ => None,
        }
    }

    fn relative_part(&self, word: Word, part: Part, end: usize, lead: Lead) -> Option<Named> {
        if lead.the || self.goes_on(end) {
            return None;
        }
        let offset = match word {
            Word::This => 0,
            Word::Last if matches!(part, Part::Night | Part::Evening) => -1,
            _ => return None,
        };
        let day = self.today().checked_add(i64::from(offset).days()).ok()?;
        let day = days(day, 1.day())?;
        let at = usize::from(self.word(end) == Word::At);
        if let Some((time, end)) = self.clock(end + at) {
            return Named::fixed(Slice::Clock(time).of(&day), end);
        }
        Named::fixed(Slice::Part(part).of(&day), end)
    }

    /// `la semaine dernière`, `el mes pasado`, `la semana próxima`.
    pub(super) fn unit_last(&self, at: usize, unit: Unit) -> Option<Named> {
        let shift = match self.word(at + 1) {
            Word::LastAfter => -1,
            Word::NextAfter => 1,
            _ => return None,
        };
        let long = matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year);
        if let Some(named) = self.inside(unit, shift, at + 2) {
            return Some(named);
        }
        Named::fixed(
            calendar_unit(unit, self.today(), shift).filter(|_| long),
            at + 2,
        )
    }

    /// `the week of March 12`, `the month of May`, `the year 2024`.
    pub(super) fn unit_that_holds(&self, at: usize, unit: Unit) -> Option<Named> {
        if self.stops_before(at + 1) {
            return None;
        }
        match (unit, self.word(at + 1)) {
            (Unit::Year, Word::Number(..)) => self.named(at + 1, Lead::by(Word::In)),
            (Unit::Week, word)
                if word == Word::Beginning
                    || self.tokens[at + 1].is_one_of("starting commencing") =>
            {
                let (lead, at) = self.lead(Word::On, at + 2);
                let named = self.named(at, lead)?;
                let first = self.resolved(&named)?.start.date();
                Named::fixed(days(first, 7.days()), named.end)
            }
            (Unit::Week | Unit::Month, Word::Of) => {
                let (lead, at) = self.lead(Word::On, at + 2);
                let lead = match unit {
                    Unit::Month => Lead::by(Word::In),
                    _ => lead,
                };
                let named = self.named(at, lead)?;
                let range = self.resolved(&named)?;
                Named::fixed(calendar_unit(unit, range.start.date(), 0), named.end)
            }
            _ => None,
        }
    }
}
