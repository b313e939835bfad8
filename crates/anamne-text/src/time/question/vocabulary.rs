//! The words that speak of time, and those that show where a phrase ends.

use std::sync::LazyLock;

use jiff::civil::{Date, Time, Weekday};
use rustc_hash::FxHashMap;

use super::super::names::{MONTHS, Unit, WEEKDAYS};

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
    /// A word that no noun phrase goes on with, and no verb that helps others.
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

use Plural::{Many, One};

const WORDS: &[(&str, Word)] = &[
    ("today heute hoy aujourd'hui aujourd’hui", Word::Day(0)),
    ("yesterday gestern ayer", Word::Day(-1)),
    ("tomorrow demain", Word::Day(1)),
    ("vorgestern anteayer avant-hier", Word::Day(-2)),
    ("übermorgen overmorrow", Word::Day(2)),
    ("hier", Word::Hier),
    ("morgen mañana", Word::Morgen),
    ("tonight", Word::Tonight),
    ("now", Word::Now),
    ("minute", Word::Unit(Unit::Minute, One)),
    ("minutes mins minuten minutos", Word::Unit(Unit::Minute, Many)),
    ("hour stunde heure hora", Word::Unit(Unit::Hour, One)),
    ("hours hrs stunden heures horas", Word::Unit(Unit::Hour, Many)),
    ("day tag jour día", Word::Unit(Unit::Day, One)),
    ("days tage tagen jours días", Word::Unit(Unit::Day, Many)),
    ("week woche semaine semana", Word::Unit(Unit::Week, One)),
    ("weeks wochen semaines semanas", Word::Unit(Unit::Week, Many)),
    ("month monat mes", Word::Unit(Unit::Month, One)),
    ("months monate monaten mois meses", Word::Unit(Unit::Month, Many)),
    ("quarter quartal trimestre", Word::Unit(Unit::Quarter, One)),
    ("quarters quartale quartalen trimestres", Word::Unit(Unit::Quarter, Many)),
    ("year jahr année año", Word::Unit(Unit::Year, One)),
    ("years jahre jahren ans années años", Word::Unit(Unit::Year, Many)),
    ("seconds secs", Word::Unit(Unit::Second, Many)),
    ("weekend wochenende", Word::Weekend),
    ("morning vormittag matin", Word::Part(Part::Morning)),
    ("noon midday mittag midi", Word::Part(Part::Noon)),
    ("afternoon nachmittag après-midi", Word::Part(Part::Afternoon)),
    ("evening abend soir", Word::Part(Part::Evening)),
    ("night nacht nuit noche", Word::Part(Part::Night)),
    ("christmas xmas weihnachten noël navidad", Word::Holiday(Holiday::Christmas)),
    ("halloween", Word::Holiday(Holiday::Halloween)),
    ("silvester", Word::Holiday(Holiday::NewYearsEve)),
    ("new valentine valentines", Word::HolidayFront),
    ("last previous letzte letzten letzter letztes letztem vergangene vergangenen vergangenes últimos últimas", Word::Last),
    ("dernier dernière pasado pasada passé passée", Word::LastAfter),
    ("prochain prochaine próximo próxima", Word::NextAfter),
    ("past", Word::Rolling),
    ("this diese diesen dieser dieses diesem cette cet esta este", Word::This),
    ("next coming nächste nächsten nächster nächstes", Word::Next),
    ("ago", Word::Ago),
    ("vor hace", Word::AgoBefore),
    ("more longer", Word::More),
    ("less", Word::Less),
    ("than", Word::Than),
    ("in", Word::In),
    ("on", Word::On),
    ("at", Word::At),
    ("during throughout während pendant durante", Word::During),
    ("over", Word::Over),
    ("within", Word::Within),
    ("since seit depuis desde", Word::Since),
    ("before avant", Word::Before),
    ("after nach après", Word::After),
    ("until till hasta", Word::Until),
    ("from von", Word::From),
    ("to bis", Word::To),
    ("through", Word::Through),
    ("between zwischen entre", Word::Between),
    ("and und et y", Word::And),
    ("of", Word::Of),
    ("by", Word::By),
    ("around circa", Word::Around),
    ("about roughly approximately some", Word::About),
    ("early anfang", Word::Early),
    ("earlier", Word::Earlier),
    ("mid mitte", Word::Mid),
    ("late ende", Word::Late),
    ("later", Word::Later),
    ("beginning start", Word::Beginning),
    ("middle", Word::Middle),
    ("end", Word::End),
    ("half", Word::Half),
    ("every each jeden jede jeder chaque cada", Word::Every),
    ("onwards onward", Word::Onwards),
    ("the", Word::The),
    ("a an ein eine einem einer einen un une una", Word::Article),
    ("im am en au aux le la les el los las de del du der den dem die das", Word::ForeignLead),
    ("our my your his her their its that mine", Word::Determiner),
    ("i we you he she they it", Word::Pronoun),
    ("did was were had happened didn't wasn't hadn't", Word::Past),
    ("will shall gonna upcoming won't i'll we'll you'll he'll she'll they'll it'll i’ll we’ll", Word::Ahead),
    (
        "is are be been being do does have has can could should would might must went came got happen happens occurred
        began begun started ended finished took made became said told mean means work works change changes go goes
        don't doesn't isn't aren't can't",
        Word::Verb,
    ),
    (
        "with for or but when while because if as who whom whose what which how why where there so then not no also just
        into onto off out up down again ever per via regarding concerning without against under above versus vs
        me us them him these those any all both alone only exactly",
        Word::Function,
    ),
    ("pm p.m", Word::Meridiem(true)),
    ("a.m", Word::Meridiem(false)),
    ("one eins", Word::Count(1, 1)),
    ("two zwei deux dos", Word::Count(2, 2)),
    ("three drei trois tres", Word::Count(3, 3)),
    ("four vier quatre cuatro", Word::Count(4, 4)),
    ("five fünf cinq cinco", Word::Count(5, 5)),
    ("six sechs seis", Word::Count(6, 6)),
    ("seven sieben siete", Word::Count(7, 7)),
    ("eight acht huit ocho", Word::Count(8, 8)),
    ("nine neun neuf nueve", Word::Count(9, 9)),
    ("ten zehn dix diez", Word::Count(10, 10)),
    ("eleven elf onze once", Word::Count(11, 11)),
    ("twelve zwölf douze doce", Word::Count(12, 12)),
    ("couple", Word::Couple),
    ("few paar", Word::Count(2, 5)),
    ("several mehreren plusieurs varios", Word::Count(3, 7)),
    ("first", Word::Ordinal(1)),
    ("second", Word::Ordinal(2)),
    ("third", Word::Ordinal(3)),
    ("fourth", Word::Ordinal(4)),
    ("fifth", Word::Ordinal(5)),
    ("q1", Word::Quarter(1)),
    ("q2", Word::Quarter(2)),
    ("q3", Word::Quarter(3)),
    ("q4", Word::Quarter(4)),
    ("h1", Word::HalfYear(1)),
    ("h2", Word::HalfYear(2)),
    ("spring", Word::Season(Season::Spring, Trust::Common)),
    ("summer", Word::Season(Season::Summer, Trust::Sure)),
    ("autumn", Word::Season(Season::Autumn, Trust::Sure)),
    ("fall", Word::Season(Season::Autumn, Trust::Common)),
    ("winter", Word::Season(Season::Winter, Trust::Sure)),
    ("frühling frühjahr printemps primavera", Word::Season(Season::Spring, Trust::Foreign)),
    ("sommer été verano", Word::Season(Season::Summer, Trust::Foreign)),
    ("herbst automne otoño", Word::Season(Season::Autumn, Trust::Foreign)),
    ("hiver invierno", Word::Season(Season::Winter, Trust::Foreign)),
];

/// Short names of months, January first.
const SHORT_MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "", "jun", "jul", "aug", "sep sept", "oct", "nov", "dec",
];

const FOREIGN_MONTHS: [&str; 12] = [
    "januar jänner janvier enero",
    "februar février febrero",
    "märz mars marzo",
    "avril abril",
    "mai mayo",
    "juni juin junio",
    "juli juillet julio",
    "août agosto",
    "septembre septiembre",
    "oktober octobre octubre",
    "novembre noviembre",
    "dezember décembre diciembre",
];

const SHORT_WEEKDAYS: [&str; 7] = [
    "mon",
    "tue tues",
    "wed",
    "thu thur thurs",
    "fri",
    "sat",
    "sun",
];

const FOREIGN_WEEKDAYS: [&str; 7] = [
    "montag lundi lunes",
    "dienstag mardi martes",
    "mittwoch mercredi miércoles",
    "donnerstag jeudi jueves",
    "freitag vendredi viernes",
    "samstag sonnabend samedi sábado",
    "sonntag dimanche domingo",
];

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
