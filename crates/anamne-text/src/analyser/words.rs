//! Terms of single words: the base rule, the guest stems, and their caches.

use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use super::MAX_TERM_BYTES;
use super::fold::fold_into;
use super::function_words;
use super::language::{Evidence, LANGUAGES, Language, LanguageSet, evidence_of_letters};
use super::script::{Alphabet, alphabet};
use crate::border;

/// Maximum distinct words in the cache before it is cleared: about 1.5 MB.
const WORDS_KEPT: usize = 16_384;

/// Maximum words in each language's cache of guest stems before it is cleared: about 0.2 MB.
const GUESTS_KEPT: usize = 2_048;

/// Prefix of every guest term, so that stems of one language never match words of another.
pub const GUEST_MARK: char = '~';

/// The context-independent properties of a word.
#[derive(Clone, Copy)]
pub(super) struct Word {
    term_start: u32,
    term_bytes: u8,
    /// The word's evidence for the language of its text.
    pub(super) evidence: Evidence,
    /// The languages in which it is a function word.
    pub(super) functions: LanguageSet,
}

/// A cache of words with their base terms.
#[derive(Default)]
pub(super) struct WordCache {
    ids: FxHashMap<Box<str>, u32>,
    words: Vec<Word>,
    terms: String,
    folded: String,
}

impl WordCache {
    /// Looks up a lower-case word; analyses it if it is new.
    #[inline]
    pub(super) fn word(&mut self, lower: &str) -> (Word, &str) {
        let id = match self.ids.get(lower) {
            Some(id) => *id,
            None => self.learn(lower),
        };
        let word = self.words[id as usize];
        let start = word.term_start as usize;
        (
            word,
            &self.terms[start..start + usize::from(word.term_bytes)],
        )
    }

    #[cold]
    fn learn(&mut self, lower: &str) -> u32 {
        if self.words.len() >= WORDS_KEPT {
            self.ids.clear();
            self.words.clear();
            self.terms.clear();
        }
        let term_start = self.terms.len();
        base_term(lower, &mut self.folded, &mut self.terms);
        let function = function_words::evidence_of(lower);
        let word = Word {
            term_start: term_start as u32,
            term_bytes: (self.terms.len() - term_start) as u8,
            evidence: function.unwrap_or_else(|| evidence_of_letters(lower)),
            functions: function
                .map(|function| function.languages)
                .unwrap_or_default(),
        };
        let id = self.words.len() as u32;
        self.words.push(word);
        self.ids.insert(lower.into(), id);
        id
    }
}

/// Appends the base term of a lower-case word: folded, and stemmed only by the rules of its alphabet, so that a word
/// has the same base term in every text.
pub(super) fn base_term(lower: &str, folded: &mut String, terms: &mut String) {
    let start = terms.len();
    folded.clear();
    fold_into(lower, folded);
    match base_algorithm(folded) {
        Some(algorithm) => terms.push_str(&Stemmer::new(algorithm).stem(folded)),
        None => terms.push_str(folded),
    }
    if terms.len() == start {
        terms.push_str(lower);
    }
    cut_to_term(terms, start);
}

fn base_algorithm(folded: &str) -> Option<Algorithm> {
    let alphabet = alphabet(folded);
    // Devanagari and Tamil write vowels with marks, not all of which are letters.
    let spelt_with_marks = matches!(alphabet, Alphabet::Devanagari | Alphabet::Tamil);
    if !spelt_with_marks && !folded.chars().all(char::is_alphabetic) {
        return None;
    }
    match alphabet {
        Alphabet::Latin => folded.is_ascii().then_some(Algorithm::English),
        Alphabet::Greek => Some(Algorithm::Greek),
        Alphabet::Cyrillic if folded.contains(['і', 'ї', 'є', 'ґ']) => {
            Some(Algorithm::Ukrainian)
        }
        Alphabet::Cyrillic => Some(Algorithm::Russian),
        Alphabet::Arabic => Some(Algorithm::Arabic),
        Alphabet::Devanagari => Some(Algorithm::Hindi),
        Alphabet::Tamil => Some(Algorithm::Tamil),
        Alphabet::Armenian => Some(Algorithm::Armenian),
        Alphabet::Hebrew | Alphabet::Other => None,
    }
}

/// Truncates the term from `start` on to the maximum length, at a character boundary.
fn cut_to_term(terms: &mut String, start: usize) {
    let kept = cut(&terms[start..], MAX_TERM_BYTES).len();
    terms.truncate(start + kept);
}

/// The longest prefix of `text` with at most `bytes` bytes.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..border::at_or_before(text, bytes)]
}

/// Stems in languages other than English, marked as guest terms.
#[derive(Default)]
pub(super) struct GuestStems {
    stems: [FxHashMap<Box<str>, Box<str>>; LANGUAGES],
}

impl GuestStems {
    /// Passes each distinct guest term of a lower-case Latin word to `sink`.
    pub(super) fn terms(
        &mut self,
        lower: &str,
        languages: LanguageSet,
        mut sink: impl FnMut(&str),
    ) {
        for language in languages.iter() {
            self.learn(lower, language);
        }
        for language in languages.iter() {
            let term = self.known(lower, language);
            let earlier = languages.iter().take_while(|earlier| *earlier != language);
            if earlier
                .into_iter()
                .all(|earlier| self.known(lower, earlier) != term)
            {
                sink(term);
            }
        }
    }

    fn known(&self, lower: &str, language: Language) -> &str {
        self.stems[language as usize]
            .get(lower)
            .map_or("", |term| term)
    }

    fn learn(&mut self, lower: &str, language: Language) {
        let stems = &mut self.stems[language as usize];
        if stems.contains_key(lower) {
            return;
        }
        if stems.len() >= GUESTS_KEPT {
            stems.clear();
        }
        stems.insert(lower.into(), guest_term(lower, language).into());
    }
}

fn guest_term(lower: &str, language: Language) -> String {
    let singular = if language == Language::Portuguese {
        portuguese_singular(lower)
    } else {
        None
    };
    let stem = Stemmer::new(language.algorithm()).stem(singular.as_deref().unwrap_or(lower));
    let mut term = String::with_capacity(stem.len() + 1);
    term.push(GUEST_MARK);
    fold_into(&stem, &mut term);
    cut_to_term(&mut term, 0);
    term
}

/// The singular of plurals that Snowball does not unify: `decisões`, `animais`, `papéis`, `lençóis`.
fn portuguese_singular(lower: &str) -> Option<String> {
    let endings = [("ões", "ão"), ("ais", "al"), ("éis", "el"), ("óis", "ol")];
    let (stem, ending) = endings
        .iter()
        .find_map(|(plural, ending)| Some((lower.strip_suffix(plural)?, ending)))?;
    (stem.len() >= 2).then(|| format!("{stem}{ending}"))
}
