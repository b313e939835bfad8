//! `/healthz`, `/readyz` and `/metrics`.

use std::collections::BTreeMap;
use std::sync::Arc;

use anamne::{Right, ViewLag};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::json;

use super::app::App;
use super::body::Json;
use super::metrics::Levels;
use super::problem::Problem;
use super::request::Sender;
use crate::tenants::TenantName;

/// Open spaces of a tenant that are asked how far behind they are.
const SPACES: usize = 64;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

/// The process answers.
async fn alive() -> Response {
    Json(json!({ "status": "alive" })).into_response()
}

/// The server's own store can be written, and the server doesn't end.
async fn ready(
    State(app): State<Arc<App>>,
    Extension(sender): Extension<Sender>,
) -> Result<Response, Problem> {
    let not_ready = |detail: &str| {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_ready",
            "The server can't serve requests",
            detail,
        )
    };
    if app.operation.is_ending() {
        return Err(not_ready("it is about to end"));
    }
    let is_writable = match app.operation.ready.get() {
        Some(known) => known,
        None => is_writable(&app, sender).await?,
    };
    if !is_writable {
        return Err(not_ready("its store can't be written"));
    }
    Ok(Json(json!({ "status": "ready" })).into_response())
}

async fn is_writable(app: &Arc<App>, sender: Sender) -> Result<bool, Problem> {
    let tenants = app.clone();
    let work = move || {
        let written = tenants
            .tenants
            .store(&TenantName::default())
            .and_then(|store| Ok(store.check_writable()?));
        if let Err(problem) = &written {
            let cause = &*problem.detail;
            tracing::error!(target: "anamne", cause, "the store can't be written");
        }
        Ok(written.is_ok())
    };
    let is_writable = app.pool.run(sender.trace, work).await?;
    app.operation.ready.set(is_writable);
    Ok(is_writable)
}

/// Numbers for Prometheus. Where other machines reach the server, a key with the right to configure is needed.
async fn metrics(
    State(app): State<Arc<App>>,
    Extension(sender): Extension<Sender>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !app.operation.is_local {
        let given = headers.get(header::AUTHORIZATION);
        let given = given.map(|given| given.to_str().unwrap_or_default());
        let principal = app.access.identify(given)?;
        if !principal.scope.allows(Right::Configure) {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "denied",
                "Access denied",
                "metrics need a key with the right to configure",
            ));
        }
    }
    let behind = match app.operation.behind.get() {
        Some(known) => known,
        None => views_behind(&app, sender).await,
    };
    let levels = Levels {
        pool_running: app.pool.running() + app.storing.running(),
        pool_waiting: app.pool.waiting() + app.storing.waiting(),
        tenants: app.tenants.opened_stores().len(),
        behind,
    };
    let text = app.operation.metrics.text(levels);
    let form = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    Ok(([form], text).into_response())
}

/// Without an answer if the engine is busy: the other numbers show why.
async fn views_behind(app: &Arc<App>, sender: Sender) -> BTreeMap<String, ViewLag> {
    let tenants = app.clone();
    let work = move || {
        let mut largest: BTreeMap<String, ViewLag> = BTreeMap::new();
        for store in tenants.tenants.opened_stores() {
            for (view, behind) in store.views_behind(SPACES)? {
                largest.entry(view).or_default().extend_to(behind);
            }
        }
        Ok(largest)
    };
    let behind = app.pool.run(sender.trace, work).await.unwrap_or_default();
    app.operation.behind.set(behind.clone());
    behind
}
