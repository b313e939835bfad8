//! Time-related words, and words that end a phrase.

use std::sync::LazyLock;

use jiff::civil::{Date, Time, Weekday};
use rustc_hash::FxHashMap;

use super::super::names::{MONTHS, Unit, WEEKDAYS};
use super::lists::{FOREIGN_MONTHS, FOREIGN_WEEKDAYS, SHORT_MONTHS, SHORT_WEEKDAYS, WORDS};

/// How reliably a name denotes a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Unambiguous: `september`, `monday`, `summer`.
    Sure,
    /// Also a person's name: `june`.
    Name,
    /// Also a common word: `may`, `march`, `spring`, `sun`.
    Common,
    /// An abbreviation: `jan`, `tue`.
    Short,
    /// An ambiguous abbreviation: `dec`, `mar`.
    RiskyShort,
    /// In a language other than English.
    Foreign,
}

/// A meteorological season of the northern hemisphere: spring starts in March.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Noon,
    Afternoon,
    Evening,
    Night,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holiday {
    Christmas,
    ChristmasEve,
    NewYear,
    NewYearsEve,
    Halloween,
    Valentine,
}

/// The time-related meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Any other word.
    Other,
    /// A word that can't continue a noun phrase and is not an auxiliary verb.
    Function,
    /// A verb that ends a noun phrase.
    Verb,
    /// A word that excludes what follows: `not`, `except`.
    Except,
    /// `did`, `was`: the question is about the past.
    Past,
    /// `will`: the question is about the future.
    Ahead,
    Pronoun,
    The,
    Determiner,
    Article,
    ForeignLead,
    Day(i8),
    /// French for yesterday, German for here.
    Hier,
    /// Tomorrow, or the morning of the preceding day.
    Morgen,
    Tonight,
    Now,
    Month(i8, Trust),
    Weekday(Weekday, Trust),
    Season(Season, Trust),
    Unit(Unit, Plural),
    Weekend,
    Part(Part),
    Holiday(Holiday),
    HolidayFront,
    Last,
    LastAfter,
    Rolling,
    This,
    Next,
    NextAfter,
    Ago,
    /// `ago` before a count in other languages: `vor drei Tagen`, `hace tres días`.
    AgoBefore,
    More,
    Less,
    Than,
    In,
    On,
    At,
    During,
    Over,
    Within,
    Since,
    Before,
    After,
    Until,
    From,
    To,
    Through,
    Between,
    And,
    Of,
    By,
    Around,
    About,
    Early,
    Earlier,
    Mid,
    Late,
    Later,
    Beginning,
    Middle,
    End,
    Half,
    Every,
    Count(u32, u32),
    Couple,
    Ordinal(u8),
    /// `3rd`.
    OrdinalDigits(u8),
    /// A number of at most nine digits, and its digit count.
    Number(u32, u8),
    Quarter(u8),
    QuarterOfYear(i16, u8),
    HalfYear(u8),
    Decade(i16),
    Date(Date),
    Instant,
    /// A date whose day and month can't be told apart: `3/4/2026`.
    AmbiguousDate,
    YearMonth(i16, i8),
    Clock(Time),
    Meridiem(bool),
    Onwards,
    Dash,
}

/// Singular or plural of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plural {
    One,
    Many,
    /// Singular and plural are the same: `mois`.
    Same,
}

static VOCABULARY: LazyLock<FxHashMap<&'static str, Word>> = LazyLock::new(|| {
    let mut known = FxHashMap::default();
    let mut add = |words: &'static str, meaning: Word| {
        for word in words.split_ascii_whitespace() {
            known.insert(word, meaning);
        }
    };
    for (words, meaning) in WORDS {
        add(words, *meaning);
    }
    for (at, name) in MONTHS.iter().enumerate() {
        let trust = match *name {
            "march" | "may" => Trust::Common,
            "april" | "june" | "august" => Trust::Name,
            _ => Trust::Sure,
        };
        let short = match SHORT_MONTHS[at] {
            "mar" | "oct" | "dec" => Trust::RiskyShort,
            _ => Trust::Short,
        };
        let month = at as i8 + 1;
        add(FOREIGN_MONTHS[at], Word::Month(month, Trust::Foreign));
        add(SHORT_MONTHS[at], Word::Month(month, short));
        add(name, Word::Month(month, trust));
    }
    for (at, name) in WEEKDAYS.iter().enumerate() {
        let Ok(day) = Weekday::from_monday_zero_offset(at as i8) else {
            continue;
        };
        let short = if at < 5 {
            Trust::Short
        } else {
            Trust::RiskyShort
        };
        add(FOREIGN_WEEKDAYS[at], Word::Weekday(day, Trust::Foreign));
        add(SHORT_WEEKDAYS[at], Word::Weekday(day, short));
        add(name, Word::Weekday(day, Trust::Sure));
    }
    known
});

/// Maximum bytes of a listed word.
const LONGEST: usize = 24;

/// The meaning of a word, ignoring case. Does not allocate.
pub(super) fn meaning(word: &str) -> Word {
    if word.len() > LONGEST {
        return Word::Other;
    }
    let mut buffer = [0_u8; LONGEST * 2];
    let mut length = 0;
    for letter in word.chars().flat_map(char::to_lowercase) {
        let Some(room) = buffer.get_mut(length..length + letter.len_utf8()) else {
            return Word::Other;
        };
        length += letter.encode_utf8(room).len();
    }
    std::str::from_utf8(&buffer[..length])
        .ok()
        .and_then(|lower| VOCABULARY.get(lower).copied())
        .unwrap_or(Word::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_listed_twice() {
        let mut listed: Vec<&str> = WORDS
            .iter()
            .flat_map(|(words, _)| words.split_ascii_whitespace())
            .chain(MONTHS)
            .chain(WEEKDAYS)
            .collect();
        for lists in [
            &SHORT_MONTHS[..],
            &FOREIGN_MONTHS,
            &SHORT_WEEKDAYS,
            &FOREIGN_WEEKDAYS,
        ] {
            listed.extend(
                lists
                    .iter()
                    .flat_map(|words| words.split_ascii_whitespace()),
            );
        }
        listed.sort_unstable();
        let twice: Vec<&[&str]> = listed
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(listed.iter().all(|word| word.len() <= LONGEST));
    }

    #[test]
    fn words_are_known_in_any_case() {
        assert_eq!(meaning("MÄRZ"), Word::Month(3, Trust::Foreign));
        assert_eq!(meaning("Yesterday"), Word::Day(-1));
        assert_eq!(meaning("yesterdays"), Word::Other);
        assert_eq!(meaning(&"İ".repeat(12)), Word::Other);
    }
}
