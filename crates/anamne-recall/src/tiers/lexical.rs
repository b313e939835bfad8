//! Lexical search over several tiers.

use std::sync::{Arc, Mutex, PoisonError};

use anamne_index::lexical::{LexicalView, TermStatistics};
use anamne_store::view::ViewError;
use anamne_text::analyser::QueryTerms;
use roaring::RoaringBitmap;

use crate::views::{Hits, LexicalSearch, search_hits};

/// The lexical views of several tiers as one: BM25 with common statistics.
///
/// A damaged view fails every search.
pub struct TieredLexical<'a> {
    views: Vec<&'a LexicalView>,
    /// The term statistics of the last query.
    statistics: Mutex<Option<(QueryTerms, Arc<TermStatistics>)>>,
}

impl<'a> TieredLexical<'a> {
    /// From these views, each once, the hottest tier first.
    pub fn new(views: Vec<&'a LexicalView>) -> Self {
        Self {
            views,
            statistics: Mutex::default(),
        }
    }

    /// The statistics of each view for these terms; cached for the last query.
    pub fn statistics(&self, terms: &QueryTerms) -> Result<Arc<TermStatistics>, ViewError> {
        let mut known = self
            .statistics
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((searched_tiers, statistics)) = &*known
            && searched_tiers == terms
        {
            return Ok(statistics.clone());
        }
        let statistics = Arc::new(LexicalView::statistics_together(&self.views, terms)?);
        *known = Some((terms.clone(), statistics.clone()));
        Ok(statistics)
    }

    /// The best rows of the `chosen` tiers, with the scores of a search over all.
    pub fn search_chosen(
        &self,
        chosen: &[bool],
        terms: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Hits {
        let statistics = self.statistics(terms)?;
        LexicalView::search_chosen(&self.views, chosen, &statistics, terms, limit, filter)
            .map(search_hits)
    }
}

impl LexicalSearch for TieredLexical<'_> {
    fn search(&self, terms: &QueryTerms, limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        LexicalView::search_together(&self.views, terms, limit, filter).map(search_hits)
    }

    fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        self.statistics(terms).map_or_else(
            |_| vec![0.0; terms.terms.len()],
            |statistics| statistics.idf(),
        )
    }
}
