//! I have a question; who decides which tiers it visits, by words or by meaning too, and when it is enough?
//!
//! Pure logic over what the views tell cheaply and what was learned from earlier questions ([`Experience`], which the
//! engine feeds). A question is searched in stages:
//!
//! 1. Tiers that can't hold the time asked about are ruled out ([`can_hold`]): exact, always right.
//! 2. The hottest tier is searched by words and meaning, and those where questions like this one were answered before by
//!    words.
//! 3. Where a memory was found that holds most of the question's weight, and where by the frequencies of its words no
//!    other tier is expected to hold another such memory, that is enough ([`odds`]).
//! 4. Else the others are searched by words, as far as their dictionaries hold enough of the question. Where that finds
//!    such a memory, vectors of colder tiers stay unread.
//! 5. Else everything is searched: the answer is then the one that a search without a plan gives.
//!
//! What the very same question brought up in colder tiers before is not searched again while they have not changed.
//! Scores are those of a search over all tiers from the first stage on, so that stages add up.

mod probability;
mod query_log;
mod staged_search;
mod stopping;
mod strategy;
mod time_range;

pub use query_log::{Advice, Asked, Colder, Experience, Found, Trace};
pub(crate) use staged_search::{ExecutedPlan, PlannedSearch, SearchRequest};
pub(crate) use strategy::{count_all, search};
pub use time_range::can_hold;

use anamne_index::columns::ColumnsSnapshot;
use anamne_types::{Row, Tier};

use crate::tiers::{TieredLexical, TieredVectors};

/// The tiers within a question's reach, all of whose views can take part, hottest first.
pub struct Planner<'a> {
    /// The tiers.
    pub tiers: &'a [Tier],
    /// Their words.
    pub lexical: &'a TieredLexical<'a>,
    /// Their vectors.
    pub vectors: &'a TieredVectors<'a>,
    /// Their columns.
    pub columns: &'a [ColumnsSnapshot],
    /// Whether tiers may be left out; else all are searched, and only counted.
    pub may_leave_out: bool,
    /// Whether these are more tiers than were asked for, because those held no answer.
    pub widened: bool,
}

impl Planner<'_> {
    /// The tier in which a row lies.
    pub(crate) fn tier_of(&self, row: Row) -> Option<usize> {
        self.columns
            .iter()
            .position(|tier| tier.attributes(row).is_some())
    }
}
