//! The category of a text, by its cues.

use anamne_types::Category;

use super::cues::{Class, WORDS};
use super::tokens::{Shape, Token};

/// Least score of a category.
const LEAST: i32 = 4;

/// A single cue of this weight decides alone; what goes beyond it counts in part, so that many weak cues don't outweigh a strong one.
const FULL: i32 = 6;

/// The category with the strongest cues; `None` where what is none of the nine has stronger ones, or nothing has any.
pub(super) fn category(tokens: &[Token]) -> Option<Category> {
    let scores = scores(tokens);
    let best = scores.iter().max_by_key(|(class, score)| {
        // At a tie the category with the lower number, for a stable result.
        (*score, std::cmp::Reverse(number(*class)))
    });
    best.filter(|(_, score)| *score >= LEAST)
        .and_then(|(class, _)| *class)
}

fn number(class: Class) -> u8 {
    class.map_or(0, Category::number)
}

fn scores(tokens: &[Token]) -> Vec<(Class, i32)> {
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
