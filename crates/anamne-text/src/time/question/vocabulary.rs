//! The words that speak of time, and those that show where a phrase ends.

use std::sync::LazyLock;

use jiff::civil::{Date, Time, Weekday};
use rustc_hash::FxHashMap;

use super::super::names::{MONTHS, Unit, WEEKDAYS};
use super::lists::{FOREIGN_MONTHS, FOREIGN_WEEKDAYS, SHORT_MONTHS, SHORT_WEEKDAYS, WORDS};

/// How far a name can be trusted to be that of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// It is nothing else: `september`, `monday`, `summer`.
    Sure,
    /// A person's name as well: `june`.
    Name,
    /// A common word as well: `may`, `march`, `spring`, `sun`.
    Common,
    /// A short form: `jan`, `tue`.
    Short,
    /// A short form that means something else as well: `dec`, `mar`.
    RiskyShort,
    /// Of another language than English.
    Foreign,
}

/// A season by meteorology, on the northern half of the earth: spring begins with March.
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

/// What a word says to whoever looks for times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Any word that is not listed.
    Other,
    /// A word that no noun phrase continues with, and no verb that helps others.
    Function,
    /// A verb that ends a noun phrase.
    Verb,
    /// `did`, `was`: the question is about the past.
    Past,
    /// `will`: the question is about what is to come.
    Ahead,
    Pronoun,
    The,
    Determiner,
    Article,
    ForeignLead,
    Day(i8),
    /// French for yesterday, German for here.
    Hier,
    /// Tomorrow, or after a day its morning.
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
    /// What stands before a count in other languages: `vor drei Tagen`, `hace tres días`.
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
    /// At most nine digits, and how many.
    Number(u32, u8),
    Quarter(u8),
    QuarterOfYear(i16, u8),
    HalfYear(u8),
    Decade(i16),
    Date(Date),
    Instant,
    YearMonth(i16, i8),
    Clock(Time),
    Meridiem(bool),
    Onwards,
    Dash,
}

/// Whether a unit is written as one or as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plural {
    One,
    Many,
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

/// More bytes than any listed word has.
const LONGEST: usize = 24;

/// What a word says, whatever its case. Takes no memory.
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
