//! Memories that contain the only rare word of a query come first: a query for an identifier or a name that almost no
//! memory contains is meant for those, whatever their length and the similarity of others.

use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::model;
use crate::ranked::Ranked;
use crate::recall_context::RecallContext;
use crate::views::SearchHit;
use crate::words::ParsedQuery;

/// The rows that contain the query's rare word, best first. They are few: the search reads as many postings.
pub(crate) fn rows_with_rare_word(
    context: &RecallContext<'_>,
    query: &ParsedQuery,
    rows: Option<&RoaringBitmap>,
) -> Vec<SearchHit> {
    let (Some(rare), Some(lexical)) = (&query.rare_word, context.sources.lexical) else {
        return Vec::new();
    };
    let found = lexical.search(&rare.terms, model::MAX_RARE_ROWS, rows);
    // The main search reports a failed view.
    found.unwrap_or_default()
}

/// Moves `rows`, which contain the query's rare word, to the front, in their order. O(results).
pub(crate) fn move_to_front(ranked: &mut [Ranked], rows: &[Row], query: &ParsedQuery) {
    let Some(rare) = query.rare_word.as_ref().filter(|_| !rows.is_empty()) else {
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
