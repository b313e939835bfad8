//! The names in a query that say little about texts, because people address each other by them.

use rustc_hash::FxHashSet;

use super::profile::{AuthorNames, without_possessive};
use super::vocabulary::Vocabulary;
use crate::model;
use crate::views::Columns;

/// The names of authors in one query that many memories contain, or none. They select the author, not the text; a name
/// that few memories contain is a word like any other, because a question about a person is answered by what others say.
#[derive(Debug, Default)]
pub(super) struct UsualNames(FxHashSet<String>);

impl UsualNames {
    /// O(words).
    pub(super) fn in_query(words: &[String], names: &AuthorNames, columns: &dyn Columns) -> Self {
        let usual = words
            .iter()
            .map(|word| without_possessive(word))
            .filter(|word| names.contains(word) && is_usual(word, columns));
        Self(usual.map(str::to_owned).collect())
    }

    /// Whether a word is one of them.
    pub(super) fn contains(&self, word: &str) -> bool {
        !self.0.is_empty() && self.0.contains(without_possessive(word))
    }
}

fn is_usual(word: &str, columns: &dyn Columns) -> bool {
    let mut tokens = Vec::new();
    Vocabulary::get().table.tokens(word, &mut tokens);
    let frequencies = tokens.iter().map(|&token| columns.token_frequency(token));
    let frequency = frequencies.min().unwrap_or(0);
    let is_frequent = frequency > model::MAX_RARE_ROWS as u32
        && frequency as f32 > model::USUAL_NAME_SHARE * columns.rows() as f32;
    frequency == 0 || is_frequent
}
