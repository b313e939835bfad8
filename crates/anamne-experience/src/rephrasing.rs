//! Was a question asked again in other words?

use crate::ExperienceError;
use crate::same_request::{Difference, Verdict, same_request};
use crate::view::likeness;

/// Cosine of two questions from which they ask for the same, if no number, negation or order differs. See `anamne-eval
/// rephrasings`.
pub const REPHRASED: f32 = 0.85;

/// The cosine of two questions; `None` if their numbers, negations, directions or orders differ, so that they ask for
/// different things. O(bytes).
pub fn rephrasing(one: &str, other: &str) -> Result<Option<f32>, ExperienceError> {
    match same_request(one, other) {
        Verdict::Same => Ok(Some(1.0)),
        Verdict::Different(Difference::Words | Difference::Incomparable) => {
            likeness(one, other).map(Some)
        }
        Verdict::Different(_) => Ok(None),
    }
}

/// Whether one question is the other in other words; not if the words are equal. O(bytes).
pub fn is_rephrased(one: &str, other: &str) -> Result<bool, ExperienceError> {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    if words(one) == words(other) {
        return Ok(false);
    }
    let likeness = rephrasing(one, other)?;
    Ok(likeness.is_some_and(|likeness| likeness >= REPHRASED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        assert_eq!(
            is_rephrased(one, other).expect("compared"),
            expected,
            "{one} | {other}"
        );
    }

    #[test]
    fn other_words_are_a_rephrasing_and_other_questions_are_none() {
        check(
            "install postgres 16 on ubuntu",
            "How do I install PostgreSQL 16 on Ubuntu?",
            true,
        );
        check(
            "install postgres 16 on ubuntu",
            "install postgres 15 on ubuntu",
            false,
        );
        check("Where is the key?", "where is  the key?", false);
        check(
            "where does the ferry leave?",
            "who waters the plants?",
            false,
        );
    }
}
