//! Memories that say the same, and statements that recur.

use anamne::{Insight, Proposal, Skipped};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, conceal_skipped};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(propose))
        .routes(routes!(apply))
        .routes(routes!(insights))
}

/// Merges.
#[derive(Debug, Serialize, ToSchema)]
struct Merges {
    /// The merges.
    proposals: Vec<Proposal>,
    /// Whether they were applied.
    applied: bool,
    /// Memories that were skipped because they are damaged.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

/// Propose merges of memories that say the same, among the newest 50 000
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/consolidation",
    tag = "consolidation",
    operation_id = "propose_merges",
    params(InSpace),
    responses((status = 200, body = Merges), (status = "default", body = Problem))
)]
async fn propose(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Merges>, Problem> {
    let proposed = caller.with_space(space, |space| {
        let (proposals, mut skipped) = space.foldable()?;
        conceal_skipped(space, &mut skipped);
        Ok(Merges {
            proposals,
            applied: false,
            skipped,
        })
    });
    proposed.await.map(Json)
}

/// Apply the proposed merges: the latest memory supersedes the others
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/consolidation",
    tag = "consolidation",
    operation_id = "apply_merges",
    params(InSpace),
    responses((status = 200, body = Merges), (status = "default", body = Problem))
)]
async fn apply(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Merges>, Problem> {
    let applied = caller.with_space(space, |space| {
        let (proposals, mut skipped) = space.consolidate()?;
        conceal_skipped(space, &mut skipped);
        Ok(Merges {
            proposals,
            applied: true,
            skipped,
        })
    });
    applied.await.map(Json)
}

/// Statements that recur.
#[derive(Debug, Serialize, ToSchema)]
struct Insights {
    /// The statements, made by at least three memories on two or more days.
    insights: Vec<Insight>,
    /// Memories that were skipped because they are damaged.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

/// List recurring statements with their sources
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/insights",
    tag = "consolidation",
    params(InSpace),
    responses((status = 200, body = Insights), (status = "default", body = Problem))
)]
async fn insights(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Insights>, Problem> {
    let found = caller.with_space(space, |space| {
        let (insights, mut skipped) = space.insights()?;
        conceal_skipped(space, &mut skipped);
        Ok(Insights { insights, skipped })
    });
    found.await.map(Json)
}
