//! What says where access tokens for this server come from (RFC 9728).

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::routing::get;
use serde_json::{Value, json};

use super::app::App;
use super::body::Json;
use super::problem::Problem;
use crate::access::IssuerSettings;

/// Where clients look for the metadata; those of `/mcp` look below it.
const METADATA: &str = "/.well-known/oauth-protected-resource";

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route(METADATA, get(metadata))
        .route("/.well-known/oauth-protected-resource/mcp", get(metadata))
}

async fn metadata(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let settings = app.access.issuer();
    let settings = settings.ok_or_else(|| Problem::not_found("no issuer is configured"))?;
    Ok(Json(json!({
        "resource": settings.audience,
        "authorization_servers": [settings.issuer],
        "scopes_supported": ["memory:read", "memory:write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Anamne",
    })))
}

/// The challenge of an answer without a valid key or token.
pub(super) fn challenge(settings: &IssuerSettings) -> Option<HeaderValue> {
    let audience = &settings.audience;
    let begin = audience.find("://")? + 3;
    let end = audience[begin..]
        .find('/')
        .map_or(audience.len(), |at| begin + at);
    let origin = &audience[..end];
    let value = format!("Bearer resource_metadata=\"{origin}{METADATA}\", scope=\"memory:read\"");
    HeaderValue::from_str(&value).ok()
}
