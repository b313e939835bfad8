//! The export of a tenant as one file.

use std::sync::Arc;

use anamne::ExportExtra;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::admin::known;
use super::export_files::{export, response};
use crate::http::body::Path;
use crate::http::{App, Caller, Problem};
use crate::tenants::TenantName;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(export_tenant))
}

/// Export a tenant: all spaces with history, and paid, observed and external data, as one file
///
/// `anamne import FILE --trusted` gives back equal spaces.
#[utoipa::path(
    get, path = "/v1/admin/tenants/{name}/export", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    responses(
        (status = 200, description = "An export file", content_type = "application/octet-stream"),
        (status = "default", body = Problem)
    )
)]
async fn export_tenant(caller: Caller, Path(name): Path<String>) -> Result<Response, Problem> {
    let exported = caller.with_admin(move |tenants| {
        known(tenants, &name)?;
        let store = tenants.store(&TenantName::of(&name))?;
        export(&store, None, &ExportExtra::ALL)
    });
    Ok(response(exported.await?))
}
