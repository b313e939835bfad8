//! REST, version 1: one file for each resource.
//!
//! A handler parses, calls one method of the engine on a blocking thread, and answers with the engine's type. Rules of
//! memory, scopes and limits are the engine's.

mod admin;
mod admin_export;
mod conditional;
mod cursor;
mod events;
mod links;
mod memories;
mod memory_list;
mod questions;
mod settings;
mod spaces;
mod storing;
mod streams;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::http::body::Json;
use crate::http::{App, Problem, health};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Anamne",
        description = "Memory for AI agents. Times are RFC 3339 in UTC. Errors are problem details (RFC 9457)."
    ),
    components(schemas(Problem))
)]
struct Description;

/// The described routes.
fn described() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .merge(spaces::routes())
        .merge(settings::routes())
        .merge(storing::routes())
        .merge(memories::routes())
        .merge(memory_list::routes())
        .merge(links::routes())
        .merge(questions::routes())
        .merge(streams::routes())
        .merge(admin::routes())
        .merge(admin_export::routes())
        .merge(events::routes())
}

/// The OpenAPI 3.1 description of every route.
pub fn openapi() -> utoipa::openapi::OpenApi {
    described().to_openapi()
}

/// All routes.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (router, description) = described().split_for_parts();
    let description = Arc::new(description);
    router
        .merge(health::routes())
        .route(
            "/openapi.json",
            get(move || async move { Json(description) }),
        )
        .fallback(|| async { Problem::not_found("no such route; see /openapi.json") })
        .method_not_allowed_fallback(|| async {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "The route has no such method",
                "see /openapi.json",
            )
        })
        .with_state(app)
}
