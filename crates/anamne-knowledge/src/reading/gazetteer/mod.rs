//! What is known of words before any text is read: ordinary words, names, and the words that names are made with.

mod people;
mod places;
mod things;
mod wide_people;
mod wide_places;
mod wide_things;
mod words;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

pub(super) use places::ENDINGS as PLACE_ENDINGS;

/// A set of things that a word can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(u64);

macro_rules! classes {
    ($($name:ident = $bit:expr,)+) => {
        impl Class {
            $(pub(super) const $name: Self = Self(1 << $bit);)+
        }
    };
}

classes! {
    FUNCTION = 0,
    FOREIGN = 1,
    COMMON = 2,
    FIRST_NAME = 3,
    TITLE = 4,
    KIN = 5,
    PERSON_VERB = 6,
    BEFORE_PERSON = 7,
    OCCUPATION = 8,
    LAND = 9,
    TOWN = 10,
    PLACE_HEAD = 11,
    PLACE_FRONT = 12,
    BEFORE_PLACE = 13,
    PLACE_NOUN = 14,
    TOOL = 15,
    ORGANISATION = 16,
    CONCEPT = 17,
    ORGANISATION_HEAD = 18,
    TOOL_HEAD = 19,
    AFTER_TOOL = 20,
    BEFORE_TOOL = 21,
    CONCEPT_HEAD = 22,
    PROJECT_HEAD = 23,
    WORK_NOUN = 24,
    PROJECT_NOUN = 25,
    ORGANISATION_NOUN = 26,
    TOOL_NOUN = 27,
    MONTH = 28,
    WEEKDAY = 29,
    UNIT_OF_TIME = 30,
    STATE_LETTERS = 31,
    LISTED = 32,
    SURNAME = 33,
    ORGANISATION_FRONT = 34,
    ORGANISATION_TAIL = 35,
    DEVICE = 36,
}

impl Class {
    /// Nothing that is known.
    pub(super) const NONE: Self = Self(0);
    /// The classes that say what a name names.
    const NAMES: Self = Self(
        Self::FIRST_NAME.0
            | Self::LAND.0
            | Self::TOWN.0
            | Self::TOOL.0
            | Self::ORGANISATION.0
            | Self::CONCEPT.0,
    );

    /// Whether the word is any of these.
    pub(super) const fn is(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    /// The union of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the lists know the name as one kind of thing alone.
    pub(super) const fn is_one_kind(self) -> bool {
        let kinds = self.0 & Self::NAMES.0;
        let places = Self::LAND.0 | Self::TOWN.0;
        kinds.is_power_of_two() || kinds == places
    }

    /// Whether the word is in a list of names.
    pub(super) const fn is_name(self) -> bool {
        self.is(Self::NAMES)
    }
}

/// Names of several words that begin with the same one: the words after it, and what the whole is.
type Continuations = Vec<(Vec<&'static str>, Class)>;

struct Lexicon {
    words: FxHashMap<&'static str, Class>,
    phrases: FxHashMap<&'static str, Continuations>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

/// What is known of a word in lower case.
pub(super) fn class_of(lower: &str) -> Class {
    LEXICON.words.get(lower).copied().unwrap_or(Class::NONE)
}

/// Whether a word in lower case, or what it is inflected from, is an ordinary English word or one of grammar.
pub(super) fn is_ordinary(lower: &str) -> bool {
    let ordinary = Class::COMMON
        .and(Class::FUNCTION)
        .and(Class::FOREIGN)
        .and(Class::LISTED);
    if class_of(lower).is(ordinary) {
        return true;
    }
    let known = |stem: &str| class_of(stem).is(Class::COMMON.and(Class::FUNCTION));
    if class_of(lower).is_name() {
        let plural = lower
            .strip_suffix('s')
            .is_some_and(|stem| stem.len() > 3 && known(stem));
        return plural && !class_of(lower).is(Class::FIRST_NAME);
    }
    stems(lower, known) || is_built_like_a_word(lower)
}

/// Whether the words from `first` on are a name of several words: how many words it has, and what it is.
///
/// `word_at(n)` is the n-th word after the first, in lower case. The longest one wins.
pub(super) fn phrase<'a>(
    first: &str,
    word_at: impl Fn(usize) -> Option<&'a str>,
) -> Option<(usize, Class)> {
    let continuations = LEXICON.phrases.get(first)?;
    continuations
        .iter()
        .find(|(rest, _)| {
            rest.iter()
                .enumerate()
                .all(|(at, expected)| word_at(at).is_some_and(|word| word == *expected))
        })
        .map(|(rest, class)| (rest.len() + 1, *class))
}

/// Whether a word ends as abstract nouns, adjectives and verbs do, and names don't.
fn is_built_like_a_word(lower: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "tion", "sion", "ment", "ness", "ance", "ence", "ity", "ive", "ous", "able", "ible",
        "ical", "ism", "ology", "graphy", "ship", "less", "ful", "wards", "ize", "izing", "ized",
        "ise", "ify", "ifying", "ating", "ated", "ional", "ental", "ural", "izer", "tions",
        "ments", "ities", "ances", "ences", "ibility", "ability", "ingly", "edly", "ously",
        "ively", "ically", "ology", "ologist", "ologies", "ography", "ware", "work", "ally",
        "fully", "ately",
    ];
    lower.is_ascii()
        && lower.len() >= 7
        && ENDINGS
            .iter()
            .any(|ending| lower.len() > ending.len() + 2 && lower.ends_with(ending))
        || (lower.len() >= 8
            && (lower.ends_with("ate")
                || lower.ends_with("ates")
                || lower.ends_with("ing")
                || lower.ends_with("ional")))
}

/// Tries what a word may be inflected from.
fn stems(lower: &str, known: impl Fn(&str) -> bool) -> bool {
    const ENDINGS: [&str; 15] = [
        "s", "es", "ed", "d", "ing", "ly", "er", "r", "est", "ers", "ings", "ness", "able", "y",
        "ally",
    ];
    if !lower.is_ascii() || lower.len() < 4 {
        return false;
    }
    if let Some(base) = lower
        .strip_suffix("ies")
        .or_else(|| lower.strip_suffix("ied"))
        .or_else(|| lower.strip_suffix("ily"))
        && known(&format!("{base}y"))
    {
        return true;
    }
    if let Some((left, right)) = lower.split_once('-') {
        return !right.is_empty()
            && !right.contains('-')
            && (known(left) || left.len() < 4)
            && is_ordinary(right);
    }
    let un = lower
        .strip_prefix("un")
        .or_else(|| lower.strip_prefix("re"));
    un.is_some_and(|rest| rest.len() > 3 && known(rest))
        || ENDINGS.iter().any(|ending| {
            lower.strip_suffix(ending).is_some_and(|base| {
                base.len() > 1
                    && ((base.len() > 2 && known(base))
                        || (*ending != "s"
                            && base.len() + ending.len() > 4
                            && known(&format!("{base}e")))
                        || (ending.len() > 1 && is_doubled(base) && known(&base[..base.len() - 1])))
            })
        })
}

fn is_doubled(base: &str) -> bool {
    let mut last = base.bytes().rev();
    last.next() == last.next()
}

impl Lexicon {
    fn build() -> Self {
        let mut lexicon = Self {
            words: FxHashMap::default(),
            phrases: FxHashMap::default(),
        };
        lexicon.add_words();
        lexicon.add_names();
        for continuations in lexicon.phrases.values_mut() {
            continuations.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        lexicon
    }

    fn add_words(&mut self) {
        use things as t;
        for (list, class) in [
            (words::FUNCTION, Class::FUNCTION),
            (words::FOREIGN, Class::FOREIGN),
            (words::COMMON, Class::COMMON),
            (words::FIELDS, Class::COMMON),
            (people::TITLES, Class::TITLE),
            (people::KIN, Class::KIN),
            (people::PERSON_VERBS, Class::PERSON_VERB.and(Class::LISTED)),
            (people::BEFORE_PERSON, Class::BEFORE_PERSON),
            (people::OCCUPATIONS, Class::OCCUPATION.and(Class::LISTED)),
            (people::FIRST_NAMES, Class::FIRST_NAME),
            (wide_people::FIRST_NAMES, Class::FIRST_NAME),
            (wide_people::SURNAMES, Class::SURNAME),
            (wide_people::ONLY_WITH_CAPITAL, Class::LISTED),
            (wide_things::ORGANISATION_FRONTS, Class::ORGANISATION_FRONT),
            (wide_things::ORGANISATION_TAILS, Class::ORGANISATION_TAIL),
            (wide_things::DEVICES, Class::DEVICE),
            (wide_places::ONLY_WITH_CAPITAL, Class::LISTED),
            (wide_things::ONLY_WITH_CAPITAL, Class::LISTED),
            (places::HEADS, Class::PLACE_HEAD),
            (places::FRONTS, Class::PLACE_FRONT),
            (places::BEFORE, Class::BEFORE_PLACE),
            (places::NOUNS, Class::PLACE_NOUN),
            (t::ORGANISATION_HEADS, Class::ORGANISATION_HEAD),
            (t::TOOL_HEADS, Class::TOOL_HEAD),
            (t::AFTER_TOOL, Class::AFTER_TOOL),
            (t::BEFORE_TOOL, Class::BEFORE_TOOL),
            (t::CONCEPT_HEADS, Class::CONCEPT_HEAD),
            (t::PROJECT_HEADS, Class::PROJECT_HEAD),
            (t::WORK_NOUNS, Class::WORK_NOUN),
            (t::PROJECT_NOUNS, Class::PROJECT_NOUN),
            (t::ORGANISATION_NOUNS, Class::ORGANISATION_NOUN),
            (t::TOOL_NOUNS, Class::TOOL_NOUN),
            (MONTHS, Class::MONTH.and(Class::LISTED)),
            (WEEKDAYS, Class::WEEKDAY.and(Class::LISTED)),
            (UNITS_OF_TIME, Class::UNIT_OF_TIME.and(Class::LISTED)),
        ] {
            for word in list.split_whitespace() {
                self.add(word, class);
            }
        }
        for letters in places::STATE_LETTERS.split_whitespace() {
            self.add(letters, Class::STATE_LETTERS);
        }
    }

    fn add_names(&mut self) {
        for (list, class) in [
            (places::LANDS, Class::LAND),
            (places::TOWNS, Class::TOWN),
            (things::TOOLS, Class::TOOL),
            (things::ORGANISATIONS, Class::ORGANISATION),
            (things::CONCEPTS, Class::CONCEPT),
            (wide_places::LANDS, Class::LAND),
            (wide_places::TOWNS, Class::TOWN),
            (wide_things::TOOLS, Class::TOOL),
            (wide_things::ORGANISATIONS, Class::ORGANISATION),
            (wide_things::CONCEPTS, Class::CONCEPT),
        ] {
            for name in list
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
            {
                self.add_name(name, class);
            }
        }
    }

    fn add_name(&mut self, name: &'static str, class: Class) {
        // "king's college" is read as three tokens: "king", "'s", "college".
        let mut parts = name.split_whitespace().flat_map(|word| {
            let stem = word.strip_suffix("'s").filter(|stem| !stem.is_empty());
            let tail = stem.map(|stem| &word[stem.len()..]);
            std::iter::once(stem.unwrap_or(word)).chain(tail)
        });
        let Some(first) = parts.next() else {
            return;
        };
        let rest: Vec<&'static str> = parts.collect();
        if rest.is_empty() {
            self.add(first, class);
        } else {
            self.phrases.entry(first).or_default().push((rest, class));
        }
    }

    fn add(&mut self, word: &'static str, class: Class) {
        let known = self.words.entry(word).or_default();
        *known = known.and(class);
    }
}

const MONTHS: &str =
    "january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec januar februar märz mai juni juli oktober dezember";

const WEEKDAYS: &str =
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun mondays tuesdays
    wednesdays thursdays fridays saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonntag";

const UNITS_OF_TIME: &str =
    "day days week weeks month months year years quarter quarters decade decades weekend weekends morning afternoon
    evening night semester term season summer winter spring autumn fall fortnight hour hours minute minutes second
    seconds";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_words_are_as_ordinary_as_what_they_come_from() {
        for word in [
            "thanks",
            "running",
            "stopped",
            "cities",
            "happily",
            "larger",
            "the",
            "unhappy",
            "well-known",
            "don't",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["kasimir", "postgresql", "ljubljana", "zorblax", ""] {
            assert!(!is_ordinary(word), "{word}");
        }
    }

    #[test]
    fn the_longest_phrase_wins() {
        let text = ["studio", "code", "is"];
        let found = phrase("visual", |at| text.get(at).copied());
        assert_eq!(found, Some((3, Class::TOOL)));
        assert_eq!(phrase("visual", |_| None), None);
    }
}
