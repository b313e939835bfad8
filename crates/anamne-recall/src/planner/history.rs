//! What the planner reads from and writes to the query log.

use std::sync::Arc;

use anamne_types::{Recall, Row, Tier, Work};

use crate::access::AccessCounts;
use crate::views;

/// The parts of a query by which similar ones are recognised.
#[derive(Clone, Copy)]
pub struct QuerySignature<'a> {
    /// The query.
    pub recall: &'a Recall,
    /// Its content words, stemmed.
    pub terms: &'a [&'a str],
    /// The tiers in scope with their number of memories, hottest first.
    pub tiers: &'a [(Tier, usize)],
    /// How many rows pass its filter, with the first and the last of them; `None` without a filter.
    pub selected: Option<(u64, u32, u32)>,
}

/// What the query log suggests for a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Cached hits of the same query in the colder tiers, if these have not changed since: only the active tier need be
    /// searched.
    pub colder: Option<Arc<ColderHits>>,
    /// The tiers where queries with the same words were answered.
    pub routed: Vec<Tier>,
    /// For each tier in the order of `tiers`, how much more often it contained answers than its size suggests; 1 if
    /// little is known. Empty means 1 for all.
    pub tier_bias: Vec<f32>,
    /// How often the first stage was not enough, 0 to 1; `None` if little is known.
    pub going_on: Option<f32>,
}

/// All hits of a query in tiers other than active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColderHits {
    /// Lexical hits.
    pub lexical: Vec<views::SearchHit>,
    /// Vector hits.
    pub vectors: Vec<views::SearchHit>,
}

/// One of the first results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditedResult {
    /// Its row.
    pub row: Row,
    /// The tier that contains it.
    pub tier: Tier,
    /// Whether the lexical search found it.
    pub by_words: bool,
    /// Whether the vector search found it.
    pub by_meaning: bool,
}

/// The outcome of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryTrace {
    /// The first ten results.
    pub found: Vec<CreditedResult>,
    /// The confidence of the best one.
    pub confidence: f32,
    /// Number of results.
    pub results: usize,
    /// The tiers that were searched.
    pub searched: Vec<Tier>,
    /// The tiers in scope that were left out.
    pub left_out: Vec<Tier>,
    /// The hits in colder tiers, if all of these were searched completely.
    pub colder: Option<Arc<ColderHits>>,
    /// The work done; zero if not counted.
    pub work: Work,
    /// Number of stages; 0 if there was nothing to plan.
    pub stages: u32,
    /// Whether tiers beyond the requested ones were searched.
    pub widened: bool,
    /// Milliseconds from call to answer.
    pub took_ms: f64,
}

/// The log of earlier queries. Must answer in microseconds, from memory.
pub trait PlannerHistory {
    /// What the log suggests for this query.
    fn advise(&self, asked: &QuerySignature<'_>) -> Advice;

    /// The access counts of memories.
    fn access_counts(&self) -> Arc<AccessCounts>;

    /// Records the outcome of a query.
    fn note(&self, asked: &QuerySignature<'_>, trace: QueryTrace);
}
