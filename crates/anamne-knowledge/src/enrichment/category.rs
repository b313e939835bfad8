//! What the cues say about the category of a text.

use super::cues::{Class, WORDS};
use super::tokens::{Shape, Token};

/// A single cue of this weight decides alone; what goes beyond it counts in part, so that many weak cues don't outweigh a strong one.
const FULL: i32 = 6;

/// What the cues say for each class that has any, with weights up to about twice [`FULL`].
pub(super) fn scores(tokens: &[Token]) -> Vec<(Class, i32)> {
    let mut by_class: Vec<(Class, i32, i32)> = Vec::new();
    for (class, weight) in WORDS.classes.found(tokens) {
        match by_class.iter_mut().find(|known| known.0 == class) {
            Some(known) => {
                known.1 = known.1.max(weight);
                known.2 += weight;
            }
            None => by_class.push((class, weight, weight)),
        }
    }
    let words = tokens.iter().filter(|token| token.shape != Shape::Mark);
    if words.count() <= 3 {
        by_class.push((None, 3, 3));
    }
    let scored = by_class.into_iter().map(|(class, strongest, sum)| {
        let rest = sum - strongest;
        (class, 2 * strongest + rest.min(2 * FULL))
    });
    scored.map(|(class, score)| (class, score / 2)).collect()
}
