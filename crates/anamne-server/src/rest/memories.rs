//! Memories: read, edit, forget, restore and erase.

use std::sync::Arc;

use anamne::{Edit, Error, Memory, MemoryId, OutsideErasure, Space, StoreError, Version};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::conditional;
use super::storing::bounded;
use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(read, edit, delete))
        .routes(routes!(restore))
        .routes(routes!(history))
        .routes(routes!(forget_many))
}

/// How a memory is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    as_of: Option<Timestamp>,
    #[serde(default)]
    external: bool,
    #[serde(default)]
    peek: bool,
}

/// Get a memory by its id, the beginning of its id, its citation, or its external id
///
/// It counts as opened, unless `peek` is set. `ETag` is its version; with `If-None-Match` a known version is not sent again (304).
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    operation_id = "read_memory",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("as_of" = Option<String>, Query, description = "Its version at this time, without `ETag`"),
        ("external" = Option<bool>, Query, description = "The id is an external one"),
        ("peek" = Option<bool>, Query, description = "Do not count it as opened"),
        ("If-None-Match" = Option<String>, Header, description = "The version that the client has")
    ),
    responses(
        (status = 200, body = Memory),
        (status = 304, description = "The client has this version"),
        (status = "default", body = Problem)
    )
)]
async fn read(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    Query(reading): Query<Reading>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let as_of = reading.as_of;
    let found = caller.with_store(move |store| {
        let space = store.existing_space(&space)?;
        let id = if reading.external {
            let found = space.find_imported(&id)?;
            found.ok_or_else(|| Problem::not_found("no memory with this external id"))?
        } else {
            space.resolve(&id)?
        };
        let Some(at) = reading.as_of else {
            let read = if reading.peek {
                space.read(id)
            } else {
                space.get(id)
            };
            return Ok(read?);
        };
        let version = space.as_of(id, at)?.and_then(|version| version.memory);
        version.ok_or_else(|| Problem::not_found("the memory did not exist at this time"))
    });
    let memory = found.await?;
    if as_of.is_some() {
        return Ok(Json(memory).into_response());
    }
    conditional::tagged_unless_known(memory, &headers)
}

/// Edit a memory; earlier versions stay
///
/// With `If-Match`, only the version that the client knows is edited: otherwise nothing is changed (412).
#[utoipa::path(
    patch,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    operation_id = "edit_memory",
    request_body = Edit,
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("If-Match" = Option<String>, Header, description = "The version to edit, as `ETag` gave it")
    ),
    responses(
        (status = 200, description = "Its new state", body = Memory),
        (status = 412, description = "It has another version", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn edit(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    headers: HeaderMap,
    Json(edit): Json<Edit>,
) -> Result<Response, Problem> {
    let expected = conditional::expected(&headers)?;
    let edited = caller.with_space(space, move |space| {
        let id = space.resolve(&id)?;
        match expected {
            Some(version) => space.edit_if(id, version, &edit),
            None => space.edit(id, &edit),
        }
    });
    edited.await.map(conditional::tagged)
}

/// How a memory is deleted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleting {
    #[serde(default)]
    hard: bool,
}

/// What came of forgetting or erasing.
#[derive(Debug, Serialize, ToSchema)]
struct Forgotten {
    /// The memories.
    ids: Vec<MemoryId>,
    /// Whether their content was erased permanently, not only forgotten.
    erased: bool,
    /// Places that may still have erased content, such as a backup that can't be reached now. The erasure there is
    /// tried again. The store's own reports name them.
    unreached: usize,
}

impl Forgotten {
    fn softly(ids: Vec<MemoryId>) -> Self {
        Self {
            ids,
            erased: false,
            unreached: 0,
        }
    }

    fn erased(ids: Vec<MemoryId>, outside: &OutsideErasure) -> Self {
        Self {
            ids,
            erased: true,
            unreached: outside.unreached().len(),
        }
    }
}

/// Forget a memory, or erase it permanently
///
/// A forgotten memory is in no answer and can be restored. An erased one can't: its content leaves every file and every
/// backup that can be reached.
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    operation_id = "delete_memory",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("hard" = Option<bool>, Query, description = "Erase it; needs the right to erase"),
        ("If-Match" = Option<String>, Header, description = "The version to forget, as `ETag` gave it")
    ),
    responses(
        (status = 200, body = Forgotten),
        (status = 412, description = "It has another version", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn delete(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    Query(deleting): Query<Deleting>,
    headers: HeaderMap,
) -> Result<Json<Forgotten>, Problem> {
    if deleting.hard {
        conditional::expect_none(&headers)?;
    }
    let expected = conditional::expected(&headers)?;
    let deleted = caller.with_space(space, move |space| {
        let id = space.resolve(&id)?;
        if deleting.hard {
            return Ok(Forgotten::erased(vec![id], &space.erase(id)?));
        }
        match expected {
            Some(version) => space.forget_if(id, version)?,
            None => space.forget(id)?,
        };
        Ok(Forgotten::softly(vec![id]))
    });
    deleted.await.map(Json)
}

/// Memories to forget or erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Forgetting {
    /// 1 to 1 000 ids, beginnings of ids, or citations.
    #[serde(deserialize_with = "bounded")]
    ids: Vec<String>,
    /// Erase them permanently, with their earlier versions, from backups too. Needs the right to erase.
    #[serde(default)]
    hard: bool,
}
/// Forget or erase many memories: all or none
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/forget",
    tag = "memories",
    operation_id = "forget_memories",
    request_body = Forgetting,
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = Forgotten), (status = "default", body = Problem))
)]
async fn forget_many(
    caller: Caller,
    Path(space): Path<String>,
    Json(request): Json<Forgetting>,
) -> Result<Json<Forgotten>, Problem> {
    let forgotten = caller.with_space(space, move |space| {
        let ids = resolved(space, &request.ids)?;
        if request.hard {
            let outside = space.erase_all(&ids)?;
            return Ok(Forgotten::erased(ids, &outside));
        }
        space.forget_all(&ids)?;
        Ok(Forgotten::softly(ids))
    });
    forgotten.await.map(Json)
}

/// The memories with these ids, each once.
pub(super) fn resolved(space: &Space, ids: &[String]) -> Result<Vec<MemoryId>, Error> {
    let mut resolved = Vec::with_capacity(ids.len());
    let mut seen = std::collections::HashSet::new();
    for id in ids {
        let id = space.resolve(id)?;
        if seen.insert(id) {
            resolved.push(id);
        }
    }
    Ok(resolved)
}

/// Restore a forgotten memory
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/{id}/restore",
    tag = "memories",
    operation_id = "restore_memory",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Memory), (status = "default", body = Problem))
)]
async fn restore(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let restored = caller.with_space(space, move |space| space.restore(space.resolve(&id)?));
    restored.await.map(conditional::tagged)
}

/// The versions of a memory.
#[derive(Debug, Serialize, ToSchema)]
struct Versions {
    /// The current one last.
    versions: Vec<Version>,
}

/// Get all versions of a memory
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/history",
    tag = "memories",
    operation_id = "memory_history",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Versions), (status = "default", body = Problem))
)]
async fn history(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Json<Versions>, Problem> {
    let read = caller.with_space(space, move |space| {
        let versions = space.history(space.resolve(&id)?)?;
        Ok(Versions { versions })
    });
    read.await.map(Json)
}

/// That a memory is not there, in the words of the engine.
pub(super) fn no_memory(id: MemoryId, space: &Space) -> Error {
    Error::Store(StoreError::NoMemory {
        id,
        space: space.name().to_owned(),
    })
}
