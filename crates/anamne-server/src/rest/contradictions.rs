//! Contradictions: list, compare, decide.

use anamne::{
    ConflictKind, ConsistencyReport, ConsistencyRequest, Contradiction, ContradictionQuery, Limits,
    Remembered,
};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, OneOf, Routes, cut, resolve_all, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(resolve))
        .routes(routes!(compare))
        .routes(routes!(check))
}

/// Which contradictions to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Also resolved and superseded ones.
    #[serde(default)]
    all: bool,
    /// Maximum number, 1 to 1000.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    limit: usize,
}

/// Contradictions.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Contradictions {
    /// The contradictions, latest first.
    contradictions: Vec<Contradiction>,
    /// Whether there are more.
    more: bool,
}

/// List open contradictions, or all
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/contradictions",
    tag = "contradictions",
    operation_id = "list_contradictions",
    params(InSpace, Which),
    responses((status = 200, body = Contradictions), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(which): Query<Which>,
) -> Result<Json<Contradictions>, Problem> {
    Limits::check_results(which.limit)?;
    let listed = caller.with_space(space, move |space| {
        let query = ContradictionQuery {
            kind: (!which.all).then_some(ConflictKind::Contested),
            open: !which.all,
            limit: which.limit + 1,
            ..ContradictionQuery::default()
        };
        let mut contradictions = space.knowledge()?.contradictions(&query)?;
        let more = cut(&mut contradictions, which.limit);
        Ok(Contradictions {
            contradictions,
            more,
        })
    });
    listed.await.map(Json)
}

/// Show a contradiction by its id or the beginning of it
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/contradictions/{id}",
    tag = "contradictions",
    operation_id = "show_contradiction",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "The contradiction's id, or the beginning of it")
    ),
    responses((status = 200, body = Contradiction), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(OneOf { space, id }): Path<OneOf>,
) -> Result<Json<Contradiction>, Problem> {
    let shown = caller.with_space(space, move |space| space.knowledge()?.contradiction(&id));
    shown.await.map(Json)
}

/// A decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The memory that holds: an id, the beginning of one, or a citation.
    keep: String,
}

/// A contradiction and the memory of its decision.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Decided {
    /// The contradiction, as decided.
    contradiction: Contradiction,
    /// The decision; forgetting this memory opens the contradiction again.
    decision: Remembered,
}

/// Decide which side of a contradiction holds
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/contradictions/{id}/resolution",
    tag = "contradictions",
    operation_id = "resolve_contradiction",
    request_body = Decision,
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "The contradiction's id, or the beginning of it")
    ),
    responses((status = 201, body = Decided), (status = "default", body = Problem))
)]
async fn resolve(
    caller: Caller,
    Path(OneOf { space, id }): Path<OneOf>,
    Json(decision): Json<Decision>,
) -> Result<(StatusCode, Json<Decided>), Problem> {
    let decided = caller.with_space(space, move |space| {
        let kept = space.resolve(&decision.keep)?;
        let decision = space.assert(&space.resolution(&id, kept)?, None)?;
        Ok(Decided {
            contradiction: space.knowledge()?.contradiction(&id)?,
            decision,
        })
    });
    Ok((StatusCode::CREATED, Json(decided.await?)))
}

/// The memories to compare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Comparison {
    /// These memories: ids, beginnings of ids or citations.
    #[serde(default)]
    memories: Vec<String>,
    /// Also the results of a recall of these words.
    topic: Option<String>,
    /// Maximum number of recalled memories, 1 to 1000.
    #[serde(default = "fifty")]
    #[schema(default = 50, minimum = 1, maximum = 1000)]
    limit: usize,
}

/// Compare memories, named or about a topic, with each other
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/consistency",
    tag = "contradictions",
    operation_id = "compare_statements",
    request_body = Comparison,
    params(InSpace),
    responses((status = 200, body = ConsistencyReport), (status = "default", body = Problem))
)]
async fn compare(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(comparison): Json<Comparison>,
) -> Result<Json<ConsistencyReport>, Problem> {
    let compared = caller.with_space(space, move |space| {
        space.check_consistency(&ConsistencyRequest {
            memories: resolve_all(space, "memories", &comparison.memories)?,
            topic: comparison.topic,
            limit: comparison.limit,
        })
    });
    compared.await.map(Json)
}

/// A statement to compare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// The statement.
    claim: String,
    /// Maximum number of memories to compare it with, 1 to 1000.
    #[serde(default = "fifty")]
    #[schema(default = 50, minimum = 1, maximum = 1000)]
    limit: usize,
}

fn fifty() -> usize {
    50
}

/// Compare a statement with what is stored; it is not stored
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/claims",
    tag = "contradictions",
    operation_id = "check_claim",
    request_body = Claim,
    params(InSpace),
    responses((status = 200, body = ConsistencyReport), (status = "default", body = Problem))
)]
async fn check(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(claim): Json<Claim>,
) -> Result<Json<ConsistencyReport>, Problem> {
    let checked = caller.with_space(space, move |space| {
        space.check_claim(&claim.claim, claim.limit)
    });
    checked.await.map(Json)
}
