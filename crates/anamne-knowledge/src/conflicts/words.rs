//! Grammatical roles of English words, as far as claims need them, and the stems by which claims are compared.

use std::sync::LazyLock;

use anamne_text::analyser::Analyser;
use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::{FxHashMap, FxHashSet};

/// The lists of `data/claims.txt`.
struct ClaimWords {
    function_words: FxHashSet<&'static str>,
    generic_nouns: FxHashSet<&'static str>,
    idle_verbs: FxHashSet<&'static str>,
    other_verbs: FxHashSet<&'static str>,
    /// Base forms of irregular forms.
    lemmas: FxHashMap<&'static str, &'static str>,
    /// The groups of a verb, as bits.
    groups: FxHashMap<&'static str, u64>,
    governing: FxHashMap<Governing, FxHashSet<&'static str>>,
    moods: FxHashSet<&'static str>,
    times: FxHashSet<&'static str>,
    /// Words for a state, and for that in which it is not so.
    opposites: FxHashMap<&'static str, &'static str>,
}

/// Lists of words that decide whether what they govern holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Governing {
    Negation,
    Modal,
    Duty,
    Wish,
    Doubt,
    Opinion,
    Retraction,
    PastTime,
    Temporary,
    Spell,
    Part,
    Environment,
    EnvironmentKind,
    EnvironmentNoun,
}

/// The section of each list in `data/claims.txt`.
const GOVERNING: [(Governing, &str); 14] = [
    (Governing::Negation, "negations"),
    (Governing::Modal, "modals"),
    (Governing::Duty, "duties"),
    (Governing::Wish, "wishes"),
    (Governing::Doubt, "doubts"),
    (Governing::Opinion, "opinions"),
    (Governing::Retraction, "retractions"),
    (Governing::PastTime, "past_times"),
    (Governing::Temporary, "temporary"),
    (Governing::Spell, "spells"),
    (Governing::Part, "parts"),
    (Governing::Environment, "environments"),
    (Governing::EnvironmentKind, "environment_kinds"),
    (Governing::EnvironmentNoun, "environment_nouns"),
];

static WORDS: LazyLock<ClaimWords> =
    LazyLock::new(|| ClaimWords::load().expect("a test loads the data file"));

impl ClaimWords {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/claims.txt");
        let file = Lexicon::parse("claims.txt", TEXT)?;
        let set = |section| Ok(file.words(section)?.into_iter().collect());
        let mut groups: FxHashMap<&'static str, u64> = FxHashMap::default();
        for (group, row) in file.rows("verb_groups", 1)?.iter().enumerate() {
            let bit = 1_u64
                .checked_shl(group as u32)
                .ok_or_else(|| row.fault("more than 64 groups"))?;
            for verb in row.cells[0].split_ascii_whitespace() {
                *groups.entry(verb).or_default() |= bit;
            }
        }
        let irregular = file.rows("irregular", 2)?;
        let governing = GOVERNING
            .into_iter()
            .map(|(list, section)| Ok((list, set(section)?)))
            .collect::<Result<_, LexiconError>>()?;
        Ok(Self {
            function_words: set("function_words")?,
            generic_nouns: set("generic_nouns")?,
            idle_verbs: set("idle_verbs")?,
            other_verbs: set("other_verbs")?,
            lemmas: irregular
                .iter()
                .map(|row| (row.cells[0], row.cells[1]))
                .collect(),
            groups,
            governing,
            moods: set("moods")?,
            times: set("times")?,
            opposites: file
                .rows("opposites", 2)?
                .iter()
                .map(|row| (row.cells[0], row.cells[1]))
                .collect(),
        })
    }
}

impl Governing {
    /// Whether a word (in lower case) is in this list.
    pub(super) fn has(self, lower: &str) -> bool {
        WORDS.governing[&self].contains(lower)
    }
}

/// Whether an index term names how someone feels at the moment.
pub(super) fn is_mood(term: &str) -> bool {
    WORDS.moods.contains(term)
}

/// Whether an index term names a time.
pub(super) fn is_time(term: &str) -> bool {
    WORDS.times.contains(term)
}

/// What something in this state is not: `open` for `closed`.
pub(super) fn opposite(lower: &str) -> Option<&'static str> {
    WORDS.opposites.get(lower).copied()
}

/// Whether a word is in a space-separated list.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|listed| listed == word)
}

/// Whether a word (in lower case) has a grammatical role rather than a topic.
pub(super) fn is_function_word(lower: &str) -> bool {
    WORDS.function_words.contains(lower)
}

/// Whether a word says little about the topic.
pub(super) fn is_generic(lower: &str) -> bool {
    WORDS.generic_nouns.contains(lower) || WORDS.generic_nouns.contains(lower.trim_end_matches('s'))
}

/// Whether denying this verb makes no claim that another statement could contradict.
pub(super) fn is_idle_verb(lemma: &str) -> bool {
    WORDS.idle_verbs.contains(lemma)
}

/// The groups of a verb, as a bit set; 0 for verbs without a group.
pub(super) fn verb_groups(lemma: &str) -> u64 {
    WORDS.groups.get(lemma).copied().unwrap_or(0)
}

/// Whether a word is a form of a known verb.
pub(super) fn is_known_verb(form: &str) -> bool {
    let lemma = verb_lemma(form);
    WORDS.groups.contains_key(lemma.as_str()) || WORDS.lemmas.contains_key(form)
}

/// Whether a word (in lower case) may be a form of a known verb, also one of thinking or change.
pub(crate) fn is_verb_form(form: &str) -> bool {
    let lemma = verb_lemma(form);
    is_known_verb(form)
        || WORDS.other_verbs.contains(lemma.as_str())
        || WORDS.idle_verbs.contains(lemma.as_str())
}

/// Whether a form can be a past tense or a past participle.
pub(super) fn is_past_form(form: &str) -> bool {
    WORDS.lemmas.contains_key(form) || (form.len() > 3 && form.ends_with("ed"))
}

fn is_base(form: &str) -> bool {
    WORDS.groups.contains_key(form) || WORDS.other_verbs.contains(form)
}

/// The base form of a verb: exact for known ones, by ending for others.
pub(super) fn verb_lemma(form: &str) -> String {
    if let Some(lemma) = WORDS.lemmas.get(form) {
        return (*lemma).to_owned();
    }
    if is_base(form) {
        return form.to_owned();
    }
    let stem = ["ing", "ied", "ed", "ies", "es", "s"]
        .into_iter()
        .find_map(|end| form.strip_suffix(end).map(|stem| (stem, end)));
    let Some((stem, end)) = stem.filter(|(stem, _)| stem.len() > 1) else {
        return form.to_owned();
    };
    let undoubled = match stem.as_bytes() {
        [.., last, before] if last == before && !matches!(before, b's' | b'l' | b'e' | b'o') => {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    };
    let candidates = [
        format!("{stem}e"),
        stem.to_owned(),
        undoubled.to_owned(),
        format!("{stem}y"),
        stem[..stem.len() - usize::from(stem.ends_with("ll"))].to_owned(),
    ];
    let known = candidates.iter().find(|candidate| is_base(candidate));
    match (known, end) {
        (Some(known), _) => known.clone(),
        (None, "ied" | "ies") => format!("{stem}y"),
        (None, _) => undoubled.to_owned(),
    }
}

/// The index terms of words, cached.
#[derive(Default)]
pub(crate) struct Stems {
    analyser: Analyser,
    known: FxHashMap<String, String>,
}

impl Stems {
    /// The index term of a word in lower case, as in the lexical index.
    pub(crate) fn of(&mut self, lower: &str) -> String {
        if let Some(stem) = self.known.get(lower) {
            return stem.clone();
        }
        let mut first = None;
        self.analyser.document(lower, &mut |term, _| {
            first.get_or_insert_with(|| term.to_owned());
        });
        let stem = first.unwrap_or_else(|| lower.to_owned());
        self.known.insert(lower.to_owned(), stem.clone());
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_loads() {
        ClaimWords::load().unwrap();
    }

    #[test]
    fn verbs_come_to_their_base_form() {
        for (form, lemma) in [
            ("written", "write"),
            ("implemented", "implement"),
            ("using", "use"),
            ("tried", "try"),
            ("running", "run"),
            ("enrolled", "enroll"),
            ("completing", "complete"),
            ("passed", "pass"),
            ("supports", "support"),
            ("brewed", "brew"),
            ("ed", "ed"),
        ] {
            assert_eq!(verb_lemma(form), lemma, "{form}");
        }
        assert_ne!(verb_groups("write") & verb_groups("implement"), 0);
        assert_eq!(verb_groups("write") & verb_groups("visit"), 0);
    }

    #[test]
    fn stems_are_those_of_the_index() {
        let mut stems = Stems::default();
        assert_eq!(stems.of("caches"), "cach");
        assert_eq!(stems.of("caches"), "cach");
        assert_eq!(stems.of("…"), "…");
        for month in [
            "january",
            "february",
            "july",
            "september",
            "october",
            "december",
        ] {
            assert!(is_time(&stems.of(month)), "{month}");
        }
        for mood in ["happy", "busy", "sure", "curious", "worried"] {
            assert!(is_mood(&stems.of(mood)), "{mood}");
        }
    }
}
