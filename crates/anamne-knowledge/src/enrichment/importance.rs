//! The importance of a text: by its category, and by words that raise or lower it.

use anamne_types::Category;

use super::cues::WORDS;
use super::tokens::{Shape, Token};

/// Number of words below which a text without a category is small talk.
const SMALL_TALK: usize = 7;

/// Importance, 1 to 10.
pub(super) fn importance(tokens: &[Token], category: Option<Category>) -> u8 {
    let points: i32 = WORDS.importance.found(tokens).into_iter().sum();
    let importance = base(tokens, category) + points.clamp(-2, 2);
    importance.clamp(1, 10) as u8
}

fn base(tokens: &[Token], category: Option<Category>) -> i32 {
    let words = tokens.iter().filter(|token| token.shape != Shape::Mark);
    match category {
        Some(Category::Constraint | Category::ArchitectureDecision) => 7,
        Some(Category::BugFix | Category::Insight) => 6,
        Some(Category::Entity | Category::Reference) => 4,
        Some(_) => 5,
        None if words.count() < SMALL_TALK => 1,
        None => 2,
    }
}
