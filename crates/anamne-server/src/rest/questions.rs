//! Recall and context.

use std::sync::Arc;

use anamne::{Answer, Recall};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(recall))
}

/// Find memories; best results first
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/recall",
    tag = "questions",
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = Answer), (status = "default", body = Problem))
)]
async fn recall(
    caller: Caller,
    Path(space): Path<String>,
    Json(mut question): Json<Recall>,
) -> Result<Json<Answer>, Problem> {
    caller.set_role(&mut question.role);
    caller
        .with_space(space, move |space| space.recall(&question))
        .await
        .map(Json)
}
