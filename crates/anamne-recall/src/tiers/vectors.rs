//! Vector search over several tiers.

use std::cmp::Ordering;

use anamne_index::threads::halves;
use anamne_index::vectors::VectorsView;
use anamne_store::view::ViewError;
use anamne_types::Row;
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::views::{Hits, SearchHit, VectorSearch, best_first};

/// The vectors views of several tiers as one: cosines of different tiers are comparable.
///
/// A damaged view fails every search. Tiers with more than [`PARALLEL_ROWS`](anamne_index::threads::PARALLEL_ROWS) rows
/// in total are searched on two threads.
pub struct TieredVectors<'a> {
    views: Vec<&'a VectorsView>,
}

/// The index of a tier and a hit in it.
type TierHit = (usize, SearchHit);

impl<'a> TieredVectors<'a> {
    /// From these views, each once, the hottest tier first; all with the same embedder.
    pub fn new(views: Vec<&'a VectorsView>) -> Self {
        Self { views }
    }

    /// [`VectorSearch::candidates`] of the `chosen` tiers.
    pub fn candidates_of(
        &self,
        chosen: &[bool],
        query: &[f32],
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Hits {
        let chosen = |tier: usize| chosen.get(tier).copied().unwrap_or(false);
        self.best_of(&chosen, limit, |view| {
            VectorSearch::candidates(view, query, limit, filter)
        })
    }

    /// The number of vectors of a tier, and the approximate bytes that a search for the best `limit` rows reads.
    pub fn cost(&self, tier: usize, limit: usize) -> (u64, u64) {
        self.views.get(tier).map_or((0, 0), |view| {
            (view.vectors() as u64, view.scanned_bytes(limit))
        })
    }

    /// Searches each tier for its best `limit` rows, and merges them.
    fn best(&self, limit: usize, search_tier: impl Fn(&VectorsView) -> Hits + Sync) -> Hits {
        if let [only] = self.views[..] {
            return search_tier(only);
        }
        self.best_of(&|_| true, limit, search_tier)
    }

    fn best_of(
        &self,
        chosen: &dyn Fn(usize) -> bool,
        limit: usize,
        search_tier: impl Fn(&VectorsView) -> Hits + Sync,
    ) -> Hits {
        let searched_tiers: Vec<usize> =
            (0..self.views.len()).filter(|tier| chosen(*tier)).collect();
        let rows: Vec<usize> = searched_tiers
            .iter()
            .map(|tier| self.views[*tier].rows())
            .collect();
        let search_all = |tiers: &[usize]| -> Result<Vec<(usize, Vec<SearchHit>)>, ViewError> {
            let search_tier = |tier: &usize| Ok((*tier, search_tier(self.views[*tier])?));
            tiers.iter().map(search_tier).collect()
        };
        let hits = match halves(&rows) {
            None => search_all(&searched_tiers)?,
            Some(half) => {
                let (hotter, colder) = searched_tiers.split_at(half);
                let (hits, more) = rayon::join(|| search_all(hotter), || search_all(colder));
                let mut hits = hits?;
                hits.extend(more?);
                hits
            }
        };
        self.merged(hits, limit)
    }

    /// The best `limit` hits of all tiers, each row once as in the hottest tier that contains it.
    ///
    /// A row in two tiers displaces no other row, because it is a hit in both.
    fn merged(&self, hits: Vec<(usize, Vec<SearchHit>)>, limit: usize) -> Hits {
        let mut all: Vec<TierHit> = hits
            .into_iter()
            .flat_map(|(tier, hits)| hits.into_iter().map(move |hit| (tier, hit)))
            .collect();
        all.sort_unstable_by(order);
        let mut best = Vec::with_capacity(limit.min(all.len()));
        // A tier may have lost a row since its search.
        let mut seen = FxHashSet::default();
        for (tier, hit) in all {
            if best.len() == limit {
                break;
            }
            if !self.is_in_hotter_tier(tier, hit.row)? && seen.insert(hit.row) {
                best.push(hit);
            }
        }
        Ok(best)
    }

    /// Whether a hotter tier contains the row.
    fn is_in_hotter_tier(&self, tier: usize, row: Row) -> Result<bool, ViewError> {
        for hotter in &self.views[..tier] {
            if hotter.holds(row)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that sorting needs
fn order((tier, one): &TierHit, (other_tier, other): &TierHit) -> Ordering {
    best_first((one.score, one.row), (other.score, other.row)).then(tier.cmp(other_tier))
}

impl VectorSearch for TieredVectors<'_> {
    fn search(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        self.best(limit, |view| {
            VectorSearch::search(view, query, limit, filter)
        })
    }

    fn candidates(&self, query: &[f32], limit: usize, filter: Option<&RoaringBitmap>) -> Hits {
        self.best(limit, |view| {
            VectorSearch::candidates(view, query, limit, filter)
        })
    }

    fn similarities(&self, query: &[f32], rows: &[Row]) -> Result<Vec<Option<f32>>, ViewError> {
        let Some((hottest, colder)) = self.views.split_first() else {
            return Ok(vec![None; rows.len()]);
        };
        let mut similarities = hottest.similarities(query, rows)?;
        for view in colder {
            let missing: Vec<usize> = (0..rows.len())
                .filter(|place| similarities[*place].is_none())
                .collect();
            if missing.is_empty() {
                break;
            }
            let missing_rows: Vec<Row> = missing.iter().map(|place| rows[*place]).collect();
            for (place, similarity) in missing
                .into_iter()
                .zip(view.similarities(query, &missing_rows)?)
            {
                similarities[place] = similarity;
            }
        }
        Ok(similarities)
    }
}
