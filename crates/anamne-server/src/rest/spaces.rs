//! Spaces: list, create, counts, delete.

use std::sync::Arc;

use anamne::{Error, InvalidValue, KeyLoss, Space, SpaceErasure, Statistics, StoreError};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::conditional::{self, ExpectedState};
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
    operation_id = "list_spaces",
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
    operation_id = "create_space",
    request_body = NewSpace,
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
///
/// `ETag` stands for its state: it differs after every change of its memories or settings.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}",
    tag = "spaces",
    operation_id = "read_space",
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = SpaceView), (status = "default", body = Problem))
)]
async fn read(caller: Caller, Path(space): Path<String>) -> Result<Response, Problem> {
    let read = caller.with_store(move |store| {
        let space = store.existing_space(&space)?;
        // First, so that a change meanwhile makes the tag too old, not too new.
        let state = space.state()?;
        Ok((SpaceView::of(&space)?, state))
    });
    let (space, state) = read.await?;
    Ok(conditional::tagged_space(space, state))
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
    /// The spaces in which forgotten copies of its memories were erased, which a transfer had left there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies_erased_in: Vec<String>,
    /// The keys that named it, which don't any more; for callers with the right to configure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<KeyLoss>,
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
            copies_erased_in: erased.copies_erased_in,
            keys: erased.keys,
        }
    }
}

/// Delete a space permanently, with its history, settings and backups
///
/// Needs the right to erase. Its memories that are members of other spaces are erased there too; members that have their
/// home elsewhere stay there. What a transfer left forgotten in a space that the caller may read is erased with its memories. Keys that name the space lose it; one that names no other is revoked. The name is given twice, so that no space is deleted by mistake.
/// With `If-Match`, only the state that the client knows is deleted: otherwise nothing is changed (412). The state is that
/// of its log and settings, without cached results and paused tasks.
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}",
    tag = "spaces",
    operation_id = "delete_space",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("name" = String, Query, description = "The space's name again"),
        ("If-Match" = Option<String>, Header, description = "The state to delete, as `ETag` gave it")
    ),
    responses(
        (status = 200, body = DeletedSpace),
        (status = 412, description = "It was changed", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn delete(
    caller: Caller,
    Path(space): Path<String>,
    Query(deleting): Query<Deleting>,
    headers: HeaderMap,
) -> Result<Json<DeletedSpace>, Problem> {
    let expected = conditional::expected_state(&headers)?;
    let deleted = caller.with_store(move |store| {
        if deleting.name.as_ref() != Some(&space) {
            let given = deleting.name.unwrap_or_default();
            return Err(InvalidValue::new("name", "the name of the space again", given).into());
        }
        let erased = match expected {
            ExpectedState::Any => store.erase_space(&space)?,
            ExpectedState::This(state) => store.erase_space_if(&space, state)?,
            ExpectedState::None => {
                // First whether it is there for this caller.
                let space = store.existing_space(&space)?;
                let changed = StoreError::SpaceChanged(space.name().to_owned());
                return Err(Error::from(changed).into());
            }
        };
        Ok(erased.into())
    });
    deleted.await.map(Json)
}
