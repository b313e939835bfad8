//! Spaces.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::Json;
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The spaces that a caller may read.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct SpaceList {
    /// Their names, sorted.
    spaces: Vec<String>,
}

/// List the spaces that the caller may read
#[utoipa::path(
    get,
    path = "/v1/spaces",
    tag = "spaces",
    responses((status = 200, body = SpaceList), (status = "default", body = Problem))
)]
async fn list(caller: Caller) -> Result<Json<SpaceList>, Problem> {
    let listed = caller.with_store(|store| {
        let names = store.spaces()?.into_iter();
        Ok(SpaceList {
            spaces: names.map(|name| name.to_string()).collect(),
        })
    });
    listed.await.map(Json)
}
