//! How rare the words of a question are in a space.

use anamne_text::analyser::{Analyser, QueryTerm, QueryTerms};

use super::profile::{AuthorNames, lower, raw_words};
use super::vocabulary::Vocabulary;
use crate::model;
use crate::views::{Columns, LexicalSearch};

/// Letters of a rare word that are shown at most.
const MAX_SHOWN_LETTERS: usize = 60;

/// Terms that a rare word may be at most.
const MAX_TERMS: usize = 8;

/// A word of the question that next to no memory holds.
#[derive(Clone, Debug)]
pub(crate) struct RareWord {
    /// As it stands in the question, shortened.
    pub(crate) word: String,
    /// What the lexical search looks for: several terms for the parts of an identifier.
    pub(crate) terms: QueryTerms,
}

/// The idf of each content term: that of the same term among all, which the lexical view has told already, where there
/// is one; 1 without a lexical view.
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
        let place = all.terms.iter().position(|term| term.text == text)?;
        all_idf.get(place).copied()
    };
    let known: Option<Vec<f32>> = content
        .terms
        .iter()
        .map(|term| idf_in_all(&term.text))
        .collect();
    known.unwrap_or_else(|| lexical.idf(content))
}

/// The idf of a term that so many of `rows` memories hold.
pub(super) fn idf_at_frequency(containing: f32, rows: usize) -> f32 {
    ((rows as f32 - containing + 0.5).max(0.0) / (containing + 0.5)).ln_1p()
}

/// The one word of the question that stands in one to [`model::RARE`] memories, from all terms with their idf. A word may be
/// several terms, such as the parts of an identifier; names of authors are none. In a space of few memories a usual word of the
/// language is none either, unless nothing else was asked: such words stand in few memories there for that reason alone.
/// O(question), and next to nothing where no term is rare.
pub(super) fn rare_word(
    analyser: &mut Analyser,
    text: &str,
    names: &AuthorNames,
    terms: &[(&QueryTerm, f32)],
    rows: usize,
) -> Option<RareWord> {
    let own = terms.iter().filter(|(term, _)| !term.is_guest());
    // The views may count a few more or fewer memories than the columns do.
    let (least, most) = (model::RARE as f32 + 0.5, 0.5);
    let range = idf_at_frequency(least, rows)..idf_at_frequency(most, rows);
    let rare = own.clone().filter(|(_, idf)| range.contains(idf));
    let mut rare: Vec<QueryTerm> = rare.map(|(term, _)| (*term).clone()).collect();
    if !(1..=MAX_TERMS).contains(&rare.len()) {
        return None;
    }
    let is_common_word =
        |term: &QueryTerm| Vocabulary::get().with_stem(&term.text).next().is_some();
    let is_whole_query = own.count() == rare.len();
    if rows < model::MANY_ROWS && !is_whole_query && rare.iter().all(is_common_word) {
        return None;
    }
    for name in raw_words(text).filter(|word| names.contains(&lower(word))) {
        let name = analyser.query(name);
        rare.retain(|term| name.terms.iter().all(|part| part.text != term.text));
    }
    let mut is_whole = |word: &&str| {
        let is_whole_word = analyser.query(word);
        let is_part = |term: &QueryTerm| {
            is_whole_word
                .terms
                .iter()
                .any(|part| part.text == term.text)
        };
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

/// The idf of a wordpiece over the space's memories (Robertson and Spärck Jones, kept above 0), and those before them.
pub(super) fn piece_idf(columns: &dyn Columns, token: u16) -> f32 {
    let (rows, frequency) = (columns.rows() as f32, columns.token_frequency(token) as f32);
    (1.0 + (rows - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln() + prior_idf(columns)
}

/// What [`model::PRIOR_ROWS`] more memories, with none of the question's words, add to the idf of each.
pub(super) fn prior_idf(columns: &dyn Columns) -> f32 {
    (model::PRIOR_ROWS / (columns.rows() as f32 + 1.0)).ln_1p()
}
