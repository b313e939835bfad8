//! Working memory: values that expire.

use anamne::{Remembered, WorkingEntry, WorkingScope};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Named, Routes};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(set))
        .routes(routes!(remove))
}

/// Live values.
#[derive(Debug, Serialize, ToSchema)]
struct Values {
    /// The values.
    values: Vec<WorkingEntry>,
}

/// List the live values of every session and agent
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/working",
    tag = "experience",
    operation_id = "list_working_values",
    params(InSpace),
    responses((status = 200, body = Values), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Values>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(Values {
            values: space.working_memory(None)?,
        })
    });
    listed.await.map(Json)
}

/// A value.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewValue {
    /// The value; null removes it.
    #[schema(value_type = Object)]
    value: Value,
    /// The session.
    #[serde(default)]
    session: String,
    /// The agent.
    #[serde(default)]
    agent: String,
    /// When it expires; in 24 hours by default.
    expires_at: Option<Timestamp>,
}

/// Set a value by its key; the space is created if it is missing
#[utoipa::path(
    put,
    path = "/v1/spaces/{space}/working/{name}",
    tag = "experience",
    operation_id = "set_working_value",
    request_body = NewValue,
    params(Named),
    responses((status = 200, body = Remembered), (status = "default", body = Problem))
)]
async fn set(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
    Json(new): Json<NewValue>,
) -> Result<Json<Remembered>, Problem> {
    let set = caller.with_new_space(space, move |space| {
        let scope = WorkingScope {
            session: new.session,
            agent: new.agent,
        };
        space.set_working(&scope, &name, new.value, new.expires_at)
    });
    set.await.map(Json)
}

/// Whose value.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Whose {
    /// The session.
    #[serde(default)]
    session: String,
    /// The agent.
    #[serde(default)]
    agent: String,
}

/// Remove a value by its key
///
/// 404 if this session and agent have no such value.
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/working/{name}",
    tag = "experience",
    operation_id = "remove_working_value",
    params(Named, Whose),
    responses((status = 200, body = Remembered), (status = "default", body = Problem))
)]
async fn remove(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
    Query(whose): Query<Whose>,
) -> Result<Json<Remembered>, Problem> {
    let removed = caller.with_space(space, move |space| {
        let scope = WorkingScope {
            session: whose.session,
            agent: whose.agent,
        };
        let values = space.working_memory(Some(&scope))?;
        if values.iter().all(|value| value.key != name) {
            return Ok(None);
        }
        space
            .set_working(&scope, &name, Value::Null, None)
            .map(Some)
    });
    let missing = || Problem::not_found("no value with this key; name its session and agent");
    removed.await?.map(Json).ok_or_else(missing)
}
