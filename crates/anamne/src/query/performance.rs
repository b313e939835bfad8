//! How fast queries are answered, and how often, by week, plan, tiers and door.

use std::collections::BTreeMap;

use anamne_types::{Recall, Tier};
use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::derived::meta::LoggedQuery;
use crate::space::Space;

/// Maximum number of logged queries that are read.
const READ: usize = 10_000;

/// Queries of one kind in one week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryGroup {
    /// What they have in common: `one stage`, `active`, `mcp`.
    pub name: String,
    /// Number of queries.
    pub queries: u64,
    /// Those whose best result is more likely relevant than not: a confidence of at least [`Recall::SURE`].
    pub hits: u64,
    /// The median time from call to answer in milliseconds.
    pub median_ms: f64,
    /// The time that 95 % of them do not exceed, in milliseconds.
    pub p95_ms: f64,
}

/// The logged queries of one week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryPerformance {
    /// The Monday on which it begins, 0:00 UTC.
    pub week: Timestamp,
    /// All of them.
    pub all: QueryGroup,
    /// By what the planner did: `not planned`, `one stage`, `several stages`, `widened`.
    pub plans: Vec<QueryGroup>,
    /// By the tiers that were searched: `active`, `active + recent`, `active + recent + archives`.
    pub tiers: Vec<QueryGroup>,
    /// By door; `unknown` for queries of earlier versions.
    pub doors: Vec<QueryGroup>,
}

impl Space {
    /// Latency and hit rate of the logged queries by week, oldest week first: at most the latest 10 000. O(queries).
    pub fn query_performance(&self) -> Result<Vec<QueryPerformance>, Error> {
        Ok(by_week(&self.query_log(READ)?))
    }
}

fn by_week(log: &[LoggedQuery]) -> Vec<QueryPerformance> {
    let mut weeks: BTreeMap<Timestamp, Vec<&LoggedQuery>> = BTreeMap::new();
    for query in log {
        weeks.entry(week_of(query.at)).or_default().push(query);
    }
    weeks
        .into_iter()
        .map(|(week, queries)| QueryPerformance {
            week,
            all: group("all".to_owned(), &queries),
            plans: groups(&queries, |query| plan_of(query).to_owned()),
            tiers: groups(&queries, tiers_of),
            doors: groups(&queries, door_of),
        })
        .collect()
}

/// The Monday of a time, 0:00 UTC; the time itself at the ends of the calendar.
fn week_of(at: Timestamp) -> Timestamp {
    let date = at.to_zoned(TimeZone::UTC).date();
    let days = i64::from(date.weekday().since(Weekday::Monday));
    let monday = date.checked_sub(jiff::Span::new().days(days));
    let begins = monday.and_then(|monday| monday.to_zoned(TimeZone::UTC));
    begins.map_or(at, |begins| begins.timestamp())
}

fn plan_of(query: &LoggedQuery) -> &'static str {
    match (query.widened, query.stages) {
        (true, _) => "widened",
        (false, 0) => "not planned",
        (false, 1) => "one stage",
        (false, _) => "several stages",
    }
}

fn tiers_of(query: &LoggedQuery) -> String {
    let has = |wanted: fn(&Tier) -> bool| query.searched.iter().any(wanted);
    let parts = [
        (has(|tier| *tier == Tier::Active), "active"),
        (has(|tier| *tier == Tier::Recent), "recent"),
        (has(|tier| matches!(tier, Tier::Archive { .. })), "archives"),
    ];
    let searched = parts.iter().filter(|(is_searched, _)| *is_searched);
    let names: Vec<&str> = searched.map(|(_, name)| *name).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(" + ")
}

fn door_of(query: &LoggedQuery) -> String {
    query
        .door
        .map_or("unknown", |door| door.as_str())
        .to_owned()
}

/// The queries by what `name_of` says of them, most frequent first.
fn groups(queries: &[&LoggedQuery], name_of: impl Fn(&LoggedQuery) -> String) -> Vec<QueryGroup> {
    let mut named: BTreeMap<String, Vec<&LoggedQuery>> = BTreeMap::new();
    for query in queries {
        named.entry(name_of(query)).or_default().push(query);
    }
    let mut groups: Vec<QueryGroup> = named
        .into_iter()
        .map(|(name, queries)| group(name, &queries))
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.queries));
    groups
}

fn group(name: String, queries: &[&LoggedQuery]) -> QueryGroup {
    let is_hit = |query: &&&LoggedQuery| query.results > 0 && query.confidence >= Recall::SURE;
    let mut took: Vec<f64> = queries.iter().map(|query| query.took_ms).collect();
    took.sort_by(f64::total_cmp);
    QueryGroup {
        name,
        queries: queries.len() as u64,
        hits: queries.iter().filter(is_hit).count() as u64,
        median_ms: quantile(&took, 50),
        p95_ms: quantile(&took, 95),
    }
}

/// The smallest value that at least `percent` of the sorted values do not exceed; 0 without values.
fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        for (day, monday) in [
            ("2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z"),
            ("2026-03-11T15:30:00Z", "2026-03-09T00:00:00Z"),
            ("2026-03-15T23:59:59Z", "2026-03-09T00:00:00Z"),
            ("2026-01-01T12:00:00Z", "2025-12-29T00:00:00Z"),
        ] {
            assert_eq!(week_of(at(day)), at(monday), "{day}");
        }
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        let check = |values: &[f64], percent, expected: f64| {
            let found = quantile(values, percent);
            assert!((found - expected).abs() < 1e-9, "{percent} %: {found}");
        };
        check(&values, 50, 10.0);
        check(&values, 95, 19.0);
        check(&values, 100, 20.0);
        check(&[7.0], 50, 7.0);
        check(&[7.0], 95, 7.0);
        check(&[], 95, 0.0);
    }
}
