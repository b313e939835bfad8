//! Queries on one view, and on the views of several tiers as if they were one.

use std::ptr;
use std::sync::RwLockReadGuard;

use anamne_store::view::{Health, ViewError};
use anamne_text::analyser::QueryTerms;
use roaring::RoaringBitmap;

use super::search::{self, StateError, TermStatistics};
use super::state::State;
use super::{LexicalHit, LexicalView};

impl LexicalView {
    /// The best rows for the query, best first, ties by row; at most `limit`, all of them in `filter`.
    ///
    /// `score = Σ occurrences · idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))`
    /// with k1 = 1.2 and b = 0.75, over the words of the text and of the author's name. The filter applies before the
    /// limit.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] if the view is or turns out to be broken.
    pub fn search(
        &self,
        query: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<LexicalHit>, ViewError> {
        Self::search_together(&[self], query, limit, filter)
    }

    /// [`LexicalView::search`] over the rows of all these views as if they were one: a single set of statistics makes
    /// scores comparable across views, and all views are read at the same point in time.
    ///
    /// `views` contains each view once, hotter first: a row that is in several views while a move is being followed
    /// belongs to the first, although the statistics count it in each. Views with more than
    /// [`PARALLEL_ROWS`](crate::threads::PARALLEL_ROWS) rows in total are searched on two threads.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] if one of the views is or turns out to be broken; the others are unaffected.
    pub fn search_together(
        views: &[&Self],
        query: &QueryTerms,
        limit: usize,
        filter: Option<&RoaringBitmap>,
    ) -> Result<Vec<LexicalHit>, ViewError> {
        Self::ask(views, |states| search::search(states, query, limit, filter))
    }

    /// The query's term statistics in each of these views, all at the same point in time: input for selecting views and
    /// for searching some of them. Reads dictionaries, and postings only if rows were deleted or changed. `views` is as
    /// in [`LexicalView::search_together`].
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] if one of the views is or turns out to be broken.
    pub fn statistics_together(
        views: &[&Self],
        query: &QueryTerms,
    ) -> Result<TermStatistics, ViewError> {
        Self::ask(views, |states| search::statistics(states, query))
    }

    /// The best rows of the `chosen` views, scored by the statistics of all of them: the same scores as
    /// [`LexicalView::search_together`]. `chosen` has one entry per view.
    ///
    /// # Errors
    ///
    /// [`ViewError::Damaged`] if one of the views is or turns out to be broken.
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

    /// The inverse document frequency of each query term in the texts: `ln(1 + (N − n + ½) / (n + ½))`.
    ///
    /// All zeros if the view is or turns out to be broken.
    pub fn idf(&self, terms: &QueryTerms) -> Vec<f32> {
        // The text is the first field; author names don't count here.
        let asked = Self::ask(&[self], |states| search::statistics_of(states, terms, 1));
        asked.map_or_else(
            |_| vec![0.0; terms.terms.len()],
            |statistics| statistics.idf(),
        )
    }

    /// Runs `ask` on the states of the views if all are whole; a failure marks the view in which it occurred as broken.
    fn ask<T>(
        views: &[&Self],
        question: impl FnOnce(&[&State]) -> Result<T, StateError>,
    ) -> Result<T, ViewError> {
        let guards = lock(views);
        for (view, state) in views.iter().zip(&guards) {
            if let Health::Broken(reason) = &state.health {
                return Err(ViewError::damaged(&view.folder, reason));
            }
        }
        let states: Vec<&State> = guards.iter().map(|guard| &**guard).collect();
        let StateError { state, error } = match question(&states) {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let (view, asked) = (views[state], states[state].published.clone());
        drop(guards);
        view.mark_broken(asked.as_ref(), &error.reason);
        Err(ViewError::damaged(&view.folder, error.reason))
    }
}

/// Locks the states of the views and returns them in the given order.
///
/// Locks are taken by ascending address, so that queries with the same views in a different order can't deadlock with
/// writers.
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
