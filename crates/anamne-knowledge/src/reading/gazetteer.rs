//! The word lists behind names: ordinary words, names, and the words that names contain or stand beside.
//!
//! The lists are the files in `data/`.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::FxHashMap;

/// A set of classes of a word.
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
    REGION = 9,
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
    STATE_CODE = 31,
    LISTED = 32,
    SURNAME = 33,
    ORGANISATION_FRONT = 34,
    ORGANISATION_TAIL = 35,
    DEVICE = 36,
    PLACE_ENDING = 37,
}

impl Class {
    /// No class.
    pub(super) const NONE: Self = Self(0);
    /// The classes of names.
    const NAMES: Self = Self(
        Self::FIRST_NAME.0
            | Self::REGION.0
            | Self::TOWN.0
            | Self::TOOL.0
            | Self::ORGANISATION.0
            | Self::CONCEPT.0,
    );

    /// Whether the classes intersect.
    pub(super) const fn is(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    /// The union of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the lists contain the name with one type only.
    pub(super) const fn is_one_kind(self) -> bool {
        let kinds = self.0 & Self::NAMES.0;
        let places = Self::REGION.0 | Self::TOWN.0;
        kinds.is_power_of_two() || kinds == places
    }

    /// Whether the word is in a list of names.
    pub(super) const fn is_name(self) -> bool {
        self.is(Self::NAMES)
    }
}

/// Multi-word names with the same first word: the other words, and the class of the name.
type Continuations = Vec<(Vec<&'static str>, Class)>;

#[derive(Default)]
struct Gazetteer {
    words: FxHashMap<&'static str, Class>,
    phrases: FxHashMap<&'static str, Continuations>,
}

static GAZETTEER: LazyLock<Gazetteer> =
    LazyLock::new(|| Gazetteer::load().expect("a test loads the data files"));

/// The classes of a lower-case word. O(1).
pub(super) fn class_of(lower: &str) -> Class {
    GAZETTEER.words.get(lower).copied().unwrap_or(Class::NONE)
}

/// Whether a lower-case word, or a stem of it, is an ordinary English word or a function word.
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

/// Whether a word as written is the code of an American state: `TX`.
pub(super) fn is_state_code(written: &str) -> bool {
    written.len() == 2
        && written.bytes().all(|byte| byte.is_ascii_uppercase())
        && class_of(&written.to_ascii_lowercase()).is(Class::STATE_CODE)
}

/// Whether a lower-case word ends like the names of towns and regions: `altstadt`. O(length).
pub(super) fn has_place_ending(lower: &str) -> bool {
    let suffixes = lower.char_indices().map(|(at, _)| at).filter(|at| *at > 2);
    suffixes
        .map(|at| &lower[at..])
        .any(|suffix| class_of(suffix).is(Class::PLACE_ENDING))
}

/// The longest multi-word name that starts with `first`: its number of words, and its class.
///
/// `word_at(n)` is the n-th word after the first, in lower case.
pub(super) fn phrase<'a>(
    first: &str,
    word_at: impl Fn(usize) -> Option<&'a str>,
) -> Option<(usize, Class)> {
    let continuations = GAZETTEER.phrases.get(first)?;
    continuations
        .iter()
        .find(|(rest, _)| {
            rest.iter()
                .enumerate()
                .all(|(at, expected)| word_at(at).is_some_and(|word| word == *expected))
        })
        .map(|(rest, class)| (rest.len() + 1, *class))
}

/// Whether a word ends with a suffix of abstract nouns, adjectives and verbs.
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

/// Whether a possible stem of an inflected word is known.
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

/// How the entries of a section are separated.
#[derive(Clone, Copy)]
enum Entries {
    Words,
    Names,
}
use Entries::{Names, Words};

type Sections = &'static [(&'static str, Entries, Class)];

/// The data files: name, text, and the class of each section.
const FILES: [(&str, &str, Sections); 4] = [
    (
        "ordinary_words.txt",
        include_str!("../../data/ordinary_words.txt"),
        &[
            ("function_words", Words, Class::FUNCTION),
            ("foreign", Words, Class::FOREIGN),
            ("common", Words, Class::COMMON),
            ("capitalised", Words, Class::LISTED),
            ("months", Words, Class::MONTH.and(Class::LISTED)),
            ("weekdays", Words, Class::WEEKDAY.and(Class::LISTED)),
            (
                "units_of_time",
                Words,
                Class::UNIT_OF_TIME.and(Class::LISTED),
            ),
        ],
    ),
    (
        "people.txt",
        include_str!("../../data/people.txt"),
        &[
            ("first_names", Words, Class::FIRST_NAME),
            ("surnames", Words, Class::SURNAME),
            ("titles", Words, Class::TITLE),
            ("kin", Words, Class::KIN),
            ("person_verbs", Words, Class::PERSON_VERB.and(Class::LISTED)),
            ("before_person", Words, Class::BEFORE_PERSON),
            ("occupations", Words, Class::OCCUPATION.and(Class::LISTED)),
        ],
    ),
    (
        "places.txt",
        include_str!("../../data/places.txt"),
        &[
            ("regions", Names, Class::REGION),
            ("towns", Names, Class::TOWN),
            ("state_codes", Words, Class::STATE_CODE),
            ("last_words", Words, Class::PLACE_HEAD),
            ("first_words", Words, Class::PLACE_FRONT),
            ("before_place", Words, Class::BEFORE_PLACE),
            ("nouns", Words, Class::PLACE_NOUN),
            ("endings", Words, Class::PLACE_ENDING),
        ],
    ),
    (
        "things.txt",
        include_str!("../../data/things.txt"),
        &[
            ("tools", Names, Class::TOOL),
            ("organisations", Names, Class::ORGANISATION),
            ("concepts", Names, Class::CONCEPT),
            ("organisation_first_words", Words, Class::ORGANISATION_FRONT),
            ("organisation_last_words", Words, Class::ORGANISATION_HEAD),
            (
                "organisation_ordinary_last_words",
                Words,
                Class::ORGANISATION_TAIL,
            ),
            ("tool_last_words", Words, Class::TOOL_HEAD),
            ("after_tool", Words, Class::AFTER_TOOL),
            ("before_tool", Words, Class::BEFORE_TOOL),
            ("concept_last_words", Words, Class::CONCEPT_HEAD),
            ("project_last_words", Words, Class::PROJECT_HEAD),
            ("devices", Words, Class::DEVICE),
            ("work_nouns", Words, Class::WORK_NOUN),
            ("project_nouns", Words, Class::PROJECT_NOUN),
            ("organisation_nouns", Words, Class::ORGANISATION_NOUN),
            ("tool_nouns", Words, Class::TOOL_NOUN),
        ],
    ),
];

impl Gazetteer {
    fn load() -> Result<Self, LexiconError> {
        let mut gazetteer = Self::default();
        for (name, text, sections) in FILES {
            let file = Lexicon::parse(name, text)?;
            for (section, entries, class) in sections {
                let entries = match entries {
                    Words => file.words(section)?,
                    Names => file.names(section)?,
                };
                for entry in entries {
                    gazetteer.add(entry, *class);
                }
            }
        }
        for continuations in gazetteer.phrases.values_mut() {
            continuations.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        Ok(gazetteer)
    }

    fn add(&mut self, name: &'static str, class: Class) {
        // "king's college" has three tokens: "king", "'s", "college".
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
            let known = self.words.entry(first).or_default();
            *known = known.and(class);
        } else {
            self.phrases.entry(first).or_default().push((rest, class));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_files_load_and_every_section_has_a_class() {
        for (name, text, sections) in FILES {
            let mut expected: Vec<_> = sections.iter().map(|(name, ..)| *name).collect();
            expected.sort_unstable();
            assert_eq!(Lexicon::parse(name, text).unwrap().sections(), expected);
        }
        Gazetteer::load().unwrap();
    }

    #[test]
    fn state_codes_and_place_endings_are_known() {
        assert!(is_state_code("TX") && !is_state_code("in") && !is_state_code("XX"));
        assert!(has_place_ending("altstadt") && has_place_ending("saarbrück"));
        assert!(!has_place_ending("xham") && !has_place_ending("stadt"));
    }

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
