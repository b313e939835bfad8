//! What can be asked of the view, and of the views of several tiers as if they were one.

use std::ptr;
use std::sync::RwLockReadGuard;

use anamne_store::view::{Health, ViewError};
use anamne_text::analyser::QueryTerms;
use roaring::RoaringBitmap;

use super::search::{self, Failed, TermStatistics};
use super::state::State;
use super::{LexicalHit, LexicalView};

impl LexicalView {
    /// The best rows for the query, best first, ties by row; at most `limit`, all of them in `filter`.
    ///
    /// `score = Σ occurrences · idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))`
    /// with k1 = 1.2 and b = 0.75, over the words in the text plus those in the author's name. A filter never leaves
    /// the result shorter than need be.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] when the view is broken, or turns out to be.
    pub fn search(
        &self,
        query: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<LexicalHit>, ViewError> {
        Self::search_together(&[self], query, limit, filter)
    }

    /// [`LexicalView::search`] over the rows of all these views, as if one view held them: with one set of statistics,
    /// so that rows of different views compare, all as of one moment.
    ///
    /// `views` names each view once, and the hotter first: a row that several hold, while a move is being followed, is
    /// that of the first, though the statistics count it in each. Views that hold more
    /// than [`PARALLEL_ROWS`](crate::threads::PARALLEL_ROWS) rows together are searched on two threads.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] when one of the views is broken, or turns out to be; the others stay as they are.
    pub fn search_together(
        views: &[&Self],
        query: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<LexicalHit>, ViewError> {
        Self::ask(views, |states| search::search(states, query, limit, filter))
    }

    /// What each of these views holds of the query's terms, all as of one moment: what a search over some of them needs, and
    /// whoever chooses between them. Reads dictionaries alone. `views` is as in [`LexicalView::search_together`].
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] when one of the views is broken, or turns out to be.
    pub fn statistics_together(
        views: &[&Self],
        query: &QueryTerms,
    ) -> Result<TermStatistics, ViewError> {
        Self::ask(views, |states| search::statistics(states, query))
    }

    /// The best rows of those views that are `chosen`, scored by the statistics of all of them: what
    /// [`LexicalView::search_together`] finds there, with the same scores. `chosen` has a place for each view.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] when one of the views is broken, or turns out to be.
    pub fn search_chosen(
        views: &[&Self],
        chosen: &[bool],
        statistics: &TermStatistics,
        query: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<LexicalHit>, ViewError> {
        Self::ask(views, |states| {
            search::search_chosen(states, chosen, statistics, query, limit, filter)
        })
    }

    /// How rare each term of the query is in the texts: `ln(1 + (N − n + ½) / (n + ½))`.
    ///
    /// All zeros when the view is broken or turns out to be.
    pub fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        // The text is the first field; how often authors bear a term doesn't matter here.
        let asked = Self::ask(&[self], |states| search::statistics_of(states, terms, 1));
        asked.map_or_else(
            |_| vec![0.0; terms.terms.len()],
            |statistics| statistics.idf(),
        )
    }

    /// Asks the states of the views if all are whole; a failure marks the view as broken in which it was met.
    fn ask<T>(
        views: &[&Self],
        question: impl FnOnce(&[&State]) -> Result<T, Failed>,
    ) -> Result<T, ViewError> {
        let guards = lock(views);
        for (view, state) in views.iter().zip(&guards) {
            if let Health::Broken(reason) = &state.health {
                return Err(ViewError::damaged(&view.folder, reason));
            }
        }
        let states: Vec<&State> = guards.iter().map(|guard| &**guard).collect();
        let Failed { state, error } = match question(&states) {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let (view, asked) = (views[state], states[state].published.clone());
        drop(guards);
        view.become_broken(asked.as_ref(), &error.reason);
        Err(ViewError::damaged(&view.folder, error.reason))
    }
}

/// The states of the views, in their order.
///
/// They are locked by rising address, so that questions that name the same views in another order never wait for each
/// other's locks in a circle with whoever wants to write.
fn lock<'a>(views: &[&'a LexicalView]) -> Vec<RwLockReadGuard<'a, State>> {
    if let [view] = views {
        return vec![view.state()];
    }
    let mut by_address: Vec<usize> = (0..views.len()).collect();
    by_address.sort_unstable_by_key(|place| ptr::from_ref(views[*place]).addr());
    let mut guards: Vec<_> = views.iter().map(|_| None).collect();
    for place in by_address {
        guards[place] = Some(views[place].state());
    }
    guards.into_iter().flatten().collect()
}
