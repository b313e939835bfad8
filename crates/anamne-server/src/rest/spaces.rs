//! Spaces: list, create, counts.

use std::sync::Arc;

use anamne::{Space, Statistics};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(read))
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

/// A space to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSpace {
    /// Its name.
    name: String,
}

/// A space and its counts.
#[derive(Debug, Serialize, ToSchema)]
struct SpaceView {
    /// Its name.
    name: String,
    /// What it is about.
    description: String,
    /// When it was created.
    created_at: Timestamp,
    /// Counts: `memories`, `by_kind`, `forgotten`, `erased`, `threads`, `links`, `events`, `guard`, and the occurrence of
    /// the `first` and the `last` memory.
    #[schema(value_type = Object)]
    statistics: Statistics,
}

impl SpaceView {
    fn of(space: &Space) -> Result<Self, Problem> {
        let config = space.config();
        Ok(Self {
            name: space.name().to_owned(),
            description: config.description.clone(),
            created_at: config.created_at,
            statistics: space.report()?.statistics,
        })
    }
}

/// Create a space
#[utoipa::path(
    post,
    path = "/v1/spaces",
    tag = "spaces",
    responses(
        (status = 201, body = SpaceView),
        (status = 200, description = "It existed before", body = SpaceView),
        (status = "default", body = Problem)
    )
)]
async fn create(
    caller: Caller,
    Json(new): Json<NewSpace>,
) -> Result<(StatusCode, Json<SpaceView>), Problem> {
    let created = caller.with_store(move |store| {
        let status = match store.existing_space(&new.name) {
            Ok(_) => StatusCode::OK,
            Err(_) => StatusCode::CREATED,
        };
        Ok((status, SpaceView::of(&store.space(&new.name)?)?))
    });
    let (status, space) = created.await?;
    Ok((status, Json(space)))
}

/// Get a space with its counts
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}",
    tag = "spaces",
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = SpaceView), (status = "default", body = Problem))
)]
async fn read(caller: Caller, Path(space): Path<String>) -> Result<Json<SpaceView>, Problem> {
    caller
        .with_store(move |store| SpaceView::of(&store.existing_space(&space)?))
        .await
        .map(Json)
}
