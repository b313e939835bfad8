//! Results of tools of a space in either place.

use anamne::{
    Fetched, InvalidValue, Invalidation, Lookup, MemoryId, RequestKind, Savings, Space,
    ToolRequest, ToolResult,
};
use anamne_client::{Method, Query};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Reached;
use crate::failure::Failure;

/// A stored result's number.
#[derive(Deserialize)]
struct Stored {
    number: u64,
}

/// How many results were removed.
#[derive(Deserialize)]
struct Removed {
    removed: u64,
}

impl Reached {
    /// Looks for a fresh result of a request.
    pub(crate) fn cached(&self, request: &ToolRequest) -> Result<Lookup, Failure> {
        self.ask(
            |space| space.cached(request),
            |space| space.post(&["cache", "lookups"], request),
        )
    }

    /// Stores what a tool answered; returns its number.
    pub(crate) fn cache_result(
        &self,
        request: &ToolRequest,
        fetched: &Fetched,
    ) -> Result<u64, Failure> {
        let space = match self {
            Self::Here(space) => return Ok(space.cache_result(request, fetched)?),
            Self::There(space) => space,
        };
        let fresh_for = fetched.fresh_for.map(|time| seconds("fresh-for", time));
        let new = json!({
            "request": request,
            "status": fetched.status,
            "content": fetched.content,
            "moved_to": fetched.moved_to,
            "took_ms": fetched.took_ms,
            "cost": fetched.cost,
            "triggered_by": fetched.triggered_by,
            "fresh_for_seconds": fresh_for.transpose()?,
        });
        let stored: Stored = space.post(&["cache", "results"], &new)?;
        Ok(stored.number)
    }

    /// Notes that a result was used in memories.
    pub(crate) fn note_result_used(
        &self,
        number: u64,
        memories: &[MemoryId],
    ) -> Result<(), Failure> {
        self.ask(
            |space| space.note_result_used(number, memories),
            |space| {
                let route = ["cache", "results", &number.to_string(), "uses"];
                let noted = space.post::<Stored>(&route, &json!({ "memories": memories }));
                noted.map(drop)
            },
        )
    }

    /// The results stored last.
    pub(crate) fn cached_results(&self, limit: usize) -> Result<Vec<ToolResult>, Failure> {
        let query = Query::new().with("limit", limit);
        self.ask(
            |space| space.cached_results(limit),
            |space| space.read_field(&["cache", "results"], &query, "results"),
        )
    }

    /// Those with some of these words.
    pub(crate) fn search_tool_results(
        &self,
        words: &str,
        limit: usize,
    ) -> Result<Vec<ToolResult>, Failure> {
        let query = Query::new().with("limit", limit).with("matching", words);
        self.ask(
            |space| space.search_tool_results(words, limit),
            |space| space.read_field(&["cache", "results"], &query, "results"),
        )
    }

    /// Sets how long results that are stored from now on stay fresh.
    pub(crate) fn set_result_freshness(
        &self,
        kind: Option<RequestKind>,
        source: &str,
        fresh_for: SignedDuration,
    ) -> Result<(), Failure> {
        let space = match self {
            Self::Here(space) => {
                return Ok(space.set_result_freshness(kind, source, fresh_for)?);
            }
            Self::There(space) => space,
        };
        let set = json!({
            "fresh_for_seconds": seconds("TIME", fresh_for)?, "kind": kind, "source": source,
        });
        let answer: Value = space.call(Method::Put, &["cache", "freshness"], Some(&set))?;
        drop(answer);
        Ok(())
    }

    /// Removes results; returns their number.
    pub(crate) fn invalidate_results(&self, which: &Invalidation) -> Result<u64, Failure> {
        self.ask(
            |space| space.invalidate_results(which),
            |space| {
                let which = match which {
                    Invalidation::Number(number) => json!({ "number": number }),
                    Invalidation::Url(url) => json!({ "url": url }),
                    Invalidation::Source(host) => json!({ "source": host }),
                    Invalidation::Tool(name) => json!({ "tool": name }),
                    Invalidation::Before(time) => json!({ "before": time }),
                    Invalidation::All => json!("all"),
                };
                let removed: Removed = space.post(&["cache", "invalidations"], &which)?;
                Ok(removed.removed)
            },
        )
    }

    /// What the cache holds, and what it saved.
    pub(crate) fn cache_savings(&self) -> Result<Savings, Failure> {
        self.ask(Space::cache_savings, |space| {
            space.read(&["cache", "savings"], &Query::new())
        })
    }
}

/// Whole seconds, as a server takes them.
fn seconds(field: &str, time: SignedDuration) -> Result<u32, Failure> {
    let accepts = "a time of less than 136 years";
    let refused = |_| InvalidValue::new(field, accepts, time).into();
    u32::try_from(time.as_secs()).map_err(refused)
}
