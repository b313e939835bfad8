//! A buffered entry of the query log.

use anamne_recall::{QuerySignature, QueryTrace};
use anamne_store::GuardConfig;
use anamne_types::{Recall, Row, Temperature, Tier};

/// An access to a memory by its id.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryAccess {
    pub(super) row: Row,
    /// Microseconds since 1970.
    pub(super) at: i64,
}

/// A query and its outcome. Its words are kept in memory only, until they are written as the settings require.
#[derive(Clone, Debug)]
pub(super) struct Note {
    /// Microseconds since 1970.
    pub(super) at: i64,
    pub(super) query: String,
    /// The text to log, after the guard; `None` if only hashes are logged.
    pub(super) logged: Option<String>,
    /// The other parameters that distinguish queries with the same words; empty with one tier.
    pub(super) bounds: String,
    pub(super) terms: Vec<String>,
    pub(super) shape: String,
    pub(super) temperature: Temperature,
    /// Whether every tier was requested.
    pub(super) is_everything: bool,
    pub(super) hops: u8,
    /// The tiers in scope with their number of memories.
    pub(super) tiers: Vec<(Tier, usize)>,
    pub(super) trace: QueryTrace,
}

impl Note {
    pub(super) fn new(
        at: i64,
        asked: &QuerySignature<'_>,
        trace: QueryTrace,
        guard: Option<&GuardConfig>,
    ) -> Self {
        let recall = asked.recall;
        let is_spread = asked.tiers.len() > 1;
        Self {
            at,
            query: normal(&recall.query),
            logged: guard.and_then(|guard| loggable(&recall.query, guard)),
            // With one tier there is nothing to plan.
            bounds: if is_spread {
                bounds(asked)
            } else {
                String::new()
            },
            terms: asked.terms.iter().map(|term| (*term).to_owned()).collect(),
            shape: shape(recall),
            temperature: recall.temperature,
            is_everything: recall.temperature.is_everything(recall.tier_alone),
            hops: recall.depth.hops(),
            tiers: asked.tiers.to_vec(),
            trace,
        }
    }

    /// Whether there were several tiers, all of them requested.
    pub(super) fn teaches(&self) -> bool {
        self.tiers.len() > 1 && self.is_everything
    }
}

/// A query as it may be logged; `None` if the guard refuses it.
fn loggable(query: &str, guard: &GuardConfig) -> Option<String> {
    let guard = guard.guard().ok()?;
    let checked = guard.check(query).ok()?;
    Some(normal(&checked.text))
}

/// The query in lower case with single spaces.
fn normal(query: &str) -> String {
    let mut normal = String::with_capacity(query.len());
    for word in query.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.extend(word.chars().flat_map(char::to_lowercase));
    }
    normal
}

/// All parameters of a query, except its words, that affect its answer.
fn bounds(asked: &QuerySignature<'_>) -> String {
    let recall = asked.recall;
    let whole = (
        recall.scope.clone(),
        recall.depth,
        recall.as_of,
        recall.time_words,
    );
    let ranked = (
        &recall.ranking,
        &recall.weights,
        recall.diversity,
        &recall.role,
    );
    format!(
        "{:?} {:?} {} {} {:?} {} {whole:?} {ranked:?}",
        recall.filter,
        asked.selected,
        recall.limit,
        recall.min_confidence,
        recall.temperature,
        recall.tier_alone
    )
}

/// The parameters that determine a query's cost, as words: temperature, depth and filters.
fn shape(recall: &Recall) -> String {
    let filter = &recall.filter;
    let parts = [
        (recall.tier_alone, "alone"),
        (filter.since.is_some() || filter.until.is_some(), "time"),
        (!filter.threads.is_empty(), "threads"),
        (
            !filter.kinds.is_empty() || !filter.categories.is_empty(),
            "kinds",
        ),
        (!filter.tags.is_empty(), "tags"),
        (!filter.authors.is_empty(), "authors"),
        (!filter.sessions.is_empty(), "sessions"),
        (!filter.conditions.is_empty(), "metadata"),
        (filter.rows.is_some(), "use"),
    ];
    let mut shape = format!("{} {}", recall.temperature, recall.depth.hops());
    for (_, part) in parts.iter().filter(|(is_there, _)| *is_there) {
        shape.push(' ');
        shape.push_str(part);
    }
    shape
}
