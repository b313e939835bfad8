//! How rare the query's words are in a space.

use anamne_text::analyser::{Analyser, QueryTerm, QueryTerms};

use super::profile::{lower, raw_words};
use super::usual_names::UsualNames;
use super::vocabulary::Vocabulary;
use crate::model;
use crate::views::{Columns, LexicalSearch};

/// Maximum letters of a rare word that are shown.
const MAX_SHOWN_LETTERS: usize = 60;

/// Maximum terms of a rare word.
const MAX_TERMS: usize = 8;

/// A query word that almost no memory contains.
#[derive(Clone, Debug)]
pub(crate) struct RareWord {
    /// As written in the query, shortened.
    pub(crate) word: String,
    /// Its terms for the lexical search: several for the parts of an identifier.
    pub(crate) terms: QueryTerms,
}

/// The idf of each content term, taken from `all_idf` if known; 1 without a lexical view.
pub(super) fn content_idf(
    content: &QueryTerms,
    all: &QueryTerms,
    all_idf: &[f32],
    lexical: Option<&dyn LexicalSearch>,
) -> Vec<f32> {
    let Some(lexical) = lexical else {
        return vec![1.0; content.terms.len()];
    };
    let idf_in_all = |text: &str| {
        let index = all.terms.iter().position(|term| term.text == text)?;
        all_idf.get(index).copied()
    };
    let known: Option<Vec<f32>> = content
        .terms
        .iter()
        .map(|term| idf_in_all(&term.text))
        .collect();
    known.unwrap_or_else(|| lexical.idf(content))
}

/// The idf of a term that this many of `rows` memories contain.
pub(super) fn idf_at_frequency(containing: f32, rows: usize) -> f32 {
    ((rows as f32 - containing + 0.5).max(0.0) / (containing + 0.5)).ln_1p()
}

/// The only word of the query that one to [`model::MAX_RARE_ROWS`] memories contain, from all terms with their idf. A word may
/// consist of several terms, such as the parts of an identifier; author names don't count. In a small space a
/// dictionary word doesn't count either, unless it is the whole query: there it is in few memories for that reason
/// alone. O(query), and nearly free if no term is rare.
pub(super) fn rare_word(
    analyser: &mut Analyser,
    text: &str,
    names: &UsualNames,
    terms: &[(&QueryTerm, f32)],
    rows: usize,
) -> Option<RareWord> {
    let own = terms.iter().filter(|(term, _)| !term.is_guest());
    // The views' counts may differ slightly from the columns'.
    let (least, most) = (model::MAX_RARE_ROWS as f32 + 0.5, 0.5);
    let range = idf_at_frequency(least, rows)..idf_at_frequency(most, rows);
    let rare = own.clone().filter(|(_, idf)| range.contains(idf));
    let mut rare: Vec<QueryTerm> = rare.map(|(term, _)| (*term).clone()).collect();
    if !(1..=MAX_TERMS).contains(&rare.len()) {
        return None;
    }
    let is_common_word =
        |term: &QueryTerm| Vocabulary::get().with_stem(&term.text).next().is_some();
    let is_whole_query = own.count() == rare.len();
    if rows < model::LARGE_SPACE_ROWS && !is_whole_query && rare.iter().all(is_common_word) {
        return None;
    }
    for name in raw_words(text).filter(|word| names.contains(&lower(word))) {
        let name = analyser.query(name);
        rare.retain(|term| name.terms.iter().all(|part| part.text != term.text));
    }
    let mut is_whole = |word: &&str| {
        let parsed = analyser.query(word);
        let is_part = |term: &QueryTerm| parsed.terms.iter().any(|part| part.text == term.text);
        rare.iter().all(is_part)
    };
    let word = match &rare[..] {
        [] => return None,
        [term] => text
            .split_whitespace()
            .find(&mut is_whole)
            .unwrap_or(&term.text),
        _ => text.split_whitespace().find(&mut is_whole)?,
    };
    Some(RareWord {
        word: word
            .trim_matches(|sign: char| !sign.is_alphanumeric())
            .chars()
            .take(MAX_SHOWN_LETTERS)
            .collect(),
        terms: QueryTerms {
            terms: rare,
            ..QueryTerms::default()
        },
    })
}

/// The idf of a wordpiece over the space's memories (Robertson and Spärck Jones, kept above 0), plus the prior.
pub(super) fn piece_idf(columns: &dyn Columns, token: u16) -> f32 {
    let (rows, frequency) = (columns.rows() as f32, columns.token_frequency(token) as f32);
    (1.0 + (rows - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln() + prior_idf(columns)
}

/// The idf that [`model::PRIOR_ROWS`] virtual memories without the query's words add.
pub(super) fn prior_idf(columns: &dyn Columns) -> f32 {
    (model::PRIOR_ROWS / (columns.rows() as f32 + 1.0)).ln_1p()
}
