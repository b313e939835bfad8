//! A query parsed for matching with wordpieces.

use std::cell::RefCell;

use anamne_embed::{SimilarTokens, TokenTable};
use anamne_text::analyser::{Analyser, GUEST_MARK, QueryTerms, is_function_word};
use anamne_text::time::MONTHS;
use rustc_hash::FxHashSet;

use super::profile::{SpaceProfile, lower, raw_words, words_of};
use super::rarity::{RareWord, content_idf, idf_at_frequency, piece_idf, prior_idf, rare_word};
use super::time_mentions;
use super::usual_names::UsualNames;
use super::vocabulary::Vocabulary;
use super::word_matches::WordMatches;
use crate::model;
use crate::views::{Columns, LexicalSearch};

/// Maximum wordpieces compared and terms counted: the rarest.
const MAX_WORDS: usize = 96;

thread_local! {
    /// Caches the stems of words of earlier queries.
    static ANALYSER: RefCell<Analyser> = RefCell::default();
}

/// A parsed query.
pub(crate) struct ParsedQuery {
    /// The terms of the lexical search, including names.
    pub(crate) terms: QueryTerms,
    /// The terms counted in texts: without stop words and the names of authors that many texts contain.
    pub(crate) content: QueryTerms,
    /// The query word of each content term.
    pub(crate) term_words: Vec<String>,
    /// The maximum of the lexical view's own BM25 (k1 = 1.2) for all terms together.
    pub(crate) max_lexical_score: f32,
    /// The content terms that at most two memories contain: their indices and idf.
    pub(crate) rare_terms: Vec<(usize, f32)>,
    /// The only word that at most [`model::MAX_RARE_ROWS`] memories contain; `None` if there is none or several.
    pub(crate) rare_word: Option<RareWord>,
    /// The weight of each content term, a power of its idf.
    pub(crate) term_weights: Vec<f32>,
    /// The weight of each compared wordpiece: its idf.
    pub(crate) piece_weights: Vec<f32>,
    /// The compared wordpieces, in the order of their weights.
    pub(crate) pieces: Vec<u16>,
    /// The numbers of the authors that the query names.
    pub(crate) named_authors: Vec<u32>,
    /// The numbers of all authors with a name of their own.
    pub(crate) persons: FxHashSet<u32>,
    /// All its wordpieces.
    pub(crate) tokens: Vec<u16>,
    /// Its lower-cased words.
    pub(crate) words: Vec<String>,
    /// Whether it contains a month or a year, so that dates must be compared.
    pub(crate) mentions_date: bool,
    /// Whether it asks when or for how long.
    pub(crate) asks_for_time: bool,
    /// How tokens of texts match it.
    pub(super) matches: WordMatches,
}

impl ParsedQuery {
    /// Parses `text`. O(words of the query).
    pub(crate) fn new(
        text: &str,
        facts: &SpaceProfile,
        lexical: Option<&dyn LexicalSearch>,
        columns: &dyn Columns,
    ) -> Self {
        ANALYSER.with_borrow_mut(|analyser| Self::parse(analyser, text, facts, lexical, columns))
    }

    fn parse(
        analyser: &mut Analyser,
        text: &str,
        facts: &SpaceProfile,
        lexical: Option<&dyn LexicalSearch>,
        columns: &dyn Columns,
    ) -> Self {
        let (words, names) = (words_of(text), &facts.names);
        let usual = UsualNames::in_query(&words, names, columns);
        // With the original case: a capital distinguishes a name or a month from a function word.
        let content_text: Vec<&str> = raw_words(text)
            .filter(|word| !usual.contains(&lower(word)))
            .collect();
        let terms = analyser.query(text);
        let mut content = analyser.query(&content_text.join(" "));
        if content.terms.is_empty() {
            content = terms.clone();
        }
        let foreign_stems = content.terms.extract_if(.., |term| term.is_guest());
        let foreign_stems = foreign_stems.map(|term| term.text).collect();
        content.terms.truncate(MAX_WORDS);
        let all_idf = lexical.map_or_else(Vec::new, |lexical| lexical.idf(&terms));
        let idf = content_idf(&content, &terms, &all_idf, lexical);
        // The idf of a term that two memories contain; rarer ones have more.
        let min_idf = idf_at_frequency(2.0, columns.rows()) - 1e-3;
        let rare_terms = idf
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, idf)| *idf >= min_idf)
            .collect();
        let known: Vec<_> = terms.terms.iter().zip(all_idf.iter().copied()).collect();
        let rare_word = rare_word(analyser, text, &usual, &known, columns.rows());
        let occurrences = terms.terms.iter().map(|term| term.occurrences as f32);
        let mut query = Self {
            max_lexical_score: 2.2
                * all_idf
                    .iter()
                    .zip(occurrences)
                    .map(|(idf, times)| idf * times)
                    .sum::<f32>(),
            term_words: content.terms.iter().map(|term| term.text.clone()).collect(),
            rare_terms,
            rare_word,
            term_weights: idf
                .iter()
                .map(|idf| (idf + prior_idf(columns)).powf(model::IDF_POWER))
                .collect(),
            piece_weights: Vec::new(),
            pieces: Vec::new(),
            named_authors: names.named_in(&words),
            persons: names.persons.clone(),
            matches: WordMatches::default(),
            tokens: Vec::new(),
            terms,
            content,
            mentions_date: words.iter().any(|word| is_date_word(word)),
            asks_for_time: time_mentions::asks_for_time(&words),
            words,
        };
        query.match_terms(analyser, &usual, &foreign_stems);
        query.match_pieces(text, &usual, columns);
        query
    }

    /// The words of the content terms whose index satisfies a condition.
    pub(crate) fn words_where(&self, condition: impl Fn(usize) -> bool) -> Vec<String> {
        let words = self.term_words.iter().enumerate();
        let words = words.filter(|(term, _)| condition(*term));
        let mut words: Vec<String> = words.map(|(_, word)| word.clone()).collect();
        words.dedup();
        words
    }

    /// The query vector: its wordpieces' vectors, rare ones heavier, stop words lighter, without usual names.
    pub(crate) fn vector(
        text: &str,
        facts: &SpaceProfile,
        columns: &dyn Columns,
        table: &dyn TokenTable,
        sum: &mut [f32],
    ) {
        let names = UsualNames::in_query(&words_of(text), &facts.names, columns);
        let mut tokens = Vec::new();
        table.tokens(text, &mut tokens);
        sum.fill(0.0);
        let weight = |token: u16| {
            let piece = table.token_text(token);
            let share = if is_stop_token(table, token) {
                model::STOP_PIECE_SHARE
            } else {
                1.0
            };
            if names.contains(piece) {
                0.0
            } else {
                share * piece_idf(columns, token).sqrt()
            }
        };
        let all_names = tokens.iter().all(|&token| weight(token) <= 0.0);
        for &token in &tokens {
            table.add_row(token, if all_names { 1.0 } else { weight(token) }, sum);
        }
    }

    /// Finds the tokens that share a term's stem, and the words of several tokens.
    fn match_terms(
        &mut self,
        analyser: &mut Analyser,
        names: &UsualNames,
        foreign_stems: &FxHashSet<String>,
    ) {
        let vocabulary = Vocabulary::get();
        let terms = &self.content.terms;
        for (index, term) in terms.iter().enumerate() {
            let hashed = vocabulary.table.token_of_term(&term.text);
            for token in vocabulary.with_stem(&term.text).chain(hashed) {
                self.matches.add_term(token, index);
            }
        }
        for word in self.words.iter().filter(|word| !names.contains(word)) {
            let mut base = None;
            analyser.document(word, &mut |found, _| {
                base = base.or_else(|| terms.iter().position(|term| term.text == found));
            });
            if let Some(term) = base {
                self.term_words[term].clone_from(word);
                let forms = forms(analyser, word, foreign_stems);
                add_sequences(&mut self.matches, &forms, term);
            }
        }
    }

    /// Chooses the wordpieces to compare, and finds similar tokens of each.
    fn match_pieces(&mut self, text: &str, names: &UsualNames, columns: &dyn Columns) {
        let table = Vocabulary::get().table;
        let mut tokens = Vec::new();
        table.tokens(text, &mut tokens);
        self.tokens.clone_from(&tokens);
        let mut seen = FxHashSet::default();
        tokens.retain(|token| seen.insert(*token));
        let is_name = |token: &u16| names.contains(table.token_text(*token));
        let kept = |piece: &str| self.content.terms.iter().any(|term| term.text == piece);
        let is_stop = |token: &u16| is_stop_token(table, *token) && !kept(table.token_text(*token));
        let mut pieces: Vec<u16> = tokens
            .iter()
            .copied()
            .filter(|token| !is_stop(token) && !is_name(token))
            .collect();
        if pieces.is_empty() {
            pieces = tokens
                .iter()
                .copied()
                .filter(|token| !is_stop(token))
                .collect();
        }
        if pieces.is_empty() {
            pieces = tokens;
        }
        let mut weighed: Vec<(f32, u16)> = pieces
            .into_iter()
            .map(|token| (piece_idf(columns, token), token))
            .collect();
        if weighed.len() > MAX_WORDS {
            weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
            weighed.truncate(MAX_WORDS);
        }
        for (index, (weight, piece)) in weighed.into_iter().enumerate() {
            self.piece_weights.push(weight);
            self.pieces.push(piece);
            if table.is_hashed(piece) {
                self.matches.add_piece(piece, index, 1.0);
            }
            for (token, cosine) in SimilarTokens::builtin().of(piece) {
                self.matches.add_piece(token, index, cosine);
            }
        }
    }
}

/// A word with its stems in the languages of the query.
fn forms(analyser: &mut Analyser, word: &str, foreign_stems: &FxHashSet<String>) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if !foreign_stems.is_empty() {
        let terms = analyser.query(word).terms.into_iter();
        let stems = terms.filter(|term| foreign_stems.contains(&term.text));
        forms.extend(stems.map(|term| term.text[GUEST_MARK.len_utf8()..].to_owned()));
    }
    forms
}

/// Adds the words of several pieces among the forms of a term. A word that continues a stem is an inflection of it.
fn add_sequences(matches: &mut WordMatches, forms: &[String], term: usize) {
    let table = Vocabulary::get().table;
    let pieces = |form: &String| {
        let mut pieces = Vec::new();
        table.tokens(form, &mut pieces);
        pieces
    };
    let mut sequences: Vec<Vec<u16>> = forms.iter().map(pieces).collect();
    sequences.sort_by_key(Vec::len);
    let mut added: Vec<&[u16]> = Vec::new();
    for sequence in &sequences {
        // A shorter one has been added that matches the same words.
        let is_met = added.iter().any(|known| sequence.starts_with(known));
        if let [first, second, rest @ ..] = &sequence[..]
            && !is_met
            && !table.is_hashed(*first)
        {
            matches.add_sequence([*first, *second], rest, term);
            added.push(sequence);
        }
    }
}

/// Whether a token has no meaning of its own.
fn is_stop_token(table: &dyn TokenTable, token: u16) -> bool {
    if table.is_hashed(token) {
        table.is_hashed_function_word(token)
    } else {
        is_stop_piece(table.token_text(token))
    }
}

/// Whether a wordpiece has no meaning of its own: a function word, or no letter and no digit.
fn is_stop_piece(piece: &str) -> bool {
    matches!(piece, "s" | "t" | "d" | "m" | "ll" | "re" | "ve")
        || is_function_word(piece)
        || !piece.chars().any(char::is_alphanumeric)
}

/// Whether a word is a month or looks like a year.
fn is_date_word(word: &str) -> bool {
    MONTHS.contains(&word) || (word.len() == 4 && word.bytes().all(|digit| digit.is_ascii_digit()))
}
