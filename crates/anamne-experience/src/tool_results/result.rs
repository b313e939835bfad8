//! What tools returned, and answers about it.

use anamne_types::MemoryId;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::request::ToolRequest;

/// How a request ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FetchStatus {
    /// With content.
    #[default]
    Ok,
    /// Without results.
    Empty,
    /// The address doesn't exist.
    Dead,
    /// The address moved.
    Redirected,
    /// Access was refused.
    Blocked,
}

impl FetchStatus {
    /// All values.
    pub const ALL: [Self; 5] = [
        Self::Ok,
        Self::Empty,
        Self::Dead,
        Self::Redirected,
        Self::Blocked,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::Dead => "dead",
            Self::Redirected => "redirected",
            Self::Blocked => "blocked",
        }
    }

    /// The status with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it says that there is nothing to fetch.
    pub fn is_negative(self) -> bool {
        matches!(self, Self::Empty | Self::Dead | Self::Blocked)
    }
}

/// Why something was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// For a memory.
    Memory(MemoryId),
    /// For a query.
    Query(String),
}

/// What a tool returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fetched {
    /// How it ended.
    pub status: FetchStatus,
    /// The content; a page's is cleaned when it is stored.
    pub content: String,
    /// Where an address was redirected to; empty if nowhere.
    pub moved_to: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What it cost, in millionths of a dollar.
    pub cost: u64,
    /// Why it was fetched.
    pub triggered_by: Option<Trigger>,
    /// How long it stays fresh; by default by kind and host.
    pub fresh_for: Option<SignedDuration>,
}

/// A stored result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolResult {
    /// Its number.
    pub number: u64,
    /// What was asked.
    pub request: ToolRequest,
    /// How it ended.
    pub status: FetchStatus,
    /// The cleaned content.
    pub content: String,
    /// Where the address was redirected to; empty if nowhere.
    pub moved_to: String,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// Until when it is fresh.
    pub fresh_until: Timestamp,
    /// How long fetching took, in milliseconds.
    pub took_ms: u64,
    /// What it cost, in millionths of a dollar.
    pub cost: u64,
    /// Why it was fetched.
    pub triggered_by: Option<Trigger>,
    /// Memories that it was used in.
    pub used_in: Vec<MemoryId>,
    /// How often it was served.
    pub hits: u64,
}

/// The answer to a lookup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "outcome", content = "result", rename_all = "snake_case")]
pub enum Lookup {
    /// The result of the identical request.
    Exact(ToolResult),
    /// The result of a request in other words that asks for the same; the result says which.
    Semantic(ToolResult),
    /// Fetching was in vain lately: no results, a dead address or no access.
    Negative(ToolResult),
    /// There is a result, but it is no longer fresh.
    Stale(ToolResult),
    /// There is none.
    Miss,
}

impl Lookup {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact(_) => "exact",
            Self::Semantic(_) => "semantic",
            Self::Negative(_) => "negative",
            Self::Stale(_) => "stale",
            Self::Miss => "miss",
        }
    }

    /// The stored result, also a stale one.
    pub fn result(&self) -> Option<&ToolResult> {
        match self {
            Self::Exact(found)
            | Self::Semantic(found)
            | Self::Negative(found)
            | Self::Stale(found) => Some(found),
            Self::Miss => None,
        }
    }

    /// Whether it saves a fetch.
    pub fn is_hit(&self) -> bool {
        matches!(self, Self::Exact(_) | Self::Semantic(_) | Self::Negative(_))
    }
}

/// Which results to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalidation {
    /// One, by its number.
    Number(u64),
    /// Of this address, whatever the tool, kind and parameters.
    Url(String),
    /// Of this host.
    Source(String),
    /// Of this tool.
    Tool(String),
    /// Fetched before this time.
    Before(Timestamp),
    /// All.
    All,
}

/// What the cache saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Savings {
    /// Stored results.
    pub results: u64,
    /// Their estimated size in bytes.
    pub bytes: u64,
    /// Hits of identical requests.
    pub exact_hits: u64,
    /// Hits of requests in other words.
    pub semantic_hits: u64,
    /// Hits that said that there is nothing to fetch.
    pub negative_hits: u64,
    /// Lookups without a fresh result.
    pub misses: u64,
    /// Time that fetching would have taken, in milliseconds.
    pub saved_ms: u64,
    /// Money that it would have cost, in millionths of a dollar.
    pub saved_cost: u64,
}

impl Savings {
    /// Fetches saved.
    pub fn calls(&self) -> u64 {
        self.exact_hits + self.semantic_hits + self.negative_hits
    }
}
