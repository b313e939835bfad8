//! Backups of the whole server: how far they are, and make one now.
//!
//! Where they lie and how many are kept is decided where the server is started.

use std::sync::Arc;

use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::Json;
use crate::http::{App, BackupReport, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(read, make))
}

/// Show the schedule of backups of the whole server, and what the last ones came to
#[utoipa::path(
    get, path = "/v1/admin/backups", tag = "admin",
    operation_id = "read_backup_schedule",
    responses((status = 200, body = BackupReport), (status = "default", body = Problem))
)]
async fn read(caller: Caller) -> Result<Json<BackupReport>, Problem> {
    Ok(Json(caller.backups()?.report()))
}

/// Make the next scheduled backup of the whole server now
///
/// The answer comes before it begins; `GET` has the outcome.
#[utoipa::path(
    post, path = "/v1/admin/backups", tag = "admin",
    operation_id = "back_up_server",
    responses((status = 202, body = BackupReport), (status = "default", body = Problem))
)]
async fn make(caller: Caller) -> Result<(StatusCode, Json<BackupReport>), Problem> {
    Ok((StatusCode::ACCEPTED, Json(caller.backups()?.ask())))
}
