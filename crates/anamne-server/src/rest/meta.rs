//! The query log, and what follows from it: topics, quality, performance.

use anamne::{KnownTopic, LoggedQuery, QueryPerformance, SearchQuality};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Page, Routes};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(queries))
        .routes(routes!(clear))
        .routes(routes!(topics))
        .routes(routes!(quality))
        .routes(routes!(performance))
}

/// Logged queries.
#[derive(Debug, Serialize, ToSchema)]
struct Queries {
    /// The queries, latest first.
    queries: Vec<LoggedQuery>,
}

/// List the latest queries with their cost and outcome
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/meta/queries",
    tag = "meta",
    params(InSpace, Page),
    responses((status = 200, body = Queries), (status = "default", body = Problem))
)]
async fn queries(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(page): Query<Page>,
) -> Result<Json<Queries>, Problem> {
    let limit = page.checked()?;
    let listed = caller.with_space(space, move |space| {
        Ok(Queries {
            queries: space.query_log(limit)?,
        })
    });
    listed.await.map(Json)
}

/// Whether the log was deleted.
#[derive(Debug, Serialize, ToSchema)]
struct Cleared {
    /// True.
    cleared: bool,
}

/// Delete the query log; needs the right to erase
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/meta/queries",
    tag = "meta",
    operation_id = "clear_queries",
    params(InSpace),
    responses((status = 200, body = Cleared), (status = "default", body = Problem))
)]
async fn clear(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Cleared>, Problem> {
    let cleared = caller.with_space(space, |space| {
        space.forget_meta()?;
        Ok(Cleared { cleared: true })
    });
    cleared.await.map(Json)
}

/// Topics.
#[derive(Debug, Serialize, ToSchema)]
struct Topics {
    /// The topics.
    topics: Vec<KnownTopic>,
}

/// List topics that are known well or little
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/meta/topics",
    tag = "meta",
    params(InSpace, Page),
    responses((status = 200, body = Topics), (status = "default", body = Problem))
)]
async fn topics(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(page): Query<Page>,
) -> Result<Json<Topics>, Problem> {
    let limit = page.checked()?;
    let listed = caller.with_space(space, move |space| {
        Ok(Topics {
            topics: space.known_topics(limit)?,
        })
    });
    listed.await.map(Json)
}

/// Recorded searches by week.
#[derive(Debug, Serialize, ToSchema)]
struct Quality {
    /// The weeks, oldest first.
    weeks: Vec<SearchQuality>,
}

/// How useful recorded searches were, by week
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/meta/quality",
    tag = "meta",
    params(InSpace),
    responses((status = 200, body = Quality), (status = "default", body = Problem))
)]
async fn quality(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Quality>, Problem> {
    let told = caller.with_space(space, |space| {
        Ok(Quality {
            weeks: space.search_quality()?,
        })
    });
    told.await.map(Json)
}

/// Logged queries by week.
#[derive(Debug, Serialize, ToSchema)]
struct Performance {
    /// The weeks, oldest first.
    weeks: Vec<QueryPerformance>,
}

/// Latency and hit rate by week, plan, tiers and door
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/meta/performance",
    tag = "meta",
    params(InSpace),
    responses((status = 200, body = Performance), (status = "default", body = Problem))
)]
async fn performance(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Performance>, Problem> {
    let told = caller.with_space(space, |space| {
        Ok(Performance {
            weeks: space.query_performance()?,
        })
    });
    told.await.map(Json)
}
