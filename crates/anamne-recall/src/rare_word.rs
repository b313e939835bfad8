//! Memories that hold the one rare word of a question come first: whoever asks for an identifier or a name that next to no
//! memory holds asks for those memories, however long they are and whatever else is near.

use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::model;
use crate::ranked::Ranked;
use crate::recall_context::RecallContext;
use crate::views::SearchHit;
use crate::words::ParsedQuery;

/// The rows that hold the rare word of the question, best first. They are few: the search reads as many postings.
pub(crate) fn rows_with_rare_word(
    context: &RecallContext<'_>,
    query: &ParsedQuery,
    rows: Option<&RoaringBitmap>,
) -> Vec<SearchHit> {
    let (Some(rare), Some(lexical)) = (&query.rare, context.sources.lexical) else {
        return Vec::new();
    };
    let found = lexical.search(&rare.terms, model::RARE, rows);
    // The search for the whole question reports a view that fails.
    found.unwrap_or_default()
}

/// Moves `rows`, which hold the rare word of the question, before all others, in the order that they have. O(results).
pub(crate) fn move_to_front(ranked: &mut [Ranked], rows: &[Row], query: &ParsedQuery) {
    let Some(rare) = query.rare.as_ref().filter(|_| !rows.is_empty()) else {
        return;
    };
    let mut place = 0;
    for at in 0..ranked.len() {
        if place < rows.len() && rows.contains(&ranked[at].candidate.row) {
            ranked[place..=at].rotate_right(1);
            ranked[place].overrides_mut().rare_word = Some(rare.word.clone());
            place += 1;
        }
    }
}
