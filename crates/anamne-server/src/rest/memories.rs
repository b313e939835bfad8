//! Memories, one at a time and many.

use std::sync::Arc;

use anamne::{Draft, Memory, Remembered};
use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(store))
        .routes(routes!(read))
}

/// Store a memory; the space is created if it is missing
///
/// The answer is sent once the memory is durable and found by every query.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories",
    tag = "memories",
    params(("space" = String, Path, description = "The space's name")),
    responses(
        (status = 201, body = Remembered),
        (status = 200, description = "It was known before", body = Remembered),
        (status = "default", body = Problem)
    )
)]
async fn store(
    caller: Caller,
    Path(space): Path<String>,
    Json(draft): Json<Draft>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let told = caller
        .with_new_space(space, move |space| space.remember(draft))
        .await?;
    let status = if told.duplicate {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    Ok((status, Json(told)))
}

/// Get a memory by its id, the beginning of its id, or its citation
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Memory), (status = "default", body = Problem))
)]
async fn read(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Json<Memory>, Problem> {
    caller
        .with_space(space, move |space| space.get(space.resolve(&id)?))
        .await
        .map(Json)
}
