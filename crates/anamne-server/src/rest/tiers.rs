//! Storage tiers.

use anamne::{Denied, Right, Space, TierCount};
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes};
use super::work::{Begun, WorkKind, begin};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(age))
}

/// The tiers of a space.
#[derive(Debug, Serialize, ToSchema)]
struct TierList {
    /// The tiers, hottest first.
    tiers: Vec<TierCount>,
}

/// List the storage tiers
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/tiers",
    tag = "upkeep",
    operation_id = "list_tiers",
    params(InSpace),
    responses((status = 200, body = TierList), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<TierList>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(TierList {
            tiers: space.tiers()?,
        })
    });
    listed.await.map(Json)
}

/// Move old memories to colder tiers now; needs the right to configure
///
/// The answer comes as the move begins, and names the route that has its outcome.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/tiers/moves",
    tag = "upkeep",
    operation_id = "move_tiers",
    params(InSpace),
    responses((status = 202, body = Begun), (status = "default", body = Problem))
)]
async fn age(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let check = |space: &Space| {
        if space.scope().allows(Right::Configure) {
            return Ok(());
        }
        Err(Denied::Right(Right::Configure).into())
    };
    let kind = WorkKind {
        what: "tiers",
        progress: "tiers",
    };
    let work = |space: &Space| Ok(space.age(&mut |_, _| {})?);
    begin(caller, space, kind, check, work).await
}
