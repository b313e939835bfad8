//! Work that goes on after its answer: begun here, and shown until long after its end.

use anamne::{Error, Right, Space};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::shared::{InSpace, Page, Routes};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};
use crate::tenants::{Work, WorkOwner};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
}

/// Work that began and goes on after this answer.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(super) struct Begun {
    /// The route that says whether it runs, is done or has failed.
    pub(super) see: String,
    /// The route that shows what it changes.
    pub(super) progress: String,
}

/// What is begun.
pub(super) struct WorkKind {
    /// Its name.
    pub(super) what: &'static str,
    /// The route below the space that shows what it changes.
    pub(super) progress: &'static str,
}

/// A piece of work of a space in the path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OneWork {
    /// The space's name.
    space: String,
    /// The work's id.
    id: Uuid,
}

/// Pieces of work.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Works {
    /// The pieces of work, latest first.
    work: Vec<Work>,
}

/// Starts work on a space: answers once `check` passed, while `work` goes on. Failures of `check` are answered; those of
/// `work` are kept at the place that the answer names.
pub(super) async fn begin<T: Serialize>(
    caller: Caller,
    space: String,
    kind: WorkKind,
    check: impl FnOnce(&Space) -> Result<(), Error> + Send + 'static,
    work: impl FnOnce(&Space) -> Result<T, Problem> + Send + 'static,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let id = Uuid::now_v7();
    let begun = Begun {
        see: format!("/v1/spaces/{space}/work/{id}"),
        progress: format!("/v1/spaces/{space}/{}", kind.progress),
    };
    let owner = WorkOwner {
        space: space.clone(),
        identity: caller.identity(),
    };
    let (list, its_list) = (caller.clone(), caller.clone());
    let (ready, began) = oneshot::channel();
    let running = tokio::spawn(async move {
        let worked = caller.with_store(move |store| {
            let space = store.existing_space(&space)?;
            check(&space)?;
            its_list.work_list(|work, tenant| work.begin(tenant, owner, id, kind.what));
            let _ = ready.send(());
            let result = work(&space)?;
            serde_json::to_value(result).map_err(|_| Problem::unexpected())
        });
        let worked = worked.await;
        let refused = worked.as_ref().err().cloned();
        list.work_list(|work, tenant| work.end(tenant, id, worked));
        refused
    });
    if began.await.is_ok() {
        return Ok((StatusCode::ACCEPTED, Json(begun)));
    }
    match running.await {
        Ok(Some(problem)) => Err(problem),
        _ => Err(Problem::unexpected()),
    }
}

/// Whether a caller may see work: its own, or with the right to configure any of the space.
fn may_see(space: &Space, identity: String) -> impl Fn(&WorkOwner) -> bool + use<> {
    let (name, looks_after) = (
        space.name().to_owned(),
        space.scope().allows(Right::Configure),
    );
    move |owner| owner.space == name && (looks_after || owner.identity == identity)
}

/// List work that runs or ended lately
///
/// Work that this key began, and all work of the space with the right to configure. The last 100 outcomes of a tenant are
/// kept until the server ends.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/work",
    tag = "upkeep",
    operation_id = "list_work",
    params(InSpace, Page),
    responses((status = 200, body = Works), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(page): Query<Page>,
) -> Result<Json<Works>, Problem> {
    let limit = page.checked()?;
    let (list, identity) = (caller.clone(), caller.identity());
    let listed = caller.with_space(space, move |space| {
        let may_see = may_see(space, identity);
        let work = list.work_list(|work, tenant| work.latest(tenant, limit, may_see));
        Ok(Works { work })
    });
    listed.await.map(Json)
}

/// Show whether work runs, is done or has failed
///
/// `unknown` for work that began before the server's last start.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/work/{id}",
    tag = "upkeep",
    operation_id = "show_work",
    params(OneWork),
    responses((status = 200, body = Work), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(OneWork { space, id }): Path<OneWork>,
) -> Result<Json<Work>, Problem> {
    let (list, identity) = (caller.clone(), caller.identity());
    let found = caller.with_space(space, move |space| {
        let may_see = may_see(space, identity);
        Ok(list.work_list(|work, tenant| work.find(tenant, id, may_see)))
    });
    let found = found.await?;
    let missing = || Problem::not_found("no such work, or its outcome is no longer kept");
    found.map(Json).ok_or_else(missing)
}
