//! Spaces: list, create, counts, delete.

use std::sync::Arc;

use anamne::{InvalidValue, Space, SpaceErasure, Statistics};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(read, delete))
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

/// How a space is deleted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleting {
    name: Option<String>,
}

/// A deleted space.
#[derive(Debug, Serialize, ToSchema)]
struct DeletedSpace {
    /// Its name.
    space: String,
    /// The memories that it had, without forgotten ones.
    memories: u64,
    /// The forgotten memories that it had.
    forgotten: u64,
    /// The spaces that lost members whose home it was, as far as the caller may read them.
    members_lost_in: Vec<String>,
    /// Places that may still have something of it, such as a backup that can't be reached now. The erasure there is
    /// tried again. The store's own reports name them.
    unreached: usize,
}

impl From<SpaceErasure> for DeletedSpace {
    fn from(erased: SpaceErasure) -> Self {
        Self {
            unreached: erased.outside.unreached().len(),
            space: erased.space,
            memories: erased.memories,
            forgotten: erased.forgotten,
            members_lost_in: erased.members_lost_in,
        }
    }
}

/// Delete a space permanently, with its history, settings and backups
///
/// Needs the right to erase. Its memories that are members of other spaces are erased there too; members that have their
/// home elsewhere stay there. The name is given twice, so that no space is deleted by mistake.
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}",
    tag = "spaces",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("name" = String, Query, description = "The space's name again")
    ),
    responses((status = 200, body = DeletedSpace), (status = "default", body = Problem))
)]
async fn delete(
    caller: Caller,
    Path(space): Path<String>,
    Query(deleting): Query<Deleting>,
) -> Result<Json<DeletedSpace>, Problem> {
    let deleted = caller.with_store(move |store| {
        if deleting.name.as_ref() != Some(&space) {
            let given = deleting.name.unwrap_or_default();
            return Err(InvalidValue::new("name", "the name of the space again", given).into());
        }
        Ok(store.erase_space(&space)?.into())
    });
    deleted.await.map(Json)
}
