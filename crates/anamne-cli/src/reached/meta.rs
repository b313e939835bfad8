//! The query log of a space in either place, and what follows from it.

use anamne::{KnownTopic, LoggedQuery, QueryPerformance, SearchQuality, Space};
use anamne_client::{Method, Query};

use super::Reached;
use crate::failure::Failure;

impl Reached {
    /// The latest queries.
    pub(crate) fn query_log(&self, limit: usize) -> Result<Vec<LoggedQuery>, Failure> {
        self.ask(
            |space| space.query_log(limit),
            |space| space.read_field(&["meta", "queries"], &limited(limit), "queries"),
        )
    }

    /// Deletes the query log.
    pub(crate) fn forget_meta(&self) -> Result<(), Failure> {
        self.ask(Space::forget_meta, |space| {
            let route = &["meta", "queries"];
            let cleared = space.call::<serde_json::Value>(Method::Delete, route, None::<&()>);
            cleared.map(drop)
        })
    }

    /// Topics that are known well or little.
    pub(crate) fn known_topics(&self, limit: usize) -> Result<Vec<KnownTopic>, Failure> {
        self.ask(
            |space| space.known_topics(limit),
            |space| space.read_field(&["meta", "topics"], &limited(limit), "topics"),
        )
    }

    /// How useful recorded searches were.
    pub(crate) fn search_quality(&self) -> Result<Vec<SearchQuality>, Failure> {
        self.ask(Space::search_quality, |space| {
            space.read_field(&["meta", "quality"], &Query::new(), "weeks")
        })
    }

    /// Latency and hit rate of queries.
    pub(crate) fn query_performance(&self) -> Result<Vec<QueryPerformance>, Failure> {
        self.ask(Space::query_performance, |space| {
            space.read_field(&["meta", "performance"], &Query::new(), "weeks")
        })
    }
}

fn limited(limit: usize) -> Query {
    Query::new().with("limit", limit)
}
