//! Candidates for names: listed names, and runs of capitalised words.

mod cues;
mod listed;
mod runs;

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::speech::Capitalisation;
use crate::reading::gazetteer::Class;
use crate::reading::tokens::{Shape, Token, Tokens};

/// A run of words that may be a name.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its tokens, without title and article.
    pub(super) tokens: Range<usize>,
    /// Its classes in the lists of names.
    pub(super) listed: Class,
    /// Whether a title such as `Dr.` precedes it.
    pub(super) titled: bool,
    /// Whether its capital is no evidence because it starts a sentence.
    pub(super) weak: bool,
    /// Whether all its words are ordinary words.
    pub(super) ordinary: bool,
}

/// A text to search for names, and how it capitalises its words.
struct Text<'a> {
    tokens: &'a Tokens<'a>,
    speech: &'a Capitalisation,
    /// Tokens already in use.
    taken: &'a [bool],
    /// Words that occur in lower case.
    lower: FxHashSet<&'a str>,
    /// Words that occur with a capital that grammar doesn't require.
    capital: FxHashSet<&'a str>,
}

/// Finds the runs of words that may be names among the tokens not in use.
pub(super) fn candidates(
    tokens: &Tokens<'_>,
    speech: &Capitalisation,
    taken: &[bool],
) -> Vec<Candidate> {
    let text = Text::of(tokens, speech, taken);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.all.len() {
        let candidate = if taken[at] || !tokens.all[at].is_word() {
            None
        } else {
            text.listed(at).or_else(|| text.run(at))
        };
        at = match &candidate {
            Some(candidate) => candidate.tokens.end.max(at + 1),
            None => at + 1,
        };
        found.extend(candidate);
    }
    found
}

impl<'a> Text<'a> {
    fn of(tokens: &'a Tokens<'_>, speech: &'a Capitalisation, taken: &'a [bool]) -> Self {
        let mut text = Self {
            tokens,
            speech,
            taken,
            lower: FxHashSet::default(),
            capital: FxHashSet::default(),
        };
        for token in &tokens.all {
            if token.shape == Shape::Lower && token.lower.len() > 2 {
                text.lower.insert(&token.lower);
            } else if token.shape == Shape::Capital && !token.begins && !token.titled {
                text.capital.insert(&token.lower);
            }
        }
        text
    }

    fn token(&self, at: usize) -> &'a Token<'a> {
        &self.tokens.all[at]
    }
}

/// Whether names of places, organisations, concepts, projects or tools end with the word.
pub(super) fn is_head(token: &Token<'_>) -> bool {
    token.class.is(Class::PLACE_HEAD
        .and(Class::ORGANISATION_HEAD)
        .and(Class::CONCEPT_HEAD)
        .and(Class::PROJECT_HEAD)
        .and(Class::TOOL_HEAD))
}
