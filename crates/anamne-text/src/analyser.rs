//! Converts text to index terms.
//!
//! Documents and queries use the same scanner, so that their terms match:
//!
//! 1. Text is normalised to NFKC, split into words (UAX 29, simplified for search) and lower-cased.
//! 2. Every word has one **base term**, which depends only on the word: diacritics folded, then stemmed by the rule of
//!    its alphabet (Latin: English; Cyrillic: Russian or Ukrainian by its letters; Greek, Arabic, Devanagari, Tamil,
//!    Armenian: their own). A word has the same base term whatever language is detected.
//! 3. Latin words of a text in another language also have **guest terms**: the stem in that language, marked with `~`,
//!    so that it matches only inflections in texts of the same language. The language is detected per block of about 4
//!    KiB by function words. English texts have none; a query without evidence of its language, and a short document
//!    with too little of it, have those of seven candidate languages.
//! 4. Han, kana, Hangul, Thai, Lao, Myanmar and Khmer become overlapping bigrams. Documents also have terms for single
//!    ideographs and Hangul syllables, so that one-character queries match; this doubles the terms of such texts.
//! 5. Identifiers, compounds, numbers, paths and addresses have a term for the joined whole (`parse_http_header`,
//!    `parseHttpHeader` -> `parsehttphead`) at the position of their first part, and one for each part.
//!
//! No term is longer than [`MAX_TERM_BYTES`]: a longer word is truncated (so that encoded data is one term per run), a
//! longer whole is omitted.

mod chunk;
mod fold;
mod function_words;
mod language;
mod other_scripts;
mod scan;
mod script;
mod words;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::border;
use chunk::Case;
use language::{Language, LanguageSet, LanguageVerdict, evidence_of_letters};
pub use other_scripts::{TextPart, has_other_scripts, parts_by_script};
use scan::{Receiver, ScanState};
pub use words::GUEST_MARK;
use words::GuestStems;

/// Version of the rules; an index written with another version must be rebuilt.
pub const ANALYSER_VERSION: u32 = 1;

/// Maximum length of a term, in bytes of UTF-8.
pub const MAX_TERM_BYTES: usize = 64;

/// Block size for normalisation and language detection, in bytes (approximate).
const BLOCK_BYTES: usize = 4096;

/// Maximum size of a block without white space, in bytes.
const MAX_BLOCK_BYTES: usize = 65_536;

/// A query as index terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    /// Distinct terms, in order of appearance.
    pub terms: Vec<QueryTerm>,
    /// The omitted stop words, lower case, distinct, in order of appearance. Empty if the query consists only of stop
    /// words, which are then kept as terms.
    pub dropped_stop_words: Vec<String>,
}

/// One term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term as in the index.
    pub text: String,
    /// Number of occurrences in the query.
    pub occurrences: u32,
}

/// Converts texts to index terms; reuses buffers and a stem cache between texts.
///
/// Creation is free; after much text an analyser uses a few megabytes. Results depend only on the given text, never on
/// earlier texts.
///
/// ```
/// use anamne_text::analyser::Analyser;
///
/// let mut analyser = Analyser::default();
/// let mut terms = Vec::new();
/// analyser.document("Anna's caches", &mut |term, position| terms.push((term.to_owned(), position)));
/// assert_eq!(terms[..2], [("anna".to_owned(), 0), ("cach".to_owned(), 1)]);
///
/// let query = analyser.query("where is the cache?");
/// assert_eq!(query.terms[0].text, "cach");
/// assert_eq!(query.dropped_stop_words, ["where", "is", "the"]);
/// ```
#[derive(Default)]
pub struct Analyser {
    scan: ScanState,
    guests: GuestStems,
    normal: String,
}

impl Analyser {
    /// An analyser with empty caches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Passes each term of a document to `sink`, with the position of its word.
    ///
    /// Positions count words from 0. Several terms may have the same position. The positions of a given term never
    /// decrease, but guest terms follow the block of base terms that they belong to. Stop words are included. Linear in
    /// the text; allocates only for new words.
    pub fn document(&mut self, text: &str, sink: &mut dyn FnMut(&str, u32)) {
        self.scan.position = 0;
        let mut before = None;
        for block in Blocks(text) {
            let block = normal_form(block, &mut self.normal);
            self.scan.begin_block();
            self.scan.scan(block, &mut DocumentTerms { sink });
            let verdict = self.scan.scores.verdict_on_document(block, before);
            before = Some(verdict);
            if verdict.guests.is_empty() {
                continue;
            }
            for (lower, word) in self.scan.plain.iter() {
                if !word.functions.meets(verdict.stops) {
                    self.guests
                        .terms(lower, verdict.guests, |term| sink(term, word.position));
                }
            }
        }
    }

    /// The language of a text by its beginning, as an ISO 639-1 code; `None` without evidence. O(1).
    pub fn language(&mut self, text: &str) -> Option<&'static str> {
        self.scan.position = 0;
        self.scan.begin_block();
        let block = Blocks(text).next()?;
        let block = normal_form(block, &mut self.normal);
        self.scan.scan(
            block,
            &mut DocumentTerms {
                sink: &mut |_, _| {},
            },
        );
        self.scan.scores.language(block).map(Language::code)
    }

    /// Converts a query to distinct terms without stop words.
    ///
    /// Stop words of the query's own language are omitted, unless the query has no other words, or the word is
    /// capitalised like a name: in all capitals (`IT`, `US`), or capitalised inside a sentence that is otherwise in
    /// lower case (`what did Will say`).
    pub fn query(&mut self, text: &str) -> QueryTerms {
        self.scan.position = 0;
        self.scan.begin_block();
        let mut found = FoundTerms::default();
        let block = normal_form(text, &mut self.normal);
        self.scan.scan(block, &mut found);
        let verdict = self.scan.scores.verdict_on_query(block);
        self.find_guests(verdict, &mut found);
        found.terms.sort_by_key(|term| term.position);
        found.into_query(verdict.stops)
    }

    fn find_guests(&mut self, verdict: LanguageVerdict, found: &mut FoundTerms) {
        for (lower, word) in self.scan.plain.iter() {
            if word.functions.meets(verdict.stops) {
                continue;
            }
            // A foreign word in an English query is also looked up in its own language.
            let by_letters = evidence_of_letters(lower)
                .languages
                .without(LanguageSet::ENGLISH);
            let languages = verdict.guests.union(by_letters);
            self.guests
                .terms(lower, languages, |term| found.guest(term, word.position));
        }
    }
}

/// Normalises a block to NFKC, using `buffer` if it changes.
fn normal_form<'a>(block: &'a str, buffer: &'a mut String) -> &'a str {
    let separated = separate_signs(block);
    if let Cow::Borrowed(block) = separated
        && (block.is_ascii() || is_nfkc_quick(block.chars()) == IsNormalized::Yes)
    {
        return block;
    }
    buffer.clear();
    buffer.extend(separated.nfkc());
    buffer
}

/// Replaces trade mark signs with spaces, because NFKC would append them to the preceding name as letters.
fn separate_signs(block: &str) -> Cow<'_, str> {
    if !block.is_ascii() && block.contains(['™', '℠']) {
        Cow::Owned(block.replace(['™', '℠'], " "))
    } else {
        Cow::Borrowed(block)
    }
}

struct DocumentTerms<'a> {
    sink: &'a mut dyn FnMut(&str, u32),
}

impl Receiver for DocumentTerms<'_> {
    const DOCUMENT: bool = true;

    #[inline]
    fn term(&mut self, term: &str, _: &str, position: u32, _: LanguageSet, _: Case) {
        (self.sink)(term, position);
    }
}

/// The terms of a query before stop words and duplicates are removed.
#[derive(Default)]
struct FoundTerms {
    terms: Vec<FoundTerm>,
}

struct FoundTerm {
    term: String,
    surface: String,
    position: u32,
    functions: LanguageSet,
    case: Case,
    guest: bool,
}

impl Receiver for FoundTerms {
    const DOCUMENT: bool = false;

    fn term(
        &mut self,
        term: &str,
        surface: &str,
        position: u32,
        functions: LanguageSet,
        case: Case,
    ) {
        let (term, surface) = (term.to_owned(), surface.to_owned());
        self.terms.push(FoundTerm {
            term,
            surface,
            position,
            functions,
            case,
            guest: false,
        });
    }
}

impl FoundTerms {
    fn guest(&mut self, term: &str, position: u32) {
        self.term(term, "", position, LanguageSet::default(), Case::Lower);
        if let Some(added) = self.terms.last_mut() {
            added.guest = true;
        }
    }

    /// Whether the term is `may` beside a number. The terms are sorted by position.
    fn is_month(&self, term: &FoundTerm) -> bool {
        if term.surface != "may" {
            return false;
        }
        let is_number = |other: &FoundTerm| {
            other
                .surface
                .starts_with(|first: char| first.is_ascii_digit())
        };
        let terms = &self.terms;
        let from = |position| terms.partition_point(|other| other.position < position);
        let at = |position: u32| &terms[from(position)..from(position + 1)];
        let before = term.position.checked_sub(1).map_or(&[][..], at);
        before.iter().chain(at(term.position + 1)).any(is_number)
    }

    fn into_query(self, stops: LanguageSet) -> QueryTerms {
        let writing = CapitalUse::of(&self.terms);
        let is_stop = |term: &FoundTerm| {
            term.functions.meets(stops) && !writing.marks_name(term) && !self.is_month(term)
        };
        let only_stop_words = self.terms.iter().all(|term| term.guest || is_stop(term));
        let mut query = QueryTerms::default();
        let mut places = FxHashMap::default();
        let mut dropped = FxHashSet::default();
        let stop: Vec<bool> = self.terms.iter().map(is_stop).collect();
        for (term, stop) in self.terms.into_iter().zip(stop) {
            if only_stop_words || !stop {
                let place = *places.entry(term.term.clone()).or_insert(query.terms.len());
                match query.terms.get_mut(place) {
                    Some(known) => known.occurrences += 1,
                    None => query.terms.push(QueryTerm {
                        text: term.term,
                        occurrences: 1,
                    }),
                }
            } else if dropped.insert(term.surface.clone()) {
                query.dropped_stop_words.push(term.surface);
            }
        }
        query
    }
}

impl QueryTerm {
    /// Whether the term is a stem in a language other than English.
    ///
    /// It duplicates another term of the query in its base form, so a ranker may count the better of the two, or reduce
    /// its weight.
    pub fn is_guest(&self) -> bool {
        self.text.starts_with(GUEST_MARK)
    }
}

/// The use of capitals in a query: they mark names only if they are rare.
struct CapitalUse {
    capitals_are_rare: bool,
    lower_case_exists: bool,
}

impl CapitalUse {
    fn of(terms: &[FoundTerm]) -> Self {
        let words = terms.iter().filter(|term| !term.guest);
        let (mut capitalised, mut lower) = (0, 0);
        for word in words {
            match word.case {
                Case::Lower => lower += 1,
                Case::Capitalised | Case::Upper => capitalised += 1,
            }
        }
        Self {
            capitals_are_rare: capitalised <= lower,
            lower_case_exists: lower > 0,
        }
    }

    fn marks_name(&self, term: &FoundTerm) -> bool {
        match term.case {
            Case::Lower => false,
            Case::Upper => {
                self.lower_case_exists && !matches!(term.surface.as_str(), "and" | "or" | "not")
            }
            Case::Capitalised => self.capitals_are_rare && term.position > 0 && term.surface != "i",
        }
    }
}

/// Splits a text at white space into blocks for normalisation and language detection.
struct Blocks<'a>(&'a str);

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (block, rest) = self.0.split_at(end_of_block(self.0));
        self.0 = rest;
        Some(block)
    }
}

fn end_of_block(text: &str) -> usize {
    if text.len() <= BLOCK_BYTES {
        return text.len();
    }
    let bytes = text.as_bytes();
    let early = bytes[BLOCK_BYTES / 2..BLOCK_BYTES]
        .iter()
        .rposition(u8::is_ascii_whitespace);
    if let Some(early) = early {
        return BLOCK_BYTES / 2 + early + 1;
    }
    let limit = border::at_or_before(text, MAX_BLOCK_BYTES);
    let late = bytes[BLOCK_BYTES..limit.max(BLOCK_BYTES)]
        .iter()
        .position(u8::is_ascii_whitespace);
    late.map_or(limit, |late| BLOCK_BYTES + late + 1)
}

/// Whether `word`, in lower case and without apostrophes, is an English function word: one with a grammatical role
/// rather than a meaning. O(1).
pub fn is_function_word(word: &str) -> bool {
    is_in(word, Language::English)
}

/// The same for the language with this ISO 639-1 code; false for an unknown one. O(1).
pub fn is_function_word_in(word: &str, code: &str) -> bool {
    Language::of_code(code).is_some_and(|language| is_in(word, language))
}

fn is_in(word: &str, language: Language) -> bool {
    function_words::evidence_of(word).is_some_and(|evidence| evidence.languages.contains(language))
}
