//! Memories that hold the one rare word of a question come first: whoever asks for an identifier or a name that next to no
//! memory holds asks for those memories, however long they are and whatever else is near.

use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::looking::Looking;
use crate::model;
use crate::ranked::Ranked;
use crate::views::Found;
use crate::words::Question;

/// The rows that hold the rare word of the question, best first. They are few: the search reads as many postings.
pub(crate) fn holders(
    looking: &Looking<'_>,
    question: &Question,
    rows: Option<&RoaringBitmap>,
) -> Vec<Found> {
    let (Some(rare), Some(lexical)) = (&question.rare, looking.sources.lexical) else {
        return Vec::new();
    };
    let found = lexical.search(&rare.terms, model::RARE, rows);
    // The search for the whole question reports a view that fails.
    found.unwrap_or_default()
}

/// Moves `rows`, which hold the rare word of the question, before all others, in the order that they have. O(results).
pub(crate) fn lead(ranked: &mut [Ranked], rows: &[Row], question: &Question) {
    let Some(rare) = question.rare.as_ref().filter(|_| !rows.is_empty()) else {
        return;
    };
    let mut place = 0;
    for at in 0..ranked.len() {
        if place < rows.len() && rows.contains(&ranked[at].candidate.row) {
            ranked[place..=at].rotate_right(1);
            ranked[place].aside_mut().rare_word = Some(rare.word.clone());
            place += 1;
        }
    }
}
