//! Which tiers a query searches, lexically or also by vectors, and when it stops.
//!
//! Pure logic over cheap statistics of the views and the log of earlier queries ([`PlannerHistory`], implemented by the
//! engine). A query is searched in stages:
//!
//! 1. Tiers that can't contain the requested time are ruled out ([`can_hold`]): exact.
//! 2. The hottest tier is searched lexically and by vectors, and the tiers where similar queries were answered before
//!    lexically.
//! 3. If a memory contains most of the query's weight, and by the term frequencies no other tier is expected to contain
//!    another such memory, the search stops (see `probability`).
//! 4. Else the other tiers are searched lexically, if their dictionaries contain enough of the query. If that finds
//!    such a memory, the vectors of colder tiers are skipped.
//! 5. Else everything is searched: the answer is that of a search without a plan.
//!
//! Cached results of the same query are used for colder tiers that have not changed since. From the first stage on,
//! scores are those of a search over all tiers, so that stages can be merged.

mod history;
mod probability;
mod staged_search;
mod stopping;
mod strategy;
mod time_range;

pub use history::{Advice, ColderHits, CreditedResult, PlannerHistory, QuerySignature, QueryTrace};
pub(crate) use staged_search::{ExecutedPlan, PlannedSearch, SearchRequest};
pub(crate) use strategy::{count_all, search};
pub use time_range::can_hold;

use anamne_index::columns::ColumnsSnapshot;
use anamne_types::{Row, Tier};

use crate::tiers::{TieredLexical, TieredVectors};

/// The tiers in scope, all of whose views are available, hottest first.
pub struct Planner<'a> {
    /// The tiers.
    pub tiers: &'a [Tier],
    /// Their lexical views.
    pub lexical: &'a TieredLexical<'a>,
    /// Their vectors views.
    pub vectors: &'a TieredVectors<'a>,
    /// Their columns.
    pub columns: &'a [ColumnsSnapshot],
    /// Whether tiers may be left out; else all are searched, and the work is counted.
    pub may_leave_out: bool,
    /// Whether this includes more tiers than requested, because those contained no answer.
    pub widened: bool,
}

impl Planner<'_> {
    /// The tier that contains a row.
    pub(crate) fn tier_of(&self, row: Row) -> Option<usize> {
        self.columns
            .iter()
            .position(|tier| tier.attributes(row).is_some())
    }
}
