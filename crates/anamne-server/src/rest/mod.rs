//! REST, version 1: one file for each resource.
//!
//! A handler parses, calls one method of the engine on a blocking thread, and answers with the engine's type. Rules of
//! memory, scopes and limits are the engine's.

mod admin;
mod admin_backups;
mod admin_export;
mod backups;
mod cache;
mod captures;
mod conditional;
mod consolidation;
mod contradictions;
mod cursor;
mod docs;
mod enrichment;
mod events;
mod examples;
mod experience;
mod export_files;
mod feedback;
mod graph;
mod knowledge;
mod links;
mod log;
mod members;
mod memories;
mod memory_list;
mod meta;
mod origin;
mod questions;
mod retention;
mod settings;
mod shared;
mod spaces;
mod storing;
mod strategies;
mod streams;
mod summaries;
mod tasks;
mod tiers;
mod upkeep;
mod work;
mod working;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Content, RefOr};
use utoipa_axum::router::OpenApiRouter;

use crate::http::body::Json;
use crate::http::{App, MEDIA_TYPE, Problem, health};

pub use log::{GuardedKinds, guarded_kinds};
pub use settings::{DuplicateRule, SettingsChange, SpaceSettings};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Anamne",
        description = "Memory for AI agents. Times are RFC 3339 in UTC. Errors are problem details (RFC 9457): \
                       400 if a request can't be read, 422 if it can be read and isn't valid. \
                       `If-Match` is checked where an operation names it; other changing operations refuse it with 422. \
                       A server that has keys needs one in each request: `Authorization: Bearer KEY`."
    ),
    components(schemas(Problem, streams::BadLinePolicy, streams::ExportForm))
)]
struct Description;

/// The described routes.
fn described() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .merge(spaces::routes())
        .merge(settings::routes())
        .merge(storing::routes())
        .merge(captures::routes())
        .merge(memories::routes())
        .merge(origin::routes())
        .merge(members::routes())
        .merge(memory_list::routes())
        .merge(links::routes())
        .merge(questions::routes())
        .merge(streams::routes())
        .merge(admin::routes())
        .merge(admin_export::routes())
        .merge(admin_backups::routes())
        .merge(events::routes())
        .merge(knowledge::routes())
        .merge(graph::routes())
        .merge(contradictions::routes())
        .merge(summaries::routes())
        .merge(enrichment::routes())
        .merge(consolidation::routes())
        .merge(experience::routes())
        .merge(feedback::routes())
        .merge(strategies::routes())
        .merge(working::routes())
        .merge(cache::routes())
        .merge(meta::routes())
        .merge(tasks::routes())
        .merge(log::routes())
        .merge(tiers::routes())
        .merge(retention::routes())
        .merge(backups::routes())
        .merge(upkeep::routes())
        .merge(work::routes())
}

/// The OpenAPI 3.1 description of every route.
pub fn openapi() -> utoipa::openapi::OpenApi {
    completed(described().to_openapi())
}

/// Adds what isn't derived from types: examples, keys, and what responses are.
fn completed(mut description: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    examples::add_to(&mut description);
    name_keys(&mut description);
    complete_responses(&mut description);
    description
}

/// Says that requests carry a key. Without any key in the store, the server needs none on its machine.
fn name_keys(description: &mut utoipa::openapi::OpenApi) {
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some("A key of `anamne keys create`, or an access token.".to_owned());
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    let key = SecurityRequirement::new("key", [] as [&str; 0]);
    description.security = Some(vec![key, SecurityRequirement::default()]);
}

/// Gives responses that are problems their media type, as a derived description says JSON of every body, and all responses
/// a description, which `OpenAPI` requires.
fn complete_responses(description: &mut utoipa::openapi::OpenApi) {
    let is_problem = |content: &RefOr<Content>| {
        let content = serde_json::to_value(content).unwrap_or_default();
        content["schema"]["$ref"] == "#/components/schemas/Problem"
    };
    for path in description.paths.paths.values_mut() {
        for operation in examples::operations(path) {
            for (status, response) in &mut operation.responses.responses {
                let RefOr::T(response) = response else {
                    continue;
                };
                if response.description.is_empty() {
                    let status = status.parse::<StatusCode>().ok();
                    let reason = status.and_then(|status| status.canonical_reason());
                    response.description = reason.unwrap_or("A problem").into();
                }
                let contents = std::mem::take(&mut response.content).into_iter();
                let named = contents.map(|(media, content)| {
                    if is_problem(&content) {
                        (MEDIA_TYPE.to_owned(), content)
                    } else {
                        (media, content)
                    }
                });
                response.content = named.collect();
            }
        }
    }
}

/// All routes.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (router, description) = described().split_for_parts();
    let description = completed(description);
    let page = docs::Page::of(&description);
    let checking = Arc::new(conditional::Checking::of(&description));
    let description = Arc::new(description);
    router
        .layer(from_fn_with_state(checking, conditional::refuse_unchecked))
        .merge(health::routes())
        .route("/docs", get(move || async move { page.response() }))
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
