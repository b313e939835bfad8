//! Results of tools: look up, store, list, remove.

use anamne::{
    FetchStatus, Fetched, InvalidValue, Invalidation, Limits, Lookup, RequestKind, Savings,
    ToolRequest, ToolResult, Trigger,
};
use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Numbered, Routes, resolve_all, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

/// The highest cost of one result, in millionths of a dollar: a million dollars.
const MOST_COST: u64 = 1_000_000_000_000;

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(look_up))
        .routes(routes!(store))
        .routes(routes!(list))
        .routes(routes!(note_used))
        .routes(routes!(invalidate))
        .routes(routes!(set_freshness))
        .routes(routes!(savings))
}

/// A request to a tool.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// What is asked for; a search by default.
    #[serde(default)]
    kind: RequestKind,
    /// The tool that is asked; results of one tool are not served for another.
    #[serde(default)]
    tool: String,
    /// The query in words, or the address.
    text: String,
    /// Further parameters; the order of an object's names doesn't matter.
    #[serde(default)]
    #[schema(value_type = Object)]
    parameters: Value,
}

impl Asked {
    fn checked(self) -> Result<ToolRequest, InvalidValue> {
        let request = ToolRequest {
            parameters: self.parameters,
            ..ToolRequest::new(self.kind, self.tool, self.text)
        };
        request.check()?;
        Ok(request)
    }
}

/// Look for a fresh result of a request, or of one that asks for the same
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/cache/lookups",
    tag = "cache",
    request_body = Asked,
    params(InSpace),
    responses((status = 200, body = Lookup), (status = "default", body = Problem))
)]
async fn look_up(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(asked): Json<Asked>,
) -> Result<Json<Lookup>, Problem> {
    let request = asked.checked()?;
    let found = caller.with_space(space, move |space| space.cached(&request));
    found.await.map(Json)
}

/// A result to store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewResult {
    /// What was asked.
    request: Asked,
    /// How it ended; `ok` by default.
    #[serde(default)]
    status: FetchStatus,
    /// The content; a page's is cleaned when it is stored.
    #[serde(default)]
    content: String,
    /// Where the address was redirected to.
    #[serde(default)]
    moved_to: String,
    /// How long fetching took, in milliseconds.
    #[serde(default)]
    took_ms: u64,
    /// What it cost, in millionths of a dollar.
    #[serde(default)]
    cost: u64,
    /// Why it was fetched: for a memory or for a query.
    triggered_by: Option<Trigger>,
    /// How long it stays fresh, in seconds; by kind and host by default.
    fresh_for_seconds: Option<u32>,
}

impl NewResult {
    fn checked(self) -> Result<(ToolRequest, Fetched), InvalidValue> {
        for (field, given, most) in [
            ("took_ms", self.took_ms, Limits::DURATION_MS),
            ("cost", self.cost, MOST_COST),
        ] {
            if given > most {
                return Err(InvalidValue::new(field, format!("at most {most}"), given));
            }
        }
        let fetched = Fetched {
            status: self.status,
            content: self.content,
            moved_to: self.moved_to,
            took_ms: self.took_ms,
            cost: self.cost,
            triggered_by: self.triggered_by,
            fresh_for: self.fresh_for_seconds.map(seconds),
        };
        Ok((self.request.checked()?, fetched))
    }
}

fn seconds(number: u32) -> SignedDuration {
    SignedDuration::from_secs(i64::from(number))
}

/// A stored result's number.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Stored {
    /// The number.
    number: u64,
}

/// Store what a tool answered; the space is created if it is missing
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/cache/results",
    tag = "cache",
    operation_id = "store_result",
    request_body = NewResult,
    params(InSpace),
    responses((status = 201, body = Stored), (status = "default", body = Problem))
)]
async fn store(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(new): Json<NewResult>,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let (request, fetched) = new.checked()?;
    let stored = caller.with_new_space(space, move |space| {
        Ok(Stored {
            number: space.cache_result(&request, &fetched)?,
        })
    });
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// Which results to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Only those with some of these words.
    matching: Option<String>,
    /// Maximum number, 1 to 1000.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    limit: usize,
}

/// Stored results.
#[derive(Debug, Serialize, ToSchema)]
struct Results {
    /// The results, stored last first. Their contents were written by others.
    results: Vec<ToolResult>,
}

/// List or search the results stored last
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/cache/results",
    tag = "cache",
    operation_id = "list_results",
    params(InSpace, Which),
    responses((status = 200, body = Results), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(which): Query<Which>,
) -> Result<Json<Results>, Problem> {
    Limits::check_results(which.limit)?;
    let listed = caller.with_space(space, move |space| {
        let results = match &which.matching {
            Some(words) => space.search_tool_results(words, which.limit)?,
            None => space.cached_results(which.limit)?,
        };
        Ok(Results { results })
    });
    listed.await.map(Json)
}

/// Where a result was used.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Uses {
    /// The memories: ids, beginnings of ids or citations.
    memories: Vec<String>,
}

/// Note that a result was used in memories
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/cache/results/{number}/uses",
    tag = "cache",
    request_body = Uses,
    params(Numbered),
    responses((status = 200, body = Stored), (status = "default", body = Problem))
)]
async fn note_used(
    caller: Caller,
    Path(Numbered { space, number }): Path<Numbered>,
    Json(uses): Json<Uses>,
) -> Result<Json<Stored>, Problem> {
    let noted = caller.with_space(space, move |space| {
        let memories = resolve_all(space, "memories", &uses.memories)?;
        space.note_result_used(number, &memories)?;
        Ok(Stored { number })
    });
    noted.await.map(Json)
}

/// Which results to remove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Remove {
    /// One, by its number.
    Number(u64),
    /// Of this address.
    Url(String),
    /// From this host.
    Source(String),
    /// Of this tool.
    Tool(String),
    /// Fetched before this time.
    Before(Timestamp),
    /// All.
    All,
}

impl Remove {
    fn which(self) -> Result<Invalidation, InvalidValue> {
        Ok(match self {
            // Numbers are stored with a sign.
            Self::Number(number) if number > i64::MAX as u64 => {
                return Err(InvalidValue::new(
                    "number",
                    "the number of a result",
                    number,
                ));
            }
            Self::Number(number) => Invalidation::Number(number),
            Self::Url(url) => Invalidation::Url(url),
            Self::Source(host) => Invalidation::Source(host),
            Self::Tool(name) => Invalidation::Tool(name),
            Self::Before(time) => Invalidation::Before(time),
            Self::All => Invalidation::All,
        })
    }
}

/// How many results were removed.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = RemovedResults)]
struct Removed {
    /// Their number.
    removed: u64,
}

/// Remove results
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/cache/invalidations",
    tag = "cache",
    request_body = Remove,
    params(InSpace),
    responses((status = 200, body = Removed), (status = "default", body = Problem))
)]
async fn invalidate(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(remove): Json<Remove>,
) -> Result<Json<Removed>, Problem> {
    let which = remove.which()?;
    let removed = caller.with_space(space, move |space| {
        Ok(Removed {
            removed: space.invalidate_results(&which)?,
        })
    });
    removed.await.map(Json)
}

/// How long results stay fresh.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Freshness {
    /// How long, in seconds.
    fresh_for_seconds: u32,
    /// Only results of this kind.
    kind: Option<RequestKind>,
    /// Only results from this host.
    #[serde(default)]
    source: String,
}

/// Set how long results that are stored from now on stay fresh
#[utoipa::path(
    put,
    path = "/v1/spaces/{space}/cache/freshness",
    tag = "cache",
    request_body = Freshness,
    params(InSpace),
    responses((status = 200, body = Freshness), (status = "default", body = Problem))
)]
async fn set_freshness(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(freshness): Json<Freshness>,
) -> Result<Json<Freshness>, Problem> {
    let set = caller.with_space(space, move |space| {
        let fresh_for = seconds(freshness.fresh_for_seconds);
        space.set_result_freshness(freshness.kind, &freshness.source, fresh_for)?;
        Ok(freshness)
    });
    set.await.map(Json)
}

/// What the cache holds, and what it saved
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/cache/savings",
    tag = "cache",
    params(InSpace),
    responses((status = 200, body = Savings), (status = "default", body = Problem))
)]
async fn savings(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Savings>, Problem> {
    let saved = caller.with_space(space, anamne::Space::cache_savings);
    saved.await.map(Json)
}
