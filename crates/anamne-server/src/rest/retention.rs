//! Retention: what is due, apply, undo.

use anamne::{RetentionApplied, RetentionState, RetentionUndone, Space};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, conceal_skipped};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(preview))
        .routes(routes!(apply))
        .routes(routes!(undo))
}

/// Show what retention would forget and erase
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/retention",
    tag = "upkeep",
    operation_id = "preview_retention",
    params(InSpace),
    responses((status = 200, body = RetentionState), (status = "default", body = Problem))
)]
async fn preview(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<RetentionState>, Problem> {
    let shown = caller.with_space(space, Space::retention);
    shown.await.map(Json)
}

/// How to apply retention.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Application {
    /// Also what is deferred because it is more than a tenth of the space.
    confirmed: bool,
}

/// Forget and erase what is due; needs the right to erase
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/retention/applications",
    tag = "upkeep",
    operation_id = "apply_retention",
    request_body = Application,
    params(InSpace),
    responses((status = 200, body = RetentionApplied), (status = "default", body = Problem))
)]
async fn apply(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(application): Json<Application>,
) -> Result<Json<RetentionApplied>, Problem> {
    let applied = caller.with_space(space, move |space| {
        let mut applied = space.apply_retention(application.confirmed)?;
        conceal_skipped(space, &mut applied.skipped);
        Ok(applied)
    });
    applied.await.map(Json)
}

/// Restore everything that retention forgot and has not erased yet
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/retention/restorations",
    tag = "upkeep",
    operation_id = "undo_retention",
    params(InSpace),
    responses((status = 200, body = RetentionUndone), (status = "default", body = Problem))
)]
async fn undo(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<RetentionUndone>, Problem> {
    let undone = caller.with_space(space, |space| {
        let mut undone = space.restore_forgotten_by_retention()?;
        conceal_skipped(space, &mut undone.skipped);
        Ok(undone)
    });
    undone.await.map(Json)
}
