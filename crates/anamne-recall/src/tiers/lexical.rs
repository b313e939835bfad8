//! Words over several tiers.

use anamne_index::lexical::LexicalView;
use anamne_store::view::ViewError;
use anamne_text::analyser::QueryTerms;
use roaring::RoaringBitmap;

use crate::views::{Found, LexicalSearch, found_by_words};

/// The lexical views of several tiers, searched as one: BM25 with one set of statistics over all of them.
///
/// One broken view fails every search.
pub struct TieredLexical<'a> {
    views: Vec<&'a LexicalView>,
}

impl<'a> TieredLexical<'a> {
    /// Over these views, each once, the hottest tier first.
    pub fn new(views: Vec<&'a LexicalView>) -> Self {
        Self { views }
    }
}

impl LexicalSearch for TieredLexical<'_> {
    fn search(
        &self,
        terms: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<Found>, ViewError> {
        LexicalView::search_together(&self.views, terms, limit, filter).map(found_by_words)
    }

    fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        LexicalView::idf_together(&self.views, terms)
    }
}
